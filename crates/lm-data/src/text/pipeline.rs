//! Blocks parsed on all cores while the next ones are read.
//!
//! The calling thread reads, or decompresses, and hands each block to the thread pool. If enough blocks wait
//! already, it parses one itself, so that memory stays bounded and nothing ever waits for a pool that is busy.
//! The results come back in the order of the text, and the error returned is the first in the text: the same for any
//! number of threads.

use std::io::Read;

use lm_core::Result;

use super::lines::{Block, Lines};

/// Parses all blocks and returns the results in order.
#[cfg(feature = "parallel")]
pub(crate) fn parse_all<R: Read, P: Send>(
    lines: &mut Lines<R>,
    parse: impl Fn(&Block) -> Result<P> + Sync,
) -> Result<Vec<P>> {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc;

    let Some(first) = lines.next_block()? else { return Ok(Vec::new()) };
    let mut next = lines.next_block();
    if let Ok(None) = next {
        return Ok(vec![parse(&first)?]);
    }
    let most_waiting = 2 * rayon::current_num_threads();
    let (waiting, failed) = (&AtomicUsize::new(0), &AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let parse = &parse;
    let finish = |number: usize, block: &Block, sender: &mpsc::Sender<(usize, Result<P>)>| {
        let result = parse(block);
        failed.fetch_or(result.is_err(), Ordering::Relaxed);
        // The receiver outlives the scope, so the result is always taken.
        let _ = sender.send((number, result));
    };
    let finish = &finish;
    let mut last = None;
    rayon::in_place_scope(|scope| {
        let submit = |number: usize, block: Block| {
            if waiting.load(Ordering::Relaxed) >= most_waiting {
                finish(number, &block, &sender);
                return;
            }
            waiting.fetch_add(1, Ordering::Relaxed);
            let sender = sender.clone();
            scope.spawn(move |_| {
                finish(number, &block, &sender);
                waiting.fetch_sub(1, Ordering::Relaxed);
            });
        };
        submit(0, first);
        let mut number = 1;
        // Blocks behind a failed one cannot hold the first error.
        while !failed.load(Ordering::Relaxed) {
            match next {
                Ok(Some(block)) => submit(number, block),
                Ok(None) => break,
                Err(error) => {
                    last = Some((number, Err(error)));
                    break;
                }
            }
            number += 1;
            next = lines.next_block();
        }
    });
    drop(sender);
    let mut results: Vec<(usize, Result<P>)> = receiver.into_iter().chain(last).collect();
    results.sort_unstable_by_key(|&(number, _)| number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Parses all blocks and returns the results in order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn parse_all<R: Read, P: Send>(
    lines: &mut Lines<R>,
    parse: impl Fn(&Block) -> Result<P> + Sync,
) -> Result<Vec<P>> {
    let mut results = Vec::new();
    while let Some(block) = lines.next_block()? {
        results.push(parse(&block)?);
    }
    Ok(results)
}

/// The parts one after the other, in one array of exactly their length. Each part is freed once it is copied.
pub(crate) fn joined<T: Copy>(mut parts: Vec<Vec<T>>) -> Result<Vec<T>> {
    if parts.len() == 1 {
        return Ok(parts.pop().unwrap_or_default());
    }
    let len = parts.iter().map(Vec::len).sum();
    let mut all = reserved(len)?;
    parts.into_iter().for_each(|part| all.extend_from_slice(&part));
    Ok(all)
}

/// An empty array with room for `len` values; an error, not an abort, if there is no memory for it.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let needed = len.saturating_mul(size_of::<T>());
    values
        .try_reserve_exact(len)
        .map_err(|_| lm_core::Error::Allocation { what: "the data read", needed })?;
    Ok(values)
}

/// Runs two jobs, at once where there are threads.
pub(crate) fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "parallel")]
    {
        rayon::join(a, b)
    }
    #[cfg(not(feature = "parallel"))]
    {
        (a(), b())
    }
}
