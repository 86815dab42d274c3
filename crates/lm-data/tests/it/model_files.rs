//! Models of LIBSVM and LIBLINEAR: what the libraries wrote and answered (`tests/data/model_files.py`), and what is no model.

use lm_core::multiclass::{Classifier, OneVsOneModel, OneVsRestModel};
use lm_core::probability::{Calibrated, Sigmoid};
use lm_core::{
    Dense, DualExpansion, Error, Examples, Hypothesis, Linear, MatrixGram, Sign, SupportVectors,
    VectorExpansion, VectorKernel,
};
use lm_data::libsvm::{Kernel, Task};
use lm_data::{liblinear, libsvm};

const LIBSVM: &str = include_str!("../data/libsvm_models.txt");
const LIBLINEAR: &str = include_str!("../data/liblinear_models.txt");

/// A model file, and what its library says of some points.
struct Case {
    name: &'static str,
    model: &'static str,
    answers: Vec<Answer>,
}

#[derive(Default)]
struct Answer {
    point: Vec<f64>,
    decisions: Vec<f64>,
    predicted: f64,
    probabilities: Option<Vec<f64>>,
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').map(|word| word.parse().unwrap()).collect()
}

fn cases(text: &'static str) -> Vec<Case> {
    let mut cases = Vec::new();
    for section in text.split("=== ").skip(1) {
        let (name, body) = section.split_once('\n').unwrap();
        if name != "expected" {
            cases.push(Case { name, model: body, answers: Vec::new() });
            continue;
        }
        let answers = &mut cases.last_mut().unwrap().answers;
        for line in body.lines() {
            let (kind, rest) = line.split_once(' ').unwrap();
            match kind {
                "x" => answers.push(Answer { point: numbers(rest), ..Answer::default() }),
                "f" => answers.last_mut().unwrap().decisions = numbers(rest),
                "y" => answers.last_mut().unwrap().predicted = rest.parse().unwrap(),
                "p" => answers.last_mut().unwrap().probabilities = Some(numbers(rest)),
                _ => panic!("{line}"),
            }
        }
    }
    assert!(cases.iter().all(|case| case.answers.len() == 6));
    cases
}

fn points(case: &Case) -> Dense<'static> {
    let rows: Vec<&[f64]> = case.answers.iter().map(|answer| &*answer.point).collect();
    Dense::from_rows(&rows).unwrap()
}

fn assert_close(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{name}: {found:?} and {expected:?}");
    }
}

fn libsvm_decisions(model: &libsvm::Model, case: &Case) -> Vec<f64> {
    let points = points(case);
    let found = match model.kernel() {
        Kernel::Vectors(_) => model.clone().widened(points.dim()).unwrap().decisions(&points).unwrap(),
        Kernel::Precomputed => model.decisions_by_kernel(points.contiguous().unwrap(), points.dim()).unwrap(),
    };
    found.values().to_vec()
}

#[test]
fn every_machine_and_kernel_of_libsvm_decides_as_libsvm_does() {
    let cases = cases(LIBSVM);
    assert_eq!(cases.len(), 25);
    for case in &cases {
        let model = libsvm::read(case.model.as_bytes()).unwrap();
        let expected: Vec<f64> = case.answers.iter().flat_map(|answer| answer.decisions.clone()).collect();
        let found = libsvm_decisions(&model, case);
        assert_close(case.name, &found, &expected, 1e-12);
        for (answer, values) in case.answers.iter().zip(found.chunks_exact(model.rho().len())) {
            let outcome = model.outcome(values).unwrap();
            assert!((outcome - answer.predicted).abs() <= 1e-12 * (1.0 + outcome.abs()), "{}", case.name);
        }
    }
}

#[test]
fn what_libsvm_and_liblinear_wrote_is_written_back_byte_for_byte() {
    for case in cases(LIBSVM) {
        let mut written = Vec::new();
        libsvm::write(&mut written, &libsvm::read(case.model.as_bytes()).unwrap()).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), case.model, "{}", case.name);
    }
    for case in cases(LIBLINEAR) {
        let mut written = Vec::new();
        liblinear::write(&mut written, &liblinear::read(case.model.as_bytes()).unwrap()).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), case.model, "{}", case.name);
    }
}

