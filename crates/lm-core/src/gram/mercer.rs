//! Mercer's condition: whether a matrix of kernel values is one of inner products, with a proof or a witness.
//!
//! # Problem
//! A kernel is an inner product on some objects exactly if their Gram matrix is positive semi-definite,
//! `vᵗKv ≥ 0` for all `v`.
//! # Method
//! A factorisation `K = LLᵗ + R` proves it up to `‖R‖`: the rows of `L` are the features, and no eigenvalue of `K` is
//! below `−‖R‖`. A vector `v` with `vᵗKv < 0` refutes it. The pivoted Cholesky factorisation of `K` finds one or the
//! other; where neither is clear, that of `K + τI` decides, with `τ` the tolerance: it exists if no eigenvalue is
//! below `−τ`, and if it breaks down, the pivot at which it does gives a `v` with `vᵗKv ≤ −τ‖v‖²` by back
//! substitution. Witnesses are then made clearer by descent of the Rayleigh quotient.
//! # Cost
//! `O(n²)` kernel values and `O(n²r)` operations for rank `r`, memory for `n(r + 64)` numbers. A matrix that is not
//! clearly either costs this twice; a witness costs up to 25 products with `K` more.
//! # Reference
//! Mercer (1909); Higham (2002), chapter 10.

use super::pivoted_cholesky::{BLOCK, End, Factor, block_of_rows, factorise, residual, rounding};
use super::{Columns, Gram, Precision, rayleigh};
use crate::fit::{Budget, Certificate, Discrepancy, Verdict};
use crate::{Dense, Error, Result, Row, parallel};

/// The outcome of a check: evidence either way.
#[derive(Debug, Clone, PartialEq)]
pub enum Mercer {
    /// The matrix is positive semi-definite within the tolerance, and this is why.
    Holds(Proof),
    /// The matrix is not, and this is a vector that shows it.
    Fails(Witness),
}

impl Mercer {
    /// Whether the condition holds.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Holds(_))
    }
}

impl<G: Gram + ?Sized> Certificate<G> for Mercer {
    fn verify(&self, gram: &G) -> Result<Verdict> {
        match self {
            Self::Holds(proof) => proof.verify(gram),
            Self::Fails(witness) => witness.verify(gram),
        }
    }
}

/// Checks whether a Gram matrix is positive semi-definite, with the default budget.
///
/// An eigenvalue down to `−τ` is allowed, where `τ` is `tolerance` times the largest entry in absolute value, plus what
/// rounding of the kernel values and of the check may amount to: `2n(e + 4ε·largest)` with the error bound `e` that the
/// matrix states. A tolerance of 0 allows for rounding alone.
///
/// ```
/// use lm_core::gram::mercer::{self, Mercer};
/// use lm_core::{Certificate, Dense, VectorGram, VectorKernel};
///
/// let examples = Dense::new(vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.5], 3, 2)?;
/// let gaussian = VectorGram::new(&examples, VectorKernel::gaussian(1.0)?)?;
/// assert!(mercer::check(&gaussian, 0.0)?.holds());
///
/// let sigmoid = VectorGram::new(&examples, VectorKernel::sigmoid(1.0, -1.0)?)?;
/// let Mercer::Fails(witness) = mercer::check(&sigmoid, 0.0)? else {
///     panic!("this sigmoid is not an inner product here");
/// };
/// assert!(witness.quotient() < 0.0);
/// assert!(witness.verify(&sigmoid)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless the tolerance is finite and not negative, [`Error::Empty`] for a matrix without rows,
/// [`Error::Memory`] if the factor does not fit, [`Error::Numerical`] if the matrix has no finite error bound or lies
/// too near to the border to tell, and what computing its values gives.
pub fn check<G: Gram + ?Sized>(gram: &G, tolerance: f64) -> Result<Mercer> {
    check_within(gram, tolerance, &Budget::default())
}

