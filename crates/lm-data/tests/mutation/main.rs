//! Readers against mutated files: no panic, no endless loop, no allocation beyond 2 × the input + 16 MB.
//!
//! Small valid files are mutated by a seeded generator (flipped bits, inserted, deleted and copied bytes, cuts, and
//! words that readers dislike) and given to each reader. Every outcome but `Ok` or `Err` fails, and so does a run
//! whose memory ever exceeds the bound, whether in one allocation or in all that live together. For gzip, the input
//! is the text it unfolds to.
//!
//! This is a test binary of its own because it counts every allocation of its process. By default each reader gets
//! 50 000 files; `LM_MUTATIONS` sets another number:
//!
//! ```text
//! LM_MUTATIONS=10000000 cargo test -p lm-data --release --test mutation
//! ```

// The helpers of tests fail by panicking, as the tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "test helpers")]

mod counting;

use std::io::{Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lm_core::{Collection, Csr, Error};
use lm_data::libsvm::Kernel;
use lm_data::{csv, liblinear, libsvm, svmlight};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

/// Readers run one at a time, so that each is charged with its own memory only.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    // The failure of one reader says nothing of the others.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const SVMLIGHT: [&[u8]; 6] = [
    b"+1 1:0.5 3:-2e-3 7:1\n-1 2:1.25 3:4\n+1 5:100000\n",
    b"# made by hand\r\n3 qid:1 1:0.1 2:.2 3:3. # end\r\n\r\n-0.5 9:1e10 10:123456789.987654321\r\n",
    b"\xEF\xBB\xBF0 1:1\n1 1:1 2147483647:1\n2\n",
    b"1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 12:1 13:1 14:1 15:1 16:1\n",
    b"1e5 1:-0.000000000000000000001234567890123456789 2:98765432109876543210\n\n\n-1 1:1",
    b"1 1:1\n1 1:2\n1 1:3\n1 1:4\n1 1:5\n1 1:6\n1 1:7\n1 1:8\n1 1:9\n",
];

const CSV: [&[u8]; 6] = [
    b"a,b,y\n1,2,3\n4.5,-6e-2,7\n8,9,10\n",
    b"\xEF\xBB\xBF\"first \"\"x\"\"\",\"b,c\",Class\r\n1,2,no\r\n3,4,\"yes, or\nso\"\r\n5,6,no\r\n",
    b"1,2,setosa\n3,4,virginica\n5,6,setosa\n\n",
    b"5.1,3.5,1.4,0.2,0\n4.9,3,1.4,0.2,0\n7,3.2,4.7,1.4,1",
    b"y,u,v,w\n 1 , 2 ,\"3\",\t4\n0,0,0,0\n",
    b"x,target\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n",
];

/// Words that readers dislike.
const WORDS: [&[u8]; 30] = [
    b"nan",
    b"inf",
    b"-inf",
    b"1e400",
    b"1e-400",
    b":",
    b"::",
    b"#",
    b"99999999999999999999",
    b"2147483648",
    b"4294967296",
    b"-1",
    b"0:0",
    b"qid:1",
    b"\n",
    b"\r",
    b"\r\n",
    b"\0",
    b"\xEF\xBB\xBF",
    b"\"",
    b"\"\"",
    b",",
    b",,",
    b"0x1p3",
    b"+",
    b"1,5",
    b"e",
    b".",
    b"\x1f\x8b\x08\x00",
    b"000000000000000000000000000000",
];

