//! B24: exclusive or, separated in the space of a quadratic kernel.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use lm_core::{
    BinaryLabels, Certificate, Dense, Learner, Margins, Stop, TrainingSet, VectorGram, VectorKernel,
};
use lm_qp::MaximalMargin;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::vectors::dot;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B24",
    place: "B, example 2",
    claim: "Exclusive or becomes separable under Φ(x) = (x₁², √2x₁, √2x₁x₂, √2x₂, x₂², 1): the multipliers are 1/8 each, all four points \
            are support vectors, w = ½(0, 0, √2, 0, 0, 0), w₀ = 0, the margin is √2, and g(x) = x₁x₂.",
    how: "The printed multipliers are checked by whole numbers against the conditions of the optimum and against random ones. The maximal \
          margin machine is then found from the kernel (1 + x·y)² and, separately, from the mapped points.",
    seed: 224,
    body,
}];

/// The points in the order of the source, and their labels.
const POINTS: [[f64; 2]; 4] = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]];
const LABELS: [i64; 4] = [1, -1, 1, -1];

fn map([x, y]: [f64; 2]) -> [f64; 6] {
    [x * x, SQRT_2 * x, SQRT_2 * x * y, SQRT_2 * y, y * y, 1.0]
}

fn body(bench: &mut Bench) -> Outcome {
    let labels = BinaryLabels::from_integers(&LABELS)?;
    let examples = Dense::from_rows(&POINTS)?;
    let kernel = VectorKernel::polynomial(2, 1.0, 1.0)?;
    let gram = VectorGram::new(&examples, kernel)?;
    printed_solution(bench, &DualByHand::new(&gram, &labels)?);

    let plain =
        MaximalMargin::default().fit(&VectorGram::new(&examples, VectorKernel::linear())?, &labels)?;
    bench.check(
        "without the map: what the machine says",
        Stop::Infeasible.to_string(),
        plain.report.stop.to_string(),
        plain.report.stop == Stop::Infeasible,
    );

    let fit = MaximalMargin::default().with_gap(1e-14).fit(&gram, &labels)?.converged()?;
    let set = TrainingSet::new(&gram, &labels)?;
    let alpha: Vec<f64> = fit.model.coefficients().iter().map(|c| c.abs()).collect();
    bench.check_all_close("kernel (1 + x·y)²: multipliers", &[0.125; 4], &alpha, 1e-15);
    bench.check_close("kernel: w₀", 0.0, fit.model.bias(), 1e-15);
    bench.check_close("kernel: margin", SQRT_2, fit.certificate.margin_at_most(), 1e-14);
    let margins = Margins::in_feature_space(&fit.model, &set)?;
    bench.check_all_close("kernel: distances of the four points", &[SQRT_2; 4], margins.values(), 1e-14);
    bench.check_valid("kernel: certificate", fit.certificate.verify(&set)?);
    let machine = fit.model.over_vectors(&examples, kernel)?;
    let mut off = 0.0_f64;
    for k in 0..=400_i32 {
        let x = [f64::from(k % 21) * 0.2 - 2.0, f64::from(k / 21) * 0.2 - 2.0];
        off = off.max((machine.decision(&x)? - x[0] * x[1]).abs());
    }
    bench.check_at_most("kernel: g(x) and x₁x₂ at 401 points of [−2, 2]²", 1e-14, off);

    let mapped = Dense::from_rows(&POINTS.map(map))?;
    let fit = MaximalMargin::default()
        .with_gap(1e-14)
        .fit(&VectorGram::new(&mapped, VectorKernel::linear())?, &labels)?
        .converged()?;
    let w = fit.model.over_columns(&mapped)?;
    bench.check_all_close("six dimensions: w", &[0.0, 0.0, FRAC_1_SQRT_2, 0.0, 0.0, 0.0], w.weights(), 1e-14);
    bench.check_close("six dimensions: w₀", 0.0, w.bias(), 1e-14);
    bench.check_close("six dimensions: 1/‖w‖", SQRT_2, 1.0 / w.norm(), 1e-14);
    // w₀ = z₁ − wᵗΦ(x₁), and the same from any other point.
    let from_each: Vec<f64> =
        POINTS.iter().zip(LABELS).map(|(x, z)| z as f64 - dot(w.weights(), &map(*x))).collect();
    bench.check_all_close("six dimensions: w₀ from each support vector", &[0.0; 4], &from_each, 1e-14);
    figures(bench)
}

