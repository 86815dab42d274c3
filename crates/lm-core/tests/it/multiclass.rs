//! Multi-class schemes around any binary learner.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lm_core::multiclass::{
    Claim, Classifier, Dag, DagModel, DecideRows, LinearMachine, LinearMachineLearner, OneVsOne,
    OneVsOneModel, OneVsRest, OneVsRestModel, PairProblem,
};
use lm_core::{
    BinaryLabels, Budget, Cancel, Certificate, ClassLabels, Collection, Control, Dense, Error, Examples, Fit,
    Hypothesis, Learner, Linear, Result, Selection, Sign, Stop, TrainingSet, VectorGram, VectorKernel,
    Weights,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::means::{KernelMeans, Means};

/// `k` clusters of `each` points around the corners of a simplex, far apart, in shuffled order.
fn clusters(k: usize, each: usize, seed: u64) -> (Dense<'static>, ClassLabels) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..k * each).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.random_range(0..=i));
    }
    let rows: Vec<Vec<f64>> = order
        .iter()
        .map(|at| {
            (0..k).map(|c| if at % k == c { 10.0 } else { 0.0 } + random.random_range(-1.0..1.0)).collect()
        })
        .collect();
    // Integers that are neither small nor evenly spaced, and not in the order of the clusters.
    let integers: Vec<i64> = order.iter().map(|at| [40, -7, 10_000_000_000, 3, 0, 99][at % k]).collect();
    (Dense::from_rows(&rows).unwrap(), ClassLabels::from_integers(&integers).unwrap())
}

fn integers(labels: &ClassLabels) -> Vec<i64> {
    labels.indices().iter().map(|&index| labels.classes()[index as usize]).collect()
}

#[test]
fn every_scheme_finds_clusters_that_lie_apart() {
    for k in 2..=6 {
        let (examples, labels) = clusters(k, 8, k as u64);
        let expected = integers(&labels);
        let one_vs_one = OneVsOne::new(Means::default()).fit(&examples, &labels).unwrap().model;
        let one_vs_rest = OneVsRest::new(Means::default()).fit(&examples, &labels).unwrap().model;
        let dag = Dag::new(Means::default()).fit(&examples, &labels).unwrap().model;
        let machine = LinearMachineLearner::new(Means::default()).fit(&examples, &labels).unwrap().model;
        assert_eq!(one_vs_one.classify(&examples).unwrap(), expected);
        assert_eq!(one_vs_rest.classify(&examples).unwrap(), expected);
        assert_eq!(dag.classify(&examples).unwrap(), expected);
        assert_eq!(machine.classify(&examples).unwrap(), expected);
        assert!(one_vs_one.claims(&examples).unwrap().iter().all(|claim| !claim.is_ambiguous()));
        let decisions = one_vs_one.decisions(&examples).unwrap();
        assert_eq!(decisions.width(), k * (k - 1) / 2);
        let (row, last) = (examples.len() - 1, decisions.width() - 1);
        let direct = one_vs_one.models()[last].decision_values(&examples).unwrap()[row];
        assert_eq!(decisions.row(row).unwrap()[last], direct);
        assert!(decisions.row(row + 1).is_err());
    }
}

#[test]
fn a_gram_matrix_serves_as_well_as_the_examples() {
    let (examples, labels) = clusters(4, 6, 11);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let primal = OneVsOne::new(Means::default()).fit(&examples, &labels).unwrap().model;
    let dual = OneVsOne::new(KernelMeans).fit(&gram, &labels).unwrap().model;
    let (a, b) = (primal.decisions(&examples).unwrap(), dual.decisions(&gram).unwrap());
    for (x, z) in a.values().iter().zip(b.values()) {
        assert!((x - z).abs() <= 1e-10 * x.abs().max(1.0), "{x} {z}");
    }
    assert_eq!(dual.classify(&gram).unwrap(), integers(&labels));
    let dag = DagModel::from(dual.clone());
    assert_eq!(dag.classify(&gram).unwrap(), integers(&labels));
    // A row's value does not depend on which others are asked about.
    for model in dual.models() {
        let whole = model.decision_values(&gram).unwrap();
        let rows = [20, 3, 3, 7];
        let some = model.decision_values_at(&gram, &rows).unwrap();
        rows.iter().zip(some).for_each(|(&row, value)| assert!((whole[row] - value).abs() < 1e-12));
        assert!(matches!(model.decision_values_at(&gram, &[24]), Err(Error::Index { .. })));
    }
    let rest = OneVsRest::new(KernelMeans).fit(&gram, &labels).unwrap().model;
    assert_eq!(rest.classify(&gram).unwrap(), integers(&labels));
}

