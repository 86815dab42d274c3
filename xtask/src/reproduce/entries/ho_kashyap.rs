//! B21: the procedure of Ho and Kashyap, and its modification.

use lm_closed::{HoKashyap, HoKashyapRule, Pseudoinverse, Separability};
use lm_core::linalg::{Matrix, matrix_vector};
use lm_core::{Budget, Certificate, Control, Examples, Learner, Margins, Stop, TrainingSet};
use lm_data::generate::{SeparableSettings, separable};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::{Binary, clouds};
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B21",
    place: "B Alg 11, 12",
    claim: "The Ho–Kashyap procedure finds a separating vector where there is one, and evidence of nonseparability, e ≤ 0 and e ≠ 0, where there \
            is none; there is no bound on the steps that takes. Since Yᵗe = 0, a may be moved by ηY†|e| instead.",
    how: "Algorithm 11 is run line by line beside the library. 60 separable sets and 60 overlapping ones are decided by both rules, and all \
          evidence is checked against the data; the listing of algorithm 12 is compared with the rule it stands for.",
    seed: 221,
    body,
}];

/// The matrix `Y`, row `i` being `yᵢ(1, xᵢ)`.
fn samples(data: &Binary) -> lm_core::Result<Matrix> {
    let (signs, dim) = (data.labels.values(), data.examples.dim());
    let rows: Vec<f64> = signs
        .iter()
        .enumerate()
        .flat_map(|(row, &sign)| {
            [1.0].iter().chain(data.examples.slice(row)).map(move |x| sign * x).collect::<Vec<_>>()
        })
        .collect();
    Matrix::from_rows(&rows, signs.len(), dim + 1)
}

/// A run by hand: `a`, `b`, `e` and the inverse they are found with.
struct ByHand {
    y: Matrix,
    inverse: Pseudoinverse,
    a: Vec<f64>,
    b: Vec<f64>,
    e: Vec<f64>,
}

impl ByHand {
    fn new(data: &Binary) -> lm_core::Result<Self> {
        let y = samples(data)?;
        let inverse = Pseudoinverse::of(&y)?;
        let b = vec![1.0; y.rows()];
        let a = inverse.times(&b)?;
        let e = error(&y, &a, &b)?;
        Ok(Self { y, inverse, a, b, e })
    }

    /// `b ← b + factor·(e + |e|)`, `a ← Y†b`, `e ← Ya − b`: algorithm 11 with the factor η.
    fn step(&mut self, factor: f64) -> lm_core::Result<()> {
        self.b.iter_mut().zip(&self.e).for_each(|(b, e)| *b += factor * (e + e.abs()));
        self.a = self.inverse.times(&self.b)?;
        self.e = error(&self.y, &self.a, &self.b)?;
        Ok(())
    }

    /// The rule of the modification: `a ← a + ηY†|e|`.
    fn modified(&mut self, rate: f64) -> lm_core::Result<()> {
        let sizes: Vec<f64> = self.e.iter().map(|e| e.abs()).collect();
        let step = self.inverse.times(&sizes)?;
        self.b.iter_mut().zip(&self.e).for_each(|(b, e)| *b += rate * (e + e.abs()));
        self.a.iter_mut().zip(step).for_each(|(a, step)| *a += rate * step);
        self.e = error(&self.y, &self.a, &self.b)?;
        Ok(())
    }

    fn positive(&self) -> f64 {
        norm(&self.e.iter().map(|e| e.max(0.0)).collect::<Vec<_>>())
    }
}

fn error(y: &Matrix, a: &[f64], b: &[f64]) -> lm_core::Result<Vec<f64>> {
    Ok(matrix_vector(y, a)?.iter().zip(b).map(|(value, b)| value - b).collect())
}

