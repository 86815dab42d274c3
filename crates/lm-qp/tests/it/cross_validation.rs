//! Cross-validation and grids: what separate fits give, at the cost of shared ones; and what others compute
//! (`tests/data/cross_validation.py`).

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lm_core::{
    BinaryLabels, Budget, Cancel, ClassLabels, Control, Dense, Error, Examples, Folds, Hypothesis, Labelling,
    Learner, OverVectors, Progress, Selection, Stop, Targets, TrainingSet, VectorGram, VectorKernel, Weights,
};
use lm_data::classic::iris;
use lm_data::generate::two_moons;
use lm_data::split::stratified_folds;
use lm_qp::{CSvc, EpsilonSvr, Grid, GridTable, HeldOut, NuSvc, OneClass, Unlabelled};

use crate::counting::Counting;

fn iris_set() -> (Dense<'static>, ClassLabels) {
    let data = iris().unwrap().data;
    let labels = data.classes().unwrap();
    (data.examples, labels)
}

fn moons(len: usize) -> (Dense<'static>, BinaryLabels) {
    let data = two_moons(len, 0.3, 7).unwrap();
    (data.examples, data.labels)
}

fn curve() -> (Dense<'static>, Targets) {
    let x: Vec<f64> = (0..60).map(|k| 0.1 * f64::from(k)).collect();
    let noise = |k: i32| 0.1 * f64::from(k * 7919 % 13 - 6) / 6.0;
    let y = (0..60).map(|k| (0.1 * f64::from(k)).sin() + noise(k)).collect();
    (Dense::new(x, 60, 1).unwrap(), Targets::new(y).unwrap())
}

fn turns(len: u32, folds: u32) -> Folds {
    Folds::new((0..len).map(|row| row % folds).collect()).unwrap()
}

/// Decision values of the rows of a fold by a fit of its own on a copy of the other rows.
fn by_itself(examples: &Dense<'_>, labels: &BinaryLabels, folds: &Folds, fold: usize, cost: f64) -> Vec<f64> {
    let (train, test) = (folds.train(fold), folds.test(fold));
    let some = Dense::copied(&Selection::new(examples, &train).unwrap()).unwrap();
    let learner = OverVectors::new(CSvc::default().with_cost(cost), VectorKernel::gaussian(1.0).unwrap());
    let model = learner.fit(&some, &labels.select(&train).unwrap()).unwrap().model;
    model.decision_values(&Selection::new(examples, &test).unwrap()).unwrap()
}

#[test]
fn held_out_values_are_those_of_separate_fits() {
    let (examples, labels) = moons(90);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let folds = turns(90, 4);
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let found = HeldOut::compute(&CSvc::default(), &set, &folds, &Control::default()).unwrap();
    assert_eq!((found.width(), found.stop(), found.reports().len()), (1, Stop::Converged, 4));
    for fold in 0..4 {
        let alone = by_itself(&examples, &labels, &folds, fold, 1.0);
        for (row, value) in folds.test(fold).into_iter().zip(alone) {
            assert!((found.values()[row] - value).abs() < 1e-12, "row {row}");
        }
        assert!(found.reports()[fold].gap <= 1e-6);
    }
}

#[test]
fn a_grid_without_warm_starts_is_a_table_of_separate_fits() {
    let (examples, labels) = moons(80);
    let folds = turns(80, 5);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let kernels = [VectorKernel::gaussian(1.0).unwrap()];
    let family = |cost| CSvc::default().with_cost(cost);
    let costs: Vec<f64> = (-5..=15).step_by(2).map(|k| 2.0_f64.powi(k)).collect();
    let search = |warm| {
        let grid = Grid::new(costs.clone()).unwrap().with_warm_starts(warm);
        grid.search(&family, &kernels, &set, &folds, &Control::default()).unwrap()
    };
    let (cold, warm) = (search(false), search(true));
    assert!(cold.is_complete() && cold.stop() == Stop::Converged);
    for cell in cold.cells() {
        for (fold, loss) in cell.losses.iter().enumerate() {
            let alone = by_itself(&examples, &labels, &folds, fold, cell.cost);
            let truth = labels.select(&folds.test(fold)).unwrap().values();
            let wrong =
                alone.iter().zip(truth).filter(|(value, sign)| (**value >= 0.0) != (*sign > 0.0)).count();
            assert_eq!(*loss, wrong as f64 / 16.0);
        }
        assert!(cell.gap <= 1e-6);
    }
    // Warm starts find the same machines with less work.
    for (cold, warm) in cold.cells().iter().zip(warm.cells()) {
        assert_eq!((cold.cost, &cold.losses), (warm.cost, &warm.losses));
    }
    let work = |table: &GridTable| table.cells().iter().map(|cell| cell.iterations).sum::<u64>();
    assert!(work(&warm) < work(&cold), "{} and {}", work(&warm), work(&cold));
}

