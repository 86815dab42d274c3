//! The table of malformed data files: each is read right or refused with its place, by every reader alike.

use std::io::Write;

use lm_core::{Collection, Error, Examples};
use lm_data::svmlight::{self, Blocks, Options};

/// What must happen to a text.
enum Wanted {
    /// So many examples and entries.
    Accept(usize, usize),
    /// A parse error at this line and byte.
    Refuse(u64, u64),
}
use Wanted::{Accept, Refuse};

fn table() -> Vec<(&'static str, Vec<u8>, Wanted)> {
    let long: Vec<u8> = std::iter::once(b"1".to_vec())
        .chain((1..=1_800_000).map(|k| format!(" {k}:0.5").into_bytes()))
        .flatten()
        .collect();
    assert!(long.len() >= 20_000_000);
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("d01 empty file", text(""), Refuse(1, 0)),
        ("d01 nothing but blank lines and comments", text("\n \n# x\n"), Refuse(1, 0)),
        ("d02 blank lines inside", text("1 1:1\n\n \t\n-1 1:2\n"), Accept(2, 2)),
        ("d03 label is text", text("1 1:1\nabc 1:2\n"), Refuse(2, 6)),
        ("d04 no label", text("1:2 2:3\n"), Refuse(1, 0)),
        ("d04 no label, indented", text(" 1:2 2:3\n"), Refuse(1, 1)),
        ("d05 no value", text("1 1:\n"), Refuse(1, 4)),
        ("d05 no value, more behind", text("1 1: 2:3\n"), Refuse(1, 4)),
        ("d06 no colon", text("1 1\n"), Refuse(1, 3)),
        ("d07 value is text", text("1 1:abc\n"), Refuse(1, 4)),
        ("d08 text behind the value", text("1 1:2x\n"), Refuse(1, 5)),
        ("d09 duplicate index", text("1 1:1 1:2\n"), Refuse(1, 6)),
        ("d10 descending index", text("1 2:1 1:2\n"), Refuse(1, 6)),
        ("d11 index 0", text("1 0:1\n"), Refuse(1, 2)),
        ("d12 index -1", text("1 -1:1\n"), Refuse(1, 2)),
        ("d13 index 2147483648", text("1 2147483648:1\n"), Refuse(1, 2)),
        ("d13 index 2147483647", text("1 2147483647:1\n"), Accept(1, 1)),
        ("d14 index 99999999999999999999", text("1 99999999999999999999:1\n"), Refuse(1, 2)),
        ("d15 leading zeros", text("1 0001:1 00000000012:1\n"), Accept(1, 2)),
        ("d16 value 1e400", text("1 1:1e400\n"), Refuse(1, 4)),
        ("d16 value 1e-400 rounds to zero", text("1 1:1e-400 2:5e-324\n"), Accept(1, 2)),
        ("d17 value nan", text("1 1:nan\n"), Refuse(1, 4)),
        ("d18 value inf", text("1 1:-inf\n"), Refuse(1, 4)),
        ("d19 label nan", text("nan 1:1\n"), Refuse(1, 0)),
        ("d19 label inf", text("+inf 1:1\n"), Refuse(1, 0)),
        ("d20 UTF-8 byte order mark", text("\u{feff}1 1:1\n"), Accept(1, 1)),
        ("d20 error behind a byte order mark", text("\u{feff}1 1:x\n"), Refuse(1, 7)),
        ("d21 CRLF", text("1 1:1\r\n\r\n-1 2:1 \r\n# x\r\n"), Accept(2, 2)),
        ("d22 no newline at the end", text("1 1:1\n-1 2:1"), Accept(2, 2)),
        ("d23 comment", text("# all\n1 1:1 # x 2:2\n1 1:3#y\n2#\n"), Accept(3, 2)),
        ("d24 decimal comma", text("1 1:0,5\n"), Refuse(1, 5)),
        ("d25 one long line", long, Accept(1, 1_800_000)),
        ("d26 hexadecimal", text("1 1:0x1p3\n"), Refuse(1, 5)),
        ("d27 NUL byte", text("1 1:1\0\n"), Refuse(1, 5)),
        ("d27 NUL byte in a comment", text("1 1:1 # \0\n"), Accept(1, 1)),
        ("d27 not UTF-8", b"1 1:1 \xff2:1\n".to_vec(), Refuse(1, 6)),
        ("d28 query number", text("1 qid:7 1:1\n"), Accept(1, 1)),
        ("d28 broken query number", text("1 qid: 1:1\n"), Refuse(1, 6)),
        ("d29 several labels", text("1,2 1:1\n"), Refuse(1, 1)),
        ("a label only", text("1\n1 1:1\n"), Accept(2, 1)),
        ("labels only", text("1\n2\n"), Refuse(1, 0)),
        ("a carriage return alone", text("1 1:1\r2 1:1\n"), Refuse(1, 5)),
        ("a long number", text(&format!("1 1:0.{}1\n", "3".repeat(5000))), Accept(1, 1)),
        ("plus signs", text("+1 1:+2.5 2:+.5 3:5.\n"), Accept(1, 3)),
        ("tabs", text("1\t1:1\t2:1\t\n"), Accept(1, 2)),
    ]
}

