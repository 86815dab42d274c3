//! Least squares against itself: by other routes, from other forms of the data, and against what must be.

use lm_closed::{LeastSquares, LinearSystemCertificate, Moments, Route};
use lm_core::testing::SplitMix64;
use lm_core::{
    Budget, Cancel, Certificate, Control, Csr, Dense, Error, Fit, Learner, Linear, Stop, Targets,
    TrainingSet, Weights,
};

/// A linear target with noise; columns of different sizes and offsets.
fn regression(seed: u64, n: usize, d: usize) -> (Dense<'static>, Targets) {
    let mut random = SplitMix64::new(seed);
    let mut rows = Vec::with_capacity(n);
    let mut targets = Vec::with_capacity(n);
    for _ in 0..n {
        let row: Vec<f64> = (0..d)
            .map(|k| random.uniform(-1.0, 1.0) * 2.0_f64.powi(k as i32 % 7 - 3) + (k % 5) as f64)
            .collect();
        let value: f64 = row.iter().enumerate().map(|(k, x)| (k % 3) as f64 * x - 0.5 * x).sum();
        targets.push(value + 0.25 + random.uniform(-0.5, 0.5));
        rows.push(row);
    }
    (Dense::from_rows(&rows).unwrap(), Targets::new(targets).unwrap())
}

fn all(model: &Linear) -> Vec<f64> {
    [model.bias()].into_iter().chain(model.weights().iter().copied()).collect()
}

