//! Work on all cores, or on one: the same bits either way.
//!
//! Work is cut into chunks whose size does not depend on the number of threads, each chunk is written by one thread
//! in a fixed order, and nothing is summed across chunks.

/// Calls `work` with the number of each chunk of `out` and the chunk.
pub fn for_each_chunk<T: Send>(out: &mut [T], chunk: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let chunk = chunk.max(1);
    #[cfg(feature = "parallel")]
    if out.len() > chunk {
        use rayon::prelude::*;
        out.par_chunks_mut(chunk).enumerate().for_each(|(index, part)| work(index, part));
        return;
    }
    out.chunks_mut(chunk).enumerate().for_each(|(index, part)| work(index, part));
}

/// Collects `work(0)`, …, `work(count − 1)` in order.
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().map(&work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        (0..count).map(work).collect()
    }
}

/// Collects what `work` makes of every item, in order.
pub fn map_mut<T: Send, R: Send>(items: &mut [T], work: impl Fn(&mut T) -> R + Send + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.par_iter_mut().map(work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        items.iter_mut().map(work).collect()
    }
}

/// Calls `work` with every one of `jobs`; on one thread if they are `small` taken together.
pub(crate) fn for_each<T: Send>(jobs: Vec<T>, small: bool, work: impl Fn(T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if !small && jobs.len() > 1 {
        use rayon::prelude::*;
        jobs.into_par_iter().for_each(work);
        return;
    }
    let _ = small;
    jobs.into_iter().for_each(work);
}