/// As [`check`], in the memory that a budget allows.
///
/// # Errors
/// As [`check`].
pub fn check_within<G: Gram + ?Sized>(gram: &G, tolerance: f64, budget: &Budget) -> Result<Mercer> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(Error::Setting {
            name: "tolerance", value: tolerance, accepted: "a finite number ≥ 0"
        });
    }
    let len = gram.len();
    if len == 0 {
        return Err(Error::Empty { what: "the Gram matrix" });
    }
    let block = len.saturating_mul(len.min(BLOCK)).saturating_mul(size_of::<f64>());
    budget.check_memory("a block of the Gram matrix", block)?;
    let rest = Budget::default().with_memory(budget.memory().unwrap_or(usize::MAX) - block);
    let size = largest_value(gram)?;
    if size == 0.0 {
        let factor = Factor { len, columns: Vec::new(), pivots: Vec::new() };
        return Ok(Mercer::Holds(Proof { factor, shift: 0.0, residual: 0.0, largest: 0.0, rounding: 0.0 }));
    }
    let error = gram.error_bound(Precision::F64) + 4.0 * f64::EPSILON * size;
    let allowed = tolerance * size + 2.0 * len as f64 * error;
    if !allowed.is_finite() {
        return Err(Error::Numerical { what: "the tolerance of Mercer's condition" });
    }
    match attempt(gram, size, allowed, &rest)? {
        Some(clear) => Ok(clear),
        None => decide(gram, size, allowed, &rest),
    }
}

/// The largest entry in absolute value.
fn largest_value<G: Gram + ?Sized>(gram: &G) -> Result<f64> {
    let len = gram.len();
    let rows: Vec<usize> = (0..len).collect();
    let mut block = block_of_rows(len)?;
    let mut largest = 0.0_f64;
    for rows in rows.chunks(BLOCK) {
        let block = &mut block[..rows.len() * len];
        gram.fill(rows, Columns::All, block)?;
        largest = block.iter().fold(largest, |largest, value| largest.max(value.abs()));
    }
    Ok(largest)
}

/// Factorises the matrix itself: a proof if nothing is left, a witness if what is left is clearly indefinite.
fn attempt<G: Gram + ?Sized>(gram: &G, size: f64, allowed: f64, budget: &Budget) -> Result<Option<Mercer>> {
    let (factor, end) = factorise(gram, 0.0, size, 0.25 * allowed, budget, &mut |_| true)?;
    let start = if let End::Negative(row) = end {
        factor.extended(&[(row, 1.0)])
    } else {
        let left = residual(gram, &factor, 0.0, size)?;
        if left.norm <= allowed {
            return Ok(Some(Mercer::Holds(Proof::new(factor, 0.0, &left))));
        }
        let (row, column, sign) = left.place;
        if row == column || end == End::Complete {
            return Ok(None);
        }
        // Two rows with nothing left on the diagonal and something beside it.
        factor.extended(&[(row, 1.0), (column, -sign)])
    };
    let witness = Witness::lowered(gram, start, size)?;
    Ok((witness.quotient <= -allowed).then_some(Mercer::Fails(witness)))
}

/// Factorises the matrix with the tolerance added to its diagonal, which exists exactly if the condition holds.
fn decide<G: Gram + ?Sized>(gram: &G, size: f64, allowed: f64, budget: &Budget) -> Result<Mercer> {
    let (factor, end) = factorise(gram, allowed, size, 0.0, budget, &mut |_| true)?;
    match end {
        End::Complete => {
            let left = residual(gram, &factor, allowed, size)?;
            Ok(Mercer::Holds(Proof::new(factor, allowed, &left)))
        }
        End::Small(row) | End::Negative(row) => {
            let witness = Witness::lowered(gram, factor.extended(&[(row, 1.0)]), size)?;
            let form = Form::of(gram, &witness.vector)?;
            if form.value + form.error < 0.0 {
                Ok(Mercer::Fails(witness))
            } else {
                Err(Error::Numerical { what: "on which side of Mercer's condition the matrix lies" })
            }
        }
    }
}

/// The claim that `K + σI` is `LLᵗ` up to a residual, which proves a lower bound on every eigenvalue of `K`.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    factor: Factor,
    shift: f64,
    residual: f64,
    largest: f64,
    rounding: f64,
}

