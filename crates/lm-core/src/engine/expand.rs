//! Decision values: kernel values times coefficients, summed while the values are in the nearest cache.
//!
//! # Problem
//! `Σⱼ cⱼ K(xⱼ, x)` for many `x` and some thousand kept `xⱼ`, for one function or for several over the same `xⱼ`.
//! # Method
//! The kept examples are the panels, the `x` are the rows of the tiles. A tile of kernel values is multiplied by the
//! coefficients of its panel and added, in double precision, to sixteen running sums for each row and function; kernel
//! values are stored nowhere. After a fixed number of panels the sums are added up in a fixed order, and these parts
//! again, so that the result does not depend on the number of threads or on the rows that are computed with it.
//! # Cost
//! One kernel value a pair, and one multiply-add for each function that the kept example has a part in.
//! # Reference
//! The blocking is that of the tile; summation in parts: Higham (2002), *Accuracy and stability of numerical
//! algorithms*, §4.2.

use super::arithmetic::{Arithmetic, Element};
use super::coefficients::Coefficients;
use super::elementary::Real;
use super::epilogue::Places;
use super::packed::{PackRows, Packed};
use super::simd::{Instructions, Simd, Task};
use super::tile::Sums;
use crate::parallel;

/// Running sums of a row and a function.
const LANES: usize = 16;

/// Rows that are computed together: some tiles, so that a panel is used often once it is near.
const ROWS: usize = 48;

/// Panels after which sums are added up.
const PANELS: usize = 64;

impl<A: Arithmetic> Packed<A> {
    /// Adds to `out[q·outputs + o]` the sum of `c·K(x, query q)` over the examples `x` with a part in function `o`.
    pub(crate) fn expand(
        &self,
        instructions: Instructions,
        queries: &Self,
        coefficients: &Coefficients,
        out: &mut [f64],
    ) {
        let outputs = coefficients.outputs();
        let parts = PanelParts::new(coefficients, A::Element::WIDTH);
        let blocks = self.panels().count().div_ceil(PANELS);
        let rows: Vec<usize> = (0..queries.panels().len()).collect();
        let job = |block| Block { set: self, queries, parts: &parts, outputs, block };
        if rows.len() > ROWS || blocks == 1 {
            parallel::for_each_chunk(out, ROWS * outputs.max(1), |chunk, out| {
                let rows = &rows[chunk * ROWS..rows.len().min((chunk + 1) * ROWS)];
                for block in 0..blocks {
                    let sums = instructions.run(job(block).over(rows));
                    out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
                }
            });
        } else {
            // Few rows: the parts of the sum on all cores, added in their order.
            for sums in parallel::map(blocks, |block| instructions.run(job(block).over(&rows))) {
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
            }
        }
    }
}

/// For each panel, the functions that one of its examples has a part in, with a coefficient for every place.
struct PanelParts(Vec<Vec<(usize, [f64; 2 * LANES])>>);

impl PanelParts {
    fn new(coefficients: &Coefficients, width: usize) -> Self {
        let mut panels = vec![Vec::new(); coefficients.len().div_ceil(width)];
        for example in 0..coefficients.len() {
            let (panel, lane): (&mut Vec<(usize, [f64; 2 * LANES])>, usize) =
                (&mut panels[example / width], example % width);
            for &(output, coefficient) in coefficients.of(example) {
                match panel.iter_mut().find(|(own, _)| *own == output) {
                    Some((_, line)) => line[lane] += coefficient,
                    None => {
                        let mut line = [0.0; 2 * LANES];
                        line[lane] = coefficient;
                        panel.push((output, line));
                    }
                }
            }
        }
        Self(panels)
    }
}

/// Some panels, to be summed over.
struct Block<'a, A: Arithmetic> {
    set: &'a Packed<A>,
    queries: &'a Packed<A>,
    parts: &'a PanelParts,
    outputs: usize,
    block: usize,
}

/// Some panels, summed over for some rows.
struct BlockRows<'a, A: Arithmetic> {
    block: Block<'a, A>,
    rows: &'a [usize],
}

impl<'a, A: Arithmetic> Block<'a, A> {
    fn over(self, rows: &'a [usize]) -> BlockRows<'a, A> {
        BlockRows { block: self, rows }
    }
}

impl<A: Arithmetic> Task for BlockRows<'_, A> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Vec<f64> {
        let Self { block: Block { set, queries, parts, outputs, block }, rows } = self;
        let (width, panels) = (A::Element::WIDTH, set.panels());
        let packed = PackRows { set: queries, rows }.run(s);
        let owns: Vec<A::Real> = rows.iter().map(|&row| queries.norms()[row]).collect();
        let mut totals = vec![[0.0; LANES]; rows.len() * outputs];
        let (mut sums, mut kernel) = (Sums::new(), Sums::new());
        let (mut first, last) = (block * PANELS, panels.count().min((block + 1) * PANELS));
        while first < last {
            let group = first..last.min(first + panels.group());
            let mut row = 0;
            while row < rows.len() {
                let size = packed.tile::<S>(row);
                for panel in group.clone() {
                    packed.accumulate::<S, A>(s, panels, panel, row, &mut sums);
                    let mut rows = kernel.rows();
                    let to = Places { rows: &mut rows, place: 0 };
                    set.apply(s, panel, &owns[row..row + size], &sums, to);
                    // What fills up the last panel is no example.
                    let held = width.min(panels.len() - panel * width);
                    for (output, line) in &parts.0[panel] {
                        for (offset, values) in kernel.0.iter().take(size).enumerate() {
                            let total = &mut totals[(row + offset) * outputs + output];
                            add_products(&values[..width], line, held, total);
                        }
                    }
                }
                row += size;
            }
            first = group.end;
        }
        totals.iter().map(halves).collect()
    }
}

/// Adds `values·line` to the running sums, lane by lane.
#[inline(always)]
fn add_products<T: Real>(values: &[T], line: &[f64; 2 * LANES], held: usize, total: &mut [f64; LANES]) {
    let mut sums = *total;
    if held == values.len() {
        for (values, line) in values.chunks_exact(LANES).zip(line.chunks_exact(LANES)) {
            for lane in 0..LANES {
                sums[lane] += values[lane].wide() * line[lane];
            }
        }
    } else {
        for (place, (value, coefficient)) in values.iter().zip(line).take(held).enumerate() {
            sums[place % LANES] += value.wide() * coefficient;
        }
    }
    *total = sums;
}

/// The sum of the lanes, by halves.
#[inline(always)]
fn halves(lanes: &[f64; LANES]) -> f64 {
    let mut sums = *lanes;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}
