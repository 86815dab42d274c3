//! Gaussian processes: references to thirteen digits, equalities, evidence, and the conformance suite.

use std::time::Duration;

use lm_closed::{GaussianCovariance, GaussianProcess, GramProcess, KernelRidge, MaximumEvidence};
use lm_core::testing::conformance::{Check, Suite, assert_conforms};
use lm_core::{
    Budget, Certificate, Control, Dense, Error, Hypothesis, Learner, Stop, Targets, TrainingSet, VectorGram,
    VectorKernel, Weights, persist,
};

use crate::samples::{apart, dyadic, wavy};

fn sine() -> (Dense<'static>, Targets) {
    let inputs = Dense::new((0..5).map(f64::from).collect(), 5, 1).unwrap();
    (inputs, Targets::new((0..5).map(|x| f64::from(x).sin()).collect()).unwrap())
}

#[track_caller]
fn close(found: f64, reference: f64, digits: i32) {
    let off = (found - reference).abs() / reference.abs();
    assert!(off < 10.0_f64.powi(-digits), "{found} instead of {reference}: off by {off:e}");
}

#[test]
fn the_sine_has_thirteen_digits() {
    // `data/kernel_references.py`: mpmath 1.3.0 with 60 digits.
    let (inputs, targets) = sine();
    let process = GaussianProcess::new(GaussianCovariance::default().with_noise_variance(0.01));
    let set = TrainingSet::new(&inputs, &targets).unwrap();
    let fit = process.fit(&inputs, &targets).unwrap().converged().unwrap();
    let found = fit.model.predict(&Dense::new(vec![1.5], 1, 1).unwrap()).unwrap();
    close(fit.certificate.log_evidence().unwrap(), -4.469_188_646_719_919, 13);
    close(process.evidence(&set, &Control::default()).unwrap().value, -4.469_188_646_719_919, 13);
    close(found.means()[0], 1.001_990_419_167_184, 13);
    close(found.variances()[0], 0.016_046_748_916_698_506, 13);
    close(found.observed_variances()[0], 0.026_046_748_916_698_506, 13);
    assert_eq!(fit.certificate.jitter(), 0.0);
}

fn dyadic_process() -> GaussianProcess {
    let covariance = GaussianCovariance::default()
        .with_signal_variance(2.25)
        .with_lengths(vec![0.75, 2.5, 2.0])
        .with_noise_variance(0.0625);
    GaussianProcess::new(covariance)
}

#[test]
fn a_length_for_each_column_has_the_digits_of_the_reference() {
    // `data/kernel_references.py`: mpmath 1.3.0 with 60 digits.
    let (inputs, targets) = dyadic();
    let set = TrainingSet::new(&inputs, &targets).unwrap();
    let process = dyadic_process();
    let fit = process.fit(&inputs, &targets).unwrap().converged().unwrap();
    let at = Dense::from_rows(&[[0.5, 1.0, 1.0], [3.0, 0.0, 4.0]]).unwrap();
    let found = fit.model.predict(&at).unwrap();
    close(found.means()[0], -0.386_824_683_981_787_3, 12);
    close(found.means()[1], 0.240_188_146_491_840_27, 12);
    close(found.variances()[0], 0.063_596_289_372_651, 12);
    close(found.variances()[1], 2.090_645_497_425_440_4, 13);
    let evidence = process.evidence(&set, &Control::default()).unwrap();
    close(evidence.value, -11.983_649_198_933_24, 13);
    close(evidence.gradient.signal, -4.515_863_598_501_107, 12);
    close(evidence.gradient.lengths[0], 4.781_309_044_628_991, 12);
    close(evidence.gradient.lengths[1], 2.163_517_488_472_447, 12);
    close(evidence.gradient.lengths[2], 2.355_678_995_180_809, 12);
    close(evidence.gradient.noise, -0.636_826_083_413_272_8, 12);
    let left_out = process.leave_one_out(&set, &Control::default()).unwrap();
    close(left_out.means[3], -0.340_226_589_403_387, 12);
    close(left_out.variances[3], 0.394_676_406_949_802_9, 12);
}

