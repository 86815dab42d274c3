//! C21: both norms of the slack in one criterion.

use lm_core::{Budget, Certificate, Hypothesis, Learner, MatrixGram, TrainingSet, VectorGram, VectorKernel};
use lm_data::classic;
use lm_data::generate::two_moons;
use lm_qp::{CSvc, MaximalMargin, MixedSvc, TwoNormSvc};

use crate::reproduce::active_sets::{Assumed, every_choice, solve};
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::{Binary, pair};
use crate::reproduce::vectors::{distance, dot, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C21",
    place: "C ex. 3",
    claim: "‖w‖² + C₁ Σξ + C₂ Σξ² joins both soft margins. Its dual, which the exercise asks for, is Σα − ½ ΣΣ αᵢαⱼyᵢyⱼKᵢⱼ − \
            Σ max(0, αᵢ − C₁/2)²/2C₂ with α ≥ 0 and Σ αy = 0: no upper bound, and a price only for what is above C₁/2.",
    how: "Halving the criterion gives the machine of the library with costs C₁/2 and C₂. On small sets every choice of the groups is \
          tried. The dual in one variable an example is evaluated, and both costs are led to 0 and to ∞, where the machine must \
          become the 2-norm, the 1-norm and the hard margin one.",
    seed: 63,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    small_sets(bench)?;
    let moons = two_moons(100, 0.3, bench.seed())?;
    let iris = pair(&classic::iris()?.data, [1.0, 2.0])?;
    let gaussian = VectorKernel::gaussian(1.0)?;
    for costs in [(0.5, 2.0), (5.0, 0.5)] {
        derived_dual(bench, "moons", &moons, gaussian, costs)?;
    }
    derived_dual(bench, "irises", &iris, VectorKernel::linear(), (0.2, 1.0))?;
    limits(bench, &moons, gaussian)?;
    effects(bench, &moons, gaussian)
}

/// The three groups: α = 0; 0 < α ≤ c₁ on the margin; α > c₁ with ξ = (α − c₁)/c₂. Every choice of them is tried.
fn exhaustive(matrix: &MatrixGram<'_>, signs: &[f64], (c1, c2): (f64, f64)) -> Option<(Vec<f64>, f64)> {
    every_choice(signs.len() as u32, 3, |groups| {
        let assume = |(group, sign): (&usize, &f64)| match group {
            0 => Assumed::Fixed(0.0),
            1 => Assumed::Level { level: *sign, ridge: 0.0 },
            _ => Assumed::Level { level: sign * (1.0 + c1 / c2), ridge: 1.0 / c2 },
        };
        let assumed: Vec<Assumed> = groups.iter().zip(signs).map(assume).collect();
        let (beta, bias) = solve(matrix, &assumed)?;
        let good = |i: usize| {
            let alpha = signs[i] * beta[i];
            let margin = signs[i] * (dot(matrix.row(i), &beta) + bias);
            match groups[i] {
                0 => margin >= 1.0 - 1e-9,
                1 => (-1e-9..=c1 + 1e-9).contains(&alpha) && (margin - 1.0).abs() < 1e-9,
                _ => alpha >= c1 - 1e-9 && (1.0 - margin - (alpha - c1) / c2).abs() < 1e-9,
            }
        };
        (0..signs.len()).all(good).then_some((beta, bias))
    })
}