/// The conditions of the optimum, in numbers that binary fractions hold exactly.
fn printed_solution(bench: &mut Bench, dual: &DualByHand) {
    let printed = [0.125; 4];
    bench.check_all_close(
        "by hand: z(wᵗΦ(x) + 0) of the four points",
        &[1.0; 4],
        &dual.margins(&printed, 0.0),
        0.0,
    );
    bench.check_close("by hand: Σ zα", 0.0, dot(&printed, &dual.y), 0.0);
    bench.check_close("by hand: the dual at α = 1/8, which is ½‖w‖² = 1/4", 0.25, dual.value(&printed), 0.0);
    bench.check_close("by hand: ‖w‖²", 0.5, dual.norm_squared(&printed), 0.0);
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let mut best = f64::NEG_INFINITY;
    for k in 0..20_000_i32 {
        let size = 10.0_f64.powi(-(k % 7)) * 0.5;
        let mut alpha = [0.0; 4].map(|a| a + 0.125 + size * random.random_range(-1.0..1.0));
        // Σ zα = 0, by the last multiplier; points outside of the quadrant are passed over.
        alpha[3] = alpha[0] - alpha[1] + alpha[2];
        if alpha.iter().all(|a| *a >= 0.0) {
            best = best.max(dual.value(&alpha));
        }
    }
    bench.check_at_most(
        "the dual at random feasible multipliers, from near to far: the largest value",
        0.25,
        best,
    );
    bench.note(format!("The largest of these values falls short of 1/4 by {}.", number(0.25 - best)));
}

fn figures(bench: &mut Bench) -> Outcome {
    let of =
        |z: i64| POINTS.iter().zip(LABELS).filter(move |(_, l)| *l == z).map(|(p, _)| *p).collect::<Vec<_>>();
    let g = |x: f64, y: f64| x * y;
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-2.2, 2.2)
        .y_range(-2.2, 2.2)
        .resolution(90)
        .field("g(x) = x₁x₂", g)
        .line("g = 0", [1.0, 0.0, 0.0], Stroke::SOLID)
        .line("", [0.0, 1.0, 0.0], Stroke::SOLID)
        .contours(g, &[("g = 1", 1.0, Stroke::DASHED), ("g = −1", -1.0, Stroke::DOTTED)])
        .points("ω₁", 0, &of(1))
        .points("ω₂", 1, &of(-1))
        .render()?;
    bench.figure(
        "input",
        "The machine in the plane: g = ±1 are the margins, on which all four points lie.",
        svg,
    )?;
    let project = |points: Vec<[f64; 2]>| {
        points.into_iter().map(|[x, y]| [SQRT_2 * x, SQRT_2 * x * y]).collect::<Vec<_>>()
    };
    let svg = Plot::new("√2x₁", "√2x₁x₂")
        .equal_axes()
        .x_range(-2.4, 2.4)
        .y_range(-2.2, 2.2)
        .line("g = 0", [0.0, 1.0, 0.0], Stroke::SOLID)
        .line("g = ±1", [0.0, 1.0, -SQRT_2], Stroke::DASHED)
        .line("", [0.0, 1.0, SQRT_2], Stroke::DASHED)
        .segment("margin √2", [0.0, 0.0], [0.0, SQRT_2], Stroke::DOTTED)
        .points("ω₁", 0, &project(of(1)))
        .points("ω₂", 1, &project(of(-1)))
        .render()?;
    bench.figure(
        "mapped",
        "Two of the six dimensions: the hyperplane is √2x₁x₂ = 0, at the distance √2 from every point.",
        svg,
    )
}
