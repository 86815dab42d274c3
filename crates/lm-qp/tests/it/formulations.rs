//! Every formulation: optimal by its own certificate, and as the theory says it is.

use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Dense, DualExpansion, DualityFigures, Fit, Gram, Hypothesis,
    Labelling, Learner, MatrixGram, Result, Selection, Targets, TrainingSet, VectorGram, VectorKernel,
    Weights,
};
use lm_data::generate::{sinc, two_moons};
use lm_qp::{
    Bias, CSvc, DualCertificate, EpsilonSvr, Formulation, MaximalMargin, Method, MixedSvc, NuSvc, NuSvr,
    OneClass, QuadraticSvr, Solver, TwoNormSvc, Unlabelled,
};

const GAP: f64 = 1e-9;

fn moons(len: usize, seed: u64) -> (Dense<'static>, BinaryLabels) {
    let data = two_moons(len, 0.25, seed).unwrap();
    (data.examples, data.labels)
}

fn curve(len: usize, seed: u64) -> (Dense<'static>, Targets) {
    let data = sinc(len, 4.0, 0.2, seed).unwrap();
    (data.examples, data.labels)
}

/// What a fit is judged by: its figures, and its decision values.
type Judged = (DualityFigures, Vec<f64>);

fn judged<G: Gram, L: Labelling, F: Formulation<L>>(
    fit: Result<Fit<DualExpansion, DualCertificate<F>>>,
    set: &TrainingSet<'_, G, L>,
    whole: &dyn Fn(&DualExpansion) -> Vec<f64>,
) -> Judged {
    let fit = fit.unwrap().converged().unwrap();
    assert!(fit.certificate.verify(set).unwrap().is_valid());
    (fit.certificate.figures(), whole(&fit.model))
}

/// A run of some machine on labels of its own kind: Gram matrix, rows of it that are learned from, weights, start, solver.
type Run<'a> = Box<
    dyn Fn(&VectorGram<'_, Dense<'static>>, &[usize], Option<&[f64]>, Option<&[f64]>, Solver) -> Judged + 'a,
>;

macro_rules! run {
    ($machine:expr, $labels:expr) => {
        Box::new(move |gram, rows, weights, start, solver| {
            let some = Selection::new(gram, rows).unwrap();
            let labels = $labels.select(rows).unwrap();
            let weights = weights.map(|weights| Weights::new(weights.to_vec()).unwrap());
            let set = TrainingSet::new(&some, &labels).unwrap();
            let set = weights.as_ref().map_or(set, |weights| set.with_weights(weights).unwrap());
            let machine = $machine.with_solver(solver);
            let fit = match start {
                Some(start) => machine.fit_from(&set, &Control::default(), start),
                None => machine.fit_with(&set, &Control::default()),
            };
            let whole = |model: &DualExpansion| {
                lm_core::Lift::lifted(model.clone(), rows).unwrap().decision_values(gram).unwrap()
            };
            judged(fit, &set, &whole)
        })
    };
}

fn classifiers(labels: &BinaryLabels) -> Vec<(&'static str, Run<'_>)> {
    vec![
        ("C-SVC", run!(CSvc::default().with_cost(3.0), labels)),
        ("C-SVC, penalised bias", run!(CSvc::default().with_bias(Bias::Penalised), labels)),
        ("C-SVC, no bias", run!(CSvc::default().with_bias(Bias::None), labels)),
        ("2-norm", run!(TwoNormSvc::default().with_cost(3.0), labels)),
        ("2-norm, no bias", run!(TwoNormSvc::default().with_bias(Bias::None), labels)),
        ("mixed", run!(MixedSvc::default().with_costs(1.0, 2.0), labels)),
        ("ν-SVC", run!(NuSvc::default().with_nu(0.4), labels)),
    ]
}

