//! Two sets of examples, one after the other, without a copy.

use lm_core::linalg::Matrix;
use lm_core::{Collection, Columns, Error, Examples, Gram, Precision, Result, Row, VectorGram, VectorKernel};

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

/// The kernel values of some queries with all kept examples.
pub(crate) struct Block<'a> {
    /// The number of kept examples.
    pub(crate) len: usize,
    /// The values of each query with every kept example, one query after the other.
    pub(crate) values: &'a [f64],
    /// The value of each query with itself.
    pub(crate) own: &'a [f64],
    /// The value of each kept example with itself.
    pub(crate) kept: &'a [f64],
    /// A bound on the error of any of these values.
    pub(crate) error: f64,
}

/// Calls `take` with the kernel values of the queries, block by block in their order.
pub(crate) fn for_each_block<A: Examples + ?Sized, B: Examples + ?Sized>(
    kept: &A,
    queries: &B,
    kernel: VectorKernel,
    mut take: impl FnMut(&Block<'_>) -> Result<()>,
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
    let (diagonal, error) = (gram.diagonal()?, gram.error_bound(Precision::F64));
    let mut block = Matrix::zeros(len, QUERIES.min(queries.len()))?.into_values();
    let rows: Vec<usize> = (len..chain.len()).collect();
    for rows in rows.chunks(QUERIES) {
        let values = &mut block[..rows.len() * len];
        gram.fill(rows, Columns::Range { start: 0, end: len }, values)?;
        let own = &diagonal[rows[0]..rows[0] + rows.len()];
        take(&Block { len, values, own, kept: &diagonal[..len], error })?;
    }
    Ok(())
}
