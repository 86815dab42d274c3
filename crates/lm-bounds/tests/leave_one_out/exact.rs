//! The exact leave-one-out error is that of as many fits from the beginning as there are examples.

use lm_bounds::{Finding, leave_one_out, left_out_values};
use lm_core::multiclass::DecideRows;
use lm_core::{
    BinaryLabels, Collection, Control, Dense, Error, Labelling, Learner, Lift, MatrixGram, Selection, Sign,
    Targets, TrainingSet, VectorGram, VectorKernel, Wanted, WithoutOne, parallel,
};
use lm_qp::{
    Bias, CSvc, EpsilonSvr, Formulation, MaximalMargin, MixedSvc, NuSvc, NuSvr, OneClass, QuadraticSvr,
    Removals, Solver, TwoNormSvc, Unlabelled,
};

use crate::sets::{PUBLIC, Set, bundled, public};

fn gram(set: &Set, kernel: VectorKernel) -> MatrixGram<'static> {
    let gram = VectorGram::new(&set.examples, kernel).unwrap();
    MatrixGram::computed(&gram, &lm_core::Budget::default()).unwrap()
}

/// The decision value at an example of a fit from the beginning to all others.
fn refitted<F, L>(machine: &F, gram: &MatrixGram<'_>, labels: &L, row: usize) -> f64
where
    L: Labelling,
    F: for<'a> Learner<Selection<'a, MatrixGram<'a>>, L, Model = lm_core::DualExpansion>,
{
    let kept: Vec<usize> = (0..labels.len()).filter(|&other| other != row).collect();
    let some = Selection::new(gram, &kept).unwrap();
    let fit = machine.fit(&some, &labels.select(&kept).unwrap()).unwrap();
    let model = fit.model.lifted(&kept).unwrap();
    model.decision_values_at(gram, &[row]).unwrap()[0]
}

/// Holds the exact error of a classifier to refits; returns how many errors there are.
fn held<F>(what: &str, machine: &F, gram: &MatrixGram<'static>, labels: &BinaryLabels) -> usize
where
    F: Formulation<BinaryLabels>
        + for<'a> Learner<Selection<'a, MatrixGram<'a>>, BinaryLabels, Model = lm_core::DualExpansion>,
{
    held_but_for(0, what, machine, gram, labels)
}

/// As [`held`], where so many values may be 0.
fn held_but_for<F>(
    noughts: usize,
    what: &str,
    machine: &F,
    gram: &MatrixGram<'static>,
    labels: &BinaryLabels,
) -> usize
where
    F: Formulation<BinaryLabels>
        + for<'a> Learner<Selection<'a, MatrixGram<'a>>, BinaryLabels, Model = lm_core::DualExpansion>,
{
    let set = TrainingSet::new(gram, labels).unwrap();
    let solved = Removals::solve(machine, &set, &Control::default()).unwrap();
    let found = leave_one_out(&solved, &Control::default()).unwrap();
    let values = parallel::map(labels.len(), |row| refitted(machine, gram, labels, row));
    for (row, (outcome, &value)) in found.outcomes().iter().zip(&values).enumerate() {
        let right = Sign::of(value) == labels.signs()[row];
        let what = format!("{what}, row {row}: {value} by a refit, {outcome:?}");
        match outcome.finding {
            Finding::Right => assert!(right, "{what}"),
            Finding::Wrong => assert!(!right, "{what}"),
            Finding::Undecided => assert!(value.abs() < 1e-3, "{what}"),
        }
        if let (true, Some(left_out)) = (solved.is_sum_of_losses(), outcome.left_out) {
            // The refit has an error of its own.
            assert!((left_out.value - value).abs() <= left_out.error + 2e-3, "{what}");
        }
    }
    assert!(found.undecided() <= noughts, "{what}: {} undecided", found.undecided());
    // The compression bound of the sources: an example without a coefficient is classified rightly.
    let support = solved.shares().iter().filter(|share| share.is_support()).count();
    assert!(found.errors() <= support, "{what}: {} errors, {support} support vectors", found.errors());
    found.errors()
}

fn precise() -> Solver {
    Solver::default().with_gap(1e-9)
}

#[test]
fn eleven_small_sets_have_the_errors_of_refits() {
    let mut errors = 0;
    for set in bundled(90) {
        for (cost, gamma) in [(1.0, 1.0 / set.dim()), (30.0, 0.1 / set.dim()), (0.02, 1.0 / set.dim())] {
            let gram = gram(&set, VectorKernel::gaussian(gamma).unwrap());
            let machine = CSvc::default().with_cost(cost).with_solver(precise());
            errors += held(&format!("{}, C = {cost}", set.name), &machine, &gram, &set.labels);
        }
    }
    assert!(errors > 20, "{errors}");
}

#[test]
fn public_sets_have_the_errors_of_refits() {
    for name in PUBLIC {
        let Some(set) = public(name, 160) else { continue };
        for (cost, gamma) in [(1.0, 1.0 / set.dim()), (100.0, 1.0 / set.dim())] {
            let gram = gram(&set, VectorKernel::gaussian(gamma).unwrap());
            let machine = CSvc::default().with_cost(cost).with_solver(precise());
            held(&format!("{name}, C = {cost}"), &machine, &gram, &set.labels);
        }
    }
}

#[test]
fn other_kernels_biases_and_machines_have_the_errors_of_refits() {
    for set in bundled(60).into_iter().skip(1).step_by(2) {
        let kernels = [VectorKernel::linear(), VectorKernel::polynomial(2, 1.0 / set.dim(), 1.0).unwrap()];
        for kernel in kernels {
            let gram = gram(&set, kernel);
            let what = |machine: &str| format!("{}, {kernel:?}, {machine}", set.name);
            for bias in [Bias::Free, Bias::Penalised, Bias::None] {
                let machine = CSvc::default().with_bias(bias).with_solver(precise());
                held(&what(&format!("{bias:?}")), &machine, &gram, &set.labels);
            }
            let shared = CSvc::sharing_cost(20.0).with_solver(precise());
            held(&what("shared"), &shared, &gram, &set.labels);
            let squared = TwoNormSvc::default().with_solver(precise());
            held(&what("squared"), &squared, &gram, &set.labels);
        }
        let gram = gram(&set, VectorKernel::gaussian(1.0).unwrap());
        let nu = NuSvc::default().with_nu(0.3).with_solver(precise());
        held(&format!("{}, ν", set.name), &nu, &gram, &set.labels);
        let hard = MaximalMargin::default().with_solver(precise());
        held(&format!("{}, hard", set.name), &hard, &gram, &set.labels);
    }
}

#[test]
fn copies_and_balanced_machines_without_free_coefficients_keep_the_rule_of_the_bias() {
    // The same points twice and thrice; and a cost so small that every coefficient is at its bound.
    let x = [0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.5, 2.5, 3.0, 4.0, 4.0, 5.0];
    let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, -1, -1, 1, 1, -1, 1, 1, 1]).unwrap();
    let examples = Dense::new(x.to_vec(), 12, 1).unwrap();
    let set = Set { name: "copies".into(), examples, labels };
    for kernel in [VectorKernel::linear(), VectorKernel::gaussian(0.3).unwrap()] {
        for cost in [0.01, 0.3, 3.0, 300.0] {
            let machine = CSvc::default().with_cost(cost).with_solver(precise());
            held_but_for(3, &format!("copies, C = {cost}"), &machine, &gram(&set, kernel), &set.labels);
        }
    }
}