fn body(bench: &mut Bench) -> Outcome {
    beside_the_library(bench)?;
    separable_sets(bench)?;
    overlapping_sets(bench)?;
    listing_of_the_modification(bench)?;
    let mut plot = Plot::new("step k", "norm").log_x().log_y();
    for (name, data) in
        [("separable", narrow(bench.seed())?), ("overlapping", clouds(60, 2, 2.5, bench.seed())?)]
    {
        let mut run = ByHand::new(&data)?;
        let (mut whole, mut positive) = (Vec::new(), Vec::new());
        for k in 1..=3000 {
            whole.push([f64::from(k), norm(&run.e)]);
            positive.push([f64::from(k), run.positive()]);
            run.step(0.9)?;
        }
        // Below rounding there is nothing to be seen.
        let shown =
            |points: &[[f64; 2]]| points.iter().filter(|point| point[1] > 1e-13).copied().collect::<Vec<_>>();
        plot = plot
            .series(&format!("{name}: ‖e‖"), &shown(&whole))
            .series(&format!("{name}: ‖e⁺‖"), &shown(&positive));
    }
    bench.figure(
        "errors",
        "The error vector and its positive part against the steps: where the classes can be separated both vanish, where they overlap the \
         positive part does and leaves the evidence.",
        plot.render()?,
    )
}

/// Classes that a line separates by a narrow margin.
fn narrow(seed: u64) -> lm_core::Result<Binary> {
    Ok(separable(&SeparableSettings::default().with_len(60).with_dim(2).with_margin(0.05), seed)?.data)
}

fn beside_the_library(bench: &mut Bench) -> Outcome {
    let data = clouds(50, 3, 2.5, bench.seed())?;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let mut worst = [0.0_f64; 2];
    for steps in [1_u64, 2, 3, 10, 40] {
        let (mut exact, mut modified) = (ByHand::new(&data)?, ByHand::new(&data)?);
        for _ in 1..steps {
            exact.step(0.7)?;
            modified.modified(0.7)?;
        }
        for (at, (rule, run)) in
            [(HoKashyapRule::Exact, &exact), (HoKashyapRule::Modified, &modified)].into_iter().enumerate()
        {
            // Of the evidence nothing is wanted here: a tolerance so small that no multipliers meet it.
            let learner = HoKashyap::default().with_rule(rule).with_rate(0.7).with_tolerance(1e-300);
            let fit = learner.fit_with(&set, &Control::new(Budget::default().with_iterations(steps)))?;
            let library = weights_and_bias(&fit.model);
            let by_hand: Vec<f64> = run.a[1..].iter().copied().chain([run.a[0]]).collect();
            worst[at] = worst[at].max(distance(&library, &by_hand) / norm(&by_hand));
        }
    }
    bench.check_at_most(
        "1 to 40 steps with η = 0.7: a by algorithm 11 and of the library, largest difference, relative",
        1e-11,
        worst[0],
    );
    bench.check_at_most("the same for the rule of the modification", 1e-11, worst[1]);
    let mut run = ByHand::new(&data)?;
    let (mut rises, mut last, mut gradient) = (0_u32, f64::INFINITY, 0.0_f64);
    for _ in 0..200 {
        let now = norm(&run.e);
        rises += u32::from(now > last * (1.0 + 1e-14));
        last = now;
        for k in 0..run.y.columns() {
            gradient = gradient.max(dot(run.y.column(k), &run.e).abs() / norm(run.y.column(k)) / now);
        }
        run.step(0.7)?;
    }
    bench.check_equal("steps of 200 in which ‖e‖ grows", 0, rises);
    bench.check_at_most("Yᵗe over 200 steps, relative, largest entry", 1e-13, gradient);
    Ok(())
}

fn separable_sets(bench: &mut Bench) -> Outcome {
    let (mut separated, mut valid, mut steps) = (0_u32, 0_u32, 0_u64);
    for seed in 0..60_u64 {
        let (len, dim) = (20 + 3 * seed as usize, 1 + (seed as usize) % 10);
        let settings = SeparableSettings::default().with_len(len).with_dim(dim).with_margin(0.05);
        let data = separable(&settings, bench.seed() + seed)?.data;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        for rule in [HoKashyapRule::Exact, HoKashyapRule::Modified] {
            let fit = HoKashyap::default()
                .with_rule(rule)
                .with_iterations(100_000)
                .fit(&data.examples, &data.labels)?;
            let least = Margins::functional(&fit.model, &set)?.minimum();
            separated += u32::from(matches!(fit.certificate, Separability::Separable(_)) && least > 0.0);
            valid += u32::from(fit.certificate.verify(&set)?.is_valid());
            steps = steps.max(fit.report.iterations);
        }
    }
    bench.check_equal("separable sets of 60, by both rules, that are separated", 120, separated);
    bench.check_equal("of these, with evidence that holds", 120, valid);
    bench.note(format!("The longest of these runs took {steps} steps."));
    Ok(())
}

