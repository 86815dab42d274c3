//! Random problems of every formulation against an interior-point solver that was written by others.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use lm_core::{
    BinaryLabels, Collection, Control, Dense, Gram, Labelling, MatrixGram, Targets, TrainingSet, VectorGram,
    VectorKernel, Weights,
};
use lm_qp::{
    Balance, Bias, CSvc, DualProblem, EpsilonSvr, Formulation, MaximalMargin, Method, MixedSvc, NuSvc, NuSvr,
    OneClass, QuadraticSvr, Solver, TwoNormSvc, Unlabelled,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The least value of a problem, by splitting each coefficient into two that are not negative; none where the oracle says
/// that it has not solved it.
fn least(k: &MatrixGram<'_>, problem: &DualProblem) -> Option<f64> {
    let mut parts = Vec::new();
    for i in 0..problem.len() {
        if problem.upper()[i] > 0.0 {
            parts.push((i, 1.0, problem.upper()[i], problem.above()[i]));
        }
        if problem.lower()[i] < 0.0 {
            parts.push((i, -1.0, -problem.lower()[i], -problem.below()[i]));
        }
    }
    let m = parts.len();
    let (mut p, mut equal, mut most) = (vec![vec![0.0; m]; m], Vec::new(), Vec::new());
    for (a, &(i, s, ..)) in parts.iter().enumerate() {
        for (b, &(j, t, ..)) in parts.iter().enumerate().skip(a) {
            let ridge = if i == j { problem.ridge(i) } else { 0.0 };
            p[a][b] = s * t * (k.row(i)[j] + ridge);
        }
    }
    let row = |of: &dyn Fn(f64) -> f64| parts.iter().map(|part| of(part.1)).collect::<Vec<f64>>();
    match problem.balance() {
        Balance::Open => {}
        Balance::Total(total) => equal.push((row(&|s| s), total)),
        Balance::Sides { positive, negative } => {
            equal.push((row(&|s| s.max(0.0)), positive));
            equal.push((row(&|s| (-s).max(0.0)), negative));
        }
        Balance::Sizes { total, most: sizes } => {
            equal.push((row(&|s| s), total));
            most.push((row(&|_| 1.0), sizes));
        }
    }
    for (a, part) in parts.iter().enumerate() {
        let unit = |s: f64| (0..m).map(|b| if a == b { s } else { 0.0 }).collect::<Vec<f64>>();
        most.push((unit(-1.0), 0.0));
        if part.2.is_finite() {
            most.push((unit(1.0), part.2));
        }
    }
    let (zeros, cones) = (equal.len(), most.len());
    let rows: Vec<(Vec<f64>, f64)> = equal.into_iter().chain(most).collect();
    let matrix: Vec<Vec<f64>> = rows.iter().map(|row| row.0.clone()).collect();
    let right: Vec<f64> = rows.iter().map(|row| row.1).collect();
    let q: Vec<f64> = parts.iter().map(|part| part.3).collect();
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-11,
        ..DefaultSettings::default()
    };
    let kinds = [ZeroConeT(zeros), NonnegativeConeT(cones)];
    let mut solver =
        DefaultSolver::new(&CscMatrix::from(&p), &q, &CscMatrix::from(&matrix), &right, &kinds, settings)
            .unwrap();
    solver.solve();
    let solved = matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
    solved.then_some(solver.solution.obj_val)
}

/// Compares both methods with the oracle; 1 if it has solved the problem.
fn check<F: Formulation<L>, L: Labelling>(
    name: &str,
    machine: &F,
    gram: &MatrixGram<'_>,
    labels: &L,
    weights: &Weights,
    seed: u64,
) -> usize {
    let set = TrainingSet::new(gram, labels).unwrap().with_weights(weights).unwrap();
    let problem = machine.problem(&set).unwrap();
    // Copies and penalised biases change the matrix: the oracle gets the one that the machine sees.
    let n = problem.len();
    let one = if machine.bias() == Bias::Penalised { 1.0 } else { 0.0 };
    let values = (0..n * n).map(|at| gram.row(at / n % gram.len())[at % n % gram.len()] + one).collect();
    let seen = MatrixGram::precomputed(values, n).unwrap();
    let Some(expected) = least(&seen, &problem) else { return 0 };
    for method in [Method::Automatic, Method::InteriorPoint] {
        let solver = Solver::default().with_gap(1e-10).with_method(method);
        let found = problem.minimise(&seen, &solver, &Control::default()).unwrap();
        let value = -found.figures.dual;
        let scale = expected.abs().max(1e-3);
        let off = (value - expected).abs() / scale;
        assert!(
            off < 1e-8,
            "{name}, {method:?}, seed {seed}: {value} and {expected}, {:?}",
            found.report.stop
        );
        assert!(
            found.figures.relative_gap() <= 1e-10 || value.abs() < 1e-9,
            "{name}, {method:?}, seed {seed}"
        );
    }
    1
}

