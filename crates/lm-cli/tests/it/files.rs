//! Formats: CSV and svmlight, plain and gzip, files and standard input.

use std::io::Write;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::workshop::{Ran, Workshop, words};

fn piped(workshop: &Workshop, line: &str, input: &[u8]) -> Ran {
    let mut child = workshop
        .command()
        .args(words(line))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Ran::of(&child.wait_with_output().unwrap())
}

#[test]
fn gzip_and_standard_input_give_the_same_hash_and_model() {
    let workshop = Workshop::new();
    let text = std::fs::read(workshop.path("flowers.csv")).unwrap();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text).unwrap();
    let gzip = gzip.finish().unwrap();
    workshop.write("flowers.csv.gz", &gzip);
    let plain = workshop.done("train svc flowers.csv -o a.lm --json").json();
    let zipped = workshop.done("train svc flowers.csv.gz -o b.lm --json").json();
    let through = piped(&workshop, "train svc - -o c.lm --json", &gzip).json();
    for other in [&zipped, &through] {
        assert_eq!(plain["data_sha256"], other["data_sha256"]);
        assert_eq!(plain["dual"], other["dual"]);
    }
    assert_eq!(std::fs::read(workshop.path("a.lm")).unwrap(), std::fs::read(workshop.path("c.lm")).unwrap());
    workshop.done("verify b.lm flowers.csv");
    assert!(workshop.refused("train svc folder-that-is-not-there").contains("cannot be opened"));
    std::fs::create_dir(workshop.path("folder")).unwrap();
    assert!(workshop.refused("train svc folder").contains("folder: is a folder"));
    workshop.write("cut.csv.gz", &gzip[..gzip.len() / 2]);
    workshop.refused("train svc cut.csv.gz");
}

#[test]
fn the_target_is_found_by_its_name_or_named() {
    let workshop = Workshop::new();
    workshop.write("a.csv", "y,x\n0,1.5\n0,1\n1,3\n1,4\n");
    workshop.write("b.csv", "x;kind\n1.5;no\n1;no\n3;yes\n4;yes\n");
    workshop.write("c.csv", "x,label,z\n1.5,0,9\n1,0,8\n3,1,9\n4,1,8\n");
    workshop.write("d.csv", "1.5,0\n1,0\n3,1\n4,1\n");
    for (line, features) in [
        ("a.csv", 1),
        ("b.csv", 1),
        ("c.csv", 2),
        ("c.csv --target z", 2),
        ("d.csv", 1),
        ("d.csv --target 2", 1),
    ] {
        let json = workshop.done(&format!("train linear-svc {line} -o own.lm --json")).json();
        assert_eq!(json["features"], features, "{line}");
    }
    assert!(workshop.refused("train svc a.csv --target z").contains("target"));
    let json = workshop.done("train linear-svc b.csv -o own.lm --json").json();
    assert_eq!(json["classes"], serde_json::json!(["no", "yes"]));
}

#[test]
fn columns_are_known_by_name_in_any_order_and_the_target_may_be_missing() {
    let workshop = Workshop::new();
    workshop.write("train.csv", "a,b,y\n0,10,no\n1,11,no\n5,2,yes\n6,1,yes\n");
    workshop.done("train linear-svc train.csv -o own.lm");
    workshop.write("turned.csv", "b,a\n2,5\n10,0\n");
    let found = workshop.done("predict own.lm turned.csv -o -").out;
    let classes: Vec<&str> = found.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(classes, ["yes", "no"]);
    workshop.write("bare.csv", "5,2\n0,10\n");
    let found = workshop.done("predict own.lm bare.csv -o -").out;
    assert_eq!(found.lines().count(), 3);
    for (name, text, word) in [
        ("missing.csv", "b\n2\n", "`a`"),
        ("other.csv", "a,b,c\n1,2,3\n", "`c`"),
        ("text.csv", "b,a\nx,1\n2,3\n", "text"),
        ("narrow.csv", "1\n2\n", ""),
        ("unknown.csv", "a,b,y\n1,2,perhaps\n", "line 2"),
    ] {
        workshop.write(name, text);
        let said = workshop.refused(&format!("predict own.lm {name}"));
        assert!(said.contains(name) && said.contains(word), "{name}: {said}");
    }
}

#[test]
fn scaled_data_come_back_in_their_format() {
    let workshop = Workshop::new();
    workshop.done("scale flowers.csv -o scaled.csv --scale minmax --save own.scaling");
    let text = std::fs::read_to_string(workshop.path("scaled.csv")).unwrap();
    let cells = text.lines().skip(1).map(|line| line.split(',').next().unwrap().parse::<f64>().unwrap());
    let (least, most) = cells.fold((9.0_f64, -9.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    assert_eq!((least, most), (-1.0, 1.0));
    workshop.done("scale flowers.csv -o again.csv --restore own.scaling");
    assert_eq!(text, std::fs::read_to_string(workshop.path("again.csv")).unwrap());
    assert!(workshop.refused("scale prices.csv -o x.csv --restore own.scaling").contains("features"));
    // Training on scaled data is training with the scaling in the model.
    let outside = workshop.done("train svc scaled.csv -o a.lm --json").json();
    let inside = workshop.done("train svc flowers.csv --scale minmax -o b.lm --json").json();
    assert_eq!(outside["dual"], inside["dual"]);
    let a = workshop.done("predict a.lm scaled.csv -o -").out;
    assert_eq!(a, workshop.done("predict b.lm flowers.csv -o -").out);
}
