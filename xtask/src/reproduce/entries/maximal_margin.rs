//! C01: the maximal margin machine, with any kernel.

use lm_core::basis::{FeatureMap, PolynomialMap};
use lm_core::kernel::sequence::Spectrum;
use lm_core::{
    BinaryLabels, Certificate, DualExpansion, Gram, Hypothesis, Learner, Margins, ObjectGram, TrainingSet,
    VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, separable, two_moons};
use lm_qp::MaximalMargin;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::barrier::hard_margin;
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, of_class, pair, point};
use crate::reproduce::vectors::{dot, norm};
use lm_core::Sign;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C01",
    place: "C Prop 6.1–6.6, Rem 6.4",
    claim: "Minimising ⟨w·w⟩ subject to yᵢ(⟨w·xᵢ⟩ + b) ≥ 1 gives the hyperplane of the largest geometric margin, γ = 1/‖w‖. Its dual has \
            w* = Σ yᵢα*ᵢxᵢ, b* halfway between the classes, and γ = (Σα*)^(−1/2); with a kernel it is the maximal margin hyperplane of the \
            feature space.",
    how: "Three points are worked out by hand. γ, ‖w‖, Σα and b* are compared on iris, digits, generated sets and texts under six kernels, \
          the last known by nothing but their values; random hyperplanes and the same machine in explicit features must agree.",
    seed: 601,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    let iris = classic::iris()?.data;
    let digits = classic::digits()?.data;
    let settings = SeparableSettings::default().with_len(200).with_dim(20).with_margin(0.02).with_bias(0.2);
    let sets = [
        ("iris, setosa and versicolor", pair(&iris, [0.0, 1.0])?, VectorKernel::linear()),
        ("20 dimensions", separable(&settings, bench.seed())?.data, VectorKernel::linear()),
        ("digits 3 and 8", pair(&digits, [3.0, 8.0])?, VectorKernel::linear()),
        (
            "digits 3 and 8, (1 + x·z/64)³",
            pair(&digits, [3.0, 8.0])?,
            VectorKernel::polynomial(3, 1.0 / 64.0, 1.0)?,
        ),
        ("iris, versicolor and virginica, Gaussian", pair(&iris, [1.0, 2.0])?, VectorKernel::gaussian(2.0)?),
        ("moons, Gaussian", two_moons(150, 0.15, bench.seed())?, VectorKernel::gaussian(3.0)?),
    ];
    for (name, data, kernel) in &sets {
        let gram = VectorGram::new(&data.examples, *kernel)?;
        let machine = one_machine(bench, name, &gram, &data.labels)?;
        if *kernel == VectorKernel::linear() {
            in_input_space(bench, name, data, &machine)?;
        }
    }
    texts(bench)?;
    explicit(bench)?;
    figure(bench)
}

fn by_hand(bench: &mut Bench) -> Outcome {
    // The nearest points of the hulls are (0, 0) and (4, 0): w = (½, 0), b = −1, γ = 2, α = 1/8 at (0, 0) and 1/16 at two of
    // the others.
    let points = [[0.0, 0.0], [4.0, 1.0], [4.0, -1.0], [6.0, 3.0]];
    let (examples, labels) =
        (lm_core::Dense::from_rows(&points)?, BinaryLabels::from_integers(&[-1, 1, 1, 1])?);
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let fit = MaximalMargin::default().with_gap(1e-14).fit(&gram, &labels)?.converged()?;
    let dual = DualByHand::new(&gram, &labels)?;
    let alpha = dual.multipliers(&fit.model);
    let machine = fit.model.over_columns(&examples)?;
    bench.check_all_close("by hand: α", &[0.125, 0.0625, 0.0625, 0.0], &alpha, 1e-15);
    bench.check_all_close(
        "by hand: w and b",
        &[0.5, 0.0, -1.0],
        &[machine.weights()[0], machine.weights()[1], machine.bias()],
        1e-15,
    );
    bench.check_close("by hand: γ = 1/‖w‖", 2.0, 1.0 / machine.norm(), 1e-14);
    bench.check_close("by hand: γ = (Σα)^(−1/2)", 2.0, alpha.iter().sum::<f64>().powf(-0.5), 1e-14);
    bench.check_close("by hand: b* by the formula", -1.0, dual.bias_halfway(&alpha), 1e-14);
    Ok(())
}

