//! B25: hard and soft margin, and the equal optimal values of primal and dual.

use lm_core::basis::{FeatureMap, PolynomialMap};
use lm_core::{
    BinaryLabels, Budget, Control, Dense, Examples, Learner, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, noisy_xor, separable};
use lm_online::Perceptron;
use lm_qp::{CSvc, MaximalMargin};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::barrier::{Primal, hard_margin, soft_margin};
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, pair};
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B25",
    place: "B, Problems 1–4",
    claim: "The hard margin machine is the solution of minimise ½‖w‖² subject to zₖ(wᵗxₖ + w₀) ≥ 1 (problem 1) or of its dual (2); the \
            soft one of minimise ½‖w‖² + c Σψₖ subject to zₖ(wᵗxₖ + w₀) ≥ 1 − ψₖ (3) or of its dual (4), the same with λₖ ≤ c.",
    how: "The primal problems are solved by a barrier method in w, w₀ and ψ, which knows no multipliers; the dual ones by the library. \
          Values, constraints and hyperplanes are compared on two classes of iris, digits, generated sets and mapped points.",
    seed: 225,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    let iris = classic::iris()?.data;
    let settings = SeparableSettings::default().with_len(100).with_dim(10).with_margin(0.05);
    for (name, data) in [
        ("iris, setosa and versicolor", pair(&iris, [0.0, 1.0])?),
        ("digits 0 and 6", pair(&classic::digits()?.data, [0.0, 6.0])?),
        ("separable, 10 dimensions", separable(&settings, bench.seed())?.data),
    ] {
        hard(bench, name, &data)?;
    }
    let overlapping = clouds(120, 4, 2.0, bench.seed())?;
    for (name, data, cost) in [
        ("iris, versicolor and virginica", &pair(&iris, [1.0, 2.0])?, 0.1),
        ("iris, versicolor and virginica", &pair(&iris, [1.0, 2.0])?, 10.0),
        ("clouds", &overlapping, 0.01),
        ("clouds", &overlapping, 1.0),
        ("clouds", &overlapping, 100.0),
    ] {
        let rows = rows(&data.examples);
        soft(bench, &format!("{name}, c = {}", number(cost)), data, VectorKernel::linear(), &rows, cost)?;
    }
    // Dual by a kernel, primal in the six dimensions of its map.
    let (data, kernel) = (noisy_xor(80, 0.5, bench.seed())?, VectorKernel::polynomial(2, 1.0, 1.0)?);
    let mapped = PolynomialMap::new(kernel, 2)?.expand(&data.examples)?;
    soft(bench, "exclusive or with noise, kernel (1 + x·y)², c = 1", &data, kernel, &rows(&mapped), 1.0)?;
    weak_duality(bench, &overlapping)?;
    meeting(bench, &overlapping, 1.0)
}

fn rows(examples: &Dense<'_>) -> Vec<Vec<f64>> {
    (0..lm_core::Collection::len(examples)).map(|row| examples.slice(row).to_vec()).collect()
}

