//! Small learners that tests are written with: the hyperplane halfway between two means, exact and weighted, and ways
//! in which it could be wrong.

use std::sync::atomic::{AtomicU64, Ordering};

use lm_core::{
    BinaryLabels, Certificate, Columns, Control, Discrepancy, DualExpansion, Error, Examples, Fit, Gram,
    Learner, Linear, Result, Sign, Stop, TrainingSet, Verdict,
};

/// What a learner could do wrong. Only the tests of the conformance suite ask for it.
#[cfg_attr(not(feature = "testing"), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Flaw {
    IgnoresWeights,
    #[cfg(feature = "parallel")]
    DependsOnThreads,
    DependsOnTime,
    PanicsOnWideData,
    DropsTheLastRow,
    SwapsTheClasses,
    IgnoresItsBudget,
    ForgesItsCertificate,
    FailsOnDuplicates,
    ReadsStoredEntriesOnly,
}

/// `f(x) = ⟨(m₊ − m₋)·x⟩ + b`, zero halfway between the weighted means `m₊` and `m₋`.
///
/// The answer is approached in steps that halve what is missing, so that there is something to stop.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Means {
    pub(crate) flaw: Option<Flaw>,
}

impl Means {
    #[cfg(feature = "testing")]
    pub(crate) fn with(flaw: Flaw) -> Self {
        Self { flaw: Some(flaw) }
    }

    fn has(self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }
}

/// The means of both classes, as the model was made from them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MeansClaim {
    pub(crate) negative: Vec<f64>,
    pub(crate) positive: Vec<f64>,
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for MeansClaim {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        for (sign, claimed) in [(Sign::Negative, &self.negative), (Sign::Positive, &self.positive)] {
            set.examples().check_dim("a mean", claimed.len())?;
            let (mut sums, mut sizes, mut total) =
                (vec![0.0; claimed.len()], vec![0.0_f64; claimed.len()], 0.0);
            for row in (0..set.len()).rev().filter(|&row| set.labels().signs()[row] == sign) {
                let weight = set.weight(row);
                set.examples().row(row).for_each(|k, x| {
                    sums[k] += weight * x;
                    sizes[k] += (weight * x).abs();
                });
                total += weight;
            }
            for ((sum, size), &claimed) in sums.iter().zip(&sizes).zip(claimed) {
                let allowed = 4.0 * set.len() as f64 * f64::EPSILON * size / total;
                let recomputed = sum / total;
                if !((recomputed - claimed).abs() <= allowed) {
                    let what = "a mean";
                    return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }));
                }
            }
        }
        Ok(Verdict::Valid)
    }
}

fn mean<E: Examples + ?Sized>(
    set: &TrainingSet<'_, E, BinaryLabels>,
    sign: Sign,
    len: usize,
    weight: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let mut mean = vec![0.0; set.examples().dim()];
    let rows = || (0..len).filter(|&row| set.labels().signs()[row] == sign);
    let total: f64 = rows().map(&weight).sum();
    rows().for_each(|row| set.examples().add_scaled(row, weight(row) / total, &mut mean));
    mean
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Means {
    type Model = Linear;
    type Certificate = MeansClaim;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, MeansClaim>> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let dim = set.examples().dim();
        if self.has(Flaw::PanicsOnWideData) && dim > set.len() {
            panic!("{dim} columns");
        }
        if self.has(Flaw::FailsOnDuplicates)
            && (1..set.len()).any(|row| set.examples().row(row) == set.examples().row(row - 1))
        {
            return Err(Error::Numerical { what: "the inverse of a singular matrix" });
        }
        let len = if self.has(Flaw::DropsTheLastRow) && set.len() > 2 { set.len() - 1 } else { set.len() };
        let weight = |row| if self.has(Flaw::IgnoresWeights) { 1.0 } else { set.weight(row) };
        let mut positive = mean(set, Sign::Positive, len, weight);
        let mut negative = mean(set, Sign::Negative, len, weight);
        if self.has(Flaw::ReadsStoredEntriesOnly) {
            // The count of stored entries is no property of the data.
            let mut entries = 0;
            set.examples().row(0).for_each(|_, _| entries += 1);
            positive[0] += (dim - entries) as f64;
        }
        if self.has(Flaw::SwapsTheClasses) {
            std::mem::swap(&mut positive, &mut negative);
        }
        let mut meter = control.start(60);
        let stop = loop {
            if let Some(stop) = meter.advance(1, 0).filter(|_| !self.has(Flaw::IgnoresItsBudget)) {
                break if meter.iterations() >= 60 { Stop::Converged } else { stop };
            }
            if meter.iterations() >= 60 {
                break Stop::Converged;
            }
        };
        let share = 1.0 - 0.5_f64.powi(meter.iterations().min(60) as i32);
        let mut scale = share;
        #[cfg(feature = "parallel")]
        if self.has(Flaw::DependsOnThreads) {
            scale *= 1.0 + f64::EPSILON * rayon::current_num_threads() as f64;
        }
        if self.has(Flaw::DependsOnTime) {
            scale *= 1.0 + f64::EPSILON * (CALLS.fetch_add(1, Ordering::Relaxed) % 7) as f64;
        }
        let weights: Vec<f64> = positive.iter().zip(&negative).map(|(p, n)| scale * (p - n)).collect();
        let middle = positive.iter().zip(&negative).map(|(p, n)| p / 2.0 + n / 2.0);
        let bias = -weights.iter().zip(middle).map(|(w, m)| w * m).sum::<f64>();
        if self.has(Flaw::ForgesItsCertificate) {
            positive[0] += 1.0;
        }
        let certificate = MeansClaim { negative, positive };
        Ok(Fit { model: Linear::new(weights, bias)?, report: meter.report(stop, None), certificate })
    }
}

/// The same hyperplane in the feature space of a Gram matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelMeans;

impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for KernelMeans {
    type Model = DualExpansion;
    type Certificate = ();

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, ()>> {
        let mut meter = control.start(1);
        let signs = set.labels().signs();
        let total = |sign| -> f64 {
            (0..set.len()).filter(|&row| signs[row] == sign).map(|row| set.weight(row)).sum()
        };
        let totals = (total(Sign::Negative), total(Sign::Positive));
        let coefficients: Vec<f64> = (0..set.len())
            .map(|row| match signs[row] {
                Sign::Negative => -set.weight(row) / totals.0,
                Sign::Positive => set.weight(row) / totals.1,
            })
            .collect();
        // b = (‖m₋‖² − ‖m₊‖²)/2.
        let (mut values, mut bias) = (vec![0.0; set.len()], 0.0);
        for row in 0..set.examples().len() {
            set.examples().fill(&[row], Columns::All, &mut values)?;
            for (column, value) in
                values.iter().enumerate().filter(|(column, _)| signs[*column] == signs[row])
            {
                bias -= signs[row].value() * coefficients[row] * coefficients[column] * value / 2.0;
            }
        }
        let _ = meter.advance(1, 0);
        let model = DualExpansion::from_all(&coefficients, bias)?;
        Ok(Fit { model, report: meter.report(Stop::Converged, None), certificate: () })
    }
}
