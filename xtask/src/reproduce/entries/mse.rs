//! B18, B19 and D03: least squares toward margins, Fisher's discriminant and Bayes' rule.

use lm_closed::{Fisher, Lda, MarginVector, MseClassifier};
use lm_core::{BinaryLabels, ClassLabels, Dense, Learner, Sign};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke, sample};
use crate::reproduce::least_squares::{augmented, least_squares};
use crate::reproduce::measure::{Binary, pair, slope};
use crate::reproduce::vectors::{distance, dot, norm};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "B18",
        place: "B MSE and Fisher",
        claim: "With b = n/n₁ for one class and n/n₂ for the other, the minimum squared error solution has w = αn S_W⁻¹(m₁ − m₂), which is \
                Fisher's direction, and w₀ = −mᵗw.",
        how: "Both are fitted on random sets of 1 to 12 dimensions with classes of unequal size and on three pairs of iris species; \
              w is compared as a unit vector, w₀ and α with their formulas.",
        seed: 218,
        body: fisher,
    },
    Entry {
        id: "B19",
        place: "B MSE and Bayes",
        claim: "With b = 1, the minimum squared error discriminant tends to the linear function nearest in mean square to Bayes' discriminant \
                P(ω₁|x) − P(ω₂|x) as the number of samples grows.",
        how: "Two normal classes of unequal probability and width, whose posterior is known: the nearest linear function is found by \
              quadrature, and its mean square distance from the discriminant of n samples is measured for n = 30 to 10⁶, over 40 \
              samples of each size up to 10⁵.",
        seed: 219,
        body: bayes,
    },
    Entry {
        id: "D03",
        place: "D Lemma 2",
        claim: "The weight vector of least squares on labels ±1 is proportional to the direction C_W⁻¹(m₊ − m₋) of linear discriminant analysis.",
        how: "Least squares by Householder reflections and by the library are compared with the discriminant as unit vectors, on the \
              same sets as B18, and with the boundary of the linear machine.",
        seed: 403,
        body: proportional,
    },
];

/// Random sets with classes of unequal size, and pairs of iris species.
fn sets(seed: u64) -> lm_core::Result<Vec<(String, Binary)>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut sets = Vec::new();
    for dim in 1..=12 {
        let mix: Vec<f64> = (0..dim * dim).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut signs = Vec::new();
        for at in 0..20 + 15 * dim {
            let side = if at % 4 == 0 { 1.0 } else { -1.0 };
            let z: Vec<f64> = (0..dim).map(|_| random.random_range(-2.0..2.0) + 0.3 * side).collect();
            rows.push((0..dim).map(|i| 5.0 + z[i] + dot(&mix[i * dim..(i + 1) * dim], &z)).collect());
            signs.push(Sign::of(side));
        }
        let data = Binary { examples: Dense::from_rows(&rows)?, labels: BinaryLabels::new(signs)? };
        sets.push((format!("{dim} dimensions"), data));
    }
    let iris = lm_data::classic::iris()?.data;
    for classes in [[0.0, 1.0], [1.0, 2.0], [2.0, 0.0]] {
        sets.push((format!("iris, classes {} and {}", classes[0], classes[1]), pair(&iris, classes)?));
    }
    Ok(sets)
}

/// The distance of two vectors after each was given length 1.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let unit = |v: &[f64]| v.iter().map(|x| x / norm(v)).collect::<Vec<_>>();
    distance(&unit(a), &unit(b))
}

/// The mean of a class, or of all.
fn mean(data: &Binary, sign: Option<Sign>) -> Vec<f64> {
    let rows: Vec<&[f64]> = (0..data.labels.signs().len())
        .filter(|&row| sign.is_none_or(|sign| data.labels.signs()[row] == sign))
        .map(|row| data.examples.slice(row))
        .collect();
    (0..rows[0].len()).map(|k| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64).collect()
}

