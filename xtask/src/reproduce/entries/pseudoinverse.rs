//! B17: the minimum squared error solution by the pseudoinverse.

use lm_closed::{MseClassifier, Pseudoinverse};
use lm_core::linalg::{Matrix, product};
use lm_core::{BinaryLabels, Certificate, Dense, Learner, Sign, TrainingSet};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, line, of_class, slope, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B17",
    place: "B pseudoinverse",
    claim: "The minimum squared error solution is a = Y†b with Y† = (YᵗY)⁻¹Yᵗ, or lim (YᵗY + εI)⁻¹Yᵗ as ε → 0 where YᵗY is \
            singular; Y†Y = I, but YY† is not. For the four points of the example Y† is as printed and a = (11/3, −4/3, −2/3).",
    how: "The example is computed by singular values and by the classifier; the matrix before the limit is computed as written, by \
          elimination, for falling ε, on the example and on random matrices of less than full rank.",
    seed: 217,
    body,
}];

/// `(YᵗY + εI)⁻¹Yᵗ`, as written: by Gaussian elimination with pivots.
fn as_written(y: &Matrix, epsilon: f64) -> Vec<Vec<f64>> {
    let (n, d) = (y.rows(), y.columns());
    let mut rows: Vec<Vec<f64>> = (0..d)
        .map(|i| {
            let normal = (0..d).map(|j| {
                let product: f64 = (0..n).map(|row| y[(row, i)] * y[(row, j)]).sum();
                product + if i == j { epsilon } else { 0.0 }
            });
            normal.chain((0..n).map(|row| y[(row, i)])).collect()
        })
        .collect();
    for k in 0..d {
        let pivot = (k..d).fold(k, |best, i| if rows[i][k].abs() > rows[best][k].abs() { i } else { best });
        rows.swap(k, pivot);
        let own = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i != k {
                let factor = row[k] / own[k];
                row.iter_mut().zip(&own).for_each(|(to, from)| *to -= factor * from);
            }
        }
    }
    (0..d).map(|i| (0..n).map(|j| rows[i][d + j] / rows[i][i]).collect()).collect()
}

/// The largest difference of an entry.
fn off(matrix: &Matrix, rows: &[Vec<f64>]) -> f64 {
    let entries =
        rows.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, x)| (i, j, x)));
    entries.map(|(i, j, x)| (matrix[(i, j)] - x).abs()).fold(0.0, f64::max)
}

