//! Minimisation of a smooth function in a box, with a memory of a few steps.
//!
//! # Problem
//! ```text
//! minimise f(x)   subject to   l ≤ x ≤ u
//! ```
//! # Method
//! Variables at a bound that the gradient pushes against stay there; on the others the direction is that of L-BFGS, by the
//! two loops over the last steps. The step is halved until the point, put back into the box, has a value low enough
//! (Armijo's rule). A point where the function cannot be computed counts as one with too high a value.
//! # Cost
//! One value and gradient a trial, seldom more than two an iteration; twenty vectors.
//! # Reference
//! Bertsekas (1982) for the projection; Liu & Nocedal (1989), algorithm 2.1 for the direction.

use lm_core::{Result, Stop};

/// What a function says of a point.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Evaluation {
    /// Its value and its gradient.
    Known(f64, Vec<f64>),
    /// It cannot be computed here.
    Unknown,
    /// The run must end.
    Stopped(Stop),
}

/// The best point of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Minimum {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    /// The largest entry of the projected gradient.
    pub(super) slope: f64,
    pub(super) iterations: u64,
    pub(super) stop: Stop,
}

/// The steps that are remembered.
const MEMORY: usize = 10;

/// The longest step of a coordinate.
const LONGEST: f64 = 2.0;

/// Minimises from `x` on, until the projected gradient is at most `tolerance`; none, if the run must end or the function
/// is unknown at the start.
pub(super) fn minimise(
    x: &[f64],
    bounds: &[(f64, f64)],
    tolerance: f64,
    most: u64,
    f: &mut dyn FnMut(&[f64]) -> Result<Evaluation>,
) -> Result<std::result::Result<Minimum, Stop>> {
    let x = clipped(x, bounds);
    let (value, gradient) = match f(&x)? {
        Evaluation::Known(value, gradient) => (value, gradient),
        Evaluation::Unknown => return Ok(Err(Stop::Stalled)),
        Evaluation::Stopped(stop) => return Ok(Err(stop)),
    };
    let mut state = State { x, value, gradient, bounds, steps: Vec::new() };
    let mut iterations = 0;
    let stop = loop {
        if state.slope() <= tolerance {
            break Stop::Converged;
        }
        if iterations == most {
            break Stop::Iterations;
        }
        if let Some(stop) = state.step(f)? {
            break stop;
        }
        iterations += 1;
    };
    let slope = state.slope();
    Ok(Ok(Minimum { x: state.x, value: state.value, slope, iterations, stop }))
}

struct State<'a> {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    bounds: &'a [(f64, f64)],
    /// The last steps and the changes of the gradient.
    steps: Vec<(Vec<f64>, Vec<f64>)>,
}

