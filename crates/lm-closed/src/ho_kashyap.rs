//! Ho–Kashyap: least squares that learns its own margins, and says whether the classes can be separated.
//!
//! # Problem
//! ```text
//! minimise ‖Y a − b‖²   over a and b > 0 ,   row i of Y being yᵢ·(1, xᵢ)
//! ```
//! # Method
//! Alternate the exact minimiser `a = Y†b` with a step that can only raise margins, `b ← b + η(e + |e|)` where `e = Ya − b`. Where the
//! classes are separable, `Ya > 0` comes in the end. Where they are not, `e` tends to a vector without positive entries, and
//! `λ = −e` has `Yᵗλ = 0`: multipliers that prove it. The modified rule moves `a ← a + ηY†|e|`, which is the same without
//! rounding, because `Yᵗe = 0`.
//!
//! `YᵗY` is factored once, from centred and scaled columns. A step is one sweep: with a block of rows in the cache, `e` and the new
//! `b` are found and `Yᵗ(b − Ya)` is summed up, so that every step also removes the rounding of the one before; the modified
//! rule does so every fiftieth step. Values of `e` within their rounding error are taken for 0, or else `b` would creep.
//! The multipliers are tried at steps 1, 2, 4, 8, …, each time corrected so that their sum is 0 to working precision.
//! # Cost
//! `nd²` operations for the factorisation and for each trial of the multipliers, `2nd` a step; no memory beside `b` and `e`.
//! # Reference
//! Ho & Kashyap (1965); Duda, Hart & Stork (2001), section 5.9.

use lm_core::{
    BinaryLabels, Control, Error, Examples, Fit, Learner, Linear, Margins, Meter, Result, Separation, Stop,
    TrainingSet, Verdict, parallel,
};

use crate::range::InRange;
use crate::separability::{Separability, Undecided, proof};
use crate::statistics::Moments;
use crate::whitening::Whitening;

/// Rows of a chunk, which one thread works on.
const CHUNK: usize = 4096;

/// Rows of a block, which stay in the cache between the two products.
const BLOCK: usize = 256;

/// Steps after which the modified rule removes what rounding has done.
const REFRESH: u64 = 50;

/// The rule by which weights follow margins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HoKashyapRule {
    /// `a ← Y†b`.
    #[default]
    Exact,
    /// `a ← a + ηY†|e|`.
    Modified,
}

/// The Ho–Kashyap procedure.
///
/// ```
/// use lm_closed::{HoKashyap, Separability};
/// use lm_core::{BinaryLabels, Certificate, Dense, Learner, Stop, TrainingSet};
///
/// let examples = Dense::new(vec![0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0], 4, 2)?;
/// let separable = BinaryLabels::from_integers(&[1, 1, 1, -1])?;
/// let fit = HoKashyap::default().fit(&examples, &separable)?.converged()?;
/// assert!(matches!(fit.certificate, Separability::Separable(_)));
///
/// let exclusive_or = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// let fit = HoKashyap::default().fit(&examples, &exclusive_or)?;
/// assert_eq!(fit.report.stop, Stop::Infeasible);
/// let Separability::Inseparable(proof) = &fit.certificate else { unreachable!() };
/// assert!(proof.multipliers().iter().all(|lambda| (lambda - 0.25).abs() < 1e-12));
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &exclusive_or)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HoKashyap {
    rule: HoKashyapRule,
    rate: f64,
    iterations: u64,
    tolerance: f64,
}

impl Default for HoKashyap {
    fn default() -> Self {
        Self { rule: HoKashyapRule::Exact, rate: 0.9, iterations: 10_000, tolerance: 1e-12 }
    }
}

impl HoKashyap {
    /// The rule by which weights follow margins. Default: [`HoKashyapRule::Exact`]. Both cost the same.
    #[must_use]
    pub fn with_rule(self, rule: HoKashyapRule) -> Self {
        Self { rule, ..self }
    }

    /// The rate `η`, above 0 and at most 1; default 0.9. Below 1 every step shortens `e`.
    #[must_use]
    pub fn with_rate(self, rate: f64) -> Self {
        Self { rate, ..self }
    }

