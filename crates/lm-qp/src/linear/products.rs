//! Newton directions by conjugate gradients: from products with the examples, where no matrix is formed.

use lm_core::{Examples, Meter, Stop, parallel};

use super::sample::dot;
use super::system::{Direction, System};
use crate::bias::Bias;

/// Steps of conjugate gradients; a direction that is not exact is still one of descent.
const STEPS: usize = 400;

impl<E: Examples + ?Sized> System<'_, '_, E> {
    /// Conjugate gradients on the whole system, with its diagonal as the preconditioner.
    pub(super) fn by_products(&self, g: &Direction, meter: &mut Meter<'_>) -> Result<Direction, Stop> {
        let own = if self.sample.bias == Bias::Penalised { 1.0 } else { 0.0 };
        let biased = self.sample.bias != Bias::None;
        let diagonal = self.diagonal(own);
        let product = |s: &Direction| {
            let mut pulls = vec![0.0; self.rows.len()];
            let shift = dot(&s.w, self.centre);
            self.dots(&s.w, &mut pulls);
            let pull = |(pull, weight): (&mut f64, &f64)| *pull = weight * (*pull - shift + s.b);
            pulls.iter_mut().zip(self.weights).for_each(pull);
            let mut w = self.transposed(&pulls);
            w.iter_mut().zip(&s.w).for_each(|(w, s)| *w += s);
            let b = if biased { pulls.iter().sum::<f64>() + own * s.b } else { 0.0 };
            Direction { w, b }
        };
        let scaled = |r: &Direction| Direction {
            w: r.w.iter().zip(&diagonal.w).map(|(r, d)| r / d).collect(),
            b: if biased { r.b / diagonal.b } else { 0.0 },
        };
        let inner = |a: &Direction, c: &Direction| dot(&a.w, &c.w) + a.b * c.b;
        let mut residual =
            Direction { w: g.w.iter().map(|g| -g).collect(), b: if biased { -g.b } else { 0.0 } };
        let mut sum = Direction { w: vec![0.0; g.w.len()], b: 0.0 };
        let mut step = scaled(&residual);
        let mut size = inner(&residual, &step);
        let enough = 1e-8 * size;
        for _ in 0..STEPS {
            if !(size > enough) {
                break;
            }
            let image = product(&step);
            let along = size / inner(&step, &image);
            if !along.is_finite() {
                break;
            }
            add(&mut sum, along, &step);
            add(&mut residual, -along, &image);
            let next = scaled(&residual);
            let smaller = inner(&residual, &next);
            let kept = smaller / size;
            step.w.iter_mut().zip(&next.w).for_each(|(step, next)| *step = next + kept * *step);
            step.b = next.b + kept * step.b;
            size = smaller;
            if let Some(stop) = meter.advance(0, 0) {
                return Err(stop);
            }
        }
        Ok(sum)
    }

    /// `⟨xᵢ·w⟩` for the examples that count.
    fn dots(&self, w: &[f64], out: &mut [f64]) {
        const ROWS: usize = 2048;
        parallel::for_each_chunk(out, ROWS, |part, out| {
            let first = part * ROWS;
            self.sample.examples.dots_at(&self.rows[first..first + out.len()], w, out);
        });
    }

    /// The diagonal of `P + ZᵗDZ`.
    fn diagonal(&self, own: f64) -> Direction {
        let mut w = self.sample.folded(self.rows.len(), |range, total| {
            for at in range {
                let (row, weight) = (self.sample.examples.row(self.rows[at] as usize), self.weights[at]);
                let centre = |k: usize| self.centre.get(k).copied().unwrap_or(0.0);
                row.for_each(|k, x| total[k] += weight * (x - centre(k)) * (x - centre(k)));
            }
        });
        w.iter_mut().for_each(|w| *w += 1.0);
        Direction { w, b: own + self.weights.iter().sum::<f64>() }
    }
}

/// `sum ← sum + factor·step`.
pub(super) fn add(sum: &mut Direction, factor: f64, step: &Direction) {
    sum.w.iter_mut().zip(&step.w).for_each(|(sum, step)| *sum += factor * step);
    sum.b += factor * step.b;
}
