//! The integers that class numbers stand for, checked.

use crate::{Error, Result};

/// Checks that a model keeps at least two classes, in increasing order.
pub(super) fn check_classes(classes: &[i64]) -> Result<()> {
    if classes.len() < 2 {
        return Err(Error::Classes { found: classes.len(), accepted: "two classes or more" });
    }
    match classes.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(row) => {
            let value = classes[row + 1] as f64;
            Err(Error::Label { row: row + 1, value, accepted: "classes in increasing order, each once" })
        }
        None => Ok(()),
    }
}

/// Checks that there is one model for each sub-problem.
pub(super) fn check_parts(expected: Option<usize>, found: usize) -> Result<()> {
    match expected {
        Some(expected) if expected == found => Ok(()),
        expected => {
            let expected = expected.unwrap_or(usize::MAX);
            Err(Error::Length { what: "the list of models", expected, found })
        }
    }
}

/// The position of a class.
///
/// # Errors
/// [`Error::Index`] for a class number that does not exist.
pub(super) fn class_at(classes: &[i64], number: usize) -> Result<i64> {
    let len = classes.len();
    classes.get(number).copied().ok_or(Error::Index { what: "class", index: number, len })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_must_increase() {
        assert!(check_classes(&[-3, 7, 8]).is_ok());
        assert!(matches!(check_classes(&[7]), Err(Error::Classes { found: 1, .. })));
        assert!(matches!(check_classes(&[1, 2, 2]), Err(Error::Label { row: 2, .. })));
        assert!(matches!(check_classes(&[2, 1]), Err(Error::Label { row: 1, .. })));
    }
}
