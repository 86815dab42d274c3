//! The choice of a layout, and what it promises about errors.

use std::fmt;
use std::sync::OnceLock;

use super::distances::Wide;
use super::epilogue::Epilogue;
use super::scheme::{Binary, Multiples, Reals};
use super::simd::Instructions;
use super::sparse::SparseSet;
use super::store::Store;
use super::survey::{Grain, Survey};
use crate::gram::Precision;
use crate::kernel::{KernelForm, Statistic, VectorKernel};
use crate::{Examples, Result, Row};

/// How a set of examples is packed for its kernel: chosen from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Examples side by side, column after column: products or differences of numbers.
    Panels,
    /// One bit for each column, for data with entries 0 and one other number: counts of common bits, which are exact.
    Bits,
    /// One byte for each column, for data with entries on a grid of at most 256 numbers: products of whole numbers, which
    /// are exact.
    Bytes,
    /// Sparse rows against a table that a batch of rows is scattered into.
    Table,
    /// One pair at a time: where squared norms overflow, and for Manhattan distances of sparse rows.
    Pairs,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panels => "panels",
            Self::Bits => "bits",
            Self::Bytes => "bytes",
            Self::Table => "table of sparse rows",
            Self::Pairs => "pairs",
        })
    }
}

/// What is promised of values in single precision unless the caller asks for more, as a share of the largest kernel value:
/// 2⁻¹³.
const TOLERANCE: f64 = 1.0 / 8192.0;

/// Rounding units.
const SINGLE: f64 = f32::EPSILON as f64 / 2.0;
pub(super) const DOUBLE: f64 = f64::EPSILON / 2.0;

/// How a set is packed, and how exact that is.
#[derive(Debug)]
pub(crate) struct Plan {
    kernel: VectorKernel,
    survey: Survey,
    layout: Layout,
    tolerance: f64,
    /// Whether only members of the set are compared.
    closed: bool,
    wide: OnceLock<Wide>,
    narrow: OnceLock<Option<Narrow>>,
}

/// How numbers are packed in single precision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Narrow {
    reals: Reals,
    epilogue: Epilogue<f32>,
    /// The largest squared norm of an example, moved but not scaled.
    radius_squared: f64,
    /// On the error of a value.
    bound: f64,
}

impl Plan {
    /// Chooses a layout; for a `closed` set, whose members are compared with each other only.
    pub(crate) fn new(kernel: VectorKernel, survey: Survey, closed: bool) -> Self {
        let products = kernel.statistic() == Statistic::InnerProduct;
        let direct = products && !(4.0 * survey.radius_squared).is_finite();
        let layout = if direct { Layout::Pairs } else { layout(kernel, &survey) };
        let (wide, narrow) = (OnceLock::new(), OnceLock::new());
        Self { kernel, survey, layout, tolerance: TOLERANCE, closed, wide, narrow }
    }

