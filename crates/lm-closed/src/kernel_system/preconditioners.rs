//! Matrices near to that of a kernel system, which are easy to solve.

use lm_core::gram::LowRank;
use lm_core::linalg::{
    Cholesky, Matrix, SingleCholesky, matrix_vector, transposed_product, transposed_vector,
};
use lm_core::{Error, Gram, Meter, Result};

use crate::conjugate_gradients::Preconditioner;

impl Preconditioner for Cholesky {
    fn solve(&self, r: &mut [f64]) -> Result<()> {
        Cholesky::solve(self, r)
    }
}

impl Preconditioner for SingleCholesky {
    fn solve(&self, r: &mut [f64]) -> Result<()> {
        SingleCholesky::solve(self, r)
    }
}

/// `LLᵗ + D`, with the few columns of `L` that explain most of the Gram matrix.
///
/// With `B = D⁻½L` its inverse is `D⁻½ (I − B(I + BᵗB)⁻¹Bᵗ) D⁻½` (Sherman–Morrison–Woodbury).
#[derive(Debug)]
pub(super) struct FewColumns {
    roots: Vec<f64>,
    scaled: Matrix,
    core: Cholesky,
}

impl FewColumns {
    /// At most `rank` columns; fewer if the budget ends the run, and none if their small system has no factor.
    pub(super) fn of<G: Gram + ?Sized>(
        gram: &G,
        ridge: &[f64],
        rank: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Self>> {
        let budget = *meter.budget();
        let row = gram.len() as u64;
        let part =
            LowRank::of_while(gram, &budget, &mut |pivots| pivots < rank && meter.advance(0, row).is_none())?;
        let (len, rank) = (gram.len(), part.rank());
        if rank == 0 {
            return Ok(None);
        }
        let roots: Vec<f64> = ridge.iter().map(|d| d.sqrt()).collect();
        let mut columns = part.into_columns();
        for column in columns.chunks_exact_mut(len) {
            column.iter_mut().zip(&roots).for_each(|(value, root)| *value /= root);
        }
        let scaled = Matrix::from_columns(columns, len, rank)?;
        let mut core = transposed_product(&scaled, &scaled)?;
        for k in 0..rank {
            core[(k, k)] += 1.0;
        }
        Ok(Cholesky::factor(core)?.map(|core| Self { roots, scaled, core }))
    }
}

impl Preconditioner for FewColumns {
    fn solve(&self, r: &mut [f64]) -> Result<()> {
        r.iter_mut().zip(&self.roots).for_each(|(r, root)| *r /= root);
        let mut inner = transposed_vector(&self.scaled, r)?;
        self.core.solve(&mut inner)?;
        let explained = matrix_vector(&self.scaled, &inner)?;
        for ((r, explained), root) in r.iter_mut().zip(explained).zip(&self.roots) {
            *r = (*r - explained) / root;
        }
        if r.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the preconditioned residual" })
        }
    }
}

/// The diagonal of the system.
#[derive(Debug)]
pub(super) struct Diagonal(Vec<f64>);

impl Diagonal {
    pub(super) fn of<G: Gram + ?Sized>(gram: &G, ridge: &[f64]) -> Result<Self> {
        let diagonal = gram.diagonal()?;
        // A diagonal that is not positive is not one of inner products; the ridge alone is.
        let sum = |(value, ridge): (f64, &f64)| if value > 0.0 { value + ridge } else { *ridge };
        Ok(Self(diagonal.into_iter().zip(ridge).map(sum).collect()))
    }
}

impl Preconditioner for Diagonal {
    fn solve(&self, r: &mut [f64]) -> Result<()> {
        r.iter_mut().zip(&self.0).for_each(|(r, d)| *r /= d);
        Ok(())
    }
}