/// The identities of the propositions on one set.
fn one_machine<G: Gram>(
    bench: &mut Bench,
    name: &str,
    gram: &G,
    labels: &BinaryLabels,
) -> Result<DualExpansion, Box<dyn std::error::Error>> {
    let fit = MaximalMargin::default().with_gap(1e-11).fit(gram, labels)?.converged()?;
    let (set, dual) = (TrainingSet::new(gram, labels)?, DualByHand::new(gram, labels)?);
    let alpha = dual.multipliers(&fit.model);
    // The margin as it is: the least of yᵢf(xᵢ)/‖w‖ over all examples.
    let margin = Margins::in_feature_space(&fit.model, &set)?.minimum();
    let (norm, total) = (dual.norm_squared(&alpha).sqrt(), alpha.iter().sum::<f64>());
    let ratios =
        [1.0 / norm, total.powf(-0.5), fit.certificate.margin_at_most(), fit.certificate.margin_at_least()]
            .map(|gamma| gamma / margin);
    bench.check_all_close(
        format!(
            "{name}: 1/‖w‖, (Σα)^(−1/2) and both ends of the certificate, over the measured margin {}",
            number(margin)
        ),
        &[1.0; 4],
        &ratios,
        1e-6,
    );
    let least = dual.margins(&alpha, fit.model.bias()).into_iter().fold(f64::INFINITY, f64::min);
    bench.check_close(format!("{name}: functional margin of the set"), 1.0, least, 1e-6);
    bench.check_close(
        format!("{name}: b* by the formula, and b of the machine"),
        dual.bias_halfway(&alpha),
        fit.model.bias(),
        1e-6 * (1.0 + fit.model.bias().abs()),
    );
    bench.check(
        format!("{name}: constraints of the dual"),
        "Σ yα = 0 and α ≥ 0",
        format!(
            "|Σ yα|/Σα = {}; {} of {} multipliers are not 0",
            number(dot(&alpha, &dual.y).abs() / total),
            fit.model.rows().len(),
            alpha.len()
        ),
        dot(&alpha, &dual.y).abs() <= 1e-14 * total
            && fit.model.coefficients().iter().zip(fit.model.rows()).all(|(c, &row)| c * dual.y[row] > 0.0),
    );
    bench.check_valid(format!("{name}: certificate"), fit.certificate.verify(&set)?);
    Ok(fit.model)
}

/// Proposition 6.1 without a dual: the primal problem, and other hyperplanes.
fn in_input_space(bench: &mut Bench, name: &str, data: &Binary, machine: &DualExpansion) -> Outcome {
    let plane = machine.over_columns(&data.examples)?;
    let rows: Vec<Vec<f64>> =
        (0..data.labels.signs().len()).map(|row| data.examples.slice(row).to_vec()).collect();
    let mut start = plane.weights().to_vec();
    start.push(plane.bias());
    let primal = hard_margin(&rows, &data.labels.values(), &start)?;
    bench.check_close(
        format!("{name}: ⟨w·w⟩, and its least value by a barrier method"),
        2.0 * primal.value,
        dot(plane.weights(), plane.weights()),
        1e-8 * primal.value,
    );
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (gamma, mut best) = (1.0 / plane.norm(), f64::NEG_INFINITY);
    for turn in 0..1000_i32 {
        let reach = 10.0_f64.powf(f64::from(turn % 10) / 2.0 - 4.5) * plane.norm();
        let w: Vec<f64> =
            plane.weights().iter().map(|w| w + reach * random.random_range(-1.0..1.0)).collect();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (x, y) in rows.iter().zip(data.labels.values()) {
            let value = dot(&w, x);
            if y > 0.0 {
                low = low.min(value);
            } else {
                high = high.max(value);
            }
        }
        best = best.max(0.5 * (low - high) / norm(&w));
    }
    bench.check_at_most(
        format!("{name}: largest margin of 1000 other directions with their best bias, over γ"),
        1.0 + 1e-12,
        best / gamma,
    );
    Ok(())
}

