//! A16, A18 and A19: least squares by its normal equations, ridge regression, and its dual form.

use lm_closed::{Form, LeastSquares, Ridge, Route};
use lm_core::{Certificate, Dense, Error, Examples, Hypothesis, Learner, Linear, Targets, TrainingSet};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::least_squares::{augmented, check_near, least_squares};
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A16",
        place: "A 2.2.1",
        claim: "The least squares solution is that of the normal equations X̂ᵗX̂ŵ = X̂ᵗy, with x̂ = (x, 1); if the matrix is singular, \
                the pseudo-inverse gives one.",
        how: "The residual of the normal equations is computed in the open, and the solution compared with Householder reflections, \
              on random data and iris. With dependent columns, and with fewer examples than columns, the norm is compared with \
              those of other solutions.",
        seed: 16,
        body: normal_equations,
    },
    Entry {
        id: "A18",
        place: "A 2.2.2",
        claim: "Ridge regression solves (X̂ᵗX̂ + λI)ŵ = X̂ᵗy, I having a zero for the bias, and minimises λ⟨w·w⟩ + Σ(⟨w·x⟩ + b − y)²: \
                λ trades square loss for norm, and the bias is free.",
        how: "Residuals of that system and losses of 1000 functions nearby are computed in the open, for ten penalties; targets are \
              shifted by a constant, and the penalty taken to 0 and to infinity.",
        seed: 18,
        body: ridge,
    },
    Entry {
        id: "A19",
        place: "A 2.2.2",
        claim: "Ridge regression has a dual form: w = Σαᵢxᵢ with (λI + G)α = y, and αᵢ = −(⟨w·xᵢ⟩ + b − yᵢ)/λ. It makes the same \
                predictions.",
        how: "The dual system is written out and solved by Householder reflections, on tall and wide random data and on iris, and \
              compared with primal and dual ridge regression; with a bias, on centred data.",
        seed: 19,
        body: dual,
    },
];

type Set = (Dense<'static>, Targets);

/// Random examples around (1, 1, …), with targets that a linear function misses by noise.
fn random(seed: u64, len: usize, dim: usize) -> Result<Set, Error> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let rows: Vec<Vec<f64>> =
        (0..len).map(|_| (0..dim).map(|_| 1.0 + random.random_range(-1.0..1.0)).collect()).collect();
    let exact = |x: &[f64]| 0.75 + x.iter().enumerate().map(|(k, x)| (k % 3) as f64 * x - x).sum::<f64>();
    let targets = rows.iter().map(|x| exact(x) + random.random_range(-0.5..0.5)).collect();
    Ok((Dense::from_rows(&rows)?, Targets::new(targets)?))
}

/// The width of the petal of iris, from the three other lengths.
fn iris() -> Result<Set, Error> {
    let table = lm_data::classic::iris()?;
    let rows: Vec<&[f64]> = (0..150).map(|row| &table.data.examples.slice(row)[..3]).collect();
    let targets = (0..150).map(|row| table.data.examples.slice(row)[3]).collect();
    Ok((Dense::from_rows(&rows)?, Targets::new(targets)?))
}

/// The largest share of what is missing in `(X̂ᵗX̂ + λI)ŵ = X̂ᵗy` in the size of its terms, written out.
fn missing((examples, targets): &Set, penalty: f64, model: &Linear) -> f64 {
    let rows = augmented(examples, targets.values().len());
    let solution = weights_and_bias(model);
    let (width, bias) = (solution.len(), solution.len() - 1);
    let share = |i: usize| {
        let (mut sum, mut size) = (0.0, 0.0);
        let mut add = |term: f64| {
            sum += term;
            size += term.abs();
        };
        for (row, y) in rows.iter().zip(targets.values()) {
            (0..width).for_each(|j| add(row[i] * row[j] * solution[j]));
            add(-row[i] * y);
        }
        add(if i == bias { 0.0 } else { penalty * solution[i] });
        f64::abs(sum) / size
    };
    (0..width).map(share).fold(0.0, f64::max)
}

