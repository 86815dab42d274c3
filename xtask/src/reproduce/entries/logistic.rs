//! D05, D06 and D07: logistic regression by reweighted least squares, with a regulariser, and beside LDA.

use lm_closed::{FirthLogistic, Fisher, KernelLogistic, Logistic};
use lm_core::{
    BinaryLabels, Certificate, Collection, Dense, Error, Hypothesis, Learner, Linear, OverVectors, Sign,
    Stop, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::classic::iris;
use lm_data::generate::{Cloud, Spread, gaussians, two_moons};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::least_squares::{augmented, least_squares};
use crate::reproduce::measure::{Binary, clouds, line, of_class, pair, wrong};
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "D05",
        place: "D Def 15, IRLS",
        claim: "Logistic regression minimises the mean of log(1 + exp(−y f(x))) by iteratively reweighted least squares. On separable \
                data without a regulariser the weights diverge.",
        how: "Steps on overlapping clouds and on two kinds of iris are compared with weighted least squares by Householder \
              reflections. On ±1, ±2, ±3 and on data that touch in one point, the fit must prove that there is no minimum; the \
              slope is followed as the regulariser vanishes.",
        seed: 5,
        body: reweighted,
    },
    Entry {
        id: "D06",
        place: "D Def 16",
        claim: "Logistic regression with λ‖w‖² has a minimum for all data, found by Newton's method; it has a kernel version.",
        how: "The gradient of the mean loss with λ‖w‖², as the source writes it, is computed by itself at the result, for λ from \
              10⁻⁶ to 10²; the kernel version with the linear kernel is compared with it, and with a Gaussian kernel it is \
              shown on two moons.",
        seed: 6,
        body: regularised,
    },
    Entry {
        id: "D07",
        place: "D Fig 4.6, 4.7",
        claim: "More examples of the positive class, far behind their own side, turn the boundary of LDA and leave that of logistic \
                regression where it is, because the logistic loss decays far from the boundary.",
        how: "Two clouds, then the same with 60 more positive examples around (20, 20), for ten seeds: the angle by which the \
              normal of each boundary turns, and the errors on the two clouds.",
        seed: 7,
        body: far_blob,
    },
];

/// Probabilities of the positive class.
fn probabilities(model: &Linear, examples: &Dense<'_>) -> Result<Vec<f64>, Error> {
    Ok(model.decision_values(examples)?.iter().map(|f| 1.0 / (1.0 + (-f).exp())).collect())
}

fn reweighted(bench: &mut Bench) -> Outcome {
    let sets = [
        ("clouds", clouds(200, 3, 1.5, bench.seed())?),
        ("versicolor and virginica", pair(&iris()?.data, [1.0, 2.0])?),
    ];
    for (name, data) in &sets {
        let len = data.examples.len();
        let plain = Logistic::default().with_penalty(0.0).with_tolerance(1e-18);
        let fit = plain.fit(&data.examples, &data.labels)?.converged()?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        bench.check_at_most(
            format!("{name}: steps until the gap is closed"),
            12.0,
            fit.report.iterations as f64,
        );
        bench.check_at_most(
            format!("{name}: relative duality gap"),
            1e-10,
            fit.certificate.figures().relative_gap(),
        );
        bench.check_valid(format!("{name}: gap recomputed"), fit.certificate.verify(&set)?);
        let rows = augmented(&data.examples, len);
        for step in 1..=3_u64 {
            let before = plain.with_steps(step - 1).fit(&data.examples, &data.labels)?.model;
            let after = plain.with_steps(step).fit(&data.examples, &data.labels)?.model;
            let expected = weighted_least_squares(&rows, before.function(), data)?;
            let found = weights_and_bias(after.function());
            bench.check_at_most(
                format!("{name}: distance of step {step} from weighted least squares, relative"),
                1e-9,
                distance(&found, &expected) / norm(&expected),
            );
        }
    }
    separable(bench)
}

