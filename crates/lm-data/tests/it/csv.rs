//! CSV: what is accepted, what is refused and where, round trips, and the same numbers by every way of reading.

use lm_core::{Dense, Error, Examples};
use lm_data::csv::{self, Blocks, Columns, Header, Options, Table};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn read(text: &str) -> Result<Table, Error> {
    csv::read(text.as_bytes(), &Options::default())
}

#[test]
fn headers_targets_and_classes_are_found() {
    let table = read("a,Label,b\n1,yes,2\n3,no,4\n5,yes,6\n").unwrap();
    assert_eq!(table.columns.features, ["a", "b"]);
    assert_eq!(table.columns.target, "Label");
    assert_eq!(table.columns.classes, Some(vec!["no".into(), "yes".into()]));
    assert_eq!(table.data.labels, [1.0, 0.0, 1.0]);
    assert_eq!(table.data.examples.contiguous(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));

    // No header: a number in the first row. No usual name: the last column.
    let table = read("1,2,setosa\n3,4,virginica\n").unwrap();
    assert_eq!(
        table.columns,
        Columns { classes: Some(vec!["setosa".into(), "virginica".into()]), ..Columns::numbered(2) }
    );
    assert_eq!(read("u,v\n1,2\n").unwrap().data.labels, [2.0]);

    let options = Options::default().with_target_column(0).with_header(Header::Absent);
    assert_eq!(csv::read::<f64>(&b"7,8\n9,10\n"[..], &options).unwrap().data.labels, [7.0, 9.0]);
    let options = Options::default().with_header(Header::Present);
    assert_eq!(csv::read::<f64>(&b"1,2\n9,10\n"[..], &options).unwrap().columns.features, ["1"]);
}

#[test]
fn quotes_blanks_marks_and_line_ends_are_as_rfc_4180_says() {
    let text = "\u{feff}\"a \"\"b\"\"\",\"c,\nd\",y\r\n\r\n 1 , \"2\" ,\t3\r\n4,5,6";
    let table = read(text).unwrap();
    assert_eq!(table.columns.features, ["a \"b\"", "c,\nd"]);
    assert_eq!(table.data.labels, [3.0, 6.0]);
    assert_eq!(table.data.examples.slice(0), [1.0, 2.0]);
    let options = Options::default().with_delimiter('\t');
    let table = csv::read::<f32>(&b"a\ty\n1 \t 2\n"[..], &options).unwrap();
    assert_eq!(table.data.examples.slice(0), [1.0]);
}

#[test]
fn what_is_refused_is_refused_with_line_and_byte() {
    for (text, line, offset) in [
        ("", 1, 0),
        ("\n\n", 1, 0),
        ("a,b\n", 1, 0),
        ("1\n2\n", 1, 0),
        ("a,y\n1,2\n3\n", 3, 8),
        ("a,y\n1,2\n3,4,5\n", 3, 12),
        ("a,y\n1,2\n,4\n", 3, 8),
        ("a,y\n1,2\n4,\n", 3, 10),
        ("a,y\n1,2\nNA,4\n", 3, 8),
        ("a,y\n1,2\nnan,4\n", 3, 8),
        ("a,y\n1,2\n1e999,4\n", 3, 8),
        ("a,y\n1,2\n1,abc\n", 3, 10),
        ("a,y\n1,abc\n1,2\n", 3, 12),
        ("a,y\n1,abc\n1,\n", 3, 12),
        ("a,y\n1,2\n0x1,4\n", 3, 8),
        ("a,y\n1,2\n1\"2,4\n", 3, 9),
        ("a,y\n1,2\n\"12,4\n", 3, 8),
        ("a,y\n1,2\n\"12\"x,4\n", 3, 12),
        ("a,y\n1,2\n1\r,4\n", 3, 9),
        ("a,y\n\"1\n\",2\n", 2, 4),
        ("a,y\n1,2\0\n", 2, 7),
    ] {
        for bytes in [1, 5, 1 << 20] {
            let options = Options::default().with_block_bytes(bytes);
            let error = csv::read::<f64>(text.as_bytes(), &options).unwrap_err();
            assert!(
                matches!(error, Error::Parse { line: l, offset: o, .. } if (l, o) == (line, offset)),
                "{text:?}, blocks of {bytes}: {error:?}"
            );
        }
    }
    let narrow = csv::read::<f32>(&b"a,y\n1e39,2\n"[..], &Options::default());
    assert!(matches!(narrow, Err(Error::Parse { line: 2, offset: 4, .. })));
}

