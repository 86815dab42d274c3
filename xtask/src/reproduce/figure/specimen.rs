//! One figure of every kind, drawn by the tests.
//!
//! `LM_SPECIMEN=folder cargo test -p xtask specimen` keeps them, on a page with entries of every verdict.

use super::{Bars, Drawing, HeatMap, Histogram, Plot, Stroke, sample as curve};
use crate::reproduce::entry::{Figure, Findings, Record};
use crate::reproduce::{sample, write};

/// Points on a spiral that leaves its centre evenly: made up, and the same on every run.
fn cloud(count: usize, centre: [f64; 2], radius: f64) -> Vec<[f64; 2]> {
    let point = |index: usize| {
        let (angle, length) = (index as f64 * 2.4, radius * (index as f64 / count as f64).sqrt());
        [centre[0] + length * angle.cos(), centre[1] + length * angle.sin()]
    };
    (0..count).map(point).collect()
}

fn figures() -> Vec<(&'static str, Drawing)> {
    let (left, right, above) =
        (cloud(30, [-1.2, -0.4], 1.0), cloud(30, [1.2, 0.2], 1.0), cloud(20, [0.0, 1.6], 0.7));
    let bump = |x: f64, y: f64| {
        (-(x - 1.2).powi(2) - (y - 0.2).powi(2)).exp() - (-(x + 1.2).powi(2) - (y + 0.4).powi(2)).exp()
    };
    let votes = |x: f64, y: f64| match (x > 0.0, y > 0.4, x + y > 1.5) {
        (true, false, false) => Some(0),
        (false, false, false) => Some(1),
        (false, true, false) => Some(2),
        (_, _, true) if x < 1.0 => Some(3),
        _ => None,
    };
    let decay = |rate: f64| curve(1.0, 40.0, 40, move |x| (-rate * x).exp());
    let grid: Vec<f64> = (0..36).map(|k| f64::from(k / 6) * 0.1 - f64::from(k % 6) * 0.07).collect();
    let names: Vec<String> = (0..6).map(|k| format!("x{k}")).collect();
    let kernel: Vec<f64> = (0..900).map(|k| (-0.01 * f64::from(k / 30 - k % 30).powi(2)).exp()).collect();
    let many: Vec<String> = (0..30).map(|k| k.to_string()).collect();
    let angles: Vec<f64> =
        (0..400).map(|k| (f64::from(k) * 0.7).sin() * (f64::from(k) * 1.3).cos()).collect();
    vec![
        (
            "scatter",
            Plot::new("x₁", "x₂")
                .equal_axes()
                .line("w·x + b = 0", [1.0, 0.25, 0.0], Stroke::SOLID)
                .line("margin", [1.0, 0.25, -0.4], Stroke::DASHED)
                .line("", [1.0, 0.25, 0.4], Stroke::DASHED)
                .arrow("w", [0.0, 0.0], [0.8, 0.2])
                .points("class −1", 0, &left)
                .points("class +1", 1, &right)
                .points("third", 2, &above)
                .points("fourth", 3, &cloud(6, [0.2, -1.6], 0.5))
                .points("fifth", 4, &cloud(6, [2.6, -1.4], 0.5))
                .rings("support vectors", &left[26..30])
                .text([0.0, -1.2], "a place")
                .render(),
        ),
        (
            "field",
            Plot::new("x₁", "x₂")
                .equal_axes()
                .field("decision value", bump)
                .contours(
                    bump,
                    &[
                        ("boundary", 0.0, Stroke::SOLID),
                        ("−0.3", -0.3, Stroke::DASHED),
                        ("+0.3", 0.3, Stroke::DOTTED),
                    ],
                )
                .points("class −1", 0, &left)
                .points("class +1", 1, &right)
                .render(),
        ),
        (
            "regions",
            Plot::new("x₁", "x₂")
                .x_range(-2.0, 3.0)
                .y_range(-2.0, 2.0)
                .regions(&["ω₁", "ω₂", "ω₃", "ω₄"], votes)
                .points("class 1", 0, &cloud(12, [1.0, -1.0], 0.6))
                .points("class 2", 1, &cloud(12, [-1.0, -1.0], 0.6))
                .render(),
        ),
        (
            "disc",
            Plot::new("x₁", "x₂")
                .equal_axes()
                .x_range(-2.0, 2.0)
                .y_range(-1.5, 1.5)
                .regions(&["outside", "inside"], |x, y| Some(usize::from(x * x + y * y < 1.0)))
                .render(),
        ),
        (
            "series",
            Plot::new("iteration", "relative duality gap")
                .log_y()
                .series("cold start", &decay(0.2))
                .series("warm start", &decay(0.4))
                .series("third", &decay(0.1))
                .series("fourth", &decay(0.05))
                .series("fifth", &decay(0.3))
                .render(),
        ),
        (
            "marked",
            Plot::new("number of irrelevant features", "mistakes")
                .log_x()
                .marked_series("perceptron", &[[1.0, 10.0], [10.0, 40.0], [100.0, 300.0], [1000.0, 2400.0]])
                .marked_series("Winnow", &[[1.0, 12.0], [10.0, 20.0], [100.0, 31.0], [1000.0, 44.0]])
                .render(),
        ),
        (
            "curves",
            Plot::new("margin y·f(x)", "loss")
                .series("hinge", &curve(-2.0, 3.0, 200, |t| (1.0 - t).max(0.0)))
                .series("logistic", &curve(-2.0, 3.0, 200, |t| (1.0 + (-t).exp()).ln()))
                .series("pole", &curve(-2.0, 3.0, 200, |t| 0.2 / (t - 1.0)))
                .y_range(0.0, 3.5)
                .render(),
        ),
        (
            "bars",
            Bars::new("data set", "support vectors", &["iris", "heart", "two moons", "chess board"])
                .series("quadratic programme", &[24.0, 101.0, 33.0, 210.5])
                .series("linear programme", &[7.0, 60.0, 12.0, 150.0])
                .render(),
        ),
        (
            "turned",
            Bars::new("weight", "value", &["a very long name"; 9])
                .series("w", &[1.0, -2.0, 3.0, -1.0, 0.5, 2.0, 2.0, 0.0, 1.0])
                .render(),
        ),
        (
            "histogram",
            Histogram::new("mistakes / bound", "runs", &angles, 24)
                .mark("bound", 1.1)
                .mark("mean", 0.0)
                .render(),
        ),
        ("heat-small", HeatMap::new("C", "γ", &names, &names, &grid).scale_label("accuracy").render()),
        ("heat-large", HeatMap::new("i", "j", &many, &many, &kernel).scale_label("K(xᵢ, xⱼ)").render()),
    ]
}

#[test]
fn every_specimen_is_drawn() {
    let mut record = Record { entry: &sample::ENTRIES[0], findings: Findings::default(), seconds: 1.0 };
    for (name, drawing) in figures() {
        let svg = drawing.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
        for broken in ["NaN", "inf\"", "-2147483648", "2147483647"] {
            assert!(!svg.contains(broken), "{name} holds {broken}");
        }
        // A page holds about ninety figures.
        assert!(svg.len() < 100_000, "{name} has {} bytes", svg.len());
        record.findings.figures.push(Figure { name: name.into(), caption: format!("Specimen {name}."), svg });
    }
    if let Some(folder) = std::env::var_os("LM_SPECIMEN") {
        let mut records = sample::records();
        records.push(record);
        write(&records, &[], folder.as_ref()).unwrap();
    }
}