#[test]
fn errors_on_iris_are_those_of_libsvm() {
    let (examples, labels) = iris_set();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let kernels = [0.05, 0.5, 5.0].map(|gamma| VectorKernel::gaussian(gamma).unwrap());
    let grid = Grid::new(vec![0.1, 1.0, 10.0]).unwrap();
    let family = |cost| CSvc::default().with_cost(cost).with_gap(1e-9);
    let table = grid.search(&family, &kernels, &set, &turns(150, 5), &Control::default()).unwrap();
    // scikit-learn 1.9.1, SVC with tol = 1e-9.
    let expected = [
        [1, 3, 3, 3, 1],
        [1, 2, 1, 1, 1],
        [0, 1, 1, 1, 0],
        [1, 2, 2, 2, 1],
        [1, 1, 2, 1, 0],
        [1, 1, 2, 2, 2],
        [3, 1, 3, 7, 1],
        [1, 1, 2, 1, 1],
        [1, 1, 2, 2, 2],
    ];
    for (cell, expected) in table.cells().iter().zip(expected) {
        let found: Vec<i32> = cell.losses.iter().map(|loss| (loss * 30.0).round() as i32).collect();
        assert_eq!(found, expected, "kernel {}, C = {}", cell.kernel, cell.cost);
    }
    let best = table.best().unwrap();
    assert_eq!((best.kernel, best.cost), (0, 10.0));
    assert!((best.mean - 3.0 / 150.0).abs() < 1e-15);
    let spread = (5.0_f64 * 0.4 * 0.6 / 4.0).sqrt() / 30.0;
    assert!((best.spread - spread).abs() < 1e-15);
}

#[test]
fn squared_errors_of_a_regression_are_those_of_libsvm() {
    let (examples, targets) = curve();
    let set = TrainingSet::new(&examples, &targets).unwrap();
    let kernels = [VectorKernel::gaussian(1.0).unwrap()];
    let family = |cost| EpsilonSvr::default().with_cost(cost).with_epsilon(0.05).with_gap(1e-10);
    let grid = Grid::new(vec![0.1, 1.0, 10.0]).unwrap();
    let table = grid.search(&family, &kernels, &set, &turns(60, 4), &Control::default()).unwrap();
    // scikit-learn 1.9.1, SVR with tol = 1e-9.
    let expected = [0.012630217399197988, 0.004929473366944233, 0.005213842393326005];
    for (cell, expected) in table.cells().iter().zip(expected) {
        assert!((cell.mean / expected - 1.0).abs() < 1e-3, "C = {}: {} and {expected}", cell.cost, cell.mean);
    }
    assert_eq!(table.best().unwrap().cost, 1.0);
}

#[test]
fn every_kernel_value_is_computed_once_for_all_costs_folds_and_pairs() {
    let (examples, labels) = iris_set();
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let folds = stratified_folds(&labels, 5, 3).unwrap();
    let folds = Folds::from_tests(150, folds.iter().map(|fold| &*fold.test)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let counting = Counting(&gram, AtomicU64::new(0));
    let grid = Grid::powers_of_two(-2, 6, 2).unwrap();
    let family = |cost| CSvc::default().with_cost(cost);
    let search = |control: &Control<'_>| {
        let set = TrainingSet::new(&counting, &labels).unwrap();
        pool.install(|| grid.search_gram(&family, &set, &folds, control)).unwrap()
    };
    let all = search(&Control::default());
    let computed = counting.1.swap(0, Ordering::Relaxed);
    assert!(computed <= 150 * 150, "{computed} values");
    // Without the memory the same table, from more values.
    let little = search(&Control::new(Budget::default().with_memory(200_000)));
    assert_eq!(little, all);
    assert!(counting.1.into_inner() > 150 * 150);
}

#[test]
fn any_number_of_threads_gives_the_same_table() {
    let (examples, labels) = iris_set();
    let weights = Weights::new((0..150).map(|k| f64::from(k % 4)).collect()).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    let kernels = [VectorKernel::linear(), VectorKernel::gaussian(0.3).unwrap()];
    let family = |nu| NuSvc::default().with_nu(nu);
    let tables: Vec<GridTable> = [1, 2, 5]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let grid = Grid::new(vec![0.2, 0.4]).unwrap();
            let search = || grid.search(&family, &kernels, &set, &turns(150, 3), &Control::default());
            pool.install(search).unwrap()
        })
        .into();
    assert_eq!(tables[0].cells().len(), 4);
    assert!(tables.iter().all(|table| *table == tables[0]));
}