impl Proof {
    fn new(factor: Factor, shift: f64, left: &super::pivoted_cholesky::Residual) -> Self {
        Self { factor, shift, residual: left.norm, largest: left.largest, rounding: left.rounding }
    }

    /// The number of columns of `L`: the dimension of a feature space that is enough for these objects.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// The rows that were chosen as pivots, in order.
    pub fn pivots(&self) -> &[usize] {
        &self.factor.pivots
    }

    /// The number σ that had to be added to the diagonal, 0 unless the matrix has eigenvalues within the tolerance of
    /// zero on the wrong side.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// `‖K + σI − LLᵗ‖`, the Frobenius norm.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// The largest entry of `K + σI − LLᵗ` in absolute value.
    pub fn largest_residual(&self) -> f64 {
        self.largest
    }

    /// A lower bound on the smallest eigenvalue of the matrix as it was delivered: `−σ − ‖R‖`, less what rounding may
    /// have hidden of `‖R‖`.
    pub fn smallest_eigenvalue_at_least(&self) -> f64 {
        -(self.shift + self.residual + self.rounding)
    }

    /// The rows of `L`: vectors whose inner products are the kernel values, up to the residual.
    ///
    /// # Errors
    /// [`Error::Empty`] for rank 0.
    pub fn features(&self) -> Result<Dense<'static>> {
        Dense::new(self.by_rows(), self.factor.len, self.rank())
    }

    /// The entries of `L`, row after row.
    fn by_rows(&self) -> Vec<f64> {
        let rank = self.rank();
        let mut rows = vec![0.0; self.factor.columns.len()];
        for k in 0..rank {
            for (row, &value) in self.factor.column(k).iter().enumerate() {
                rows[row * rank + k] = value;
            }
        }
        rows
    }
}

impl<G: Gram + ?Sized> Certificate<G> for Proof {
    /// Recomputes the residual entry by entry as inner products of rows of `L`, one row of the matrix at a time.
    fn verify(&self, gram: &G) -> Result<Verdict> {
        let (len, rank) = (self.factor.len, self.rank());
        check_len(gram, len)?;
        let rows = self.by_rows();
        let feature = |row: usize| &rows[row * rank..(row + 1) * rank];
        let mut values = vec![0.0; len];
        let (mut norm, mut whole) = (0.0_f64, 0.0_f64);
        for row in (0..len).rev() {
            // The upper triangle; what lies right of the diagonal counts twice.
            let values = &mut values[row..];
            gram.fill(&[row], Columns::Range { start: row, end: len }, values)?;
            values[0] += self.shift;
            let length = |values: &[f64]| {
                let beside = values[1..].iter().fold(0.0_f64, |length, value| length.hypot(*value));
                values[0].hypot(std::f64::consts::SQRT_2 * beside)
            };
            whole = whole.hypot(length(values));
            parallel::for_each_chunk(values, BLOCK, |part, values| {
                for (offset, value) in values.iter_mut().enumerate() {
                    let column = row + part * BLOCK + offset;
                    *value -= Row::DenseF64(feature(row)).dot_dense(feature(column));
                }
            });
            norm = norm.hypot(length(values));
        }
        let products = rows.iter().map(|value| value * value).sum::<f64>();
        let allowed = self.residual * (1.0 + 1e-9) + 2.0 * rounding(rank, whole + products);
        // Written so that NaN fails.
        if norm <= allowed && self.shift >= 0.0 {
            Ok(Verdict::Valid)
        } else {
            let (claimed, recomputed) = (self.residual, norm);
            let what = "the residual of the factorisation";
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }))
        }
    }
}

/// The claim that `vᵗKv < 0` for a vector of length 1, which refutes that `K` is positive semi-definite.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    vector: Vec<f64>,
    quotient: f64,
}

impl Witness {
    fn lowered<G: Gram + ?Sized>(gram: &G, start: Vec<f64>, size: f64) -> Result<Self> {
        let (vector, quotient) = rayleigh::lowered(gram, start, size)?;
        Ok(Self { vector, quotient })
    }