#[test]
fn weights_reach_every_sub_problem() {
    let (examples, labels) = clusters(3, 5, 5);
    let weights: Vec<f64> = (0..15).map(|row| f64::from(row % 4)).collect();
    let rows: Vec<usize> = (0..15).flat_map(|row| std::iter::repeat_n(row, row % 4)).collect();
    let repeated = Selection::new(&examples, &rows).unwrap();
    let repeated_labels = lm_core::Labelling::select(&labels, &rows).unwrap();
    let weights = Weights::new(weights).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    let close =
        |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, z)| (x - z).abs() <= 1e-10 * x.abs().max(1.0));
    let (control, pairwise, rest) =
        (Control::default(), OneVsOne::new(Means::default()), OneVsRest::new(Means::default()));
    let a = pairwise.fit_with(&set, &control).unwrap().model.decisions(&examples).unwrap();
    let b = pairwise.fit(&repeated, &repeated_labels).unwrap().model.decisions(&examples).unwrap();
    let plain = pairwise.fit(&examples, &labels).unwrap().model.decisions(&examples).unwrap();
    assert!(close(a.values(), b.values()) && !close(a.values(), plain.values()));
    let a = rest.fit_with(&set, &control).unwrap().model.decisions(&examples).unwrap();
    let b = rest.fit(&repeated, &repeated_labels).unwrap().model.decisions(&examples).unwrap();
    assert!(close(a.values(), b.values()));
}

#[test]
fn the_certificate_of_a_pair_is_checked_against_its_problem() {
    let (examples, labels) = clusters(3, 5, 6);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit = OneVsOne::new(Means::default()).fit_with(&set, &Control::default()).unwrap();
    for (part, (low, high)) in fit.certificate.iter().zip([(0, 1), (0, 2), (1, 2)]) {
        assert_eq!((part.negative, part.positive), (Some(labels.classes()[low]), labels.classes()[high]));
        let problem = PairProblem::new(&set, low, high).unwrap();
        let selection = Selection::new(&examples, problem.rows()).unwrap();
        assert!(part.certificate.verify(&problem.training_set(&selection).unwrap()).unwrap().is_valid());
        let other = PairProblem::new(&set, high, low).unwrap();
        let selection = Selection::new(&examples, other.rows()).unwrap();
        assert!(!part.certificate.verify(&other.training_set(&selection).unwrap()).unwrap().is_valid());
    }
    assert!(matches!(PairProblem::new(&set, 0, 3), Err(Error::Index { index: 3, .. })));
    assert!(matches!(PairProblem::new(&set, 1, 1), Err(Error::Classes { .. })));
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (examples, labels) = clusters(6, 20, 7);
    let bits = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = OneVsOne::new(Means::default()).fit(&examples, &labels).unwrap().model;
            let values = model.decisions(&examples).unwrap();
            values.values().iter().map(|value| value.to_bits()).collect::<Vec<_>>()
        })
    };
    let one = bits(1);
    assert!([2, 3, 4, 8].into_iter().all(|threads| bits(threads) == one));
}

