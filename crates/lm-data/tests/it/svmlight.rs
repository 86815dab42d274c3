//! svmlight: the same bits by every way of reading, and a round trip without loss.

use lm_core::{Collection, Csr, Error, Examples};
use lm_data::svmlight::{self, Blocks, Options};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A random sparse set with numbers of all sizes.
fn random_set(seed: u64, rows: usize) -> (Csr<'static>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut offsets, mut indices, mut values, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    let number = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
        0 => f64::from(rng.random_range(-50..50)),
        1 => f64::from(rng.random_range(-1_000_000..1_000_000)) / 1e6,
        2 => rng.random::<f64>() - 0.5,
        _ => loop {
            let any = f64::from_bits(rng.random());
            if any.is_finite() {
                break any;
            }
        },
    };
    for _ in 0..rows {
        let mut column = 0;
        for _ in 0..rng.random_range(0..12) {
            column += rng.random_range(1..9);
            indices.push(column);
            values.push(number(&mut rng));
        }
        offsets.push(values.len());
        labels.push(number(&mut rng));
    }
    (Csr::new(offsets, indices, values, 128).unwrap(), labels)
}

fn written(examples: &impl Examples, labels: &[f64]) -> Vec<u8> {
    let mut text = Vec::new();
    svmlight::write(&mut text, examples, labels).unwrap();
    text
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn assert_same(a: &Csr<'_>, b: &Csr<'_>, context: &str) {
    assert_eq!((a.parts().0, a.parts().1, a.dim()), (b.parts().0, b.parts().1, b.dim()), "{context}");
    assert_eq!(bits(a.parts().2), bits(b.parts().2), "{context}");
}

#[test]
fn what_is_written_is_read_back_bit_for_bit() {
    for seed in 0..20 {
        let (examples, labels) = random_set(seed, 200);
        let text = written(&examples, &labels);
        let data = svmlight::read::<f64>(&text[..], &Options::default().with_dim(128)).unwrap();
        assert_same(&data.examples, &examples, &format!("seed {seed}"));
        assert_eq!(bits(&data.labels), bits(&labels), "seed {seed}");
    }
}

#[test]
fn narrow_numbers_are_read_back_bit_for_bit() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let finite = |rng: &mut ChaCha8Rng| loop {
        let any = f32::from_bits(rng.random());
        if any.is_finite() {
            break any;
        }
    };
    let values: Vec<f32> = (0..3000).map(|_| finite(&mut rng)).collect();
    let examples = lm_core::Dense::new(values, 300, 10).unwrap();
    let text = written(&examples, &[1.0; 300]);
    let data = svmlight::read::<f32>(&text[..], &Options::default().with_dim(10)).unwrap();
    for row in 0..300 {
        let mut back = [0.0; 10];
        data.examples.row(row).write_to(&mut back);
        let want: Vec<u32> = examples.slice(row).iter().map(|v| v.to_bits()).collect();
        assert_eq!(back.map(|v| (v as f32).to_bits()).to_vec(), want, "row {row}");
    }
}

#[test]
fn threads_blocks_and_streams_give_the_same_bits() {
    for seed in 0..4 {
        let (examples, labels) = random_set(100 + seed, 3000);
        let text = written(&examples, &labels);
        let whole = svmlight::read::<f64>(&text[..], &Options::default()).unwrap();
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for bytes in [100, 5000, 1 << 20] {
                let options = Options::default().with_block_bytes(bytes);
                let data = pool.install(|| svmlight::read::<f64>(&text[..], &options)).unwrap();
                assert_same(&data.examples, &whole.examples, &format!("seed {seed}, {threads} threads"));
                assert_eq!(bits(&data.labels), bits(&whole.labels));
                // A width that is known from the start, so that all blocks have it.
                let options = options.with_dim(whole.examples.dim());
                let mut row = 0;
                for block in Blocks::<_, f64>::new(&text[..], &options).unwrap() {
                    let block = block.unwrap();
                    for k in 0..block.examples.len() {
                        let (got, want) = (block.examples.sparse_row(k), whole.examples.sparse_row(row));
                        assert_eq!(got.indices(), want.indices());
                        assert_eq!(bits(got.values()), bits(want.values()));
                        assert_eq!(block.labels[k].to_bits(), whole.labels[row].to_bits());
                        row += 1;
                    }
                }
                assert_eq!(row, 3000);
            }
        }
    }
}

#[test]
fn the_first_of_several_errors_is_reported_by_every_way_of_reading() {
    let (examples, labels) = random_set(9, 2000);
    let text = written(&examples, &labels);
    let starts: Vec<usize> = (0..text.len()).filter(|&at| at > 0 && text[at - 1] == b'\n').collect();
    for (first, second) in [(10, 1500), (700, 701), (1990, 1995)] {
        let mut bad = text.clone();
        bad[starts[first]] = b'?';
        bad[starts[second]] = b'?';
        let place = |error: Error| match error {
            Error::Parse { line, offset, .. } => (line as usize, offset as usize),
            other => panic!("{other}"),
        };
        for bytes in [100, 5000, 1 << 20] {
            let options = Options::default().with_block_bytes(bytes);
            for _ in 0..5 {
                let error = svmlight::read::<f64>(&bad[..], &options).unwrap_err();
                assert_eq!(place(error), (first + 2, starts[first]));
            }
            let error = Blocks::<_, f64>::new(&bad[..], &options).unwrap().find_map(Result::err).unwrap();
            assert_eq!(place(error), (first + 2, starts[first]));
        }
    }
}

#[test]
fn a_pool_of_one_thread_may_read_from_inside() {
    let (examples, labels) = random_set(3, 5000);
    let text = written(&examples, &labels);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let options = Options::default().with_block_bytes(1000);
    let sets: Vec<_> = pool.install(|| {
        use rayon::prelude::*;
        (0..4).into_par_iter().map(|_| svmlight::read::<f64>(&text[..], &options).unwrap()).collect()
    });
    sets.iter().for_each(|set| assert_eq!(set.examples.len(), 5000));
}

#[test]
fn options_outside_their_domain_are_refused() {
    let options = Options::default();
    for bad in [
        options.clone().with_dim(0),
        options.clone().with_dim((1 << 31) + 1),
        options.clone().with_block_bytes(0),
        options.clone().with_line_limit(0),
        options.clone().with_text_limit(0),
    ] {
        assert!(
            matches!(svmlight::read::<f64>(&b"1 1:1\n"[..], &bad), Err(Error::Setting { .. })),
            "{bad:?}"
        );
        assert!(Blocks::<_, f64>::new(&b"1 1:1\n"[..], &bad).is_err());
    }
    let limited = options.with_line_limit(8);
    let refused = svmlight::read::<f64>(&b"1 1:1\n1 1:12345\n"[..], &limited);
    assert!(matches!(refused, Err(Error::Parse { line: 2, offset: 6, .. })));
}

#[test]
fn writing_checks_its_labels() {
    let (examples, labels) = random_set(1, 3);
    let mut out = Vec::new();
    assert!(matches!(svmlight::write(&mut out, &examples, &labels[..2]), Err(Error::Length { .. })));
    let refused = svmlight::write(&mut out, &examples, &[1.0, f64::NAN, 1.0]);
    assert_eq!(refused, Err(Error::NonFinite { what: "label", row: 1, column: None }));
    assert!(out.is_empty());
}