#[test]
fn wrong_options_are_refused() {
    let text = &b"a,y\n1,2\n"[..];
    let options = Options::default();
    for delimiter in ['"', '.', '-', '+', '1', 'e', ' ', '\n', 'é'] {
        let refused = csv::read::<f64>(text, &options.clone().with_delimiter(delimiter));
        assert!(matches!(refused, Err(Error::Setting { .. })), "{delimiter:?}");
    }
    assert!(csv::read::<f64>(text, &options.clone().with_target_name("z")).is_err());
    assert!(csv::read::<f64>(text, &options.clone().with_target_column(2)).is_err());
    assert!(csv::read::<f64>(text, &options.clone().with_classes(["a", "a"])).is_err());
    assert!(csv::read::<f64>(&b"1,a\n"[..], &options.clone().with_target_name("z")).is_err());
    let unknown = csv::read::<f64>(&b"1,a\n2,b\n"[..], &options.with_classes(["a"]));
    assert!(matches!(unknown, Err(Error::Parse { line: 2, offset: 6, .. })));
}

#[test]
fn too_many_columns_are_refused_before_they_cost_memory() {
    let wide = ",".repeat(1 << 20);
    assert!(matches!(read(&wide), Err(Error::Parse { line: 1, .. })));
}

/// A random table, with names that need quotes.
fn random_table(seed: u64, rows: usize) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let finite = |rng: &mut ChaCha8Rng| loop {
        let any = if rng.random() {
            f64::from_bits(rng.random())
        } else {
            f64::from(rng.random_range(-99..99)) / 8.0
        };
        if any.is_finite() {
            break any;
        }
    };
    let values = (0..rows * 3).map(|_| finite(&mut rng)).collect();
    let classes: Vec<String> =
        ["", "a\nb", "a,b", "plain", "quo\"te", "über"].iter().skip(1).map(|&s| s.into()).collect();
    let labels: Vec<f64> =
        (0..rows).map(|row| if row < 5 { row as f64 } else { f64::from(rng.random_range(0..5)) }).collect();
    let columns = Columns {
        features: vec!["x,1".into(), " blank ".into(), String::new()],
        target: "class".into(),
        classes: Some(classes),
    };
    let examples = Dense::new(values, rows, 3).unwrap();
    Table { data: lm_data::Labelled { examples, labels }, columns }
}

#[test]
fn what_is_written_is_read_back_by_every_way_of_reading() {
    for seed in 0..10 {
        let table = random_table(seed, 300);
        let mut text = Vec::new();
        csv::write(&mut text, &table.data.examples, &table.data.labels, &table.columns).unwrap();
        let bits = |table: &Dense<'_>| -> Vec<u64> {
            table.contiguous().unwrap().iter().map(|v| v.to_bits()).collect()
        };
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for bytes in [1, 200, 1 << 20] {
                let options = Options::default().with_block_bytes(bytes);
                let back = pool.install(|| csv::read::<f64>(&text[..], &options)).unwrap();
                assert_eq!(back.columns, table.columns, "seed {seed}");
                assert_eq!(back.data.labels, table.data.labels, "seed {seed}");
                assert_eq!(bits(&back.data.examples), bits(&table.data.examples), "seed {seed}");

                let options = options.with_classes(table.columns.classes.clone().unwrap());
                let (mut values, mut labels) = (Vec::new(), Vec::new());
                for block in Blocks::<_, f64>::new(&text[..], &options).unwrap() {
                    let block = block.unwrap();
                    assert_eq!(block.examples.dim(), 3);
                    values.extend(bits(&block.examples));
                    labels.extend(block.labels);
                }
                assert_eq!((values, labels), (bits(&table.data.examples), table.data.labels.clone()));
            }
        }
    }
}

#[test]
fn a_stream_needs_the_names_of_its_classes() {
    let refused = Blocks::<_, f64>::new(&b"1,a\n2,b\n"[..], &Options::default()).err();
    assert!(matches!(refused, Some(Error::Setting { .. })));
}

#[test]
fn names_that_could_not_be_read_back_are_not_written() {
    let examples = Dense::new(vec![1.0], 1, 1).unwrap();
    let columns = |class: &str| Columns { classes: Some(vec![class.into()]), ..Columns::numbered(1) };
    for bad in ["", "1", "1e999"] {
        let refused = csv::write(&mut Vec::new(), &examples, &[0.0], &columns(bad));
        assert!(matches!(refused, Err(Error::Setting { .. })), "{bad:?}");
    }
    assert!(matches!(
        csv::write(&mut Vec::new(), &examples, &[1.0], &columns("a")),
        Err(Error::Label { .. })
    ));
    assert!(csv::write(&mut Vec::new(), &examples, &[0.5], &Columns::numbered(2)).is_err());
}
