//! Ridge regression: primal and dual, one penalty and many, against least squares and against leaving out.

use lm_closed::{Criterion, Form, LeastSquares, Moments, Ridge, RidgePath, Route};
use lm_core::testing::SplitMix64;
use lm_core::{
    Certificate, Control, Dense, Error, Hypothesis, Learner, Linear, Targets, TrainingSet, Weights,
};

fn regression(seed: u64, n: usize, d: usize) -> (Dense<'static>, Targets) {
    let mut random = SplitMix64::new(seed);
    let rows: Vec<Vec<f64>> =
        (0..n).map(|_| (0..d).map(|k| random.uniform(-1.0, 1.0) + (k % 3) as f64).collect()).collect();
    let targets = rows.iter().map(|row| row.iter().sum::<f64>() - 2.0 * row[0] + random.uniform(-1.0, 1.0));
    let targets = Targets::new(targets.collect()).unwrap();
    (Dense::from_rows(&rows).unwrap(), targets)
}

fn apart(a: &Linear, b: &Linear) -> f64 {
    let size = a.weights().iter().fold(a.bias().abs(), |most, w| most.max(w.abs()));
    let weights = a.weights().iter().zip(b.weights()).map(|(a, b)| (a - b).abs());
    weights.fold((a.bias() - b.bias()).abs(), f64::max) / size
}

#[test]
fn primal_and_dual_give_the_same_function() {
    for (seed, (n, d)) in [(30, 4), (12, 12), (10, 40), (1, 3), (300, 350)].into_iter().enumerate() {
        let (examples, targets) = regression(seed as u64, n, d);
        let weights = Weights::new((0..n).map(|row| [1.0, 2.0, 0.25][row % 3]).collect()).unwrap();
        let set = TrainingSet::new(&examples, &targets).unwrap().with_weights(&weights).unwrap();
        for penalty in [1e-6, 1e-2, 1.0, 1e4] {
            for bias in [true, false] {
                let ridge = Ridge::default().with_penalty(penalty).with_bias(bias);
                let run = |form| {
                    let fit = ridge.with_form(form).fit_with(&set, &Control::default()).unwrap();
                    let fit = fit.converged().unwrap();
                    assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{n} × {d}, λ = {penalty}");
                    fit
                };
                let (primal, dual) = (run(Form::Primal), run(Form::Dual));
                assert_ne!(primal.certificate.diagnosis().route, Route::Dual);
                assert_eq!(dual.certificate.diagnosis().route, Route::Dual);
                let off = apart(&primal.model, &dual.model);
                assert!(off <= 2.0 * f64::EPSILON, "{n} × {d}, λ = {penalty}, bias {bias}: {off:e}");
                // The bound of strong convexity covers the difference of both.
                let bound =
                    primal.certificate.distance_bound().unwrap() + dual.certificate.distance_bound().unwrap();
                let distance = primal.model.minus(&dual.model).unwrap().norm();
                assert!(distance <= bound, "{distance:e} > {bound:e}");
            }
        }
    }
}

#[test]
fn large_data_are_solved_by_moments_to_the_same_digits() {
    let (examples, targets) = regression(41, 9000, 18);
    let set = TrainingSet::new(&examples, &targets).unwrap();
    for penalty in [0.0, 1e-3, 50.0] {
        let ridge = Ridge::default().with_penalty(penalty);
        let large = ridge.fit(&examples, &targets).unwrap().converged().unwrap();
        assert_eq!(large.certificate.diagnosis().route, Route::SemiNormal);
        assert!(large.certificate.verify(&set).unwrap().is_valid(), "λ = {penalty}");
        // Pairs of rows merged into one of weight 2 do not change a problem of repeated rows.
        let moments = Moments::of(&examples, &[targets.values()], None).unwrap();
        let streamed = ridge.solve(&moments, 1).unwrap();
        assert!(apart(&large.model, &streamed.models()[0]) < 1e-12);
        if penalty == 0.0 {
            assert_eq!(large.model, LeastSquares::default().fit(&examples, &targets).unwrap().model);
            assert_eq!(large.certificate.distance_bound(), None);
        } else {
            assert!(
                large.certificate.distance_bound().unwrap() < 1e-9 / penalty,
                "{:?}",
                large.certificate.distance_bound()
            );
        }
    }
}

#[test]
fn a_penalty_lost_in_rounding_is_the_limit_of_least_norm() {
    let (examples, targets) = regression(43, 20, 2);
    let rows: Vec<Vec<f64>> =
        (0..20).map(|row| [examples.slice(row), &examples.slice(row)[..1]].concat()).collect();
    let doubled = Dense::from_rows(&rows).unwrap();
    let least = LeastSquares::default().fit(&doubled, &targets).unwrap().model;
    for penalty in [1e-10, 1e-30, 1e-300] {
        let fit = Ridge::default().with_penalty(penalty).fit(&doubled, &targets).unwrap();
        assert!(apart(&least, &fit.model) < 1e-8, "λ = {penalty}: {:?}, {least:?}", fit.model);
    }
}

