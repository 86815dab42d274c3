//! B07: augmented samples, sign-normalised samples, and regions that are not connected.

use lm_core::basis::{FeatureMap, Monomials, augmented};
use lm_core::{
    BinaryLabels, Collection, Dense, Examples, Hypothesis, Learner, Linear, VectorGram, VectorKernel,
};
use lm_qp::CSvc;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke, sample};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B07",
    place: "B 5.5–5.7",
    claim: "With a constant component added to every sample, a hyperplane anywhere becomes one through the origin, at a \
            smaller or equal distance; with the samples of the second class negated, a separating vector has a positive \
            product with all of them. The map y = (1, x, x²) gives regions on the line that are not connected.",
    how: "Augmented and plain decision values are compared on points of the plane, distances to both hyperplanes measured, \
          and a machine trained on (x, x²) for two classes of which one encloses the other.",
    seed: 0,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let rows: Vec<[f64; 2]> =
        (0..40).map(|k| [(f64::from(k) * 0.9).sin() * 3.0, (f64::from(k) * 1.7).cos() * 2.0]).collect();
    let examples = Dense::from_rows(&rows)?;
    let plane = Linear::new(vec![1.0, 2.0], 0.5)?;
    let values = plane.decision_values(&examples)?;
    let ys = augmented::examples(&examples)?;
    let a = augmented::weights(&plane);
    let products: Vec<f64> = (0..ys.len()).map(|row| ys.dot(row, &a)).collect();
    bench.check_at_most(
        "largest difference between aᵗy and wᵗx + w₀ on 40 points",
        1e-14,
        values.iter().zip(&products).map(|(g, p)| (g - p).abs()).fold(0.0, f64::max),
    );
    let back = augmented::hyperplane(&a)?;
    bench.check(
        "a → (w, w₀)",
        "the hyperplane",
        if back == plane { "the same" } else { "another" },
        back == plane,
    );

    let length = a.iter().map(|v| v * v).sum::<f64>().sqrt();
    let nearer = values.iter().all(|g| g.abs() / length <= g.abs() / plane.norm());
    bench.check(
        "distance in y-space ≤ distance in x-space, on 40 points",
        "yes",
        if nearer { "yes" } else { "no" },
        nearer,
    );

    let labels: Vec<i64> = values.iter().map(|g| if *g >= 0.0 { 1 } else { -1 }).collect();
    let labels = BinaryLabels::from_integers(&labels)?;
    let normalised = augmented::normalised(&examples, &labels)?;
    let smallest = (0..normalised.len()).map(|row| normalised.dot(row, &a)).fold(f64::INFINITY, f64::min);
    bench.check(
        "smallest aᵗy over sign-normalised samples of separated classes",
        "> 0",
        format!("{smallest:.4}"),
        smallest > 0.0,
    );

    parabola(bench)
}

/// One class in the middle of the line, the other on both sides: separable by a plane in y-space.
fn parabola(bench: &mut Bench) -> Outcome {
    let xs: Vec<f64> = (0..25).map(|k| -3.0 + 0.25 * f64::from(k)).collect();
    let class: Vec<i64> = xs.iter().map(|x| if (-0.6..1.1).contains(x) { -1 } else { 1 }).collect();
    let labels = BinaryLabels::from_integers(&class)?;
    let line = Dense::new(xs.clone(), xs.len(), 1)?;
    let map = Monomials::of_degrees(1, &[1, 2])?;
    let expanded = map.expand(&line)?;
    let gram = VectorGram::new(&expanded, VectorKernel::linear())?;
    let fit = CSvc::default().with_cost(1e4).with_gap(1e-6).fit(&gram, &labels)?.converged()?;
    let machine = fit.model.over_vectors(&expanded, VectorKernel::linear())?;
    let right = machine.signs(&expanded)? == labels.signs();
    bench.check(
        "classes on the line separated by a plane in (1, x, x²)",
        "all 25",
        if right { "all 25" } else { "not all" },
        right,
    );

    let g = |x: f64| machine.decision(&[x, x * x]).unwrap_or(f64::NAN);
    let grid: Vec<f64> = (0..=600).map(|k| -3.0 + f64::from(k) / 100.0).collect();
    let pieces = grid.windows(2).filter(|pair| (g(pair[0]) >= 0.0) != (g(pair[1]) >= 0.0)).count() + 1;
    bench.check_equal("pieces that the two regions cut the line into", 3, pieces);

    let on = |sign: i64| -> Vec<[f64; 2]> {
        xs.iter().zip(&class).filter(|(_, c)| **c == sign).map(|(x, _)| [*x, x * x]).collect()
    };
    let svg = Plot::new("x", "x²")
        .x_range(-3.2, 3.2)
        .y_range(-0.5, 9.5)
        .regions(&["g < 0", "g ≥ 0"], |x, y| {
            Some(usize::from(machine.decision(&[x, y]).is_ok_and(|v| v >= 0.0)))
        })
        .curve("the line, mapped", &sample(-3.1, 3.1, 200, |x| x * x), Stroke::SOLID)
        .points("class −1", 0, &on(-1))
        .points("class +1", 1, &on(1))
        .render()?;
    bench.figure(
        "parabola",
        "The map (x, x²) bends the line into a parabola; a straight boundary cuts out its middle, so the region of class \
         +1 on the line has two parts.",
        svg,
    )
}