fn overlapping_sets(bench: &mut Bench) -> Outcome {
    let (mut proved, mut valid, mut margin, mut steps) = (0_u32, 0_u32, 0.0_f64, 0_u64);
    for seed in 0..60_u64 {
        // Near enough to overlap, far enough that least squares leaves positive errors.
        let (len, dim) = (80 + 4 * seed as usize, 1 + (seed as usize) % 4);
        let apart = 1.5 + 0.25 * (seed % 5) as f64;
        let data = clouds(len, dim, apart, bench.seed() + 1000 + seed)?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        for rule in [HoKashyapRule::Exact, HoKashyapRule::Modified] {
            let fit = HoKashyap::default()
                .with_rule(rule)
                .with_iterations(100_000)
                .fit(&data.examples, &data.labels)?;
            steps = steps.max(fit.report.iterations);
            if let Separability::Inseparable(proof) = &fit.certificate {
                proved += u32::from(fit.report.stop == Stop::Infeasible);
                margin = margin.max(proof.margin_at_most());
            }
            valid += u32::from(fit.certificate.verify(&set)?.is_valid());
        }
    }
    bench.check_equal("overlapping sets of 60, by both rules, that are proved inseparable", 120, proved);
    bench.check_equal("of these, with evidence that holds", 120, valid);
    bench.check_at_most("largest margin that the multipliers −e leave possible", 1e-12, margin);
    bench.note(format!("The longest of these runs took {steps} steps."));

    // e itself, run on by hand: no positive entries are left, and it is not 0.
    let data = clouds(60, 2, 2.5, bench.seed())?;
    let mut run = ByHand::new(&data)?;
    for _ in 0..20_000 {
        run.step(0.9)?;
    }
    let largest = run.e.iter().fold(f64::NEG_INFINITY, |largest, &e| largest.max(e));
    bench.check_at_most("after 20 000 steps by hand: largest entry of e", 1e-10, largest);
    bench.check("its norm", "not 0", number(norm(&run.e)), norm(&run.e) > 0.1);
    Ok(())
}

fn listing_of_the_modification(bench: &mut Bench) -> Outcome {
    // The rule moves b by η(e + |e|); line 5 of the listing moves it by 2η(e + |e|).
    let data = clouds(60, 2, 2.5, bench.seed())?;
    let rate = 0.9;
    let (mut rule, mut listing) = (ByHand::new(&data)?, ByHand::new(&data)?);
    let before = (rule.b.clone(), norm(&rule.e));
    rule.modified(rate)?;
    listing.step(2.0 * rate)?;
    let moved = |run: &ByHand| distance(&run.b, &before.0);
    let ratio = moved(&listing) / moved(&rule);
    let (mut grown, mut largest) = (0, norm(&listing.e) / before.1);
    let mut last = before.1;
    for _ in 0..50 {
        grown += u32::from(norm(&listing.e) > last * (1.0 + 1e-12));
        last = norm(&listing.e);
        largest = largest.max(last / before.1);
        listing.step(2.0 * rate)?;
    }
    bench.erratum(
        "Algorithm 12, line 5: b ← b + 2η(k)(e + Abs[e]), then a ← Y†b.",
        "The rule above the listing, b ← b + η(e + |e|) and a ← a + ηY†|e|. The listing takes steps twice as long, so that the rates \
         η < 1 it allows are not rates at which ‖e‖ must fall, and its line 6 is that of algorithm 11.",
        format!(
            "On 60 points with η = 0.9 the first step of the listing is {} times that of the rule, and ‖e‖ grows in {grown} of 50 steps, to \
             {} times its first value.",
            number(ratio),
            number(largest)
        ),
        (ratio - 2.0).abs() < 1e-9 && grown > 0 && largest > 1.0,
    );
    Ok(())
}