    /// The vector `v`, of length 1.
    pub fn vector(&self) -> &[f64] {
        &self.vector
    }

    /// `vᵗKv`, which the smallest eigenvalue does not exceed.
    pub fn quotient(&self) -> f64 {
        self.quotient
    }
}

impl<G: Gram + ?Sized> Certificate<G> for Witness {
    /// Recomputes `vᵗKv` term by term in sums that keep what they lose, with a bound on the rounding error that is
    /// left, and accepts it if it is negative beyond that and as claimed.
    fn verify(&self, gram: &G) -> Result<Verdict> {
        check_len(gram, self.vector.len())?;
        let Form { value: recomputed, error, plain_error } = Form::of(gram, &self.vector)?;
        let norm = self.vector.iter().rev().fold(0.0_f64, |norm, value| norm.hypot(*value));
        let invalid = |what, claimed, recomputed| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }))
        };
        if !((norm - 1.0).abs() <= 1e-9) {
            return invalid("the length of the witness", 1.0, norm);
        }
        if !(recomputed + error < 0.0) {
            return invalid(
                "a value of the quadratic form, which must be negative,",
                self.quotient,
                recomputed,
            );
        }
        if !((recomputed - self.quotient).abs() <= error + plain_error) {
            return invalid("the value of the quadratic form", self.quotient, recomputed);
        }
        Ok(Verdict::Valid)
    }
}

/// `vᵗKv`, with a bound on its rounding error and one on that of summing the same terms plainly.
struct Form {
    value: f64,
    error: f64,
    plain_error: f64,
}

impl Form {
    /// Goes through the matrix one row at a time, from the last.
    ///
    /// Sums carry what each operation loses along with them, so the error is that of rounding the result once: a form
    /// that is negative by little beside the entries of the matrix is still known to be negative.
    fn of<G: Gram + ?Sized>(gram: &G, v: &[f64]) -> Result<Self> {
        let mut values = vec![0.0; v.len()];
        let (mut total, mut lost, mut size) = (0.0_f64, 0.0, 0.0);
        for (row, &own) in v.iter().enumerate().rev() {
            // Rows that do not count cost nothing.
            if own == 0.0 {
                continue;
            }
            gram.fill(&[row], Columns::All, &mut values)?;
            let (mut sum, mut sum_lost, mut absolute) = (0.0, 0.0, 0.0);
            for (value, other) in values.iter().zip(v) {
                let product = value * other;
                let (next, error) = two_sum(sum, product);
                sum = next;
                sum_lost += error + value.mul_add(*other, -product);
                absolute += product.abs();
            }
            let product = own * sum;
            let (next, error) = two_sum(total, product);
            total = next;
            lost += error + own.mul_add(sum, -product) + own * sum_lost;
            size += own.abs() * absolute;
        }
        let terms = 2.0 * v.len() as f64 + 8.0;
        let (value, unseen) = (total + lost, f64::MIN_POSITIVE * f64::EPSILON);
        let error =
            f64::EPSILON * value.abs() + terms * terms * (f64::EPSILON * f64::EPSILON * size + unseen);
        let plain_error = terms * (f64::EPSILON * size + terms * unseen);
        if value.is_finite() && error.is_finite() && plain_error.is_finite() {
            Ok(Self { value, error, plain_error })
        } else {
            Err(Error::Numerical { what: "the value of the quadratic form" })
        }
    }
}

/// The rounded sum of two numbers, and what rounding lost: together the exact sum.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

