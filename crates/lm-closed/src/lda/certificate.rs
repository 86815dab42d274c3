//! The evidence for a discriminant analysis: what is left of the systems that its vectors solve.

use lm_core::double_double::dot;
use lm_core::{Certificate, ClassLabels, Discrepancy, Error, Examples, Result, TrainingSet, Verdict};

use super::{LdaModel, roundings};
use crate::centred::Centred;
use crate::range::InRange;
use crate::scatter_residual::{Recomputed, relative_residual, roots, size_along};

/// Upper bounds of what is left of the systems, relative to the sizes of their terms, the rounding of the sums included.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LdaFigures {
    /// The largest entry of `S w_c − W (m_c − m)` over all classes, relative. Near 1 where the scatter is singular and class
    /// means differ outside of its range: no `w_c` solves the system then.
    pub solve_residual: f64,
    /// The largest entry of `S_B v − λ S v` over all directions, relative. As above where the scatter is singular.
    pub eigen_residual: f64,
    /// The largest entry of `Vᵗ S V / W − I`: small for a singular scatter too.
    pub orthogonality: f64,
}

/// The systems of a model, with the left sides to be filled in.
struct Systems {
    /// The weights of the functions, then the directions.
    vectors: Vec<Vec<f64>>,
    classes: usize,
    eigenvalues: Vec<f64>,
}

/// What the left and right sides are made of.
struct Sides<'a> {
    total: f64,
    class_weights: &'a [f64],
    /// `m_c − m`.
    deviations: &'a [Vec<f64>],
    roots: &'a [f64],
    /// `S v` for all vectors.
    products: &'a [Vec<f64>],
    /// Roundings in an entry of `S`, and in an entry of a mean.
    doubt: (f64, &'a [f64]),
}

impl Systems {
    fn of(model: &LdaModel, copy: Option<&InRange>) -> Self {
        let carried = |v: &[f64]| copy.map_or_else(|| v.to_vec(), |copy| copy.carried(v));
        let functions = model.machine().functions();
        let weights = functions.iter().map(|function| carried(function.weights()));
        let vectors = weights.chain(model.projection().directions().map(carried)).collect();
        Self { vectors, classes: functions.len(), eigenvalues: model.projection().eigenvalues().to_vec() }
    }

    fn figures(&self, sides: &Sides<'_>) -> LdaFigures {
        let (entry, mean) = sides.doubt;
        let along: Vec<f64> = self.vectors.iter().map(|v| size_along(sides.roots, v)).collect();
        let mut figures = LdaFigures { solve_residual: 0.0, eigen_residual: 0.0, orthogonality: 0.0 };
        for ((deviation, product), along) in sides.deviations.iter().zip(sides.products).zip(&along) {
            let rhs: Vec<f64> = deviation.iter().map(|m| sides.total * m).collect();
            let doubt = |i: usize| entry * (sides.roots[i] * along + rhs[i].abs()) + sides.total * mean[i];
            let left = relative_residual(product, sides.roots, *along, &rhs, doubt);
            figures.solve_residual = figures.solve_residual.max(left);
        }
        let directions = self.classes..self.vectors.len();
        for (j, lambda) in directions.clone().zip(&self.eigenvalues) {
            let (v, product) = (&self.vectors[j], &sides.products[j]);
            let left: Vec<f64> = product.iter().map(|product| lambda * product).collect();
            let (mut rhs, mut size) = (vec![0.0; v.len()], vec![0.0; v.len()]);
            for (own, deviation) in sides.class_weights.iter().zip(sides.deviations) {
                let (mut inner, mut inner_size, mut shaken) = (0.0, 0.0, 0.0);
                for ((v, d), mean) in v.iter().zip(deviation).zip(mean) {
                    inner += v * d;
                    inner_size += (v * d).abs();
                    shaken += (v * mean).abs();
                }
                for (i, d) in deviation.iter().enumerate() {
                    rhs[i] += own * d * inner;
                    size[i] += own * (entry * d.abs() * inner_size + mean[i] * inner_size + d.abs() * shaken);
                }
            }
            let doubt = |i: usize| entry * lambda * sides.roots[i] * along[j] + size[i];
            let left = relative_residual(&left, sides.roots, lambda * along[j], &rhs, doubt);
            figures.eigen_residual = figures.eigen_residual.max(left);
        }
        for j in directions.clone() {
            for i in directions.clone() {
                let inner: f64 = self.vectors[i].iter().zip(&sides.products[j]).map(|(v, p)| v * p).sum();
                let off = (inner / sides.total - f64::from(u8::from(i == j))).abs();
                figures.orthogonality = figures
                    .orthogonality
                    .max(off + entry * (along[i] / sides.total.sqrt()) * (along[j] / sides.total.sqrt()));
            }
        }
        figures
    }
}

impl LdaFigures {
    /// Measured by a solver, on the scatter that it has.
    pub(super) fn measured(model: &LdaModel, centred: &Centred, len: usize) -> Result<Self> {
        let systems = Systems::of(model, None);
        let means = &centred.means;
        let mut sides = (centred.diagonal(), centred.products(&systems.vectors)?);
        shrink(model.shrinkage(), &systems.vectors, &mut sides);
        let shaken: Vec<f64> = means.sizes().iter().map(|size| 8.0 * f64::EPSILON * size).collect();
        Ok(systems.figures(&Sides {
            total: means.weight(),
            class_weights: &means.weights,
            deviations: &means.deviations(),
            roots: &roots(&sides.0),
            products: &sides.1,
            doubt: (4.0 * f64::EPSILON * (roundings(len, means.dim) + means.dim as f64), &shaken),
        }))
    }
}

