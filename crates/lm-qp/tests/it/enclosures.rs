//! Bounds with every rounding counted, and two solvers against each other.

use lm_core::{
    BinaryLabels, Budget, Collection, Control, Dense, Error, Gram, Labelling, Learner, MatrixGram, Stop,
    Targets, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::generate::{sinc, two_moons};
use lm_qp::{
    Balance, Bias, CSvc, DualProblem, EpsilonSvr, Formulation, MaximalMargin, Method, Multipliers, NuSvc,
    NuSvr, OneClass, QuadraticSvr, Solver, TwoNormSvc, Unlabelled, cross_check,
};

fn moons(len: usize, seed: u64) -> (Dense<'static>, BinaryLabels) {
    let data = two_moons(len, 0.25, seed).unwrap();
    (data.examples, data.labels)
}

fn curve(len: usize, seed: u64) -> (Dense<'static>, Targets) {
    let data = sinc(len, 4.0, 0.2, seed).unwrap();
    (data.examples, data.labels)
}

/// Bounds from a coarse point and from a fine one: both hold, so the fine ones lie inside the coarse ones.
fn nested<F: Formulation<L>, L: Labelling>(
    name: &str,
    machine: &F,
    gram: &VectorGram<'_, Dense<'static>>,
    labels: &L,
) {
    let set = TrainingSet::new(gram, labels).unwrap();
    let problem = machine.problem(&set).unwrap();
    let values = (0..gram.len()).flat_map(|row| {
        let mut values = vec![0.0; gram.len()];
        gram.fill(&[row], lm_core::Columns::All, &mut values).unwrap();
        values
    });
    let one = if machine.bias() == Bias::Penalised { 1.0 } else { 0.0 };
    let matrix = MatrixGram::precomputed(values.map(|value| value + one).collect(), gram.len()).unwrap();
    let mut outer = (f64::NEG_INFINITY, f64::INFINITY);
    for gap in [1e-2, 1e-5, 1e-8, 1e-12] {
        let solver = Solver::default().with_gap(gap);
        let found = problem.minimise(&matrix, &solver, &Control::default()).unwrap();
        let bounds = problem.enclosure(&matrix, &found.coefficients, found.multipliers).unwrap();
        assert!(bounds.at_least <= bounds.at_most, "{name}: {bounds:?}");
        assert!(bounds.relative_gap() <= gap + 1e-12, "{name}, {gap}: {bounds:?}, {:?}", found.figures);
        // Whatever is not rounding is in the figures too.
        let scale = found.figures.primal.abs();
        assert!((bounds.at_most - found.figures.primal).abs() <= 1e-12 * scale, "{name}");
        assert!((bounds.at_least - found.figures.dual).abs() <= 1e-12 * scale, "{name}");
        assert!(bounds.at_most >= outer.0 && bounds.at_least <= outer.1, "{name}: {bounds:?} and {outer:?}");
        outer = (outer.0.max(bounds.at_least), outer.1.min(bounds.at_most));
    }
}

#[test]
fn finer_bounds_lie_inside_coarser_ones() {
    let (examples, labels) = moons(60, 1);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    nested("C-SVC", &CSvc::default().with_cost(7.0), &gram, &labels);
    nested("C-SVC, penalised", &CSvc::default().with_bias(Bias::Penalised), &gram, &labels);
    nested("2-norm", &TwoNormSvc::default().with_cost(3.0), &gram, &labels);
    nested("ν-SVC", &NuSvc::default().with_nu(0.3), &gram, &labels);
    nested("one-class", &OneClass::default().with_nu(0.37), &gram, &Unlabelled::new(60));
    let wide = VectorGram::new(&examples, VectorKernel::gaussian(20.0).unwrap()).unwrap();
    nested("hulls", &MaximalMargin::default(), &wide, &labels);
    let (examples, targets) = curve(50, 2);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    nested("ε-SVR", &EpsilonSvr::default().with_cost(3.0), &gram, &targets);
    nested("quadratic SVR", &QuadraticSvr::default().with_cost(3.0), &gram, &targets);
    nested("ν-SVR", &NuSvr::default().with_cost(80.0).with_nu(0.3), &gram, &targets);
}

#[test]
fn bounds_enclose_an_optimum_that_is_known_exactly() {
    // Exclusive or: the optimum is 1/4.
    let examples = Dense::new(vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0], 4, 2).unwrap();
    let labels = BinaryLabels::from_integers(&[1, 1, -1, -1]).unwrap();
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    for gap in [0.3, 1e-3, 1e-14] {
        let fit = CSvc::default().with_cost(10.0).with_gap(gap).fit(&gram, &labels).unwrap();
        let bounds = fit.certificate.enclosure(&set).unwrap();
        assert!(bounds.at_least <= 0.25 && 0.25 <= bounds.at_most, "{gap}: {bounds:?}");
    }
}

