//! Logistic regression: separation, equivalent forms, streams, budgets.

use lm_closed::{
    FirthLogistic, Frame, Irls, IrlsState, KernelLogistic, Logistic, LogisticModel, LogisticStatistics,
    Multinomial,
};
use lm_core::testing::{SplitMix64, close};
use lm_core::{
    BinaryLabels, Budget, Certificate, ClassLabels, Control, Csr, Dense, DualExpansion, Error, Examples,
    Hypothesis, Learner, Linear, Sign, Stop, TrainingSet, VectorGram, VectorKernel, Weights,
};

/// Two clouds whose centres are `apart` along the first axis, with columns of different sizes.
fn clouds(n: usize, d: usize, apart: f64, seed: u64) -> (Dense<'static>, BinaryLabels) {
    let mut random = SplitMix64::new(seed);
    let mut rows = Vec::with_capacity(n);
    for i in 0..n {
        let mut row: Vec<f64> =
            (0..d).map(|k| random.uniform(-1.0, 1.0) * 10.0_f64.powi(k as i32 % 3)).collect();
        row[0] += if i % 2 == 0 { -apart } else { apart };
        rows.push(row);
    }
    let signs = (0..n).map(|i| if i % 2 == 0 { Sign::Negative } else { Sign::Positive }).collect();
    (Dense::from_rows(&rows).unwrap(), BinaryLabels::new(signs).unwrap())
}

fn largest_difference(a: &Linear, b: &Linear) -> f64 {
    let pairs = a.weights().iter().zip(b.weights());
    pairs.map(|(a, b)| (a - b).abs()).fold((a.bias() - b.bias()).abs(), f64::max)
}

