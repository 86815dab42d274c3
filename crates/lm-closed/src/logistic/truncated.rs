//! Logistic regression with many columns: Newton's method with steps by conjugate gradients.
//!
//! # Problem
//! That of [`irls`](super::irls), where a matrix of all pairs of coefficients is too large.
//! # Method
//! Each step solves `H s = −g` by conjugate gradients, preconditioned by the diagonal of `H`, to a relative residual that
//! falls with the gradient, so that steps become exact as they have to. A product with `H` is one sweep: scores of the
//! direction, times `ωp(1 − p)`, summed back over rows. Sparse rows stay sparse; columns are scaled by powers of two, and
//! those of dense rows are centred, without a copy.
//! # Cost
//! A sweep of two operations an entry for each product; some tens of products a step, more with a small penalty. Memory
//! for some vectors of length `K(d + 1)` a thread and `Kn` probabilities.
//! # Reference
//! Lin, Weng & Keerthi (2008), "Trust region Newton method for large-scale logistic regression"; Nocedal & Wright (2006),
//! algorithm 7.1.

use lm_core::{Error, Examples, Linear, Meter, Result, Stop, parallel};

use super::certificate::LogisticCertificate;
use super::frame::Frame;
use super::irls::{is_small, sum_to_zero};
use super::newton::{Judged, Walk};
use super::run::{Ended, Plan};
use super::sample::Sample;
use super::separation::{self, dot};

/// Learns from a sample.
pub(super) fn run<E: Examples + ?Sized>(
    plan: &Plan,
    sample: &Sample<'_, E>,
    frame: &Frame,
    meter: &mut Meter<'_>,
) -> Result<Ended> {
    let mut state = State::new(plan, sample, frame);
    let mut stop = meter.advance(0, 0);
    loop {
        let value = state.look()?;
        match state.walk.judge(value) {
            Judged::Exhausted => return state.exhausted(),
            Judged::Shortened => {}
            Judged::Accepted => {
                if let Some(ended) = state.separated()? {
                    return Ok(ended);
                }
                if stop.is_none() {
                    stop = state.turn(meter)?;
                }
                meter.observe(Some(value), Some(0.5 * state.decrement / value));
                if let Some(ended) = if stop.is_none() { state.settled()? } else { None } {
                    return Ok(ended);
                }
            }
        }
        if let Some(stop) = stop {
            return state.at(stop);
        }
        stop = meter.advance(1, 0);
    }
}

struct State<'a, E: ?Sized> {
    plan: &'a Plan,
    sample: &'a Sample<'a, E>,
    frame: &'a Frame,
    walk: Walk,
    /// At the point last looked at; the scores of each row, then their probabilities.
    gradient: Vec<f64>,
    scores: Vec<f64>,
    step: Vec<f64>,
    decrement: f64,
    /// The norm of the gradient at the start.
    first: Option<f64>,
    best: Option<LogisticCertificate>,
}

/// Rows that one thread takes at a time.
const ROWS: usize = 512;

impl<'a, E: Examples + ?Sized> State<'a, E> {
    fn new(plan: &'a Plan, sample: &'a Sample<'a, E>, frame: &'a Frame) -> Self {
        let start = sample.start();
        let (gradient, step) = (vec![0.0; start.len()], vec![0.0; start.len()]);
        let scores = vec![0.0; sample.len() * sample.likelihood.width()];
        let (walk, decrement, first, best) = (Walk::new(start), f64::INFINITY, None, None);
        Self { plan, sample, frame, walk, gradient, scores, step, decrement, first, best }
    }

    fn functions(&self, point: &[f64]) -> Result<Vec<Linear>> {
        point.chunks_exact(self.frame.dim() + 1).map(|theta| self.frame.function(theta)).collect()
    }

    /// The penalty on a coefficient, in the coordinates of the frame; biases have none.
    fn penalty(&self, k: usize) -> f64 {
        let scale = self.frame.scale().get(k % (self.frame.dim() + 1));
        scale.map_or(0.0, |scale| self.plan.penalty * scale * scale)
    }

