//! A07: margin slack variables.

use lm_core::{BinaryLabels, Dense, Linear, Margins, Sign, TrainingSet};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "A07",
    place: "A Def 2.6, Fig 2.4",
    claim: "The margin slack ξᵢ = max(0, γ − yᵢ(⟨w·xᵢ⟩ + b)) says by how much an example fails to have margin γ; an \
            example with ξᵢ > γ is misclassified, and ‖ξ‖ measures how far the set is from having margin γ.",
    how: "Two classes of points and a hyperplane with ‖w‖ = 1 that misclassifies two of them; slacks are compared with \
          the ways to the margin lines, drawn in the figure.",
    seed: 0,
    body,
}];

/// The unit normal (0.6, 0.8) and bias of the hyperplane.
const PLANE: [f64; 3] = [0.6, 0.8, -2.4];
const GAMMA: f64 = 0.5;

const POSITIVE: [[f64; 2]; 8] =
    [[3.0, 3.2], [2.0, 3.0], [4.2, 1.6], [4.6, 2.8], [1.2, 3.8], [3.6, 4.2], [2.6, 2.2], [1.4, 0.9]];
const NEGATIVE: [[f64; 2]; 8] =
    [[0.4, 0.8], [1.2, 0.2], [0.2, 2.0], [2.2, 0.1], [0.9, 1.3], [0.3, 0.1], [1.6, 0.2], [3.3, 1.5]];

fn body(bench: &mut Bench) -> Outcome {
    let points: Vec<[f64; 2]> = POSITIVE.iter().chain(&NEGATIVE).copied().collect();
    let signs = [[Sign::Positive; 8], [Sign::Negative; 8]].concat();
    let (examples, labels) = (Dense::from_rows(&points)?, BinaryLabels::new(signs)?);
    let set = TrainingSet::new(&examples, &labels)?;
    let plane = Linear::new(PLANE[..2].to_vec(), PLANE[2])?;
    bench.check_close("‖w‖", 1.0, plane.norm(), 1e-15);

    let margins = Margins::functional(&plane, &set)?;
    let slack = margins.slack(GAMMA)?;
    let wrong: Vec<usize> = (0..points.len()).filter(|&i| margins.values()[i] < 0.0).collect();
    let above: Vec<usize> = (0..points.len()).filter(|&i| slack.values()[i] > GAMMA).collect();
    bench.check(
        "examples with ξᵢ > γ",
        "the misclassified ones",
        format!("{above:?}, misclassified {wrong:?}"),
        above == wrong,
    );
    bench.check_equal("their number, as in the figure", 2, wrong.len());

    // The way back to the line on which the example would have margin γ, found by projection.
    let mut worst = 0.0_f64;
    let mut ways = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let sign = labels.signs()[i].value();
        let target = level_foot(*point, sign * GAMMA);
        let short = margins.values()[i] < GAMMA;
        let way = if short { (point[0] - target[0]).hypot(point[1] - target[1]) } else { 0.0 };
        worst = worst.max((way - slack.values()[i]).abs());
        if short {
            ways.push((*point, target));
        }
    }
    bench.check_at_most("largest difference between ξᵢ and the way to the margin line", 1e-14, worst);
    let squares: f64 = slack.values().iter().map(|xi| xi * xi).sum();
    bench.check_close("‖ξ‖ as the root of the sum of squares", squares.sqrt(), slack.norm(), 1e-15);
    bench.check_equal(
        "examples with slack",
        ways.len(),
        slack.values().iter().filter(|xi| **xi > 0.0).count(),
    );

    let [a, b, c] = PLANE;
    let mut plot = Plot::new("x₁", "x₂").equal_axes().x_range(-0.3, 5.3).y_range(-0.3, 4.7);
    plot = plot.line("hyperplane", PLANE, Stroke::SOLID);
    plot =
        plot.line("margin γ", [a, b, c - GAMMA], Stroke::DASHED).line("", [a, b, c + GAMMA], Stroke::DASHED);
    for (index, (from, to)) in ways.iter().enumerate() {
        plot = plot.segment(if index == 0 { "slack ξ" } else { "" }, *from, *to, Stroke::DOTTED);
    }
    let wrong: Vec<[f64; 2]> = wrong.iter().map(|&i| points[i]).collect();
    let plot =
        plot.points("negative", 0, &NEGATIVE).points("positive", 1, &POSITIVE).rings("misclassified", &wrong);
    bench.figure(
        "slack",
        "The slack of an example is its way to the margin line of its own class; all others have slack 0.",
        plot.render()?,
    )
}

/// The point nearest to `point` at which the function of the hyperplane has the value `level`.
fn level_foot(point: [f64; 2], level: f64) -> [f64; 2] {
    let [a, b, c] = PLANE;
    let step = a * point[0] + b * point[1] + c - level;
    [point[0] - step * a, point[1] - step * b]
}