fn fisher(bench: &mut Bench) -> Outcome {
    let (mut direction, mut bias, mut alpha) = (0.0_f64, 0.0_f64, 0.0_f64);
    let sets = sets(bench.seed())?;
    for (_, data) in &sets {
        let mse = MseClassifier::default().with_margins(MarginVector::Fisher);
        let mse = mse.fit(&data.examples, &data.labels)?.model;
        let fit = Fisher::default().fit(&data.examples, &data.labels)?;
        direction = direction.max(apart(mse.weights(), fit.model.weights()));
        let at_mean = dot(&mean(data, None), mse.weights());
        bias = bias.max((mse.bias() + at_mean).abs() / (1.0 + at_mean.abs()));
        // Fisher's w is n S_W⁻¹(m₁ − m₂), and α = 1/(1 + n₁n₂/n · (m₁ − m₂)ᵗS_W⁻¹(m₁ − m₂)).
        let [n1, n2] = [Sign::Positive, Sign::Negative].map(|sign| data.labels.count(sign) as f64);
        let [m1, m2] = [Sign::Positive, Sign::Negative].map(|sign| mean(data, Some(sign)));
        let difference: Vec<f64> = m1.iter().zip(&m2).map(|(a, b)| a - b).collect();
        let square = dot(fit.model.weights(), &difference) / (n1 + n2);
        let expected = 1.0 / (1.0 + n1 * n2 / (n1 + n2) * square);
        alpha = alpha.max((norm(mse.weights()) / norm(fit.model.weights()) / expected - 1.0).abs());
    }
    let count = sets.len();
    bench.check_at_most(
        format!("{count} sets: w and Fisher's direction as unit vectors, largest distance"),
        1e-10,
        direction,
    );
    bench.check_at_most(format!("{count} sets: w₀ + mᵗw, relative, largest"), 1e-10, bias);
    bench.check_at_most(
        format!("{count} sets: ratio of w and n S_W⁻¹(m₁ − m₂) against the α of the proof, largest error"),
        1e-10,
        alpha,
    );
    let data = &sets[6].1;
    let ones = MseClassifier::default().fit(&data.examples, &data.labels)?.model;
    let at_mean = ones.bias() + dot(&mean(data, None), ones.weights());
    let [n1, n2] = [Sign::Positive, Sign::Negative].map(|sign| data.labels.count(sign) as f64);
    bench.check_close(
        "with b = 1 instead: value at the mean of all samples, which is (n₁ − n₂)/n and not 0",
        (n1 - n2) / (n1 + n2),
        at_mean,
        1e-12,
    );
    Ok(())
}

fn proportional(bench: &mut Bench) -> Outcome {
    let sets = sets(bench.seed())?;
    let (mut householder, mut library, mut machine) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (_, data) in &sets {
        let rows = augmented(&data.examples, data.labels.signs().len());
        let solution = least_squares(&rows, &data.labels.values());
        let w = &solution[..solution.len() - 1];
        let fisher = Fisher::default().fit(&data.examples, &data.labels)?.model;
        householder = householder.max(apart(w, fisher.weights()));
        let squares = MseClassifier::default().fit(&data.examples, &data.labels)?.model;
        library = library.max(apart(squares.weights(), fisher.weights()));
        let integers: Vec<i64> = data.labels.signs().iter().map(|sign| sign.value() as i64).collect();
        let lda = Lda::default().fit(&data.examples, &ClassLabels::from_integers(&integers)?)?.model;
        machine = machine.max(apart(lda.machine().boundary(1, 0)?.weights(), w));
    }
    let count = sets.len();
    bench.check_at_most(
        format!(
            "{count} sets: w of least squares by Householder and of LDA, as unit vectors, largest distance"
        ),
        1e-10,
        householder,
    );
    bench.check_at_most(format!("{count} sets: the same with least squares of the library"), 1e-10, library);
    bench.check_at_most(
        format!("{count} sets: the same with the boundary of the linear machine of two classes"),
        1e-10,
        machine,
    );
    Ok(())
}

/// The two classes of B19: probability, mean and deviation.
const CLASSES: [(f64, f64, f64); 2] = [(0.35, 1.2, 0.6), (0.65, -0.8, 1.4)];

fn density(class: usize, x: f64) -> f64 {
    let (probability, mean, deviation) = CLASSES[class];
    let z = (x - mean) / deviation;
    probability * (-0.5 * z * z).exp() / (deviation * (2.0 * std::f64::consts::PI).sqrt())
}

/// Bayes' discriminant.
fn posterior_difference(x: f64) -> f64 {
    let (first, second) = (density(0, x), density(1, x));
    (first - second) / (first + second)
}

/// The integral of a function times the density of x, by the trapezium rule, which is exact to rounding here.
fn expectation(f: impl Fn(f64) -> f64) -> f64 {
    let (low, high, steps) = (-16.0, 16.0, 64_000);
    let step = (high - low) / f64::from(steps);
    (0..=steps)
        .map(|k| low + step * f64::from(k))
        .map(|x| f(x) * (density(0, x) + density(1, x)))
        .sum::<f64>()
        * step
}

