//! Data that are not as they must be: the right answer, or a message that says where and what is accepted.

use crate::workshop::Workshop;

#[test]
fn malformed_svmlight_files() {
    let workshop = Workshop::new();
    let refused: [(&str, &str); 17] = [
        ("d01", ""),
        ("d03", "abc 1:2\n1 1:1\n"),
        ("d04", "1:2 2:3\n1:1 2:2\n"),
        ("d05", "1 1:\n-1 1:2\n"),
        ("d07", "1 1:abc\n-1 1:2\n"),
        ("d08", "1 1:2x\n-1 1:2\n"),
        ("d09", "1 1:2 1:3\n-1 1:2\n"),
        ("d10", "1 2:2 1:3\n-1 1:2\n"),
        ("d12", "1 -1:2\n-1 1:2\n"),
        ("d13", "1 2147483648:2\n-1 1:2\n"),
        ("d14", "1 99999999999999999999:2\n-1 1:2\n"),
        ("d16", "1 1:1e400\n-1 1:2\n"),
        ("d17", "1 1:nan\n-1 1:2\n"),
        ("d17b", "1 1:inf\n-1 1:2\n"),
        ("d24", "1 1:0,5\n-1 1:2\n"),
        ("d29", "1,2 1:0.5\n1 1:2\n"),
        ("d06", "1\n-1\n"),
    ];
    for (name, text) in refused {
        workshop.write(name, text);
        for command in ["train svc", "cv svc", "separable", "scale -o out"] {
            let said = workshop.refused(&format!("{command} {name}"));
            assert!(said.starts_with(&format!("lm: {name}: ")), "{said}");
            assert!(said.contains("line 1"), "{said}");
        }
        workshop.refused(&format!("libsvm-train {name}"));
        assert!(!workshop.path(&format!("{name}.lm")).exists() && !workshop.path("out").exists());
        assert!(!workshop.path(&format!("{name}.model")).exists());
    }
    let long: String = (1..=200_000).map(|k| format!(" {k}:0.5")).collect();
    let accepted: [(&str, String); 5] = [
        ("d02", "1 1:2\n\n  \n-1 1:-2\n".to_owned()),
        ("d20", "\u{feff}1 1:2\n-1 1:-2\n".to_owned()),
        ("d21", "1 1:2\r\n-1 1:-2\r\n".to_owned()),
        ("d23", "1 1:2 # x\n# y\n-1 1:-2".to_owned()),
        ("d25", format!("1{long}\n-1 1:-2\n")),
    ];
    for (name, text) in accepted {
        workshop.write(name, text);
        let json = workshop.done(&format!("train svc {name} -o own.lm --json")).json();
        assert_eq!(json["examples"], 2, "{name}");
        assert_eq!(workshop.done(&format!("predict own.lm {name} --json")).json()["accuracy"], 1.0, "{name}");
    }
}

#[test]
fn values_and_labels_that_cannot_be_learned_from() {
    let workshop = Workshop::new();
    for (name, text, word) in [
        ("one-class.csv", "x,y\n1,5\n2,5\n", "class"),
        ("fractions.csv", "x,y\n1,1.2\n2,1.7\n", "integer"),
        ("nan.csv", "x,y\nnan,1\n2,0\n", "line 2"),
        ("inf.csv", "x,y\n1,1\ninf,0\n", "line 3"),
        ("empty-cell.csv", "x,z,y\n1,,1\n2,3,0\n", "line 2"),
        ("ragged.csv", "x,z,y\n1,2,1\n2,0\n", "line 3"),
        ("header-only.csv", "x,y\n", "row"),
    ] {
        workshop.write(name, text);
        for machine in ["svc", "linear-svc", "lda", "logistic", "perceptron", "ho-kashyap"] {
            let said = workshop.refused(&format!("train {machine} {name} -o own.lm"));
            assert!(said.contains(name) && said.contains(word), "{machine} {name}: {said}");
        }
    }
    assert!(!workshop.path("own.lm").exists());
}

#[test]
fn extreme_but_valid_data_get_an_answer() {
    let workshop = Workshop::new();
    for (name, text) in [
        ("opposite.csv", "x,y\n1,0\n1,1\n2,0\n2,1\n"),
        ("identical.csv", "x,z,y\n1,1,0\n1,1,1\n1,1,0\n1,1,1\n"),
        ("constant.csv", "x,z,w,y\n1,5,1,0\n2,5,2,0\n3,5,3,1\n4,5,4,1\n"),
        ("large.csv", "x,y\n1e160,0\n2e160,0\n3e160,1\n4e160,1\n"),
        ("labels.csv", "x,y\n1,1e10\n2,1e10\n3,2e10\n4,2e10\n"),
        ("small.csv", "x,y\n1e-300,0\n2e-300,0\n3e-300,1\n4e-300,1\n"),
    ] {
        workshop.write(name, text);
        for machine in [
            "svc",
            "linear-svc",
            "lda",
            "logistic",
            "perceptron",
            "relaxation",
            "winnow",
            "ho-kashyap",
            "lp-svc",
        ] {
            let ran = workshop.lm(&format!("train {machine} {name} -o own.lm --time-limit 5"));
            // An answer with its certificate, or a refusal that says what is wrong: never an empty or infinite model.
            match ran.code {
                0 | 3 => {
                    let verified = workshop.lm(&format!("verify own.lm {name}"));
                    // A replay in plain arithmetic may overflow where the run did not; it says so.
                    let overflow = name == "large.csv" && verified.err.contains("finite arithmetic");
                    assert!(
                        verified.code == 0 || overflow,
                        "{machine} {name}: {}{}",
                        verified.out,
                        verified.err
                    );
                    let out = workshop.done(&format!("predict own.lm {name} -o -")).out;
                    assert!(!out.contains("NaN") && !out.contains("inf"), "{machine} {name}: {out}");
                }
                2 => assert!(ran.err.starts_with("lm: "), "{}", ran.err),
                code => panic!("{machine} {name}: {code} {}", ran.err),
            }
        }
    }
}