    /// Objective and gradient at the point to be looked at.
    fn look(&mut self) -> Result<f64> {
        let functions = self.functions(self.walk.trial())?;
        let (sample, width, likelihood) = (self.sample, functions.len(), self.sample.likelihood);
        parallel::for_each_chunk(&mut self.scores, ROWS * width, |part, out| {
            let rows = part * ROWS..part * ROWS + out.len() / width;
            let mut scores = Vec::new();
            sample.scores(&functions, rows.clone(), &mut scores);
            for (k, scores) in scores.chunks_exact(rows.len()).enumerate() {
                out.iter_mut().skip(k).step_by(width).zip(scores).for_each(|(to, from)| *to = *from);
            }
        });
        let scores = &self.scores;
        let sums = self.back(1, |row, slopes, extra| {
            slopes.copy_from_slice(&scores[row * width..(row + 1) * width]);
            extra[0] += sample.weight(row) * likelihood.slope(sample.classes[row], slopes);
        })?;
        let mut value = sums[0];
        let trial = self.walk.trial();
        for (k, (gradient, sum)) in self.gradient.iter_mut().zip(&sums[1..]).enumerate() {
            *gradient = *sum;
            let scale = self.frame.scale().get(k % (self.frame.dim() + 1));
            if let Some(scale) = scale.filter(|_| self.plan.penalty > 0.0) {
                *gradient += self.plan.penalty * scale * scale * trial[k];
                value += 0.5 * self.plan.penalty * (scale * trial[k]) * (scale * trial[k]);
            }
        }
        if value.is_finite() && self.gradient.iter().all(|value| value.is_finite()) {
            Ok(value)
        } else {
            Err(Error::Numerical { what: "the likelihood" })
        }
    }

    /// `Σ ω tᵢₖ x̃ᵢ` for every function `k`, where `factors` writes the `tᵢ` of a row; before it, `extra` sums of its own.
    fn back(&self, extra: usize, factors: impl Fn(usize, &mut [f64], &mut [f64]) + Sync) -> Result<Vec<f64>> {
        let (sample, width, p) = (self.sample, self.sample.likelihood.width(), self.frame.dim() + 1);
        let mut sums = sample.fold(extra + width * p, |rows, sums| {
            let (own, sums) = sums.split_at_mut(extra);
            let mut t = vec![0.0; width];
            for row in rows.filter(|&row| sample.weight(row) != 0.0) {
                factors(row, &mut t, own);
                let example = sample.examples.row(row);
                for (t, sums) in t.iter().zip(sums.chunks_exact_mut(p)) {
                    example.add_scaled_to(sample.weight(row) * t, &mut sums[..p - 1]);
                    sums[p - 1] += sample.weight(row) * t;
                }
            }
        })?;
        for sums in sums[extra..].chunks_exact_mut(p) {
            let bias = sums[p - 1];
            for ((sum, scale), centre) in sums.iter_mut().zip(self.frame.scale()).zip(self.frame.centre()) {
                *sum = *sum * scale - centre * scale * bias;
            }
        }
        Ok(sums)
    }

    /// `H v` at the point last accepted.
    fn product(&self, v: &[f64]) -> Result<Vec<f64>> {
        let (sample, width) = (self.sample, self.sample.likelihood.width());
        let (functions, probabilities) = (self.functions(v)?, &self.scores);
        let mut product = self.back(0, |row, t, _| {
            for (t, function) in t.iter_mut().zip(&functions) {
                *t = sample.examples.dot(row, function.weights()) + function.bias();
            }
            sample.likelihood.curve(&probabilities[row * width..(row + 1) * width], t);
        })?;
        product.iter_mut().zip(v).enumerate().for_each(|(k, (product, v))| *product += self.penalty(k) * v);
        Ok(product)
    }