#[test]
fn the_mean_is_kernel_ridge_and_so_is_the_process_over_the_matrix() {
    for (seed, noise) in [(1, 0.3), (2, 1e-3)] {
        let (inputs, targets) = wavy(120, 3, seed);
        let gram = VectorGram::new(&inputs, VectorKernel::gaussian(0.5).unwrap()).unwrap();
        let ridge = KernelRidge::default().with_penalty(noise).with_gap(1e-24).fit(&gram, &targets).unwrap();
        let covariance = GaussianCovariance::default().with_noise_variance(noise);
        let process = GaussianProcess::new(covariance).fit(&inputs, &targets).unwrap();
        let over = GramProcess::default().with_noise_variance(noise).fit(&gram, &targets).unwrap();
        let values = ridge.model.decision_values(&gram).unwrap();
        assert!(apart(&values, &process.model.decision_values(&inputs).unwrap()) < 1e-10);
        assert!(apart(&values, &over.model.decision_values(&gram).unwrap()) < 1e-10);
        let variances = process.model.predict(&inputs).unwrap();
        let mut row = vec![0.0; 120];
        for at in [0, 57] {
            lm_core::Gram::fill(&gram, &[at], lm_core::Columns::All, &mut row).unwrap();
            assert!((over.model.variance(&row, 1.0).unwrap() - variances.variances()[at]).abs() < 1e-10);
            assert!((over.model.mean(&row).unwrap() - values[at]).abs() < 1e-10);
        }
    }
}

#[test]
fn derivatives_are_those_of_the_evidence() {
    let (inputs, targets) = wavy(150, 2, 3);
    let weights = Weights::new((0..150).map(|row| 0.5 + f64::from(row % 3)).collect()).unwrap();
    let set = TrainingSet::new(&inputs, &targets).unwrap().with_weights(&weights).unwrap();
    let at = |p: [f64; 4], one: bool| {
        let c =
            GaussianCovariance::default().with_signal_variance(p[0].exp()).with_noise_variance(p[3].exp());
        let c = if one { c.with_length(p[1].exp()) } else { c.with_lengths(vec![p[1].exp(), p[2].exp()]) };
        GaussianProcess::new(c).with_centring(true).evidence(&set, &Control::default()).unwrap()
    };
    for one in [false, true] {
        let p = [0.3, -0.2, 0.4, -2.0];
        let gradient = at(p, one).gradient;
        let mut derivatives = vec![gradient.signal];
        derivatives.extend(&gradient.lengths);
        if one {
            derivatives.push(0.0);
        }
        derivatives.push(gradient.noise);
        for k in 0..4 {
            let step = 1e-5;
            let (mut up, mut down) = (p, p);
            up[k] += step;
            down[k] -= step;
            let quotient = (at(up, one).value - at(down, one).value) / (2.0 * step);
            assert!((derivatives[k] - quotient).abs() < 1e-5 * (1.0 + quotient.abs()), "{k} {one}");
        }
    }
}

#[test]
fn a_weight_is_repetition_for_the_evidence_too() {
    let (inputs, targets) = wavy(12, 2, 4);
    let count = |row: usize| 1 + row % 3;
    let copies: Vec<usize> = (0..12).flat_map(|row| std::iter::repeat_n(row, count(row))).collect();
    let rows: Vec<&[f64]> = copies.iter().map(|&row| inputs.slice(row)).collect();
    let repeated = Dense::from_rows(&rows).unwrap();
    let repeated_targets = Targets::new(copies.iter().map(|&row| targets.values()[row]).collect()).unwrap();
    let weights = Weights::new((0..12).map(|row| count(row) as f64).collect()).unwrap();
    let process = GaussianProcess::new(GaussianCovariance::default().with_noise_variance(0.2));
    let weighted = TrainingSet::new(&inputs, &targets).unwrap().with_weights(&weights).unwrap();
    let copied = TrainingSet::new(&repeated, &repeated_targets).unwrap();
    let a = process.evidence(&weighted, &Control::default()).unwrap();
    let b = process.evidence(&copied, &Control::default()).unwrap();
    assert!((a.value - b.value).abs() < 1e-10 * b.value.abs());
    assert!((a.gradient.noise - b.gradient.noise).abs() < 1e-9);
    assert!((a.gradient.signal - b.gradient.signal).abs() < 1e-9);
    assert!(apart(&a.gradient.lengths, &b.gradient.lengths) < 1e-9);
}