fn regressions(targets: &Targets) -> Vec<(&'static str, Run<'_>)> {
    vec![
        ("ε-SVR", run!(EpsilonSvr::default().with_cost(2.0), targets)),
        ("ε-SVR, no bias", run!(EpsilonSvr::default().with_bias(Bias::None), targets)),
        ("quadratic SVR", run!(QuadraticSvr::default().with_cost(5.0), targets)),
        ("ν-SVR", run!(NuSvr::default().with_cost(50.0).with_nu(0.3), targets)),
    ]
}

/// Calls `check` with every machine, on data of its kind.
fn for_all(len: usize, seed: u64, check: &dyn Fn(&str, &Run<'_>, &VectorGram<'_, Dense<'static>>)) {
    let (examples, labels) = moons(len, seed);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    classifiers(&labels).iter().for_each(|(name, run)| check(name, run, &gram));
    let none = Unlabelled::new(len);
    let one_class: Run<'_> = run!(OneClass::default().with_nu(0.3), none);
    check("one-class", &one_class, &gram);
    let (examples, targets) = curve(len, seed);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    regressions(&targets).iter().for_each(|(name, run)| check(name, run, &gram));
}

fn solver() -> Solver {
    Solver::default().with_gap(GAP)
}

/// Asserts that two runs found the same optimum and the same function.
fn assert_same(name: &str, a: &Judged, b: &Judged, tolerance: f64) {
    let scale = a.0.dual.abs().max(b.0.dual.abs());
    assert!((a.0.dual - b.0.dual).abs() <= 2.0 * GAP * scale, "{name}: {:?} and {:?}", a.0, b.0);
    let off = a.1.iter().zip(&b.1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off <= tolerance, "{name}: functions differ by {off}");
}

#[test]
fn with_or_without_shrinking_the_same_machine() {
    for_all(120, 1, &|name, run, gram| {
        let rows: Vec<usize> = (0..120).collect();
        let with = run(gram, &rows, None, None, solver());
        let without = run(gram, &rows, None, None, solver().with_shrinking(false));
        assert_same(name, &with, &without, 1e-3);
    });
}

#[test]
fn a_warm_start_changes_the_work_and_not_the_machine() {
    for_all(80, 2, &|name, run, gram| {
        let rows: Vec<usize> = (0..80).collect();
        let cold = run(gram, &rows, None, None, solver());
        let start: Vec<f64> = (0..80).map(|k| 0.01 * f64::from(k % 7) - 0.02).collect();
        assert_same(name, &cold, &run(gram, &rows, None, Some(&start), solver()), 1e-3);
    });
}

#[test]
fn weights_are_repetition() {
    for_all(60, 3, &|name, run, gram| {
        let rows: Vec<usize> = (0..60).collect();
        let weights: Vec<f64> = (0..60).map(|k| f64::from(k % 3)).collect();
        let repeated: Vec<usize> = rows.iter().flat_map(|&row| vec![row; row % 3]).collect();
        let (a, b) =
            (run(gram, &rows, Some(&weights), None, solver()), run(gram, &repeated, None, None, solver()));
        assert_same(name, &a, &b, 1e-3);
    });
}

#[test]
fn any_order_of_the_rows_gives_the_same_machine() {
    for_all(70, 4, &|name, run, gram| {
        let rows: Vec<usize> = (0..70).collect();
        let shuffled: Vec<usize> = (0..70).map(|k| (k * 29 + 11) % 70).collect();
        let (a, b) = (run(gram, &rows, None, None, solver()), run(gram, &shuffled, None, None, solver()));
        assert_same(name, &a, &b, 1e-3);
    });
}

#[test]
fn without_the_examples_that_do_not_support_it_the_machine_is_the_same() {
    let (examples, labels) = moons(150, 5);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let machine = CSvc::default().with_cost(10.0).with_gap(1e-11);
    let fit = machine.fit(&gram, &labels).unwrap().converged().unwrap();
    let rows = fit.model.rows().to_vec();
    assert!(rows.len() < 100, "{} support vectors", rows.len());
    let some = Selection::new(&gram, &rows).unwrap();
    let again = machine.fit(&some, &labels.select(&rows).unwrap()).unwrap().converged().unwrap();
    let again = lm_core::Lift::lifted(again.model, &rows).unwrap();
    let (a, b) = (fit.model.decision_values(&gram).unwrap(), again.decision_values(&gram).unwrap());
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-4, "{off}");
}