    pub(crate) fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, narrow: OnceLock::new(), ..self }
    }

    pub(crate) fn kernel(&self) -> VectorKernel {
        self.kernel
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether every example has kernel value 1 with itself.
    pub(crate) fn is_one_with_itself(&self) -> bool {
        matches!(self.kernel.form(), KernelForm::Gaussian { .. } | KernelForm::Laplacian { .. })
    }

    /// Whether no kernel value can be anything but finite.
    pub(crate) fn is_bounded(&self) -> bool {
        self.is_one_with_itself() || matches!(self.kernel.form(), KernelForm::Sigmoid { .. })
    }

    /// Whether a value is computed as fast as it is fetched from memory: in tiles, from so few numbers.
    pub(crate) fn is_cheap(&self) -> bool {
        const STEPS: usize = 96;
        match self.layout {
            Layout::Panels => self.survey.dim <= STEPS,
            Layout::Bits => self.survey.dim.div_ceil(64) <= STEPS,
            Layout::Bytes => self.survey.dim.div_ceil(4) <= STEPS,
            Layout::Table | Layout::Pairs => false,
        }
    }

    /// The largest absolute kernel value of two members of the set, at least 1: each of these kernels is largest on the
    /// diagonal, up to the sigmoid's bound of 1.
    fn largest(&self) -> f64 {
        self.kernel.self_value(self.survey.radius_squared).abs().max(1.0)
    }

    /// Units of rounding error in an accumulated number.
    fn terms(&self, dim: usize) -> f64 {
        match self.layout {
            Layout::Panels => panel_terms(dim),
            Layout::Table => self.survey.longest as f64 + 1.0,
            // Whole numbers; the unit is rounded, and what is left of an entry beside it.
            Layout::Bits => 3.0,
            Layout::Bytes => 8.0,
            Layout::Pairs => dim as f64 + 1.0,
        }
    }

    /// A bound on the error of a value that is delivered in this precision.
    pub(crate) fn error_bound(&self, examples: &dyn Examples, precision: Precision) -> f64 {
        let (dim, radius_squared) = (self.survey.dim, self.survey.radius_squared);
        let exact = match self.layout {
            Layout::Panels | Layout::Pairs => self.wide(examples).bound,
            _ => self.kernel.rounding_bound(DOUBLE, self.terms(dim), dim, radius_squared),
        };
        match precision {
            Precision::F64 => exact,
            Precision::F32 => match self.narrow(examples) {
                Some(narrow) => narrow.bound,
                None => crate::gram::narrowed(exact, self.largest(), precision),
            },
        }
    }

    /// How panels are packed in double precision.
    fn wide(&self, examples: &dyn Examples) -> &Wide {
        self.wide
            .get_or_init(|| Wide::new(self.kernel, examples, self.survey.radius_squared, self.wide_terms()))
    }

    /// Units of rounding error in an accumulated number where real numbers are packed in double precision.
    fn wide_terms(&self) -> f64 {
        let dim = self.survey.dim;
        if self.layout == Layout::Pairs { self.terms(dim) } else { panel_terms(dim) }
    }

    /// How to pack in single precision, if that keeps the promise.
    pub(crate) fn narrow(&self, examples: &dyn Examples) -> Option<&Narrow> {
        self.narrow
            .get_or_init(|| self.narrowest(examples).filter(|n| n.bound <= self.tolerance * self.largest()))
            .as_ref()
    }

    fn narrowest(&self, examples: &dyn Examples) -> Option<Narrow> {
        let (form, dim) = (self.kernel.form(), self.survey.dim);
        if self.layout == Layout::Bits {
            // Counts are exact below 2²⁴.
            let Grain::Binary(value) = self.survey.grain else { return None };
            let unit = value * value;
            let bound = self.kernel.rounding_bound(SINGLE, self.terms(dim), dim, self.survey.radius_squared);
            return (dim < 1 << 23 && self.fits_single(unit)).then(|| Narrow {
                reals: Reals::scaled(1.0),
                epilogue: Epilogue::of(form, unit),
                radius_squared: self.survey.radius_squared,
                bound,
            });
        }
        if !matches!(self.layout, Layout::Panels | Layout::Table) {
            return None;
        }
        let (reals, epilogue) = match form {
            KernelForm::Gaussian { gamma } => {
                // exp(−γ‖x − z‖²) = 2^(⟨x'·z'⟩ − ½‖x'‖² − ½‖z'‖²) for x' = √(2γ log₂e)·x, and examples may be moved.
                let factor = (2.0 * gamma * std::f64::consts::LOG2_E).sqrt();
                let reals = match self.layout {
                    Layout::Panels => Reals::centred(examples, factor, self.closed),
                    _ => Reals::scaled(factor),
                };
                (reals, Epilogue::Halved)
            }
            KernelForm::Laplacian { gamma } => {
                let plain = Reals::scaled(gamma * std::f64::consts::LOG2_E);
                // Rounding to single precision is relative to the entries: an origin that makes the bound four times smaller.
                let gains =
                    |moved: &Reals| 16.0 * moved.radius_squared(examples) <= plain.radius_squared(examples);
                let moved = Reals::moved(examples, plain.factor).filter(gains);
                (moved.unwrap_or(plain), Epilogue::Decay { rate: -1.0 })
            }
            KernelForm::Linear | KernelForm::Polynomial { .. } | KernelForm::Sigmoid { .. } => {
                // By a power of two, which rounds nothing, to a radius between 1 and 2.
                let exponent = self.survey.radius_squared.sqrt().max(f64::MIN_POSITIVE).log2().floor();
                let factor = (-exponent).exp2();
                let unit = 1.0 / (factor * factor);
                if !self.fits_single(unit) {
                    return None;
                }
                (Reals::scaled(factor), Epilogue::of(form, unit))
            }
        };
        let scaled = reals.radius_squared(examples);
        let radius_squared = scaled / (reals.factor * reals.factor);
        // Beyond these, numbers leave the range of f32, and the bound says nothing.
        let sane = reals.factor > 0.0 && scaled < 1e30 && radius_squared.is_finite();
        let columns = reals.columns.as_ref().map_or(dim, Vec::len);
        // Three more units for the rounding of both entries.
        let terms = self.terms(columns) + 3.0;
        let bound = self.kernel.rounding_bound(SINGLE, terms, dim, radius_squared);
        // What underflows in f32: entries below 2⁻¹²⁶ after scaling.
        let lost = dim as f64 * f64::from(f32::MIN_POSITIVE) * (1.0 + scaled.sqrt()) * (1.0 + self.largest());
        sane.then_some(Narrow { reals, epilogue, radius_squared, bound: bound + lost })
    }

    /// Whether the parameters and values of the kernel are within the range of `f32`.
    fn fits_single(&self, unit: f64) -> bool {
        let within = |value: f64| value == 0.0 || (1e-30..1e30).contains(&value.abs());
        let parameters = match self.kernel.form() {
            KernelForm::Linear => within(unit),
            KernelForm::Polynomial { scale, constant, .. } | KernelForm::Sigmoid { scale, constant } => {
                within(scale * unit) && within(constant)
            }
            KernelForm::Gaussian { gamma } => within(gamma * unit),
            KernelForm::Laplacian { .. } => true,
        };
        parameters && self.largest() < 1e30
    }

    /// Packs the set; nothing where pairs are computed one by one.
    pub(crate) fn pack(
        &self,
        instructions: Instructions,
        examples: &dyn Examples,
        single: bool,
    ) -> Result<Option<Store>> {
        let (form, all) = (self.kernel.form(), (0, examples.len()));
        let narrow = if single { self.narrow(examples) } else { None };
        let whole = Reals::scaled(1.0);
        let differences = self.kernel.statistic() == Statistic::ManhattanDistance;
        Ok(Some(match (self.layout, self.survey.grain, narrow) {
            (Layout::Pairs, ..) => return Ok(None),
            (Layout::Bits, Grain::Binary(value), Some(narrow)) => {
                let scheme = Binary { value };
                Store::Bits32(scheme, scheme.pack(instructions, examples, all, narrow.epilogue)?)
            }
            (Layout::Bits, Grain::Binary(value), None) => {
                let scheme = Binary { value };
                let epilogue = Epilogue::of(form, value * value);
                Store::Bits64(scheme, scheme.pack(instructions, examples, all, epilogue)?)
            }
            (Layout::Bytes, Grain::Multiples { unit, low }, _) => {
                let scheme = Multiples { unit, low };
                let epilogue = Epilogue::of(form, unit * unit);
                Store::Bytes(scheme, scheme.pack(instructions, examples, all, epilogue)?)
            }
            (Layout::Table, _, Some(narrow)) => {
                let norm = if narrow.epilogue == Epilogue::Halved { |norm| norm / 2.0 } else { |norm| norm };
                let factor = narrow.reals.factor;
                Store::Table32(SparseSet::new(instructions, examples, factor, narrow.epilogue, norm)?)
            }
            (Layout::Table, _, None) => {
                let epilogue = Epilogue::of(form, 1.0);
                Store::Table64(SparseSet::new(instructions, examples, 1.0, epilogue, |norm| norm)?)
            }
            (_, _, Some(Narrow { reals, epilogue, .. })) if differences => {
                Store::Differences32(reals.clone(), reals.pack(instructions, examples, all, *epilogue)?)
            }
            (_, _, Some(Narrow { reals, epilogue, .. })) => {
                Store::Products32(reals.clone(), reals.pack(instructions, examples, all, *epilogue)?)
            }
            (_, _, None) if differences => {
                let packed = whole.pack(instructions, examples, all, Epilogue::of(form, 1.0))?;
                Store::Differences64(whole, packed)
            }
            (_, _, None) => self.pack_plain(instructions, examples)?,
        }))
    }

    /// Packs the set in double precision, in a way that takes any query.
    pub(crate) fn pack_plain(&self, instructions: Instructions, examples: &dyn Examples) -> Result<Store> {
        let (form, all) = (self.kernel.form(), (0, examples.len()));
        let Wide { reals, squares, .. } = self.wide(examples);
        match form {
            // Of a squared distance it is what the Laplacian kernel is of a distance.
            KernelForm::Gaussian { gamma } if *squares => {
                let epilogue = Epilogue::of(KernelForm::Laplacian { gamma }, 1.0);
                Ok(Store::Squares64(reals.clone(), reals.pack(instructions, examples, all, epilogue)?))
            }
            _ => {
                let packed = reals.pack(instructions, examples, all, Epilogue::of(form, 1.0))?;
                Ok(Store::Products64(reals.clone(), packed))
            }
        }
    }

    /// Whether a query can be packed: its distances stay finite, also when it is moved, and in single precision its
    /// entries are within range.
    pub(crate) fn takes(
        &self,
        examples: &dyn Examples,
        precision: Precision,
        queries: &dyn Examples,
        row: usize,
    ) -> bool {
        let norm_squared = queries.norm_squared(row);
        let gaussian = matches!(self.kernel.form(), KernelForm::Gaussian { .. });
        let roomy = || (16.0 * norm_squared).is_finite() || self.wide(examples).is_plain();
        if gaussian && !((4.0 * norm_squared).is_finite() && roomy()) {
            return false;
        }
        let narrow = if precision == Precision::F32 { self.narrow(examples) } else { None };
        narrow.is_none_or(|Narrow { reals, .. }| {
            let scaled = match reals.columns {
                Some(_) => reals.norm_squared(&queries.row(row)),
                None => norm_squared * reals.factor * reals.factor,
            };
            scaled < 1e30
        })
    }

    /// A bound on how far the kernel values of a query in single and in double precision are apart.
    pub(crate) fn query_bound(&self, examples: &dyn Examples, query: &Row<'_>) -> f64 {
        let Some(narrow) = self.narrow(examples) else { return 0.0 };
        let dim = self.survey.dim;
        let own = narrow.reals.norm_squared(query) / (narrow.reals.factor * narrow.reals.factor);
        // A table entry more for each of its entries.
        let terms = self.terms(dim) + dim.min(query.entries()) as f64 + 3.0;
        let single = |radius_squared| 2.0 * self.kernel.rounding_bound(SINGLE, terms, dim, radius_squared);
        if self.layout == Layout::Panels && !self.wide(examples).is_plain() {
            let double = self.wide(examples).query_bound(self.kernel, self.wide_terms(), query);
            let near = own <= narrow.radius_squared;
            return double + if near { narrow.bound } else { single(own) };
        }
        if own <= narrow.radius_squared {
            return narrow.bound + self.error_bound(examples, Precision::F64);
        }
        // As for the set, with the radius of the query.
        single(own.max(query.norm_squared()).max(self.survey.radius_squared))
    }
}