/// `argmin Σ W(z − ⟨w·x⟩)²` with `W = p(1 − p)` and `z = f + ([y = 1] − p)/W`, as the source has it.
fn weighted_least_squares(rows: &[Vec<f64>], at: &Linear, data: &Binary) -> Result<Vec<f64>, Error> {
    let values = at.decision_values(&data.examples)?;
    let p = probabilities(at, &data.examples)?;
    let (mut weighted, mut targets) = (Vec::new(), Vec::new());
    for (i, row) in rows.iter().enumerate() {
        let weight = p[i] * (1.0 - p[i]);
        let target = f64::from(u8::from(data.labels.signs()[i] == Sign::Positive));
        weighted.push(row.iter().map(|x| weight.sqrt() * x).collect());
        targets.push(weight.sqrt() * (values[i] + (target - p[i]) / weight));
    }
    Ok(least_squares(&weighted, &targets))
}

fn separable(bench: &mut Bench) -> Outcome {
    let examples = Dense::new(vec![-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 6, 1)?;
    let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1])?;
    let touching = Dense::new(vec![-3.0, -2.0, 0.0, 0.0, 2.0, 3.0], 6, 1)?;
    for (name, examples, complete) in [("±1, ±2, ±3", &examples, true), ("±3, ±2, twice 0", &touching, false)]
    {
        let set = TrainingSet::new(examples, &labels)?;
        let fit = Logistic::default().with_penalty(0.0).fit(examples, &labels)?;
        let proof = fit.certificate.recession();
        let growing = proof.map_or(0, lm_closed::Recession::growing);
        bench.check(
            format!("{name}: the fit"),
            "says that no minimum exists",
            format!("{}; {growing} margins grow along the direction", fit.report.stop),
            fit.report.stop == Stop::Infeasible && proof.is_some_and(|proof| proof.is_complete() == complete),
        );
        bench.check_valid(format!("{name}: the margins along the direction"), fit.certificate.verify(&set)?);
        if let Some(separation) = proof.and_then(|proof| proof.separation()) {
            bench.check_valid(format!("{name}: the separating hyperplane"), separation.verify(&set)?);
        }
    }
    // By symmetry the bias is 0, so a penalty λ ‖w‖²/2 has the slope w with λw = 2Σ x/(1 + eˣʷ).
    let mut slopes = Vec::new();
    for power in 0..=12 {
        let penalty = 10.0_f64.powi(-power);
        let fit = Logistic::default().with_penalty(penalty).fit(&examples, &labels)?.converged()?;
        slopes.push([penalty, fit.model.function().weights()[0]]);
    }
    let off = slopes.iter().map(|[penalty, w]| {
        let pull: f64 = [1.0, 2.0, 3.0].iter().map(|x| 2.0 * x / (1.0 + (x * w).exp())).sum();
        (penalty * w - pull).abs() / (penalty * w)
    });
    bench.check_at_most(
        "slope for λ = 1 … 10⁻¹²: error of λw = 2Σx/(1 + exp(xw))",
        1e-6,
        off.fold(0.0, f64::max),
    );
    let growth = slopes.windows(2).map(|pair| pair[1][1] - pair[0][1]).fold(f64::INFINITY, f64::min);
    bench.check_at_least("the least growth of the slope for each tenth of λ", 1.0, growth);
    let firth = FirthLogistic::default().fit(&examples, &labels)?.converged()?;
    let slope = firth.model.function().weights()[0];
    bench.check_close("Firth's correction keeps the slope finite", 0.938_416_488_578_068_5, slope, 1e-12);
    let svg = Plot::new("λ", "slope")
        .log_x()
        .marked_series("regularised", &slopes)
        .series("Firth's correction", &[[1e-12, slope], [1.0, slope]])
        .render()?;
    bench.figure(
        "divergence",
        "On ±1, ±2, ±3 the slope grows without bound as the regulariser vanishes, about in proportion to log 1/λ; Firth's \
         correction gives a finite one.",
        svg,
    )
}

