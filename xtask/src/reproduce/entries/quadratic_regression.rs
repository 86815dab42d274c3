//! C17: the regression machine with quadratic loss and ε = 0 is ridge regression with a bias.

use lm_closed::KernelRidge;
use lm_core::{Columns, Dense, Gram, Hypothesis, Learner, Targets, VectorGram, VectorKernel};
use lm_data::generate::sinc;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::least_squares::{augmented, least_squares};
use crate::reproduce::vectors::distance;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C17",
    place: "C Rem 6.19, Prop 6.20",
    claim: "The regression machine with quadratic ε-insensitive loss and ε = 0 is least squares regression with a weight \
            decay that C controls; as C → ∞ it tends to least squares without one.",
    how: "The dual problem of proposition 6.20 with ε = 0 is solved by ascent along pairs of coordinates, which knows of no \
          linear system, and compared with the solution of (K + I/C)α + b = y, Σα = 0, on a curve with noise under three \
          kernels and on the petals of irises. For the linear kernel the weights are checked against the criterion itself, \
          and against least squares as C grows.",
    seed: 17,
    body,
}];

/// The maximum of `Σ yᵢαᵢ − ½ ΣΣ αᵢαⱼ(Kᵢⱼ + δᵢⱼ/C)` on `Σα = 0`, by steps along the pair of coordinates whose gradients are
/// farthest apart; and the bias, which is the gradient that all coordinates have at the maximum.
fn pairwise_ascent(
    gram: &dyn Gram,
    targets: &[f64],
    cost: f64,
) -> Result<(Vec<f64>, f64), Box<dyn std::error::Error>> {
    let len = targets.len();
    let mut matrix = vec![0.0; len * len];
    let rows: Vec<usize> = (0..len).collect();
    gram.fill(&rows, Columns::All, &mut matrix)?;
    for i in 0..len {
        matrix[i * len + i] += 1.0 / cost;
    }
    let mut alpha = vec![0.0; len];
    let mut gradient = targets.to_vec();
    let size = targets.iter().fold(0.0, |size: f64, y| size.max(y.abs()));
    for step in 1..50_000_000_u64 {
        // The gradient gathers rounding errors with every step.
        if step % 100_000 == 0 {
            for (i, gradient) in gradient.iter_mut().enumerate() {
                let product: f64 =
                    matrix[i * len..(i + 1) * len].iter().zip(&alpha).map(|(q, a)| q * a).sum();
                *gradient = targets[i] - product;
            }
        }
        let (mut high, mut low) = (0, 0);
        for i in 1..len {
            if gradient[i] > gradient[high] {
                high = i;
            }
            if gradient[i] < gradient[low] {
                low = i;
            }
        }
        let largest = alpha.iter().fold(size, |largest: f64, alpha| largest.max(alpha.abs()));
        if gradient[high] - gradient[low] <= 2e-14 * largest {
            let bias = gradient.iter().sum::<f64>() / len as f64;
            return Ok((alpha, bias));
        }
        let curvature = matrix[high * len + high] + matrix[low * len + low] - 2.0 * matrix[high * len + low];
        let length = (gradient[high] - gradient[low]) / curvature;
        alpha[high] += length;
        alpha[low] -= length;
        for (i, gradient) in gradient.iter_mut().enumerate() {
            *gradient -= length * (matrix[high * len + i] - matrix[low * len + i]);
        }
    }
    Err("the ascent along pairs did not arrive".into())
}

fn body(bench: &mut Bench) -> Outcome {
    let curve = sinc(80, 3.0, 0.1, bench.seed())?;
    let iris = lm_data::classic::iris()?.data;
    let columns: Vec<[f64; 3]> = (0..150)
        .map(|row| {
            let x = iris.examples.slice(row);
            [x[0], x[1], x[2]]
        })
        .collect();
    let petals = Dense::from_rows(&columns)?;
    let widths = Targets::new((0..150).map(|row| iris.examples.slice(row)[3]).collect())?;
    for (name, kernel, cost) in [
        ("Gaussian kernel, C = 10", VectorKernel::gaussian(1.0)?, 10.0),
        ("Gaussian kernel, C = 100", VectorKernel::gaussian(4.0)?, 100.0),
        ("kernel (⟨x·z⟩ + 1)³, C = 0.1", VectorKernel::polynomial(3, 0.25, 1.0)?, 0.1),
    ] {
        compare(bench, &format!("curve, {name}"), &curve.examples, &curve.labels, kernel, cost)?;
    }
    compare(bench, "petals, linear kernel, C = 1", &petals, &widths, VectorKernel::linear(), 1.0)?;
    compare(bench, "petals, Gaussian kernel, C = 5", &petals, &widths, VectorKernel::gaussian(0.5)?, 5.0)?;
    criterion(bench, &petals, &widths)?;
    limit(bench, &petals, &widths)
}

