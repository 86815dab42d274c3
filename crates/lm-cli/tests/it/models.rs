//! Model files: what is wrong with one is said, and a changed one never verifies.

use crate::workshop::Workshop;

#[test]
fn a_file_that_is_no_model_is_refused_with_its_place() {
    let workshop = Workshop::new();
    workshop.done("train svc pair.svm -o own.lm");
    let good = std::fs::read(workshop.path("own.lm")).unwrap();
    for cut in [0, 1, 7, 20, 27, 40, 60, good.len() / 2, good.len() - 1] {
        workshop.write("bad.lm", &good[..cut]);
        let said = workshop.refused("predict bad.lm pair.svm");
        assert!(said.starts_with("lm: bad.lm: "), "{cut}: {said}");
    }
    for place in (0..good.len()).step_by(7) {
        let mut bad = good.clone();
        bad[place] ^= 0x10;
        workshop.write("bad.lm", &bad);
        assert_eq!(workshop.lm("predict bad.lm pair.svm").code, 2, "byte {place}");
    }
    workshop.write("bad.lm", [&good[..], b"more"].concat());
    workshop.refused("predict bad.lm pair.svm");
    // Another version of the container.
    let mut other = good.clone();
    other[8] = 9;
    workshop.write("bad.lm", &other);
    assert!(workshop.refused("predict bad.lm pair.svm").contains("version"));
    assert!(workshop.refused("predict pair.svm own.lm").contains("pair.svm"));
    assert!(workshop.refused("train svc own.lm").contains("is a model"));
}

#[test]
fn data_that_were_not_trained_on_do_not_verify() {
    let workshop = Workshop::new();
    workshop.done("train svc pair.svm -o own.lm");
    let ran = workshop.lm("verify own.lm pair-test.svm --json");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json()["valid"], false);
    assert!(ran.json()["why"][0].as_str().unwrap().contains("SHA-256"));
    let wide = "+1 9:1\n-1 1:1\n";
    workshop.write("wide.svm", wide);
    assert!(workshop.refused("predict own.lm wide.svm").contains("index 9"));
}