#[test]
fn leaving_out_an_observation_is_predicting_it_from_the_others() {
    let (inputs, targets) = wavy(20, 2, 5);
    let process = dyadic_process();
    let process = GaussianProcess::new(process.covariance().clone().with_lengths(vec![0.8, 1.5]));
    let set = TrainingSet::new(&inputs, &targets).unwrap();
    let found = process.leave_one_out(&set, &Control::default()).unwrap();
    for row in 0..20 {
        let others: Vec<f64> = (0..20).map(|other| f64::from(u8::from(other != row))).collect();
        let others = Weights::new(others).unwrap();
        let rest = set.with_weights(&others).unwrap();
        let fit = process.fit_with(&rest, &Control::default()).unwrap();
        let at = fit.model.predict(&Dense::single(inputs.slice(row)).unwrap()).unwrap();
        assert!((at.means()[0] - found.means[row]).abs() < 1e-10);
        assert!((at.observed_variances()[0] - found.variances[row]).abs() < 1e-10);
        let error = targets.values()[row] - found.means[row];
        let density = -0.5
            * (error * error / found.variances[row]
                + (2.0 * std::f64::consts::PI * found.variances[row]).ln());
        assert!((density - found.log_densities[row]).abs() < 1e-10);
    }
}

#[test]
fn the_evidence_finds_the_column_that_matters_and_the_noise() {
    // A function of the first of three columns, with noise of variance 0.01.
    let mut random = lm_core::testing::SplitMix64::new(8);
    let rows: Vec<[f64; 3]> = (0..120).map(|_| [0; 3].map(|_| random.uniform(-2.0, 2.0))).collect();
    // Twelve uniform numbers add up to nearly a normal one of variance 12·(0.2)²/12.
    let noise = |random: &mut lm_core::testing::SplitMix64| -> f64 {
        (0..12).map(|_| random.uniform(-0.05, 0.05)).sum::<f64>()
    };
    let targets = rows.iter().map(|row| (2.0 * row[0]).sin() + noise(&mut random)).collect();
    let (inputs, targets) = (Dense::from_rows(&rows).unwrap(), Targets::new(targets).unwrap());
    let set = TrainingSet::new(&inputs, &targets).unwrap();
    let fit = MaximumEvidence::default().with_each_length(true).fit(&inputs, &targets).unwrap();
    let fit = fit.converged().unwrap();
    let lengths = fit.model.covariance().lengths().values();
    assert!(
        lengths[0] < 2.0 && lengths[1] > 10.0 * lengths[0] && lengths[2] > 10.0 * lengths[0],
        "{lengths:?}"
    );
    // 12·(0.1)²/12 = 0.01.
    let noise = fit.model.covariance().noise_variance();
    assert!(noise > 0.006 && noise < 0.015, "{noise}");
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    assert_eq!(fit.certificate.starts().len(), 3);
    let best = fit.certificate.log_evidence();
    close(fit.certificate.process().log_evidence().unwrap(), best, 9);
    // No better neighbour: the derivatives at the best start are small.
    let evidence = GaussianProcess::new(fit.model.covariance().clone()).evidence(&set, &Control::default());
    let gradient = evidence.unwrap().gradient;
    assert!(gradient.signal.abs() < 1e-3 && gradient.noise.abs() < 1e-3 && gradient.lengths[0].abs() < 1e-3);
}

