//! What linear systems are made of, summed over row blocks: accumulate, merge, solve.

mod moments;
mod row_blocks;

pub use moments::Moments;
pub use row_blocks::RowBlocks;
