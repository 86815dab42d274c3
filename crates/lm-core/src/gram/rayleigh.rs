//! The Rayleigh quotient `vᵗKv / vᵗv`, and its descent towards the smallest eigenvalue.
//!
//! # Problem
//! Make a vector on which a quadratic form is negative a clearer witness of that: a vector with a smaller quotient.
//! # Method
//! The locally optimal conjugate gradient: the new vector is the minimiser of the quotient over the span of the old
//! one, its residual `Kv − qv` and the last step, found as the smallest eigenvector of a 3 × 3 matrix.
//! # Cost
//! One product with `K` an iteration: all of its values, in blocks of rows.
//! # Reference
//! Knyazev (2001), algorithm 4.1.

use super::pivoted_cholesky::{BLOCK, block_of_rows};
use super::{Columns, Gram};
use crate::{Error, Result, Row, eigen};

/// A vector and its product with `K`.
type Pair = (Vec<f64>, Vec<f64>);

/// Iterations at most; the quotient need only be clearly negative, not the eigenvalue.
const ITERATIONS: usize = 24;

/// Lowers the quotient of `v` while it falls noticeably, and gives a vector of length 1 with its quotient. `size` is
/// the largest entry of `K` in absolute value.
pub(super) fn lowered<G: Gram + ?Sized>(gram: &G, v: Vec<f64>, size: f64) -> Result<(Vec<f64>, f64)> {
    let v = unit(v).ok_or(Error::Numerical { what: "the witness" })?;
    let image = product(gram, &v)?;
    let mut current: Pair = (v, image);
    let mut step: Option<Pair> = None;
    let mut quotient = dot(&current.0, &current.1);
    for _ in 0..ITERATIONS {
        let residual = current.1.iter().zip(&current.0).map(|(kv, v)| (kv - quotient * v) / size).collect();
        let Some(direction) = unit(residual).and_then(|r| orthogonal(r, &[&current.0])) else {
            break;
        };
        let image = product(gram, &direction)?;
        let mut basis = vec![current.clone(), (direction, image)];
        if let Some(pair) = step.take().and_then(|pair| conjugate(pair, &basis)) {
            basis.push(pair);
        }
        let coefficients = smallest(&basis)?;
        current = combined(&basis, &coefficients);
        step = Some(combined(&basis[1..], &coefficients[1..]));
        let lower = dot(&current.0, &current.1);
        let gained = quotient - lower;
        quotient = lower;
        if !(gained > 0.01 * quotient.abs()) {
            break;
        }
    }
    // Computed afresh: the images above are combinations of combinations.
    let v = unit(current.0).ok_or(Error::Numerical { what: "the witness" })?;
    let quotient = dot(&v, &product(gram, &v)?);
    Ok((v, quotient))
}

/// `K v`, in blocks of rows.
fn product<G: Gram + ?Sized>(gram: &G, v: &[f64]) -> Result<Vec<f64>> {
    let len = v.len();
    let rows: Vec<usize> = (0..len).collect();
    let mut block = block_of_rows(len)?;
    let mut out = Vec::with_capacity(len);
    for rows in rows.chunks(BLOCK) {
        let block = &mut block[..rows.len() * len];
        gram.fill(rows, Columns::All, block)?;
        out.extend(block.chunks_exact(len).map(|row| dot(row, v)));
    }
    Ok(out)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    Row::DenseF64(a).dot_dense(b)
}

/// The vector with length 1; none for the zero vector or one that is not finite.
fn unit(mut v: Vec<f64>) -> Option<Vec<f64>> {
    let largest = v.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    if !(largest > 0.0 && v.iter().all(|value| value.is_finite())) {
        return None;
    }
    v.iter_mut().for_each(|value| *value /= largest);
    let norm = dot(&v, &v).sqrt();
    v.iter_mut().for_each(|value| *value /= norm);
    Some(v)
}

/// The part of a unit vector that is orthogonal to others, with length 1; none if too little is left.
fn orthogonal(mut v: Vec<f64>, others: &[&Vec<f64>]) -> Option<Vec<f64>> {
    // Twice is enough: the second pass removes what rounding left.
    for _ in 0..2 {
        for other in others {
            let part = dot(&v, other);
            v.iter_mut().zip(*other).for_each(|(v, other)| *v -= part * other);
        }
    }
    (dot(&v, &v) > 1e-20).then(|| unit(v)).flatten()
}

/// The part of the last step that is orthogonal to the basis, with its image, by the same combinations.
fn conjugate((mut v, mut image): Pair, basis: &[Pair]) -> Option<Pair> {
    let start = dot(&v, &v);
    for _ in 0..2 {
        for (other, other_image) in basis {
            let part = dot(&v, other);
            v.iter_mut().zip(other).for_each(|(v, other)| *v -= part * other);
            image.iter_mut().zip(other_image).for_each(|(image, other)| *image -= part * other);
        }
    }
    let norm = dot(&v, &v);
    // Below this the image is mostly rounding.
    if !(norm > 1e-8 * start && norm > 0.0) {
        return None;
    }
    let scale = 1.0 / norm.sqrt();
    v.iter_mut().chain(&mut image).for_each(|value| *value *= scale);
    Some((v, image))
}

/// The coefficients of the vector of smallest quotient in the span of an orthonormal basis.
fn smallest(basis: &[Pair]) -> Result<Vec<f64>> {
    let n = basis.len();
    let mut projected = vec![0.0; n * n];
    for i in 0..n {
        for j in i..n {
            projected[i * n + j] = dot(&basis[i].0, &basis[j].1);
        }
    }
    let vectors = eigen::symmetric(&projected, n)?.vectors;
    vectors.into_iter().next().ok_or(Error::Numerical { what: "the witness" })
}

fn combined(basis: &[Pair], coefficients: &[f64]) -> Pair {
    let len = basis.first().map_or(0, |pair| pair.0.len());
    let mut sum = (vec![0.0; len], vec![0.0; len]);
    for ((v, image), coefficient) in basis.iter().zip(coefficients) {
        sum.0.iter_mut().zip(v).for_each(|(sum, v)| *sum += coefficient * v);
        sum.1.iter_mut().zip(image).for_each(|(sum, image)| *sum += coefficient * image);
    }
    sum
}