#[test]
fn a_search_that_is_stopped_keeps_the_best_parameters_so_far() {
    let (inputs, targets) = wavy(40, 2, 6);
    let set = TrainingSet::new(&inputs, &targets).unwrap();
    let search = MaximumEvidence::default();
    let few = search.fit_with(&set, &Control::new(Budget::default().with_iterations(4))).unwrap();
    assert_eq!((few.report.stop, few.report.iterations), (Stop::Iterations, 4));
    assert_eq!(few.certificate.starts().len(), 1);
    let all = search.fit(&inputs, &targets).unwrap();
    assert!(all.certificate.log_evidence() > few.certificate.log_evidence());
    let none = search.fit_with(&set, &Control::new(Budget::default().with_time(Duration::ZERO))).unwrap();
    assert_eq!(none.report.stop, Stop::Time);
    assert!(none.model.decision_values(&inputs).unwrap().iter().all(|value| value.is_finite()));
}

#[test]
fn duplicates_without_noise_get_jitter_that_is_reported() {
    let inputs = Dense::new(vec![0.0, 0.0, 0.0, 1.0, 1.0, 2.0], 6, 1).unwrap();
    let targets = Targets::new(vec![1.0, 1.0, 1.0, 2.0, 2.0, 0.0]).unwrap();
    let process = GaussianProcess::new(GaussianCovariance::default().with_noise_variance(1e-19));
    let fit = process.fit(&inputs, &targets).unwrap();
    assert!(fit.certificate.jitter() > 0.0);
    assert!(fit.certificate.condition().unwrap() > 1e13);
    let found = fit.model.predict(&Dense::new(vec![0.0, 1.0], 2, 1).unwrap()).unwrap();
    assert!((found.means()[0] - 1.0).abs() < 1e-6 && (found.means()[1] - 2.0).abs() < 1e-6);
    assert!(found.variances().iter().all(|variance| (0.0..1e-6).contains(variance)));
}

#[test]
fn without_room_for_the_matrix_there_is_a_mean_with_its_residual_and_no_variance() {
    let (inputs, targets) = wavy(1000, 2, 7);
    let set = TrainingSet::new(&inputs, &targets).unwrap();
    let process = GaussianProcess::new(GaussianCovariance::default().with_noise_variance(0.05));
    let budget = Budget::default().with_memory(1 << 20);
    let fit = process.fit_with(&set, &Control::new(budget)).unwrap().converged().unwrap();
    assert_eq!((fit.certificate.log_evidence(), fit.certificate.condition()), (None, None));
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    assert!(matches!(fit.model.predict_within(&inputs, &budget), Err(Error::Memory { .. })));
    let whole = process.fit(&inputs, &targets).unwrap();
    let (a, b) = (fit.model.decision_values(&inputs).unwrap(), whole.model.decision_values(&inputs).unwrap());
    assert!(apart(&a, &b) < 1e-6);
    assert!(matches!(process.evidence(&set, &Control::new(budget)), Err(Error::Memory { .. })));
}

#[test]
fn a_decoded_model_has_the_same_variances_bit_for_bit() {
    let (inputs, targets) = wavy(60, 3, 9);
    let covariance = GaussianCovariance::default().with_lengths(vec![0.5, 1.0, 2.0]);
    let fit = GaussianProcess::new(covariance).with_centring(true).fit(&inputs, &targets).unwrap();
    let bytes = persist::encode(&fit.model).unwrap();
    let decoded: lm_closed::GaussianProcessModel = persist::decode(&bytes).unwrap();
    assert_eq!(decoded, fit.model);
    assert_eq!(decoded.predict(&inputs).unwrap(), fit.model.predict(&inputs).unwrap());
}

