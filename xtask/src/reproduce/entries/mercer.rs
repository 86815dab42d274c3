//! B28 and E04: which kernels are inner products, decided with a proof or a witness.

use lm_core::gram::mercer::{self, Mercer};
use lm_core::{Budget, Certificate, Collection, Dense, Examples, Gram, MatrixGram, VectorGram, VectorKernel};
use lm_data::generate::two_moons;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::HeatMap;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "B28",
        place: "B, suitable kernels",
        claim: "Kernels that are inner products in some space satisfy Mercer's condition: polynomial (x·z)ᵈ, sigmoidal \
                tanh(v(x·z) + c) and Gaussian exp(−‖x−z‖²/2σ²) are given as suitable.",
        how: "Gram matrices of 100 points on two moons are checked for each kernel over a range of parameters; every verdict is \
              verified by multiplication. The sigmoid is checked on a grid of v and c.",
        seed: 28,
        body: suitable,
    },
    Entry {
        id: "E04",
        place: "E 4.5",
        claim: "A kernel is valid on given data exactly if their Gram matrix is symmetric and positive semi-definite; it may be \
                so for one set of data and not for another.",
        how: "A check with tolerance returns features whose inner products are the matrix, or a vector v with vᵗKv < 0; both are \
              multiplied out. Cases include singular matrices, duplicates, and matrices that are indefinite by a hair.",
        seed: 4,
        body: condition,
    },
];

fn suitable(bench: &mut Bench) -> Outcome {
    let moons = two_moons(100, 0.1, bench.seed())?.examples;
    let mut kernels: Vec<(&str, VectorKernel)> = Vec::new();
    for degree in 1..=5 {
        kernels.push(("(x·z)ᵈ, d = 1, …, 5", VectorKernel::homogeneous(degree)?));
        kernels.push(("(x·z + 1)ᵈ, d = 1, …, 5", VectorKernel::polynomial(degree, 1.0, 1.0)?));
    }
    for sigma in [0.05, 0.2, 0.5, 1.0, 5.0] {
        kernels.push(("Gaussian, σ = 0.05, …, 5", VectorKernel::gaussian_width(sigma)?));
        kernels.push(("Laplacian, γ = 0.05, …, 5", VectorKernel::laplacian(sigma)?));
    }
    let names = [
        "(x·z)ᵈ, d = 1, …, 5",
        "(x·z + 1)ᵈ, d = 1, …, 5",
        "Gaussian, σ = 0.05, …, 5",
        "Laplacian, γ = 0.05, …, 5",
    ];
    for name in names {
        let (mut holds, mut valid, mut tried) = (0, 0, 0);
        for (_, kernel) in kernels.iter().filter(|(own, _)| *own == name) {
            let gram = VectorGram::new(&moons, *kernel)?;
            let verdict = mercer::check(&gram, 0.0)?;
            tried += 1;
            holds += usize::from(verdict.holds());
            valid += usize::from(verdict.verify(&gram)?.is_valid());
        }
        let measured = format!("{holds} of {tried} hold, {valid} proofs verified");
        bench.check(name, "all hold", measured, holds == tried && valid == tried);
    }

    let scales = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0];
    let constants = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0];
    let (mut quotients, mut fails, mut valid) = (Vec::new(), 0, 0);
    for constant in constants {
        for scale in scales {
            let gram = VectorGram::new(&moons, VectorKernel::sigmoid(scale, constant)?)?;
            let verdict = mercer::check(&gram, 0.0)?;
            valid += usize::from(verdict.verify(&gram)?.is_valid());
            quotients.push(match &verdict {
                Mercer::Holds(_) => 0.0,
                Mercer::Fails(witness) => {
                    fails += 1;
                    witness.quotient()
                }
            });
        }
    }
    let all = scales.len() * constants.len();
    bench.check_equal(
        format!("sigmoid, {all} pairs (v, c): verdicts that multiplication confirms"),
        all,
        valid,
    );
    bench.erratum(
        "The sigmoidal kernel is listed with the others as suitable.",
        "It satisfies Mercer's condition for some parameters and data only: it is not an inner product in general.",
        format!("on these points {fails} of {all} pairs (v, c) have a witness w with wᵗKw < 0"),
        fails > 0,
    );
    let text = |values: &[f64]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    let svg = HeatMap::new("v", "c", &text(&scales), &text(&constants), &quotients)
        .scale_label("wᵗKw / wᵗw")
        .render()?;
    bench.figure(
        "sigmoid",
        "The sigmoid kernel on two moons: the value that the witness shows, 0 where the condition holds.",
        svg,
    )
}