/// Holds left-out values of any machine to refits.
fn values_held<F, L>(what: &str, machine: &F, gram: &MatrixGram<'static>, labels: &L)
where
    L: lm_qp::Aims,
    F: Formulation<L> + for<'a> Learner<Selection<'a, MatrixGram<'a>>, L, Model = lm_core::DualExpansion>,
{
    let set = TrainingSet::new(gram, labels).unwrap();
    let solved = Removals::solve(machine, &set, &Control::default()).unwrap();
    let found = left_out_values(&solved, 1e-3, &Control::default()).unwrap();
    for (row, found) in found.iter().enumerate() {
        let value = refitted(machine, gram, labels, row);
        assert!(found.error <= 1e-3, "{what}, row {row}: {found:?}");
        assert!((found.value - value).abs() < 2e-3, "{what}, row {row}: {value} by a refit, {found:?}");
    }
}

#[test]
fn regressions_and_the_one_class_machine_have_the_values_of_refits() {
    let n = 40;
    let x: Vec<f64> = (0..n).map(|i| f64::from(i) / 8.0).collect();
    let y: Vec<f64> = x.iter().enumerate().map(|(i, x)| x.sin() + 0.3 * ((i * 7 % 5) as f64 - 2.0)).collect();
    let examples = Dense::new(x, n as usize, 1).unwrap();
    let labels = BinaryLabels::from_integers(&(0..n).map(|i| i64::from(i % 2)).collect::<Vec<_>>()).unwrap();
    let set = Set { name: "wave".into(), examples, labels };
    let gram = gram(&set, VectorKernel::gaussian(1.0).unwrap());
    let targets = Targets::new(y).unwrap();
    let precise = Solver::default().with_gap(1e-12);
    values_held("ε", &EpsilonSvr::default().with_epsilon(0.2).with_solver(precise), &gram, &targets);
    values_held("squared", &QuadraticSvr::default().with_epsilon(0.2).with_solver(precise), &gram, &targets);
    let unlabelled = Unlabelled::new(n as usize);
    values_held("one class", &OneClass::default().with_nu(0.3).with_solver(precise), &gram, &unlabelled);
}

#[test]
fn many_examples_left_out_at_a_time_are_those_of_a_fit_without_them() {
    let set = &bundled(80)[2];
    let gram = gram(set, VectorKernel::gaussian(0.5).unwrap());
    let machine = CSvc::default().with_cost(10.0).with_gap(1e-10);
    let training = TrainingSet::new(&gram, &set.labels).unwrap();
    let solved = Removals::solve(&machine, &training, &Control::default()).unwrap();
    let rows: Vec<usize> = (0..80).step_by(3).collect();
    let kept: Vec<usize> = (0..80).filter(|row| !rows.contains(row)).collect();
    let some = Selection::new(&gram, &kept).unwrap();
    let fit = machine.fit(&some, &set.labels.select(&kept).unwrap()).unwrap();
    let expected = fit.model.lifted(&kept).unwrap().decision_values_at(&gram, &rows).unwrap();
    let found = solved.without_all(&rows, &Control::default()).unwrap();
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let set = &bundled(90)[7];
    let gram = gram(set, VectorKernel::gaussian(0.02).unwrap());
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let training = TrainingSet::new(&gram, &set.labels).unwrap();
            let machine = CSvc::default().with_cost(5.0);
            let solved = Removals::solve(&machine, &training, &Control::default()).unwrap();
            leave_one_out(&solved, &Control::default()).unwrap()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn what_cannot_be_left_out_is_refused() {
    let gram = MatrixGram::precomputed(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3).unwrap();
    let labels = BinaryLabels::from_integers(&[1, -1, -1]).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let control = Control::default();
    let solved = Removals::solve(&CSvc::default(), &set, &control).unwrap();
    // The first is the last of its class.
    assert!(matches!(leave_one_out(&solved, &control), Err(Error::Classes { .. })));
    assert!(matches!(solved.without(3, Wanted::Sign, &control), Err(Error::Index { index: 3, .. })));
    assert!(matches!(solved.without(1, Wanted::Within(0.0), &control), Err(Error::Setting { .. })));
    assert!(matches!(solved.without_all(&[7], &control), Err(Error::Index { index: 7, .. })));
    assert!(Removals::solve(&MixedSvc::default(), &set, &control).is_err());
    let targets = Targets::new(vec![0.0, 1.0, 2.0]).unwrap();
    assert!(
        Removals::solve(&NuSvr::default(), &TrainingSet::new(&gram, &targets).unwrap(), &control).is_err()
    );
    let small = Control::new(lm_core::Budget::default().with_memory(10));
    assert!(matches!(Removals::solve(&CSvc::default(), &set, &small), Err(Error::Memory { .. })));
}