#[test]
fn a_file_that_contradicts_itself_is_refused() {
    let (inputs, targets) = wavy(6, 2, 10);
    let covariance = GaussianCovariance::default().with_lengths(vec![0.5, 1.0]);
    let fit = GaussianProcess::new(covariance).fit(&inputs, &targets).unwrap();
    let good = serde_json::to_value(&fit.model).unwrap();
    assert!(serde_json::from_value::<lm_closed::GaussianProcessModel>(good.clone()).is_ok());
    let mut changes: Vec<(&str, serde_json::Value)> = vec![("shift", serde_json::json!([0.0]))];
    changes.push(("ridge", serde_json::json!([1.0, 1.0])));
    changes.push(("ridge", serde_json::json!([1.0, 1.0, 1.0, 1.0, 1.0, -1.0])));
    for (field, value) in changes {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(serde_json::from_value::<lm_closed::GaussianProcessModel>(bad).is_err(), "{field}");
    }
    let mut bad = good.clone();
    bad["covariance"]["noise"] = serde_json::json!(-1.0);
    assert!(serde_json::from_value::<lm_closed::GaussianProcessModel>(bad).is_err());
    let mut bad = good;
    bad["covariance"]["lengths"] = serde_json::json!({"Each": [1.0]});
    assert!(serde_json::from_value::<lm_closed::GaussianProcessModel>(bad).is_err());
}

#[test]
fn settings_outside_their_domain_are_named() {
    let (inputs, targets) = sine();
    let with = |covariance: GaussianCovariance| GaussianProcess::new(covariance).fit(&inputs, &targets);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let prior = GaussianCovariance::default;
        assert!(matches!(with(prior().with_length(bad)), Err(Error::Setting { name: "length", .. })));
        assert!(matches!(
            with(prior().with_noise_variance(bad)),
            Err(Error::Setting { name: "noise variance", .. })
        ));
        assert!(matches!(
            with(prior().with_signal_variance(bad)),
            Err(Error::Setting { name: "signal variance", .. })
        ));
        let refused = GramProcess::default().with_noise_variance(bad);
        let gram = VectorGram::new(&inputs, VectorKernel::linear()).unwrap();
        assert!(matches!(refused.fit(&gram, &targets), Err(Error::Setting { .. })));
    }
    let two = with(GaussianCovariance::default().with_lengths(vec![1.0, 2.0]));
    assert!(matches!(two, Err(Error::Length { expected: 1, found: 2, .. })));
    for bad in [
        MaximumEvidence::default().with_starts(0),
        MaximumEvidence::default().with_tolerance(f64::NAN),
        MaximumEvidence::default().with_length_range(2.0, 1.0),
        MaximumEvidence::default().with_length_range(1.0, f64::INFINITY),
        MaximumEvidence::default().with_least_noise(0.0),
    ] {
        assert!(matches!(bad.fit(&inputs, &targets), Err(Error::Setting { .. })));
    }
}

#[test]
fn gaussian_processes_conform() {
    let one = GaussianCovariance::default().with_length(1.5).with_noise_variance(0.1);
    for centred in [false, true] {
        let process = GaussianProcess::new(one.clone()).with_centring(centred);
        assert_conforms(&Suite::regression(&process).persistent().certified());
    }
}

#[test]
fn the_search_conforms() {
    // The end of a search moves with the rounding of its data.
    let search = MaximumEvidence::default().with_starts(1).with_least_noise(1e-4);
    let suite = Suite::regression(&search).persistent().certified().with_tolerance(1e-3);
    // The data of that check are many for a search: fewer are below.
    assert_conforms(&suite.without(Check::Threads));
}

#[test]
fn a_search_has_the_same_bits_on_any_number_of_threads() {
    let (inputs, targets) = wavy(250, 3, 11);
    let search = MaximumEvidence::default().with_starts(1).with_each_length(true);
    let models: Vec<_> = [1, 2, 3, 8]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| search.fit(&inputs, &targets).unwrap().model)
        })
        .collect();
    assert!(models.windows(2).all(|pair| pair[0] == pair[1]));
}