#[test]
fn coefficients_that_break_the_constraints_bound_nothing_or_are_moved() {
    let gram = MatrixGram::precomputed(vec![2.0, 0.0, 0.0, 2.0], 2).unwrap();
    let problem =
        DualProblem::new(vec![0.0, -1.0], vec![1.0, 0.0], vec![-1.0, 1.0], Balance::Total(0.0)).unwrap();
    let at = |beta: &[f64]| problem.enclosure(&gram, beta, Multipliers::default());
    // The optimum is ½, at (½, −½).
    let exact = at(&[0.5, -0.5]).unwrap();
    assert!(exact.at_least <= 0.5 && 0.5 <= exact.at_most && exact.relative_gap() < 1e-14);
    // Off the balance by a tenth: moved to it, and still a bound.
    let moved = at(&[0.5, -0.4]).unwrap();
    assert!(moved.at_least <= 0.5 && 0.45 <= moved.at_least, "{moved:?}");
    // Outside the box there is nothing to bound with.
    assert!(matches!(at(&[1.5, -0.5]), Err(Error::Numerical { .. })));
    assert!(matches!(at(&[0.5]), Err(Error::Length { .. })));
    // Each coefficient has some room, none has enough for all that is missing.
    let narrow = DualProblem::new(vec![0.0; 2], vec![1.0; 2], vec![-1.0; 2], Balance::Total(2.0)).unwrap();
    let at = narrow.enclosure(&gram, &[0.4, 0.4], Multipliers { positive: -1.0, negative: -1.0 });
    assert!(matches!(at, Err(Error::Numerical { .. })));
}

#[test]
fn a_rigorous_run_converges_by_its_enclosure() {
    let (examples, labels) = moons(80, 3);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let run = |gap: f64| {
        let machine =
            CSvc::default().with_cost(5.0).with_solver(Solver::default().with_gap(gap).with_rigour(true));
        machine.fit(&gram, &labels).unwrap()
    };
    let fit = run(1e-6).converged().unwrap();
    assert!(fit.certificate.enclosure(&set).unwrap().relative_gap() <= 1e-6);
    // Kernel values are rounded, so no run can prove this much.
    assert_eq!(run(1e-17).report.stop, Stop::Stalled);
}

#[test]
fn two_methods_agree_within_their_certificates() {
    let (examples, labels) = moons(100, 4);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    for cost in [0.1, 10.0, 1e3] {
        let found = cross_check(&CSvc::default().with_cost(cost), &set, &Control::default()).unwrap();
        assert!(found.agrees_to(1e-12), "{found:?}");
        assert!(found.pairs.relative_gap() <= 1e-6 && found.interior.relative_gap() <= 1e-6);
    }
    // Certificates of different problems do not overlap.
    let one = cross_check(&CSvc::default().with_cost(0.1), &set, &Control::default()).unwrap();
    let other = cross_check(&CSvc::default().with_cost(0.2), &set, &Control::default()).unwrap();
    let mixed = lm_qp::CrossCheck { pairs: one.pairs, interior: other.interior };
    assert!(mixed.apart() > 0.1);
}

#[test]
fn the_interior_point_method_keeps_to_its_memory_and_time() {
    let (examples, labels) = moons(100, 5);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let machine = CSvc::default().with_solver(Solver::default().with_method(Method::InteriorPoint));
    let small = Control::new(Budget::default().with_memory(100_000));
    assert!(matches!(machine.fit_with(&set, &small), Err(Error::Memory { .. })));
    let short = Control::new(Budget::default().with_iterations(3));
    let fit = machine.fit_with(&set, &short).unwrap();
    assert_eq!(fit.report.stop, Stop::Iterations);
    assert!(fit.certificate.figures().dual >= 0.0);
}