#[test]
fn a_path_is_the_single_fits_and_its_errors_are_those_of_leaving_out() {
    for (n, d, bias) in [(20, 3, true), (20, 3, false), (8, 15, true), (700, 5, true)] {
        let (examples, targets) = regression(47, n, d);
        let counts: Vec<f64> = (0..n).map(|row| [1.0, 2.0, 0.0, 1.0][row % 4]).collect();
        let weights = Weights::new(counts.clone()).unwrap();
        let set = TrainingSet::new(&examples, &targets).unwrap().with_weights(&weights).unwrap();
        let penalties = vec![1e-3, 0.3, 20.0];
        let path = RidgePath::default().with_penalties(penalties.clone()).with_bias(bias);
        let path = path.path(&set, &Control::default()).unwrap();
        for (point, &penalty) in path.points().iter().zip(&penalties) {
            let ridge = Ridge::default().with_penalty(penalty).with_bias(bias);
            let model = ridge.fit_with(&set, &Control::default()).unwrap().model;
            assert!(apart(&model, &path.model(penalty).unwrap()) < 1e-10, "{n} × {d}, λ = {penalty}");
            let residuals = |model: &Linear| -> Vec<f64> {
                let values = model.decision_values(&examples).unwrap();
                targets.values().iter().zip(values).map(|(t, f)| t - f).collect()
            };
            let squares: f64 = residuals(&model).iter().zip(&counts).map(|(r, w)| w * r * r).sum();
            assert!((point.sum_of_squares / squares - 1.0).abs() < 1e-8, "{n} × {d}, λ = {penalty}");
            if n <= 20 {
                let mut errors = 0.0;
                for row in (0..n).filter(|&row| counts[row] > 0.0) {
                    let mut fewer = counts.clone();
                    fewer[row] -= 1.0;
                    let fewer = Weights::new(fewer).unwrap();
                    let rest = TrainingSet::new(&examples, &targets).unwrap().with_weights(&fewer).unwrap();
                    let model = ridge.fit_with(&rest, &Control::default()).unwrap().model;
                    errors += counts[row] * residuals(&model)[row].powi(2);
                }
                let mean = errors / weights.total();
                let found = point.leave_one_out.unwrap();
                assert!((found / mean - 1.0).abs() < 1e-8, "{n} × {d}, λ = {penalty}: {found}, {mean}");
            }
            let rest = 1.0 - point.freedom / weights.total();
            let gcv = squares / weights.total() / (rest * rest);
            assert!((point.generalised.unwrap() / gcv - 1.0).abs() < 1e-8);
        }
    }
}

#[test]
fn the_chosen_penalty_is_the_best_of_the_list() {
    let (examples, targets) = regression(53, 40, 25);
    let set = TrainingSet::new(&examples, &targets).unwrap();
    for criterion in [Criterion::LeaveOneOut, Criterion::Generalised] {
        let learner = RidgePath::default().with_criterion(criterion);
        let path = learner.path(&set, &Control::default()).unwrap();
        assert_eq!(path.points().len(), 25);
        let chosen = path.points()[path.chosen()];
        let cost = |at: usize| match criterion {
            Criterion::LeaveOneOut => path.points()[at].leave_one_out.unwrap(),
            Criterion::Generalised => path.points()[at].generalised.unwrap(),
        };
        assert!((0..25).all(|at| cost(at) >= cost(path.chosen())));
        // Noise of the size of the signal: some penalty is better than almost none, and than almost all.
        assert!(path.chosen() > 0 && path.chosen() < 24, "{chosen:?}");
        let fit = learner.fit(&examples, &targets).unwrap().converged().unwrap();
        assert_eq!(fit.certificate.penalty(), chosen.penalty);
        assert!(apart(&fit.model, &path.model(chosen.penalty).unwrap()) < 1e-10);
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
    }
}

#[test]
fn settings_outside_their_domain_are_named() {
    let (examples, targets) = regression(59, 5, 2);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = Ridge::default().with_penalty(bad).fit(&examples, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "penalty", .. })));
        let refused = RidgePath::default().with_penalties(vec![1.0, bad]).fit(&examples, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "penalty", .. })));
    }
    let refused = RidgePath::default().with_penalties(vec![]).fit(&examples, &targets);
    assert!(matches!(refused, Err(Error::Empty { .. })));
}
