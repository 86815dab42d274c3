//! D04: linear discriminant analysis of several classes, and the plane onto which it projects iris.

use lm_closed::{ClassMoments, Lda};
use lm_core::linalg::{Cholesky, Matrix};
use lm_core::multiclass::Classifier;
use lm_core::{Certificate, ClassLabels, Dense, Learner, TrainingSet};
use lm_data::generate::{Cloud, Spread, gaussians};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::vectors::{dot, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "D04",
    place: "D 4.2.1, multi-class",
    claim: "The covariance of all data is the sum of that between and that within classes, C = C_B + C_W. The K − 1 directions of \
            the largest criterion are generalised eigenvectors, C_B w = λ C_W w; iris projected onto two of them shows its classes.",
    how: "The three matrices are summed entry by entry from iris and from clouds of five classes; eigenvalues are compared with \
          reference values of 60 digits, eigenvectors put into their equation, and the trace of C_W⁻¹C_B with the sum of the K − 1 \
          eigenvalues: there are no others.",
    seed: 404,
    body,
}];

/// `Σ (x − m)(x − m)ᵗ` around the means of the groups.
fn scatter(examples: &Dense<'_>, group: &[usize]) -> Vec<Vec<f64>> {
    let (dim, groups) = (examples.slice(0).len(), group.iter().max().map_or(0, |most| most + 1));
    let mut result = vec![vec![0.0; dim]; dim];
    for own in 0..groups {
        let rows: Vec<&[f64]> =
            (0..group.len()).filter(|&row| group[row] == own).map(|row| examples.slice(row)).collect();
        let mean: Vec<f64> =
            (0..dim).map(|k| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64).collect();
        for row in rows {
            for i in 0..dim {
                for j in 0..dim {
                    result[i][j] += (row[i] - mean[i]) * (row[j] - mean[j]);
                }
            }
        }
    }
    result
}

fn body(bench: &mut Bench) -> Outcome {
    let iris = lm_data::classic::iris()?.data;
    let labels = iris.classes()?;
    analyse(bench, "iris", &iris.examples, &labels)?;
    let cloud = |class: i64| {
        let at = |k: i64| ((class * 7 + k * 3) % 5) as f64 - 2.0;
        Cloud {
            class,
            len: 30 + 10 * class as usize,
            mean: (0..6).map(at).collect(),
            spread: Spread::Round(1.0),
        }
    };
    let clouds: Vec<Cloud> = (0..5).map(cloud).collect();
    let made = gaussians(&clouds, bench.seed())?;
    analyse(bench, "five clouds in 6 dimensions", &made.examples, &made.labels)?;

    let fit = Lda::default().fit(&iris.examples, &labels)?;
    let projection = fit.model.projection();
    for (what, expected, found) in [
        ("first eigenvalue", 32.191_929_198_278_01, projection.eigenvalues()[0]),
        ("second eigenvalue", 0.285_391_042_623_073_1, projection.eigenvalues()[1]),
        ("proportion of trace of the first", 0.991_212_604_965_367_2, projection.proportions()[0]),
        ("Wilks' Λ", 0.023_438_630_650_878_362, projection.wilks_lambda()),
    ] {
        bench.check_close(
            format!("iris: {what}, and the reference value"),
            expected,
            found,
            1e-13 * expected,
        );
    }
    let found = fit.model.class_numbers(&iris.examples)?;
    let wrong =
        found.iter().zip(labels.indices()).filter(|(found, given)| **found != **given as usize).count();
    bench.check_equal("iris: training errors of the linear machine", 3, wrong);

    let plane = projection.project(&iris.examples)?;
    let nearest = in_the_plane(&plane, &labels);
    bench.check_equal(
        "iris: errors of the nearest class mean in the plane, which is the same rule",
        3,
        nearest,
    );
    let of_class = |class: u32| -> Vec<[f64; 2]> {
        let rows = (0..150).filter(|&row| labels.indices()[row] == class);
        rows.map(|row| [plane[(row, 0)], plane[(row, 1)]]).collect()
    };
    let svg = Plot::new("first discriminant direction", "second direction")
        .equal_axes()
        .points("setosa", 0, &of_class(0))
        .points("versicolor", 1, &of_class(1))
        .points("virginica", 2, &of_class(2))
        .render()?;
    bench.figure(
        "iris",
        "Iris in the plane of the two discriminant directions: along each, the variance within classes is 1. The first tells \
         nearly everything.",
        svg,
    )
}

