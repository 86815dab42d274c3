//! The date of a report, from the clock of the system in universal time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today as year-month-day.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    civil(seconds / 86_400)
}

/// The date of a day counted from 1970-01-01, by walking the years and the months.
fn civil(mut days: u64) -> String {
    let mut year = 1970_u64;
    while days >= year_length(year) {
        days -= year_length(year);
        year += 1;
    }
    let february = year_length(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}

/// The days of a year of the Gregorian calendar.
fn year_length(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        let days = [(0, "1970-01-01"), (59, "1970-03-01"), (789, "1972-02-29"), (790, "1972-03-01")];
        for (day, text) in days.into_iter().chain([(11_016, "2000-02-29"), (20_453, "2025-12-31")]) {
            assert_eq!(civil(day), text);
        }
    }
}
