//! All machines: trained, used and verified, for people and for programs.

use serde_json::Value;

use crate::workshop::Workshop;

const CLASSIFIERS: [&str; 10] = [
    "svc",
    "nu-svc --nu 0.2",
    "linear-svc",
    "lp-svc",
    "perceptron",
    "winnow",
    "relaxation",
    "lda",
    "logistic",
    "ho-kashyap",
];
const REGRESSIONS: [&str; 7] = ["svr", "nu-svr", "lms --scale standard", "ls", "ridge", "kernel-ridge", "gp"];

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} of {value}"))
}

/// Trains, checks the JSON object that every machine gives, and verifies.
fn trained(workshop: &Workshop, machine: &str, data: &str) -> Value {
    let ran = workshop.lm(&format!("train {machine} {data} -o own.lm --json"));
    assert!(ran.code == 0 || ran.code == 3, "{machine} {data}: {}", ran.err);
    let json = ran.json();
    for key in
        ["primal", "dual", "gap", "kkt", "support_vectors", "peak_memory_bytes", "settings", "evidence"]
    {
        assert!(json.get(key).is_some(), "{machine}: {key} is missing in {json}");
    }
    for key in ["read", "prepare", "solve"] {
        assert!(number(&json["seconds"], key) >= 0.0);
    }
    assert_eq!(json["converged"].as_bool().unwrap(), ran.code == 0, "{machine}: {json}");
    assert_eq!(json["stop"] == "converged", ran.code == 0);
    assert!(json["iterations"].is_u64());
    let verified = workshop.done(&format!("verify own.lm {data} --json")).json();
    assert_eq!(verified["valid"], true, "{machine}: {verified}");
    // Whoever reads has the same certificate as whoever trained.
    let table = workshop.done(&format!("verify own.lm {data}")).out;
    assert!(table.starts_with("VALID\n"), "{table}");
    json
}