/// The largest difference of coefficients, relative to the largest coefficient.
fn apart(a: &Linear, b: &Linear) -> f64 {
    let (a, b) = (all(a), all(b));
    let size = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    a.iter().zip(&b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / size
}

fn fit(examples: &Dense<'_>, targets: &Targets) -> Fit<Linear, LinearSystemCertificate> {
    LeastSquares::default().fit(examples, targets).unwrap().converged().unwrap()
}

#[test]
fn every_route_gives_the_same_rounded_coefficients() {
    // Large enough for the normal equations; parts of it repeated by weights are small enough for reflections.
    for seed in 0..3 {
        let (few, targets) = regression(seed, 900, 20);
        let rows: Vec<usize> = (0..900).flat_map(|row| std::iter::repeat_n(row, 1 + row % 12)).collect();
        let counts: Vec<f64> = (0..900).map(|row| (1 + row % 12) as f64).collect();
        let many: Vec<Vec<f64>> = rows.iter().map(|&row| few.slice(row).to_vec()).collect();
        let many = Dense::from_rows(&many).unwrap();
        let long = Targets::new(rows.iter().map(|&row| targets.values()[row]).collect()).unwrap();
        let large = fit(&many, &long);
        assert_eq!(large.certificate.diagnosis().route, Route::SemiNormal);
        let weights = Weights::new(counts).unwrap();
        let set = TrainingSet::new(&few, &targets).unwrap().with_weights(&weights).unwrap();
        let small = LeastSquares::default().fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        assert_eq!(small.certificate.diagnosis().route, Route::Orthogonal);
        // Both are the exact solution rounded, whatever the route: at most the last bit differs.
        assert!(apart(&large.model, &small.model) <= f64::EPSILON, "seed {seed}");
        let data = TrainingSet::new(&many, &long).unwrap();
        assert!(large.certificate.verify(&data).unwrap().is_valid(), "seed {seed}");
        assert!(small.certificate.verify(&set).unwrap().is_valid(), "seed {seed}");
        let norms = [&large, &small].map(|fit| fit.certificate.figures().unwrap().residual_norm);
        assert!((norms[0] / norms[1] - 1.0).abs() < 1e-14, "seed {seed}: {norms:?}");
    }
}

#[test]
fn large_data_of_bad_condition_take_reflections() {
    let (examples, targets) = regression(5, 6000, 20);
    let rows: Vec<Vec<f64>> = (0..6000)
        .map(|row| {
            let x = examples.slice(row);
            let mut x = x.to_vec();
            x[1] = x[0] + 1e-7 * x[1];
            x
        })
        .collect();
    let examples = Dense::from_rows(&rows).unwrap();
    let found = fit(&examples, &targets);
    let diagnosis = found.certificate.diagnosis();
    assert_eq!((diagnosis.route, diagnosis.rank), (Route::Orthogonal, 21));
    assert!(diagnosis.condition > 1e6, "{diagnosis:?}");
    assert!(found.certificate.verify(&TrainingSet::new(&examples, &targets).unwrap()).unwrap().is_valid());
}

#[test]
fn dependent_columns_get_the_least_norm_whatever_their_units() {
    for (seed, unit) in [(0, 1.0), (1, 1024.0), (2, 1e-6)] {
        let (examples, targets) = regression(seed, 40, 3);
        // Columns 0, 1, 2, then 2·column 0 in another unit, and a constant.
        let rows: Vec<Vec<f64>> = (0..40)
            .map(|row| [examples.slice(row), &[2.0 * unit * examples.slice(row)[0], 0.1]].concat())
            .collect();
        let wide = Dense::from_rows(&rows).unwrap();
        let found = fit(&wide, &targets);
        let diagnosis = found.certificate.diagnosis();
        assert_eq!((diagnosis.route, diagnosis.rank, diagnosis.columns), (Route::MinimumNorm, 4, 6));
        assert!(diagnosis.ill_conditioned());
        let plain = fit(&examples, &targets);
        // w₀ + 2u·w₃ is determined; of least norm it is shared as 1 : 2u.
        let w = found.model.weights();
        let total = plain.model.weights()[0];
        let share = 1.0 + 4.0 * unit * unit;
        let size = w.iter().fold(0.0_f64, |most, w| most.max(w.abs()));
        assert!((w[0] - total / share).abs() < 1e-14 * size, "seed {seed}: {w:?}");
        assert!((w[3] - total * 2.0 * unit / share).abs() < 1e-14 * size, "seed {seed}: {w:?}");
        assert!((w[0] + 2.0 * unit * w[3] - total).abs() < 1e-13 * size, "seed {seed}: {w:?}");
        assert!((w[1] - plain.model.weights()[1]).abs() < 1e-12 && w[4] == 0.0, "seed {seed}: {w:?}");
        let evidence = found.certificate.least_norm().unwrap();
        assert!(evidence.error() < 1e-12, "seed {seed}: {:e}", evidence.error());
        assert!(found.certificate.verify(&TrainingSet::new(&wide, &targets).unwrap()).unwrap().is_valid());
    }
}

#[test]
fn fewer_examples_than_columns_are_met_exactly() {
    let (examples, targets) = regression(3, 5, 30);
    let found = fit(&examples, &targets);
    assert_eq!(found.certificate.diagnosis().rank, 5);
    let figures = found.certificate.figures().unwrap();
    assert!(figures.residual_norm < 1e-13, "{figures:?}");
    let set = TrainingSet::new(&examples, &targets).unwrap();
    assert!(found.certificate.verify(&set).unwrap().is_valid());
    // Any other function that meets the targets is longer: add a direction that no example sees.
    let w = found.model.weights();
    let norm = |w: &[f64]| w.iter().map(|w| w * w).sum::<f64>();
    let u = found.certificate.least_norm().unwrap().multipliers();
    let mut rebuilt = vec![0.0; 30];
    for (row, u) in u.iter().enumerate() {
        rebuilt.iter_mut().zip(examples.slice(row)).for_each(|(w, x)| *w += u * x);
    }
    let off: Vec<f64> = rebuilt.iter().zip(w).map(|(a, b)| a - b).collect();
    assert!(norm(&off) < 1e-24 * norm(w));
}

#[test]
fn several_targets_share_a_factorisation_and_nothing_else() {
    for (n, d) in [(60, 4), (8000, 20)] {
        let (examples, first) = regression(7, n, d);
        let (_, second) = regression(8, n, d);
        let lists = [first, second];
        let many = LeastSquares::default().fit_many(&examples, &lists, None, &Control::default()).unwrap();
        for (targets, many) in lists.iter().zip(&many) {
            let one = fit(&examples, targets);
            assert!(apart(&one.model, &many.model) <= f64::EPSILON);
            assert!(
                many.certificate.verify(&TrainingSet::new(&examples, targets).unwrap()).unwrap().is_valid()
            );
        }
    }
    let (examples, targets) = regression(7, 6, 2);
    let short = Targets::new(vec![1.0; 5]).unwrap();
    let refused = LeastSquares::default().fit_many(&examples, &[targets, short], None, &Control::default());
    assert!(matches!(refused, Err(Error::Length { expected: 6, found: 5, .. })));
    let refused = LeastSquares::default().fit_many(&examples, &[], None, &Control::default());
    assert!(matches!(refused, Err(Error::Empty { .. })));
}

#[test]
fn units_change_nothing_but_the_units() {
    let (examples, targets) = regression(11, 50, 3);
    let plain = fit(&examples, &targets);
    for exponents in [[0, 0, 0], [900, -900, 3], [-1000, -990, -980], [1000, 0, -1000]] {
        for (shift, heavy) in [(0, 0), (600, -700), (-700, 900)] {
            let scale = |e: i32| 2.0_f64.powi(e / 2) * 2.0_f64.powi(e - e / 2);
            let rows: Vec<Vec<f64>> = (0..50)
                .map(|row| examples.slice(row).iter().zip(exponents).map(|(x, e)| x * scale(e)).collect())
                .collect();
            let scaled = Dense::from_rows(&rows).unwrap();
            let values = Targets::new(targets.values().iter().map(|t| t * scale(shift)).collect()).unwrap();
            let weights = Weights::new(vec![scale(heavy); 50]).unwrap();
            let set = TrainingSet::new(&scaled, &values).unwrap().with_weights(&weights).unwrap();
            let found = LeastSquares::default().fit_with(&set, &Control::default());
            // A weight of 2^(700 + 1000) is no number.
            let lost = exponents.iter().any(|e| (shift - e).abs() > 1000);
            match found {
                Ok(found) if !lost => {
                    let found = found.converged().unwrap();
                    assert_eq!(found.model.bias(), plain.model.bias() * scale(shift));
                    for ((f, p), e) in found.model.weights().iter().zip(plain.model.weights()).zip(exponents)
                    {
                        assert_eq!(*f, p * scale(shift - e), "{exponents:?}, {shift}, {heavy}");
                    }
                    assert!(
                        found.certificate.verify(&set).unwrap().is_valid(),
                        "{exponents:?}, {shift}, {heavy}"
                    );
                }
                Ok(found) => assert!(all(&found.model).iter().all(|c| c.is_finite())),
                Err(error) => assert!(lost, "{error}: {exponents:?}, {shift}, {heavy}"),
            }
        }
    }
}

#[test]
fn moments_of_a_stream_give_the_solution_of_the_data() {
    let (examples, targets) = regression(13, 4000, 6);
    let direct = fit(&examples, &targets);
    let mut stream = Moments::new(7).unwrap();
    let mut other = Moments::new(7).unwrap();
    for block in 0..40 {
        let rows: Vec<Vec<f64>> =
            (block * 100..(block + 1) * 100).map(|row| examples.slice(row).to_vec()).collect();
        let values = &targets.values()[block * 100..(block + 1) * 100];
        let to = if block % 2 == 0 { &mut stream } else { &mut other };
        to.add(&Dense::from_rows(&rows).unwrap(), &[values], None).unwrap();
    }
    stream.merge(&other).unwrap();
    let solved = LeastSquares::default().solve(&stream, 1).unwrap();
    assert!(apart(&direct.model, &solved.models()[0]) < 1e-12);
    assert!(!solved.ill_conditioned());
    let norm = direct.certificate.figures().unwrap().residual_norm;
    assert!((solved.sums_of_squares()[0].sqrt() / norm - 1.0).abs() < 1e-11);
    assert!(matches!(LeastSquares::default().solve(&stream, 7), Err(Error::Length { .. })));
    assert!(matches!(LeastSquares::default().solve(&stream, 0), Err(Error::Empty { .. })));
    assert!(matches!(LeastSquares::default().solve(&Moments::new(3).unwrap(), 1), Err(Error::Empty { .. })));
    // A column twice: flagged, and its weight is shared.
    let doubled: Vec<Vec<f64>> =
        (0..4000).map(|row| [examples.slice(row), &examples.slice(row)[..1]].concat()).collect();
    let moments = Moments::of(&Dense::from_rows(&doubled).unwrap(), &[targets.values()], None).unwrap();
    let solved = LeastSquares::default().solve(&moments, 1).unwrap();
    assert!(solved.ill_conditioned() && solved.diagnosis().rank == 7);
    let w = solved.models()[0].weights();
    assert!((w[0] - w[6]).abs() < 1e-9 && (w[0] + w[6] - direct.model.weights()[0]).abs() < 1e-9);
}

#[test]
fn leverages_are_those_of_fits_without_the_example() {
    for (n, d, bias) in [(12, 2, true), (12, 2, false), (2600, 40, true)] {
        let (examples, targets) = regression(17, n, d);
        let learner = LeastSquares::default().with_bias(bias);
        let counts: Vec<f64> = (0..n).map(|row| [1.0, 3.0, 0.5, 0.0][row % 4]).collect();
        let weights = Weights::new(counts.clone()).unwrap();
        let set = TrainingSet::new(&examples, &targets).unwrap().with_weights(&weights).unwrap();
        let influence = learner.influence(&set, &Control::default()).unwrap();
        let trace: f64 = influence.leverages().iter().zip(&counts).map(|(h, w)| h * w).sum();
        assert!((trace - (d + usize::from(bias)) as f64).abs() < 1e-9, "{trace}");
        let mut press = 0.0;
        for row in 0..n {
            let error = influence.left_out_errors()[row].unwrap();
            press += counts[row] * error * error;
            if row < 8 {
                let mut fewer = counts.clone();
                fewer[row] -= fewer[row].min(1.0);
                let fewer = Weights::new(fewer).unwrap();
                let rest = TrainingSet::new(&examples, &targets).unwrap().with_weights(&fewer).unwrap();
                let model = learner.fit_with(&rest, &Control::default()).unwrap().model;
                let direct = targets.values()[row] - model.decision(examples.slice(row)).unwrap();
                assert!(
                    (direct - error).abs() < 1e-10 * (1.0 + direct.abs()),
                    "n = {n}, row {row}: {direct}, {error}"
                );
            }
        }
        assert!((influence.press().unwrap() / press - 1.0).abs() < 1e-12);
    }
    // Two points determine a line: without one of them there is none.
    let (examples, targets) = regression(19, 2, 1);
    let set = TrainingSet::new(&examples, &targets).unwrap();
    let influence = LeastSquares::default().influence(&set, &Control::default()).unwrap();
    assert_eq!(influence.press(), None);
    assert!(influence.leverages().iter().all(|h| (h - 1.0).abs() < 1e-12));
}

#[test]
fn standard_errors_of_large_data_agree_with_those_of_small_weighted_data() {
    let (few, targets) = regression(23, 120, 30);
    let rows: Vec<usize> = (0..120).flat_map(|row| std::iter::repeat_n(row, 1000)).collect();
    let many: Vec<Vec<f64>> = rows.iter().map(|&row| few.slice(row).to_vec()).collect();
    let many = Dense::from_rows(&many).unwrap();
    let long = Targets::new(rows.iter().map(|&row| targets.values()[row]).collect()).unwrap();
    let weights = Weights::new(vec![1000.0; 120]).unwrap();
    let (a, b) = (TrainingSet::new(&few, &targets).unwrap(), TrainingSet::new(&many, &long).unwrap());
    let a = a.with_weights(&weights).unwrap();
    let summarise = |set: &TrainingSet<'_, Dense<'_>, Targets>| {
        LeastSquares::default().summarised(set, &Control::default()).unwrap().1
    };
    let (small, large) = (summarise(&a), summarise(&b));
    assert_eq!(small.degrees_of_freedom(), large.degrees_of_freedom());
    let close = |a: f64, b: f64, what: &str| assert!((a / b - 1.0).abs() < 1e-11, "{what}: {a:e}, {b:e}");
    close(small.residual_deviation().unwrap(), large.residual_deviation().unwrap(), "deviation");
    close(small.r_squared().unwrap(), large.r_squared().unwrap(), "R²");
    close(small.bias_error().unwrap(), large.bias_error().unwrap(), "bias");
    for (a, b) in small.weight_errors().unwrap().iter().zip(large.weight_errors().unwrap()) {
        close(*a, *b, "weight");
    }
}

#[test]
fn forgeries_are_found_out_and_other_data_refused() {
    for (n, d) in [(20, 2), (8000, 15)] {
        let (examples, targets) = regression(29, n, d);
        let honest = fit(&examples, &targets).certificate;
        let set = TrainingSet::new(&examples, &targets).unwrap();
        assert!(honest.verify(&set).unwrap().is_valid());
        let (_, other) = regression(30, n, d);
        assert!(!honest.verify(&TrainingSet::new(&examples, &other).unwrap()).unwrap().is_valid());
        let mut nudged = targets.values().to_vec();
        nudged[3] += 1e-9;
        let nudged = Targets::new(nudged).unwrap();
        assert!(!honest.verify(&TrainingSet::new(&examples, &nudged).unwrap()).unwrap().is_valid());
        let (shorter, _) = regression(29, n, d - 1);
        assert!(honest.verify(&TrainingSet::new(&shorter, &targets).unwrap()).is_err());
    }
}

#[test]
fn stopped_fits_are_honest_and_settings_named() {
    let (examples, targets) = regression(31, 8000, 15);
    let set = TrainingSet::new(&examples, &targets).unwrap();
    let control = Control::new(Budget::default().with_iterations(1));
    let stopped = LeastSquares::default().fit_with(&set, &control).unwrap();
    assert_eq!((stopped.report.stop, stopped.report.iterations), (Stop::Iterations, 1));
    let figures = stopped.certificate.figures().unwrap();
    assert!(figures.backward_error > f64::EPSILON / 64.0 && figures.backward_error < 1e-10, "{figures:?}");
    assert!(stopped.certificate.verify(&set).unwrap().is_valid());
    let control = Control::new(Budget::default().with_memory(1000));
    assert!(matches!(LeastSquares::default().fit_with(&set, &control), Err(Error::Memory { .. })));
    for bad in [-0.1, 1.0, f64::NAN] {
        let refused = LeastSquares::default().with_tolerance(bad).fit(&examples, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "tolerance", .. })));
    }
}