fn small_sets(bench: &mut Bench) -> Outcome {
    let (mut compared, mut worst) = (0, 0.0_f64);
    for seed in 0..10 {
        let data = two_moons(7, 0.5, bench.seed() + seed)?;
        let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(1.0)?)?;
        let matrix = MatrixGram::computed(&gram, &Budget::default())?;
        for costs in [(0.2, 1.0), (2.0, 0.3), (0.05, 5.0)] {
            let Some((beta, bias)) = exhaustive(&matrix, &data.labels.values(), costs) else { continue };
            let machine = MixedSvc::default().with_costs(costs.0, costs.1).with_gap(1e-12);
            let fit = machine.fit(&gram, &data.labels)?.converged()?;
            let f: Vec<f64> = (0..7).map(|i| dot(matrix.row(i), &beta) + bias).collect();
            compared += 1;
            worst = worst.max(distance(&f, &fit.model.decision_values(&gram)?));
        }
    }
    bench.check(
        "sets of 7 examples on which one of 3⁷ choices fulfils all conditions",
        "≥ 27 of 30",
        compared.to_string(),
        compared >= 27,
    );
    bench.check_at_most(
        "largest distance of their function and that of the machine, on the examples",
        1e-5,
        worst,
    );
    Ok(())
}

/// The dual of the exercise at the solution, against the criterion of the exercise; both for its C₁ and C₂.
fn derived_dual(
    bench: &mut Bench,
    name: &str,
    data: &Binary,
    kernel: VectorKernel,
    (c1, c2): (f64, f64),
) -> Outcome {
    let name = format!("{name}, C₁ = {}, C₂ = {}", number(c1), number(c2));
    let gram = VectorGram::new(&data.examples, kernel)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let fit =
        MixedSvc::default().with_costs(0.5 * c1, c2).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    bench.check_valid(format!("{name}: certificate"), fit.certificate.verify(&set)?);
    let (signs, values, n) =
        (data.labels.values(), fit.model.decision_values(&gram)?, data.labels.signs().len());
    // Two variables an example, one for each cost; the machine has their sum.
    let copies = fit.certificate.alpha();
    let alpha: Vec<f64> = (0..n).map(|i| copies[i] + copies[n + i]).collect();
    let above: Vec<f64> = alpha.iter().map(|alpha| (alpha - 0.5 * c1).max(0.0)).collect();
    let slack: Vec<f64> = values.iter().zip(&signs).map(|(f, y)| (1.0 - y * f).max(0.0)).collect();
    let square = fit.model.norm_squared(&gram)?;
    let dual = alpha.iter().sum::<f64>() - 0.5 * square - dot(&above, &above) / (2.0 * c2);
    let primal = square + c1 * slack.iter().sum::<f64>() + c2 * dot(&slack, &slack);
    bench.check_close(
        format!("{name}: half the criterion of the exercise, and its dual"),
        0.5 * primal,
        dual,
        1e-8 * primal,
    );
    let off = slack.iter().zip(&above).map(|(xi, above)| (xi - above / c2).abs()).fold(0.0, f64::max);
    bench.check_at_most(format!("{name}: largest difference of ξ and max(0, α − C₁/2)/C₂"), 1e-4, off);
    Ok(())
}

