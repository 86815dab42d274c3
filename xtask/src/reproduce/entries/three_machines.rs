//! C12: hard, 2-norm and 1-norm machines on one set.

use lm_core::{
    BinaryLabels, Certificate, Dense, DualExpansion, Hypothesis, Learner, Result, Sign, TrainingSet,
    VectorExpansion, VectorGram, VectorKernel,
};
use lm_qp::{CSvc, MaximalMargin, TwoNormSvc};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, of_class, point, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C12",
    place: "C Fig 6.3",
    claim: "Under one Gaussian kernel the hard margin machine classifies the whole training set at the expense of a more complex \
            boundary; the 2-norm and 1-norm soft margin machines have smoother boundaries and misclassify two positive examples.",
    how: "Examples of a smooth boundary, and two positive ones in the midst of the negative. Errors, the length of the boundary, the \
          norm of the function and the errors on new points are counted for each machine, and each is drawn.",
    seed: 63,
    body,
}];

/// The window that the examples are from.
const HALF: f64 = 2.0;

/// Which side of the true boundary, a wave, a point is on.
fn truth(x: f64, y: f64) -> f64 {
    y - 0.7 * (1.6 * x).sin()
}

/// Points at a distance from the wave; with two positive ones where none should be.
fn examples(len: usize, gap: f64, strays: bool, seed: u64) -> Result<Binary> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::new();
    while rows.len() < len {
        let [x, y] = [random.random_range(-HALF..HALF), random.random_range(-HALF..HALF)];
        if truth(x, y).abs() > gap {
            rows.push([x, y]);
        }
    }
    let mut signs: Vec<Sign> = rows
        .iter()
        .map(|row| if truth(row[0], row[1]) > 0.0 { Sign::Positive } else { Sign::Negative })
        .collect();
    if strays {
        rows.extend([[-1.1, -1.45], [1.3, -0.75]]);
        signs.extend([Sign::Positive; 2]);
    }
    Ok(Binary { examples: Dense::from_rows(&rows)?, labels: BinaryLabels::new(signs)? })
}

/// One of the three machines, as it is judged.
struct Judged {
    errors: usize,
    missed: Vec<usize>,
    length: f64,
    norm: f64,
    fresh: usize,
}

fn body(bench: &mut Bench) -> Outcome {
    let data = examples(70, 0.15, true, bench.seed())?;
    let kernel = VectorKernel::gaussian_width(0.6)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let new = examples(4000, 0.0, false, bench.seed() + 1)?;
    let strays = [70, 71];

    let hard = MaximalMargin::default().with_gap(1e-8).fit(&gram, &data.labels)?.converged()?;
    bench.check_valid("hard margin: certificate", hard.certificate.verify(&set)?);
    let two = TwoNormSvc::default().with_cost(1.0).with_gap(1e-8).fit(&gram, &data.labels)?.converged()?;
    bench.check_valid("2-norm: certificate", two.certificate.verify(&set)?);
    let one = CSvc::default().with_cost(1.0).with_gap(1e-8).fit(&gram, &data.labels)?.converged()?;
    bench.check_valid("1-norm: certificate", one.certificate.verify(&set)?);
    let machines = [
        ("hard margin", "hard", &hard.model),
        ("2-norm", "two-norm", &two.model),
        ("1-norm", "one-norm", &one.model),
    ];
    let mut judged = Vec::new();
    for (name, file, model) in machines {
        let f = model.over_vectors(&data.examples, kernel)?;
        let found = judge(&data, &new, &f, model.norm_squared(&gram)?.sqrt())?;
        let caption = format!(
            "The {name} machine, C = 1 where it has one: {} examples misclassified, {} support vectors. The shade is the value of the function.",
            found.errors,
            model.rows().len()
        );
        bench.figure(file, caption, drawn(&data, model, &f)?)?;
        judged.push(found);
    }
    let told = |of: &dyn Fn(&Judged) -> String| judged.iter().map(of).collect::<Vec<_>>().join(", ");
    let [hard, two, one] = &judged[..] else { return Err("three machines".into()) };
    bench.check(
        "training errors of the hard margin, the 2-norm and the 1-norm machine",
        "0, 2, 2",
        told(&|m| m.errors.to_string()),
        [hard.errors, two.errors, one.errors] == [0, 2, 2],
    );
    bench.check(
        "the examples that are misclassified",
        "two positive ones, the strays",
        told(&|m| format!("{:?}", m.missed)),
        two.missed == strays && one.missed == strays,
    );
    bench.check(
        "length of the boundary in the window",
        "longest for the hard margin",
        told(&|m| number(m.length)),
        hard.length > 1.2 * two.length && hard.length > 1.2 * one.length,
    );
    bench.check(
        "‖w‖ = 1/γ",
        "largest for the hard margin",
        told(&|m| number(m.norm)),
        hard.norm > two.norm && hard.norm > one.norm,
    );
    bench.check(
        "errors on 4000 new points without strays",
        "most for the hard margin",
        told(&|m| m.fresh.to_string()),
        hard.fresh > two.fresh && hard.fresh > one.fresh,
    );
    Ok(())
}