fn by_hand(bench: &mut Bench) -> Outcome {
    // The hyperplane halves the segment of length 5 between the points: margin 5/2, ‖w‖ = 2/5, λ = 2/25 each.
    let data = Binary {
        examples: Dense::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?,
        labels: BinaryLabels::from_integers(&[-1, 1])?,
    };
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let fit = MaximalMargin::default().with_gap(1e-14).fit(&gram, &data.labels)?.converged()?;
    let lambda = dual.multipliers(&fit.model);
    let primal = hard_margin(&rows(&data.examples), &dual.y, &[1.0, 0.0, -1.0])?;
    bench.check_all_close("two points, hard: λ", &[0.08; 2], &lambda, 1e-15);
    bench.check_close("two points, hard: value of problem 1", 0.08, primal.value, 1e-11);
    bench.check_close("two points, hard: value of problem 2", 0.08, dual.value(&lambda), 1e-15);
    // With c below 2/25 both multipliers are c: w = 5c along the segment, ψ = 1 − 25c/2 each.
    let fit = CSvc::default().with_cost(0.04).with_gap(1e-14).fit(&gram, &data.labels)?.converged()?;
    let lambda = dual.multipliers(&fit.model);
    let primal = soft_margin(&rows(&data.examples), &dual.y, 0.04)?;
    bench.check_all_close("two points, c = 0.04: ψ of problem 3", &[0.5; 2], &primal.slack, 1e-5);
    bench.check_close("two points, c = 0.04: value of problem 3", 0.06, primal.value, 1e-11);
    bench.check_close("two points, c = 0.04: value of problem 4", 0.06, dual.value(&lambda), 1e-15);

    // The slide minimises ½‖w‖, with strict inequalities.
    let w = weights_and_bias(
        &MaximalMargin::default().fit(&gram, &data.labels)?.model.over_columns(&data.examples)?,
    );
    let half = 0.5 * norm(&w[..2]);
    // Any point that meets the strict constraints can be improved: shrink it toward one that meets them with equality.
    let near: Vec<f64> = w.iter().map(|w| w * 1.001).collect();
    let nearer: Vec<f64> = w.iter().map(|w| w * 1.0005).collect();
    let least = |w: &[f64]| {
        let value = |row: usize| dual.y[row] * (dot(&w[..2], data.examples.slice(row)) + w[2]);
        value(0).min(value(1))
    };
    let better = least(&near) > 1.0 && least(&nearer) > 1.0 && norm(&nearer[..2]) < norm(&near[..2]);
    bench.erratum(
        "Problem 1 minimises ½‖w‖ subject to zₖ(wᵗxₖ + w₀) > 1.",
        "It minimises ½‖w‖² subject to ≥ 1. The hyperplane is the same, but the dual of the next slide has the value of ½‖w‖²; and with \
         strict inequalities there is no minimum, only a bound that no hyperplane reaches.",
        format!(
            "For two points at the distance 5 the dual is {} = ½‖w‖², and ½‖w‖ is {}. Of two hyperplanes that meet the strict \
             inequalities, one with 1.001 and one with 1.0005 times these weights, the second is always better.",
            number(dual.value(&[0.08; 2])),
            number(half)
        ),
        (half - 0.2).abs() < 1e-9 && (dual.value(&[0.08; 2]) - half * half * 2.0).abs() < 1e-9 && better,
    );
    Ok(())
}

fn hard(bench: &mut Bench, name: &str, data: &Binary) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let start = Perceptron::default().with_passes(100_000).fit(&data.examples, &data.labels)?.converged()?;
    let primal = hard_margin(&rows(&data.examples), &dual.y, &weights_and_bias(&start.model))?;
    let fit = MaximalMargin::default().with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    let machine = weights_and_bias(&fit.model.over_columns(&data.examples)?);
    compared(bench, &format!("{name}, hard"), &dual, &primal, &dual.multipliers(&fit.model), f64::INFINITY);
    same_hyperplane(bench, &format!("{name}, hard"), &machine, &primal);
    Ok(())
}

fn soft(
    bench: &mut Bench,
    name: &str,
    data: &Binary,
    kernel: VectorKernel,
    rows: &[Vec<f64>],
    cost: f64,
) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let primal = soft_margin(rows, &dual.y, cost)?;
    let fit = CSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    let lambda = dual.multipliers(&fit.model);
    compared(bench, name, &dual, &primal, &lambda, cost);
    // The slack is what the hyperplane falls short by.
    let (w, bias) = primal.weights.split_at(primal.weights.len() - 1);
    let short = rows.iter().zip(&dual.y).map(|(x, z)| (1.0 - z * (dot(w, x) + bias[0])).max(0.0));
    let off = short.zip(&primal.slack).map(|(short, psi)| (short - psi).abs()).fold(0.0, f64::max);
    bench.check_at_most(
        format!("{name}: ψ and what the hyperplane falls short by, largest difference"),
        1e-4,
        off,
    );
    Ok(())
}

