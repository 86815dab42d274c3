//! C20: four equal expressions at the optimum, and a dual without a bound where no hyperplane separates the classes.

use lm_core::{BinaryLabels, Certificate, Dense, Learner, Stop, TrainingSet, VectorGram, VectorKernel};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, separable, two_moons};
use lm_qp::{CSvc, MaximalMargin};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, pair};
use crate::reproduce::vectors::dot;
use crate::reproduce::widest::widest;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C20",
    place: "C ex. 1, 6.1.2",
    claim: "At the optimum of the hard margin dual W = ½Σα = ½ΣΣ yyααK = 1/(2γ²). If the data are not separable the primal has no feasible \
            point and the dual no bound; a soft margin avoids both.",
    how: "The four expressions are compared on six sets, γ being measured as a distance. On sets that no hyperplane separates the library \
          must say so; along its multipliers W is followed, by whole numbers for exclusive or, and the soft margin's W against C.",
    seed: 620,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let digits = classic::digits()?.data;
    let settings = SeparableSettings::default().with_len(200).with_dim(12).with_margin(0.04).with_bias(-0.2);
    for (name, data, kernel) in [
        ("iris, setosa and virginica", pair(&classic::iris()?.data, [0.0, 2.0])?, VectorKernel::linear()),
        ("12 dimensions", separable(&settings, bench.seed())?.data, VectorKernel::linear()),
        ("digits 1 and 7", pair(&digits, [1.0, 7.0])?, VectorKernel::linear()),
        ("digits 3 and 5, Gaussian", pair(&digits, [3.0, 5.0])?, VectorKernel::gaussian(1e-3)?),
        ("moons, (1 + x·z)⁵", two_moons(150, 0.1, bench.seed())?, VectorKernel::polynomial(5, 1.0, 1.0)?),
        ("moons, Gaussian", two_moons(150, 0.2, bench.seed())?, VectorKernel::gaussian(5.0)?),
    ] {
        at_the_optimum(bench, name, &data, kernel)?;
    }
    by_whole_numbers(bench)?;
    let iris = pair(&classic::iris()?.data, [1.0, 2.0])?;
    let overlapping = clouds(100, 2, 2.0, bench.seed())?;
    for (name, data) in [("iris, versicolor and virginica", &iris), ("clouds", &overlapping)] {
        without_bound(bench, name, data)?;
    }
    touching(bench)?;
    soft(bench, &overlapping)
}

fn at_the_optimum(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let fit = MaximalMargin::default().with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    let alpha = dual.multipliers(&fit.model);
    let margin =
        lm_core::Margins::in_feature_space(&fit.model, &TrainingSet::new(&gram, &data.labels)?)?.minimum();
    let value = dual.value(&alpha);
    let others = [0.5 * alpha.iter().sum::<f64>(), 0.5 * dual.norm_squared(&alpha), 0.5 / (margin * margin)];
    bench.check_all_close(
        format!("{name}: ½Σα, ½ΣΣ yyααK and 1/(2γ²) over W = {}", number(value)),
        &[1.0; 3],
        &others.map(|other| other / value),
        1e-6,
    );
    Ok(())
}

/// Exclusive or: `Σ λyx = 0` exactly, so that W(tλ) = 2t for every t.
fn by_whole_numbers(bench: &mut Bench) -> Outcome {
    let examples = Dense::from_rows(&[[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])?;
    let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &labels)?;
    let fit = MaximalMargin::default().fit(&gram, &labels)?;
    let lambda = fit.certificate.alpha();
    bench.check(
        "exclusive or: what the machine says",
        Stop::Infeasible.to_string(),
        fit.report.stop.to_string(),
        fit.report.stop == Stop::Infeasible,
    );
    bench.check_all_close("exclusive or: λ", &[0.5; 4], &lambda, 0.0);
    let along: Vec<f64> = [1.0, 1e3, 1e6, 1e100]
        .iter()
        .map(|t| dual.value(&lambda.iter().map(|l| t * l).collect::<Vec<_>>()))
        .collect();
    bench.check_all_close(
        "exclusive or: W(tλ) at t = 1, 10³, 10⁶, 10¹⁰⁰",
        &[2.0, 2e3, 2e6, 2e100],
        &along,
        0.0,
    );
    Ok(())
}

