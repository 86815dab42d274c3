//! The bounds on the error as a picture: one logarithmic axis, a row for each bound.

use std::fmt::Write;

use super::text::rounded_up;
use super::{Bound, Ledger, Quantity};
use crate::generalisation::test_set;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 290.0;
const RIGHT: f64 = 90.0;
const TOP: f64 = 54.0;
const ROW: f64 = 24.0;

/// The picture; a note instead if the ledger has no bound on the error.
pub(super) fn draw(ledger: &Ledger) -> String {
    let mut bounds: Vec<&Bound> = ledger
        .bounds
        .iter()
        .filter(|bound| matches!(bound.of, Quantity::Error | Quantity::LeaveOneOut))
        .collect();
    bounds.sort_by(|a, b| a.value.total_cmp(&b.value));
    let bottom = TOP + ROW * bounds.len().max(1) as f64;
    let height = bottom + 62.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let _ = writeln!(
        svg,
        "<text x=\"12\" y=\"24\" font-size=\"15\" fill=\"#111\">{}: bounds on the error, δ = {} {}</text>",
        escaped(&ledger.name),
        ledger.delta,
        if ledger.simultaneous { "together" } else { "each" }
    );
    if bounds.is_empty() {
        let _ = writeln!(svg, "<text x=\"12\" y=\"{TOP}\" fill=\"#555\">no bound on the error applies</text>\n</svg>");
        return svg;
    }
    let axis = Axis::of(&bounds, ledger);
    axis.draw(&mut svg, bottom);
    seen(&mut svg, ledger, &axis, bottom);
    for (index, bound) in bounds.iter().enumerate() {
        row(&mut svg, bound, &axis, TOP + ROW * (index as f64 + 0.5));
    }
    svg += "</svg>\n";
    svg
}

/// Decades from below the least value to 1; beyond 1 there is a strip for what says nothing.
struct Axis {
    decades: f64,
}

impl Axis {
    fn of(bounds: &[&Bound], ledger: &Ledger) -> Self {
        let seen = ledger.held_out.map(|test| test.share()).filter(|share| *share > 0.0);
        let values = bounds.iter().map(|bound| bound.value).chain(seen).filter(|value| *value > 0.0);
        let least = values.fold(0.5_f64, f64::min).max(1e-12);
        Self { decades: (-(0.8 * least).log10()).ceil().max(1.0) }
    }

    /// Where a value lies; beyond 1 in the middle of the strip.
    fn place(&self, value: f64) -> f64 {
        let width = WIDTH - LEFT - RIGHT;
        if value >= 1.0 {
            return LEFT + width + 16.0;
        }
        LEFT + width * (1.0 + value.max(10.0_f64.powf(-self.decades)).log10() / self.decades)
    }

    fn draw(&self, svg: &mut String, bottom: f64) {
        let one = WIDTH - RIGHT;
        let _ = writeln!(
            svg,
            "<rect x=\"{one}\" y=\"{TOP}\" width=\"32\" height=\"{}\" fill=\"#e8e8e8\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\" fill=\"#555\">says nothing</text>",
            bottom - TOP,
            one + 16.0,
            TOP - 8.0
        );
        for decade in 0..=self.decades as i32 {
            let value = 10.0_f64.powi(-decade);
            let x = if decade == 0 { one } else { self.place(value) };
            let label = if decade <= 3 { value.to_string() } else { format!("1e−{decade}") };
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#ccc\"/>\n\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#333\">{label}</text>",
                bottom + 18.0
            );
        }
    }
}

/// The error on held-out examples, with the interval that it leaves.
fn seen(svg: &mut String, ledger: &Ledger, axis: &Axis, bottom: f64) {
    let Some(test) = ledger.held_out else { return };
    let ends = [
        test_set::at_least(test.errors, test.size, 0.5 * ledger.delta),
        test_set::at_most(test.errors, test.size, 0.5 * ledger.delta),
    ];
    if let [Ok(low), Ok(high)] = ends {
        let (from, to) = (axis.place(low), axis.place(high.min(1.0 - 1e-9)));
        let _ = writeln!(
            svg,
            "<rect x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#9db8d2\" fill-opacity=\"0.35\"/>",
            to - from,
            bottom - TOP
        );
    }
    let x = axis.place(test.share().min(1.0 - 1e-9));
    let _ = writeln!(
        svg,
        "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#1f4e79\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>\n\
         <text x=\"12\" y=\"{:.1}\" fill=\"#1f4e79\">dashed: {} errors on {} held-out examples; band: interval of level 1 − δ</text>",
        bottom + 44.0,
        test.errors,
        test.size
    );
}

fn row(svg: &mut String, bound: &Bound, axis: &Axis, y: f64) {
    let x = axis.place(bound.value);
    // Leaving one out estimates; all others bound.
    let (fill, ink) = match bound.of {
        Quantity::LeaveOneOut => ("#fff", "#a04000"),
        _ if bound.is_vacuous() => ("#999", "#999"),
        _ => ("#111", "#111"),
    };
    let text = if bound.is_vacuous() { "#888" } else { "#111" };
    let value = rounded_up(bound.value);
    let value = if bound.value.is_finite() && bound.value >= 1e4 { format!("{:.0e}", bound.value) } else { value };
    let beside = if bound.is_vacuous() { WIDTH - RIGHT + 36.0 } else { x + 9.0 };
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{text}\">{}</text>\n\
         <line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{x:.1}\" y2=\"{y:.1}\" stroke=\"#bbb\"/>\n\
         <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"{ink}\" stroke-width=\"1.5\"/>\n\
         <text x=\"{beside:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"{text}\">{value}</text>",
        LEFT - 10.0,
        y + 4.0,
        escaped(bound.name),
        y + 4.0
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
