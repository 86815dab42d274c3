//! The ledger as JSON, by a writer for the few shapes that it has.

use std::fmt::Write;

use super::{Bound, Ledger};

/// All of the ledger.
pub(super) fn write(ledger: &Ledger) -> String {
    let mut out = String::from("{\n");
    let _ = writeln!(out, "  \"name\": {},", string(&ledger.name));
    let _ = writeln!(out, "  \"delta\": {},", number(ledger.delta));
    let _ = writeln!(out, "  \"simultaneous\": {},", ledger.simultaneous);
    if let Some(test) = ledger.held_out {
        let _ = writeln!(out, "  \"held_out\": {{\"errors\": {}, \"size\": {}}},", test.errors, test.size);
    }
    let bounds: Vec<String> = ledger.bounds.iter().map(entry).collect();
    let _ = write!(out, "  \"bounds\": [{}", if bounds.is_empty() { "" } else { "\n" });
    out += &bounds.join(",\n");
    out += if bounds.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" };
    out
}

fn entry(bound: &Bound) -> String {
    let inputs: Vec<String> =
        bound.inputs.iter().map(|(name, value)| format!("{}: {}", string(name), number(*value))).collect();
    let optional = |value: Option<f64>| value.map_or_else(|| "null".into(), number);
    format!(
        "    {{\"name\": {}, \"of\": {}, \"value\": {}, \"vacuous\": {}, \"delta\": {}, \"observed\": {}, \
         \"inputs\": {{{}}}, \"statement\": {}, \"assumptions\": {}, \"reference\": {}}}",
        string(bound.name),
        string(bound.of.words()),
        number(bound.value),
        bound.is_vacuous(),
        optional(bound.delta),
        optional(bound.observed),
        inputs.join(", "),
        string(bound.statement),
        string(bound.assumptions),
        string(bound.reference),
    )
}

/// A number with the digits that name it; JSON has no infinity.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "null".into() }
}

/// A text between quotes.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::*;

    #[test]
    fn a_parser_reads_back_every_number() {
        let evidence = Evidence::new(50).with_support(50).with_training_errors(0).with_dimension(3).with_held_out(1, 9);
        let ledger = Ledger::new(0.1).unwrap().with_name("a \"b\" \\ c\n").with(&evidence).unwrap();
        let read: serde_json::Value = serde_json::from_str(&ledger.json()).unwrap();
        assert_eq!(read["name"], "a \"b\" \\ c\n");
        for (bound, read) in ledger.bounds().iter().zip(read["bounds"].as_array().unwrap()) {
            assert_eq!(read["name"], bound.name);
            assert_eq!(read["value"].as_f64(), Some(bound.value).filter(|value| value.is_finite()));
            assert_eq!(read["vacuous"], bound.is_vacuous());
        }
        let empty = Ledger::new(0.1).unwrap().json();
        assert!(serde_json::from_str::<serde_json::Value>(&empty).is_ok(), "{empty}");
    }
}