/// C₁ → 0 is the 2-norm machine and C₂ → 0 the 1-norm one; either to ∞ is the hard margin.
fn limits(bench: &mut Bench, data: &Binary, kernel: VectorKernel) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let mixed = |c1: f64, c2: f64| -> lm_core::Result<Vec<f64>> {
        let machine = MixedSvc::default().with_costs(c1, c2).with_gap(1e-10);
        machine.fit(&gram, &data.labels)?.converged()?.model.decision_values(&gram)
    };
    let two = TwoNormSvc::default().with_cost(2.0).with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
    let one = CSvc::default().with_cost(2.0).with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
    let (two, one) = (two.model.decision_values(&gram)?, one.model.decision_values(&gram)?);
    let apart = |a: &[f64], b: &[f64]| distance(a, b) / norm(b);
    bench.check_at_least(
        "moons: relative difference of the 1-norm and the 2-norm machine",
        0.01,
        apart(&one, &two),
    );
    let (mut to_two, mut to_one) = (Vec::new(), Vec::new());
    for step in 0..=10 {
        let small = 10.0_f64.powf(1.0 - 0.5 * f64::from(step));
        to_two.push([small, apart(&mixed(small, 2.0)?, &two)]);
        to_one.push([small, apart(&mixed(2.0, small)?, &one)]);
    }
    for (name, way) in [("2-norm machine as C₁ → 0", &to_two), ("1-norm machine as C₂ → 0", &to_one)]
    {
        let (first, last) = (way[4][1], way[10][1]);
        bench.check(
            format!("moons, relative difference from the {name}: at 0.1 and 10⁻⁴"),
            "falls to 10⁻³ or less",
            format!("{}, {}", number(first), number(last)),
            last <= 1e-3 && last < 0.1 * first,
        );
    }
    let plot = Plot::new("the other cost", "relative difference of f").log_x().log_y();
    let svg = plot
        .marked_series("from the 2-norm machine, C₁ → 0", &to_two)
        .marked_series("from the 1-norm machine, C₂ → 0", &to_one)
        .render()?;
    bench.figure("limits", "100 points of two moons: with one cost at 2, the other is led to 0.", svg)?;

    let narrow = VectorGram::new(&data.examples, VectorKernel::gaussian(20.0)?)?;
    let hard = MaximalMargin::default().with_gap(1e-10).fit(&narrow, &data.labels)?.converged()?;
    let hard = hard.model.decision_values(&narrow)?;
    for (name, c1, c2) in [("C₁ = 10⁴, C₂ = 1", 1e4, 1.0), ("C₁ = 1, C₂ = 10⁷", 1.0, 1e7)] {
        let machine = MixedSvc::default().with_costs(c1, c2).with_gap(1e-10);
        let found = machine.fit(&narrow, &data.labels)?.converged()?.model.decision_values(&narrow)?;
        bench.check_at_most(
            format!("moons, narrow kernel, {name}: relative difference from the hard margin"),
            1e-4,
            apart(&found, &hard),
        );
    }
    Ok(())
}

/// A larger C₁ never leaves more Σξ, a larger C₂ never more Σξ²; C₁ makes slack rare, C₂ makes it small.
fn effects(bench: &mut Bench, data: &Binary, kernel: VectorKernel) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let slacks = |c1: f64, c2: f64| -> lm_core::Result<Vec<f64>> {
        let machine = MixedSvc::default().with_costs(c1, c2).with_gap(1e-10);
        let values = machine.fit(&gram, &data.labels)?.converged()?.model.decision_values(&gram)?;
        Ok(values.iter().zip(data.labels.values()).map(|(f, y)| (1.0 - y * f).max(0.0)).collect())
    };
    let costs = [0.01, 0.1, 1.0, 10.0, 100.0];
    let (mut sums, mut squares) = (Vec::new(), Vec::new());
    for cost in costs {
        sums.push(slacks(cost, 1.0)?.iter().sum::<f64>());
        let slack = slacks(1.0, cost)?;
        squares.push(dot(&slack, &slack));
    }
    let falls = |values: &[f64]| values.windows(2).all(|pair| pair[1] < pair[0]);
    bench.check(
        "moons, C₂ = 1: Σξ at C₁ = 0.01, 0.1, 1, 10, 100",
        "falls",
        format!("{sums:.4?}"),
        falls(&sums),
    );
    bench.check(
        "moons, C₁ = 1: Σξ² at C₂ = 0.01, 0.1, 1, 10, 100",
        "falls",
        format!("{squares:.4?}"),
        falls(&squares),
    );
    let (linear, squared) = (slacks(2.0, 1e-3)?, slacks(1e-3, 2.0)?);
    let count = |slack: &[f64]| slack.iter().filter(|xi| **xi > 1e-4).count();
    let largest = |slack: &[f64]| slack.iter().copied().fold(0.0, f64::max);
    bench.check(
        "moons: examples with slack and the largest slack, at C₁ = 2, C₂ = 10⁻³ and the other way round",
        "fewer with C₁, smaller with C₂",
        format!(
            "{} up to {}, {} up to {}",
            count(&linear),
            number(largest(&linear)),
            count(&squared),
            number(largest(&squared))
        ),
        count(&linear) < count(&squared) && largest(&squared) < largest(&linear),
    );
    Ok(())
}
