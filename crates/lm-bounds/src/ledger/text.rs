//! The ledger as lines of text.

use std::fmt::Write;

use super::{Ledger, Quantity};

/// Significant digits of a value, the last one rounded up.
const DIGITS: usize = 5;

/// All entries by what they are about, and what each of them states and assumes.
pub(super) fn write(ledger: &Ledger) -> String {
    let mut text = format!("{}: what theory says", ledger.name);
    if let Some(test) = ledger.held_out {
        let _ = write!(text, "; {} errors on {} held-out examples ({})", test.errors, test.size, rounded_up(test.share()));
    }
    let how = if ledger.simultaneous { "all together" } else { "each by itself" };
    let _ = writeln!(text, "\nBounds with a δ hold with probability 1 − δ, δ = {} {how}. Values are rounded up.", ledger.delta);
    let quantities = [Quantity::Mistakes, Quantity::FirstPass, Quantity::Error, Quantity::LeaveOneOut];
    let width = ledger.bounds.iter().map(|bound| bound.name.chars().count()).max().unwrap_or(0);
    for quantity in quantities {
        let mut bounds: Vec<_> = ledger.bounds.iter().filter(|bound| bound.of == quantity).collect();
        bounds.sort_by(|a, b| a.value.total_cmp(&b.value));
        if bounds.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", quantity.words());
        for bound in bounds {
            let inputs: Vec<String> =
                bound.inputs.iter().map(|(name, value)| format!("{name} = {}", rounded_up(*value))).collect();
            let pad = " ".repeat(width - bound.name.chars().count());
            let value = rounded_up(bound.value);
            let verdict = if bound.is_vacuous() { "says nothing" } else { "" };
            let observed = bound.observed.map_or(String::new(), |seen| format!("; seen: {}", rounded_up(seen)));
            let line = format!("  {}{pad}  {value:>10}  {verdict:12}  {}{observed}", bound.name, inputs.join(", "));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    let _ = writeln!(text, "\nstatements");
    for bound in &ledger.bounds {
        let delta = bound.delta.map_or(String::new(), |delta| format!(" [δ = {}]", rounded_up(delta)));
        let _ = writeln!(text, "  {}: {}{delta}", bound.name, bound.statement);
        let _ = writeln!(text, "    assumes: {}. {}.", bound.assumptions, bound.reference);
    }
    text
}

/// A number of a few digits, not below the one given.
pub(super) fn rounded_up(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == f64::INFINITY { "∞".into() } else { value.abs().to_string() };
    }
    if value.fract() == 0.0 && value.abs() < 1e9 {
        return format!("{value}");
    }
    let mut digits = format!("{value:.*e}", DIGITS - 1);
    if digits.parse::<f64>().is_ok_and(|short| short < value) {
        // One more in the last digit.
        let exponent: i32 = digits.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let step = format!("1e{}", exponent - DIGITS as i32 + 1).parse::<f64>().unwrap_or(0.0);
        digits = format!("{:.*e}", DIGITS - 1, digits.parse::<f64>().unwrap_or(value) + step);
    }
    let short: f64 = digits.parse().unwrap_or(value);
    if (1e-4..1e9).contains(&short.abs()) { format!("{short}") } else { format!("{short:e}") }
}

#[cfg(test)]
mod tests {
    use super::rounded_up;

    #[test]
    fn digits_are_rounded_up() {
        let cases = [
            (0.123_450_1, "0.12346"),
            (0.12345, "0.12345"),
            (0.999_999, "1"),
            (12.0, "12"),
            (1.234_51e-7, "1.2346e-7"),
            (123_456.7, "123460"),
            (1e12, "1e12"),
            (f64::INFINITY, "∞"),
            (0.0, "0"),
        ];
        for (value, text) in cases {
            assert_eq!(rounded_up(value), text);
        }
        let mut x = 1e-12;
        while x < 1e12 {
            let short: f64 = rounded_up(x).parse().unwrap();
            assert!(short >= x && short <= x * (1.0 + 2.1e-4), "{x}: {short}");
            x *= 1.003_217;
        }
    }
}