/// Turns diagonal and products of `S_W` into those of `(1 − γ)S_W + γ(tr S_W/d)I`.
fn shrink(share: f64, vectors: &[Vec<f64>], (diagonal, products): &mut (Vec<f64>, Vec<Vec<f64>>)) {
    let common = share * diagonal.iter().sum::<f64>() / diagonal.len() as f64;
    diagonal.iter_mut().for_each(|value| *value = (1.0 - share) * *value + common);
    for (product, v) in products.iter_mut().zip(vectors) {
        product.iter_mut().zip(v).for_each(|(value, v)| *value = (1.0 - share) * *value + common * v);
    }
}

/// A model, and how well its functions and directions solve the systems that define them.
///
/// [`Certificate::verify`] takes class means and scatter from the examples anew, in double-double arithmetic and without
/// forming a matrix, and accepts figures that are not exceeded. The biases must stand for prior probabilities with sum 1.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LdaCertificate {
    model: LdaModel,
    figures: LdaFigures,
}

impl LdaCertificate {
    pub(super) fn new(model: LdaModel, figures: LdaFigures) -> Self {
        Self { model, figures }
    }

    /// The model that the bounds are about.
    pub fn model(&self) -> &LdaModel {
        &self.model
    }

    /// The bounds that are claimed.
    pub fn figures(&self) -> LdaFigures {
        self.figures
    }

    fn recomputed<E: Examples + ?Sized>(
        &self,
        examples: &E,
        copy: Option<&InRange>,
        set: (&ClassLabels, &(dyn Fn(usize) -> f64 + Sync)),
    ) -> Result<(LdaFigures, f64)> {
        let (labels, weight) = set;
        let systems = Systems::of(&self.model, copy);
        let class = |row: usize| labels.indices()[row] as usize;
        let found = Recomputed::of(examples, labels.classes().len(), class, weight, &systems.vectors)?;
        let mut sides = (found.diagonal.clone(), found.products.clone());
        shrink(self.model.shrinkage(), &systems.vectors, &mut sides);
        let deviations = found.deviations();
        let figures = systems.figures(&Sides {
            total: found.weight(),
            class_weights: &found.weights,
            deviations: &deviations,
            roots: &roots(&sides.0),
            products: &sides.1,
            doubt: (0.0, &vec![0.0; examples.dim()]),
        });
        Ok((figures, self.unexplained(&systems, &found.total_mean(), &deviations)))
    }
}

impl LdaCertificate {
    /// How far the probabilities that the biases stand for, `ln π_c = b_c + w_cᵗm + ½w_cᵗ(m_c − m)`, are from having sum 1,
    /// in excess of rounding.
    fn unexplained(&self, systems: &Systems, mean: &[f64], deviations: &[Vec<f64>]) -> f64 {
        let (mut sum, mut rounding) = (0.0, 0.0);
        for ((function, w), deviation) in
            self.model.machine().functions().iter().zip(&systems.vectors).zip(deviations)
        {
            let terms = [function.bias(), dot(w, mean).value(), 0.5 * dot(w, deviation).value()];
            let prior = terms.iter().sum::<f64>().exp();
            let products = w.iter().zip(mean).map(|(w, m)| (w * m).abs()).sum::<f64>();
            sum += prior;
            // Half of the digits of a solve are left at the worst condition that is used.
            rounding +=
                prior * (16.0 * f64::EPSILON * (products + terms[0].abs()) + 1e-7 * (1.0 + terms[2].abs()));
        }
        (f64::abs(sum - 1.0) - rounding).max(0.0)
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, ClassLabels>> for LdaCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, ClassLabels>) -> Result<Verdict> {
        let (examples, labels) = (set.examples(), set.labels());
        examples.check_dim("a weight vector", self.model.projection().dim())?;
        let functions = self.model.machine().functions().len();
        if labels.classes().len() != functions {
            let (expected, found) = (functions, labels.classes().len());
            return Err(Error::Length { what: "the list of classes", expected, found });
        }
        let weight = |row: usize| set.weight(row);
        let (now, unexplained) = match InRange::of(examples)? {
            None => self.recomputed(examples, None, (labels, &weight))?,
            Some(copy) => self.recomputed(&copy.examples, Some(&copy), (labels, &weight))?,
        };
        let claims = [
            ("the residual of the functions", self.figures.solve_residual, now.solve_residual),
            ("the residual of the directions", self.figures.eigen_residual, now.eigen_residual),
            ("the deviation from orthogonality", self.figures.orthogonality, now.orthogonality),
            ("the distance of the sum of the priors from 1", 0.0, unexplained),
        ];
        // Written so that NaN fails.
        let wrong = claims.iter().find(|(_, claimed, recomputed)| !(recomputed <= claimed));
        Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, recomputed)| {
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
        }))
    }
}