fn body(bench: &mut Bench) -> Outcome {
    let y = Matrix::from_rows(&[1.0, 1.0, 2.0, 1.0, 2.0, 0.0, -1.0, -3.0, -1.0, -1.0, -2.0, -3.0], 4, 3)?;
    let printed = vec![
        vec![5.0 / 4.0, 13.0 / 12.0, 3.0 / 4.0, 7.0 / 12.0],
        vec![-0.5, -1.0 / 6.0, -0.5, -1.0 / 6.0],
        vec![0.0, -1.0 / 3.0, 0.0, -1.0 / 3.0],
    ];
    let inverse = Pseudoinverse::of(&y)?;
    bench.check_at_most(
        "Y† and the printed matrix, largest difference",
        1e-14,
        off(inverse.matrix(), &printed),
    );
    bench.check_equal("rank of Y", 3, inverse.rank());
    let expected = [11.0 / 3.0, -4.0 / 3.0, -2.0 / 3.0];
    bench.check_all_close("a = Y†b", &expected, &inverse.times(&[1.0; 4])?, 1e-14);

    let examples = Dense::new(vec![1.0, 2.0, 2.0, 0.0, 3.0, 1.0, 2.0, 3.0], 4, 2)?;
    let data = Binary { examples, labels: BinaryLabels::from_integers(&[1, 1, -1, -1])? };
    let fit = MseClassifier::default().fit(&data.examples, &data.labels)?;
    let [w1, w2] = [fit.model.weights()[0], fit.model.weights()[1]];
    bench.check_all_close("a of the classifier", &expected, &[fit.model.bias(), w1, w2], 1e-14);
    bench.check_equal(
        "examples that it puts on the wrong side",
        0,
        wrong(&fit.model, &data.examples, &data.labels)?,
    );
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    bench.check_valid("its evidence, recomputed", fit.certificate.verify(&set)?);

    let identity: Vec<Vec<f64>> =
        (0..4).map(|i| (0..4).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let left: Vec<Vec<f64>> = identity[..3].iter().map(|row| row[..3].to_vec()).collect();
    bench.check_at_most("Y†Y − I, largest entry", 1e-14, off(&product(inverse.matrix(), &y)?, &left));
    let other = off(&product(&y, inverse.matrix())?, &identity);
    bench.check("YY† − I, largest entry", "not 0", number(other), other > 0.1);

    limits(bench, &y)?;
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .points("ω₁", 0, &of_class(&data, Sign::Positive))
        .points("ω₂", 1, &of_class(&data, Sign::Negative))
        .line("aᵗy = 0", line(&fit.model), Stroke::SOLID)
        .render()?;
    bench.figure("example", "The four points of the example and the line 11/3 − 4/3·x₁ − 2/3·x₂ = 0.", svg)
}

/// The limit that defines the pseudoinverse, on matrices of full and of less rank.
fn limits(bench: &mut Bench, example: &Matrix) -> Outcome {
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let mut of_rank = |rows: usize, columns: usize, rank: usize| -> Result<Matrix, lm_core::Error> {
        let mut factor =
            |n: usize| -> Vec<f64> { (0..n * rank).map(|_| random.random_range(-1.0..1.0)).collect() };
        let (left, right) = (factor(rows), factor(columns));
        product(
            &Matrix::from_columns(left, rows, rank)?,
            &Matrix::from_rows(&right, columns, rank)?.transposed()?,
        )
    };
    let cases = [
        ("the example", example.clone(), 3),
        ("6 × 4 of rank 2", of_rank(6, 4, 2)?, 2),
        ("3 × 5 of rank 3", of_rank(3, 5, 3)?, 3),
        ("8 × 5 of rank 4", of_rank(8, 5, 4)?, 4),
    ];
    let epsilons = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];
    let mut plot = Plot::new("ε", "largest difference from Y†").log_x().log_y();
    for (name, y, rank) in &cases {
        let inverse = Pseudoinverse::of(y)?;
        bench.check_equal(format!("{name}: rank found"), *rank, inverse.rank());
        let mut curve = Vec::new();
        let mut forms = 0.0_f64;
        for epsilon in epsilons {
            let written = as_written(y, epsilon);
            curve.push([epsilon, off(inverse.matrix(), &written)]);
            // Elimination loses digits as ε falls: the two forms are compared where it has them.
            if epsilon >= 1e-4 {
                forms = forms.max(off(&inverse.before_limit(epsilon)?, &written));
            }
        }
        bench.check_at_most(
            format!("{name}: (YᵗY + εI)⁻¹Yᵗ as written and by singular values, ε ≥ 10⁻⁴, largest difference"),
            1e-9,
            forms,
        );
        // In the middle: ε small beside the squares of the singular values, and large beside the rounding.
        let logs: Vec<[f64; 2]> = curve[2..6].iter().map(|[x, y]| [x.ln(), y.ln()]).collect();
        bench.check_close(
            format!("{name}: power of ε in the difference from Y†, 10⁻³ to 10⁻⁶"),
            1.0,
            slope(&logs).0,
            0.05,
        );
        let last = off(
            &inverse.before_limit(1e-13)?,
            &(0..y.columns())
                .map(|i| (0..y.rows()).map(|j| inverse.matrix()[(i, j)]).collect())
                .collect::<Vec<Vec<f64>>>(),
        );
        bench.check_at_most(format!("{name}: difference from Y† at ε = 10⁻¹³"), 1e-8, last);
        plot = plot.marked_series(name, &curve);
    }
    bench.figure(
        "limit",
        "The largest difference between (YᵗY + εI)⁻¹Yᵗ and Y† against ε: it falls in proportion to ε, on singular matrices too, until \
         the rounding of the elimination is all that is left.",
        plot.render()?,
    )
}
