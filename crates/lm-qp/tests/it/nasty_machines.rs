//! Every machine, by both methods, on what users send: a machine whose certificate holds and whose numbers are finite, or
//! an error that says what is wrong; and always an end.

use std::time::{Duration, Instant};

use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Dense, DualExpansion, Error, Fit, Gram, Hypothesis,
    Labelling, Learner, Result, Targets, TrainingSet, VectorGram, VectorKernel,
};
use lm_qp::{
    Bias, CSvc, DualCertificate, EpsilonSvr, Formulation, MaximalMargin, Method, MixedSvc, NuSvc, NuSvr,
    OneClass, QuadraticSvr, Solver, TwoNormSvc, Unlabelled,
};

const LIMIT: Duration = Duration::from_secs(5);

fn control() -> Control<'static> {
    Control::new(Budget::default().with_time(LIMIT))
}

/// Examples with labels and targets that have some trouble in them.
struct Trouble {
    name: &'static str,
    examples: Dense<'static>,
    labels: Vec<i64>,
    targets: Vec<f64>,
}

fn trouble(name: &'static str, rows: &[&[f64]], labels: &[i64], targets: &[f64]) -> Trouble {
    let examples = Dense::new(rows.concat(), rows.len(), rows[0].len()).unwrap();
    Trouble { name, examples, labels: labels.to_vec(), targets: targets.to_vec() }
}

fn troubles() -> Vec<Trouble> {
    let mut all = vec![
        trouble("two examples", &[&[0.0], &[1.0]], &[-1, 1], &[0.0, 1.0]),
        trouble("one pair of twins", &[&[1.0], &[1.0]], &[-1, 1], &[3.0, -3.0]),
        trouble("all alike", &[&[2.0], &[2.0], &[2.0], &[2.0]], &[-1, 1, 1, -1], &[1.0; 4]),
        trouble("all zero", &[&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0]], &[-1, 1, 1], &[0.0, 1.0, -1.0]),
        trouble(
            "one against many",
            &[&[0.0], &[1.0], &[2.0], &[3.0], &[1.5]],
            &[-1, -1, -1, -1, 1],
            &[0.0, 0.0, 0.0, 0.0, 9.0],
        ),
        trouble(
            "constant and double columns",
            &[&[1.0, 7.0, 1.0], &[2.0, 7.0, 2.0], &[3.0, 7.0, 3.0], &[4.0, 7.0, 4.0]],
            &[-1, 1, -1, 1],
            &[1.0, 2.0, 2.0, 4.0],
        ),
        trouble(
            "wide",
            &[&[1.0, 0.0, 2.0, 0.5, -1.0, 3.0], &[0.0, 1.0, -2.0, 0.5, 1.0, 3.0]],
            &[-1, 1],
            &[5.0, 6.0],
        ),
        trouble(
            "far from the origin",
            &[&[1e8, 1.0], &[1e8 + 1.0, 1.0], &[1e8 + 2.0, 1.0], &[1e8 + 3.0, 1.0]],
            &[-1, -1, 1, 1],
            &[1.0, 2.0, 3.0, 4.0],
        ),
        trouble("targets of 1e12", &[&[0.0], &[1.0], &[2.0]], &[-1, 1, 1], &[1e12, -1e12, 0.5]),
        trouble("targets of 1e-12", &[&[0.0], &[1.0], &[2.0]], &[-1, 1, 1], &[1e-12, -1e-12, 0.0]),
    ];
    for (name, scale) in [
        ("scale 1e300", 1e300),
        ("scale 1e160", 1e160),
        ("scale 1e-160", 1e-160),
        ("scale 1e-300", 1e-300),
        ("subnormal", 5e-324),
    ] {
        let rows: Vec<[f64; 1]> = [-2.0, -1.0, 1.0, 2.0].iter().map(|x| [x * scale]).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        all.push(trouble(name, &rows, &[-1, -1, 1, 1], &[1.0, 2.0, 3.0, 4.0]));
    }
    all
}

