//! The list of all entries, in the order of their ids.

use super::entries;
use super::entry::Entry;
use super::matter;

/// Every entry of the reproduction, sorted by id.
pub(crate) fn all() -> Vec<&'static Entry> {
    let mut all: Vec<_> = entries::GROUPS.iter().copied().flatten().collect();
    all.sort_by_key(|entry| entry.id);
    all
}

/// The ids of claims that have no entry.
pub(super) fn missing(entries: &[&Entry]) -> Vec<&'static str> {
    let has = |id: &str| entries.iter().any(|entry| entry.id == id);
    matter::ids().filter(|id| !has(id)).collect()
}

/// The entries named in `only`, or all of them when it is empty. Case does not matter.
pub(super) fn choose<'a>(entries: &[&'a Entry], only: &[String]) -> Result<Vec<&'a Entry>, String> {
    let is = |entry: &Entry, id: &str| entry.id.eq_ignore_ascii_case(id);
    let unknown: Vec<_> =
        only.iter().filter(|id| !entries.iter().any(|entry| is(entry, id))).map(String::as_str).collect();
    if !unknown.is_empty() {
        let known: Vec<_> = entries.iter().map(|entry| entry.id).collect();
        let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
        return Err(format!("no entry has the id {}; known ids: {known}", unknown.join(", ")));
    }
    let chosen = |entry: &&&Entry| only.is_empty() || only.iter().any(|id| is(entry, id));
    Ok(entries.iter().filter(chosen).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_registry_is_in_order_and_each_entry_says_what_it_does() {
        let all = all();
        assert!(all.is_sorted_by(|a, b| a.id < b.id), "an id stands twice");
        for entry in all {
            let texts = [entry.place, entry.claim, entry.how];
            assert!(texts.iter().all(|text| !text.trim().is_empty()), "{} lacks a text", entry.id);
        }
    }

    #[test]
    fn every_entry_is_a_claim_and_no_claim_lacks_one() {
        let all = all();
        for entry in &all {
            assert!(matter::of(entry.id).is_some(), "{} is explained nowhere", entry.id);
        }
        assert!(missing(&all).is_empty(), "no entry for {:?}", missing(&all));
    }

    #[test]
    fn a_choice_is_in_the_order_of_the_ids_whatever_its_case() {
        let entries: Vec<_> = sample::ENTRIES.iter().collect();
        let ids = |only: &[&str]| {
            let only: Vec<_> = only.iter().map(ToString::to_string).collect();
            choose(&entries, &only).map(|chosen| chosen.iter().map(|entry| entry.id).collect::<Vec<_>>())
        };
        assert_eq!(ids(&["b03", "A01", "A01"]).unwrap(), ["A01", "B03"]);
        assert_eq!(ids(&[]).unwrap().len(), sample::ENTRIES.len());
    }

    #[test]
    fn an_unknown_id_is_named_with_the_known_ones() {
        let entries: Vec<_> = sample::ENTRIES.iter().collect();
        let only = ["A01".to_string(), "Z99".to_string()];
        let error = choose(&entries, &only).err().unwrap();
        assert_eq!(error, "no entry has the id Z99; known ids: A01, B03, C04, D05, E06");
        assert_eq!(choose(&[], &only).err().unwrap(), "no entry has the id A01, Z99; known ids: none");
    }
}