fn check_len<G: Gram + ?Sized>(gram: &G, expected: usize) -> Result<()> {
    let found = gram.len();
    if found == expected { Ok(()) } else { Err(Error::Length { what: "the Gram matrix", expected, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MatrixGram, eigen};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// A random symmetric matrix `XDXᵗ` with `negative` of its `n` weights negative and of size `depth`.
    fn matrix(n: usize, rank: usize, negative: usize, depth: f64, random: &mut ChaCha8Rng) -> Vec<f64> {
        let factors: Vec<Vec<f64>> =
            (0..rank).map(|_| (0..n).map(|_| random.random_range(-1.0..1.0)).collect()).collect();
        let mut matrix = vec![0.0; n * n];
        for (k, x) in factors.iter().enumerate() {
            let weight = if k < negative { -depth } else { 1.0 };
            for i in 0..n {
                for j in 0..n {
                    // The same order of factors in both triangles.
                    matrix[i * n + j] += weight * (x[i.min(j)] * x[i.max(j)]);
                }
            }
        }
        matrix
    }

    #[test]
    fn the_verdict_agrees_with_the_eigenvalues() {
        let mut random = ChaCha8Rng::seed_from_u64(20);
        let mut seen = [0, 0];
        for case in 0..400 {
            let n = random.random_range(1..25);
            let (rank, negative) = (random.random_range(1..=n + 5), random.random_range(0..3));
            let depth = 10.0_f64.powi(random.random_range(-14..1));
            let scale = 10.0_f64.powi([0, -250, 250][case % 3]);
            let values: Vec<f64> =
                matrix(n, rank, negative, depth, &mut random).iter().map(|value| value * scale).collect();
            let smallest = eigen::symmetric(&values, n).unwrap().values[0];
            let size = values.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            let gram = MatrixGram::precomputed(values, n).unwrap();
            for tolerance in [0.0, 1e-10, 1e-3] {
                let allowed = tolerance * size + 8.0 * n as f64 * f64::EPSILON * size;
                let found = check(&gram, tolerance).unwrap();
                let told =
                    format!("case {case}, n = {n}: smallest {smallest:e}, allowed {allowed:e}: {found:?}");
                assert!(found.verify(&gram).unwrap().is_valid(), "{told}");
                match &found {
                    Mercer::Holds(proof) => {
                        seen[0] += 1;
                        assert!(smallest >= -1.01 * allowed, "{told}");
                        assert!(smallest >= proof.smallest_eigenvalue_at_least(), "{told}");
                        assert!(proof.smallest_eigenvalue_at_least() >= -3.0 * allowed, "{told}");
                    }
                    Mercer::Fails(witness) => {
                        seen[1] += 1;
                        assert!(smallest < -0.5 * allowed, "{told}");
                        // Both are computed: they differ by rounding at the size of the matrix.
                        assert!(
                            witness.quotient() >= smallest - 8.0 * n as f64 * f64::EPSILON * size,
                            "{told}"
                        );
                        assert!(witness.quotient() <= -0.5 * allowed, "{told}");
                    }
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }

    #[test]
    fn forged_evidence_is_found_out() {
        let gram = MatrixGram::precomputed(vec![2.0, 1.0, 1.0, 2.0], 2).unwrap();
        let other = MatrixGram::precomputed(vec![2.0, 3.0, 3.0, 2.0], 2).unwrap();
        let Mercer::Holds(proof) = check(&gram, 0.0).unwrap() else { panic!("positive definite") };
        let Mercer::Fails(witness) = check(&other, 0.0).unwrap() else { panic!("indefinite") };
        assert!(!proof.verify(&other).unwrap().is_valid());
        assert!(!witness.verify(&gram).unwrap().is_valid());
        let forged = |proof: Proof| proof.verify(&gram).unwrap().is_valid();
        assert!(!forged(Proof { shift: 1.0, ..proof.clone() }));
        assert!(!forged(Proof { shift: f64::NAN, ..proof.clone() }));
        let mut columns = proof.factor.columns.clone();
        columns[1] += 1e-9;
        assert!(!forged(Proof { factor: Factor { columns, ..proof.factor.clone() }, ..proof.clone() }));
        let forged = |witness: Witness| witness.verify(&other).unwrap().is_valid();
        assert!(!forged(Witness { quotient: 2.0 * witness.quotient, ..witness.clone() }));
        assert!(!forged(Witness { vector: vec![1.0, 0.0], ..witness.clone() }));
        assert!(!forged(Witness { vector: vec![1.0, -1.0], quotient: -2.0 }));
        assert!(witness.verify(&MatrixGram::precomputed(vec![1.0], 1).unwrap()).is_err());
    }
}