fn regularised(bench: &mut Bench) -> Outcome {
    let data = clouds(150, 4, 2.0, bench.seed())?;
    let (set, n) = (TrainingSet::new(&data.examples, &data.labels)?, data.examples.len() as f64);
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let (mut steepest, mut farthest, mut most, mut valid) = (0.0_f64, 0.0_f64, 0_u64, 0);
    let lambdas: Vec<f64> = (-6..=2).map(|power| 10.0_f64.powi(power)).collect();
    for &lambda in &lambdas {
        // (1/n)Σℓ + λ‖w‖² is 1/n times Σℓ + ½(2nλ)‖w‖².
        let penalty = 2.0 * n * lambda;
        let exact = Logistic::default().with_penalty(penalty).with_tolerance(1e-14);
        let fit = exact.fit(&data.examples, &data.labels)?.converged()?;
        steepest = steepest.max(norm(&gradient(&data, fit.model.function(), lambda)?));
        most = most.max(fit.report.iterations);
        valid += usize::from(fit.certificate.verify(&set)?.is_valid());
        let dual = KernelLogistic::default().with_penalty(penalty).with_tolerance(1e-14);
        let dual = dual.fit(&gram, &data.labels)?.converged()?.model.over_columns(&data.examples)?;
        let (a, b) = (weights_and_bias(&dual), weights_and_bias(fit.model.function()));
        farthest = farthest.max(distance(&a, &b) / norm(&b));
    }
    bench.check_at_most("norm of the gradient of the mean loss with λ‖w‖², λ = 10⁻⁶ … 10²", 1e-9, steepest);
    bench.check_at_most("most Newton steps", 12.0, most as f64);
    bench.check_equal("certificates that hold", lambdas.len(), valid);
    bench.check_at_most("linear kernel: distance from the primal machine, relative", 1e-6, farthest);
    moons(bench)
}

/// The gradient of `(1/n)Σ log(1 + exp(−y f)) + λ‖w‖²`, by its definition.
fn gradient(data: &Binary, model: &Linear, lambda: f64) -> Result<Vec<f64>, Error> {
    let len = data.examples.len();
    let p = probabilities(model, &data.examples)?;
    let mut gradient: Vec<f64> = model.weights().iter().map(|w| 2.0 * lambda * w).chain([0.0]).collect();
    for (row, x) in augmented(&data.examples, len).iter().enumerate() {
        let target = f64::from(u8::from(data.labels.signs()[row] == Sign::Positive));
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g += (p[row] - target) * x / len as f64);
    }
    Ok(gradient)
}

fn moons(bench: &mut Bench) -> Outcome {
    let data = two_moons(200, 0.15, bench.seed())?;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let learner = OverVectors::new(KernelLogistic::default().with_penalty(0.1), VectorKernel::gaussian(2.0)?);
    let fit = learner.fit(&data.examples, &data.labels)?.converged()?;
    let flat = Logistic::default().fit(&data.examples, &data.labels)?.converged()?;
    let (curved, straight) =
        (wrong(&fit.model, &data.examples, &data.labels)?, wrong(&flat.model, &data.examples, &data.labels)?);
    bench.check_at_most("two moons, Gaussian kernel: errors of 200", 4.0, curved as f64);
    bench.check_at_least("two moons, without a kernel: errors of 200", 10.0, straight as f64);
    let gap = fit.certificate.evidence().figures().relative_gap();
    bench.check_at_most("two moons: relative duality gap", 1e-10, gap);
    bench.check_valid("two moons: gap recomputed from kernel values", fit.certificate.verify(&set)?);
    let value = |x: f64, y: f64| fit.model.decision(&[x, y]).unwrap_or(f64::NAN);
    let nine = 9.0_f64.ln();
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .contours(
            value,
            &[
                ("p = ½", 0.0, Stroke::SOLID),
                ("p = 0.9", nine, Stroke::DASHED),
                ("p = 0.1", -nine, Stroke::DASHED),
            ],
        )
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive))
        .render()?;
    bench.figure("moons", "Probabilities of kernel logistic regression on two moons.", svg)
}

