//! What the terminal shows: the list of the entries, a line for each run, and the table at the end.

use super::entry::{Entry, Record, Verdict};

/// The width that a line may take: the variable COLUMNS, or 100.
pub(super) fn terminal_width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.unwrap_or(100).max(40)
}

/// The text of `--list`.
pub(super) fn list(entries: &[&Entry], width: usize) -> String {
    if entries.is_empty() {
        return "No entries are registered.\n".into();
    }
    let place = entries.iter().map(|entry| entry.place.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for entry in entries {
        let head = format!("{}  {:<place$}  ", entry.id, entry.place);
        text += &format!("{head}{}\n", cut(entry.claim, width.saturating_sub(place + 7)));
    }
    text + &counted(entries.len()) + "\n"
}

/// One line about an entry that has run.
pub(super) fn line(record: &Record<'_>) -> String {
    let mut text = format!("{} {:<7} {:>8.2} s", record.entry.id, record.verdict().word(), record.seconds);
    if let Some(failure) = &record.findings.failure {
        text += &format!("  {failure}");
    }
    text
}

/// The table of all entries, what failed in detail, and the counts.
pub(super) fn table(records: &[Record<'_>], width: usize) -> String {
    let mut text = String::from("\nid   verdict    seconds  claim\n");
    for record in records {
        let claim = cut(record.entry.claim, width.saturating_sub(25));
        let verdict = record.verdict().word();
        text += &format!("{}  {verdict:<9} {:>8.2}  {claim}\n", record.entry.id, record.seconds);
    }
    for record in records.iter().filter(|record| record.verdict() == Verdict::Fails) {
        text += &details(record);
    }
    text + &format!("\n{}\n", counts(records))
}

/// Why an entry fails.
fn details(record: &Record<'_>) -> String {
    let mut text = format!("\n{} fails ({}):\n", record.entry.id, record.entry.place);
    if let Some(failure) = &record.findings.failure {
        text += &format!("  {failure}\n");
    }
    for row in record.findings.measurements.iter().filter(|row| !row.holds) {
        text += &format!("  {}: claimed {}, measured {}\n", row.what, row.claimed, row.measured);
    }
    for erratum in record.findings.errata.iter().filter(|erratum| !erratum.shown) {
        text += &format!("  not shown that '{}' is wrong: {}\n", erratum.says, erratum.evidence);
    }
    text
}

/// A number of entries, in words.
pub(super) fn counted(number: usize) -> String {
    if number == 1 { "1 entry".into() } else { format!("{number} entries") }
}

/// How many entries there are of each verdict.
pub(super) fn counts(records: &[Record<'_>]) -> String {
    let count = |verdict| records.iter().filter(|record| record.verdict() == verdict).count();
    format!(
        "{}: holds {}, erratum {}, fails {}",
        counted(records.len()),
        count(Verdict::Holds),
        count(Verdict::Erratum),
        count(Verdict::Fails)
    )
}

/// A text of at most `width` characters; what is cut ends in an ellipsis.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_table_of_a_small_report() {
        insta::assert_snapshot!(table(&sample::records(), 80));
    }

    #[test]
    fn the_list_names_every_entry_or_says_that_there_is_none() {
        let entries: Vec<_> = sample::ENTRIES.iter().collect();
        insta::assert_snapshot!(list(&entries, 80));
        assert_eq!(list(&[], 80), "No entries are registered.\n");
    }

    #[test]
    fn no_line_of_the_table_is_wider_than_asked() {
        for width in [40, 80, 120] {
            let text = list(&sample::ENTRIES.iter().collect::<Vec<_>>(), width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        }
        assert_eq!(cut("αβγδ", 3), "αβ…");
        assert_eq!(cut("αβγ", 3), "αβγ");
    }
}
