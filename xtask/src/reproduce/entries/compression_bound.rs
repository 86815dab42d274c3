//! C06: the compression bound evaluated.

use std::f64::consts::TAU;

use lm_bounds::generalisation::{compression, test_set};
use lm_bounds::ledger::{Evidence, Ledger, Quantity};
use lm_bounds::radius;
use lm_core::{
    Collection, Dense, Hypothesis, Labelling, Learner, Lift, Margins, Selection, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::chess_board;
use lm_qp::{Bias, CSvc, MaximalMargin};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::{Binary, pair, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C06",
    place: "C Thm 6.8",
    claim: "With probability 1 − δ over ℓ random examples the maximal margin hyperplane has an error of at most (d·ln(eℓ/d) + ln(ℓ/δ))/(ℓ − d), where d is the \
            number of support vectors; the dimension of the feature space does not enter.",
    how: "Machines on irises, digits and a chess board are trained on half of the examples and tested on the rest; the value is compared with the errors. \
          On a circle, where the error of a machine is known exactly, 2000 sets of each of five sizes are drawn, and the failures counted. All that the \
          ledger of lm-bounds says of one machine is drawn beside its test error.",
    seed: 606,
    body,
}];

type Failure = Box<dyn std::error::Error>;

const DELTA: f64 = 0.05;

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    halves(bench)?;
    trials(bench)?;
    ledger(bench)
}

fn by_hand(bench: &mut Bench) -> Outcome {
    // d = 2, ℓ = 100: (2·ln 50e + ln 2000)/98.
    let expected = (2.0 * (50.0_f64.ln() + 1.0) + 2000.0_f64.ln()) / 98.0;
    bench.check_close("ℓ = 100, d = 2, δ = 0.05", expected, compression::stated(100, 2, DELTA)?, 1e-15);
    // 1 − (δ/(ℓ·4950))^(1/98).
    let expected = 1.0 - (DELTA / (100.0 * 4950.0)).powf(1.0 / 98.0);
    bench.check_close(
        "the same without estimates of binomial coefficients",
        expected,
        compression::consistent(100, 2, DELTA)?,
        1e-14,
    );
    let grows = (1..90)
        .all(|d| compression::stated(100, d, DELTA).ok() < compression::stated(100, d + 1, DELTA).ok());
    bench.check(
        "ℓ = 100: the bound as d goes from 1 to 90",
        "grows",
        if grows { "grows" } else { "does not" },
        grows,
    );
    Ok(())
}

/// Every other pair of examples is for the test, as generators take the classes in turn.
fn halves(bench: &mut Bench) -> Outcome {
    let (iris, digits) = (classic::iris()?.data, classic::digits()?.data);
    let mut support = Vec::new();
    for (name, data, kernel) in [
        ("irises 0 and 1", pair(&iris, [0.0, 1.0])?, VectorKernel::linear()),
        ("digits 0 and 1", pair(&digits, [0.0, 1.0])?, VectorKernel::linear()),
        ("digits 3 and 8", pair(&digits, [3.0, 8.0])?, VectorKernel::linear()),
        ("digits 3 and 8, Gaussian", pair(&digits, [3.0, 8.0])?, VectorKernel::gaussian(1e-3)?),
        ("digits 3 and 8, Gaussian, narrow", pair(&digits, [3.0, 8.0])?, VectorKernel::gaussian(2e-2)?),
        ("chess board, Gaussian", chess_board(4000, 2, bench.seed())?, VectorKernel::gaussian_width(0.3)?),
    ] {
        let (train, test) = split(&data)?;
        let gram = VectorGram::new(&train.examples, kernel)?;
        let fit = MaximalMargin::default().with_gap(1e-8).fit(&gram, &train.labels)?.converged()?;
        let d = fit.model.rows().len() as u64;
        let len = train.examples.len() as u64;
        let errors =
            wrong(&fit.model.over_vectors(&train.examples, kernel)?, &test.examples, &test.labels)? as u64;
        let size = test.examples.len() as u64;
        let (stated, sharper) =
            (compression::stated(len, d, DELTA)?, compression::consistent(len, d, DELTA)?);
        // The error itself is not known: it is at least this, at the confidence of the bound.
        let low = test_set::at_least(errors, size, DELTA)?;
        bench.check(
            format!("{name}: ℓ = {len}, d = {d}; the bound, and the same without estimates"),
            format!("at least the error: {errors} of {size} test examples, so {} or more", number(low)),
            format!("{}, {}", number(stated), number(sharper)),
            sharper >= low && stated >= sharper,
        );
        support.push((len, d, stated));
    }
    let fewer =
        support.iter().filter(|(len, d, stated)| (*d as f64) < 0.1 * *len as f64 && *stated >= 1.0).count();
    bench.check_equal("machines with support vectors for less than a tenth of the examples, of which the bound says nothing", 0, fewer);
    Ok(())
}