#[test]
fn a_separable_set_is_reported_with_the_hyperplane() {
    let examples = Dense::new(vec![-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 6, 1).unwrap();
    let labels = BinaryLabels::from_integers(&[0, 0, 0, 1, 1, 1]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit = Logistic::default().with_penalty(0.0).fit(&examples, &labels).unwrap();
    assert_eq!(fit.report.stop, Stop::Infeasible);
    let proof = fit.certificate.recession().unwrap();
    assert!(proof.is_complete() && proof.margins() == 6);
    let separation = proof.separation().unwrap();
    assert!(separation.margin > 0.5 && separation.verify(&set).unwrap().is_valid());
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    assert_eq!(fit.model.signs(&examples).unwrap(), labels.signs());
    // Another labelling is not separated by it.
    let other = BinaryLabels::from_integers(&[0, 0, 1, 0, 1, 1]).unwrap();
    assert!(!fit.certificate.verify(&TrainingSet::new(&examples, &other).unwrap()).unwrap().is_valid());
}

#[test]
fn quasi_complete_separation_is_reported_with_its_direction() {
    // Both classes at x = 0, nothing of the other class beyond.
    let examples = Dense::new(vec![-2.0, -1.0, 0.0, 0.0, 1.0, 2.0], 6, 1).unwrap();
    let labels = BinaryLabels::from_integers(&[0, 0, 0, 1, 1, 1]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit = Logistic::default().with_penalty(0.0).fit(&examples, &labels).unwrap();
    assert_eq!(fit.report.stop, Stop::Infeasible);
    let proof = fit.certificate.recession().unwrap();
    assert_eq!((proof.is_complete(), proof.growing(), proof.margins()), (false, 4, 6));
    assert!(proof.direction()[0].weights()[0] > 0.0);
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn quasi_complete_separation_is_found_in_many_dimensions() {
    for seed in 0..10 {
        let mut random = SplitMix64::new(seed);
        let (n, d) = (60 + 10 * seed as usize, 2 + seed as usize % 4);
        // Within a hyperplane of the data classes overlap; off it the side is the class.
        let mut rows = Vec::new();
        let mut signs = Vec::new();
        for i in 0..n {
            let mut row: Vec<f64> = (0..d).map(|_| (random.uniform(-8.0, 8.0)).round()).collect();
            let sign = if i % 2 == 0 { Sign::Negative } else { Sign::Positive };
            let off = if i % 3 == 0 { 0.0 } else { sign.value() * (1.0 + random.below(4) as f64) };
            let rest: f64 = row[1..].iter().sum();
            row[0] = off + rest + 3.0; // x₀ − Σ x − 3 is what tells them apart
            rows.push(row);
            signs.push(sign);
        }
        let examples = Dense::from_rows(&rows).unwrap();
        let labels = BinaryLabels::new(signs).unwrap();
        let fit = Logistic::default().with_penalty(0.0).fit(&examples, &labels).unwrap();
        assert_eq!(fit.report.stop, Stop::Infeasible, "seed {seed}: {:?}", fit.report);
        let proof = fit.certificate.recession().unwrap();
        assert!(!proof.is_complete() && proof.growing() == n - n.div_ceil(3), "seed {seed}: {proof:?}");
        assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid());
    }
}

#[test]
fn nearly_separable_is_not_separable() {
    for overlap in [1e-1, 1e-3, 1e-5, 1e-7] {
        let values = vec![-3.0, -2.0, -1.0, overlap, -overlap, 1.0, 2.0, 3.0];
        let examples = Dense::new(values, 8, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[0, 0, 0, 0, 1, 1, 1, 1]).unwrap();
        let fit = Logistic::default().with_penalty(0.0).fit(&examples, &labels).unwrap();
        assert_eq!(fit.report.stop, Stop::Converged, "{overlap}: {:?}", fit.certificate);
        assert!(fit.certificate.recession().is_none());
        assert!(fit.model.function().weights()[0] > 0.0);
        // And the other way round they are.
        let labels = BinaryLabels::from_integers(&[0, 0, 0, 1, 0, 1, 1, 1]).unwrap();
        let fit = Logistic::default().with_penalty(0.0).fit(&examples, &labels).unwrap();
        assert_eq!(fit.report.stop, Stop::Infeasible, "{overlap}");
        assert!(fit.certificate.recession().unwrap().is_complete());
    }
}

#[test]
fn several_classes_that_are_separable_are_reported() {
    let examples = Dense::new(vec![0.0, 1.0, 4.0, 5.0, 9.0, 10.0], 6, 1).unwrap();
    let labels = ClassLabels::from_integers(&[1, 1, 2, 2, 3, 3]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit = Multinomial::default().with_penalty(0.0).fit(&examples, &labels).unwrap();
    assert_eq!(fit.report.stop, Stop::Infeasible);
    assert!(fit.certificate.recession().unwrap().is_complete());
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    // Class 3 apart, classes 1 and 2 overlapping: quasi-complete.
    let labels = ClassLabels::from_integers(&[1, 2, 1, 2, 3, 3]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit = Multinomial::default().with_penalty(0.0).fit(&examples, &labels).unwrap();
    assert_eq!(fit.report.stop, Stop::Infeasible, "{:?}", fit.certificate);
    let proof = fit.certificate.recession().unwrap();
    assert!(!proof.is_complete() && proof.growing() == 8, "{proof:?}");
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn the_gap_bounds_what_any_other_function_gains() {
    for seed in 0..8 {
        let (examples, labels) = clouds(80, 1 + seed as usize % 5, 0.3, seed);
        let set = TrainingSet::new(&examples, &labels).unwrap();
        for penalty in [0.0, 1e-3, 1.0, 100.0] {
            let fit = Logistic::default().with_penalty(penalty).fit(&examples, &labels).unwrap();
            let fit = fit.converged().unwrap();
            let figures = fit.certificate.figures();
            assert!(figures.relative_gap() <= 1e-10 && figures.infeasibility < 1e-12, "{figures:?}");
            assert!(figures.dual <= figures.primal * (1.0 + 1e-14));
            assert!(fit.certificate.verify(&set).unwrap().is_valid());
            let function = fit.model.function();
            for k in 0..=examples.dim() {
                for change in [1e-3, -1e-3] {
                    let (mut w, mut b) = (function.weights().to_vec(), function.bias());
                    *w.get_mut(k).unwrap_or(&mut b) += change;
                    let other = Linear::new(w, b).unwrap();
                    assert!(objective(&examples, &labels, &other, penalty) >= figures.dual, "seed {seed}");
                }
            }
        }
    }
}

/// The objective by its definition.
fn objective(examples: &Dense<'_>, labels: &BinaryLabels, f: &Linear, penalty: f64) -> f64 {
    let values = f.decision_values(examples).unwrap();
    let loss: f64 = values.iter().zip(labels.values()).map(|(f, y)| (-y * f).exp().ln_1p()).sum();
    loss + 0.5 * penalty * f.norm() * f.norm()
}

#[test]
fn a_fit_driven_block_by_block_is_the_fit_in_memory() {
    let (examples, labels) = clouds(5000, 7, 0.4, 3);
    let weights = Weights::new((0..5000).map(|i| f64::from(i % 3)).collect()).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    for penalty in [0.0, 2.0] {
        let whole = Logistic::default().with_penalty(penalty).fit_with(&set, &Control::default()).unwrap();
        let whole = whole.converged().unwrap();
        let frame = Frame::of(&examples, Some(&weights), penalty).unwrap();
        let mut irls = Irls::binary(frame, penalty, 1e-10).unwrap();
        let mut state = IrlsState::Continue;
        while state == IrlsState::Continue {
            let mut total = irls.statistics().unwrap();
            for start in (0..5000).step_by(700) {
                let rows: Vec<usize> = (start..5000.min(start + 700)).collect();
                let part = lm_core::Selection::new(&examples, &rows).unwrap();
                let signs: Vec<Sign> = rows.iter().map(|&row| labels.signs()[row]).collect();
                let own = Weights::new(rows.iter().map(|&row| weights.values()[row]).collect()).unwrap();
                let mut statistics = irls.statistics().unwrap();
                statistics.add(&part, &signs, Some(&own)).unwrap();
                // The way to another machine and back.
                let text = serde_json::to_string(&statistics).unwrap();
                let back: LogisticStatistics = serde_json::from_str(&text).unwrap();
                assert_eq!(back, statistics);
                total.merge(&back).unwrap();
            }
            state = irls.take(&total).unwrap();
        }
        assert_eq!(state, IrlsState::Settled);
        let function = &irls.functions().unwrap()[0];
        let off = largest_difference(function, whole.model.function());
        assert!(off < 1e-9 * whole.model.function().norm(), "{off}");
    }
}

#[test]
fn statistics_of_another_point_or_frame_are_refused() {
    let frame = Frame::identity(1).unwrap();
    let at = |w: f64| LogisticStatistics::binary(&frame, &Linear::new(vec![w], 0.0).unwrap()).unwrap();
    assert!(at(0.0).merge(&at(1.0)).is_err());
    let mut irls = Irls::binary(frame.clone(), 1.0, 1e-8).unwrap();
    assert!(irls.take(&at(1.0)).is_err());
    let mut statistics = at(0.0);
    let examples = Dense::new(vec![1.0, 2.0], 2, 1).unwrap();
    assert!(statistics.add(&examples, &[Sign::Positive], None).is_err());
    assert!(statistics.add_classes(&examples, &[0, 2], None).is_err());
    let mut text = serde_json::to_value(&statistics).unwrap();
    text["gradient"] = serde_json::json!([0.0]);
    assert!(serde_json::from_value::<LogisticStatistics>(text).is_err());
}

#[test]
fn gradients_and_hessians_are_differences_of_losses() {
    let mut random = SplitMix64::new(5);
    let rows: Vec<Vec<f64>> = (0..40).map(|_| (0..3).map(|_| random.uniform(-1.0, 1.0)).collect()).collect();
    let (dense, classes) = (Dense::from_rows(&rows).unwrap(), (0..40).map(|i| i % 3).collect::<Vec<u32>>());
    let frame = Frame::new(vec![0.1, -0.2, 0.0], vec![2.0, 1.0, 0.5]).unwrap();
    let functions: Vec<Linear> =
        (0..3).map(|k| Linear::new(vec![0.3 * f64::from(k), -0.2, 0.1], 0.2).unwrap()).collect();
    let statistics = |theta: &[f64]| {
        let functions: Vec<Linear> = theta
            .chunks(4)
            .map(|t| {
                let w: Vec<f64> = (0..3).map(|k| t[k] * frame.scale()[k]).collect();
                let shift: f64 = w.iter().zip(frame.centre()).map(|(w, c)| w * c).sum();
                Linear::new(w, t[3] - shift).unwrap()
            })
            .collect();
        let mut statistics = LogisticStatistics::classes(&frame, &functions).unwrap();
        statistics.add_classes(&dense, &classes, None).unwrap();
        statistics
    };
    let at = LogisticStatistics::classes(&frame, &functions).unwrap().point().to_vec();
    let (here, h) = (statistics(&at), 1e-5);
    let hessian = here.hessian().unwrap();
    for j in 0..12 {
        let (mut up, mut down) = (at.clone(), at.clone());
        up[j] += h;
        down[j] -= h;
        let (up, down) = (statistics(&up), statistics(&down));
        assert!(close((up.loss() - down.loss()) / (2.0 * h), here.gradient()[j], 1e-6, 1e-7), "{j}");
        for i in j..12 {
            let difference = (up.gradient()[i] - down.gradient()[i]) / (2.0 * h);
            assert!(close(difference, hessian[(i, j)], 1e-6, 1e-7), "{i} {j}");
        }
    }
}

#[test]
fn two_classes_of_many_are_the_binary_machine() {
    let (examples, labels) = clouds(60, 3, 0.3, 9);
    let integers: Vec<i64> = labels.signs().iter().map(|&sign| labels.class_of(sign)).collect();
    let classes = ClassLabels::from_integers(&integers).unwrap();
    let exact = |penalty: f64| Logistic::default().with_penalty(penalty).with_tolerance(1e-14);
    for penalty in [0.0, 0.5] {
        let binary = exact(penalty).fit(&examples, &labels).unwrap().converged().unwrap();
        // ½λ'(‖w₀‖² + ‖w₁‖²) with w₁ = −w₀ = w/2 is ¼λ'‖w‖².
        let many = Multinomial::default().with_penalty(2.0 * penalty).with_tolerance(1e-14);
        let many = many.fit(&examples, &classes).unwrap().converged().unwrap();
        let difference = many.model.machine().boundary(1, 0).unwrap();
        let off = largest_difference(&difference, binary.model.function());
        assert!(off < 1e-10 * binary.model.function().norm().max(1.0), "{penalty}: {off}");
    }
}

#[test]
fn a_linear_kernel_is_the_primal_machine() {
    let (examples, labels) = clouds(50, 2, 0.3, 4);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    for penalty in [0.05, 2.0] {
        let primal = Logistic::default().with_penalty(penalty).with_tolerance(1e-13);
        let primal = primal.fit(&examples, &labels).unwrap().converged().unwrap();
        let dual = KernelLogistic::default().with_penalty(penalty).with_tolerance(1e-13);
        let dual = dual.fit(&gram, &labels).unwrap().converged().unwrap();
        let model: DualExpansion = dual.model;
        let off = largest_difference(&model.over_columns(&examples).unwrap(), primal.model.function());
        assert!(off < 1e-9 * primal.model.function().norm().max(1.0), "{penalty}: {off}");
        let (a, b) = (primal.certificate.figures(), dual.certificate.figures());
        assert!(close(a.primal, b.primal, 1e-11, 0.0) && close(a.dual, b.dual, 1e-10, 0.0));
    }
}

#[test]
fn many_columns_by_conjugate_gradients_are_the_same_machine() {
    // A budget of memory that no Hessian fits into.
    let (examples, labels) = clouds(300, 12, 0.2, 6);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let sparse = Csr::from_rows(&examples).unwrap();
    let sparse_set = TrainingSet::new(&sparse, &labels).unwrap();
    let small = Control::new(Budget::default().with_memory(16_000));
    for penalty in [0.1, 10.0] {
        let learner = Logistic::default().with_penalty(penalty).with_tolerance(1e-12);
        let formed = learner.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        assert!(formed.certificate.conditioning().is_some());
        for fit in [learner.fit_with(&set, &small).unwrap(), learner.fit_with(&sparse_set, &small).unwrap()] {
            let fit = fit.converged().unwrap();
            assert!(fit.certificate.conditioning().is_none());
            let off = largest_difference(fit.model.function(), formed.model.function());
            assert!(off < 1e-6 * formed.model.function().norm(), "{penalty}: {off}");
            assert!(fit.certificate.verify(&set).unwrap().is_valid());
        }
    }
    let none = Control::new(Budget::default().with_memory(1));
    assert!(matches!(Logistic::default().fit_with(&set, &none), Err(Error::Memory { .. })));
    let separable = clouds(300, 12, 2.0, 6);
    let set = TrainingSet::new(&separable.0, &separable.1).unwrap();
    let fit = Logistic::default().with_penalty(0.0).fit_with(&set, &small).unwrap();
    assert_eq!(fit.report.stop, Stop::Infeasible);
    assert!(fit.certificate.recession().unwrap().is_complete());
}

#[test]
fn several_classes_by_conjugate_gradients_are_the_same_machine() {
    let (examples, _) = clouds(200, 5, 0.0, 8);
    let labels =
        ClassLabels::from_integers(&(0..200).map(|i| (i * i / 3) % 4).collect::<Vec<i64>>()).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let learner = Multinomial::default().with_penalty(0.3).with_tolerance(1e-12);
    let formed = learner.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
    let small = Control::new(Budget::default().with_memory(32_000));
    let truncated = learner.fit_with(&set, &small).unwrap().converged().unwrap();
    for (a, b) in formed.model.machine().functions().iter().zip(truncated.model.machine().functions()) {
        assert!(largest_difference(a, b) < 1e-6);
    }
    assert!(truncated.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn columns_far_from_the_origin_and_of_any_size_make_no_difference() {
    let (examples, labels) = clouds(200, 3, 0.3, 11);
    let reference =
        Logistic::default().with_penalty(0.0).fit(&examples, &labels).unwrap().converged().unwrap();
    let values = reference.model.decision_values(&examples).unwrap();
    for (scale, shift) in [(1.0, 1e6), (1e100, 0.0), (1e-100, 0.0), (2.0_f64.powi(-900), 0.0), (1e300, 0.0)] {
        let rows: Vec<Vec<f64>> = (0..200)
            .map(|row| {
                let mut out = vec![0.0; 3];
                examples.row(row).write_to(&mut out);
                // The shift is a multiple of the rounding of the numbers: nothing is lost.
                out.iter().map(|x| ((x * 1024.0).round() / 1024.0 + shift) * scale).collect()
            })
            .collect();
        let moved = Dense::from_rows(&rows).unwrap();
        let fit = Logistic::default().with_penalty(0.0).fit(&moved, &labels).unwrap();
        assert_eq!(fit.report.stop, Stop::Converged, "{scale:e} {shift:e}: {:?}", fit.certificate);
        let found = fit.model.decision_values(&moved).unwrap();
        let off = found.iter().zip(&values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-2, "{scale:e} {shift:e}: {off}"); // the rounding to 1/1024 itself
    }
}

#[test]
fn columns_that_repeat_are_flagged() {
    let (examples, labels) = clouds(100, 2, 0.3, 12);
    let rows: Vec<[f64; 3]> = (0..100)
        .map(|row| {
            let mut out = [0.0; 2];
            examples.row(row).write_to(&mut out);
            [out[0], out[1], out[0]]
        })
        .collect();
    let repeated = Dense::from_rows(&rows).unwrap();
    let single = Logistic::default().with_penalty(0.0).fit(&examples, &labels).unwrap().converged().unwrap();
    let fit = Logistic::default().with_penalty(0.0).fit(&repeated, &labels).unwrap().converged().unwrap();
    let conditioning = fit.certificate.conditioning().unwrap();
    assert_eq!((conditioning.variables, conditioning.rank), (4, 3));
    // Of all solutions the one of least norm: both copies share the weight.
    let (w, s) = (fit.model.function().weights(), single.model.function().weights());
    assert!(close(w[0], w[2], 1e-9, 0.0) && close(w[0] + w[2], s[0], 1e-9, 0.0), "{w:?} {s:?}");
    let set = TrainingSet::new(&repeated, &labels).unwrap();
    assert!(matches!(fit.model.inference(&set), Err(Error::Numerical { .. })));
    assert!(matches!(LogisticModel::inference(&single.model, &set), Err(Error::Length { .. })));
}

#[test]
fn standard_errors_of_a_table_are_those_of_log_odds() {
    // 3 of 10 against 6 of 8: the slope is a log odds ratio with variance 1/3 + 1/7 + 1/6 + 1/2.
    let examples = Dense::new(vec![0.0, 0.0, 1.0, 1.0], 4, 1).unwrap();
    let labels = BinaryLabels::from_integers(&[1, 0, 1, 0]).unwrap();
    let weights = Weights::new(vec![3.0, 7.0, 6.0, 2.0]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    let fit = Logistic::default().with_penalty(0.0).fit_with(&set, &Control::default()).unwrap();
    let model = fit.converged().unwrap().model;
    let slope = (6.0_f64 / 2.0).ln() - (3.0_f64 / 7.0).ln();
    assert!(close(model.function().weights()[0], slope, 1e-12, 0.0));
    let inference = model.inference(&set).unwrap();
    let variance: f64 = 1.0 / 3.0 + 1.0 / 7.0 + 1.0 / 6.0 + 1.0 / 2.0;
    assert!(close(inference.standard_errors()[0], variance.sqrt(), 1e-11, 0.0));
    assert!(close(inference.bias_error(), (1.0_f64 / 3.0 + 1.0 / 7.0).sqrt(), 1e-11, 0.0));
    let null = 9.0 * 0.5_f64.ln() * 2.0;
    assert!(close(inference.null_log_likelihood(), null, 1e-13, 0.0));
    assert!(inference.log_likelihood() > inference.null_log_likelihood());
}

#[test]
fn a_forged_certificate_is_found_out() {
    let (examples, labels) = clouds(60, 2, 0.3, 2);
    let fit = Logistic::default().fit(&examples, &labels).unwrap().converged().unwrap();
    let (other, other_labels) = clouds(60, 2, 0.31, 2);
    let set = TrainingSet::new(&other, &other_labels).unwrap();
    assert!(!fit.certificate.verify(&set).unwrap().is_valid());
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let dual = KernelLogistic::default().fit(&gram, &labels).unwrap().converged().unwrap();
    let moved = VectorGram::new(&other, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let set = TrainingSet::new(&moved, &labels).unwrap();
    assert!(!dual.certificate.verify(&set).unwrap().is_valid());
    let firth = FirthLogistic::default().fit(&examples, &labels).unwrap().converged().unwrap();
    assert!(firth.certificate.figures().score < 1e-12);
    assert!(!firth.certificate.verify(&TrainingSet::new(&other, &labels).unwrap()).unwrap().is_valid());
}

#[test]
fn settings_outside_their_domain_are_named() {
    let (examples, labels) = clouds(10, 1, 0.3, 1);
    for penalty in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = Logistic::default().with_penalty(penalty).fit(&examples, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "penalty", .. })));
    }
    for tolerance in [0.0, 1.0, f64::NAN] {
        let refused = Logistic::default().with_tolerance(tolerance).fit(&examples, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "tolerance", .. })));
        let refused = FirthLogistic::default().with_tolerance(tolerance).fit(&examples, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "tolerance", .. })));
    }
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    for penalty in [0.0, f64::NAN] {
        let refused = KernelLogistic::default().with_penalty(penalty).fit(&gram, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "penalty", .. })));
    }
}