    /// Ends the run undecided after this many steps. At least 1; default 10 000. A budget on iterations takes its place.
    #[must_use]
    pub fn with_iterations(self, iterations: u64) -> Self {
        Self { iterations, ..self }
    }

    /// The margin that multipliers must rule out to prove that the classes cannot be separated, as a share of the largest norm of
    /// an example; above 0, below 1, default 1e-12. Classes that can be separated by less may be called inseparable.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    fn validate(&self) -> Result<()> {
        let setting = |name, value, accepted| Err(Error::Setting { name, value, accepted });
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            return setting("rate", self.rate, "a number above 0, at most 1");
        }
        if self.iterations == 0 {
            return setting("iterations", 0.0, "an integer of at least 1");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return setting("tolerance", self.tolerance, "a number between 0 and 1");
        }
        Ok(())
    }

    /// Runs on examples that are in range.
    fn run<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        meter: &mut Meter<'_>,
    ) -> Result<(Linear, Stop, Evidence)> {
        let mut state = State::new(set)?;
        state.sweep(0.0, Move::Refit)?; // a = Y†b for the margins that it starts with
        let mut tried = 1;
        loop {
            let refresh = meter.iterations() % REFRESH == REFRESH - 1;
            let kind = match self.rule {
                HoKashyapRule::Modified if !refresh => Move::Modified,
                _ => Move::Refit,
            };
            let hyperplane = state.hyperplane()?;
            state.sweep(self.rate, kind)?;
            if state.separates(&hyperplane) && state.confirmed(&hyperplane)? {
                let _ = meter.advance(1, 0);
                return Ok((hyperplane, Stop::Converged, Evidence::Separates));
            }
            let step = meter.iterations() + 1;
            if step == tried || state.still {
                tried = tried.saturating_mul(2);
                if let Some(found) = proof(state.multipliers(), set, state.radius, self.tolerance)? {
                    let _ = meter.advance(1, 0);
                    let lambda = found.multipliers().to_vec();
                    return Ok((hyperplane, Stop::Infeasible, Evidence::Multipliers(lambda)));
                }
            }
            let stop = meter.advance(1, 0);
            meter.observe(Some(state.squares), Some(state.raised));
            if let Some(stop) = stop.or(state.still.then_some(Stop::Stalled)) {
                return Ok((hyperplane, stop, Evidence::None));
            }
        }
    }
}

/// What a run has shown, before it is put into the units of the caller's examples.
enum Evidence {
    Separates,
    Multipliers(Vec<f64>),
    None,
}

/// How a sweep moves the weights.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    /// To `Y†b`.
    Refit,
    /// By `ηY†|e|`.
    Modified,
}

/// A stretch of rows with their margins and errors, and what a sweep sums up over them.
struct Chunk {
    first: usize,
    b: Vec<f64>,
    e: Vec<f64>,
    /// `Σ ωyq` and `Σ ωyq x` for the vector `q` to be fitted.
    pull: f64,
    pulls: Vec<f64>,
    /// `Σ ωe²`, the same over positive `e`, and the least of `Ya` over the rows that are present.
    squares: f64,
    raised: f64,
    least: f64,
}

/// `a` as a function of centred examples, with everything that a step needs.
struct State<'a, E: ?Sized> {
    set: TrainingSet<'a, E, BinaryLabels>,
    mean: Vec<f64>,
    total: f64,
    whitening: Whitening,
    /// `a = (c, w)` with `f(x) = c + ⟨w·(x − m)⟩`.
    centre: f64,
    w: Vec<f64>,
    chunks: Vec<Chunk>,
    /// The largest norm of an example.
    radius: f64,
    squares: f64,
    raised: f64,
    least: f64,
    /// Whether no margin was raised in the last sweep: the next one would change nothing.
    still: bool,
}