fn split(data: &Binary) -> Result<(Binary, Binary), Failure> {
    let take = |odd: usize| -> Result<Binary, Failure> {
        let rows: Vec<usize> = (0..data.examples.len()).filter(|row| row / 2 % 2 == odd).collect();
        let values: Vec<&[f64]> = rows.iter().map(|&row| data.examples.slice(row)).collect();
        Ok(Binary { examples: Dense::from_rows(&values)?, labels: data.labels.select(&rows)? })
    };
    Ok((take(0)?, take(1)?))
}

/// The share of a circle on which `cos(t − middle) ≥ level` and `cos t ≥ 0` disagree.
fn disagreement(middle: f64, level: f64) -> f64 {
    let half = level.clamp(-1.0, 1.0).acos();
    let mut ends: Vec<f64> =
        [TAU / 4.0, -TAU / 4.0, middle + half, middle - half].iter().map(|end| end.rem_euclid(TAU)).collect();
    ends.sort_by(f64::total_cmp);
    ends.push(ends[0] + TAU);
    let differs = |t: f64| ((t - middle).cos() >= level) != (t.cos() >= 0.0);
    let parts = ends.windows(2).filter(|pair| differs(0.5 * (pair[0] + pair[1])));
    parts.map(|pair| pair[1] - pair[0]).sum::<f64>() / TAU
}

fn trials(bench: &mut Bench) -> Outcome {
    const TRIALS: u32 = 2000;
    const SHARE: f64 = 0.1;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut bounds, mut sharper, mut means, mut rare) = (vec![], vec![], vec![], vec![]);
    for len in [20_u32, 40, 80, 160, 320] {
        let (mut failed, mut failed_sharper, mut sums) = (0_u32, 0_u32, [0.0; 2]);
        let mut errors = Vec::new();
        for _ in 0..TRIALS {
            let angles: Vec<f64> = (0..len).map(|_| random.random_range(0.0..TAU)).collect();
            let points: Vec<[f64; 2]> = angles.iter().map(|t| [t.cos(), t.sin()]).collect();
            let labels: Vec<i64> = angles.iter().map(|t| if t.cos() >= 0.0 { 1 } else { -1 }).collect();
            let examples = Dense::from_rows(&points)?;
            let Ok(labels) = lm_core::BinaryLabels::from_integers(&labels) else {
                // One class only: there is no machine, and this counts against the bound.
                (failed, failed_sharper) = (failed + 1, failed_sharper + 1);
                continue;
            };
            let gram = VectorGram::new(&examples, VectorKernel::linear())?;
            let fit = MaximalMargin::default().with_gap(1e-9).fit(&gram, &labels)?.converged()?;
            let plane = fit.model.over_columns(&examples)?;
            let [a, b] = [plane.weights()[0], plane.weights()[1]];
            let error = disagreement(b.atan2(a), -plane.bias() / a.hypot(b));
            let d = fit.model.rows().len() as u64;
            let values =
                [compression::stated(len.into(), d, SHARE)?, compression::consistent(len.into(), d, SHARE)?];
            failed += u32::from(error > values[0]);
            failed_sharper += u32::from(error > values[1]);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value / f64::from(TRIALS));
            errors.push(error);
        }
        errors.sort_by(f64::total_cmp);
        let quantile = errors[(errors.len() * 9) / 10];
        bench.check(
            format!("circle, ℓ = {len}, {TRIALS} trials, δ = {SHARE}: share of failures of the bound, and of the one without estimates"),
            format!("at most {SHARE}"),
            format!("{}, {}", number(f64::from(failed) / f64::from(TRIALS)), number(f64::from(failed_sharper) / f64::from(TRIALS))),
            f64::from(failed_sharper) <= SHARE * f64::from(TRIALS) && failed <= failed_sharper,
        );
        let at = f64::from(len);
        bounds.push([at, sums[0]]);
        sharper.push([at, sums[1]]);
        means.push([at, errors.iter().sum::<f64>() / errors.len() as f64]);
        rare.push([at, quantile]);
    }
    let svg = Plot::new("examples ℓ", "error")
        .log_x()
        .log_y()
        .marked_series("Theorem 6.8, δ = 0.1", &bounds)
        .marked_series("without estimates", &sharper)
        .marked_series("error of 90 % of the machines is below", &rare)
        .marked_series("mean error", &means)
        .render()?;
    bench.figure(
        "circle",
        "Maximal margin machines of points on a circle: the mean compression bound, and errors that are known exactly. Both fall with 1/ℓ.",
        svg,
    )
}