/// Fails on sub-problems whose positive class is one of these, the earlier ones later.
struct Failing;

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Failing {
    type Model = Linear;
    type Certificate = ();

    fn fit_with(&self, set: &TrainingSet<'_, E, BinaryLabels>, _: &Control<'_>) -> Result<Fit<Linear, ()>> {
        let classes = [Sign::Negative, Sign::Positive].map(|sign| set.labels().class_of(sign));
        if classes == [0, 1] {
            std::thread::sleep(std::time::Duration::from_millis(30));
            return Err(Error::Numerical { what: "the first pair" });
        }
        Err(Error::Numerical { what: "a later pair" })
    }
}

#[test]
fn the_first_error_in_order_is_the_one_returned() {
    let examples = Dense::new(vec![1.0, 2.0, 3.0], 3, 1).unwrap();
    let labels = ClassLabels::from_integers(&[0, 1, 2]).unwrap();
    let error = OneVsOne::new(Failing).fit(&examples, &labels).unwrap_err();
    assert_eq!(error, Error::Numerical { what: "the first pair" });
}

/// Notes the memory that each sub-problem is given.
struct Asking<'a>(&'a Mutex<Vec<Option<usize>>>);

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Asking<'_> {
    type Model = Linear;
    type Certificate = ();

    fn fit_with(
        &self,
        _: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, ()>> {
        self.0.lock().unwrap().push(control.budget().memory());
        let report = control.start(1).report(Stop::Converged, None);
        Ok(Fit { model: Linear::new(vec![0.0; 4], 0.0)?, report, certificate: () })
    }
}

#[test]
fn reports_are_added_up() {
    let (examples, labels) = clusters(4, 3, 8);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let one_vs_one = OneVsOne::new(Means::default());
    let whole = one_vs_one.fit_with(&set, &Control::default()).unwrap();
    assert_eq!((whole.report.stop, whole.report.iterations), (Stop::Converged, 6 * 60));
    let short = one_vs_one.fit_with(&set, &Control::new(Budget::default().with_iterations(2))).unwrap();
    assert_eq!((short.report.stop, short.report.iterations), (Stop::Iterations, 12));
    assert!(short.certificate.iter().all(|part| part.report.iterations == 2));
    let cancel = Cancel::default();
    cancel.cancel();
    let ended = one_vs_one.fit_with(&set, &Control::default().with_cancel(&cancel)).unwrap();
    assert_eq!(ended.report.stop, Stop::Cancelled);
}

#[test]
fn each_sub_problem_gets_its_share_of_the_memory() {
    let (examples, labels) = clusters(4, 3, 8);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let control = Control::new(Budget::default().with_memory(600));
    let heard = Mutex::new(Vec::new());
    OneVsOne::new(Asking(&heard)).fit_with(&set, &control).unwrap();
    assert_eq!(*heard.lock().unwrap(), [Some(100); 6]);
    let heard = Mutex::new(Vec::new());
    OneVsRest::new(Asking(&heard)).fit_with(&set, &control).unwrap();
    assert_eq!(*heard.lock().unwrap(), [Some(150); 4]);
}

#[test]
fn one_vs_rest_leaves_places_that_none_or_several_claim() {
    // Three half-planes that overlap at the top and leave the middle to nobody.
    let f = |a, b, c| Linear::new(vec![a, b], c).unwrap();
    let model =
        OneVsRestModel::new(vec![1, 2, 3], vec![f(0.0, -1.0, -1.0), f(1.0, 0.0, -1.0), f(-1.0, 3.0, -1.0)])
            .unwrap();
    let points = Dense::new(vec![0.0, 0.0, 2.0, 5.0, 0.0, -3.0, 5.0, 0.0], 4, 2).unwrap();
    let claims = model.claims(&points).unwrap();
    assert_eq!(claims, [Claim::Nobody, Claim::Several(vec![2, 3]), Claim::One(1), Claim::One(2)]);
    assert_eq!(model.classify(&points).unwrap(), [1, 3, 1, 2]);
    // The linear machine of the same functions gives the same classes and is never undecided.
    assert_eq!(LinearMachine::try_from(model).unwrap().classify(&points).unwrap(), [1, 3, 1, 2]);
}

