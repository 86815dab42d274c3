//! Working sets: enough examples that the solver works on blocks of them, with rows computed, kept, or given up.

use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Dense, Gram, Learner, MatrixGram, Stop, TrainingSet,
    VectorGram, VectorKernel,
};
use lm_qp::{CSvc, EpsilonSvr, Solver};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Two classes with a bent boundary, and some labels that are wrong.
fn bent(len: usize, dim: usize, seed: u64) -> (Dense<'static>, BinaryLabels) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<f64> = (0..len * dim).map(|_| random.random_range(-1.0..1.0)).collect();
    let side = |row: &[f64]| (3.0 * row[0]).sin() > row[1];
    let labels: Vec<i64> =
        (values.chunks(dim)).map(|row| i64::from(side(row) != random.random_bool(0.05))).collect();
    (Dense::new(values, len, dim).unwrap(), BinaryLabels::from_integers(&labels).unwrap())
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Fits, and checks that the certificate is as good as it says and holds.
fn fitted<G: Gram>(gram: &G, labels: &BinaryLabels, machine: CSvc, budget: Budget) -> (f64, f64, u64) {
    let set = TrainingSet::new(gram, labels).unwrap();
    let fit = machine.fit_with(&set, &Control::new(budget)).unwrap();
    assert_eq!(fit.report.stop, Stop::Converged);
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    let figures = fit.certificate.figures();
    (figures.dual, figures.relative_gap(), fit.report.cache.map_or(0, |cache| cache.evictions))
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (examples, labels) = bent(2500, 4, 31);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(2.0).unwrap()).unwrap();
    for cost in [1.0, 100.0] {
        let machine = CSvc::default().with_cost(cost);
        let fit = |threads| with_threads(threads, || machine.fit(&gram, &labels).unwrap());
        let (one, two, four) = (fit(1), fit(2), fit(4));
        assert_eq!(one.report.stop, Stop::Converged);
        assert!(one.certificate.figures().relative_gap() <= 1e-6);
        assert!(one.model == two.model && one.model == four.model);
        assert_eq!(one.certificate, four.certificate);
        assert_eq!(one.report.iterations, four.report.iterations);
    }
}

#[test]
fn computed_kept_and_given_up_rows_lead_to_the_same_optimum() {
    let (examples, labels) = bent(2400, 3, 32);
    let kernels = [VectorKernel::gaussian(1.5).unwrap(), VectorKernel::polynomial(3, 1.0, 1.0).unwrap()];
    for kernel in kernels {
        let machine = CSvc::default().with_cost(5.0).with_gap(1e-7);
        let dense = VectorGram::new(&examples, kernel).unwrap();
        let rows = MatrixGram::computed(&dense, &Budget::default()).unwrap();
        let (computed, gap, _) = fitted(&dense, &labels, machine, Budget::default());
        let (kept, other, _) = fitted(&rows, &labels, machine, Budget::default());
        // Room for some dozen rows only.
        let little = Budget::default().with_memory(3 << 20);
        let (few, third, evictions) = fitted(&rows, &labels, machine, little);
        assert!(gap <= 1e-7 && other <= 1e-7 && third <= 1e-7);
        assert!(evictions > 0);
        assert!((computed - kept).abs() <= 2e-7 * computed.abs(), "{computed} {kept}");
        assert!((computed - few).abs() <= 2e-7 * computed.abs(), "{computed} {few}");
    }
}

#[test]
fn the_rule_of_libsvm_is_met_by_the_certificate() {
    let (examples, labels) = bent(3000, 6, 33);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    for cost in [0.1, 10.0, 1000.0] {
        let solver = Solver::default().with_libsvm_epsilon(1e-3);
        let fit = CSvc::default().with_cost(cost).with_solver(solver).fit(&gram, &labels).unwrap();
        assert_eq!(fit.report.stop, Stop::Converged);
        // The bias lies in the middle of what is violated.
        assert!(fit.certificate.figures().kkt <= 1e-3, "C = {cost}: {}", fit.certificate.figures().kkt);
    }
}

#[test]
fn a_regression_with_a_tube_is_solved_by_working_sets_too() {
    let mut random = ChaCha8Rng::seed_from_u64(34);
    let values: Vec<f64> = (0..2600).map(|_| random.random_range(-3.0..3.0)).collect();
    let targets: Vec<f64> = values.iter().map(|x| x.sin() + random.random_range(-0.2..0.2)).collect();
    let examples = Dense::new(values, 2600, 1).unwrap();
    let targets = lm_core::Targets::new(targets).unwrap();
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let machine = EpsilonSvr::default().with_cost(10.0).with_epsilon(0.1);
    let set = TrainingSet::new(&gram, &targets).unwrap();
    let fit = machine.fit_with(&set, &Control::default()).unwrap();
    assert_eq!(fit.report.stop, Stop::Converged);
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn limits_on_iterations_and_time_are_kept() {
    let (examples, labels) = bent(4000, 5, 35);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(3.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let control = Control::new(Budget::default().with_iterations(1000));
    let fit = CSvc::default().with_cost(1e4).fit_with(&set, &control).unwrap();
    assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Iterations, 1000));
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
}
