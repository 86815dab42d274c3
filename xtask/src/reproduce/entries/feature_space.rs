//! B26, B27 and E03: the spaces that kernels compute inner products in.

use std::hint::black_box;
use std::time::Instant;

use lm_core::basis::{FeatureMap, PolynomialMap, RotatedSquares, TensorMap, monomials_of};
use lm_core::{
    BinaryLabels, Budget, Dense, DualExpansion, Hypothesis, Kernel, Learner, MatrixGram, VectorGram,
    VectorKernel,
};
use lm_qp::CSvc;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "B26",
        place: "B, the kernel trick",
        claim: "The kernel (x·y)ᵈ on p attributes is an inner product in a space of C(p+d−1, d) dimensions, 183 181 376 for \
                p = 256 and d = 4; the product there costs as many operations, the kernel O(p).",
        how: "The dimension is counted by listing monomials and by the formula; one product is timed in the explicit space \
              and by the kernel, for growing p at d = 4.",
        seed: 0,
        body: kernel_trick,
    },
    Entry {
        id: "B27",
        place: "B, choice of the feature map",
        claim: "The map that belongs to a kernel is not unique: three maps of the plane, into 3, 3 and 4 dimensions, have the \
                kernel (x·y)².",
        how: "Gram matrices of 60 points are computed by each map and by the kernel, and a machine trained on each.",
        seed: 0,
        body: three_maps,
    },
    Entry {
        id: "E03",
        place: "E 4.5",
        claim: "(1 + u·v)ᵖ is the inner product of scaled monomials up to degree p, for d = p = 2 those of \
                (1, √2x₁, √2x₂, x₁², x₂², √2x₁x₂); the Gaussian is written with γ or with σ, γ = 1/(2σ²), and is an \
                infinite expansion of monomials.",
        how: "The map is compared with the printed one and, for d, p up to 5, with the kernel; both spellings of the \
              Gaussian are compared to the bit; its expansion is summed degree by degree.",
        seed: 0,
        body: polynomial_and_gaussian,
    },
];

