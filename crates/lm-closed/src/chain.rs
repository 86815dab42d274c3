//! Two sets of examples, one after the other, without a copy.

use lm_core::{Collection, Columns, Error, Examples, Gram, Result, Row, VectorGram, VectorKernel};

/// The examples of the first set, then those of the second.
#[derive(Debug)]
struct Chain<'a, A: ?Sized, B: ?Sized> {
    first: &'a A,
    second: &'a B,
}

impl<A: Examples + ?Sized, B: Examples + ?Sized> Collection for Chain<'_, A, B> {
    fn len(&self) -> usize {
        self.first.len() + self.second.len()
    }
}

impl<A: Examples + ?Sized, B: Examples + ?Sized> Examples for Chain<'_, A, B> {
    fn dim(&self) -> usize {
        self.first.dim()
    }

    fn row(&self, row: usize) -> Row<'_> {
        match row.checked_sub(self.first.len()) {
            Some(row) => self.second.row(row),
            None => self.first.row(row),
        }
    }
}

/// Examples of the second set whose kernel values are computed together.
const QUERIES: usize = 512;

/// Calls `take` with the first of a block of queries, and with the kernel values of each query of the block with every
/// kept example, one query after the other.
pub(crate) fn for_each_block<A: Examples + ?Sized, B: Examples + ?Sized>(
    kept: &A,
    queries: &B,
    kernel: VectorKernel,
    mut take: impl FnMut(usize, &[f64]) -> Result<()>,
) -> Result<()> {
    queries.check_dim("a kept example", kept.dim())?;
    if kept.is_empty() {
        return Err(Error::Empty { what: "the set of kept examples" });
    }
    if queries.is_empty() {
        return Ok(());
    }
    let len = kept.len();
    let chain = Chain { first: kept, second: queries };
    let gram = VectorGram::new(&chain, kernel)?;
    let mut block = lm_core::linalg::Matrix::zeros(len, QUERIES.min(queries.len()))?.into_values();
    let rows: Vec<usize> = (len..chain.len()).collect();
    for rows in rows.chunks(QUERIES) {
        let block = &mut block[..rows.len() * len];
        gram.fill(rows, Columns::Range { start: 0, end: len }, block)?;
        take(rows[0] - len, block)?;
    }
    Ok(())
}