#[test]
fn every_classifier_trains_predicts_and_verifies_on_text_classes_and_on_sparse_data() {
    let workshop = Workshop::new();
    for machine in CLASSIFIERS {
        for (data, test, least) in
            [("flowers-train.csv", "flowers-test.csv", 0.3), ("pair.svm", "pair-test.svm", 0.3)]
        {
            let json = trained(&workshop, machine, data);
            let found = workshop.done(&format!("predict own.lm {test} --json")).json();
            assert!(number(&found, "accuracy") >= least, "{machine} {test}: {found}");
            let examples = found["examples"].as_u64().unwrap() as usize;
            let predictions = found["predictions"].as_array().unwrap();
            assert_eq!(predictions.len(), examples);
            let classes = json["classes"].as_array().unwrap();
            assert!(predictions.iter().all(|row| classes.contains(&row["prediction"])), "{found}");
            if ["lda", "logistic"].contains(&machine) {
                let shares: f64 = predictions[0]
                    .as_object()
                    .unwrap()
                    .iter()
                    .filter(|(key, _)| key.starts_with("probability"))
                    .map(|(_, value)| value.as_f64().unwrap())
                    .sum();
                assert!((shares - 1.0).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn every_regression_trains_predicts_and_verifies() {
    let workshop = Workshop::new();
    for machine in REGRESSIONS {
        trained(&workshop, machine, "prices.csv");
        let found = workshop.done("predict own.lm prices.csv --json").json();
        assert!(number(&found, "mse") >= 0.0 && found["accuracy"].is_null(), "{machine}: {found}");
        if ["ls", "ridge", "gp"].contains(&machine) {
            assert!(number(&found, "r2") > 0.95, "{machine}: {found}");
        }
    }
    let json = trained(&workshop, "one-class --nu 0.2", "pair.svm");
    assert!(number(&json, "gap") <= 1e-6);
    assert_eq!(
        workshop.done("predict own.lm pair.svm --json").json()["predictions"][0].as_object().unwrap().len(),
        2
    );
}

#[test]
fn a_gap_is_met_and_both_values_enclose_the_optimum() {
    let workshop = Workshop::new();
    let coarse = trained(&workshop, "svc --c 10 --gap 1e-2", "pair.svm");
    let fine = trained(&workshop, "svc --c 10 --gap 1e-10", "pair.svm");
    assert!(number(&fine, "gap") <= 1e-10 && number(&coarse, "gap") <= 1e-2);
    assert!(
        number(&coarse, "dual") <= number(&fine, "primal")
            && number(&fine, "dual") <= number(&coarse, "primal")
    );
}

#[test]
fn settings_that_a_machine_does_not_have_are_refused_by_name() {
    let workshop = Workshop::new();
    for (line, word) in [
        ("train ridge prices.csv --nu 0.5", "`--nu`"),
        ("train ls prices.csv --lambda 1", "`--lambda`"),
        ("train svc pair.svm --kernel gaussian --degree 2", "`--degree`"),
        ("train svc pair.svm --kernel linear --gamma 2", "`--gamma`"),
        ("train svc pair.svm --c 0", "cost"),
        ("train svc pair.svm --c nan", "cost"),
        ("train svc pair.svm --c -1", "cost"),
        ("train svc pair.svm --gamma 0", "gamma"),
        ("train svc pair.svm --gamma nan", "gamma"),
        ("train svc pair.svm --kernel poly --degree 0", "degree"),
        ("train svc pair.svm --kernel poly --degree -1", "degree"),
        ("train svc pair.svm --gap 0", "gap"),
        ("train svc pair.svm --gap nan", "gap"),
        ("train svc pair.svm --libsvm-eps 0", "libsvm_epsilon"),
        ("train nu-svc pair.svm --nu 1.5", "nu"),
        ("train svc pair.svm --class-weight 1=nan", "CLASS=WEIGHT"),
        ("train svc pair.svm --class-weight 7=2", "`7`"),
        ("train svc pair.svm --time-limit nan", "--time-limit"),
        ("train svc pair.svm --threads 0", "--threads"),
        ("train ridge flowers.csv", "text"),
        ("train nothing pair.svm", "nothing"),
        ("train svc pair.svm -o -", "standard output"),
        ("train svc pair.svm -o no/such/folder.lm", "no/such/folder.lm"),
        ("cv one-class pair.svm", "one-class"),
        ("grid lda pair.svm", "lda"),
        ("bounds no.lm pair.svm", "no.lm"),
    ] {
        let said = workshop.refused(line);
        assert!(said.contains(word), "lm {line} said {said}");
    }
    assert!(!workshop.path("pair.svm.lm").exists());
}

#[test]
fn weights_are_repetitions_and_are_kept_for_the_verification() {
    let workshop = Workshop::new();
    let pair = std::fs::read_to_string(workshop.path("pair.svm")).unwrap();
    let first = pair.lines().next().unwrap();
    workshop.write("twice.svm", format!("{first}\n{pair}"));
    let weights: String = pair.lines().enumerate().map(|(k, _)| if k == 0 { "2\n" } else { "1\n" }).collect();
    workshop.write("weights.txt", weights);
    let a = trained(&workshop, "svc --gap 1e-10", "twice.svm");
    let b = trained(&workshop, "svc --gap 1e-10 --weights weights.txt", "pair.svm");
    assert!((number(&a, "dual") - number(&b, "dual")).abs() < 1e-7 * number(&a, "dual"));
    assert!(workshop.refused("train svc flowers.csv --weights weights.txt").contains("weights"));
    workshop.write("bad.txt", "1\n-2\n");
    assert!(workshop.refused("train svc pair.svm --weights bad.txt").contains("line 2"));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let workshop = Workshop::new();
    for machine in ["svc", "linear-svc", "gp", "logistic"] {
        let data = if machine == "gp" { "prices.csv" } else { "flowers-train.csv" };
        let model = |threads: u32| {
            workshop.done(&format!("train {machine} {data} -o own.lm --threads {threads}"));
            workshop.done(&format!("predict own.lm {data} -o -")).out
        };
        assert_eq!(model(1), model(3), "{machine}");
    }
}

#[test]
fn cross_validation_and_grids_agree_on_the_same_folds() {
    let workshop = Workshop::new();
    let grid =
        workshop.done("grid svc pair.svm --log2c 0,2,2 --log2g -2,0,2 --seed 3 -o map.svg --json").json();
    assert_eq!(grid["cells"].as_array().unwrap().len(), 4);
    for cell in grid["cells"].as_array().unwrap() {
        let (c, gamma) = (number(cell, "c"), number(cell, "gamma"));
        let cv = workshop.done(&format!("cv svc pair.svm --c {c} --gamma {gamma} --seed 3 --json")).json();
        assert!((number(&cv, "accuracy") - number(cell, "accuracy")).abs() < 1e-12, "{cell} {cv}");
    }
    assert!(std::fs::read_to_string(workshop.path("map.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn separability_is_decided_with_a_proof_that_verify_checks() {
    let workshop = Workshop::new();
    let yes = workshop.done("separable flowers.csv --positive setosa -o yes.json --json").json();
    assert_eq!(yes["separable"], true);
    assert!(number(&yes, "margin") > 0.0);
    let no = workshop.lm("separable pair.svm -o no.json --json");
    assert_eq!((no.code, &no.json()["separable"]), (1, &Value::Bool(false)));
    assert!(!no.json()["proof"]["multipliers"].as_array().unwrap().is_empty());
    assert_eq!(workshop.done("verify yes.json flowers.csv --json").json()["valid"], true);
    assert_eq!(workshop.done("verify no.json pair.svm --json").json()["valid"], true);
    // Other data, and proofs that are changed.
    assert_eq!(workshop.lm("verify yes.json flowers-train.csv").code, 1);
    let proof = std::fs::read_to_string(workshop.path("no.json")).unwrap();
    let mut changed: Value = serde_json::from_str(&proof).unwrap();
    let own = changed["multipliers"][0][1].as_str().unwrap().to_owned();
    for forged in ["-1/2", "0", "1/3"] {
        changed["multipliers"][0][1] = Value::String(forged.to_owned());
        assert_ne!(forged, own);
        workshop.write("forged.json", changed.to_string());
        assert_eq!(workshop.lm("verify forged.json pair.svm").code, 1, "{forged}");
    }
    for broken in ["1/0", "x", "", "1/2/3", "1e5"] {
        changed["multipliers"][0][1] = Value::String(broken.to_owned());
        workshop.write("forged.json", changed.to_string());
        workshop.refused("verify forged.json pair.svm");
    }
    let proof = std::fs::read_to_string(workshop.path("yes.json")).unwrap();
    let mut changed: Value = serde_json::from_str(&proof).unwrap();
    changed["hyperplane"]["bias"] = Value::String("1000".to_owned());
    workshop.write("forged.json", changed.to_string());
    assert_eq!(workshop.lm("verify forged.json flowers.csv").code, 1);
}

#[test]
fn bounds_hold_for_what_was_seen() {
    let workshop = Workshop::new();
    workshop.done("train svc flowers-train.csv -o own.lm");
    let both = workshop.done("bounds own.lm flowers-train.csv --test flowers-test.csv --json").json();
    assert_eq!(both["trained_on_data"], true);
    let bounds = both["bounds"].as_array().unwrap();
    let tail = bounds.iter().find(|bound| bound["name"] == "test set, binomial tail").unwrap();
    assert!(number(tail, "value") > number(tail, "observed") && number(tail, "value") < 0.3, "{tail}");
    let alone = workshop.done("bounds own.lm flowers-test.csv --json").json();
    assert_eq!(alone["trained_on_data"], false);
    assert!(
        workshop.refused("bounds own.lm flowers-train.csv --test flowers-train.csv").contains("trained on")
    );
    assert!(workshop.refused("bounds own.lm flowers-train.csv --delta 2").contains("setting"));
    workshop.done("train svc pair.svm -o own.lm");
    let names = workshop.done("bounds own.lm pair.svm").out;
    for name in ["compression with errors", "ξα", "support vectors", "Rademacher margin", "PAC-Bayes"] {
        assert!(names.contains(name), "{name} is not in\n{names}");
    }
}