fn points(len: u32, dim: u32) -> Vec<Vec<f64>> {
    let entry = |i: u32, k: u32| (f64::from(i * dim + k) * 1.3 + f64::from(k * k)).sin();
    (0..len).map(|i| (0..dim).map(|k| entry(i, k)).collect()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn kernel_trick(bench: &mut Bench) -> Outcome {
    bench.check_equal("C(256+4−1, 4)", 183_181_376, monomials_of(256, 4).unwrap_or(0));
    let kernel = VectorKernel::homogeneous(4)?;
    let (mut explicit, mut tricked, mut agree) = (Vec::new(), Vec::new(), true);
    let mut ratio = 0.0;
    for p in [4_u32, 8, 12, 16, 24, 32] {
        let map = PolynomialMap::new(kernel, p as usize)?;
        agree &= monomials_of(p as usize, 4) == Some(map.dim_out() as u128);
        let pair = points(2, p);
        let (u, v) = (map.map(&pair[0])?, map.map(&pair[1])?);
        let (a, b) = (&pair[0][..], &pair[1][..]);
        let difference = (dot(&u, &v) - kernel.value(a, b)).abs();
        agree &= difference <= 1e-10 * kernel.value(a, a).max(kernel.value(b, b));
        // Multiplications: one a dimension; one an attribute, and two squarings.
        explicit.push([f64::from(p), map.dim_out() as f64]);
        tricked.push([f64::from(p), f64::from(p) + 2.0]);
        let time = nanoseconds(|| dot(black_box(&u), black_box(&v)));
        ratio = time / nanoseconds(|| kernel.value(black_box(a), black_box(b)));
    }
    bench.check(
        "dimension and value for p = 4, …, 32, d = 4",
        "the same both ways",
        if agree { "the same" } else { "different" },
        agree,
    );
    let counted = explicit[5][1] / tricked[5][1];
    bench.check(
        "multiplications of the explicit product over those of the kernel, p = 32",
        "many",
        format!("52360 / 34 = {counted:.0}"),
        explicit[5][1] == 52_360.0,
    );
    bench.check_timed(
        "time of the explicit product over that of the kernel, p = 32",
        "> 10",
        format!("{ratio:.0}"),
        ratio > 10.0,
    );
    bench.note("The explicit product is timed without computing the map itself.");
    let svg = Plot::new("attributes p", "multiplications a product").log_y();
    let svg = svg
        .marked_series("explicit space, d = 4", &explicit)
        .marked_series("kernel (x·y)⁴", &tricked)
        .render()?;
    bench.figure(
        "cost",
        "Cost of one inner product in the space of degree 4, explicitly and by the kernel.",
        svg,
    )
}

/// The least time of a call, over enough calls to be measured.
fn nanoseconds(mut call: impl FnMut() -> f64) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        let mut calls = 0_u32;
        while calls < 10 || start.elapsed().as_micros() < 50 {
            black_box(call());
            calls += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
    }
    best
}

fn three_maps(bench: &mut Bench) -> Outcome {
    let rows = points(60, 2);
    let labels: Vec<i64> = rows.iter().map(|x| i64::from(x[0] * x[1] + 0.2 * x[0] * x[0] > 0.1)).collect();
    let labels = BinaryLabels::from_integers(&labels)?;
    let examples = Dense::from_rows(&rows)?;
    let kernel = VectorKernel::homogeneous(2)?;
    let by_kernel = MatrixGram::computed(&VectorGram::new(&examples, kernel)?, &Budget::default())?;
    let train = |gram: &MatrixGram<'_>| -> Result<DualExpansion, lm_core::Error> {
        Ok(CSvc::default().with_cost(5.0).with_gap(1e-10).fit(gram, &labels)?.converged()?.model)
    };
    let reference = train(&by_kernel)?.decision_values(&by_kernel)?;
    let maps: [(&str, Dense<'_>); 3] = [
        ("(x₁², √2x₁x₂, x₂²)", PolynomialMap::new(kernel, 2)?.expand(&examples)?),
        ("(x₁² − x₂², 2x₁x₂, x₁² + x₂²)/√2", RotatedSquares.expand(&examples)?),
        ("(x₁², x₁x₂, x₁x₂, x₂²)", TensorMap::new(2, 2)?.expand(&examples)?),
    ];
    for (name, expanded) in &maps {
        let gram =
            MatrixGram::computed(&VectorGram::new(expanded, VectorKernel::linear())?, &Budget::default())?;
        let largest = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        bench.check_at_most(
            format!("{name}: largest difference of Gram matrices"),
            1e-14,
            largest(gram.values(), by_kernel.values()),
        );
        let values = train(&gram)?.decision_values(&gram)?;
        bench.check_at_most(
            format!("{name}: largest difference of the machines' values"),
            1e-4,
            largest(&values, &reference),
        );
    }
    Ok(())
}

fn polynomial_and_gaussian(bench: &mut Bench) -> Outcome {
    let map = PolynomialMap::new(VectorKernel::polynomial(2, 1.0, 1.0)?, 2)?;
    let root = 2.0_f64.sqrt();
    let (a, b) = (0.75, -1.5);
    let printed = [1.0, root * a, root * b, a * a, root * a * b, b * b];
    bench.check_all_close("φ(¾, −1½) for d = p = 2, as printed", &printed, &map.map(&[a, b])?, 1e-15);

    let mut worst = 0.0_f64;
    for dim in 1..=5_u32 {
        for degree in 1..=5_u32 {
            let kernel = VectorKernel::polynomial(degree, 1.0, 1.0)?;
            let map = PolynomialMap::new(kernel, dim as usize)?;
            let rows = points(8, dim);
            for (u, v) in rows.iter().zip(rows.iter().skip(1)) {
                let scale = kernel.value(u, u).max(kernel.value(v, v));
                worst = worst.max((dot(&map.map(u)?, &map.map(v)?) - kernel.value(u, v)).abs() / scale);
            }
        }
    }
    bench.check_at_most("largest relative difference of map and kernel, d, p = 1, …, 5", 1e-14, worst);

    let rows = points(40, 3);
    let mut equal = true;
    for sigma in [0.25, 0.5, 1.0, 2.0, 8.0] {
        let (by_width, by_gamma) =
            (VectorKernel::gaussian_width(sigma)?, VectorKernel::gaussian(0.5 / (sigma * sigma))?);
        equal &= rows.iter().all(|u| rows.iter().all(|v| by_width.value(u, v) == by_gamma.value(u, v)));
    }
    bench.check(
        "exp(−γ‖u−v‖²) and exp(−‖u−v‖²/2σ²) with γ = 1/(2σ²)",
        "the same",
        if equal { "equal to the bit" } else { "different" },
        equal,
    );
    expansion(bench)
}

/// `exp(−γ‖u−v‖²) = e^(−γ‖u‖²) e^(−γ‖v‖²) Σ (2γ)ᵏ(u·v)ᵏ/k!`: every term is a homogeneous polynomial kernel.
fn expansion(bench: &mut Bench) -> Outcome {
    let (gamma, rows) = (0.8, points(12, 3));
    let kernel = VectorKernel::gaussian(gamma)?;
    let mut errors = Vec::new();
    for degree in 0..=30_u32 {
        let mut worst = 0.0_f64;
        for u in &rows {
            for v in &rows {
                let (mut term, mut sum) = (1.0, 1.0);
                for k in 1..=degree {
                    term *= 2.0 * gamma * dot(u, v) / f64::from(k);
                    sum += term;
                }
                let value = (-gamma * (dot(u, u) + dot(v, v))).exp() * sum;
                worst = worst.max((value - kernel.value(u, v)).abs());
            }
        }
        errors.push([f64::from(degree), worst.max(1e-17)]);
    }
    bench.check_at_most("error of the expansion of the Gaussian up to degree 30", 1e-14, errors[30][1]);
    let every_needed = errors[..10].windows(2).all(|pair| pair[1][1] < pair[0][1]);
    bench.check(
        "each of the first ten degrees brings it closer",
        "yes",
        if every_needed { "yes" } else { "no" },
        every_needed,
    );
    let svg = Plot::new("highest degree of the monomials", "largest error of a kernel value").log_y();
    bench.figure(
        "expansion",
        "The Gaussian kernel as a sum of polynomial kernels of growing degree.",
        svg.marked_series("", &errors).render()?,
    )
}