/// How many examples are nearer to the mean of another class.
fn in_the_plane(plane: &Matrix, labels: &ClassLabels) -> usize {
    let groups = labels.rows_by_class();
    let mean = |rows: &Vec<usize>, j: usize| {
        rows.iter().map(|&row| plane[(row, j)]).sum::<f64>() / rows.len() as f64
    };
    let means: Vec<[f64; 2]> = groups.iter().map(|rows| [mean(rows, 0), mean(rows, 1)]).collect();
    let away = |row: usize, class: usize| {
        (plane[(row, 0)] - means[class][0]).powi(2) + (plane[(row, 1)] - means[class][1]).powi(2)
    };
    let wrong = |&row: &usize| {
        let own = labels.indices()[row] as usize;
        (0..means.len()).any(|class| away(row, class) < away(row, own))
    };
    (0..plane.rows()).filter(wrong).count()
}

fn analyse(bench: &mut Bench, name: &str, examples: &Dense<'static>, labels: &ClassLabels) -> Outcome {
    let (dim, classes) = (examples.slice(0).len(), labels.classes().len());
    let group: Vec<usize> = labels.indices().iter().map(|&index| index as usize).collect();
    let (within, total) = (scatter(examples, &group), scatter(examples, &vec![0; group.len()]));
    let moments = ClassMoments::of(examples, labels, None)?;
    let between = moments.between()?;
    let size = total.iter().flatten().fold(0.0_f64, |size, value| size.max(value.abs()));
    let (mut sum, mut own) = (0.0_f64, 0.0_f64);
    for i in 0..dim {
        for j in 0..=i {
            sum = sum.max((total[i][j] - between[(i, j)] - within[i][j]).abs() / size);
            own = own.max((within[i][j] - moments.scatter()[(i, j)]).abs() / size);
        }
    }
    bench.check_at_most(format!("{name}: largest entry of C − C_B − C_W, relative"), 1e-13, sum);
    bench.check_at_most(
        format!("{name}: C_W of the accumulator, and of its definition, relative"),
        1e-13,
        own,
    );

    let fit = Lda::default().fit(examples, labels)?;
    let projection = fit.model.projection();
    bench.check_equal(format!("{name}: directions, K − 1"), classes - 1, projection.len());
    let mut left = 0.0_f64;
    for (v, lambda) in projection.directions().zip(projection.eigenvalues()) {
        let times = |matrix: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..dim).map(|i| (0..dim).map(|j| matrix(i, j) * v[j]).sum()).collect()
        };
        let of_between = times(&|i, j| between[(i.max(j), i.min(j))]);
        let of_within = times(&|i, j| within[i][j]);
        let rest: Vec<f64> = of_between.iter().zip(&of_within).map(|(b, w)| b - lambda * w).collect();
        left = left.max(norm(&rest) / (norm(&of_between) + lambda * norm(&of_within)));
        let quotient = dot(v, &of_between) / dot(v, &of_within);
        left = left.max((quotient / lambda - 1.0).abs());
    }
    bench.check_at_most(
        format!("{name}: what is left of C_B w = λ C_W w, and of the criterion's value λ, relative"),
        1e-11,
        left,
    );
    // tr C_W⁻¹C_B by d solves with the matrix of the definition.
    let flat: Vec<f64> = within.concat();
    let factor = Cholesky::factor(Matrix::from_rows(&flat, dim, dim)?)?.ok_or("C_W is singular")?;
    let mut full = between;
    full.mirror_lower();
    factor.solve_matrix(&mut full)?;
    let trace: f64 = (0..dim).map(|k| full[(k, k)]).sum();
    let kept: f64 = projection.eigenvalues().iter().sum();
    bench.check_close(format!("{name}: sum of the eigenvalues, and tr C_W⁻¹C_B"), trace, kept, 1e-11 * trace);
    bench.check_valid(
        format!("{name}: the evidence, recomputed from the examples"),
        fit.certificate.verify(&TrainingSet::new(examples, labels)?)?,
    );
    let figures = fit.certificate.figures();
    bench.note(format!(
        "{name}: residuals of the functions {}, of the directions {}, as bounded by the fit.",
        number(figures.solve_residual),
        number(figures.eigen_residual)
    ));
    Ok(())
}
