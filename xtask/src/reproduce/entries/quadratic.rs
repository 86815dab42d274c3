//! B03, B05 and B06: quadratic discriminants, their matrix form, and the surfaces they describe.

use lm_core::basis::{Definiteness, Monomials, Quadratic, Surface, monomials_up_to};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "B03",
        place: "B, equation (2)",
        claim: "The general quadratic discriminant of n variables has (n+1)(n+2)/2 terms (10 for n = 3, 65 for n = 10) \
                and can be written xᵗAx + xᵗb + c.",
        how: "Terms are counted by listing them and by the formula. Random weights are turned into A, b and c and back, \
              and both forms evaluated.",
        seed: 0,
        body: terms,
    },
    Entry {
        id: "B05",
        place: "B, definite matrices",
        claim: "The matrix A decides the shape of the surface g = 0: a hypersphere for A = I, a hyperellipsoid for A \
                positive definite, a hyperhyperboloid for A negative definite; definiteness can be read off the \
                determinants of the leading principal minors, semi-definiteness from non-negative ones.",
        how: "Matrices with known eigenvalues are classified; the statements about semi-definite and negative definite \
              matrices are tested on diag(0, −1) and −I.",
        seed: 0,
        body: shapes,
    },
    Entry {
        id: "B06",
        place: "B, exercise 2",
        claim: "For A = [[2, 1], [1, 4]], b = (1, 2) and c = −3 the eigenvalues are 3 ± √2 with axes along (1, 1 ± √2), \
                the boundary is an ellipse, g(0, −1) = −1 and g(1, 1) = 8.",
        how: "The discriminant is built from its weights and classified.",
        seed: 0,
        body: exercise,
    },
];

fn terms(bench: &mut Bench) -> Outcome {
    let mut agree = true;
    for n in 1..=40_usize {
        let listed = Monomials::up_to(n, 2)?.len();
        agree &= listed == (n + 1) * (n + 2) / 2 && monomials_up_to(n, 2) == Some(listed as u128);
    }
    bench.check(
        "(n+1)(n+2)/2 terms for n = 1, …, 40",
        "as many as listed",
        if agree { "equal" } else { "different" },
        agree,
    );
    bench.check_equal("terms for n = 3", 10, Monomials::up_to(3, 2)?.len());
    let ten = Monomials::up_to(10, 2)?.len();
    bench.erratum(
        "For n = 10 the vector has 65 dimensions.",
        "It has 66: the formula of the same slide gives 11·12/2 = 66, the constant included as for n = 3.",
        format!("listing the terms for n = 10 gives {ten}, for n = 3 it gives 10"),
        ten == 66,
    );
    let (mut worst, mut same) = (0.0_f64, true);
    for n in 1..=12_usize {
        let count = (n + 1) * (n + 2) / 2;
        let weights: Vec<f64> = (0..count).map(|k| ((k * k + 3 * k + n) as f64).sin()).collect();
        let g = Quadratic::from_weights(&weights, n)?;
        same &= g.weights() == weights;
        let x: Vec<f64> = (0..n).map(|k| ((k * 5 + n) as f64).cos()).collect();
        let plain: f64 = lm_core::basis::FeatureMap::map(&Monomials::up_to(n, 2)?, &x)?
            .iter()
            .zip(&weights)
            .map(|(term, weight)| term * weight)
            .sum();
        worst = worst.max((g.value(&x)? - plain).abs());
    }
    bench.check(
        "weights → (A, b, c) → weights, n = 1, …, 12",
        "the same",
        if same { "the same" } else { "others" },
        same,
    );
    bench.check_at_most("largest difference between the two forms", 1e-13, worst);
    Ok(())
}

