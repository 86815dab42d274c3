//! Scaling: known images, constant and enormous columns, sparse and dense alike, and a checked round trip by serde.

use lm_core::{Collection, Csr, Dense, Error, Examples, Hypothesis, Linear, persist};
use lm_data::scaling::{Scaled, Scaler, Scaling};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const KINDS: [Scaling; 5] = [
    Scaling::MinMax { low: 0.0, high: 1.0 },
    Scaling::MinMax { low: 2.0, high: 2.5 },
    Scaling::Standard,
    Scaling::MaxAbs,
    Scaling::UnitLength,
];

fn random(seed: u64, len: usize, dim: usize, size: f64) -> Dense<'static> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let value = |rng: &mut ChaCha8Rng| {
        if rng.random_bool(0.4) { 0.0 } else { size * (2.0 * rng.random::<f64>() - 1.0) }
    };
    Dense::new((0..len * dim).map(|_| value(&mut rng)).collect(), len, dim).unwrap()
}

fn column(examples: &Dense<'_>, column: usize) -> Vec<f64> {
    (0..examples.len()).map(|row| examples.slice(row)[column]).collect()
}

#[test]
fn images_are_what_the_kind_promises_at_every_size() {
    for (seed, size) in [1.0, 1e-300, 1e300, 1.7e308, 5e-324, 1e-310].into_iter().enumerate() {
        let examples = random(seed as u64, 40, 3, size);
        for kind in KINDS {
            let scaled = Scaler::fit(&examples, kind).unwrap().apply(&examples).unwrap();
            for k in 0..3 {
                let image = column(&scaled, k);
                let (least, largest) =
                    image.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
                match kind {
                    Scaling::MinMax { low, high } => assert_eq!((least, largest), (low, high), "size {size}"),
                    Scaling::MaxAbs => assert_eq!(least.abs().max(largest), 1.0, "size {size}"),
                    Scaling::Standard => {
                        let mean = image.iter().sum::<f64>() / 40.0;
                        let variance = image.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 40.0;
                        assert!(
                            mean.abs() < 1e-13 && (variance - 1.0).abs() < 1e-12,
                            "size {size}: {mean} {variance}"
                        );
                    }
                    _ => {}
                }
            }
            if kind == Scaling::UnitLength {
                for row in (0..40).filter(|&row| examples.slice(row).iter().any(|&v| v != 0.0)) {
                    assert!((scaled.norm_squared(row) - 1.0).abs() < 1e-14, "size {size}, row {row}");
                }
            }
        }
    }
}

#[test]
fn constant_columns_and_zero_rows_stay_finite() {
    // 0.1 three times has a mean that is not 0.1.
    let examples = Dense::new(vec![0.1, 0.0, 5.0, 0.1, 0.0, 5.0, 0.1, 0.0, 7.0], 3, 3).unwrap();
    for kind in KINDS {
        let scaled = Scaler::fit(&examples, kind).unwrap().apply(&examples).unwrap();
        let constant = column(&scaled, 0);
        match kind {
            Scaling::MinMax { low, .. } => assert_eq!(constant, [low; 3]),
            Scaling::Standard => assert_eq!(constant, [0.0; 3]),
            Scaling::MaxAbs => assert_eq!(constant, [1.0; 3]),
            _ => assert!(constant.iter().all(|v| v.is_finite())),
        }
    }
    let zeros = Dense::new(vec![0.0; 4], 2, 2).unwrap();
    let kept = Scaler::fit(&zeros, Scaling::UnitLength).unwrap().apply(&zeros).unwrap();
    assert_eq!(kept, zeros);
}

#[test]
fn sparse_and_dense_examples_are_scaled_alike_or_refused() {
    for seed in 0..10 {
        let dense = random(seed, 30, 6, 3.0);
        let sparse = Csr::from_rows(&dense).unwrap();
        for kind in KINDS {
            let scaler = Scaler::fit(&sparse, kind).unwrap();
            assert_eq!(scaler, Scaler::fit(&dense, kind).unwrap(), "seed {seed}");
            let image = scaler.apply(&dense).unwrap();
            assert_eq!(image, scaler.apply(&sparse).unwrap(), "seed {seed}");
            match scaler.apply_sparse(&sparse) {
                Ok(kept) => {
                    assert_eq!(kept.entries(), sparse.entries());
                    assert_eq!(Dense::copied(&kept).unwrap(), image, "seed {seed}, {kind:?}");
                }
                Err(error) => {
                    assert!(matches!(error, Error::Setting { .. }));
                    assert!(!matches!(kind, Scaling::MaxAbs | Scaling::UnitLength), "{kind:?}");
                }
            }
        }
        // All entries ≥ 0: the interval from 0 keeps zeros.
        let (offsets, indices, values) = sparse.parts();
        let positive = values.iter().map(|v| v.abs()).collect();
        let positive = Csr::new(offsets.to_vec(), indices.to_vec(), positive, 6).unwrap();
        let scaler = Scaler::fit(&positive, Scaling::MinMax { low: 0.0, high: 1.0 }).unwrap();
        assert_eq!(scaler.apply_sparse(&positive).unwrap().entries(), positive.entries());
    }
}