fn normal_equations(bench: &mut Bench) -> Outcome {
    let sets = [
        ("30 × 3", random(bench.seed(), 30, 3)?),
        ("3000 × 40", random(bench.seed() + 1, 3000, 40)?),
        ("iris", iris()?),
    ];
    for (name, set) in &sets {
        let (examples, targets) = set;
        let fit = LeastSquares::default().fit(examples, targets)?.converged()?;
        bench.check_at_most(
            format!("{name}: what is missing in the normal equations"),
            1e-14,
            missing(set, 0.0, &fit.model),
        );
        let solution = least_squares(&augmented(examples, targets.values().len()), targets.values());
        check_near(bench, *name, 1e-11, &fit.model, &solution);
        bench.check_valid(
            format!("{name}: residuals and gradient, recomputed"),
            fit.certificate.verify(&TrainingSet::new(examples, targets)?)?,
        );
    }
    singular(bench)
}

/// Systems with many solutions.
fn singular(bench: &mut Bench) -> Outcome {
    let (examples, targets) = random(bench.seed() + 2, 25, 3)?;
    let plain = LeastSquares::default().fit(&examples, &targets)?;
    // A fourth column that is the sum of the first two.
    let with_sum = |x: &[f64]| [x, &[x[0] + x[1]]].concat();
    let rows: Vec<Vec<f64>> = (0..25).map(|row| with_sum(examples.slice(row))).collect();
    let dependent = Dense::from_rows(&rows)?;
    let fit = LeastSquares::default().fit(&dependent, &targets)?.converged()?;
    let diagnosis = fit.certificate.diagnosis();
    bench.check_equal("a column that is a sum of two: rank of X̂, of 5 columns", 4, diagnosis.rank);
    bench.check(
        "the dependence is reported",
        "ill-conditioned",
        if diagnosis.ill_conditioned() { "ill-conditioned" } else { "well-conditioned" },
        diagnosis.ill_conditioned() && diagnosis.route == Route::MinimumNorm,
    );
    let off = distance(&fit.model.decision_values(&dependent)?, &plain.model.decision_values(&examples)?);
    bench.check_at_most("distance of its values from those without that column", 1e-13, off);
    // All solutions are w + s·(1, 1, 0, −1): the shortest is at s = 0.
    let w = fit.model.weights();
    bench.check_at_most(
        "inner product of w with the direction that changes nothing",
        1e-13,
        (w[0] + w[1] - w[3]).abs(),
    );
    bench.check_valid(
        "evidence for least norm, recomputed",
        fit.certificate.verify(&TrainingSet::new(&dependent, &targets)?)?,
    );
    let (wide, few) = random(bench.seed() + 3, 6, 20)?;
    let fit = LeastSquares::default().fit(&wide, &few)?.converged()?;
    bench.check_at_most(
        "6 examples of 20 columns: distance of the values from the targets",
        1e-13,
        distance(&fit.model.decision_values(&wide)?, few.values()),
    );
    let shortest = norm(fit.model.weights());
    let mut nearest = f64::INFINITY;
    for penalty in [1e-2, 1e-5, 1e-8] {
        let ridge = Ridge::default().with_penalty(penalty).fit(&wide, &few)?;
        nearest = nearest.min(distance(ridge.model.weights(), fit.model.weights()));
        bench.check_at_most(
            format!("ridge regression with λ = {}: its norm, and that of least squares", number(penalty)),
            shortest,
            norm(ridge.model.weights()),
        );
    }
    bench.check_at_most("λ = 1e-8: distance of its weights from those of least norm", 1e-7, nearest);
    Ok(())
}

/// `λ⟨w·w⟩ + Σ(⟨w·x⟩ + b − y)²`.
fn loss((examples, targets): &Set, penalty: f64, solution: &[f64]) -> f64 {
    let rows = augmented(examples, targets.values().len());
    let residuals = rows.iter().zip(targets.values()).map(|(row, y)| dot(row, solution) - y);
    let w = &solution[..solution.len() - 1];
    penalty * dot(w, w) + residuals.map(|r| r * r).sum::<f64>()
}

