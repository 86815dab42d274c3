//! Saving: whenever the program is killed, the path holds the old model or the new one, whole.

use std::process::Stdio;
use std::time::Duration;

use crate::workshop::{Workshop, words};

#[test]
fn a_model_is_whole_after_200_kills_while_saving() {
    let workshop = Workshop::new();
    workshop.done("train svc flowers.csv -o own.lm");
    let old = std::fs::read(workshop.path("own.lm")).unwrap();
    workshop.done("train svc flowers.csv --gap 1e-9 -o other.lm");
    let new = std::fs::read(workshop.path("other.lm")).unwrap();
    assert_ne!(old, new);
    // The time of a whole run, so that kills fall on all of it, and most of them near its end.
    let began = std::time::Instant::now();
    workshop.done("train svc flowers.csv --gap 1e-9 -o other.lm");
    let whole = began.elapsed();
    let (mut kept, mut replaced) = (0, 0);
    for round in 0..200_u32 {
        workshop.write("own.lm", &old);
        let mut child = workshop
            .command()
            .args(words("train svc flowers.csv --gap 1e-9 -o own.lm"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(
            whole.mul_f64(0.05 + 1.6 * f64::from(round) / 200.0).min(Duration::from_millis(500)),
        );
        // SIGKILL: nothing of the program runs afterwards.
        let _ = child.kill();
        child.wait().unwrap();
        let found = std::fs::read(workshop.path("own.lm")).unwrap();
        if found == old {
            kept += 1;
        } else {
            assert_eq!(found, new, "round {round}: neither the old model nor the new one");
            replaced += 1;
        }
    }
    assert!(
        kept > 0 && replaced > 0,
        "kills fell on one side of the save only: {kept} before, {replaced} after"
    );
    workshop.done("verify own.lm flowers.csv");
}