fn condition(bench: &mut Bench) -> Outcome {
    let moons = two_moons(60, 0.1, bench.seed())?.examples;
    let doubled: Vec<Vec<f64>> =
        (0..2 * moons.len()).map(|k| moons.slice(k % moons.len()).to_vec()).collect();
    let doubled = Dense::from_rows(&doubled)?;

    features(
        bench,
        "linear kernel of 60 points in the plane",
        &VectorGram::new(&moons, VectorKernel::linear())?,
        2,
    )?;
    let gaussian = VectorKernel::gaussian(20.0)?;
    features(bench, "Gaussian kernel of 60 points", &VectorGram::new(&moons, gaussian)?, 60)?;
    features(
        bench,
        "Gaussian kernel of the same points, each twice",
        &VectorGram::new(&doubled, gaussian)?,
        60,
    )?;

    let mut all = true;
    let mut sizes = Vec::new();
    for exponent in 1..=8 {
        // Eigenvalues 1 + a and 1 − a: indefinite by 10^−k.
        let a = 1.0 + 10.0_f64.powi(-exponent);
        let gram = MatrixGram::precomputed(vec![1.0, a, a, 1.0], 2)?;
        let strict = mercer::check(&gram, 0.0)?;
        let Mercer::Fails(witness) = &strict else { return Err("an indefinite matrix passed".into()) };
        let lenient = mercer::check(&gram, 2.0 * 10.0_f64.powi(-exponent))?;
        all &= lenient.holds() && strict.verify(&gram)?.is_valid() && lenient.verify(&gram)?.is_valid();
        sizes.push((witness.quotient() + 10.0_f64.powi(-exponent)).abs());
    }
    bench.check(
        "matrices with eigenvalue −10⁻ᵏ, k = 1, …, 8",
        "refuted strictly, accepted within twice as much",
        if all { "all" } else { "not all" },
        all,
    );
    bench.check_at_most(
        "largest difference of the witness's value from −10⁻ᵏ",
        1e-12,
        sizes.iter().fold(0.0, |a: f64, b| a.max(*b)),
    );

    let sigmoid = VectorKernel::sigmoid(1.0, -1.0)?;
    let gram = VectorGram::new(&moons, sigmoid)?;
    let Mercer::Fails(witness) = mercer::check(&gram, 0.0)? else { return Err("the sigmoid passed".into()) };
    let matrix = MatrixGram::computed(&gram, &Budget::default())?;
    let v = witness.vector();
    let product: f64 =
        (0..v.len()).map(|i| v[i] * matrix.row(i).iter().zip(v).map(|(k, x)| k * x).sum::<f64>()).sum();
    let square: f64 = v.iter().map(|x| x * x).sum();
    bench.check(
        "vᵗKv of the sigmoid's witness, multiplied out",
        "< 0",
        format!("{:.6} ‖v‖²", product / square),
        product < 0.0,
    );
    bench.check_close(
        "the same as the witness claims, over ‖v‖²",
        witness.quotient(),
        product / square,
        1e-10,
    );

    let far = Dense::new(vec![2.0, 0.0, 0.0, 2.0], 2, 2)?;
    let here = mercer::check(&VectorGram::new(&far, VectorKernel::sigmoid(1.0, 0.0)?)?, 0.0)?.holds();
    let there = mercer::check(&VectorGram::new(&moons, VectorKernel::sigmoid(1.0, 0.0)?)?, 0.0)?.holds();
    bench.check(
        "tanh(x·z): on two orthogonal points, and on the moons",
        "valid on one, not on the other",
        format!("{} / {}", word(here), word(there)),
        here && !there,
    );
    Ok(())
}

fn word(holds: bool) -> &'static str {
    if holds { "valid" } else { "not valid" }
}

/// Checks a matrix that is one of inner products, and multiplies the features of the proof out.
fn features<G: Gram>(bench: &mut Bench, name: &str, gram: &G, rank: usize) -> Outcome {
    let Mercer::Holds(proof) = mercer::check(gram, 0.0)? else {
        return Err(format!("{name}: refuted").into());
    };
    bench.check_equal(format!("{name}: rank"), rank, proof.rank());
    let features = proof.features()?;
    let matrix = MatrixGram::computed(gram, &Budget::default())?;
    let mut worst = 0.0_f64;
    for i in 0..gram.len() {
        for j in 0..gram.len() {
            worst = worst.max((features.row(i).dot(&features.row(j)) - matrix.row(i)[j]).abs());
        }
    }
    bench.check_at_most(format!("{name}: largest difference of the features' products from K"), 1e-13, worst);
    Ok(())
}
