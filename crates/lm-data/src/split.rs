//! Rows for training and rows for testing, drawn by a seed.
//!
//! Every function returns lists of rows, in increasing order, for [`lm_core::Selection`] and
//! [`Labelling::select`](lm_core::Labelling::select): nothing is copied. The same seed gives the same lists, on every
//! machine.

use lm_core::{ClassLabels, Collection, Error, Result};

use crate::random::Random;

/// Which rows to train on and which to test on. Each row is in exactly one of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The rows to train on, increasing.
    pub train: Vec<usize>,
    /// The rows to test on, increasing.
    pub test: Vec<usize>,
}

impl Split {
    /// The split whose test rows are those marked.
    fn by(len: usize, is_test: impl Fn(usize) -> bool) -> Self {
        let (test, train) = (0..len).partition(|&row| is_test(row));
        Self { train, test }
    }
}

/// The rows 0 … n − 1 in a random order.
///
/// ```
/// let mut order = lm_data::split::shuffled(10, 1);
/// assert_ne!(order, (0..10).collect::<Vec<_>>());
/// order.sort();
/// assert_eq!(order, (0..10).collect::<Vec<_>>());
/// ```
pub fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..n).collect();
    Random::new(seed).shuffle(&mut rows);
    rows
}

/// Sets a share of `n` rows aside for testing: `share · n`, rounded, but at least one row on either side.
///
/// ```
/// let split = lm_data::split::train_test(10, 0.3, 1)?;
/// assert_eq!((split.train.len(), split.test.len()), (7, 3));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless the share lies between 0 and 1, [`Error::Length`] for fewer than two rows.
pub fn train_test(n: usize, share: f64, seed: u64) -> Result<Split> {
    check_share(share)?;
    if n < 2 {
        return Err(Error::Length { what: "the set to be split", expected: 2, found: n });
    }
    let mut is_test = vec![false; n];
    shuffled(n, seed).iter().take(share_of(n, share)).for_each(|&row| is_test[row] = true);
    Ok(Split::by(n, |row| is_test[row]))
}

/// Sets a share of each class aside for testing: `share · size`, rounded, but at least one row on either side.
///
/// ```
/// use lm_core::ClassLabels;
///
/// let labels = ClassLabels::from_integers(&[1, 1, 1, 1, 2, 2])?;
/// let split = lm_data::split::stratified_train_test(&labels, 0.5, 1)?;
/// assert_eq!(split.test.iter().filter(|&&row| row < 4).count(), 2);
/// assert_eq!(split.test.len(), 3);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless the share lies between 0 and 1, or if a class has a single row.
pub fn stratified_train_test(labels: &ClassLabels, share: f64, seed: u64) -> Result<Split> {
    check_share(share)?;
    let mut random = Random::new(seed);
    let mut is_test = vec![false; labels.len()];
    for mut rows in labels.rows_by_class() {
        if rows.len() < 2 {
            let accepted = "a stratified split only where every class has two rows or more";
            return Err(Error::Setting { name: "share", value: share, accepted });
        }
        random.shuffle(&mut rows);
        rows.iter().take(share_of(rows.len(), share)).for_each(|&row| is_test[row] = true);
    }
    Ok(Split::by(labels.len(), |row| is_test[row]))
}

/// Cuts `n` rows into `k` folds of equal size, up to one row. Each fold is the test set of one split; every row is in
/// exactly one of them.
///
/// ```
/// let folds = lm_data::split::folds(10, 3, 1)?;
/// let sizes: Vec<usize> = folds.iter().map(|fold| fold.test.len()).collect();
/// assert_eq!(sizes, [4, 3, 3]);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for fewer than two folds or more folds than rows.
pub fn folds(n: usize, k: usize, seed: u64) -> Result<Vec<Split>> {
    check_folds(k, n, "2 to the number of rows")?;
    let mut fold_of = vec![0; n];
    shuffled(n, seed).iter().enumerate().for_each(|(position, &row)| fold_of[row] = position % k);
    Ok((0..k).map(|fold| Split::by(n, |row| fold_of[row] == fold)).collect())
}

/// Cuts the rows into `k` folds with the proportions of the classes kept: the folds' shares of a class differ by at
/// most one row, and so do the sizes of the folds. Every row is in exactly one test set.
///
/// A class with fewer rows than folds would be missing from some test set, so it is refused: use fewer folds, or
/// [`folds`], which takes no account of classes.
///
/// ```
/// use lm_core::ClassLabels;
///
/// let labels = ClassLabels::from_integers(&[0, 0, 0, 0, 0, 0, 5, 5, 5])?;
/// for fold in lm_data::split::stratified_folds(&labels, 3, 1)? {
///     assert_eq!(fold.test.iter().filter(|&&row| row >= 6).count(), 1);
///     assert_eq!(fold.test.len(), 3);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for fewer than two folds, or more folds than the smallest class has rows.
pub fn stratified_folds(labels: &ClassLabels, k: usize, seed: u64) -> Result<Vec<Split>> {
    let classes = labels.rows_by_class();
    let smallest = classes.iter().map(Vec::len).min().unwrap_or(0);
    check_folds(k, smallest, "2 to the number of rows of the smallest class")?;
    let mut random = Random::new(seed);
    let mut fold_of = vec![0; labels.len()];
    // Rows are dealt like cards, class after class, without starting again: that balances the folds as well.
    let mut dealt = 0;
    for mut rows in classes {
        random.shuffle(&mut rows);
        for row in rows {
            fold_of[row] = dealt % k;
            dealt += 1;
        }
    }
    Ok((0..k).map(|fold| Split::by(labels.len(), |row| fold_of[row] == fold)).collect())
}

fn share_of(n: usize, share: f64) -> usize {
    ((share * n as f64).round() as usize).clamp(1, n - 1)
}

fn check_share(share: f64) -> Result<()> {
    if share > 0.0 && share < 1.0 {
        return Ok(());
    }
    Err(Error::Setting { name: "share", value: share, accepted: "a number between 0 and 1, both excluded" })
}

fn check_folds(k: usize, most: usize, accepted: &'static str) -> Result<()> {
    if (2..=most).contains(&k) {
        return Ok(());
    }
    Err(Error::Setting { name: "folds", value: k as f64, accepted })
}