impl<'a, E: Examples + ?Sized> State<'a, E> {
    fn new(set: &TrainingSet<'a, E, BinaryLabels>) -> Result<Self> {
        let (examples, dim, len) = (set.examples(), set.examples().dim(), set.len());
        let moments = Moments::of(examples, &[], set.weights())?;
        let mean = moments.mean().to_vec();
        let sizes: Vec<f64> = mean.iter().map(|mean| mean.abs()).collect();
        let whitening = Whitening::of_scatter(moments.scatter(), moments.weight(), &sizes)?;
        let chunk = |first: usize| {
            let rows = CHUNK.min(len - first);
            let (b, e) = (vec![1.0; rows], vec![0.0; rows]);
            Chunk { first, b, e, pull: 0.0, pulls: vec![0.0; dim], squares: 0.0, raised: 0.0, least: 0.0 }
        };
        let chunks = (0..len).step_by(CHUNK).map(chunk).collect();
        let radius = (0..len).map(|row| examples.norm_squared(row)).fold(0.0, f64::max).sqrt();
        let (w, total) = (vec![0.0; dim], moments.weight());
        let (squares, raised, least, still) = (0.0, 0.0, 0.0, false);
        Ok(Self {
            set: *set,
            mean,
            total,
            whitening,
            centre: 0.0,
            w,
            chunks,
            radius,
            squares,
            raised,
            least,
            still,
        })
    }

    /// The function that `a` stands for.
    fn hyperplane(&self) -> Result<Linear> {
        let at_mean: f64 = self.w.iter().zip(&self.mean).map(|(w, m)| w * m).sum();
        Linear::new(self.w.clone(), self.centre - at_mean)
    }

    /// One pass: `e = Ya − b` and its figures at the present `a`, then new margins and new weights.
    fn sweep(&mut self, rate: f64, kind: Move) -> Result<()> {
        let hyperplane = self.hyperplane()?;
        let (set, w, bias) = (&self.set, hyperplane.weights(), hyperplane.bias());
        let doubt = self.rounding(&hyperplane);
        parallel::for_each_chunk(&mut self.chunks, 1, |_, chunks| {
            chunks.iter_mut().for_each(|chunk| chunk.sweep(set, (w, bias, doubt), rate, kind));
        });
        let mut pull = 0.0;
        let mut pulls = vec![0.0; self.w.len()];
        (self.squares, self.raised, self.least) = (0.0, 0.0, f64::INFINITY);
        for chunk in &self.chunks {
            pull += chunk.pull;
            pulls.iter_mut().zip(&chunk.pulls).for_each(|(sum, part)| *sum += part);
            self.squares += chunk.squares;
            self.raised += chunk.raised;
            self.least = self.least.min(chunk.least);
        }
        pulls.iter_mut().zip(&self.mean).for_each(|(sum, mean)| *sum -= mean * pull);
        self.centre += pull / self.total;
        let step = self.whitening.solve(&pulls)?;
        self.w.iter_mut().zip(step).for_each(|(w, step)| *w += step);
        self.still = rate > 0.0 && self.raised == 0.0;
        if self.centre.is_finite() && self.w.iter().all(|w| w.is_finite()) && self.squares.is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the weights of Ho and Kashyap's procedure" })
        }
    }

    /// A bound on the rounding error of a decision value.
    fn rounding(&self, hyperplane: &Linear) -> f64 {
        let terms = 2.0 * (self.w.len() as f64 + 4.0);
        terms * f64::EPSILON * (hyperplane.norm() * self.radius + hyperplane.bias().abs())
    }

    /// Whether every example was on its own side in the last sweep, beyond rounding.
    fn separates(&self, hyperplane: &Linear) -> bool {
        self.least > self.rounding(hyperplane)
    }

    /// Whether the claim that a hyperplane separates holds for all examples that are present.
    fn confirmed(&self, hyperplane: &Linear) -> Result<bool> {
        Ok(separation(hyperplane, &self.set)?.is_some())
    }

    /// `−ωe` where that is positive.
    fn multipliers(&self) -> Vec<f64> {
        let of = |chunk: &Chunk| {
            let first = chunk.first;
            let rows = chunk.e.iter().enumerate();
            rows.map(|(at, e)| self.set.weight(first + at) * (-e).max(0.0)).collect::<Vec<_>>()
        };
        self.chunks.iter().flat_map(of).collect()
    }
}