fn mutations() -> u64 {
    std::env::var("LM_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(50_000)
}

/// Changes a file in one to six places.
fn mutate(rng: &mut ChaCha8Rng, file: &mut Vec<u8>) {
    for _ in 0..rng.random_range(1..=6) {
        let at = rng.random_range(0..=file.len());
        match rng.random_range(0..7) {
            0 => {
                if let Some(byte) = file.get_mut(at) {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
            1 => file.insert(at, rng.random()),
            2 => {
                let end = (at + rng.random_range(1..9)).min(file.len());
                file.drain(at..end);
            }
            3 => {
                let from = rng.random_range(0..=file.len());
                let end = (from + rng.random_range(1..40)).min(file.len());
                let copied = file[from..end].to_vec();
                file.splice(at..at, copied);
            }
            4 if rng.random_range(0..4) == 0 => file.truncate(at),
            4 | 5 => {
                file.splice(at..at, WORDS[rng.random_range(0..WORDS.len())].iter().copied());
            }
            _ => {
                if let Some(byte) = file.get_mut(at) {
                    *byte = b"0123456789.:eE+- \t\n,\"#"[rng.random_range(0..22)];
                }
            }
        }
    }
}

/// What a reader made of a file.
type Outcome = Result<(), Error>;

/// Mutates files and reads them. `unfolded` is the length of the text that a file holds.
fn run(
    name: &str,
    files: &[Vec<u8>],
    unfolded: impl Fn(&[u8]) -> usize,
    read: impl Fn(&[u8], &mut ChaCha8Rng) -> Outcome,
) {
    let _alone = alone();
    let (mut accepted, mut refused) = (0_u64, 0_u64);
    for round in 0..mutations() {
        let mut rng = ChaCha8Rng::seed_from_u64(round);
        let mut file = files[rng.random_range(0..files.len())].clone();
        mutate(&mut rng, &mut file);
        let bound = 2 * unfolded(&file) + (16 << 20);
        counting::start();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&file, &mut rng)));
        let (largest, peak) = counting::stop();
        match outcome {
            Ok(Ok(())) => accepted += 1,
            Ok(Err(_)) => refused += 1,
            Err(_) => panic!("{name}: panic in round {round} on {:?}", String::from_utf8_lossy(&file)),
        }
        assert!(largest <= bound, "{name}: an allocation of {largest} bytes in round {round}");
        assert!(peak <= bound, "{name}: {peak} bytes live in round {round}");
    }
    println!("{name}: {accepted} accepted, {refused} refused");
    // A mutation that always breaks the file, or never, would test nothing.
    assert!(accepted > mutations() / 100 && refused > mutations() / 100, "{name}: {accepted} {refused}");
}

#[test]
fn allocations_are_counted() {
    let _alone = alone();
    counting::start();
    drop(std::hint::black_box(vec![0_u8; 3 << 20]));
    let (largest, peak) = counting::stop();
    assert!(largest >= 3 << 20 && peak >= 3 << 20);
}

fn owned(files: &[&[u8]]) -> Vec<Vec<u8>> {
    files.iter().map(|file| file.to_vec()).collect()
}

/// Block sizes from one line to everything at once.
fn block(rng: &mut ChaCha8Rng) -> usize {
    [16, 64, 1 << 20][rng.random_range(0..3)]
}

fn svmlight_options(rng: &mut ChaCha8Rng) -> svmlight::Options {
    let options = svmlight::Options::default().with_block_bytes(block(rng));
    match rng.random_range(0..4) {
        0 => options.with_dim(16),
        1 => options.zero_based(true),
        2 => options.with_line_limit(60).with_text_limit(150),
        _ => options,
    }
}

fn stream_svmlight(reader: impl Read, options: &svmlight::Options) -> Outcome {
    for block in svmlight::Blocks::<_, f64>::new(reader, options)? {
        assert!(!block?.examples.is_empty());
    }
    Ok(())
}

#[test]
fn svmlight_in_memory() {
    run("svmlight in memory", &owned(&SVMLIGHT), <[u8]>::len, |file, rng| {
        let data = svmlight::read::<f64>(file, &svmlight_options(rng))?;
        assert_eq!(data.examples.len(), data.labels.len());
        Ok(())
    });
}

#[test]
fn svmlight_streamed() {
    run("svmlight streamed", &owned(&SVMLIGHT), <[u8]>::len, |file, rng| {
        let options = svmlight_options(rng);
        let outcome = stream_svmlight(file, &options);
        // Another cut of the text must not change the outcome.
        let other = stream_svmlight(file, &options.with_block_bytes(block(rng)));
        assert_eq!(outcome, other);
        outcome
    });
}