#[test]
fn other_widths_empty_intervals_and_overflow_are_refused() {
    let examples = random(1, 5, 3, 1.0);
    for kind in KINDS {
        let scaler = Scaler::fit(&examples, kind).unwrap();
        let wider = random(2, 5, 4, 1.0);
        assert!(matches!(scaler.apply(&wider), Err(Error::Length { expected: 3, found: 4, .. })));
        let sparse = Csr::from_rows(&wider).unwrap();
        assert!(matches!(scaler.apply_sparse(&sparse), Err(Error::Length { expected: 3, found: 4, .. })));
        assert!(matches!(scaler.apply_to(&mut [1.0; 2]), Err(Error::Length { .. })));
        assert!(matches!(scaler.apply_to(&mut [1.0, f64::NAN, 0.0]), Err(Error::NonFinite { .. })));
    }
    for (low, high) in [(1.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY)] {
        assert!(matches!(Scaler::fit(&examples, Scaling::MinMax { low, high }), Err(Error::Setting { .. })));
    }
    let tiny = random(3, 5, 1, 1e-300);
    let scaler = Scaler::fit(&tiny, Scaling::Standard).unwrap();
    let far = Dense::new(vec![1e300], 1, 1).unwrap();
    assert!(matches!(scaler.apply(&far), Err(Error::NonFinite { row: 0, column: Some(0), .. })));
}

#[test]
fn a_scaler_survives_serde_and_its_decoder_checks_it() {
    let examples = random(4, 20, 3, 10.0);
    for kind in KINDS {
        let scaler = Scaler::fit(&examples, kind).unwrap();
        let text = serde_json::to_string(&scaler).unwrap();
        let back: Scaler = serde_json::from_str(&text).unwrap();
        assert_eq!(back.apply(&examples).unwrap(), scaler.apply(&examples).unwrap());
        let wrong_width = text.replace("\"dim\":3", "\"dim\":4");
        let checked = serde_json::from_str::<Scaler>(&wrong_width);
        assert_eq!(checked.is_ok(), kind == Scaling::UnitLength);
        assert!(serde_json::from_str::<Scaler>(&text.replace("\"dim\":3", "\"dim\":0")).is_err());
    }
    for bad in [
        r#"{"scaling":"MaxAbs","dim":1,"units":[0.0],"shifts":[0.0],"spans":[1.0]}"#,
        r#"{"scaling":"MaxAbs","dim":1,"units":[1.0],"shifts":[0.0],"spans":[-1.0]}"#,
        r#"{"scaling":"MaxAbs","dim":1,"units":[1.0],"shifts":[],"spans":[1.0]}"#,
        r#"{"scaling":{"MinMax":{"low":1.0,"high":0.0}},"dim":1,"units":[1.0],"shifts":[0.0],"spans":[1.0]}"#,
    ] {
        assert!(serde_json::from_str::<Scaler>(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_model_is_saved_with_its_scaler_and_decides_alike() {
    let examples = random(5, 3000, 3, 100.0);
    let weights = Linear::new(vec![1.0, -2.0, 0.5], 0.25).unwrap();
    for kind in KINDS {
        let scaler = Scaler::fit(&examples, kind).unwrap();
        let wanted = weights.decision_values(&scaler.apply(&examples).unwrap()).unwrap();
        let model = Scaled::new(scaler.clone(), weights.clone());
        assert_eq!(model.decision_values(&examples).unwrap(), wanted);
        let bytes = persist::encode(&model).unwrap();
        let back: Scaled<Linear> = persist::decode(&bytes).unwrap();
        assert_eq!(back.decision_values(&examples).unwrap(), wanted);
        assert_eq!(persist::decode::<Scaler>(&persist::encode(&scaler).unwrap()).unwrap(), scaler);
        // Neither is taken for the other.
        assert!(persist::decode::<Linear>(&bytes).is_err() && persist::decode::<Scaler>(&bytes).is_err());
        let wider = random(6, 2, 4, 1.0);
        assert!(matches!(back.decision_values(&wider), Err(Error::Length { expected: 3, found: 4, .. })));
    }
}