#[test]
fn progress_is_told_and_a_token_or_a_limit_ends_the_run() {
    let (examples, labels) = moons(60);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let kernels = [0.1, 1.0, 10.0].map(|gamma| VectorKernel::gaussian(gamma).unwrap());
    let (grid, folds) = (Grid::new(vec![1.0, 2.0]).unwrap(), turns(60, 3));
    let family = |cost| CSvc::default().with_cost(cost);
    let told: Mutex<Vec<Progress>> = Mutex::new(Vec::new());
    let observer = |progress: &Progress| told.lock().unwrap().push(*progress);
    let control = Control::default().with_observer(&observer);
    let table = grid.search(&family, &kernels, &set, &folds, &control).unwrap();
    let told = told.into_inner().unwrap();
    assert_eq!(told.iter().map(|progress| progress.iterations).collect::<Vec<_>>(), [2, 4, 6]);
    assert_eq!(told[2].gap, Some(0.0));
    assert_eq!(told[2].objective, Some(table.best().unwrap().mean));

    // Ended after the first kernel.
    let cancel = Cancel::default();
    let ender = |_: &Progress| cancel.cancel();
    let control = Control::default().with_observer(&ender).with_cancel(&cancel);
    let table = grid.search(&family, &kernels, &set, &folds, &control).unwrap();
    assert_eq!((table.cells().len(), table.is_complete(), table.stop()), (2, false, Stop::Cancelled));
    let control = Control::new(Budget::default().with_time(Duration::ZERO));
    let table = grid.search(&family, &kernels, &set, &folds, &control).unwrap();
    assert_eq!((table.cells().len(), table.stop(), table.best()), (0, Stop::Time, None));
    // Limits on iterations hold for each fit, and are told.
    let control = Control::new(Budget::default().with_iterations(3));
    let table = grid.search(&family, &kernels, &set, &folds, &control).unwrap();
    assert!(table.is_complete());
    assert!(table.stop() == Stop::Iterations && table.cells().iter().all(|cell| cell.gap > 1e-6));
}

#[test]
fn of_equal_cells_the_smaller_cost_and_the_first_kernel_is_best() {
    let (examples, labels) =
        (Dense::new(vec![-2.0, -1.0, -1.5, 1.0, 2.0, 1.5], 6, 1).unwrap(), [0, 0, 0, 1, 1, 1]);
    let labels = BinaryLabels::from_integers(&labels).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let kernels = [VectorKernel::linear(), VectorKernel::gaussian(0.5).unwrap()];
    let grid = Grid::new(vec![4.0, 1.0, 2.0, 1.0]).unwrap();
    assert_eq!(grid.costs(), [1.0, 2.0, 4.0]);
    let family = |cost| CSvc::default().with_cost(cost);
    let table = grid.search(&family, &kernels, &set, &turns(6, 3), &Control::default()).unwrap();
    assert!(table.cells().iter().all(|cell| cell.mean == 0.0));
    assert_eq!((table.best().unwrap().cost, table.best().unwrap().kernel), (1.0, 0));
}

#[test]
fn what_cannot_be_cross_validated_is_refused_by_name() {
    let (examples, labels) = moons(20);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let (grid, control) = (Grid::new(vec![1.0]).unwrap(), Control::default());
    let family = |cost| CSvc::default().with_cost(cost);
    let linear = [VectorKernel::linear()];
    let refused = grid.search(&family, &linear, &set, &turns(19, 2), &control);
    assert!(matches!(refused, Err(Error::Length { expected: 20, found: 19, .. })));
    assert!(matches!(grid.search(&family, &[], &set, &turns(20, 2), &control), Err(Error::Empty { .. })));
    // A fold that holds out all of a class.
    let sides: Vec<u32> = labels.values().iter().map(|sign| u32::from(*sign > 0.0)).collect();
    let sides = Folds::new(sides).unwrap();
    assert!(matches!(grid.search(&family, &linear, &set, &sides, &control), Err(Error::Classes { .. })));
    let negative = Grid::new(vec![-1.0]).unwrap();
    let refused = negative.search(&family, &linear, &set, &turns(20, 5), &control);
    assert!(matches!(refused, Err(Error::Setting { name: "cost", .. })));
    assert!(Grid::new(vec![]).is_err() && Grid::new(vec![f64::NAN]).is_err());
    assert!(Grid::powers_of_two(3, 2, 1).is_err() && Grid::powers_of_two(0, 2, 0).is_err());
}

#[test]
fn a_model_is_a_start_for_another_setting() {
    let (examples, labels) = moons(100);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let first = CSvc::default().with_cost(10.0).fit(&gram, &labels).unwrap();
    let start = first.model.all_coefficients(100).unwrap();
    let next = CSvc::default().with_cost(11.0);
    let warm = next.fit_from(&set, &Control::default(), &start).unwrap().converged().unwrap();
    let cold = next.fit(&gram, &labels).unwrap().converged().unwrap();
    let (a, b) = (warm.certificate.figures().dual, cold.certificate.figures().dual);
    assert!((a / b - 1.0).abs() < 2e-6);
    assert!(warm.report.iterations < cold.report.iterations);
    assert!(first.model.all_coefficients(10).is_err());
    // One-class machines are starts for one-class machines.
    let none = Unlabelled::new(100);
    let set = TrainingSet::new(&gram, &none).unwrap();
    let first = OneClass::default().with_nu(0.3).fit(&gram, &none).unwrap();
    let start = first.model.all_coefficients(100).unwrap();
    let next = OneClass::default().with_nu(0.35);
    let warm = next.fit_from(&set, &Control::default(), &start).unwrap().converged().unwrap();
    let cold = next.fit(&gram, &none).unwrap().converged().unwrap();
    assert!((warm.certificate.figures().dual / cold.certificate.figures().dual - 1.0).abs() < 1e-5);
    assert_eq!(examples.dim(), 2);
}
