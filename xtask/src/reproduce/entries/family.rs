use crate::reproduce::entry::Entry;
pub(super) const ENTRIES: &[Entry] = &[];