#[test]
fn the_share_nu_lies_between_margin_errors_and_support_vectors() {
    let (examples, labels) = moons(200, 6);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(2.0).unwrap()).unwrap();
    for nu in [0.1, 0.3, 0.6, 0.9] {
        let fit =
            NuSvc::default().with_nu(nu).with_gap(GAP).fit(&gram, &labels).unwrap().converged().unwrap();
        let values = fit.model.decision_values(&gram).unwrap();
        let errors = values.iter().zip(labels.values()).filter(|(f, y)| y * *f < 1.0 - 1e-4).count();
        assert!(errors as f64 <= nu * 200.0 + 1e-9, "{errors} margin errors at ν = {nu}");
        assert!(fit.model.rows().len() as f64 >= nu * 200.0 - 1e-9, "ν = {nu}");
        // The same machine as the C-SVC with C = 1/(ρn).
        let cost = 1.0 / (fit.certificate.multipliers().rho() * 200.0);
        let other = CSvc::default().with_cost(cost).with_gap(GAP).fit(&gram, &labels).unwrap();
        let other = other.model.decision_values(&gram).unwrap();
        let off = values.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "ν = {nu}, C = {cost}: {off}");
    }
}

#[test]
fn the_tube_that_nu_finds_gives_the_same_regression() {
    let (examples, targets) = curve(90, 7);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    for nu in [0.1, 0.4, 0.8, 1.0] {
        let machine = NuSvr::default().with_cost(200.0).with_nu(nu).with_gap(GAP);
        let fit = machine.fit(&gram, &targets).unwrap().converged().unwrap();
        let tube = fit.certificate.tube();
        assert!(tube >= -1e-12, "ν = {nu}: {tube}");
        let other = EpsilonSvr::default().with_cost(200.0 / 90.0).with_epsilon(tube.max(0.0)).with_gap(GAP);
        let other = other.fit(&gram, &targets).unwrap().converged().unwrap();
        let (a, b) = (fit.model.decision_values(&gram).unwrap(), other.model.decision_values(&gram).unwrap());
        let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 2e-3, "ν = {nu}: {off}");
        let outside = a.iter().zip(targets.values()).filter(|(f, y)| (*f - *y).abs() > tube + 1e-4).count();
        assert!(outside as f64 <= nu * 90.0, "{outside} outside at ν = {nu}");
    }
}

#[test]
fn without_a_tube_quadratic_loss_is_ridge_regression() {
    let (examples, targets) = curve(50, 8);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let cost = 4.0;
    let machine = QuadraticSvr::default().with_cost(cost).with_epsilon(0.0).with_gap(1e-12);
    let fit = machine.fit(&gram, &targets).unwrap().converged().unwrap();
    let values = fit.model.decision_values(&gram).unwrap();
    let beta = fit.certificate.coefficients();
    // (K + I/C)β + b = y and Σβ = 0.
    for ((value, target), beta) in values.iter().zip(targets.values()).zip(beta) {
        assert!((value + beta / cost - target).abs() < 1e-5);
    }
    assert!(beta.iter().sum::<f64>().abs() < 1e-12);
}