impl Chunk {
    fn sweep<E: Examples + ?Sized>(
        &mut self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        (w, bias, doubt): (&[f64], f64, f64),
        rate: f64,
        kind: Move,
    ) {
        let (examples, signs) = (set.examples(), set.labels().signs());
        (self.pull, self.squares, self.raised, self.least) = (0.0, 0.0, 0.0, f64::INFINITY);
        self.pulls.fill(0.0);
        let starts = (self.first..).step_by(BLOCK);
        for (start, (b, e)) in starts.zip(self.b.chunks_mut(BLOCK).zip(self.e.chunks_mut(BLOCK))) {
            examples.dots(start..start + e.len(), w, e);
            for (row, (b, e)) in (start..).zip(b.iter_mut().zip(e)) {
                let (own, sign) = (set.weight(row), signs[row].value());
                if own == 0.0 {
                    *e = 0.0;
                    continue;
                }
                let value = sign * (*e + bias);
                *e = value - *b;
                if e.abs() <= doubt {
                    *e = 0.0;
                }
                self.least = self.least.min(value);
                self.squares += own * *e * *e;
                let raise = 2.0 * rate * e.max(0.0);
                self.raised += own * raise * raise;
                *b += raise;
                let q = own * sign * if kind == Move::Modified { rate * e.abs() } else { raise - *e };
                self.pull += q;
                if q != 0.0 {
                    examples.add_scaled(row, q, &mut self.pulls);
                }
            }
        }
    }
}

/// The claim that a hyperplane separates the examples that are present, if it holds.
fn separation<E: Examples + ?Sized>(
    hyperplane: &Linear,
    set: &TrainingSet<'_, E, BinaryLabels>,
) -> Result<Option<Separability>> {
    let margins = match Margins::geometric(hyperplane, set) {
        Ok(margins) => margins,
        // Weights that are all zero are no hyperplane, and one whose distances overflow proves nothing.
        Err(Error::Setting { .. } | Error::Numerical { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let present = margins.values().iter().enumerate().filter(|(row, _)| set.weight(*row) > 0.0);
    let margin = present.fold(f64::INFINITY, |least, (_, margin)| least.min(*margin));
    let claim = Separability::Separable(Separation { hyperplane: hyperplane.clone(), margin });
    Ok(matches!(lm_core::Certificate::verify(&claim, set)?, Verdict::Valid).then_some(claim))
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for HoKashyap {
    type Model = Linear;
    type Certificate = Separability;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, Separability>> {
        self.validate()?;
        let mut meter = control.start(self.iterations);
        let (dim, len) = (set.examples().dim(), set.len());
        let needed = dim.saturating_mul(dim).saturating_mul(20).saturating_add(len.saturating_mul(3));
        meter
            .budget()
            .check_memory("the scatter and the margins", needed.saturating_mul(size_of::<f64>()))?;
        let (model, stop, evidence) = match InRange::of(set.examples())? {
            None => self.run(set, &mut meter)?,
            Some(copy) => {
                let (model, stop, evidence) = self.run(&set.over(&copy.examples)?, &mut meter)?;
                (copy.restored(&model)?, stop, evidence)
            }
        };
        // What was shown is stated for the examples as they were given, and checked there.
        let shown = match &evidence {
            Evidence::Separates => separation(&model, set)?,
            Evidence::Multipliers(lambda) => match lm_core::Inseparability::new(lambda, set) {
                Ok(proof) => Some(Separability::Inseparable(proof)),
                Err(Error::Numerical { .. }) => None,
                Err(error) => return Err(error),
            },
            Evidence::None => None,
        };
        let stop = if shown.is_none() && !matches!(evidence, Evidence::None) { Stop::Stalled } else { stop };
        let certificate = match shown {
            Some(shown) => shown,
            None => Separability::Undecided(Undecided::new(model.clone(), set)?),
        };
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}
