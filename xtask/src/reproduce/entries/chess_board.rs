//! C08: a chess board learned by a Gaussian kernel of two widths.

use lm_core::{Collection, Dense, Hypothesis, Learner, Sign, VectorGram, VectorKernel};
use lm_data::generate::chess_board;
use lm_qp::MaximalMargin;

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, of_class, point, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C08",
    place: "C Fig 6.2",
    claim: "Maximal margin machines with a Gaussian kernel learn a chess board from uniform points; at either width the training set is \
            classified consistently. The narrow kernel has a more complex boundary, significantly more support vectors and very little area \
            of large margin; the wide one has few support vectors a field, and regions of confidence.",
    how: "300 points of a board of 4 × 4 fields are learned at σ = 0.08 and σ = 0.5. Support vectors are counted; boundary, area of margin 1 or \
          more, and errors are measured on a grid of 200 × 200 points. The same for five seeds.",
    seed: 608,
    body,
}];

const CELLS: f64 = 4.0;
const WIDTHS: [f64; 2] = [0.08, 0.5];

/// What is measured of one machine.
struct Measured {
    /// Values at the middles of the cells of the grid, row by row.
    values: Vec<f64>,
    support: Vec<[f64; 2]>,
    wrong: usize,
    /// The share of the board on the wrong side.
    error: f64,
    /// The share of the board with |f| ≥ 1.
    confident: f64,
    /// The length of the boundary, in sides of a field, as steps of the grid count it.
    boundary: f64,
}

fn measured(data: &Binary, sigma: f64, steps: usize) -> lm_core::Result<Measured> {
    let kernel = VectorKernel::gaussian_width(sigma)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let fit = MaximalMargin::default().with_gap(1e-6).fit(&gram, &data.labels)?.converged()?;
    let f = fit.model.over_vectors(&data.examples, kernel)?;
    let place = |k: usize| CELLS * (k as f64 + 0.5) / steps as f64;
    let grid: Vec<[f64; 2]> = (0..steps * steps).map(|k| [place(k % steps), place(k / steps)]).collect();
    let values = f.decision_values(&Dense::from_rows(&grid)?)?;
    let light = |[x, y]: [f64; 2]| Sign::of(if (x.floor() + y.floor()) % 2.0 == 0.0 { 1.0 } else { -1.0 });
    let share = |count: usize| count as f64 / values.len() as f64;
    let off = values.iter().zip(&grid).filter(|(f, x)| Sign::of(**f) != light(**x)).count();
    let changes = |step: usize| {
        let pairs = (0..values.len() - step).filter(|k| step > 1 || k % steps + 1 < steps);
        pairs.filter(|&k| Sign::of(values[k]) != Sign::of(values[k + step])).count()
    };
    Ok(Measured {
        support: fit.model.rows().iter().map(|&row| point(data, row)).collect(),
        wrong: wrong(&f, &data.examples, &data.labels)?,
        error: share(off),
        confident: share(values.iter().filter(|f| f.abs() >= 1.0).count()),
        boundary: (changes(1) + changes(steps)) as f64 * CELLS / steps as f64,
        values,
    })
}

impl Measured {
    /// `f` between the middles of the cells, by its values there: a figure asks for it a million times.
    fn value(&self, x: f64, y: f64) -> f64 {
        let steps = self.values.len().isqrt();
        let place = |at: f64| (at / CELLS * steps as f64 - 0.5).clamp(0.0, steps as f64 - 1.0);
        let (x, y) = (place(x), place(y));
        let (left, low) = ((x as usize).min(steps - 2), (y as usize).min(steps - 2));
        let (a, b) = (x - left as f64, y - low as f64);
        let row = |k: usize| (1.0 - a) * self.values[k] + a * self.values[k + 1];
        (1.0 - b) * row(low * steps + left) + b * row((low + 1) * steps + left)
    }
}

fn body(bench: &mut Bench) -> Outcome {
    let data = chess_board(300, 4, bench.seed())?;
    let [narrow, wide] = [measured(&data, WIDTHS[0], 200)?, measured(&data, WIDTHS[1], 200)?];
    for (sigma, machine) in WIDTHS.iter().zip([&narrow, &wide]) {
        bench.check_equal(
            format!(
                "σ = {sigma}: training errors of {}, with {} support vectors",
                data.examples.len(),
                machine.support.len()
            ),
            0,
            machine.wrong,
        );
    }
    let pair = |f: &dyn Fn(&Measured) -> f64| format!("{} and {}", number(f(&narrow)), number(f(&wide)));
    bench.check(
        "support vectors, narrow and wide",
        "significantly more, and few a field (16 fields)",
        pair(&|m| m.support.len() as f64),
        narrow.support.len() >= 2 * wide.support.len() && wide.support.len() <= 16 * 8,
    );
    bench.check(
        "share of the board with |f| ≥ 1, narrow and wide",
        "very few regions, and large ones",
        pair(&|m| m.confident),
        narrow.confident < 0.15 && wide.confident > 0.6,
    );
    bench.check(
        "length of the boundary in sides of a field, narrow and wide; that of the board is 24",
        "more complex, and near that of the board",
        pair(&|m| m.boundary),
        narrow.boundary > 1.15 * wide.boundary && (wide.boundary - 24.0).abs() < 6.0,
    );
    bench.check(
        "share of the board on the wrong side, narrow and wide",
        "the width matters: the wide one is better",
        pair(&|m| m.error),
        narrow.error > 1.15 * wide.error,
    );
    let mut agree = 0;
    for seed in 1..=5 {
        let data = chess_board(300, 4, bench.seed() + seed)?;
        let [narrow, wide] = [measured(&data, WIDTHS[0], 100)?, measured(&data, WIDTHS[1], 100)?];
        let consistent = narrow.wrong == 0 && wide.wrong == 0;
        let more = narrow.support.len() >= 2 * wide.support.len() && narrow.boundary > wide.boundary;
        agree += u32::from(consistent && more && narrow.confident < 0.15 && wide.confident > 0.6);
    }
    bench.check_equal("five more boards on which all of this is so", 5, agree);
    for (name, sigma, machine, what) in [
        (
            "narrow",
            WIDTHS[0],
            &narrow,
            "a complex boundary, most points support it, and hardly any place has a margin of 1",
        ),
        (
            "wide",
            WIDTHS[1],
            &wide,
            "few points support the boundary, and pale and dark fields show where the machine is confident",
        ),
    ] {
        let value = |x: f64, y: f64| machine.value(x, y);
        let svg = Plot::new("x₁", "x₂")
            .equal_axes()
            .x_range(0.0, CELLS)
            .y_range(0.0, CELLS)
            .resolution(48)
            .field_between("f(x)", (-2.0, 2.0), value)
            .contours(
                value,
                &[
                    ("f = 0", 0.0, Stroke::SOLID),
                    ("f = +1", 1.0, Stroke::DASHED),
                    ("f = −1", -1.0, Stroke::DOTTED),
                ],
            )
            .points("negative", 0, &of_class(&data, Sign::Negative))
            .points("positive", 1, &of_class(&data, Sign::Positive))
            .rings("support vectors", &machine.support)
            .render()?;
        bench.figure(
            name,
            format!("σ = {sigma}, {} support vectors: {what}.", machine.support.len()),
            svg,
        )?;
    }
    Ok(())
}
