//! What the polish asks of a run: precise products, the variables that are undecided, another point.

use lm_core::double_double::{DoubleDouble, add_transposed_products};
use lm_core::{Gram, Result};

use super::Smo;
use crate::optimality::Standing;
use crate::problem::Multipliers;

impl<G: Gram + ?Sized> Smo<'_, G> {
    /// As `resynchronise`, with sums of twice the digits; returns `Kβ`.
    pub(crate) fn resynchronise_precisely(&mut self) -> Result<Vec<DoubleDouble>> {
        let mut v = vec![DoubleDouble::ZERO; self.beta.len()];
        self.for_support(|beta, row| add_transposed_products(row, &[beta.into()], &mut v))?;
        for (i, (g, v)) in self.gradient.iter_mut().zip(&v).enumerate() {
            *g = (*v + DoubleDouble::product(self.problem.ridge(i), self.beta[i])).value();
        }
        self.take_up_all();
        Ok(v)
    }

    /// The variables that are not settled at a bound or kink: at most this many, those with the smallest price first.
    pub(crate) fn undecided(&self, standing: &Standing, most: usize) -> Vec<usize> {
        let Multipliers { positive, negative } = standing.multipliers;
        // What a variable loses by moving away from where it is; 0 between its bounds.
        let price = |i: usize| {
            let (beta, g) = (self.beta[i], self.gradient[i]);
            let rising = g + self.problem.above()[i] + positive;
            let falling = g + self.problem.below()[i] + negative;
            let (upper, lower) = (self.problem.upper()[i], self.problem.lower()[i]);
            if beta == 0.0 {
                let up = if upper > 0.0 { rising } else { f64::INFINITY };
                up.min(if lower < 0.0 { -falling } else { f64::INFINITY })
            } else if beta == upper {
                -rising
            } else if beta == lower {
                falling
            } else {
                0.0
            }
        };
        let prices: Vec<f64> = (0..self.beta.len()).map(price).collect();
        let violated = prices.iter().fold(self.violation().max(0.0), |most: f64, price| most.max(-price));
        let mut undecided: Vec<usize> = (0..prices.len()).filter(|&i| prices[i] <= 2.0 * violated).collect();
        if undecided.len() > most {
            undecided.sort_by(|&a, &b| prices[a].total_cmp(&prices[b]).then(a.cmp(&b)));
            undecided.truncate(most);
            undecided.sort_unstable();
        }
        undecided
    }

    /// Goes on from a point with other values of some coefficients if it is better than the present one.
    pub(crate) fn take_if_better(
        &mut self,
        rows: &[usize],
        values: &[f64],
        now: Standing,
    ) -> Result<Standing> {
        let before = self.beta.clone();
        let mut beta = self.beta.clone();
        rows.iter().zip(values).for_each(|(&i, &value)| beta[i] = value);
        self.beta = self.problem.feasible_near(&beta)?;
        self.resynchronise_precisely()?;
        let then = self.standing()?;
        if then.gap < now.gap || then.objective < now.objective {
            return Ok(then);
        }
        self.beta = before;
        self.resynchronise_precisely()?;
        Ok(now)
    }
}