#[test]
fn regions_of_a_linear_machine_are_convex_and_ties_go_to_the_smaller_class() {
    for seed in 0..200 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (k, dim) = (random.random_range(2..7), random.random_range(1..5));
        let mut number = || random.random_range(-4..=4);
        let functions = (0..k).map(|_| {
            Linear::new((0..dim).map(|_| f64::from(number())).collect(), f64::from(number())).unwrap()
        });
        let machine = LinearMachine::new((0..k).collect(), functions.collect()).unwrap();
        // Small even integers: values and midpoints are exact, and ties are frequent.
        let points: Vec<Vec<f64>> =
            (0..60).map(|_| (0..dim).map(|_| 2.0 * f64::from(number())).collect()).collect();
        let set = Dense::from_rows(&points).unwrap();
        let classes = machine.classify(&set).unwrap();
        let decisions = machine.decisions(&set).unwrap();
        for (i, x) in points.iter().enumerate() {
            assert_eq!(machine.classify_one(x).unwrap(), classes[i]);
            let own = decisions.row(i).unwrap()[classes[i] as usize];
            for (class, &value) in decisions.row(i).unwrap().iter().enumerate() {
                assert!(own > value || (own == value && classes[i] <= class as i64), "seed {seed}");
            }
            for (j, z) in points.iter().enumerate().filter(|&(j, _)| classes[j] == classes[i]) {
                let middle: Vec<f64> = x.iter().zip(z).map(|(x, z)| (x + z) / 2.0).collect();
                assert_eq!(
                    machine.classify_one(&middle).unwrap(),
                    classes[i],
                    "seed {seed}, points {i} and {j}"
                );
            }
        }
    }
}

#[test]
fn a_machine_of_two_classes_is_one_hyperplane() {
    let (examples, labels) = clusters(2, 10, 3);
    let machine = LinearMachineLearner::new(Means::default()).fit(&examples, &labels).unwrap().model;
    let hyperplane = machine.boundary(1, 0).unwrap();
    let signs = hyperplane.signs(&examples).unwrap();
    let sides = signs
        .iter()
        .map(|&sign| if sign == Sign::Positive { labels.classes()[1] } else { labels.classes()[0] });
    assert_eq!(machine.classify(&examples).unwrap(), sides.collect::<Vec<_>>());
    for (row, sign) in signs.iter().enumerate() {
        let (x, norm) = (examples.slice(row), hyperplane.norm());
        let distance = machine.distance(x, 1, 0).unwrap();
        let by_values = (machine.functions()[1].decision(x).unwrap()
            - machine.functions()[0].decision(x).unwrap())
            / norm;
        assert!((distance - by_values).abs() < 1e-12 * distance.abs());
        assert_eq!(Sign::of(distance), *sign);
        assert_eq!(machine.distance(x, 0, 1).unwrap(), -distance);
    }
    assert!(matches!(machine.distance(examples.slice(0), 0, 0), Err(Error::Numerical { .. })));
    assert!(matches!(machine.boundary(0, 2), Err(Error::Index { index: 2, .. })));
}

/// A linear function that counts the points it is asked about.
struct Counted(Linear, AtomicUsize);

impl<E: Examples + ?Sized> Hypothesis<E> for Counted {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        self.1.fetch_add(set.len(), Ordering::Relaxed);
        self.0.decision_values_into(set, out)
    }
}

impl<E: Examples + ?Sized> DecideRows<E> for Counted {
    fn decision_values_at(&self, set: &E, rows: &[usize]) -> Result<Vec<f64>> {
        self.decision_values(&Selection::new(set, rows)?)
    }
}