/// Units of rounding error in a number that panels accumulate: a block of columns, then the sums of blocks.
fn panel_terms(dim: usize) -> f64 {
    let block = super::arithmetic::BLOCK;
    (dim.min(block) + dim.div_ceil(block) + 1) as f64
}

/// The layout with the smallest cost, in cycles of a processor with 512-bit vectors for one kernel value.
fn layout(kernel: VectorKernel, survey: &Survey) -> Layout {
    let (dim, mean) = (survey.dim as f64, survey.entries as f64 / survey.len as f64);
    let panels = dim / 32.0 + 0.3;
    if kernel.statistic() == Statistic::ManhattanDistance {
        // Pairs of sparse rows cost some ten cycles an entry.
        return if survey.sparse && panels > 10.0 * mean { Layout::Pairs } else { Layout::Panels };
    }
    let mut best = (panels, Layout::Panels);
    let mut consider = |cost: f64, layout: Layout| {
        if cost < best.0 {
            best = (cost, layout);
        }
    };
    if survey.sparse {
        // A table beyond the nearest cache costs more an entry.
        let far = if dim * 64.0 > 1e6 { 3.0 } else { 1.0 };
        consider(far * mean / 16.0 + 0.6, Layout::Table);
    }
    match survey.grain {
        Grain::Binary(_) => consider((dim / 64.0).ceil() * 0.2 + 0.3, Layout::Bits),
        // Inner products of a moved origin are other products; the sums of products fit into 31 bits.
        Grain::Multiples { low, .. } if survey.dim <= 1 << 15 => {
            if low == 0 || matches!(kernel.form(), KernelForm::Gaussian { .. }) {
                consider(dim / 128.0 + 0.9, Layout::Bytes);
            }
        }
        Grain::Multiples { .. } | Grain::Fine => {}
    }
    best.1
}