fn kernel(random: &mut ChaCha8Rng) -> VectorKernel {
    match random.random_range(0..4) {
        0 => VectorKernel::linear(),
        1 => VectorKernel::polynomial(3, 0.5, 1.0).unwrap(),
        2 => VectorKernel::laplacian(random.random_range(0.1..2.0)).unwrap(),
        _ => VectorKernel::gaussian(random.random_range(0.05..5.0)).unwrap(),
    }
}

#[test]
fn six_hundred_random_problems_agree_with_clarabel() {
    let mut solved = 0;
    for seed in 0..50 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (n, d) = (random.random_range(4..30_usize), random.random_range(1..6_usize));
        let values: Vec<f64> = (0..n * d).map(|_| random.random_range(-2.0..2.0)).collect();
        let examples = Dense::new(values, n, d).unwrap();
        let signs: Vec<i64> = (0..n)
            .map(|i| if i < 2 { 2 * i as i64 - 1 } else { 2 * random.random_range(0..2) - 1 })
            .collect();
        let labels = BinaryLabels::from_integers(&signs).unwrap();
        let targets = Targets::new((0..n).map(|_| random.random_range(-1.0..1.0)).collect()).unwrap();
        let weights = Weights::new((0..n).map(|_| random.random_range(0.2..3.0)).collect()).unwrap();
        let ones = Weights::new(vec![1.0; n]).unwrap();
        let whole = VectorGram::new(&examples, kernel(&mut random)).unwrap();
        let mut values = vec![0.0; n * n];
        whole.fill_all(&mut values).unwrap();
        let gram = MatrixGram::precomputed(values, n).unwrap();
        let cost = 10.0_f64.powf(random.random_range(-2.0..2.5));
        let tube = random.random_range(0.0..0.3);
        let bias = [Bias::Free, Bias::Penalised, Bias::None][random.random_range(0..3)];
        let smaller = signs.iter().filter(|s| **s > 0).count().min(signs.iter().filter(|s| **s < 0).count());
        let nu = random.random_range(0.1..1.0) * 2.0 * smaller as f64 / n as f64;

        let c_svc = CSvc::default().with_cost(cost);
        solved += check("C-SVC", &c_svc, &gram, &labels, &weights, seed);
        solved += check("C-SVC with another bias", &c_svc.with_bias(bias), &gram, &labels, &weights, seed);
        solved += check("C/n", &CSvc::sharing_cost(cost), &gram, &labels, &weights, seed);
        let two = TwoNormSvc::default().with_cost(cost).with_bias(bias);
        solved += check("2-norm", &two, &gram, &labels, &weights, seed);
        let mixed = MixedSvc::default().with_costs(cost, 1.0 / cost).with_bias(bias);
        solved += check("mixed", &mixed, &gram, &labels, &weights, seed);
        solved += check("ν-SVC", &NuSvc::default().with_nu(nu), &gram, &labels, &ones, seed);
        solved += check("hulls", &MaximalMargin::default(), &gram, &labels, &weights, seed);
        let one = OneClass::default().with_nu(random.random_range(0.1..1.0));
        solved += check("one-class", &one, &gram, &Unlabelled::new(n), &weights, seed);
        let svr = EpsilonSvr::default().with_cost(cost).with_epsilon(tube);
        solved += check("ε-SVR", &svr, &gram, &targets, &weights, seed);
        solved += check("ε-SVR with another bias", &svr.with_bias(bias), &gram, &targets, &weights, seed);
        let quadratic = QuadraticSvr::default().with_cost(cost).with_epsilon(tube).with_bias(bias);
        solved += check("quadratic SVR", &quadratic, &gram, &targets, &weights, seed);
        let nu_svr = NuSvr::default().with_cost(cost * n as f64).with_nu(random.random_range(0.1..1.0));
        solved += check("ν-SVR", &nu_svr, &gram, &targets, &weights, seed);
    }
    // The oracle gives up on a few that are badly scaled.
    assert!(solved >= 590, "{solved} of 600 solved by the oracle");
}
