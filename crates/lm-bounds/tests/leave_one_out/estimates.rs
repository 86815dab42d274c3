//! Estimates agree with references of twice the digits, and bounds hold the exact error.

use lm_bounds::{
    Spans, gacv, jaakkola_haussler, leave_one_out, norm_squared, radius_margin, spans_squared, support_share,
    xi_alpha,
};
use lm_core::double_double::DoubleDouble;
use lm_core::{Control, MatrixGram, TrainingSet, VectorGram, VectorKernel, WithoutOne};
use lm_qp::{Bias, CSvc, Removals, TwoNormSvc};

use crate::sets::{PUBLIC, Set, bundled, public};

fn gram(set: &Set, kernel: VectorKernel) -> MatrixGram<'static> {
    let gram = VectorGram::new(&set.examples, kernel).unwrap();
    MatrixGram::computed(&gram, &lm_core::Budget::default()).unwrap()
}

/// Solves a system with twice the digits, by elimination with the largest pivot of each column.
fn solved(mut a: Vec<Vec<DoubleDouble>>, mut b: Vec<DoubleDouble>) -> Vec<DoubleDouble> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().value().total_cmp(&a[j][k].abs().value())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        let (done, below) = a.split_at_mut(k + 1);
        for (at, row) in below.iter_mut().enumerate() {
            let by = row[k] / done[k][k];
            row.iter_mut().zip(&done[k]).for_each(|(to, from)| *to = *to - by * *from);
            b[k + 1 + at] = b[k + 1 + at] - by * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            let known = a[k][j] * b[j];
            b[k] = b[k] - known;
        }
        b[k] = b[k] / a[k][k];
    }
    b
}

/// The matrix over some rows, bordered by ones where the bias is free.
fn bordered(gram: &MatrixGram<'_>, rows: &[usize], free_bias: bool) -> Vec<Vec<DoubleDouble>> {
    let value = |i: usize, j: usize| DoubleDouble::from(gram.row(rows[i])[rows[j]]);
    let mut a: Vec<Vec<DoubleDouble>> =
        (0..rows.len()).map(|i| (0..rows.len()).map(|j| value(i, j)).collect()).collect();
    if free_bias {
        a.iter_mut().for_each(|row| row.push(DoubleDouble::from(1.0)));
        let mut last = vec![DoubleDouble::from(1.0); rows.len()];
        last.push(DoubleDouble::ZERO);
        a.push(last);
    }
    a
}

#[test]
fn spans_have_fourteen_digits_of_a_reference_with_twice_as_many() {
    for (set, gamma) in bundled(60).iter().step_by(3).zip([0.5, 0.1, 0.02, 1.0]) {
        let gram = gram(set, VectorKernel::gaussian(gamma).unwrap());
        for free_bias in [true, false] {
            let free: Vec<usize> =
                (0..20).map(|k| 3 * k + 1).filter(|&row| row < set.labels.signs().len()).collect();
            let others = [0, 3, 6, 9];
            let rows: Vec<usize> = free.iter().chain(&others).copied().collect();
            let found = spans_squared(&gram, &free, &rows, free_bias).unwrap();
            for (at, (&row, found)) in rows.iter().zip(&found).enumerate() {
                let system = bordered(&gram, &free, free_bias);
                let expected = if at < free.len() {
                    let mut unit = vec![DoubleDouble::ZERO; system.len()];
                    unit[at] = DoubleDouble::from(1.0);
                    DoubleDouble::from(1.0) / solved(system, unit)[at]
                } else {
                    let mut right: Vec<DoubleDouble> =
                        free.iter().map(|&i| DoubleDouble::from(gram.row(row)[i])).collect();
                    if free_bias {
                        right.push(DoubleDouble::from(1.0));
                    }
                    let weights = solved(system, right.clone());
                    let explained =
                        weights.iter().zip(&right).fold(DoubleDouble::ZERO, |sum, (w, r)| sum + *w * *r);
                    DoubleDouble::from(gram.row(row)[row]) - explained
                };
                let error = (DoubleDouble::from(*found) - expected).value().abs();
                // Where a vector is nearly made up for, its distance has the digits of the kernel values, squared weights and all.
                assert!(
                    error <= 1e-14 * expected.value().max(1e-6),
                    "{}: {found} {}",
                    set.name,
                    expected.value()
                );
            }
        }
    }
}

