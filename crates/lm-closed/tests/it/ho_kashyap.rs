//! Ho–Kashyap: verdicts that can be checked, and that agree with those of other procedures.

use lm_closed::{HoKashyap, HoKashyapRule, Separability};
use lm_core::testing::SplitMix64;
use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Dense, Error, Learner, Margins, Sign, Stop, TrainingSet,
    VectorGram, VectorKernel, Weights,
};
use lm_online::Perceptron;
use lm_qp::CSvc;

/// Points of a plane or more, labelled by a hyperplane and then with some labels changed.
fn random(len: usize, dim: usize, flipped: usize, seed: u64) -> (Dense<'static>, BinaryLabels) {
    let mut random = SplitMix64::new(seed);
    let w: Vec<f64> = (0..dim).map(|_| random.uniform(-1.0, 1.0)).collect();
    let rows: Vec<Vec<f64>> =
        (0..len).map(|_| (0..dim).map(|_| random.uniform(-3.0, 3.0)).collect()).collect();
    let mut signs: Vec<Sign> =
        rows.iter().map(|row| Sign::of(row.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() - 0.2)).collect();
    for _ in 0..flipped {
        let at = random.below(len);
        signs[at] = signs[at].flipped();
    }
    // Both classes must be there.
    if signs.iter().all(|sign| *sign == signs[0]) {
        signs[0] = signs[0].flipped();
    }
    (Dense::from_rows(&rows).unwrap(), BinaryLabels::new(signs).unwrap())
}

#[test]
fn verdicts_agree_with_the_perceptron_and_the_hard_margin() {
    let (mut separable, mut inseparable) = (0, 0);
    for seed in 0..120 {
        let (len, dim) = (4 + (seed as usize * 7) % 40, 1 + seed as usize % 5);
        let (examples, labels) = random(len, dim, seed as usize % 3, seed);
        let set = TrainingSet::new(&examples, &labels).unwrap();
        for rule in [HoKashyapRule::Exact, HoKashyapRule::Modified] {
            let fit = HoKashyap::default()
                .with_rule(rule)
                .with_iterations(100_000)
                .fit(&examples, &labels)
                .unwrap();
            assert!(fit.certificate.verify(&set).unwrap().is_valid(), "seed {seed}");
            let perceptron = Perceptron::default().with_passes(20_000).fit(&examples, &labels).unwrap();
            match &fit.certificate {
                Separability::Separable(separation) => {
                    separable += 1;
                    assert_eq!(fit.report.stop, Stop::Converged);
                    assert!(separation.margin > 0.0);
                    assert!(Margins::functional(&fit.model, &set).unwrap().minimum() > 0.0, "seed {seed}");
                }
                Separability::Inseparable(proof) => {
                    inseparable += 1;
                    assert_eq!(fit.report.stop, Stop::Infeasible);
                    assert!(proof.margin_at_most() < 1e-11, "seed {seed}: {:e}", proof.margin_at_most());
                    assert_ne!(perceptron.report.stop, Stop::Converged, "seed {seed}");
                    // A machine of great cost still puts an example on the wrong side.
                    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
                    let svc = CSvc::default().with_cost(1e3).with_gap(1e-3).fit(&gram, &labels).unwrap();
                    assert!(
                        Margins::functional(&svc.model, &set.over(&gram).unwrap()).unwrap().minimum() <= 1e-6
                    );
                }
                Separability::Undecided(_) => {
                    panic!("seed {seed}, {rule:?}: undecided after {:?}", fit.report)
                }
            }
            if perceptron.report.stop == Stop::Converged {
                assert!(matches!(fit.certificate, Separability::Separable(_)), "seed {seed}");
            }
        }
    }
    assert!(separable > 60 && inseparable > 60, "{separable} and {inseparable}");
}

