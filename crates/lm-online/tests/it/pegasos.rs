//! Pegasos reaches the objective of the quadratic program.
//!
//! The a9a set is public and not part of this repository: the test reads it from the folder that `LM_DATA` names, or from
//! the one beside the checkout, and has nothing to compare where there is none.

use std::path::PathBuf;

use lm_core::testing::SplitMix64;
use lm_core::{
    BinaryLabels, Certificate, Control, Csr, Dense, Hypothesis, Labelling, Learner, Selection, Sign,
    TrainingSet, VectorGram, VectorKernel, persist,
};
use lm_data::Labelled;
use lm_data::svmlight;
use lm_online::{KernelPegasos, LivePegasos, Pegasos};
use lm_qp::CSvc;

fn a9a() -> Option<Labelled<Csr<'static, f64>>> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("LM_DATA").map_or(beside, PathBuf::from);
    let path = Some(folder.join("a9a").join("train.svm.gz")).filter(|path| path.is_file())?;
    Some(svmlight::open(&path, &svmlight::Options::default()).unwrap())
}

#[test]
fn a9a_is_learned_within_one_percent_of_the_optimum() {
    let Some(data) = a9a() else { return };
    let labels = BinaryLabels::from_numbers(&data.labels).unwrap();
    let set = TrainingSet::new(&data.examples, &labels).unwrap();
    let fit = Pegasos::default().with_passes(400).fit_with(&set, &Control::default()).unwrap();
    // The bound holds for every machine, so the gap says how far this one is from the best, and anybody can check it.
    let fit = fit.converged().unwrap();
    let figures = fit.certificate.figures();
    assert!(figures.primal <= 1.01 * figures.dual, "{figures:?}");
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn a_part_of_a9a_has_the_objective_of_the_quadratic_program() {
    let Some(data) = a9a() else { return };
    let rows: Vec<usize> = (0..data.labels.len()).step_by(30).collect();
    let examples = Selection::new(&data.examples, &rows).unwrap();
    let labels = BinaryLabels::from_numbers(&data.labels).unwrap().select(&rows).unwrap();
    compare(&Dense::copied(&examples).unwrap(), &labels, 1.0);
}

#[test]
fn random_sets_have_the_objective_of_the_quadratic_program() {
    for seed in 0..6 {
        let mut random = SplitMix64::new(seed);
        let values: Vec<f64> = (0..400).map(|_| random.uniform(-1.0, 1.0)).collect();
        let side = |x: &[f64]| x[0] + 0.5 * x[1] - 0.25 + 0.2 * x[2];
        let mut labels: Vec<i64> = values.chunks_exact(4).map(|x| i64::from(side(x) > 0.0)).collect();
        (0..8).for_each(|_| labels[random.below(100)] ^= 1);
        let examples = Dense::new(values, 100, 4).unwrap();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        compare(&examples, &labels, [0.1, 1.0, 5.0][seed as usize % 3]);
    }
}

/// Both forms of Pegasos against the dual solver: values within 1 %, bounds on the right sides of each other.
fn compare(examples: &Dense<'static>, labels: &BinaryLabels, cost: f64) {
    let gram = VectorGram::new(examples, VectorKernel::linear()).unwrap();
    let optimum = CSvc::default().with_cost(cost).fit(&gram, labels).unwrap().converged().unwrap();
    let (low, high) = (optimum.certificate.figures().dual, optimum.certificate.figures().primal);
    let primal = Pegasos::default().with_cost(cost).with_tolerance(0.01).with_passes(3_000);
    let primal = primal.fit(examples, labels).unwrap().converged().unwrap();
    let dual = KernelPegasos::default().with_cost(cost).with_tolerance(0.01).with_passes(3_000);
    let dual = dual.fit(&gram, labels).unwrap().converged().unwrap();
    for figures in [primal.certificate.figures(), dual.certificate.figures()] {
        assert!(figures.primal <= 1.01 * high, "C = {cost}: {figures:?} beside {low} and {high}");
        assert!(figures.primal >= low && figures.dual <= high, "C = {cost}: {figures:?}");
    }
}

#[test]
fn a_stream_is_learned_block_by_block_and_continued_after_it_was_kept() {
    let mut random = SplitMix64::new(3);
    let mut text = String::new();
    for _ in 0..3_000 {
        let (x, y) = (random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
        let label = if x + 2.0 * y > 0.3 { 1 } else { -1 };
        text += &format!("{label} 1:{x} 2:{y}\n");
    }
    let whole = svmlight::read::<f64>(text.as_bytes(), &svmlight::Options::default()).unwrap();
    let signs: Vec<Sign> = whole.labels.iter().map(|label| Sign::of(*label)).collect();
    let mut at_once = LivePegasos::new(2, 1e-3).unwrap();
    at_once.learn_batch(&whole.examples, &signs).unwrap();
    // Blocks of some 4 KiB, as they would come from a file larger than memory; the learner is kept after each.
    let mut learner = LivePegasos::new(2, 1e-3).unwrap();
    let options = svmlight::Options::default().with_dim(2).with_block_bytes(4_096);
    let mut blocks = 0;
    for block in svmlight::Blocks::<_, f64>::new(text.as_bytes(), &options).unwrap() {
        let block = block.unwrap();
        let signs: Vec<Sign> = block.labels.iter().map(|label| Sign::of(*label)).collect();
        learner.learn_batch(&block.examples, &signs).unwrap();
        learner = persist::decode(&persist::encode(&learner).unwrap()).unwrap();
        blocks += 1;
    }
    assert!(blocks > 10);
    assert_eq!(learner, at_once);
    let found = learner.model().unwrap().signs(&whole.examples).unwrap();
    let wrong = found.iter().zip(&signs).filter(|(found, sign)| found != sign).count();
    assert!(wrong < 60, "{wrong} of 3000");
}