#[test]
fn probabilities_are_those_of_libsvm_up_to_its_early_end_and_never_contradict_the_prediction() {
    let (mut compared, mut moved) = (0, 0);
    for case in cases(LIBSVM) {
        let points = points(&case);
        let model = libsvm::read(case.model.as_bytes()).unwrap();
        if let Some(marks) = model.density_marks() {
            assert_eq!(marks.len(), 10);
            for answer in &case.answers {
                let found = model.inlier_probability(answer.decisions[0]).unwrap();
                assert_eq!(found, answer.probabilities.as_ref().unwrap()[0], "{}", case.name);
                compared += 1;
            }
        }
        if model.sigmoids().is_none() {
            continue;
        }
        let model = model.widened(points.dim()).unwrap();
        let found = model.probabilities(&points).unwrap().unwrap();
        let predicted: Vec<f64> = found.most_probable().iter().map(|&class| class as f64).collect();
        assert_eq!(predicted, model.predict(&points).unwrap(), "{}", case.name);
        // LIBSVM's iteration for several classes ends at 0.005/k; two classes have a formula.
        let tolerance = if model.labels().len() == 2 { 1e-12 } else { 0.01 };
        for (row, answer) in found.rows().zip(&case.answers) {
            let expected = answer.probabilities.as_ref().unwrap();
            let most = expected.iter().fold(0.0, |a: f64, &b| a.max(b));
            let own = model.labels().iter().position(|&label| f64::from(label) == answer.predicted).unwrap();
            if expected[own] == most {
                assert_close(case.name, row, expected, tolerance);
                compared += 1;
            } else {
                moved += 1;
            }
        }
    }
    assert!(compared >= 20, "{compared} compared");
    assert!(moved >= 1, "none of LIBSVM's answers contradicts itself, so this shows nothing");
}

#[test]
fn types_of_this_workspace_decide_as_the_file_does_and_come_back() {
    for case in cases(LIBSVM) {
        let points = points(&case);
        let model = libsvm::read(case.model.as_bytes()).unwrap();
        let expected = libsvm_decisions(&model, &case);
        let again = match (model.kernel(), model.task().is_classification()) {
            (Kernel::Vectors(_), true) => {
                let wide = model.clone().widened(points.dim()).unwrap();
                let pairs = wide.to_pairs().unwrap();
                let classes: Vec<f64> = pairs.classify(&points).unwrap().iter().map(|&c| c as f64).collect();
                // Ties of votes are broken in different ways.
                let clear = pairs.claims(&points).unwrap();
                for ((class, answer), claim) in classes.iter().zip(&case.answers).zip(clear) {
                    assert!(*class == answer.predicted || claim.is_ambiguous(), "{}", case.name);
                }
                if model.sigmoids().is_some() {
                    let calibrated = wide.to_calibrated().unwrap();
                    let (a, b) =
                        (calibrated.probabilities(&points).unwrap(), wide.probabilities(&points).unwrap());
                    let b = b.unwrap();
                    for ((a, b), claim) in a.rows().zip(b.rows()).zip(pairs.claims(&points).unwrap()) {
                        if !claim.is_ambiguous() {
                            // −1, 3, 7 here; the file has 3, −1, 7 or 3, −1.
                            assert_close(case.name, &[a[1], a[0]], &b[..2], 1e-6);
                        }
                    }
                    libsvm::Model::from_calibrated(&calibrated).unwrap()
                } else {
                    libsvm::Model::from_pairs(&pairs).unwrap()
                }
            }
            (Kernel::Vectors(_), false) => {
                let function = model.clone().widened(points.dim()).unwrap().to_function().unwrap();
                assert_close(case.name, &function.decision_values(&points).unwrap(), &expected, 1e-12);
                libsvm::Model::from_function(model.task(), &function).unwrap()
            }
            (Kernel::Precomputed, true) => {
                libsvm::Model::from_dual_pairs(&model.to_dual_pairs().unwrap()).unwrap()
            }
            (Kernel::Precomputed, false) => {
                let function = model.to_dual_function().unwrap();
                libsvm::Model::from_dual_function(model.task(), &function).unwrap()
            }
        };
        // Through text, and back to the order of the first file.
        let mut written = Vec::new();
        libsvm::write(&mut written, &again).unwrap();
        let again = libsvm::read(&written[..]).unwrap();
        let found = libsvm_decisions(&again, &case);
        let k = model.labels().len();
        if k == 0 {
            assert_close(case.name, &found, &expected, 1e-12);
            continue;
        }
        let pair = |labels: &[i32], a: i32, b: i32| {
            let place = |label| labels.iter().position(|&l| l == label).unwrap();
            let (i, j) = (place(a).min(place(b)), place(a).max(place(b)));
            let sign = if place(a) < place(b) { 1.0 } else { -1.0 };
            (i * (2 * k - i - 1) / 2 + j - i - 1, sign)
        };
        let width = k * (k - 1) / 2;
        for (found, expected) in found.chunks_exact(width).zip(expected.chunks_exact(width)) {
            for (i, &a) in model.labels().iter().enumerate() {
                for &b in &model.labels()[i + 1..] {
                    let (old, new) = (pair(model.labels(), a, b), pair(again.labels(), a, b));
                    let (x, y) = (old.1 * expected[old.0], new.1 * found[new.0]);
                    assert!((x - y).abs() <= 1e-12 * (1.0 + x.abs()), "{}: {x} and {y}", case.name);
                }
            }
        }
        // A second pass changes nothing any more.
        let mut twice = Vec::new();
        libsvm::write(&mut twice, &again).unwrap();
        assert_eq!(written, twice, "{}", case.name);
    }
}