fn ridge(bench: &mut Bench) -> Outcome {
    let set = random(bench.seed(), 40, 4)?;
    let (examples, targets) = &set;
    let mut around = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut worst, mut least_gain) = (0.0_f64, f64::INFINITY);
    let mut traces = vec![Vec::new(); 4];
    let (mut norms, mut losses) = (Vec::new(), Vec::new());
    for exponent in -5..5 {
        let penalty = 10.0_f64.powi(exponent);
        let fit = Ridge::default().with_penalty(penalty).fit(examples, targets)?.converged()?;
        worst = worst.max(missing(&set, penalty, &fit.model));
        let solution = weights_and_bias(&fit.model);
        let best = loss(&set, penalty, &solution);
        for _ in 0..100 {
            let nearby: Vec<f64> =
                solution.iter().map(|w| w + 0.1 * around.random_range(-1.0..1.0)).collect();
            least_gain = least_gain.min(loss(&set, penalty, &nearby) - best);
        }
        traces.iter_mut().zip(fit.model.weights()).for_each(|(trace, w)| trace.push([penalty, *w]));
        norms.push(norm(fit.model.weights()));
        losses.push(loss(&set, 0.0, &solution));
    }
    bench.check_at_most("ten penalties: what is missing in (X̂ᵗX̂ + λI)ŵ = X̂ᵗy", 1e-14, worst);
    bench.check_at_least("1000 functions nearby: the least gain over the smallest loss", 0.0, least_gain);
    let falls =
        norms.windows(2).all(|pair| pair[1] < pair[0]) && losses.windows(2).all(|pair| pair[1] > pair[0]);
    bench.check(
        "with λ the norm falls and the square loss rises",
        "always",
        if falls { "always" } else { "not always" },
        falls,
    );
    limits(bench, &set)?;
    let mut plot = Plot::new("λ", "weight").log_x();
    for (k, trace) in traces.iter().enumerate() {
        plot = plot.series(&format!("w{}", ["₁", "₂", "₃", "₄"][k]), trace);
    }
    bench.figure("weights", "The weights of ridge regression shrink as the penalty grows.", plot.render()?)
}

/// The bias is free, and the penalty has its two ends.
fn limits(bench: &mut Bench, (examples, targets): &Set) -> Outcome {
    let plain = Ridge::default().fit(examples, targets)?.model;
    let shifted = Targets::new(targets.values().iter().map(|y| y + 1000.0).collect())?;
    let moved = Ridge::default().fit(examples, &shifted)?.model;
    bench.check_at_most(
        "targets moved by 1000: change of the weights",
        1e-11,
        distance(plain.weights(), moved.weights()),
    );
    bench.check_close("and of the bias", 1000.0, moved.bias() - plain.bias(), 1e-10);
    let stiff = Ridge::default().with_penalty(1e15).fit(examples, targets)?.model;
    let mean = targets.values().iter().sum::<f64>() / targets.values().len() as f64;
    bench.check_at_most("λ = 1e15: norm of the weights", 1e-12, norm(stiff.weights()));
    bench.check_close("and the bias: the mean of the targets", mean, stiff.bias(), 1e-11);
    let loose = Ridge::default().with_penalty(1e-14).fit(examples, targets)?.model;
    let solution = weights_and_bias(&LeastSquares::default().fit(examples, targets)?.model);
    check_near(bench, "λ = 1e-14", 1e-12, &loose, &solution);
    Ok(())
}

/// `α` of `(λI + G)α = y`, `G` being the inner products of some rows.
fn multipliers(rows: &[Vec<f64>], targets: &[f64], penalty: f64) -> Vec<f64> {
    let system: Vec<Vec<f64>> = (0..rows.len())
        .map(|i| {
            let entry = |j: usize| dot(&rows[i], &rows[j]) + if i == j { penalty } else { 0.0 };
            (0..rows.len()).map(entry).collect()
        })
        .collect();
    least_squares(&system, targets)
}

/// `Σ αᵢxᵢ`.
fn combined(rows: &[Vec<f64>], alpha: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; rows[0].len()];
    for (row, alpha) in rows.iter().zip(alpha) {
        w.iter_mut().zip(row).for_each(|(w, x)| *w += alpha * x);
    }
    w
}