#[test]
fn svmlight_gzipped() {
    let gzip = |text: &&[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let mut files: Vec<Vec<u8>> = SVMLIGHT.iter().map(gzip).collect();
    files.push([gzip(&SVMLIGHT[0]), gzip(&SVMLIGHT[5])].concat());
    files.push(gzip(&&SVMLIGHT[3].repeat(20)[..]));
    // Deflate unfolds to at most 1032 times its size.
    run(
        "svmlight gzipped",
        &files,
        |file| 1032 * file.len(),
        |file, rng| {
            // Most mutations break the checksum; half of the rounds read a good file, so that both paths are run.
            let file = if rng.random() { file } else { &files[rng.next_u64() as usize % files.len()][..] };
            svmlight::read::<f32>(file, &svmlight::Options::default().with_block_bytes(block(rng)))?;
            Ok(())
        },
    );
}

#[test]
fn csv_in_memory() {
    run("CSV in memory", &owned(&CSV), <[u8]>::len, |file, rng| {
        let options = csv::Options::default().with_block_bytes(block(rng));
        let table = csv::read::<f64>(file, &options)?;
        assert_eq!(table.data.examples.len(), table.data.labels.len());
        Ok(())
    });
}

#[test]
fn csv_streamed() {
    run("CSV streamed", &owned(&CSV), <[u8]>::len, |file, rng| {
        let classes = ["no", "yes, or\nso", "setosa", "virginica"];
        let options = csv::Options::default().with_classes(classes).with_record_limit(100);
        let read = |options: &csv::Options| -> Result<usize, Error> {
            let mut rows = 0;
            for block in csv::Blocks::<_, f32>::new(file, options)? {
                rows += block?.labels.len();
            }
            Ok(rows)
        };
        let outcome = read(&options.clone().with_block_bytes(block(rng)));
        assert_eq!(outcome, read(&options.with_block_bytes(block(rng))));
        outcome.map(|_| ())
    });
}

/// The models of a file of the reference data.
fn models(text: &str) -> Vec<Vec<u8>> {
    let sections =
        text.split("=== ").filter(|section| !section.is_empty() && !section.starts_with("expected"));
    sections
        .filter_map(|section| section.split_once('\n'))
        .map(|(_, model)| model.as_bytes().to_vec())
        .collect()
}

#[test]
fn libsvm_models() {
    let files = models(include_str!("../data/libsvm_models.txt"));
    assert_eq!(files.len(), 25);
    run("LIBSVM models", &files, <[u8]>::len, |file, _| {
        let model = libsvm::read(file)?;
        // What was accepted can be used, and is written as what it is.
        let decided = match model.kernel() {
            Kernel::Vectors(_) => {
                let point = Csr::new(vec![0, 1], vec![0], vec![0.5], model.dim())?;
                model.probabilities(&point)?;
                model.decisions(&point)
            }
            Kernel::Precomputed => model.decisions_by_kernel(&[0.25; 32], 32),
        };
        match decided {
            Ok(values) => {
                assert!(model.outcome(values.row(0)?)?.is_finite());
            }
            Err(error) => assert!(matches!(error, Error::Numerical { .. } | Error::Index { .. }), "{error}"),
        }
        let mut text = Vec::new();
        libsvm::write(&mut text, &model)?;
        assert_eq!(libsvm::read(&text[..])?, model);
        Ok(())
    });
}

#[test]
fn liblinear_models() {
    let files = models(include_str!("../data/liblinear_models.txt"));
    assert_eq!(files.len(), 39);
    run("LIBLINEAR models", &files, <[u8]>::len, |file, _| {
        let model = liblinear::read(file)?;
        let point = Csr::new(vec![0, 1], vec![0], vec![0.5], model.dim())?;
        match model.predict(&point) {
            Ok(found) => assert!(found[0].is_finite()),
            Err(error) => assert!(matches!(error, Error::Numerical { .. }), "{error}"),
        }
        let mut text = Vec::new();
        liblinear::write(&mut text, &model)?;
        assert_eq!(liblinear::read(&text[..])?, model);
        Ok(())
    });
}