    /// The diagonal of `H`, as far as the preconditioner needs it: where it is zero, 1.
    fn diagonal(&self) -> Result<Vec<f64>> {
        let (sample, width, p) = (self.sample, self.sample.likelihood.width(), self.frame.dim() + 1);
        let (scale, centre) = (self.frame.scale(), self.frame.centre());
        let keeps_zeros = self.frame.keeps_zeros();
        let mut sums = sample.fold(width * p, |rows, sums| {
            let mut dense = vec![0.0; if keeps_zeros { 0 } else { p - 1 }];
            for row in rows.filter(|&row| sample.weight(row) != 0.0) {
                let own = &self.scores[row * width..(row + 1) * width];
                for (probability, sums) in own.iter().zip(sums.chunks_exact_mut(p)) {
                    let weight = sample.weight(row) * probability * (1.0 - probability);
                    sums[p - 1] += weight;
                    if keeps_zeros {
                        sample
                            .examples
                            .row(row)
                            .for_each(|k, x| sums[k] += weight * (x * scale[k]) * (x * scale[k]));
                    } else {
                        sample.examples.row(row).write_to(&mut dense);
                        for (k, x) in dense.iter().enumerate() {
                            let x = x * scale[k] - centre[k] * scale[k];
                            sums[k] += weight * x * x;
                        }
                    }
                }
            }
        })?;
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += self.penalty(k);
            if !(*sum > 0.0) {
                *sum = 1.0;
            }
        }
        Ok(sums)
    }

    /// Solves for the next step; the reason if the budget ends first.
    fn turn(&mut self, meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        /// Products after which a step is taken as it is.
        const PRODUCTS: usize = 1000;
        let (width, likelihood) = (self.sample.likelihood.width(), self.sample.likelihood);
        parallel::for_each_chunk(&mut self.scores, ROWS * width, |_, part| {
            part.chunks_exact_mut(width).for_each(|scores| likelihood.probabilities(scores));
        });
        let diagonal = self.diagonal()?;
        let norm = |r: &[f64]| r.iter().zip(&diagonal).map(|(r, m)| r * r / m).sum::<f64>().sqrt();
        let start = norm(&self.gradient);
        let first = *self.first.get_or_insert(start);
        // Exact enough for steps that get better and better, down to what a certificate asks for.
        let goal = start * (start / first).sqrt().clamp(1e-6, 0.1);
        self.step.fill(0.0);
        let mut r: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut z: Vec<f64> = r.iter().zip(&diagonal).map(|(r, m)| r / m).collect();
        let mut d = z.clone();
        let mut rz = dot(&r, &z);
        for _ in 0..PRODUCTS {
            if norm(&r) <= goal || !(rz > 0.0) {
                break;
            }
            let product = self.product(&d)?;
            let curvature = dot(&d, &product);
            if !(curvature > 0.0) {
                break;
            }
            let length = rz / curvature;
            self.step.iter_mut().zip(&d).for_each(|(s, d)| *s += length * d);
            r.iter_mut().zip(&product).for_each(|(r, q)| *r -= length * q);
            z.iter_mut().zip(&r).zip(&diagonal).for_each(|((z, r), m)| *z = r / m);
            let next = dot(&r, &z);
            d.iter_mut().zip(&z).for_each(|(d, z)| *d = z + next / rz * *d);
            rz = next;
            if let Some(stop) = meter.advance(0, 0) {
                return Ok(Some(stop));
            }
        }
        if width > 1 {
            sum_to_zero(&mut self.step, self.frame.dim() + 1);
        }
        self.decrement = -dot(&self.gradient, &self.step);
        if !(self.decrement >= 0.0 && self.step.iter().all(|s| s.is_finite())) {
            return Err(Error::Numerical { what: "a Newton step" });
        }
        self.walk.propose(&self.step, -self.decrement);
        Ok(None)
    }

    /// Without a penalty: the end of the run if every margin is positive.
    fn separated(&self) -> Result<Option<Ended>> {
        let width = self.sample.likelihood.width();
        let margin = |row: usize| {
            let scores = &self.scores[row * width..(row + 1) * width];
            self.sample.weight(row) == 0.0
                || self.sample.likelihood.margin(self.sample.classes[row], scores) > 0.0
        };
        if self.plan.penalty > 0.0 || !(0..self.sample.len()).all(margin) {
            return Ok(None);
        }
        let Some(found) = separation::prove(self.sample, self.functions(self.walk.at())?) else {
            return Ok(None);
        };
        let mut ended = self.at(Stop::Infeasible)?;
        ended.certificate.recession = Some(found);
        Ok(Some(ended))
    }

    /// The end of the run if the gap at the end of the step is small enough, or gets no smaller.
    fn settled(&mut self) -> Result<Option<Ended>> {
        let small = is_small(self.decrement, self.walk.value(), self.plan.tolerance);
        let moves: f64 = self.step.iter().map(|step| step.abs()).sum();
        if !small || self.plan.penalty == 0.0 && moves > 0.5 {
            return Ok(None);
        }
        let (functions, base) = (self.functions(self.walk.trial())?, self.functions(self.walk.at())?);
        let certificate = LogisticCertificate::compute(self.sample, functions, base, self.plan.penalty)?;
        Ok(self.plan.judge(certificate, &mut self.best))
    }

    fn exhausted(&self) -> Result<Ended> {
        let ended = self.at(Stop::Stalled)?;
        let met = self.plan.meets(&ended.certificate);
        Ok(Ended { stop: if met { Stop::Converged } else { Stop::Stalled }, ..ended })
    }

    /// The best point looked at, with what it proves by itself.
    fn at(&self, stop: Stop) -> Result<Ended> {
        let functions = self.functions(self.walk.at())?;
        let base = functions.clone();
        let certificate = LogisticCertificate::compute(self.sample, functions, base, self.plan.penalty)?;
        Ok(Ended { stop, certificate })
    }
}