#[test]
fn models_of_libsvm_and_liblinear_go_there_and_back() {
    let workshop = Workshop::new();
    for (machine, data, to) in [
        ("svc", "pair.svm", "libsvm"),
        ("svc --kernel poly --degree 2", "flowers.csv", "libsvm"),
        ("svc --probability --seed 1", "flowers.csv", "libsvm"),
        ("nu-svc --nu 0.2", "pair.svm", "libsvm"),
        ("svr", "prices.csv", "libsvm"),
        ("one-class", "pair.svm", "libsvm"),
        ("ridge", "prices.csv", "libsvm"),
        ("linear-svc", "pair.svm", "liblinear"),
        ("linear-svc", "flowers.csv", "liblinear"),
        ("logistic", "pair.svm", "liblinear"),
        ("lda", "flowers.csv", "liblinear"),
        ("ridge", "prices.csv", "liblinear"),
    ] {
        workshop.done(&format!("train {machine} {data} -o own.lm"));
        workshop.done(&format!("convert own.lm --to {to} -o other.model"));
        workshop.done("convert other.model --to lm -o again.lm");
        let own = workshop.done(&format!("predict own.lm {data} --json")).json();
        // Class names are no part of these formats: a table with them is read as numbers.
        let data = if data == "flowers.csv" {
            let text = crate::workshop::IRIS
                .replace("setosa", "0")
                .replace("versicolor", "1")
                .replace("virginica", "2");
            workshop.write("numbers.csv", text);
            "numbers.csv"
        } else {
            data
        };
        let again = workshop.done(&format!("predict again.lm {data} --json")).json();
        let key = if own["mse"].is_f64() { "mse" } else { "accuracy" };
        let (a, b) = (own[key].as_f64(), again[key].as_f64());
        match (a, b) {
            (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{machine}: {a} {b}"),
            _ => assert_eq!(a, b, "{machine}"),
        }
        let verified = workshop.lm(&format!("verify again.lm {data}"));
        assert_eq!(verified.code, 1, "{}", verified.err);
        assert!(verified.out.contains("no certificate"));
    }
    workshop.done("train svc pair.svm --scale standard -o own.lm");
    assert!(workshop.refused("convert own.lm --to libsvm -o x.model").contains("lm scale"));
    workshop.done("train svc pair.svm --kernel laplacian -o own.lm");
    workshop.refused("convert own.lm --to libsvm -o x.model");
    workshop.refused("convert own.lm --to liblinear -o x.model");
    assert!(!workshop.path("x.model").exists());
}

#[test]
fn a_plot_shows_regions_and_points() {
    let workshop = Workshop::new();
    workshop.done("train svc flowers.csv -o own.lm");
    assert!(workshop.refused("plot own.lm flowers.csv -o p.svg").contains("--features"));
    assert!(workshop.refused("plot own.lm flowers.csv --features 1,9 -o p.svg").contains("`9`"));
    assert!(workshop.refused("plot own.lm flowers.csv --features 1,1 -o p.svg").contains("twice"));
    workshop.done("plot own.lm flowers.csv --features 3,4 -o p.svg");
    let text = std::fs::read_to_string(workshop.path("p.svg")).unwrap();
    assert!(
        text.matches("<circle").count() >= 150
            && text.contains("setosa")
            && text.contains("petal length (cm)")
    );
}

/// CRC-64/XZ, bit by bit.
fn checksum(parts: [&[u8]; 2]) -> u64 {
    let step = |crc: u64, byte: &u8| {
        let bits = |crc: u64, _| if crc & 1 == 1 { (crc >> 1) ^ 0xC96C_5795_D787_0F42 } else { crc >> 1 };
        (0..8).fold(crc ^ u64::from(*byte), bits)
    };
    !parts.into_iter().flatten().fold(u64::MAX, step)
}

#[test]
fn a_forged_model_with_a_good_checksum_is_refused_or_invalid_and_never_breaks_anything() {
    let workshop = Workshop::new();
    for (machine, data) in [
        ("svc", "pair.svm"),
        ("svc --probability --seed 1", "flowers-train.csv"),
        ("linear-svc", "flowers-train.csv"),
        ("perceptron --passes 20", "pair.svm"),
        ("winnow --passes 20", "pair.svm"),
        ("lp-svc", "pair.svm"),
        ("gp --gamma 1 --lambda 0.1", "prices.csv"),
        ("ridge --scale standard", "prices.csv"),
        ("lda", "pair.svm"),
        ("logistic", "flowers-train.csv"),
        ("ho-kashyap", "pair.svm"),
        ("kernel-ridge", "prices.csv"),
        ("one-class", "pair.svm"),
    ] {
        workshop.lm(&format!("train {machine} {data} -o own.lm"));
        let good = std::fs::read(workshop.path("own.lm")).unwrap();
        assert_eq!(
            checksum([&good[..20], &good[28..]]).to_le_bytes(),
            good[20..28],
            "the checksum of this test"
        );
        let kind = usize::from(u16::from_le_bytes([good[10], good[11]]));
        let start = 28 + kind;
        let (mut caught, mut all) = (0, 0);
        for (number, place) in (start..good.len()).step_by((good.len() - start) / 60 + 1).enumerate() {
            let mut bad = good.clone();
            bad[place] ^= [0x01, 0x80, 0x40, 0xff][number % 4];
            let crc = checksum([&bad[..20], &bad[28..]]);
            bad[20..28].copy_from_slice(&crc.to_le_bytes());
            workshop.write("bad.lm", &bad);
            let ran = workshop.lm(&format!("verify bad.lm {data}"));
            assert!((0..=2).contains(&ran.code), "{machine}, byte {place}: {} {}", ran.code, ran.err);
            let used = workshop.lm(&format!("predict bad.lm {data} -o -"));
            assert!(used.code == 0 || used.code == 2, "{machine}, byte {place}: {} {}", used.code, used.err);
            assert!(!used.out.contains("NaN"), "{machine}, byte {place}");
            caught += u32::from(ran.code != 0);
            all += 1;
        }
        // What is left are names, counts of the run, and settings that the certificate says nothing about.
        assert!(4 * caught > all, "{machine}: {caught} of {all} changes were noticed");
    }
}
