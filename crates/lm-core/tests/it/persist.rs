//! Persistence: what is written comes back to the bit, and nothing else comes back at all.

use lm_core::multiclass::{DagModel, LinearMachine, OneVsOneModel, OneVsRestModel};
use lm_core::persist::{self, Persist};
use lm_core::{
    Csr, Dense, DualExpansion, Error, Hypothesis, Linear, SupportVectors, VectorExpansion, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use crate::allocation;
use crate::persist_files::Folder;

/// Numbers that are hard to keep: both zeros, subnormals, the extremes, and ones that need all their digits.
fn hard_numbers() -> Vec<f64> {
    let mut numbers = vec![0.0, -0.0, f64::MIN_POSITIVE, f64::MIN_POSITIVE / 8.0, -5e-324, 5e-324];
    numbers.extend([f64::MAX, f64::MIN, f64::EPSILON, 0.1, 1.0 / 3.0, -1e308, 2.0_f64.powi(53) + 2.0]);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    while numbers.len() < 200 {
        let number = f64::from_bits(random.next_u64());
        if number.is_finite() {
            numbers.push(number);
        }
    }
    numbers
}

pub(crate) fn linear() -> Linear {
    Linear::new(vec![0.5, -0.0, 5e-324], 1.0).unwrap()
}

/// An expansion for each storage of its support vectors.
fn expansions() -> Vec<VectorExpansion> {
    let dense = Dense::new(vec![1.0, 0.0, -2.5, 0.0, 0.0, 4.0], 2, 3).unwrap();
    let narrow = Dense::new(vec![1.0_f32, 0.0, -2.5, 0.0, 0.0, 4.0], 2, 3).unwrap();
    let supports = [
        SupportVectors::SparseF64(Csr::from_rows(&dense).unwrap()),
        SupportVectors::SparseF32(Csr::from_rows(&narrow).unwrap()),
        SupportVectors::DenseF64(dense),
        SupportVectors::DenseF32(narrow),
    ];
    let kernels = [
        VectorKernel::gaussian(0.5).unwrap(),
        VectorKernel::polynomial(3, 0.5, 1.0).unwrap(),
        VectorKernel::sigmoid(-0.5, 0.1).unwrap(),
        VectorKernel::laplacian(2.0).unwrap(),
    ];
    let pairs = supports.into_iter().zip(kernels);
    pairs
        .map(|(support, kernel)| VectorExpansion::new(kernel, support, vec![0.5, -1.5], 0.25).unwrap())
        .collect()
}

fn dual() -> DualExpansion {
    DualExpansion::new(vec![4, 0, 7], vec![1.0, -2.0, 5e-324], -0.0).unwrap()
}

/// CRC-64/XZ bit by bit, written apart from the library's.
fn crc64(bytes: impl Iterator<Item = u8>) -> u64 {
    !bytes.fold(u64::MAX, |crc, byte| {
        (0..8).fold(crc ^ u64::from(byte), |crc, _| (crc >> 1) ^ (0xC96C_5795_D787_0F42 * (crc & 1)))
    })
}

/// Makes the header of a container tell the truth about what follows it.
fn mend(bytes: &mut [u8]) {
    let kind = usize::from(u16::from_le_bytes([bytes[10], bytes[11]]));
    let payload = bytes.len().saturating_sub(28 + kind) as u64;
    bytes[12..20].copy_from_slice(&payload.to_le_bytes());
    let checksum = crc64(bytes[..20].iter().chain(&bytes[28..]).copied());
    bytes[20..28].copy_from_slice(&checksum.to_le_bytes());
}

/// A container made by hand.
fn container(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89LM\r\n\x1a\n\0\x01\0".to_vec();
    bytes.extend_from_slice(&(kind.len() as u16).to_le_bytes());
    bytes.resize(28, 0);
    bytes.extend_from_slice(kind.as_bytes());
    bytes.extend_from_slice(payload);
    mend(&mut bytes);
    bytes
}

/// The payload of a `Linear`.
fn linear_payload(weights: &[f64], bias: f64) -> Vec<u8> {
    let mut payload = (weights.len() as u64 * 8).to_le_bytes().to_vec();
    weights.iter().for_each(|weight| payload.extend_from_slice(&weight.to_le_bytes()));
    payload.extend_from_slice(&bias.to_le_bytes());
    payload
}

fn problem<M: Persist>(bytes: &[u8]) -> (u64, &'static str) {
    match persist::decode::<M>(bytes) {
        Err(Error::Container { offset, problem }) => (offset, problem),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("decoded"),
    }
}

#[test]
fn hard_numbers_come_back_to_the_bit() {
    let numbers = hard_numbers();
    let model = Linear::new(numbers.clone(), -0.0).unwrap();
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let binary: Linear = persist::decode(&persist::encode(&model).unwrap()).unwrap();
    let text: Linear = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
    for copy in [binary, text] {
        assert_eq!(bits(copy.weights()), bits(&numbers));
        assert_eq!(copy.bias().to_bits(), (-0.0_f64).to_bits());
    }
}

#[test]
fn every_kind_comes_back_in_both_forms() {
    fn check<M: Persist + PartialEq + std::fmt::Debug>(model: &M, kind: &str) {
        let bytes = persist::encode(model).unwrap();
        assert_eq!(persist::kind_of(&bytes).unwrap(), kind);
        assert_eq!(&persist::decode::<M>(&bytes).unwrap(), model);
        assert_eq!(&persist::read::<M>(&bytes[..]).unwrap(), model);
        let text = serde_json::to_string(model).unwrap();
        assert_eq!(&serde_json::from_str::<M>(&text).unwrap(), model, "{text}");
    }
    check(&linear(), "linear@1");
    check(&dual(), "dual-expansion@1");
    check(&VectorKernel::gaussian(0.25).unwrap(), "vector-kernel@1");
    expansions().iter().for_each(|model| check(model, "vector-expansion@1"));
}

#[test]
fn a_decoded_expansion_predicts_the_same_bits() {
    let points = Dense::new(hard_numbers()[..195].iter().map(|x| x % 3.0).collect(), 65, 3).unwrap();
    for model in expansions() {
        let copy: VectorExpansion = persist::decode(&persist::encode(&model).unwrap()).unwrap();
        let bits = |model: &VectorExpansion| -> Vec<u64> {
            model.decision_values(&points).unwrap().iter().map(|value| value.to_bits()).collect()
        };
        assert_eq!(bits(&copy), bits(&model));
    }
}

#[test]
fn the_form_on_disk_is_the_one_documented() {
    let model = Linear::new(vec![1.0, -2.0], 0.5).unwrap();
    let by_hand = container("linear@1", &linear_payload(&[1.0, -2.0], 0.5));
    assert_eq!(persist::encode(&model).unwrap(), by_hand);
    assert_eq!(crc64(b"123456789".iter().copied()), 0x995D_C9BB_DF19_39FA);
}

#[test]
fn every_damaged_byte_every_truncation_and_every_addition_is_refused() {
    for model in expansions().into_iter().take(3) {
        let bytes = persist::encode(&model).unwrap();
        for position in 0..bytes.len() {
            for change in 1..=255 {
                let mut damaged = bytes.clone();
                damaged[position] ^= change;
                assert!(persist::decode::<VectorExpansion>(&damaged).is_err(), "byte {position} ^ {change}");
            }
        }
        for len in 0..bytes.len() {
            assert!(persist::decode::<VectorExpansion>(&bytes[..len]).is_err(), "{len} bytes");
            assert!(persist::read::<VectorExpansion>(&bytes[..len]).is_err(), "{len} bytes");
        }
        for extra in 0..=255 {
            let longer = [&bytes[..], &[extra]].concat();
            let expected = (bytes.len() as u64, "bytes after the end of the container");
            assert_eq!(problem::<VectorExpansion>(&longer), expected);
            assert!(persist::read::<VectorExpansion>(&longer[..]).is_err());
        }
    }
}

#[test]
fn what_is_wrong_is_said_in_the_order_of_the_header() {
    let good = persist::encode(&linear()).unwrap();
    let changed = |at: usize, to: u8| {
        let mut bytes = good.clone();
        bytes[at] = to;
        mend(&mut bytes);
        bytes
    };
    let text = [
        problem::<Linear>(b""),
        problem::<Linear>(b"svm_type c_svc\n"),
        problem::<Linear>(&good[..20]),
        problem::<Linear>(&changed(8, 2)),
        problem::<Linear>(&changed(8, 0)),
        problem::<DualExpansion>(&good),
        problem::<Linear>(&container("linear@2", &[])),
        problem::<Linear>(&container("linear@1/linear@1", &[])),
        problem::<Linear>(&container("lin\near@1", &[])),
        problem::<Linear>(&container("", &[])),
        problem::<Linear>(&good[..good.len() - 1]),
        problem::<Linear>(&[&good[..], &[0]].concat()),
        problem::<Linear>(&[&good[..40], &[7], &good[41..]].concat()),
        problem::<Linear>(&container("linear@1", &linear_payload(&[1.0], 0.0)[..10])),
        problem::<Linear>(&container("linear@1", &[&linear_payload(&[1.0], 0.0)[..], &[0]].concat())),
        problem::<Linear>(&container("linear@1", &linear_payload(&[f64::NAN], 0.0))),
        problem::<VectorKernel>(&container("vector-kernel@1", &[9, 0, 0, 0])),
    ];
    let lines: Vec<String> = text.iter().map(|(offset, problem)| format!("{offset}: {problem}")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn numbers_that_make_no_model_are_refused_whatever_the_checksum_says() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(
            persist::decode::<Linear>(&container("linear@1", &linear_payload(&[1.0, bad], 0.0))).is_err()
        );
        assert!(persist::decode::<Linear>(&container("linear@1", &linear_payload(&[1.0], bad))).is_err());
        let gamma = [&2_u32.to_le_bytes()[..], &bad.to_le_bytes()].concat();
        assert!(persist::decode::<VectorKernel>(&container("vector-kernel@1", &gamma)).is_err());
    }
    assert!(persist::decode::<Linear>(&container("linear@1", &linear_payload(&[], 0.0))).is_err());
    assert!(serde_json::from_str::<Linear>(r#"{"weights":[],"bias":0.0}"#).is_err());
    assert!(serde_json::from_str::<VectorKernel>(r#"{"Gaussian":{"gamma":-1.0}}"#).is_err());
    assert!(serde_json::from_str::<DualExpansion>(r#"{"rows":[1],"coefficients":[],"bias":0.0}"#).is_err());
    let dense = r#"{"kernel":"Linear","support":{"DenseF64":{"len":2,"values":[1.0,2.0,3.0]}},"coefficients":[1.0,1.0],"bias":0.0}"#;
    assert!(serde_json::from_str::<VectorExpansion>(dense).is_err());
    let sparse = r#"{"kernel":"Linear","support":{"SparseF64":{"dim":2,"offsets":[0,1],"indices":[2],"values":[1.0]}},"coefficients":[1.0],"bias":0.0}"#;
    assert!(serde_json::from_str::<VectorExpansion>(sparse).is_err());
    assert!(serde_json::from_str::<VectorExpansion>(&sparse.replace("[2]", "[1]")).is_ok());
}

#[test]
fn a_claim_of_more_than_is_there_allocates_nothing() {
    for claimed in [1_u64 << 40, u64::MAX, u64::MAX - 7, 1 << 34] {
        let mut payload = claimed.to_le_bytes().to_vec();
        payload.resize(64, 1);
        let bytes = container("linear@1", &payload);
        let (result, peak) = allocation::peak(|| persist::decode::<Linear>(&bytes));
        assert!(result.is_err());
        assert!(peak < 4096, "{peak} bytes for a claim of {claimed}");
        let mut header = container("linear@1", &[]);
        header[12..20].copy_from_slice(&claimed.to_le_bytes());
        let (result, peak) = allocation::peak(|| persist::read::<Linear>(&header[..]));
        assert!(result.is_err());
        assert!(peak < 2 << 20, "{peak} bytes for a payload of {claimed}");
    }
}

/// The bytes that a decoder may hold at one time, for a file of `len` bytes.
fn allowed(len: usize) -> usize {
    2 * len + (16 << 20)
}

#[test]
fn a_large_model_is_read_within_its_bound() {
    const LEN: usize = 4 << 20;
    let folder = Folder::new("large");
    let path = folder.0.join("large.lm");
    let wide = Dense::new(vec![1.0_f64; LEN], LEN / 4, 4).unwrap();
    let offsets = (0..=LEN / 4).collect();
    let sparse = Csr::new(offsets, vec![3; LEN / 4], vec![1.0_f32; LEN / 4], 9).unwrap();
    let supports = [SupportVectors::DenseF64(wide), SupportVectors::SparseF32(sparse)];
    for support in supports {
        let model = VectorExpansion::new(VectorKernel::linear(), support, vec![1.0; LEN / 4], 0.0).unwrap();
        persist::save(&path, &model).unwrap();
        let len = std::fs::metadata(&path).unwrap().len() as usize;
        let (copy, peak) = allocation::peak(|| persist::load::<VectorExpansion>(&path).unwrap());
        assert_eq!(copy, model);
        assert!(peak <= allowed(len), "{peak} bytes for a file of {len}");
    }
    let model = DualExpansion::new((0..LEN).collect(), vec![1.0; LEN], 0.0).unwrap();
    let bytes = persist::encode(&model).unwrap();
    let (copy, peak) = allocation::peak(|| persist::decode::<DualExpansion>(&bytes).unwrap());
    assert_eq!(copy, model);
    assert!(peak <= bytes.len() + 4096, "{peak} bytes for {}", bytes.len());
}

#[test]
fn a_list_of_many_small_models_is_read_within_its_bound() {
    const CLASSES: i64 = 1200;
    let functions = vec![Linear::new(vec![1.0; 4], 0.5).unwrap(); (CLASSES * (CLASSES - 1) / 2) as usize];
    let model = OneVsOneModel::new((0..CLASSES).collect(), functions).unwrap();
    let bytes = persist::encode(&model).unwrap();
    let (copy, peak) = allocation::peak(|| persist::decode::<OneVsOneModel<Linear>>(&bytes).unwrap());
    assert_eq!(copy, model);
    assert!(peak <= allowed(bytes.len()), "{peak} bytes for {}", bytes.len());
    // A list that claims to be long, with nothing behind the claim.
    for claimed in [1_u64 << 40, u64::MAX] {
        let payload: Vec<u8> = [16, 1, 2, claimed].iter().flat_map(|number| number.to_le_bytes()).collect();
        let bytes = container("one-vs-one@1/linear@1", &payload);
        let (result, peak) = allocation::peak(|| persist::decode::<OneVsOneModel<Linear>>(&bytes));
        assert!(result.is_err() && peak < 4096, "{peak}");
    }
}

/// Damages a container in one of the ways in which files are damaged or forged.
fn mutate(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    const NUMBERS: [u64; 8] =
        [0, 1, u64::MAX, 1 << 40, 1 << 63, 8, 0x7FF0_0000_0000_0000, 0x7FF8_0000_0000_0000];
    for _ in 0..random.random_range(1..4) {
        if bytes.len() < 30 {
            return;
        }
        // Rarely in the header: what lies behind it is to be reached.
        let first = if random.random_range(0..8) == 0 { 0 } else { 28 };
        let at = random.random_range(first..bytes.len());
        match random.random_range(0..7) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = random.random(),
            2 => bytes.truncate(at.max(28)),
            3 => bytes.insert(at, random.random()),
            4 => drop(bytes.remove(at)),
            5 => {
                let number = NUMBERS[random.random_range(0..NUMBERS.len())].to_le_bytes();
                bytes.iter_mut().skip(at).zip(number).for_each(|(byte, new)| *byte = new);
            }
            _ => {
                let piece = bytes[at..bytes.len().min(at + 16)].to_vec();
                let to = random.random_range(28..=bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
}

/// Decodes as `M`. Whatever is accepted must be written back as the same bytes.
fn try_decode<M: Persist>(bytes: &[u8]) -> bool {
    let (result, peak) = allocation::peak(|| persist::decode::<M>(bytes));
    assert!(peak <= allowed(bytes.len()), "{peak} bytes for {bytes:?}");
    match result {
        Ok(model) => {
            assert_eq!(persist::encode(&model).unwrap(), bytes);
            true
        }
        Err(Error::Container { offset, .. }) => {
            assert!(offset <= bytes.len() as u64 + 28, "{offset} in {bytes:?}");
            false
        }
        Err(other) => panic!("{other} for {bytes:?}"),
    }
}

type Decoder = fn(&[u8]) -> bool;

/// A container of every kind, with the function that decodes it.
fn containers() -> Vec<(Vec<u8>, Decoder)> {
    fn of<M: Persist>(model: &M) -> (Vec<u8>, Decoder) {
        (persist::encode(model).unwrap(), try_decode::<M>)
    }
    let mut all = vec![of(&linear()), of(&dual()), of(&VectorKernel::polynomial(2, 1.0, 0.5).unwrap())];
    all.extend(expansions().iter().map(of));
    let functions = || vec![linear(), linear(), linear()];
    let pairwise = OneVsOneModel::new(vec![-4, 7, 1 << 40], functions()).unwrap();
    all.push(of(&pairwise));
    all.push(of(&DagModel::from(pairwise)));
    all.push(of(&OneVsRestModel::new(vec![1, 2, 3, 4], expansions()).unwrap()));
    all.push(of(&LinearMachine::new(vec![0, 1, 2], functions()).unwrap()));
    all
}

#[test]
fn mutated_containers_neither_panic_nor_allocate_nor_pass() {
    let count: u64 = std::env::var("LM_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let containers = containers();
    let (mut accepted, mut refused) = (0_u64, 0_u64);
    for seed in 0..count {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (original, decode) = &containers[random.random_range(0..containers.len())];
        let mut bytes = original.clone();
        mutate(&mut bytes, &mut random);
        let mended = random.random_range(0..4) != 0;
        if mended {
            mend(&mut bytes);
        }
        let run = || decode(&bytes);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let passed = outcome.unwrap_or_else(|_| panic!("seed {seed}: {bytes:?}"));
        assert!(mended || !passed || &bytes == original, "seed {seed}: damage was not noticed");
        if passed { accepted += 1 } else { refused += 1 }
    }
    // Both sides of the decoder are really visited: a changed weight is still a weight.
    assert!(accepted * 50 > count && refused * 4 > count, "{accepted} accepted, {refused} refused");
    eprintln!("{accepted} accepted, {refused} refused");
}