/// Two clouds, and the same with positive examples far away.
fn pictures(seed: u64) -> Result<(Binary, Binary), Error> {
    let cloud = |class, len, mean: [f64; 2], deviation| Cloud {
        class,
        len,
        mean: mean.to_vec(),
        spread: Spread::Round(deviation),
    };
    let near = [cloud(0, 200, [-2.0, 0.0], 1.0), cloud(1, 200, [2.0, 0.0], 1.0)];
    let far = cloud(1, 60, [20.0, 20.0], 0.5);
    let made = |clouds: &[Cloud]| -> Result<Binary, Error> {
        let made = gaussians(clouds, seed)?;
        Ok(Binary { labels: made.labels.one_against_rest(1)?, examples: made.examples })
    };
    // Clouds are drawn one after the other, so that the first two are the same in both.
    let [left, right] = near.clone();
    Ok((made(&near)?, made(&[left, right, far])?))
}

/// `w = S_W⁻¹(m₊ − m₋)`, with the boundary halfway between the means.
fn lda(data: &Binary) -> Result<Linear, Error> {
    Ok(Fisher::default().fit(&data.examples, &data.labels)?.converged()?.model)
}

/// The angle between two normals, in degrees.
fn angle(a: &Linear, b: &Linear) -> f64 {
    (dot(a.weights(), b.weights()) / (norm(a.weights()) * norm(b.weights())))
        .clamp(-1.0, 1.0)
        .acos()
        .to_degrees()
}

fn far_blob(bench: &mut Bench) -> Outcome {
    // As in the source: the mean loss with λ = 0.01.
    let logistic = |data: &Binary| -> Result<Linear, Error> {
        let learner = Logistic::default().with_penalty(0.02 * data.examples.len() as f64);
        Ok(learner.fit(&data.examples, &data.labels)?.converged()?.model.function().clone())
    };
    let (mut least, mut most, mut worse) = (f64::INFINITY, 0.0_f64, 0);
    let seeds = bench.amount(10_u32, 100);
    for seed in (0..seeds).map(|k| bench.seed() + u64::from(k)) {
        let (near, all) = pictures(seed)?;
        least = least.min(angle(&lda(&near)?, &lda(&all)?));
        most = most.max(angle(&logistic(&near)?, &logistic(&all)?));
        let errors = |f: &Linear| wrong(f, &near.examples, &near.labels);
        worse += u32::from(errors(&lda(&all)?)? > errors(&logistic(&all)?)?);
    }
    bench.check_at_least(format!("{seeds} seeds: least angle by which LDA turns, in degrees"), 25.0, least);
    bench.check_at_most(
        format!("{seeds} seeds: largest angle by which logistic regression turns, in degrees"),
        2.0,
        most,
    );
    bench.check_at_least(
        "seeds with more errors of LDA than of logistic regression on the two clouds",
        0.9 * f64::from(seeds),
        f64::from(worse),
    );
    let (near, all) = pictures(bench.seed())?;
    let turned = (angle(&lda(&near)?, &lda(&all)?), angle(&logistic(&near)?, &logistic(&all)?));
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .points("class −1", 0, &of_class(&all, Sign::Negative))
        .points("class +1", 1, &of_class(&all, Sign::Positive))
        .line("LDA without the far group", line(&lda(&near)?), Stroke::series(2))
        .line("LDA with it", line(&lda(&all)?), Stroke::series(3))
        .line("logistic regression without it", line(&logistic(&near)?), Stroke::SOLID)
        .line("logistic regression with it", line(&logistic(&all)?), Stroke::DASHED)
        .render()?;
    bench.figure(
        "far-blob",
        format!(
            "A far group of positive examples turns LDA's boundary by {}°, that of logistic regression by {}°.",
            number(turned.0),
            number(turned.1)
        ),
        svg,
    )
}
