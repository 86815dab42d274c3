//! Least squares by orthogonal transformations, corrected until every digit is right.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ (⟨β·xᵢ⟩ − tᵢ)²   over β ∈ ℝᵖ
//! ```
//! # Method
//! Residuals `r` and coefficients `β` are the solution of one linear system, `r + Xβ = t` and `XᵗWr = 0`. Both are kept as
//! double-double numbers and corrected together: what is missing in either equation is computed to twice the digits of
//! `f64`, and the correction through one Householder factorisation `√W·X = QR`. Each round multiplies the error by about
//! `κ·2⁻⁵³`, `κ` being the condition of `X` with its columns scaled, so that a few rounds give all digits as long as
//! `κ < 10¹⁴` or so.
//! # Cost
//! `2np²` operations for the factorisation, `8np` and `20np` for each round; memory for two copies of the matrix.
//! # Reference
//! Björck (1967), Iterative refinement of linear least squares solutions I; Golub & Van Loan (2013), section 5.3.8.

use lm_core::double_double::DoubleDouble;
use lm_core::linalg::Qr;
use lm_core::{Error, Meter, Result, Stop};

use super::refinement::refine;
use super::table::Table;

/// Corrections below this share of the solution change no digit that is used: residuals too get some digits beyond those
/// of an `f64`.
const FINE: f64 = 1e-26;

/// A table and its factorisation.
#[derive(Debug)]
pub(crate) struct Orthogonal {
    table: Table,
    qr: Qr,
    roots: Vec<f64>,
    /// The norms of the columns of `√W·X`: what makes coefficients comparable.
    norms: Vec<f64>,
}

/// A solution in the units of the table.
#[derive(Debug, Clone)]
pub(crate) struct Refined {
    pub(crate) beta: Vec<DoubleDouble>,
    pub(crate) residuals: Vec<DoubleDouble>,
    pub(crate) stop: Stop,
}

impl Orthogonal {
    /// Factorises a table of at least as many rows as columns.
    pub(crate) fn factor(table: Table) -> Result<Self> {
        let qr = Qr::factor(&table.weighted()?)?;
        let roots = (0..table.rows()).map(|row| table.weight(row).sqrt()).collect();
        let r = qr.r();
        let norm = |k: usize| r.column(k)[..=k].iter().map(|x| x * x).sum::<f64>().sqrt();
        let norms = (0..table.columns()).map(norm).collect();
        Ok(Self { table, qr, roots, norms })
    }

    /// The table.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The table, when the factorisation is of no more use.
    pub(crate) fn into_table(self) -> Table {
        self.table
    }

    /// An estimate of the condition of the matrix with its columns scaled.
    pub(crate) fn condition(&self) -> f64 {
        self.qr.condition()
    }

    /// Whether the columns are far enough from depending on each other for corrections to gain digits.
    pub(crate) fn is_regular(&self) -> bool {
        // Written so that NaN fails.
        self.condition() <= 0.1 / (self.table.rows() as f64 * f64::EPSILON)
    }

    /// The factorisation.
    pub(crate) fn qr(&self) -> &Qr {
        &self.qr
    }

    /// The solution for targets that the table has scaled.
    pub(crate) fn solve(&self, targets: &[f64], meter: &mut Meter<'_>) -> Result<Refined> {
        let mut state = State {
            beta: vec![DoubleDouble::ZERO; self.table.columns()],
            residuals: vec![DoubleDouble::ZERO; self.table.rows()],
        };
        let stop = refine(FINE, meter, || state.step(self, targets))?;
        let State { beta, residuals } = state;
        Ok(Refined { beta, residuals, stop })
    }
}

/// The residuals and coefficients so far.
struct State {
    beta: Vec<DoubleDouble>,
    residuals: Vec<DoubleDouble>,
}

impl State {
    /// One correction; the size of its share in the coefficients.
    fn step(&mut self, system: &Orthogonal, targets: &[f64]) -> Result<f64> {
        let (table, qr) = (&system.table, &system.qr);
        let columns = table.columns();
        let missing = table.residuals(targets, &self.beta);
        let mut f: Vec<f64> = missing
            .iter()
            .zip(&self.residuals)
            .zip(&system.roots)
            .map(|((f, r), root)| (*f - *r).value() * root)
            .collect();
        let mut z: Vec<f64> = table.gradient(&self.residuals).iter().map(|g| -g.value()).collect();
        qr.apply_transposed(&mut f)?;
        qr.solve_r_transposed(&mut z)?;
        let mut change: Vec<f64> = f[..columns].iter().zip(&z).map(|(d, z)| d - z).collect();
        qr.solve_r(&mut change)?;
        f[..columns].copy_from_slice(&z);
        qr.apply(&mut f)?;
        for ((r, change), root) in self.residuals.iter_mut().zip(&f).zip(&system.roots) {
            // A weight that underflowed stands for an example that does not count.
            if *root > 0.0 {
                *r = *r + change / root;
            }
        }
        self.beta.iter_mut().zip(&change).for_each(|(beta, change)| *beta = *beta + *change);
        let size = |k: usize, value: f64| value.abs() * system.norms[k];
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            values.enumerate().fold(0.0_f64, |most, (k, value)| most.max(size(k, value)))
        };
        if change.iter().any(|change| !change.is_finite()) {
            return Err(Error::Numerical { what: "the solution of a triangular system" });
        }
        let moved = largest(&mut change.iter().copied());
        let all = largest(&mut self.beta.iter().map(|beta| beta.hi));
        Ok(if moved == 0.0 { 0.0 } else { moved / all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Control, Dense};

    #[test]
    fn a_step_is_the_plain_solution_and_the_next_corrects_it() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1).unwrap();
        let table = Table::of(&examples, None, true, 0.0).unwrap();
        let (targets, scale) = table.targets(&[1.0, 2.0, 2.0, 5.0]);
        assert_eq!(scale, 0);
        let system = Orthogonal::factor(table).unwrap();
        let mut state = State { beta: vec![DoubleDouble::ZERO; 2], residuals: vec![DoubleDouble::ZERO; 4] };
        let first = state.step(&system, &targets).unwrap();
        assert!(first > 0.5);
        let second = state.step(&system, &targets).unwrap();
        assert!(second < 1e-14, "{second:e}");
        // Normal equations by hand: 4b + 6w = 10, 6b + 14w = 21.
        assert!((state.beta[0] - 0.7).value().abs() < 1e-15 && (state.beta[1] - 1.2).value().abs() < 1e-15);
        let refined = system.solve(&targets, &mut Control::default().start(100)).unwrap();
        assert_eq!(refined.stop, Stop::Converged);
        assert!((refined.beta[1] * 10.0 - 12.0).value().abs() < 1e-29);
        assert!((refined.residuals[0] * 10.0 - 3.0).value().abs() < 1e-29);
    }
}