#[test]
fn a_vector_that_others_make_up_for_has_no_span() {
    // On a line any two points make up for a third, and copies for each other.
    let x: [f64; 5] = [0.0, 1.0, 1.0, 4.0, 9.0];
    let values = (0..25).map(|at| x[at / 5] * x[at % 5]).collect();
    let line = MatrixGram::precomputed(values, 5).unwrap();
    assert_eq!(spans_squared(&line, &[0, 1, 3], &[0, 1, 3, 4], true).unwrap(), [0.0; 4]);
    assert_eq!(spans_squared(&line, &[1, 2], &[1, 2, 3], true).unwrap(), [0.0, 0.0, 9.0]);
    assert_eq!(spans_squared(&line, &[0, 3], &[0, 3], true).unwrap(), [16.0, 16.0]);
    assert_eq!(spans_squared(&line, &[3], &[3, 1], false).unwrap(), [16.0, 0.0]);
    // A point off the line that the others do not reach keeps its span.
    let plane: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 3.0]];
    let value = |at: usize| plane[at / 4].iter().zip(&plane[at % 4]).map(|(a, b)| a * b).sum();
    let plane = MatrixGram::precomputed((0..16).map(value).collect(), 4).unwrap();
    assert_eq!(spans_squared(&plane, &[0, 1, 2, 3], &[0, 1, 2, 3], true).unwrap(), [0.0, 0.0, 0.0, 9.0]);
}

#[test]
fn a_decision_value_falls_by_the_span_where_free_multipliers_stay_free() {
    let set = &bundled(90)[2];
    let gram = gram(set, VectorKernel::gaussian(0.5).unwrap());
    let training = TrainingSet::new(&gram, &set.labels).unwrap();
    let machine = TwoNormSvc::default().with_cost(0.3).with_gap(1e-12);
    let machine = Removals::solve(&machine, &training, &Control::default()).unwrap();
    // The squared slack is a kernel with a ridge: K + δ/C.
    let mut values = gram.values().to_vec();
    (0..90).for_each(|i| values[i * 90 + i] += 1.0 / 0.3);
    let ridged = MatrixGram::precomputed(values, 90).unwrap();
    let free: Vec<usize> = (0..90).filter(|&row| machine.shares()[row].is_free()).collect();
    let spans = spans_squared(&ridged, &free, &free, true).unwrap();
    let mut equal = 0;
    for (&row, span) in free.iter().zip(&spans) {
        let share = machine.shares()[row];
        let left_out = machine.without(row, lm_core::Wanted::Within(1e-6), &Control::default()).unwrap();
        // The margin in the ridged kernel is 1.
        let predicted = 1.0 - share.alpha * span;
        let found = share.target * left_out.value;
        equal += usize::from((predicted - found).abs() < 1e-5);
    }
    assert!(2 * equal > free.len(), "{equal} of {}", free.len());
}

#[test]
fn bounds_hold_the_exact_error_and_the_span_is_near_it() {
    let public = PUBLIC.iter().filter_map(|name| public(name, 300));
    for set in bundled(120).into_iter().chain(public) {
        for (cost, gamma) in [(1.0, 1.0 / set.dim()), (20.0, 0.3 / set.dim())] {
            let gram = gram(&set, VectorKernel::gaussian(gamma).unwrap());
            let training = TrainingSet::new(&gram, &set.labels).unwrap();
            for bias in [Bias::Free, Bias::Penalised, Bias::None] {
                let machine = CSvc::default().with_cost(cost).with_bias(bias).with_gap(1e-9);
                let machine = Removals::solve(&machine, &training, &Control::default()).unwrap();
                let exact = leave_one_out(&machine, &Control::default()).unwrap();
                let shares = machine.shares();
                let what = format!("{}, C = {cost}, {bias:?}", set.name);
                let error = exact.errors() as f64 / shares.len() as f64;
                assert!(error <= support_share(shares), "{what}");
                // A Gaussian kernel has no negative value.
                let largest = shares.iter().fold(0.0, |most: f64, share| most.max(share.norm_squared));
                let free = bias == Bias::Free;
                assert!(error <= xi_alpha(shares, largest, free).unwrap(), "{what}");
                if !free {
                    assert!(error <= jaakkola_haussler(shares), "{what}");
                }
                let spans = Spans::of(&machine).unwrap().unwrap();
                assert!(
                    (spans.error() - exact.error()).abs() <= 0.06,
                    "{what}: {} {}",
                    spans.error(),
                    exact.error()
                );
                assert!(
                    gacv(shares)
                        >= shares.iter().map(lm_core::Share::slack).sum::<f64>() / shares.len() as f64
                );
                let margin = radius_margin(largest, norm_squared(&machine), shares.len()).unwrap();
                assert!(margin.is_finite() && margin > 0.0);
            }
        }
    }
}