fn shapes(bench: &mut Bench) -> Outcome {
    let shape = |matrix: &[f64], linear: &[f64], constant: f64| {
        Quadratic::new(matrix.to_vec(), linear.to_vec(), constant)?.shape(1e-12)
    };
    let mut classify = |what: &str, matrix: &[f64], constant: f64, expected: Surface| -> Outcome {
        let dim = (matrix.len() as f64).sqrt() as usize;
        let found = shape(matrix, &vec![0.0; dim], constant)?.surface;
        bench.check(what, format!("{expected:?}"), format!("{found:?}"), found == expected);
        Ok(())
    };
    classify("A = I, c = −1", &[1.0, 0.0, 0.0, 1.0], -1.0, Surface::Hypersphere)?;
    classify("A = [[2, 1], [1, 4]], c = −3", &[2.0, 1.0, 1.0, 4.0], -3.0, Surface::Hyperellipsoid)?;
    classify("A = diag(1, −1), c = −1", &[1.0, 0.0, 0.0, -1.0], -1.0, Surface::Hyperhyperboloid)?;
    classify("A = diag(1, 0), c = −1", &[1.0, 0.0, 0.0, 0.0], -1.0, Surface::Cylinder)?;
    classify("A = I, c = 1", &[1.0, 0.0, 0.0, 1.0], 1.0, Surface::Empty)?;

    let odd = Quadratic::new(vec![0.0, 0.0, 0.0, -1.0], vec![0.0; 2], 0.0)?;
    let minors = odd.leading_minors();
    let definiteness = odd.shape(1e-12)?.definiteness;
    let value = odd.value(&[0.0, 1.0])?;
    bench.erratum(
        "If the determinants of the leading principal minors are all non-negative, A is positive semi-definite.",
        "All principal minors would have to be non-negative, not only the leading ones; eigenvalues decide.",
        format!("diag(0, −1) has leading minors {minors:?} and is {definiteness:?}: its form is {value} at (0, 1)"),
        minors.iter().all(|minor| *minor >= 0.0) && value < 0.0 && definiteness == Definiteness::NegativeSemi,
    );
    let negative = shape(&[-1.0, 0.0, 0.0, -1.0], &[0.0; 2], 1.0)?;
    bench.erratum(
        "If A is negative definite, the decision function describes a hyperhyperboloid.",
        "A and −A with all signs of g changed describe the same surface: a negative definite A gives an ellipsoid. \
         Hyperboloids belong to indefinite matrices.",
        format!("−x₁² − x₂² + 1 = 0 is a {:?} with {:?} form", negative.surface, negative.definiteness),
        negative.surface == Surface::Hypersphere && negative.definiteness == Definiteness::Negative,
    );

    let [circle, ellipse, hyperbola] = [[1.0, 0.0, 1.0, -1.0], [0.5, 0.3, 1.2, -1.0], [1.0, 0.2, -1.0, -0.4]]
        .map(|[a, b, c, d]| move |x: f64, y: f64| a * x * x + 2.0 * b * x * y + c * y * y + d);
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-2.0, 2.0)
        .y_range(-2.0, 2.0)
        .contours(circle, &[("A = I", 0.0, Stroke::SOLID)])
        .contours(ellipse, &[("A positive definite", 0.0, Stroke::DASHED)])
        .contours(hyperbola, &[("A indefinite", 0.0, Stroke::DOTTED)])
        .render()?;
    bench.figure("surfaces", "The surfaces g = 0 of three quadratic discriminants in two variables.", svg)
}

fn exercise(bench: &mut Bench) -> Outcome {
    let g = Quadratic::from_weights(&[2.0, 2.0, 4.0, 1.0, 2.0, -3.0], 2)?;
    bench.check_all_close(
        "A, from the weights of 2x₁² + 2x₁x₂ + 4x₂² + x₁ + 2x₂ − 3",
        &[2.0, 1.0, 1.0, 4.0],
        g.matrix(),
        0.0,
    );
    let shape = g.shape(1e-12)?;
    let root = 2.0_f64.sqrt();
    bench.check_all_close("eigenvalues 3 ± √2", &[3.0 - root, 3.0 + root], &shape.eigenvalues, 1e-15);
    let slope = |axis: &[f64]| axis[1] / axis[0];
    let slopes = [slope(&shape.axes[0]), slope(&shape.axes[1])];
    bench.check_all_close("slopes of the axes, 1 ± √2", &[1.0 - root, 1.0 + root], &slopes, 1e-14);
    bench.check(
        "surface",
        "an ellipse",
        format!("{:?}", shape.surface),
        shape.surface == Surface::Hyperellipsoid,
    );
    bench.check_close("g(0, −1), so ω₂", -1.0, g.value(&[0.0, -1.0])?, 0.0);
    bench.check_close("g(1, 1), so ω₁", 8.0, g.value(&[1.0, 1.0])?, 0.0);

    let centre = shape.centre.clone().ok_or("an ellipse has a centre")?;
    let value = |x: f64, y: f64| 2.0 * x * x + 2.0 * x * y + 4.0 * y * y + x + 2.0 * y - 3.0;
    let mut plot = Plot::new("x₁", "x₂").equal_axes().x_range(-2.2, 1.8).y_range(-1.8, 1.6);
    plot = plot.regions(&["ω₂: g < 0", "ω₁: g > 0"], move |x, y| Some(usize::from(value(x, y) >= 0.0)));
    plot = plot.contours(value, &[("g = 0", 0.0, Stroke::SOLID)]);
    for (index, axis) in shape.axes.iter().enumerate() {
        let half = shape.semi_axis(index).ok_or("an ellipse has semi-axes")?;
        let end = |sign: f64| [centre[0] + sign * half * axis[0], centre[1] + sign * half * axis[1]];
        plot = plot.segment(if index == 0 { "axes" } else { "" }, end(-1.0), end(1.0), Stroke::DASHED);
    }
    let svg = plot.points("(0, −1)", 0, &[[0.0, -1.0]]).points("(1, 1)", 1, &[[1.0, 1.0]]).render()?;
    bench.figure(
        "ellipse",
        "The decision boundary of exercise 2, its axes, and the two points to classify.",
        svg,
    )
}