/// The number of examples and entries, or the error.
type Outcome = Result<(usize, usize), Error>;

fn in_memory(text: &[u8], options: &Options) -> Outcome {
    svmlight::read::<f64>(text, options).map(|data| (data.examples.len(), data.examples.entries()))
}

fn streamed(text: &[u8], options: &Options) -> Outcome {
    let mut total = (0, 0);
    let mut dim = 0;
    for block in Blocks::<_, f32>::new(text, options)? {
        let examples = block?.examples;
        assert!(examples.dim() >= dim);
        dim = examples.dim();
        total = (total.0 + examples.len(), total.1 + examples.entries());
    }
    Ok(total)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_malformed_file_is_read_right_or_refused_with_its_place() {
    for (name, text, wanted) in table() {
        let sizes: &[usize] = if text.len() > 1000 { &[1 << 16, 1 << 20] } else { &[1, 3, 8, 64, 1 << 20] };
        for &bytes in sizes {
            let options = Options::default().with_block_bytes(bytes);
            let mut outcomes = vec![in_memory(&text, &options), in_memory(&gzip(&text), &options)];
            // A stream cannot know before the end that no line has a feature.
            if name != "labels only" {
                outcomes.push(streamed(&text, &options));
            }
            for outcome in outcomes {
                match (&wanted, &outcome) {
                    (Accept(rows, entries), Ok(found)) => assert_eq!(found, &(*rows, *entries), "{name}"),
                    (Refuse(line, offset), Err(Error::Parse { line: l, offset: o, problem })) => {
                        assert_eq!((l, o), (line, offset), "{name}");
                        assert!(problem.contains("accepted") || problem.contains("NUL"), "{name}: {problem}");
                    }
                    _ => panic!("{name}, blocks of {bytes}: {outcome:?}"),
                }
            }
        }
    }
}

#[test]
fn d30_a_directory_is_refused_by_name() {
    let folder = std::env::temp_dir();
    let wanted = Error::Io { operation: "opening the data file", kind: std::io::ErrorKind::IsADirectory };
    assert_eq!(svmlight::open::<f64>(&folder, &Options::default()).unwrap_err(), wanted);
    assert_eq!(lm_data::csv::open::<f64>(&folder, &lm_data::csv::Options::default()).unwrap_err(), wanted);
    let missing = svmlight::open::<f64>(folder.join("lm-data-no-such-file"), &Options::default());
    assert!(matches!(missing, Err(Error::Io { kind: std::io::ErrorKind::NotFound, .. })));
}

#[test]
fn a_damaged_gzip_file_is_refused() {
    let whole = gzip(&b"1 1:1\n-1 2:1\n".repeat(1000));
    assert_eq!(in_memory(&whole, &Options::default()), Ok((2000, 2000)));
    for cut in [3, 12, whole.len() / 2, whole.len() - 1] {
        assert!(
            matches!(in_memory(&whole[..cut], &Options::default()), Err(Error::Io { .. })),
            "cut at {cut}"
        );
    }
    let mut flipped = whole.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 1; // the checksum
    assert!(matches!(in_memory(&flipped, &Options::default()), Err(Error::Io { .. })));
}

#[test]
fn members_of_a_gzip_file_are_read_one_after_the_other() {
    // The first member ends inside a line.
    let both = [gzip(b"1 1:1\n-1 2:"), gzip(b"1\n1 3:1\n")].concat();
    assert_eq!(in_memory(&both, &Options::default()), Ok((3, 3)));
    assert_eq!(streamed(&both, &Options::default()), Ok((3, 3)));
}

#[test]
fn a_gzip_bomb_stops_at_the_limit() {
    let bomb = gzip(&b"\n".repeat(50 << 20));
    assert!(bomb.len() < 1 << 20);
    let options = Options::default().with_text_limit(1 << 20);
    for outcome in [in_memory(&bomb, &options), streamed(&bomb, &options)] {
        assert!(matches!(outcome, Err(Error::Parse { offset: 1_048_576, .. })), "{outcome:?}");
    }
}

#[test]
fn a_reader_that_fails_is_reported_behind_the_lines_it_gave() {
    struct Failing(&'static [u8]);
    impl std::io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() {
                return Err(std::io::ErrorKind::ConnectionReset.into());
            }
            let n = buffer.len().min(self.0.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
    let good = svmlight::read::<f64>(Failing(b"1 1:1\n2 1:"), &Options::default());
    assert!(matches!(good, Err(Error::Io { kind: std::io::ErrorKind::ConnectionReset, .. })));
    let bad = svmlight::read::<f64>(Failing(b"1 1:x\n2 1:"), &Options::default());
    assert!(matches!(bad, Err(Error::Parse { line: 1, .. })));
}