#[test]
fn sparse_storage_is_read_as_it_is() {
    let mut random = SplitMix64::new(37);
    let rows: Vec<Vec<f64>> = (0..7000)
        .map(|_| {
            (0..20).map(|_| if random.below(4) == 0 { random.uniform(-2.0, 2.0) } else { 0.0 }).collect()
        })
        .collect();
    let dense = Dense::from_rows(&rows).unwrap();
    let targets =
        Targets::new(rows.iter().map(|row| row[0] - row[7] + random.uniform(-1.0, 1.0)).collect()).unwrap();
    let sparse = Csr::from_rows(&dense).unwrap();
    let a = fit(&dense, &targets);
    let b = LeastSquares::default().fit(&sparse, &targets).unwrap().converged().unwrap();
    assert_eq!(a.model, b.model);
}

#[test]
fn a_run_that_is_cancelled_between_blocks_returns_what_it_has() {
    // More than two blocks of moments: after the first the token is seen.
    let (n, d) = (130_000, 130);
    let mut random = SplitMix64::new(41);
    let values: Vec<f64> = (0..n * d).map(|_| random.uniform(-1.0, 1.0)).collect();
    let targets = (0..n).map(|row| 3.0 + values[row * d] + random.uniform(-0.1, 0.1)).collect();
    let (examples, targets) = (Dense::new(values, n, d).unwrap(), Targets::new(targets).unwrap());
    let set = TrainingSet::new(&examples, &targets).unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let fit = LeastSquares::default().fit_with(&set, &Control::default().with_cancel(&cancel)).unwrap();
    assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Cancelled, 0));
    // The first block alone says a good deal, and nothing is claimed of the rest.
    assert!((fit.model.weights()[0] - 1.0).abs() < 0.01 && (fit.model.bias() - 3.0).abs() < 0.01);
    assert_eq!(fit.certificate.figures(), None);
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    let whole = fit_of(&set);
    assert!(whole.certificate.verify(&set).unwrap().is_valid());
    assert!(apart(&whole.model, &fit.model) < 0.01);
}

fn fit_of(set: &TrainingSet<'_, Dense<'_>, Targets>) -> Fit<Linear, LinearSystemCertificate> {
    LeastSquares::default().fit_with(set, &Control::default()).unwrap().converged().unwrap()
}

/// The route of large problems sums over the rows on several threads: moments first, then a sweep for the digits.
#[test]
fn large_problems_have_the_same_bits_on_any_number_of_threads() {
    let (examples, targets) = regression(17, 40_000, 9);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&examples, &targets))
    };
    let one = on(1);
    assert_eq!(one.certificate.diagnosis().route, Route::SemiNormal);
    for threads in [2, 3, 8] {
        let many = on(threads);
        assert_eq!(
            (many.model, many.certificate),
            (one.model.clone(), one.certificate.clone()),
            "{threads} threads"
        );
    }
}
