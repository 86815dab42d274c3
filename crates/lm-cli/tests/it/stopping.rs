//! Runs that end early: the best machine so far, with a certificate that says how good it is.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::workshop::{Ran, Workshop, words};

#[test]
fn limits_end_a_run_with_code_3_and_an_honest_certificate() {
    let workshop = Workshop::new();
    let ran = workshop.lm("train svc pair.svm --c 1000 --iterations 3 -o own.lm --json");
    assert_eq!(ran.code, 3);
    assert_eq!((&ran.json()["stop"], &ran.json()["converged"]), (&"iterations".into(), &false.into()));
    assert!(ran.json()["gap"].as_f64().unwrap() > 1e-6);
    workshop.done("verify own.lm pair.svm");
    let ran = workshop.lm("train svc pair.svm --time-limit 0 -o own.lm --json");
    assert_eq!((ran.code, &ran.json()["stop"]), (3, &"time".into()));
    workshop.done("verify own.lm pair.svm");
    let memory = workshop.refused("train lp-svc flowers.csv --memory-limit 0 -o own.lm");
    assert!(memory.contains("bytes"), "{memory}");
}

/// Noise that no machine can learn, so that a run is long.
fn noise(rows: u64) -> String {
    let mut text = String::from("a,b,c,d,y\n");
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    for _ in 0..rows {
        text += &format!("{},{},{},{},{}\n", next(), next(), next(), next(), u8::from(next() > 0.5));
    }
    text
}

#[test]
#[cfg(unix)]
fn an_interrupt_saves_the_best_so_far_and_says_so() {
    let workshop = Workshop::new();
    workshop.write("noise.csv", noise(6000));
    let child = workshop
        .command()
        .args(words("train svc noise.csv --c 1e6 --gamma 30 --gap 1e-9 -o own.lm --json"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let interrupted =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success(), "the run was over before it was interrupted");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}{}", ran.out, ran.err);
    assert_eq!(ran.json()["stop"], "cancelled");
    assert!(ran.err.is_empty(), "progress on a pipe: {}", ran.err);
    workshop.done("verify own.lm noise.csv");
}

#[test]
fn a_time_limit_is_kept() {
    let workshop = Workshop::new();
    workshop.write("noise.csv", noise(6000));
    let ran =
        workshop.lm("train svc noise.csv --c 1e6 --gamma 30 --gap 1e-9 --time-limit 0.5 -o own.lm --json");
    assert_eq!(ran.code, 3, "{}", ran.err);
    // The certificate of the end takes a time of its own, which a busy machine stretches.
    let solve = ran.json()["seconds"]["solve"].as_f64().unwrap();
    assert!(solve < 5.0, "{solve}");
}

#[test]
fn starting_is_a_matter_of_milliseconds() {
    let workshop = Workshop::new();
    let best = (0..20).map(|_| {
        let began = Instant::now();
        workshop.done("--version");
        began.elapsed()
    });
    let best = best.min().unwrap();
    assert!(best < Duration::from_millis(10), "{best:?}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let workshop = Workshop::new();
    workshop.done("train svc flowers.csv -o own.lm");
    let mut child = workshop
        .command()
        .args(words("predict own.lm flowers.csv -o -"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}