/// A set whose hulls overlap: the multipliers are a way along which W grows as long as numbers have digits.
fn without_bound(bench: &mut Bench, name: &str, data: &Binary) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let (set, dual) = (TrainingSet::new(&gram, &data.labels)?, DualByHand::new(&gram, &data.labels)?);
    let fit = MaximalMargin::default().fit(&gram, &data.labels)?;
    bench.check(
        format!("{name}: what the machine says"),
        Stop::Infeasible.to_string(),
        fit.report.stop.to_string(),
        fit.report.stop == Stop::Infeasible,
    );
    bench.check(
        format!("{name}: a caller who insists on a machine"),
        "gets an error",
        fit.clone().converged().err().map_or("a machine".into(), |error| error.to_string()),
        fit.clone().converged().is_err(),
    );
    bench.check_valid(format!("{name}: the evidence, recomputed"), fit.certificate.verify(&set)?);
    let lambda = fit.certificate.alpha();
    let side =
        |sign: f64| lambda.iter().zip(&dual.y).filter(|(_, y)| **y == sign).map(|(l, _)| l).sum::<f64>();
    bench.check(
        format!("{name}: λ is feasible for every multiple"),
        "λ ≥ 0 and Σ yλ = 0",
        format!("sums of the sides are {} and {}", number(side(1.0)), number(side(-1.0))),
        lambda.iter().all(|l| *l >= 0.0) && dot(&lambda, &dual.y).abs() < 1e-14,
    );
    // In exact arithmetic the points of the hulls meet; these are as near as 10⁻⁷ of the data.
    let apart = dual.norm_squared(&lambda).max(0.0).sqrt() / dual.largest().sqrt();
    bench.check_at_most(
        format!("{name}: distance of the two points of the hulls, over the largest norm"),
        2.8e-7,
        apart,
    );
    let points: Vec<[f64; 2]> = (0..=6)
        .map(|k| 10.0_f64.powi(k))
        .map(|t| [t, dual.value(&lambda.iter().map(|l| t * l).collect::<Vec<_>>())])
        .collect();
    let linear = points.iter().filter(|[t, value]| (value / t - 2.0).abs() < 1e-3).count();
    bench.check(
        format!("{name}: W(tλ) for t = 1, 10, …, 10⁶"),
        "grows without a bound, as 2t",
        format!("W(10⁶λ) = {}; {linear} of 7 are 2t to a part in 2000", number(points[6][1])),
        linear == 7,
    );
    let (least, most) = (fit.certificate.margin_at_least(), fit.certificate.margin_at_most());
    bench.check(
        format!("{name}: margins that the evidence leaves possible"),
        "none",
        format!("from {} to {}", number(least), number(most)),
        least == 0.0 && most <= 1.4e-7 * dual.largest().sqrt(),
    );
    Ok(())
}

/// The edge of the case: hulls that share one point, and hulls that nearly do.
fn touching(bench: &mut Bench) -> Outcome {
    let mut right = 0;
    let mut told = Vec::new();
    for apart in [1.0, 1e-3, 1e-6, 0.0, -1e-3] {
        let points =
            [[0.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [apart, 0.0], [apart + 1.0, 1.0], [apart + 1.0, -1.0]];
        let data = Binary {
            examples: Dense::from_rows(&points)?,
            labels: BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1])?,
        };
        let fit = MaximalMargin::default()
            .with_gap(1e-9)
            .fit(&VectorGram::new(&data.examples, VectorKernel::linear())?, &data.labels)?;
        let (_, margin) = widest(&data)?;
        let expected = if margin > 0.0 { Stop::Converged } else { Stop::Infeasible };
        right += u32::from(fit.report.stop == expected);
        told.push(number(fit.certificate.margin_at_most()));
    }
    bench.check(
        "two triangles whose tips are 1, 10⁻³, 10⁻⁶, 0 and −10⁻³ apart: separable or not, as all directions say",
        "right each time",
        format!("right {right} times of 5; margins {}", told.join(", ")),
        right == 5,
    );
    Ok(())
}

/// The box of the soft margin: a solution for every C, whose value grows with C where there is no hard margin.
fn soft(bench: &mut Bench, overlapping: &Binary) -> Outcome {
    let apart = clouds(100, 2, 6.0, bench.seed())?;
    let mut plot = Plot::new("C", "W at the optimum").log_x().log_y();
    let mut ends = Vec::new();
    for (name, data) in [("overlapping clouds", overlapping), ("separable clouds", &apart)] {
        let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
        let dual = DualByHand::new(&gram, &data.labels)?;
        let mut points = Vec::new();
        for k in -6..=6_i32 {
            let cost = 10.0_f64.powf(f64::from(k) / 2.0);
            let fit = CSvc::default().with_cost(cost).with_gap(1e-8).fit(&gram, &data.labels)?.converged()?;
            points.push([cost, dual.value(&dual.multipliers(&fit.model))]);
        }
        // The slope at the end, in decades a decade.
        let last = points.len() - 1;
        ends.push((points[last][1] / points[last - 1][1]).log10() / 0.5);
        plot = plot.marked_series(name, &points);
    }
    let gram = VectorGram::new(&apart.examples, VectorKernel::linear())?;
    let hard = MaximalMargin::default().with_gap(1e-10).fit(&gram, &apart.labels)?.converged()?;
    let bound = 0.5 * hard.certificate.margin_at_most().powi(-2);
    bench.check_close(
        "overlapping clouds, soft margin: growth of W with C at C = 10³, as a power of C",
        1.0,
        ends[0],
        0.01,
    );
    bench.check_close(
        "separable clouds, soft margin: the same, where W stays at 1/(2γ²)",
        0.0,
        ends[1],
        1e-7,
    );
    let svg = plot
        .curve("1/(2γ²) of the separable clouds", &[[1e-3, bound], [1e3, bound]], Stroke::DOTTED)
        .render()?;
    bench.figure(
        "soft",
        "The optimal W of the soft margin against C: on separable data it stays at the hard margin's 1/(2γ²), on overlapping data it grows \
         without a bound.",
        svg,
    )
}