fn judge(data: &Binary, new: &Binary, f: &VectorExpansion, norm: f64) -> Result<Judged> {
    let signs = f.signs(&data.examples)?;
    let missed: Vec<usize> = (0..signs.len()).filter(|&row| signs[row] != data.labels.signs()[row]).collect();
    let fresh = wrong(f, &new.examples, &new.labels)?;
    Ok(Judged { errors: missed.len(), missed, length: boundary(f)?, norm, fresh })
}

/// The length of the line f = 0: on a fine grid of points, the straight piece in each triangle.
fn boundary(f: &VectorExpansion) -> Result<f64> {
    const CELLS: usize = 200;
    let step = 2.0 * HALF / CELLS as f64;
    let place = |k: usize| -HALF + step * k as f64;
    let grid: Vec<[f64; 2]> = (0..=CELLS)
        .flat_map(|i| (0..=CELLS).map(move |j| [i, j]))
        .map(|[i, j]| [place(i), place(j)])
        .collect();
    let values = f.decision_values(&Dense::from_rows(&grid)?)?;
    let at = |i: usize, j: usize| i * (CELLS + 1) + j;
    let mut length = 0.0;
    for i in 0..CELLS {
        for j in 0..CELLS {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            for corners in [[a, b, c], [a, c, d]] {
                let ends: Vec<[f64; 2]> = (0..3)
                    .filter_map(|k| {
                        let (from, to) = (corners[k], corners[(k + 1) % 3]);
                        let share = values[from] / (values[from] - values[to]);
                        let between =
                            |axis: usize| grid[from][axis] + share * (grid[to][axis] - grid[from][axis]);
                        ((values[from] > 0.0) != (values[to] > 0.0)).then(|| [between(0), between(1)])
                    })
                    .collect();
                if let [p, q] = ends[..] {
                    length += (p[0] - q[0]).hypot(p[1] - q[1]);
                }
            }
        }
    }
    Ok(length)
}

fn drawn(data: &Binary, model: &DualExpansion, f: &VectorExpansion) -> crate::reproduce::figure::Drawing {
    let value = |x: f64, y: f64| f.decision(&[x, y]).unwrap_or(f64::NAN);
    let support: Vec<[f64; 2]> = model.rows().iter().map(|&row| point(data, row)).collect();
    Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-HALF, HALF)
        .y_range(-HALF, HALF)
        .field("f(x)", value)
        .contours(
            value,
            &[
                ("boundary", 0.0, Stroke::SOLID),
                ("f(x) = ±1", 1.0, Stroke::DASHED),
                ("", -1.0, Stroke::DASHED),
            ],
        )
        .points("class −1", 0, &of_class(data, Sign::Negative))
        .points("class +1", 1, &of_class(data, Sign::Positive))
        .rings("support vectors", &support)
        .render()
}
