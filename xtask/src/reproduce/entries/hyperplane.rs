//! A01 and B01: the decision rule of a linear function, and distances to its hyperplane.

use lm_core::{Dense, Examples, Hypothesis, Linear, Sign};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A01",
        place: "A 2.1",
        claim: "A linear function assigns x to the class sgn(⟨w·x⟩ + b), with sgn(0) = +1; f(x)/‖w‖ is the \
                distance of x to the hyperplane, positive on the positive side.",
        how: "The rule is applied to points on either side of a hyperplane and on it; distances are compared \
              with the length of the way to the foot of the perpendicular, found by projection.",
        seed: 0,
        body: decision_rule,
    },
    Entry {
        id: "B01",
        place: "B 5.2",
        claim: "For g(x) = wᵗx + w₀ the distance of x to the hyperplane H is r = g(x)/‖w‖, that of the origin \
                w₀/‖w‖, and w is normal to every vector lying in H.",
        how: "In 2 to 50 dimensions a hyperplane is written down with integers, points are decomposed as \
              x = xₚ + r w/‖w‖, and differences of points on H are multiplied by w.",
        seed: 0,
        body: distances,
    },
];

/// The points of the figure, labelled by the side they are on.
const POINTS: [[f64; 2]; 10] = [
    [1.0, 3.5],
    [2.2, 2.9],
    [3.0, 4.2],
    [4.1, 2.4],
    [4.6, 3.6],
    [0.6, 0.9],
    [1.4, 0.4],
    [2.1, 0.8],
    [0.4, 1.9],
    [3.2, 0.3],
];

fn decision_rule(bench: &mut Bench) -> Outcome {
    let f = Linear::new(vec![3.0, 4.0], -12.0)?;
    bench.check_equal("sgn(f) at (4, 3), where f = 12", 1, Sign::of(f.decision(&[4.0, 3.0])?) as i8);
    bench.check_equal("sgn(f) at (0, 0), where f = −12", -1, Sign::of(f.decision(&[0.0, 0.0])?) as i8);
    bench.check_equal("sgn(f) at (4, 0), where f = 0", 1, f.classify(&[4.0, 0.0])? as i8);
    bench.check_close("distance of (4, 3)", 2.4, f.distance(&[4.0, 3.0])?, 1e-15);
    bench.check_close("distance of (0, 0)", -2.4, f.distance(&[0.0, 0.0])?, 1e-15);

    let rows: Vec<Vec<f64>> = POINTS.iter().map(|point| point.to_vec()).collect();
    let examples = Dense::from_rows(&rows)?;
    let values = f.decision_values(&examples)?;
    let mut worst = 0.0_f64;
    for (point, value) in POINTS.iter().zip(&values) {
        let foot = foot_of(&f, point, *value);
        let way = (point[0] - foot[0]).hypot(point[1] - foot[1]);
        worst = worst.max((way - (value / f.norm()).abs()).abs());
    }
    bench.check_at_most("largest difference between |f(x)|/‖w‖ and the way to the foot of x", 1e-14, worst);

    let side = |positive: bool| -> Vec<[f64; 2]> {
        POINTS.iter().zip(&values).filter(|(_, v)| (**v >= 0.0) == positive).map(|(p, _)| *p).collect()
    };
    let mut plot = Plot::new("x₁", "x₂").equal_axes().x_range(-0.3, 5.3).y_range(-0.3, 4.7);
    plot =
        plot.regions(&["f(x) < 0", "f(x) ≥ 0"], |x, y| Some(usize::from(3.0 * x + 4.0 * y - 12.0 >= 0.0)));
    plot = plot.line("⟨w·x⟩ + b = 0", [3.0, 4.0, -12.0], Stroke::SOLID);
    for (point, value) in POINTS.iter().zip(&values).step_by(3) {
        plot = plot.segment("", *point, foot_of(&f, point, *value), Stroke::DASHED);
    }
    plot = plot.arrow("w/‖w‖", [2.0, 1.5], [2.6, 2.3]);
    let svg = plot.points("negative", 0, &side(false)).points("positive", 1, &side(true)).render()?;
    bench.figure(
        "hyperplane",
        "A hyperplane in two dimensions. w is perpendicular to it; the dashed ways have length |f(x)|/‖w‖.",
        svg,
    )
}

/// The point of the hyperplane nearest to `point`, whose decision value is known.
fn foot_of(f: &Linear, point: &[f64; 2], value: f64) -> [f64; 2] {
    let (w, norm) = (f.weights(), f.norm());
    let step = value / (norm * norm);
    [point[0] - step * w[0], point[1] - step * w[1]]
}

fn distances(bench: &mut Bench) -> Outcome {
    let (mut worst_distance, mut worst_normal, mut worst_origin) = (0.0_f64, 0.0_f64, 0.0_f64);
    for dim in 2..=50_usize {
        let entry = |k: usize, by: usize| ((k * by + 3) % 11) as f64 - 5.0;
        let g = Linear::new((0..dim).map(|k| entry(k, 7) + 0.5).collect(), 2.0 + dim as f64)?;
        let norm = g.norm();
        let (x, z): (Vec<f64>, Vec<f64>) = (0..dim).map(|k| (entry(k, 4), entry(k, 9))).unzip();
        let foot = |point: &[f64]| -> Result<Vec<f64>, lm_core::Error> {
            let r = g.distance(point)?;
            Ok(point.iter().zip(g.weights()).map(|(p, w)| p - r * w / norm).collect())
        };
        let (xp, zp) = (foot(&x)?, foot(&z)?);
        worst_distance = worst_distance.max(g.decision(&xp)?.abs() / norm);
        let feet = Dense::from_rows(&[xp, zp])?;
        let difference: Vec<f64> = feet.slice(0).iter().zip(feet.slice(1)).map(|(a, b)| a - b).collect();
        let normal = Dense::single(&difference)?.dot(0, g.weights());
        worst_normal = worst_normal.max(normal.abs() / norm);
        let origin = vec![0.0; dim];
        worst_origin = worst_origin.max((g.distance(&origin)? - g.bias() / norm).abs());
    }
    bench.check_at_most("|g(xₚ)|/‖w‖ after x = xₚ + r w/‖w‖, worst of 49 dimensions", 1e-13, worst_distance);
    bench.check_at_most("|wᵗ(x₁ − x₂)|/‖w‖ of two points on H, worst of 49 dimensions", 1e-13, worst_normal);
    bench.check_at_most("|d(0, H) − w₀/‖w‖|, worst of 49 dimensions", 0.0, worst_origin);
    let g = Linear::new(vec![3.0, 4.0], 10.0)?;
    bench.check_close("d(0, H) for w = (3, 4), w₀ = 10", 2.0, g.distance(&[0.0, 0.0])?, 0.0);
    Ok(())
}