#[test]
fn the_graph_asks_one_function_less_than_there_are_classes() {
    for k in 2..8_usize {
        // Class c lies at c on a line; the pair (low, high) is cut in the middle.
        let pairs = (0..k).flat_map(|low| (low + 1..k).map(move |high| (low, high)));
        let functions = pairs.map(|(low, high)| {
            Counted(Linear::new(vec![1.0], -((low + high) as f64) / 2.0).unwrap(), AtomicUsize::new(0))
        });
        let model = DagModel::from(OneVsOneModel::new((0..k as i64).collect(), functions.collect()).unwrap());
        let points: Vec<f64> = (0..50).map(|at| f64::from(at % k as i32) + 0.25).collect();
        let set = Dense::new(points, 50, 1).unwrap();
        let expected: Vec<i64> = (0..50).map(|at| at % k as i64).collect();
        assert_eq!(model.classify(&set).unwrap(), expected);
        let asked: usize = model.pairwise().models().iter().map(|f| f.1.load(Ordering::Relaxed)).sum();
        assert_eq!(asked, 50 * (k - 1));
    }
}

#[test]
fn models_that_do_not_add_up_are_refused() {
    let f = || Linear::new(vec![1.0], 0.0).unwrap();
    assert!(matches!(
        OneVsOneModel::new(vec![1, 2, 3], vec![f(), f()]),
        Err(Error::Length { expected: 3, found: 2, .. })
    ));
    assert!(matches!(OneVsRestModel::new(vec![1], vec![f()]), Err(Error::Classes { found: 1, .. })));
    assert!(matches!(OneVsRestModel::new(vec![2, 1], vec![f(), f()]), Err(Error::Label { row: 1, .. })));
    let wide = Linear::new(vec![1.0, 1.0], 0.0).unwrap();
    assert!(matches!(LinearMachine::new(vec![1, 2], vec![f(), wide]), Err(Error::Length { .. })));
}

#[cfg(feature = "persist")]
#[test]
fn models_come_back_with_their_classes_and_name_what_they_are_made_of() {
    use lm_core::persist::{Persist, decode, encode, kind_of};

    fn check<M: Persist + PartialEq + std::fmt::Debug + Classifier<Dense<'static>>>(
        model: &M,
        kind: &str,
        set: &Dense<'static>,
    ) {
        let bytes = encode(model).unwrap();
        assert_eq!(kind_of(&bytes).unwrap(), kind);
        let copy: M = decode(&bytes).unwrap();
        assert_eq!(&copy, model);
        assert_eq!(copy.classify(set).unwrap(), model.classify(set).unwrap());
        let text = serde_json::to_string(model).unwrap();
        assert_eq!(&serde_json::from_str::<M>(&text).unwrap(), model);
        assert!(serde_json::from_str::<M>(&text.replace("10000000000", "3")).is_err());
    }
    let (examples, labels) = clusters(4, 5, 9);
    let pairwise = OneVsOne::new(Means::default()).fit(&examples, &labels).unwrap().model;
    let rest = OneVsRest::new(Means::default()).fit(&examples, &labels).unwrap().model;
    check(&pairwise, "one-vs-one@1/linear@1", &examples);
    check(&rest, "one-vs-rest@1/linear@1", &examples);
    check(&LinearMachine::try_from(rest).unwrap(), "linear-machine@1", &examples);
    let bytes = encode(&pairwise).unwrap();
    check(&DagModel::from(pairwise), "dag@1/linear@1", &examples);
    assert!(decode::<OneVsOneModel<lm_core::DualExpansion>>(&bytes).is_err());
    assert!(decode::<OneVsRestModel<Linear>>(&bytes).is_err());

    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let dual = OneVsOne::new(KernelMeans).fit(&gram, &labels).unwrap().model;
    assert_eq!(decode::<OneVsOneModel<lm_core::DualExpansion>>(&encode(&dual).unwrap()).unwrap(), dual);
    let bound =
        dual.models().iter().map(|model| model.over_vectors(&examples, VectorKernel::linear()).unwrap());
    let bound = OneVsOneModel::new(dual.classes().to_vec(), bound.collect()).unwrap();
    check(&bound, "one-vs-one@1/vector-expansion@1", &examples);
}