#[test]
fn every_solver_of_liblinear_decides_as_liblinear_does() {
    let cases = cases(LIBLINEAR);
    assert_eq!(cases.len(), 39);
    for case in &cases {
        let model = liblinear::read(case.model.as_bytes()).unwrap();
        let points = points(case);
        assert_eq!(model.dim(), 4);
        let found = model.decisions(&points).unwrap();
        let predicted = model.predict(&points).unwrap();
        let probabilities = model.probabilities(&points).unwrap();
        for (row, answer) in case.answers.iter().enumerate() {
            // The wrapper for Python shows one of the two functions that MCSVM_CS has for two classes.
            let shown = &found.row(row).unwrap()[..answer.decisions.len()];
            assert!(shown.len() == model.functions().len() || model.solver() == liblinear::Solver::McsvmCs);
            assert_close(case.name, shown, &answer.decisions, 1e-12);
            assert_close(case.name, &predicted[row..=row], &[answer.predicted], 1e-12);
            assert_eq!(probabilities.is_some(), answer.probabilities.is_some());
            if let (Some(found), Some(expected)) = (&probabilities, &answer.probabilities) {
                assert_close(case.name, found.row(row).unwrap(), expected, 1e-12);
                assert_eq!(found.most_probable()[row] as f64, answer.predicted);
            }
        }
        if let Ok((function, [negative, positive])) = model.to_linear() {
            for (sign, answer) in function.signs(&points).unwrap().iter().zip(&case.answers) {
                let class = if *sign == Sign::Positive { positive } else { negative };
                assert_eq!(class as f64, answer.predicted);
            }
            let again = liblinear::Model::from_linear(model.solver(), &function, Some([negative, positive]));
            assert_eq!(again.unwrap().to_linear().unwrap().0, function);
        } else if let Ok(machine) = model.to_machine() {
            let classes: Vec<f64> = machine.classify(&points).unwrap().iter().map(|&c| c as f64).collect();
            assert_eq!(classes, predicted, "{}", case.name);
        } else {
            let again = liblinear::Model::from_linear(model.solver(), &model.functions()[0], None).unwrap();
            assert_eq!(again.predict(&points).unwrap(), predicted, "{}", case.name);
        }
    }
}

#[test]
fn a_function_for_each_class_is_a_liblinear_model_and_comes_back() {
    let functions: Vec<Linear> =
        (0..3).map(|k| Linear::new(vec![f64::from(k), 0.1, -2.5], 0.25 * f64::from(k)).unwrap()).collect();
    let machine = OneVsRestModel::new(vec![-5, 0, 8], functions).unwrap();
    let model = liblinear::Model::from_rest(liblinear::Solver::L2rL2lossSvcDual, &machine).unwrap();
    let mut written = Vec::new();
    liblinear::write(&mut written, &model).unwrap();
    let again = liblinear::read(&written[..]).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.functions(), machine.models());
    let two = OneVsRestModel::new(vec![1, 2], machine.models()[..2].to_vec()).unwrap();
    assert!(liblinear::Model::from_rest(liblinear::Solver::L2rLr, &two).is_err());
    assert!(liblinear::Model::from_rest(liblinear::Solver::McsvmCs, &two).is_ok());
    let far = OneVsRestModel::new(vec![1, 2, 1 << 40], machine.models().to_vec()).unwrap();
    let refused = liblinear::Model::from_rest(liblinear::Solver::L2rLr, &far);
    assert!(matches!(refused, Err(Error::Label { row: 2, .. })));
}