/// `n` samples in random order.
fn draw(n: usize, random: &mut ChaCha8Rng) -> lm_core::Result<Binary> {
    let mut normal = || {
        // Box and Muller.
        let (u, v): (f64, f64) = (random.random_range(f64::MIN_POSITIVE..1.0), random.random());
        let class = usize::from(random.random::<f64>() >= CLASSES[0].0);
        let z = (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos();
        (class, CLASSES[class].1 + CLASSES[class].2 * z)
    };
    let samples: Vec<(usize, f64)> = (0..n).map(|_| normal()).collect();
    let signs = samples.iter().map(|(class, _)| if *class == 0 { Sign::Positive } else { Sign::Negative });
    Ok(Binary {
        labels: BinaryLabels::new(signs.collect())?,
        examples: Dense::new(samples.iter().map(|(_, x)| *x).collect(), n, 1)?,
    })
}

fn bayes(bench: &mut Bench) -> Outcome {
    // The normal equations of min E (w₀ + w₁x − g₀(x))², by quadrature.
    let (m, s) = (expectation(|x| x), expectation(|x| x * x));
    let (g, xg) = (expectation(posterior_difference), expectation(|x| x * posterior_difference(x)));
    bench.check_close("the densities have integral 1", 1.0, expectation(|_| 1.0), 1e-12);
    let w1 = (xg - m * g) / (s - m * m);
    let w0 = g - w1 * m;
    // E[z|x] = g₀(x) for labels z = ±1, so both can be had without g₀.
    let means = CLASSES.map(|(probability, mean, _)| (probability, mean));
    bench.check_close("E g₀ and P(ω₁) − P(ω₂)", means[0].0 - means[1].0, g, 1e-12);
    bench.check_close(
        "E x·g₀ and P(ω₁)m₁ − P(ω₂)m₂",
        means[0].0 * means[0].1 - means[1].0 * means[1].1,
        xg,
        1e-12,
    );
    let squared = |a: f64, b: f64| (a - w0).powi(2) + 2.0 * (a - w0) * (b - w1) * m + (b - w1).powi(2) * s;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let mut errors = Vec::new();
    let mut fits = Vec::new();
    for (n, rounds) in [
        (30, 40),
        (100, 40),
        (300, 40),
        (1_000, 40),
        (3_000, 40),
        (10_000, 40),
        (30_000, 40),
        (100_000, 40),
        (1_000_000, 4),
    ] {
        let mut total = 0.0;
        let rounds = rounds * bench.amount(1, 10);
        for round in 0..rounds {
            let data = draw(n, &mut random)?;
            let model = MseClassifier::default().fit(&data.examples, &data.labels)?.model;
            total += squared(model.bias(), model.weights()[0]);
            if round == 0 && [100, 10_000].contains(&n) {
                fits.push((n, model.bias(), model.weights()[0]));
            }
        }
        errors.push([n as f64, (total / f64::from(rounds)).sqrt()]);
    }
    let logs: Vec<[f64; 2]> = errors.iter().map(|[x, y]| [x.ln(), y.ln()]).collect();
    let (power, left) = slope(&logs);
    bench.check_close(
        "power of n in the root mean square distance from the nearest linear function",
        -0.5,
        power,
        0.05,
    );
    bench.check_at_most("share of the variance that a straight line leaves", 0.02, left);
    bench.check_at_most("that distance with a million samples", 3e-3, errors[errors.len() - 1][1]);
    let rest = expectation(|x| (w0 + w1 * x - posterior_difference(x)).powi(2)).sqrt();
    bench.check(
        "distance of the nearest linear function itself from P(ω₁|x) − P(ω₂|x)",
        "not 0: the posterior is not linear",
        number(rest),
        rest > 0.1,
    );
    let at_zero = posterior_difference(-w0 / w1);
    bench.check(
        "P(ω₁|x) − P(ω₂|x) where the limit is 0: Bayes' rule changes sides elsewhere",
        "not 0: least squares does not minimise the probability of error",
        number(at_zero),
        at_zero.abs() > 0.01,
    );
    let svg = Plot::new("samples n", "distance from the nearest linear function")
        .log_x()
        .log_y()
        .marked_series("root mean square", &errors)
        .series(
            "n^(−1/2)",
            &errors.iter().map(|[n, _]| [*n, errors[0][1] * (errors[0][0] / n).sqrt()]).collect::<Vec<_>>(),
        )
        .render()?;
    bench.figure("error", "The distance of the minimum squared error discriminant from the linear function nearest to Bayes' discriminant, against the number of samples.", svg)?;
    let mut plot = Plot::new("x", "discriminant")
        .y_range(-2.0, 2.0)
        .curve("P(ω₁|x) − P(ω₂|x)", &sample(-4.0, 4.0, 400, posterior_difference), Stroke::SOLID)
        .curve("nearest linear function", &sample(-4.0, 4.0, 2, |x| w0 + w1 * x), Stroke::DASHED);
    for (n, a, b) in fits {
        plot = plot.series(&format!("{n} samples"), &sample(-4.0, 4.0, 2, |x| a + b * x));
    }
    bench.figure("posterior", "Bayes' discriminant, the linear function nearest to it, and the discriminants of 100 and of 10 000 samples.", plot.render()?)
}