#[test]
fn both_rules_take_the_same_steps() {
    let (examples, labels) = random(30, 3, 0, 40);
    for iterations in [1, 2, 5, 20, 70] {
        let control = Control::new(Budget::default().with_iterations(iterations));
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let fit = |rule| HoKashyap::default().with_rule(rule).fit_with(&set, &control).unwrap();
        let (exact, modified) = (fit(HoKashyapRule::Exact), fit(HoKashyapRule::Modified));
        assert_eq!(exact.report.iterations, modified.report.iterations);
        for (a, b) in exact.model.weights().iter().zip(modified.model.weights()) {
            assert!((a - b).abs() < 1e-10 * exact.model.norm());
        }
    }
}

#[test]
fn a_run_without_budget_is_undecided_and_says_so() {
    // A far example of its own class draws the line of least squares over to the other side.
    let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap();
    let examples = Dense::new(vec![0.0, 0.5, 1.0, 1000.0], 4, 1).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit =
        HoKashyap::default().fit_with(&set, &Control::new(Budget::default().with_iterations(1))).unwrap();
    assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Iterations, 1));
    let Separability::Undecided(undecided) = &fit.certificate else { panic!("{:?}", fit.certificate) };
    assert!(undecided.errors() > 0.0);
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    let other = BinaryLabels::from_integers(&[1, 1, -1, -1]).unwrap();
    assert!(!fit.certificate.verify(&TrainingSet::new(&examples, &other).unwrap()).unwrap().is_valid());
    let decided = HoKashyap::default().with_iterations(1_000_000).fit(&examples, &labels).unwrap();
    assert!(matches!(decided.certificate, Separability::Separable(_)), "{:?}", decided.report);
}

#[test]
fn touching_classes_and_repeated_points_are_proved_inseparable() {
    let cases: [(&[f64], &[i64]); 3] = [
        (&[0.0, 1.0, 1.0, 2.0], &[-1, -1, 1, 1]), // one point in both classes
        (&[0.0, 1.0, 2.0], &[1, -1, 1]),          // one between two others
        (&[5.0, 5.0, 5.0], &[1, -1, 1]),          // nothing but one point
    ];
    for (values, signs) in cases {
        let examples = Dense::new(values.to_vec(), values.len(), 1).unwrap();
        let labels = BinaryLabels::from_integers(signs).unwrap();
        let fit = HoKashyap::default().fit(&examples, &labels).unwrap();
        let Separability::Inseparable(proof) = &fit.certificate else {
            panic!("{values:?}: {:?}", fit.report)
        };
        assert!(proof.margin_at_most() < 1e-12);
    }
}

#[test]
fn an_absent_example_needs_no_side() {
    let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
    let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
    let weights = Weights::new(vec![0.0, 1.0, 1.0]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    let fit = HoKashyap::default().fit_with(&set, &Control::default()).unwrap();
    assert!(matches!(fit.certificate, Separability::Separable(_)));
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    let all = TrainingSet::new(&examples, &labels).unwrap();
    assert!(!fit.certificate.verify(&all).unwrap().is_valid());
}

#[test]
fn extreme_units_are_decided_too() {
    for scale in [1e300, 1e-300, 1e150] {
        let examples =
            Dense::new([0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0].map(|x| x * scale).to_vec(), 4, 2).unwrap();
        let labels = BinaryLabels::from_integers(&[1, 1, 1, -1]).unwrap();
        let fit = HoKashyap::default().fit(&examples, &labels).unwrap();
        assert!(matches!(fit.certificate, Separability::Separable(_)), "{scale:e}");
        let set = TrainingSet::new(&examples, &labels).unwrap();
        assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{scale:e}");
    }
}

#[test]
fn settings_outside_their_domain_are_named() {
    let (examples, labels) = random(10, 2, 0, 1);
    for rate in [0.0, 1.5, f64::NAN] {
        let refused = HoKashyap::default().with_rate(rate).fit(&examples, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "rate", .. })));
    }
    assert!(HoKashyap::default().with_iterations(0).fit(&examples, &labels).is_err());
    assert!(HoKashyap::default().with_tolerance(0.0).fit(&examples, &labels).is_err());
}