/// A kernel on texts: no attributes, and no dimension to speak of.
fn texts(bench: &mut Bench) -> Outcome {
    const WORDS: [&str; 16] = [
        "reading", "walking", "singing", "talking", "dancing", "drawing", "evening", "morning", "reader",
        "walker", "singer", "talker", "dancer", "drawer", "corner", "letter",
    ];
    let labels: Vec<i64> = WORDS.iter().map(|word| if word.ends_with("ing") { 1 } else { -1 }).collect();
    let words: Vec<String> = WORDS.iter().map(ToString::to_string).collect();
    let gram = ObjectGram::new(&words[..], Spectrum::new(2)?);
    let machine = one_machine(bench, "words, 2-spectrum", &gram, &BinaryLabels::from_integers(&labels)?)?;
    let f = machine.over_objects(&words[..], Spectrum::new(2)?)?;
    for (word, sign) in [("sleeping", Sign::Positive), ("sleeper", Sign::Negative)] {
        let value = f.decision_values(&[word.to_string()][..])?[0];
        bench.check(
            format!("words, 2-spectrum: “{word}”, not seen before"),
            if sign == Sign::Positive { "> 0" } else { "< 0" },
            number(value),
            Sign::of(value) == sign,
        );
    }
    Ok(())
}

/// The machine of a kernel is the machine of its feature space.
fn explicit(bench: &mut Bench) -> Outcome {
    let data = two_moons(120, 0.1, bench.seed() + 1)?;
    let kernel = VectorKernel::polynomial(5, 1.0, 1.0)?;
    let map = PolynomialMap::new(kernel, 2)?;
    let mapped = map.expand(&data.examples)?;
    let machine = MaximalMargin::default().with_gap(1e-12);
    let by_kernel = machine.fit(&VectorGram::new(&data.examples, kernel)?, &data.labels)?.converged()?;
    let in_features =
        machine.fit(&VectorGram::new(&mapped, VectorKernel::linear())?, &data.labels)?.converged()?;
    let (f, w) =
        (by_kernel.model.over_vectors(&data.examples, kernel)?, in_features.model.over_columns(&mapped)?);
    let mut off = 0.0_f64;
    for k in 0..=400_i32 {
        let x = [f64::from(k % 21) * 0.15 - 1.0, f64::from(k / 21) * 0.1 - 0.75];
        let value = dot(w.weights(), &map.map(&x)?) + w.bias();
        off = off.max((f.decision(&x)? - value).abs() / (1.0 + value.abs()));
    }
    bench.check_at_most(
        "moons, (1 + x·z)⁵: the function by the kernel and by w in 21 dimensions, largest relative difference at 401 points",
        1e-6,
        off,
    );
    bench.check_close(
        "the same: γ by the kernel, and 1/‖w‖ in 21 dimensions",
        1.0 / w.norm(),
        by_kernel.certificate.margin_at_most(),
        1e-9 / w.norm(),
    );
    Ok(())
}

/// Figure 6.1, in the plane.
fn figure(bench: &mut Bench) -> Outcome {
    let data = two_moons(60, 0.08, bench.seed())?;
    let kernel = VectorKernel::gaussian(1.0)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let fit = MaximalMargin::default().with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
    let f = fit.model.over_vectors(&data.examples, kernel)?;
    let value = |x: f64, y: f64| f.decision(&[x, y]).unwrap_or(f64::NAN);
    let support: Vec<[f64; 2]> = fit.model.rows().iter().map(|&row| point(&data, row)).collect();
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .resolution(80)
        .contours(
            value,
            &[
                ("f = 0", 0.0, Stroke::SOLID),
                ("f = +1", 1.0, Stroke::DASHED),
                ("f = −1", -1.0, Stroke::DOTTED),
            ],
        )
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive))
        .rings("support vectors", &support)
        .render()?;
    bench.figure("moons", "A maximal margin hyperplane of a Gaussian feature space, seen in the plane, with its support vectors.", svg)
}