impl State<'_> {
    /// The largest change that a step down the gradient makes inside the box.
    fn slope(&self) -> f64 {
        let down: Vec<f64> = self.x.iter().zip(&self.gradient).map(|(x, g)| x - g).collect();
        clipped(&down, self.bounds).iter().zip(&self.x).fold(0.0, |slope, (to, x)| slope.max((to - x).abs()))
    }

    /// Whether a variable may move down the gradient.
    fn is_free(&self, k: usize) -> bool {
        let (x, g, (low, high)) = (self.x[k], self.gradient[k], self.bounds[k]);
        !(x <= low && g > 0.0 || x >= high && g < 0.0)
    }

    /// One step; the reason, if there is none.
    fn step(&mut self, f: &mut dyn FnMut(&[f64]) -> Result<Evaluation>) -> Result<Option<Stop>> {
        const HALVINGS: u32 = 40;
        let mut direction = self.direction();
        let mut along: f64 = direction.iter().zip(&self.gradient).map(|(d, g)| d * g).sum();
        if !(along < 0.0) {
            self.steps.clear();
            direction = self.direction();
            along = direction.iter().zip(&self.gradient).map(|(d, g)| d * g).sum();
        }
        if !(along < 0.0) {
            return Ok(Some(Stop::Stalled));
        }
        let longest = direction.iter().fold(0.0, |longest: f64, d| longest.max(d.abs()));
        let mut length = (LONGEST / longest).min(1.0);
        for _ in 0..HALVINGS {
            let to: Vec<f64> = self.x.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            let to = clipped(&to, self.bounds);
            let promised: f64 =
                to.iter().zip(&self.x).zip(&self.gradient).map(|((to, x), g)| g * (to - x)).sum();
            match f(&to)? {
                Evaluation::Stopped(stop) => return Ok(Some(stop)),
                Evaluation::Known(value, gradient) if value <= self.value + 1e-4 * promised => {
                    if !(value < self.value) {
                        return Ok(Some(Stop::Stalled));
                    }
                    self.moved(to, value, gradient);
                    return Ok(None);
                }
                Evaluation::Known(..) | Evaluation::Unknown => length *= 0.5,
            }
        }
        Ok(Some(Stop::Stalled))
    }

    /// Takes the step and remembers it, if the function curves upward along it.
    fn moved(&mut self, to: Vec<f64>, value: f64, gradient: Vec<f64>) {
        let s: Vec<f64> = to.iter().zip(&self.x).map(|(to, x)| to - x).collect();
        let y: Vec<f64> = gradient.iter().zip(&self.gradient).map(|(new, old)| new - old).collect();
        let curvature: f64 = s.iter().zip(&y).map(|(s, y)| s * y).sum();
        let size: f64 = y.iter().map(|y| y * y).sum();
        if curvature > 1e-10 * size {
            if self.steps.len() == MEMORY {
                self.steps.remove(0);
            }
            self.steps.push((s, y));
        }
        (self.x, self.value, self.gradient) = (to, value, gradient);
    }

    /// The direction of L-BFGS on the free variables.
    fn direction(&self) -> Vec<f64> {
        let free: Vec<bool> = (0..self.x.len()).map(|k| self.is_free(k)).collect();
        let dot = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).zip(&free).filter(|(_, free)| **free).map(|((a, b), _)| a * b).sum()
        };
        let mut q: Vec<f64> =
            self.gradient.iter().zip(&free).map(|(g, free)| if *free { -g } else { 0.0 }).collect();
        let mut shares = Vec::with_capacity(self.steps.len());
        for (s, y) in self.steps.iter().rev() {
            let curvature = dot(s, y);
            let share = if curvature > 0.0 { dot(s, &q) / curvature } else { 0.0 };
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= share * y);
            shares.push(share);
        }
        let newest = self.steps.last().map(|(s, y)| dot(s, y) / dot(y, y)).filter(|scale| *scale > 0.0);
        // Before the first step the length of the gradient means nothing.
        let norm = dot(&self.gradient, &self.gradient).sqrt();
        let scale = newest.filter(|scale| scale.is_finite()).unwrap_or(1.0 / norm.max(1.0));
        q.iter_mut().for_each(|q| *q *= scale);
        for ((s, y), share) in self.steps.iter().zip(shares.iter().rev()) {
            let curvature = dot(s, y);
            let back = if curvature > 0.0 { dot(y, &q) / curvature } else { 0.0 };
            let share = if curvature > 0.0 { share - back } else { 0.0 };
            q.iter_mut().zip(s).for_each(|(q, s)| *q += share * s);
        }
        q.iter_mut().zip(&free).filter(|(_, free)| !**free).for_each(|(q, _)| *q = 0.0);
        q
    }
}

fn clipped(x: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    x.iter().zip(bounds).map(|(x, (low, high))| x.max(*low).min(*high)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley.
    fn valley(x: &[f64]) -> Result<Evaluation> {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        let gradient = vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b];
        Ok(Evaluation::Known(a * a + 100.0 * b * b, gradient))
    }

    #[test]
    fn a_curved_valley_is_followed_to_its_end_and_to_a_wall() {
        let free = [(-5.0, 5.0); 2];
        let found = minimise(&[-1.2, 1.0], &free, 1e-9, 200, &mut valley).unwrap().unwrap();
        assert_eq!(found.stop, Stop::Converged);
        assert!((found.x[0] - 1.0).abs() < 1e-8 && (found.x[1] - 1.0).abs() < 1e-8, "{:?}", found.x);
        // With x ≤ ½ the best is x = ½, y = ¼.
        let wall = [(-5.0, 0.5), (-5.0, 5.0)];
        let found = minimise(&[-1.2, 1.0], &wall, 1e-9, 200, &mut valley).unwrap().unwrap();
        assert_eq!((found.stop, found.x[0]), (Stop::Converged, 0.5));
        assert!((found.x[1] - 0.25).abs() < 1e-8);
    }

    #[test]
    fn unknown_points_are_avoided_and_a_stop_keeps_the_best() {
        let bounds = [(-10.0, 10.0)];
        // x − log x, unknown below 0.
        let mut f = |x: &[f64]| {
            Ok(if x[0] > 0.0 {
                Evaluation::Known(x[0] - x[0].ln(), vec![1.0 - 1.0 / x[0]])
            } else {
                Evaluation::Unknown
            })
        };
        let found = minimise(&[6.0], &bounds, 1e-10, 100, &mut f).unwrap().unwrap();
        assert!((found.x[0] - 1.0).abs() < 1e-9);
        assert_eq!(minimise(&[-1.0], &bounds, 1e-10, 100, &mut f).unwrap(), Err(Stop::Stalled));
        let mut left = 3;
        let mut limited = |x: &[f64]| {
            left -= 1;
            if left < 0 { Ok(Evaluation::Stopped(Stop::Time)) } else { valley(x) }
        };
        let found = minimise(&[-1.2, 1.0], &[(-5.0, 5.0); 2], 1e-9, 200, &mut limited).unwrap().unwrap();
        assert_eq!(found.stop, Stop::Time);
        assert!(found.value <= 24.2);
    }
}