fn compare(
    bench: &mut Bench,
    name: &str,
    examples: &Dense<'_>,
    targets: &Targets,
    kernel: VectorKernel,
    cost: f64,
) -> Outcome {
    let gram = VectorGram::new(examples, kernel)?;
    let (alpha, bias) = pairwise_ascent(&gram, targets.values(), cost)?;
    let machine = KernelRidge::default().with_penalty(1.0 / cost).with_bias(true).with_gap(1e-24);
    let ridge = machine.fit(&gram, targets)?;
    let size = alpha.iter().fold(0.0, |size: f64, alpha| size.max(alpha.abs()));
    let off = alpha.iter().zip(ridge.certificate.alpha()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    bench.check_at_most(format!("{name}: largest difference of a multiplier, relative"), 1e-10, off / size);
    bench.check_close(format!("{name}: bias"), bias, ridge.model.bias(), 1e-10 * (1.0 + bias.abs()));
    // f(xᵢ) − yᵢ = −αᵢ/C, the condition by which the proposition chooses the bias.
    let values = ridge.model.decision_values(&gram)?;
    let condition =
        values.iter().zip(targets.values()).zip(&alpha).map(|((f, y), a)| (f - y + a / cost).abs());
    bench.check_at_most(
        format!("{name}: largest violation of f(x) − y = −α/C by the ridge solution"),
        1e-10,
        condition.fold(0.0, f64::max),
    );
    Ok(())
}

/// The gradient of `‖w‖² + C Σ(y − ⟨w·x⟩ − b)²` at the solution.
fn criterion(bench: &mut Bench, examples: &Dense<'_>, targets: &Targets) -> Outcome {
    let cost = 2.0;
    let gram = VectorGram::new(examples, VectorKernel::linear())?;
    let machine = KernelRidge::default().with_penalty(1.0 / cost).with_bias(true).with_gap(1e-24);
    let f = machine.fit(&gram, targets)?.model.over_columns(examples)?;
    let mut gradient: Vec<f64> = f.weights().to_vec();
    let (mut sum, mut sizes) = (0.0, vec![0.0; gradient.len()]);
    for (row, y) in targets.values().iter().enumerate() {
        let error = y - f.decision(examples.slice(row))?;
        gradient.iter_mut().zip(examples.slice(row)).for_each(|(g, x)| *g -= cost * error * x);
        sizes.iter_mut().zip(examples.slice(row)).for_each(|(size, x)| *size += (cost * error * x).abs());
        sum += error;
    }
    let largest = gradient.iter().zip(&sizes).fold(0.0, |most: f64, (g, size)| most.max(g.abs() / size));
    bench.check_at_most(
        "linear kernel: largest entry of w − C Σ ξᵢxᵢ, over that of C Σ |ξᵢxᵢ|",
        1e-10,
        largest,
    );
    bench.check_at_most("linear kernel: |Σ ξᵢ|", 1e-10, sum.abs());
    Ok(())
}

/// The way to least squares as `C` grows.
fn limit(bench: &mut Bench, examples: &Dense<'_>, targets: &Targets) -> Outcome {
    let plain = least_squares(&augmented(examples, 150), targets.values());
    let gram = VectorGram::new(examples, VectorKernel::linear())?;
    let mut distances = Vec::new();
    for cost in [1.0, 1e2, 1e4, 1e6] {
        let machine = KernelRidge::default().with_penalty(1.0 / cost).with_bias(true).with_gap(1e-20);
        let f = machine.fit(&gram, targets)?.model.over_columns(examples)?;
        let found: Vec<f64> = f.weights().iter().copied().chain([f.bias()]).collect();
        distances.push(distance(&found, &plain));
    }
    let falls = distances.windows(2).all(|pair| pair[1] < 0.05 * pair[0]);
    bench.check(
        "distance of (w, b) from least squares at C = 1, 10², 10⁴, 10⁶",
        "falls to 0 like 1/C",
        distances.iter().map(|d| format!("{d:.1e}")).collect::<Vec<_>>().join(", "),
        falls && distances[3] < 1e-5,
    );
    Ok(())
}
