//! A04: Novikoff's bound on the mistakes of the perceptron.

use lm_bounds::mistakes::novikoff;
use lm_bounds::radius;
use lm_core::{
    BinaryLabels, Certificate, Dense, Learner, Linear, Margins, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, separable};
use lm_online::{Bias, Order, Perceptron};
use lm_qp::MaximalMargin;

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Histogram;
use crate::reproduce::measure::{Binary, pair};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "A04",
    place: "A Thm 2.3",
    claim: "On a set that a hyperplane separates with margin γ, all examples within the radius R, the perceptron makes at most (2R/γ)² \
            mistakes over all passes, in whatever order the examples come.",
    how: "972 sets of 10 to 500 examples in 1 to 200 dimensions with known hyperplanes, near the origin and far from it, and pairs of irises and \
          digits with their largest margin, are learned in given and in random order until a pass is clean. Every trace is replayed. \
          The bound is rounded up by lm-bounds.",
    seed: 4,
    body,
}];

/// What is kept of many runs.
#[derive(Default)]
struct Runs {
    made: u64,
    ended: u64,
    replayed: u64,
    within: u64,
    /// Mistakes over the bound.
    shares: Vec<f64>,
}

impl Runs {
    /// Learns a set in two orders, and compares with the bound for a margin.
    fn add(&mut self, data: &Binary, gamma: f64, seed: u64) -> Outcome {
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
        let bound = novikoff::with_bias(radius::largest_norm(&gram)?, gamma)?;
        for order in [Order::Given, Order::Shuffled { seed }] {
            let learner = Perceptron::default().with_order(order).with_passes(10_000_000);
            let fit = learner.fit(&data.examples, &data.labels)?;
            let mistakes = fit.certificate.journal().corrections() as f64;
            self.made += 1;
            self.ended += u64::from(fit.certificate.separates());
            self.replayed += u64::from(fit.certificate.verify(&set)?.is_valid());
            self.within += u64::from(mistakes <= bound);
            self.shares.push(mistakes / bound);
        }
        Ok(())
    }

    fn report(&self, bench: &mut Bench, name: &str) {
        bench.check(
            format!("{name}: runs that end, pass their replay, and keep to (2R/γ)²"),
            format!("{0}, {0}, {0}", self.made),
            format!("{}, {}, {}", self.ended, self.replayed, self.within),
            [self.ended, self.replayed, self.within] == [self.made; 3],
        );
        bench.check_at_most(format!("{name}: largest mistakes/(2R/γ)²"), 1.0, self.largest());
    }

    fn largest(&self) -> f64 {
        self.shares.iter().copied().fold(0.0, f64::max)
    }
}

fn body(bench: &mut Bench) -> Outcome {
    let generated = known_hyperplanes(bench)?;
    largest_margins(bench)?;
    attained(bench)?;
    let logs: Vec<f64> = generated.shares.iter().map(|share| share.log10()).collect();
    let least = logs.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let svg = Histogram::new("mistakes over the bound (2R/γ)², logarithm to the base 10", "runs", &logs, 40)
        .range(least, 0.0)
        .mark("the bound", 0.0)
        .render()?;
    bench.figure(
        "share",
        format!(
            "Mistakes over Novikoff's bound in {} runs over separable sets of many shapes and sizes; the largest share is {}.",
            generated.made,
            number(generated.largest())
        ),
        svg,
    )
}

/// The bound for the hyperplane that the generator drew.
fn known_hyperplanes(bench: &mut Bench) -> Result<Runs, Box<dyn std::error::Error>> {
    let mut runs = Runs::default();
    let mut seed = bench.seed();
    for dim in [1, 2, 3, 10, 50, 200] {
        for len in [10, 100, 500] {
            for margin in [0.3, 0.1, 0.02] {
                for bias in [0.0, 0.5, -0.65] {
                    for _ in 0..6 {
                        seed += 1;
                        let settings = SeparableSettings::default()
                            .with_dim(dim)
                            .with_len(len)
                            .with_margin(margin)
                            .with_bias(bias);
                        let made = separable(&settings, seed)?;
                        let set = TrainingSet::new(&made.data.examples, &made.data.labels)?;
                        let gamma = Margins::geometric(&made.hyperplane, &set)?.minimum();
                        runs.add(&made.data, gamma, seed)?;
                    }
                }
            }
        }
    }
    runs.report(bench, "generated sets, γ of the known hyperplane");
    Ok(runs)
}

/// The least bound there is: that of the largest margin.
fn largest_margins(bench: &mut Bench) -> Outcome {
    let (iris, digits) = (classic::iris()?.data, classic::digits()?.data);
    let mut sets =
        vec![("irises 0 and 1", pair(&iris, [0.0, 1.0])?), ("irises 0 and 2", pair(&iris, [0.0, 2.0])?)];
    for (name, pair_of) in
        [("digits 0 and 1", [0.0, 1.0]), ("digits 3 and 8", [3.0, 8.0]), ("digits 4 and 9", [4.0, 9.0])]
    {
        sets.push((name, pair(&digits, pair_of)?));
    }
    let mut generated = Runs::default();
    for seed in 0..40 {
        let settings =
            SeparableSettings::default().with_len(60).with_dim(1 + seed as usize % 6).with_margin(0.02);
        let data = separable(&settings, bench.seed() + 5000 + seed)?.data;
        generated.add(&data, largest_margin(&data)?, seed)?;
    }
    generated.report(bench, "generated sets, largest γ");
    for (name, data) in &sets {
        let mut runs = Runs::default();
        runs.add(data, largest_margin(data)?, bench.seed())?;
        runs.report(bench, &format!("{name}, largest γ"));
    }
    Ok(())
}

/// The largest margin of a set, rounded down by its certificate.
fn largest_margin(data: &Binary) -> Result<f64, Box<dyn std::error::Error>> {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let fit = MaximalMargin::default().with_gap(1e-9).fit(&gram, &data.labels)?.converged()?;
    Ok(fit.certificate.margin_at_least())
}

/// Unit vectors along n axes: every one is a mistake once, and without a bias the bound is n.
fn attained(bench: &mut Bench) -> Outcome {
    for n in [4_usize, 16, 100] {
        let mut values = vec![0.0; n * n];
        (0..n).for_each(|i| values[i * n + i] = 1.0);
        let examples = Dense::new(values, n, n)?;
        let labels: Vec<i64> = (0..n).map(|i| if i % 2 == 0 { 1 } else { -1 }).collect();
        let labels = BinaryLabels::from_integers(&labels)?;
        let fit = Perceptron::default().with_bias(Bias::None).fit(&examples, &labels)?.converged()?;
        let plane = Linear::new(labels.values(), 0.0)?;
        let gamma = Margins::geometric(&plane, &TrainingSet::new(&examples, &labels)?)?.minimum();
        let bound = novikoff::through_origin(1.0, gamma)?;
        bench.check(
            format!("{n} unit vectors along the axes, no bias: mistakes, and (R/γ)²"),
            "equal: no smaller bound of R/γ holds",
            format!("{}, {}", fit.certificate.journal().corrections(), number(bound)),
            fit.certificate.journal().corrections() as f64 == bound.round()
                && (bound - bound.round()).abs() < 1e-9,
        );
    }
    Ok(())
}
