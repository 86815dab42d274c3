//! Ids of claims: how they look, and that each stands for one entry of the reproduction.

use super::Finding;

/// The file that lists the entries.
const REGISTRY: &str = "xtask/src/reproduce/registry.rs";

/// Whether a text looks like an id: a letter from A to E and two digits.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9'])
}

/// Every id is well formed, and lives in one entry only.
pub(super) fn check<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let finding = |what| Finding { path: REGISTRY.into(), line: 1, what };
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    let malformed = ids
        .iter()
        .filter(|id| !is_id(id))
        .map(|id| finding(format!("'{id}' is not the id of a claim: a letter from A to E and two digits")));
    let twice = ids
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| finding(format!("the claim {} has more than one entry", pair[0])));
    malformed.chain(twice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_letter_and_two_digits() {
        assert!(is_id("A01") && is_id("E99"));
        for bad in ["", "A1", "F01", "a01", "A001", "A0x", "Ä01"] {
            assert!(!is_id(bad), "{bad}");
        }
    }

    #[test]
    fn single_ids_pass_in_any_order() {
        assert_eq!(check(["B02", "A01"].into_iter()), []);
    }

    #[test]
    fn a_second_entry_for_an_id_and_a_malformed_id_are_found() {
        let found: Vec<_> =
            check(["A01", "B02", "A01", "Z9"].into_iter()).into_iter().map(|f| f.what).collect();
        assert_eq!(
            found,
            [
                "'Z9' is not the id of a claim: a letter from A to E and two digits",
                "the claim A01 has more than one entry"
            ]
        );
    }
}