fn dual(bench: &mut Bench) -> Outcome {
    let sets = [
        ("40 × 5", random(bench.seed(), 40, 5)?),
        ("20 × 60", random(bench.seed() + 1, 20, 60)?),
        ("iris", iris()?),
    ];
    for (name, (examples, targets)) in &sets {
        let rows: Vec<Vec<f64>> =
            (0..targets.values().len()).map(|row| examples.slice(row).to_vec()).collect();
        for penalty in [0.01, 1.0, 100.0] {
            let what = format!("{name}, λ = {}", number(penalty));
            let alpha = multipliers(&rows, targets.values(), penalty);
            let by_hand = Linear::new(combined(&rows, &alpha), 0.0)?;
            let ridge = Ridge::default().with_penalty(penalty).with_bias(false);
            let primal = ridge.with_form(Form::Primal).fit(examples, targets)?.converged()?.model;
            let dual = ridge.with_form(Form::Dual).fit(examples, targets)?.converged()?;
            bench.check_equal(
                format!("{what}: as many equations as examples"),
                true,
                dual.certificate.diagnosis().route == Route::Dual,
            );
            let values = primal.decision_values(examples)?;
            let apart = |model: &Linear| -> Result<f64, Error> {
                let other = model.decision_values(examples)?;
                Ok(values.iter().zip(&other).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())))
            };
            bench.check_at_most(
                format!("{what}: largest difference of a prediction, (λI + G)α = y written out"),
                1e-10,
                apart(&by_hand)?,
            );
            bench.check_at_most(
                format!("{what}: largest difference of a prediction, dual ridge regression"),
                1e-10,
                apart(&dual.model)?,
            );
        }
    }
    with_bias(bench, &sets[0].1)
}

/// With a bias the system holds for centred data.
fn with_bias(bench: &mut Bench, (examples, targets): &Set) -> Outcome {
    let (len, dim, penalty) = (targets.values().len(), examples.dim(), 0.5);
    let mean = |value: &dyn Fn(usize) -> f64| (0..len).map(value).sum::<f64>() / len as f64;
    let means: Vec<f64> = (0..dim).map(|k| mean(&|row| examples.slice(row)[k])).collect();
    let middle = mean(&|row| targets.values()[row]);
    let rows: Vec<Vec<f64>> =
        (0..len).map(|row| examples.slice(row).iter().zip(&means).map(|(x, m)| x - m).collect()).collect();
    let centred: Vec<f64> = targets.values().iter().map(|y| y - middle).collect();
    let alpha = multipliers(&rows, &centred, penalty);
    let w = combined(&rows, &alpha);
    let by_hand = Linear::new(w.clone(), middle - dot(&w, &means))?;
    let ridge = Ridge::default().with_penalty(penalty);
    for (name, form) in [("primal", Form::Primal), ("dual", Form::Dual)] {
        let model = ridge.with_form(form).fit(examples, targets)?.converged()?.model;
        let away = distance(&weights_and_bias(&model), &weights_and_bias(&by_hand));
        bench.check_at_most(
            format!("with a bias, {name}: distance from the dual of centred data"),
            1e-11,
            away,
        );
    }
    let values = by_hand.decision_values(examples)?;
    let off = |term: &dyn Fn(f64, f64) -> f64| {
        let claims = values.iter().zip(targets.values()).map(|(value, y)| -term(*value, *y) / penalty);
        alpha.iter().zip(claims).fold(0.0, |most: f64, (alpha, claim)| most.max((alpha - claim).abs()))
    };
    let (sum, product) =
        (off(&|value, y| value - y), off(&|value, y| (value - by_hand.bias()) * by_hand.bias() - y));
    bench.check_at_most("αᵢ against −(⟨w·xᵢ⟩ + b − yᵢ)/λ: largest difference", 1e-11, sum);
    bench.erratum(
        "λw = −Σ(⟨w·xᵢ⟩b − yᵢ)xᵢ and αᵢ = −(⟨w·xᵢ⟩b − yᵢ)/λ.",
        "A sign is missing: the residual is ⟨w·xᵢ⟩ + b − yᵢ. And (λI + G)α = y is the system for b = 0; with a bias it is that of \
         centred examples and targets.",
        format!("With the sum the multipliers are met to {}, with the product they differ by up to {}.", number(sum), number(product)),
        sum <= 1e-11 && product > 0.1,
    );
    Ok(())
}