#[test]
fn the_margin_is_one_over_the_root_of_the_sum_of_multipliers() {
    let (examples, labels) = moons(60, 9);
    // A narrow kernel separates anything.
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(20.0).unwrap()).unwrap();
    let fit = MaximalMargin::default().with_gap(1e-10).fit(&gram, &labels).unwrap().converged().unwrap();
    let gamma = fit.certificate.margin_at_most();
    let total: f64 = fit.model.coefficients().iter().map(|c| c.abs()).sum();
    let norm_squared = fit.model.norm_squared(&gram).unwrap();
    assert!((gamma * total.sqrt() - 1.0).abs() < 1e-6, "{gamma} and {total}");
    assert!((norm_squared / total - 1.0).abs() < 1e-6);
    let least = fit
        .model
        .decision_values(&gram)
        .unwrap()
        .iter()
        .zip(labels.values())
        .map(|(f, y)| y * f)
        .fold(9.0, f64::min);
    assert!((least - 1.0).abs() < 1e-4, "{least}");
    // A large cost gives the same machine.
    let soft =
        CSvc::default().with_cost(1e6).with_gap(1e-10).fit(&gram, &labels).unwrap().converged().unwrap();
    assert!((soft.certificate.figures().dual * 2.0 / total - 1.0).abs() < 1e-6);
}

#[test]
fn a_penalised_bias_is_a_constant_attribute() {
    let (examples, labels) = moons(60, 10);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let mut wider = Vec::new();
    for row in 0..60 {
        lm_core::Examples::row(&examples, row).for_each(|_, x| wider.push(x));
        wider.push(1.0);
    }
    let wider = Dense::new(wider, 60, 3).unwrap();
    let wider_gram = VectorGram::new(&wider, VectorKernel::linear()).unwrap();
    let a = CSvc::default()
        .with_bias(Bias::Penalised)
        .with_gap(1e-11)
        .fit(&gram, &labels)
        .unwrap()
        .converged()
        .unwrap();
    let b = CSvc::default()
        .with_bias(Bias::None)
        .with_gap(1e-11)
        .fit(&wider_gram, &labels)
        .unwrap()
        .converged()
        .unwrap();
    let (a, b) = (a.model.over_columns(&examples).unwrap(), b.model.over_columns(&wider).unwrap());
    let found = [a.weights()[0], a.weights()[1], a.bias()];
    for (found, expected) in found.iter().zip(b.weights()) {
        assert!((found - expected).abs() < 1e-4, "{found} and {expected}");
    }
}

#[test]
fn precomputed_or_computed_two_rows_or_all_the_same_machine() {
    let (examples, labels) = moons(100, 11);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let matrix = MatrixGram::computed(&gram, &Budget::default()).unwrap();
    let machine = CSvc::default().with_cost(5.0).with_solver(solver().with_method(Method::Pairs));
    let computed = machine.fit(&gram, &labels).unwrap();
    assert_eq!(computed.model, machine.fit(&matrix, &labels).unwrap().model);
    // Two rows of a hundred numbers and their books.
    let control = Control::new(Budget::default().with_memory(6000));
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let small =
        machine.with_solver(solver().with_method(lm_qp::Method::Pairs)).fit_with(&set, &control).unwrap();
    assert!(small.report.cache.unwrap().evictions > 0);
    assert_eq!(computed.model, small.model);
    // The polish takes as many coefficients at once as there is room for: the same optimum by another path.
    let polished = machine.with_solver(solver());
    let (large, small) = (polished.fit(&gram, &labels).unwrap(), polished.fit_with(&set, &control).unwrap());
    let (a, b) = (large.certificate.figures(), small.certificate.figures());
    assert!((a.dual / b.dual - 1.0).abs() <= GAP && a.relative_gap().max(b.relative_gap()) <= GAP);
}

#[test]
fn libsvms_rule_ends_where_no_pair_is_violated() {
    let (examples, labels) = moons(100, 12);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let machine = CSvc::default().with_solver(Solver::default().with_libsvm_epsilon(1e-3));
    let fit = machine.fit(&gram, &labels).unwrap().converged().unwrap();
    assert!(fit.certificate.figures().kkt <= 1e-3);
    assert!(fit.certificate.figures().relative_gap() > 1e-9);
}
