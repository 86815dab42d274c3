//! The groups of a certificate, against where the examples lie.

use lm_core::{
    Control, Hypothesis, Learner, Selection, Targets, TrainingSet, VectorGram, VectorKernel, Weights,
};
use lm_data::generate::{sinc, two_moons};
use lm_qp::{CSvc, EpsilonSvr, NuSvc, Solver};

const NEAR: f64 = 1e-4;

fn solver() -> Solver {
    Solver::default().with_gap(1e-11)
}

#[test]
fn margins_are_above_at_and_below_one() {
    for seed in 0..6 {
        let data = two_moons(90, 0.3, seed).unwrap();
        let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(2.0).unwrap()).unwrap();
        // Some examples count twice, and some not at all.
        let weights = Weights::new((0..90).map(|row| f64::from(row % 7 % 3)).collect()).unwrap();
        let set = TrainingSet::new(&gram, &data.labels).unwrap().with_weights(&weights).unwrap();
        let check = |groups: lm_qp::Groups, values: Vec<f64>| {
            let margin = |&row: &usize| data.labels.values()[row] * values[row];
            let counts = |&&row: &&usize| weights.values()[row] > 0.0;
            assert!(groups.none().iter().filter(counts).all(|row| margin(row) > 1.0 - NEAR), "seed {seed}");
            assert!(groups.between().iter().all(|row| (margin(row) - 1.0).abs() < NEAR), "seed {seed}");
            assert!(groups.bound().iter().all(|row| margin(row) < 1.0 + NEAR), "seed {seed}");
            assert!(!groups.between().is_empty() && !groups.bound().is_empty(), "seed {seed}");
            // An example that does not count has no coefficient.
            let left_out = (0..90).filter(|&row| weights.values()[row] == 0.0).count();
            assert!(groups.none().len() >= left_out && groups.none().len() + groups.support() == 90);
        };
        let fit = CSvc::default().with_cost(2.0).with_solver(solver());
        let fit = fit.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        check(fit.certificate.groups(&set).unwrap(), fit.model.decision_values(&gram).unwrap());
        let fit = NuSvc::default().with_nu(0.4).with_solver(solver());
        let fit = fit.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        check(fit.certificate.groups(&set).unwrap(), fit.model.decision_values(&gram).unwrap());
    }
}

#[test]
fn errors_are_inside_on_the_edge_of_and_outside_the_tube() {
    for seed in 0..6 {
        let data = sinc(80, 4.0, 0.2, seed).unwrap();
        let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
        let set = TrainingSet::new(&gram, &data.labels).unwrap();
        let machine = EpsilonSvr::default().with_epsilon(0.15).with_solver(solver());
        let fit = machine.fit(&gram, &data.labels).unwrap().converged().unwrap();
        let (groups, values) =
            (fit.certificate.groups(&set).unwrap(), fit.model.decision_values(&gram).unwrap());
        let beyond = |&row: &usize| (data.labels.values()[row] - values[row]).abs() - 0.15;
        assert!(groups.none().iter().all(|row| beyond(row) < NEAR), "seed {seed}");
        assert!(groups.between().iter().all(|row| beyond(row).abs() < NEAR), "seed {seed}");
        assert!(groups.bound().iter().all(|row| beyond(row) > -NEAR), "seed {seed}");
        assert_eq!(groups.support(), fit.model.rows().len());
    }
}

#[test]
fn groups_move_with_the_examples() {
    let data = sinc(50, 4.0, 0.2, 3).unwrap();
    let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let turned: Vec<usize> = (0..50).rev().collect();
    let groups = |rows: &[usize]| {
        let some = Selection::new(&gram, rows).unwrap();
        let targets = Targets::new(rows.iter().map(|&row| data.labels.values()[row]).collect()).unwrap();
        let fit = EpsilonSvr::default().with_solver(solver()).fit(&some, &targets).unwrap();
        fit.certificate.groups(&TrainingSet::new(&some, &targets).unwrap()).unwrap()
    };
    let (plain, mirrored) = (groups(&(0..50).collect::<Vec<_>>()), groups(&turned));
    let back = |rows: &[usize]| rows.iter().rev().map(|&row| turned[row]).collect::<Vec<_>>();
    assert_eq!(plain.none(), back(mirrored.none()));
    assert_eq!(plain.between(), back(mirrored.between()));
    assert_eq!(plain.bound(), back(mirrored.bound()));
}