/// All bounds on one machine: digits 0 and 1, with the bias as the weight of a constant attribute.
fn ledger(bench: &mut Bench) -> Outcome {
    const CONSTANT: f64 = 32.0;
    let data = pair(&classic::digits()?.data, [0.0, 1.0])?;
    let rows: Vec<Vec<f64>> = (0..data.examples.len())
        .map(|row| data.examples.slice(row).iter().copied().chain([CONSTANT]).collect())
        .collect();
    let data = Binary { examples: Dense::from_rows(&rows)?, labels: data.labels };
    let (train, test) = split(&data)?;
    let gram = VectorGram::new(&train.examples, VectorKernel::linear())?;
    let machine = CSvc::default().with_cost(1e3).with_bias(Bias::None).with_gap(1e-8);
    let fit = machine.fit(&gram, &train.labels)?.converged()?;
    let plane = fit.model.over_columns(&train.examples)?;
    let set = TrainingSet::new(&train.examples, &train.labels)?;
    let margins = Margins::geometric(&plane, &set)?;
    let norms = lm_core::Gram::diagonal(&gram)?;
    let cosines: Vec<f64> =
        margins.values().iter().zip(&norms).map(|(m, k)| (m / k.sqrt()).clamp(-1.0, 1.0)).collect();
    let errors = wrong(&plane, &test.examples, &test.labels)? as u64;
    let evidence = Evidence::new(set.len() as u64)
        .with_training_errors(wrong(&plane, &train.examples, &train.labels)? as u64)
        .with_support(fit.model.rows().len() as u64)
        .with_dimension(65)
        .with_margins(margins.values().to_vec())
        .with_cosines(cosines)
        .with_radius(radius::largest_norm(&gram)?)
        .with_trace(radius::trace(&gram)?)
        .with_held_out(errors, test.examples.len() as u64);
    let ledger = Ledger::new(DELTA)?.with_name("digits 0 and 1").with(&evidence)?;
    // The support vectors alone give the same machine, which is what compression assumes.
    let kept = fit.model.rows().to_vec();
    let again = machine.fit(&Selection::new(&gram, &kept)?, &train.labels.select(&kept)?)?.converged()?;
    let (f, g) = (fit.model.decision_values(&gram)?, again.model.lifted(&kept)?.decision_values(&gram)?);
    let off = f.iter().zip(&g).map(|(f, g)| (f - g).abs()).fold(0.0, f64::max);
    bench.check_at_most(
        "digits 0 and 1: decision values with the support vectors alone, largest difference",
        1e-3,
        off,
    );
    let low = test_set::at_least(errors, test.examples.len() as u64, DELTA)?;
    let above =
        ledger.bounds().iter().filter(|bound| bound.of == Quantity::Error && bound.value >= low).count();
    let all = ledger.bounds().iter().filter(|bound| bound.of == Quantity::Error).count();
    bench.check_equal(
        "digits 0 and 1: bounds of the ledger that are not below what the test leaves possible",
        all,
        above,
    );
    let least = ledger.least(Quantity::Error).map_or(f64::NAN, |bound| bound.value);
    bench.check_at_most("digits 0 and 1: the least bound of the ledger", 0.1, least);
    bench.figure(
        "ledger",
        format!("All that lm-bounds says of one machine, {} support vectors of {} examples, beside its test error.", kept.len(), set.len()),
        ledger.picture(),
    )
}