fn kernels() -> Vec<VectorKernel> {
    vec![
        VectorKernel::linear(),
        VectorKernel::polynomial(3, 1.0, 1.0).unwrap(),
        VectorKernel::gaussian(0.5).unwrap(),
        VectorKernel::gaussian(1e8).unwrap(),
        VectorKernel::sigmoid(0.5, -1.0).unwrap(),
    ]
}

/// Fits, and holds whatever comes back to what every fit promises.
fn held<G: Gram, L: Labelling, F: Formulation<L>>(
    what: &str,
    machine: &str,
    set: &TrainingSet<'_, G, L>,
    fit: Result<Fit<DualExpansion, DualCertificate<F>>>,
    started: Instant,
) {
    assert!(started.elapsed() < LIMIT + Duration::from_secs(2), "{machine}, {what}");
    match fit {
        Ok(fit) => {
            let verdict = fit.certificate.verify(set).unwrap();
            assert!(verdict.is_valid(), "{machine}, {what}: {verdict}, {:?}", fit.report);
            let finite = fit.model.coefficients().iter().all(|value| value.is_finite());
            assert!(finite && fit.model.bias().is_finite(), "{machine}, {what}");
            match fit.model.decision_values(set.examples()) {
                Ok(values) => assert!(values.iter().all(|value| value.is_finite()), "{machine}, {what}"),
                Err(Error::Numerical { .. }) => {}
                Err(error) => panic!("{machine}, {what}: {error}"),
            }
            // An enclosure may be wide, but it is in order.
            if let Ok(bounds) = fit.certificate.enclosure(set) {
                let indefinite = what.contains("Sigmoid");
                assert!(indefinite || bounds.at_least <= bounds.at_most, "{machine}, {what}: {bounds:?}");
            }
        }
        // Squares of huge numbers are not finite, and a kernel that is no inner product may have no minimum.
        Err(error @ (Error::Numerical { .. } | Error::KernelValue { .. })) => {
            let excused = ["scale 1e300", "scale 1e160", "Sigmoid"].iter().any(|word| what.contains(word));
            assert!(excused, "{machine}, {what}: {error}");
        }
        // Only some shares are possible with these labels.
        Err(Error::Setting { name: "nu", .. }) => {}
        Err(error) => panic!("{machine}, {what}: {error}"),
    }
}

#[test]
fn every_machine_answers_every_input() {
    for trouble in troubles() {
        let labels = BinaryLabels::from_integers(&trouble.labels).unwrap();
        let targets = Targets::new(trouble.targets.clone()).unwrap();
        let none = Unlabelled::new(trouble.labels.len());
        for kernel in kernels() {
            let Ok(gram) = VectorGram::new(&trouble.examples, kernel) else { continue };
            for cost in [1e-3, 1.0, 1e6] {
                for method in [Method::Automatic, Method::InteriorPoint] {
                    let what = format!("{}, {kernel:?}, C = {cost}, {method:?}", trouble.name);
                    let solver = Solver::default().with_method(method);
                    macro_rules! run {
                        ($name:literal, $machine:expr, $labels:expr) => {{
                            let set = TrainingSet::new(&gram, $labels).unwrap();
                            let started = Instant::now();
                            let fit = $machine.with_solver(solver).fit_with(&set, &control());
                            held(&what, $name, &set, fit, started);
                        }};
                    }
                    run!("C-SVC", CSvc::default().with_cost(cost), &labels);
                    run!(
                        "C-SVC without a bias",
                        CSvc::default().with_cost(cost).with_bias(Bias::None),
                        &labels
                    );
                    run!("2-norm", TwoNormSvc::default().with_cost(cost), &labels);
                    run!("mixed", MixedSvc::default().with_costs(cost, 1.0), &labels);
                    run!("hard", MaximalMargin::default(), &labels);
                    run!("ν-SVC", NuSvc::default().with_nu(0.4), &labels);
                    run!("one-class", OneClass::default().with_nu(0.3), &none);
                    run!("ε-SVR", EpsilonSvr::default().with_cost(cost), &targets);
                    run!("quadratic SVR", QuadraticSvr::default().with_cost(cost), &targets);
                    run!("ν-SVR", NuSvr::default().with_cost(cost), &targets);
                }
            }
        }
    }
}