#[test]
fn numbers_that_eight_digits_do_not_name_lose_nothing() {
    let support = SupportVectors::DenseF64(Dense::new(vec![1.0 / 3.0, 0.5, -0.0, 1e-300], 2, 2).unwrap());
    let kernel = VectorKernel::gaussian(0.1).unwrap();
    let f = VectorExpansion::new(kernel, support, vec![0.7, -0.7], 1.0 / 7.0).unwrap();
    let pairs = OneVsOneModel::new(vec![-1, 1], vec![f]).unwrap();
    let model = libsvm::Model::from_pairs(&pairs).unwrap();
    let mut written = Vec::new();
    libsvm::write(&mut written, &model).unwrap();
    let again = libsvm::read(&written[..]).unwrap();
    assert_eq!(again, model);
    let point = Dense::new(vec![0.3, 0.4], 1, 2).unwrap();
    assert_eq!(
        again.to_pairs().unwrap().models()[0].decision_values(&point).unwrap(),
        pairs.models()[0].decision_values(&point).unwrap()
    );
    let laplacian = VectorExpansion::new(
        VectorKernel::laplacian(1.0).unwrap(),
        SupportVectors::DenseF64(Dense::new(vec![1.0], 1, 1).unwrap()),
        vec![1.0],
        0.0,
    )
    .unwrap();
    assert!(matches!(libsvm::Model::from_function(Task::EpsilonSvr, &laplacian), Err(Error::Layout { .. })));
    assert!(libsvm::Model::from_function(Task::CSvc, pairs.models().first().unwrap()).is_err());
}

#[test]
fn machines_without_support_vectors_and_of_rows_are_written_and_read() {
    let empty = VectorExpansion::new(
        VectorKernel::linear(),
        SupportVectors::copied(&Dense::new(vec![1.0, 2.0], 1, 2).unwrap(), &[]).unwrap(),
        vec![],
        2.5,
    )
    .unwrap();
    let model = libsvm::Model::from_function(Task::EpsilonSvr, &empty).unwrap();
    let mut written = Vec::new();
    libsvm::write(&mut written, &model).unwrap();
    let again = libsvm::read(&written[..]).unwrap().widened(2).unwrap();
    assert_eq!(again.predict(&Dense::new(vec![3.0, 4.0], 1, 2).unwrap()).unwrap(), [2.5]);

    let linear = Linear::new(vec![0.1, 0.0, -3.0], 0.5).unwrap();
    let model = libsvm::Model::from_linear(Task::NuSvr, &linear).unwrap();
    let found = model.predict(&Dense::new(vec![1.0, 9.0, 2.0], 1, 3).unwrap()).unwrap();
    assert!((found[0] + 5.4).abs() < 1e-14);

    let gram = MatrixGram::precomputed(vec![2.0, 0.5, 0.5, 1.0], 2).unwrap();
    let dual = DualExpansion::new(vec![0, 1], vec![1.0, -1.0], 0.25).unwrap();
    let model =
        libsvm::Model::from_dual_pairs(&OneVsOneModel::new(vec![0, 1], vec![dual.clone()]).unwrap()).unwrap();
    let found = model.decisions_by_kernel(gram.values(), 2).unwrap();
    assert_eq!(found.values(), dual.decision_values(&gram).unwrap());
    assert_eq!(model.to_dual_pairs().unwrap().models(), [dual]);
    assert!(matches!(model.decisions_by_kernel(&[1.0], 1), Err(Error::Index { .. })));
    assert!(model.to_pairs().is_err() && model.to_function().is_err());
}

#[test]
fn a_saved_model_replaces_the_old_one_whole() {
    let folder = std::env::temp_dir().join(format!("lm-data-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.model");
    let text = cases(LIBSVM)[0].model;
    let model = libsvm::read(text.as_bytes()).unwrap();
    std::fs::write(&path, "old").unwrap();
    libsvm::save(&path, &model).unwrap();
    assert_eq!(libsvm::open(&path).unwrap(), model);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let linear = liblinear::read(cases(LIBLINEAR)[0].model.as_bytes()).unwrap();
    liblinear::save(&path, &linear).unwrap();
    assert_eq!(liblinear::open(&path).unwrap(), linear);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    assert!(libsvm::open(&folder).is_err() && libsvm::open(folder.join("none")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn sigmoids_of_a_calibrated_machine_are_written_with_its_pairs() {
    let f = |w| {
        let support = SupportVectors::DenseF64(Dense::new(vec![w, 1.0], 2, 1).unwrap());
        VectorExpansion::new(VectorKernel::linear(), support, vec![1.0, -1.0], 0.1 * w).unwrap()
    };
    let pairs = OneVsOneModel::new(vec![1, 2, 3], vec![f(2.0), f(3.0), f(4.0)]).unwrap();
    let sigmoids: Vec<Sigmoid> =
        (1..4).map(|k| Sigmoid::new(-f64::from(k), 0.1 * f64::from(k)).unwrap()).collect();
    let model = Calibrated::new(pairs, sigmoids).unwrap();
    let file = libsvm::Model::from_calibrated(&model).unwrap();
    assert_eq!(file.labels(), [3, 2, 1]);
    assert_eq!(file.to_calibrated().unwrap().sigmoids(), model.sigmoids());
}