/// The two values, and the constraints of both problems.
fn compared(bench: &mut Bench, name: &str, dual: &DualByHand, primal: &Primal, lambda: &[f64], cost: f64) {
    let (above, below) = (primal.value, dual.value(lambda));
    bench.check(
        format!("{name}: value of the primal by the barrier, and of the dual by the library"),
        "equal",
        format!("{} and {} (off by {})", number(above), number(below), number((above - below).abs() / above)),
        (above - below).abs() <= 1e-8 * above && above >= below * (1.0 - 1e-9),
    );
    let total: f64 = lambda.iter().sum();
    let within = lambda.iter().all(|l| (0.0..=cost).contains(l));
    let balance = dot(lambda, &dual.y).abs() / total;
    bench.check(
        format!("{name}: constraints of both"),
        "all are met",
        format!("the least to spare is {}; |Σ zλ|/Σλ = {}", number(primal.spare), number(balance)),
        primal.spare >= 0.0 && within && balance < 1e-14,
    );
}

fn same_hyperplane(bench: &mut Bench, name: &str, machine: &[f64], primal: &Primal) {
    let off = distance(machine, &primal.weights) / norm(&primal.weights);
    bench.check_at_most(format!("{name}: (w, w₀) of both, relative distance"), 1e-4, off);
}

/// Any point of the one problem bounds any point of the other.
fn weak_duality(bench: &mut Bench, data: &Binary) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let (dual, cost) = (DualByHand::new(&gram, &data.labels)?, 1.0);
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (n, dim) = (dual.y.len(), data.examples.dim());
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..1000 {
        let size = random.random_range(0.0..1.0);
        let mut lambda: Vec<f64> = (0..n).map(|_| cost * size * random.random_range(0.0..1.0)).collect();
        let side =
            |sign: f64| lambda.iter().zip(&dual.y).filter(|(_, z)| **z == sign).map(|(l, _)| l).sum::<f64>();
        let (positive, negative) = (side(1.0), side(-1.0));
        let least = positive.min(negative);
        for (l, z) in lambda.iter_mut().zip(&dual.y) {
            *l *= least / if *z > 0.0 { positive } else { negative };
        }
        highest = highest.max(dual.value(&lambda));
        let w: Vec<f64> = (0..=dim).map(|_| random.random_range(-2.0..2.0)).collect();
        let slack = (0..n).map(|k| (1.0 - dual.y[k] * (dot(data.examples.slice(k), &w) + w[dim])).max(0.0));
        lowest = lowest.min(0.5 * dot(&w[..dim], &w[..dim]) + cost * slack.sum::<f64>());
    }
    bench.check(
        "clouds, c = 1: largest dual value of 1000 feasible λ, and least primal value of 1000 hyperplanes",
        "the former is smaller",
        format!("{} and {}", number(highest), number(lowest)),
        highest <= lowest,
    );
    Ok(())
}

/// Primal values fall and dual values rise to the same number.
fn meeting(bench: &mut Bench, data: &Binary, cost: f64) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let primal = soft_margin(&rows(&data.examples), &dual.y, cost)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let above: Vec<[f64; 2]> = primal.course.iter().enumerate().map(|(k, v)| [k as f64, *v]).collect();
    let mut below = Vec::new();
    for k in 0..above.len().min(12) {
        let control = Control::new(Budget::default().with_iterations(1 << k));
        let fit = CSvc::default().with_cost(cost).with_gap(1e-11).fit_with(&set, &control)?;
        below.push([k as f64, dual.value(&dual.multipliers(&fit.model))]);
    }
    let rises = below.windows(2).filter(|two| two[1][1] < two[0][1] * (1.0 - 1e-12)).count();
    bench.check_equal("clouds, c = 1: falls of the dual value along the steps of the dual", 0, rises);
    let crossed = below.iter().filter(|point| point[1] > primal.value * (1.0 + 1e-9)).count();
    bench.check_equal("clouds, c = 1: dual values above the optimum of the primal", 0, crossed);
    let ends = [[0.0, primal.value], [above.len() as f64 - 1.0, primal.value]];
    let svg = Plot::new("stage k", "value")
        .marked_series("primal, barrier at t = 8ᵏt₀", &above)
        .marked_series("dual, after 2ᵏ steps", &below)
        .curve("optimum", &ends, Stroke::DASHED)
        .render()?;
    bench.figure(
        "meeting",
        "Soft margin, c = 1, on 120 points of overlapping clouds: primal values of the barrier method fall to the number to which the \
         dual values of the library rise.",
        svg,
    )
}
