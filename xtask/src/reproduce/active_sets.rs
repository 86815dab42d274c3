//! Kernel machines by assumption: where it is known which examples are on a margin or off it, the rest is a linear system.
//!
//! A method for the entries that shares nothing with the solvers of the library: assumptions are made, solved and judged.

use lm_core::MatrixGram;

use super::least_squares::least_squares;
use super::vectors::dot;

/// What is assumed of the coefficient `β` of an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Assumed {
    /// It has this value.
    Fixed(f64),
    /// It is what makes `f(x) + ridge·β` this level.
    Level {
        /// The level.
        level: f64,
        /// The ridge.
        ridge: f64,
    },
}

/// The coefficients and the bias of `f = Kβ + b` that fulfil all assumptions and `Σβ = 0`; nothing if the assumptions
/// leave the bias open, or contradict each other.
pub(crate) fn solve(matrix: &MatrixGram<'_>, assumed: &[Assumed]) -> Option<(Vec<f64>, f64)> {
    let free: Vec<usize> =
        (0..assumed.len()).filter(|&i| matches!(assumed[i], Assumed::Level { .. })).collect();
    let mut beta: Vec<f64> =
        assumed.iter().map(|a| if let Assumed::Fixed(v) = a { *v } else { 0.0 }).collect();
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for &i in &free {
        let Assumed::Level { level, ridge } = assumed[i] else { continue };
        let own = |j: usize| if i == j { ridge } else { 0.0 };
        rows.push(free.iter().map(|&j| matrix.row(i)[j] + own(j)).chain([1.0]).collect::<Vec<_>>());
        targets.push(level - dot(matrix.row(i), &beta));
    }
    if free.is_empty() {
        return None;
    }
    rows.push(free.iter().map(|_| 1.0).chain([0.0]).collect());
    targets.push(-beta.iter().sum::<f64>());
    let solution = least_squares(&rows, &targets);
    free.iter().zip(&solution).for_each(|(&i, value)| beta[i] = *value);
    solution.iter().all(|value| value.is_finite()).then(|| (beta, solution[free.len()]))
}

/// Tries every choice of one of `kinds` for each of `len` examples, until `judge` is satisfied.
pub(crate) fn every_choice<T>(len: u32, kinds: usize, judge: impl Fn(&[usize]) -> Option<T>) -> Option<T> {
    (0..kinds.pow(len)).find_map(|number| {
        let choice: Vec<usize> = (0..len).map(|i| number / kinds.pow(i) % kinds).collect();
        judge(&choice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumptions_are_fulfilled_or_refused() {
        let matrix = MatrixGram::precomputed(vec![1.0, -1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 4.0], 3).unwrap();
        let level = |level: f64| Assumed::Level { level, ridge: 0.5 };
        let (beta, bias) = solve(&matrix, &[level(-1.0), level(1.0), Assumed::Fixed(0.0)]).unwrap();
        // 2β + ½β = 1.
        assert!((beta[1] - 0.4).abs() < 1e-14 && (beta[0] + 0.4).abs() < 1e-14 && bias.abs() < 1e-14);
        assert!(solve(&matrix, &[Assumed::Fixed(1.0); 3]).is_none());
    }

    #[test]
    fn every_choice_is_tried_once() {
        let seen = std::cell::RefCell::new(std::collections::BTreeSet::new());
        let found = every_choice(3, 3, |choice| {
            assert!(seen.borrow_mut().insert(choice.to_vec()));
            None::<()>
        });
        assert!(found.is_none() && seen.borrow().len() == 27);
    }
}
