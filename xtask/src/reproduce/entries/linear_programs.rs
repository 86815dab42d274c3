//! B22 and B23: the simplex algorithm, and separability by linear programming.

use lm_core::{Budget, Certificate, Control, Sign, TrainingSet};
use lm_data::generate::{SeparableSettings, separable};
use lm_qp::exact::Rational;
use lm_qp::linear_program::{LinearEvidence, LinearProgram, ProvenOptimum};
use lm_qp::{Separability, separate};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, of_class, point};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "B22",
        place: "B LP",
        claim: "The simplex algorithm goes from vertex to vertex of the feasible region to the maximum of 3x₁ + 2x₂ under −x₁ + 3x₂ ≤ 12, \
                x₁ + x₂ ≤ 8, 2x₁ − x₂ ≤ 10 and x ≥ 0, which is 22 at (6, 2).",
        how: "A tableau is worked out line by line beside the library, which is stopped after each move. All vertices are listed, \
              and the optimum is proven in exact arithmetic.",
        seed: 0,
        body: simplex,
    },
    Entry {
        id: "B23",
        place: "B LP",
        claim: "With an artificial variable τ, minimise τ subject to aᵗyᵢ + τ ≥ bᵢ and τ ≥ 0: if the minimum is 0, a separates the samples; \
                if it is positive, no vector does, and that is proven.",
        how: "The program is solved as the source sets it up, with a = a⁺ − a⁻, for 40 sets that can be separated and 40 that overlap. Every \
              minimum and its multipliers are proven in exact arithmetic, and the verdict is compared with the exact decision of the library.",
        seed: 23,
        body: separability,
    },
];

const GAIN: [f64; 2] = [3.0, 2.0];
const ROWS: [([f64; 2], f64); 3] = [([-1.0, 3.0], 12.0), ([1.0, 1.0], 8.0), ([2.0, -1.0], 10.0)];

fn program() -> lm_core::Result<LinearProgram> {
    ROWS.iter()
        .try_fold(LinearProgram::maximise(GAIN.to_vec())?, |program, (row, most)| program.at_most(row, *most))
}

/// A tableau as it is worked out on paper.
struct Tableau {
    /// Coefficients of x₁, x₂ and the three slacks, then the right side; the last line is minus the gain.
    lines: Vec<[f64; 6]>,
    /// The variable that each line is solved for.
    basic: [usize; 3],
}

impl Tableau {
    fn new() -> Self {
        let mut lines: Vec<[f64; 6]> = Vec::new();
        for (r, (row, most)) in ROWS.iter().enumerate() {
            let mut line = [row[0], row[1], 0.0, 0.0, 0.0, *most];
            line[2 + r] = 1.0;
            lines.push(line);
        }
        lines.push([-GAIN[0], -GAIN[1], 0.0, 0.0, 0.0, 0.0]);
        Self { lines, basic: [2, 3, 4] }
    }

    fn vertex(&self) -> [f64; 2] {
        [0, 1].map(|v| self.basic.iter().position(|&own| own == v).map_or(0.0, |r| self.lines[r][5]))
    }

    /// One step: the most negative entry of the last line enters, the line with the least ratio leaves.
    fn step(&mut self) -> bool {
        let gains = self.lines[3];
        let entering = (0..5).min_by(|&a, &b| gains[a].total_cmp(&gains[b])).unwrap_or(0);
        if gains[entering] >= 0.0 {
            return false;
        }
        let ratio = |r: &usize| self.lines[*r][5] / self.lines[*r][entering];
        let positive = (0..3).filter(|&r| self.lines[r][entering] > 0.0);
        let Some(leaving) = positive.min_by(|a, b| ratio(a).total_cmp(&ratio(b))) else { return false };
        let pivot = self.lines[leaving][entering];
        self.lines[leaving].iter_mut().for_each(|value| *value /= pivot);
        let line = self.lines[leaving];
        for (_, other) in self.lines.iter_mut().enumerate().filter(|(r, _)| *r != leaving) {
            let factor = other[entering];
            other.iter_mut().zip(line).for_each(|(value, own)| *value -= factor * own);
        }
        self.basic[leaving] = entering;
        true
    }
}

fn simplex(bench: &mut Bench) -> Outcome {
    let program = program()?;
    let solution = program.solve()?.converged()?;
    bench.check_all_close("the point of the maximum", &[6.0, 2.0], solution.point(), 0.0);
    bench.check_close("the maximum", 22.0, solution.value(), 0.0);
    bench.check_valid("the solution and its multipliers", solution.verify(&program)?);
    let proven = program.prove(&solution)?.ok_or("the maximum was not proven")?;
    bench.check_equal("the maximum in exact arithmetic", "22".to_string(), proven.value().to_string());
    let multipliers: Vec<String> = proven.multipliers().iter().map(ToString::to_string).collect();
    bench.check_equal(
        "multipliers of the rows, whose combination bounds the gain by 12·0 + 8·7/3 + 10·1/3 = 22",
        "0, 7/3, 1/3".to_string(),
        multipliers.join(", "),
    );
    bench.check_valid("the proof", proven.verify(&program)?);

    let mut tableau = Tableau::new();
    let mut path = vec![tableau.vertex()];
    while tableau.step() {
        path.push(tableau.vertex());
    }
    let mut library = Vec::new();
    for moves in 0..=path.len() as u64 {
        let control = Control::new(Budget::default().with_iterations(moves.max(1)));
        let at = program.solve_with(&control)?;
        let at = if moves == 0 { [0.0, 0.0] } else { [at.point()[0], at.point()[1]] };
        if library.last() != Some(&at) {
            library.push(at);
        }
    }
    let show = |path: &[[f64; 2]]| {
        path.iter().map(|p| format!("({}, {})", number(p[0]), number(p[1]))).collect::<Vec<_>>().join(" → ")
    };
    let gain = |p: &[f64; 2]| GAIN[0] * p[0] + GAIN[1] * p[1];
    let rises = |path: &[[f64; 2]]| path.windows(2).all(|pair| gain(&pair[1]) > gain(&pair[0]));
    bench.check("vertices that the tableau visits", "rising to (6, 2)", show(&path), {
        rises(&path) && path.last() == Some(&[6.0, 2.0])
    });
    let same = library.len() == path.len()
        && library.iter().zip(&path).all(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-12);
    bench.check("vertices that the library visits", "the same", show(&library), same);
    bench.check_close("the gain in the last line of the tableau", 22.0, tableau.lines[3][5], 1e-12);

    let vertices = vertices();
    let best = vertices.iter().max_by(|a, b| gain(a).total_cmp(&gain(b))).copied().unwrap_or_default();
    bench.check_equal("vertices of the region, from all pairs of lines", 5, vertices.len());
    bench.check_all_close("the one with the largest gain", &[6.0, 2.0], &best, 1e-12);

    let mut outline = vertices;
    outline.push(outline[0]);
    let level = |value: f64| [GAIN[0], GAIN[1], -value];
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-0.6, 8.0)
        .y_range(-0.6, 5.8)
        .curve("feasible region", &outline, Stroke::SOLID)
        .line("3x₁ + 2x₂ = 22", level(22.0), Stroke::DASHED)
        .line("the same = 15", level(15.0), Stroke::DOTTED)
        .arrow("moves", path[0], path[1])
        .arrow("", path[1], path[2])
        .rings("maximum", &[[6.0, 2.0]])
        .text([6.2, 2.2], "(6, 2)")
        .render()?;
    bench.figure("vertices", "The region, the moves from vertex to vertex, and the lines of equal gain.", svg)
}

/// The vertices of the region, in the order of their angles around its middle.
fn vertices() -> Vec<[f64; 2]> {
    let mut lines: Vec<([f64; 2], f64)> = ROWS.to_vec();
    lines.extend([([-1.0, 0.0], 0.0), ([0.0, -1.0], 0.0)]);
    let mut found: Vec<[f64; 2]> = Vec::new();
    for (i, (a, p)) in lines.iter().enumerate() {
        for (b, q) in &lines[..i] {
            let determinant = a[0] * b[1] - a[1] * b[0];
            let x = [(p * b[1] - a[1] * q) / determinant, (a[0] * q - p * b[0]) / determinant];
            if determinant != 0.0 && lines.iter().all(|(c, most)| c[0] * x[0] + c[1] * x[1] <= most + 1e-9) {
                found.push(x);
            }
        }
    }
    let middle = [0, 1].map(|k| found.iter().map(|x| x[k]).sum::<f64>() / found.len() as f64);
    let angle = |x: &[f64; 2]| (x[1] - middle[1]).atan2(x[0] - middle[0]);
    found.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    found
}

/// The samples `yᵢ(1, xᵢ)`.
fn samples(data: &Binary) -> Vec<Vec<f64>> {
    let sample = |(row, sign): (usize, &Sign)| {
        [1.0].iter().chain(data.examples.slice(row)).map(|x| sign.value() * x).collect()
    };
    data.labels.signs().iter().enumerate().map(sample).collect()
}

/// The program of the source: `u = (a⁺, a⁻, τ) ≥ 0`, minimise τ, with margins b of 1, 2 and 3 in turn. As printed, τ is not in
/// the conditions on the samples.
fn tau_program(data: &Binary, with_tau: bool) -> lm_core::Result<LinearProgram> {
    let samples = samples(data);
    let width = samples[0].len();
    let mut cost = vec![0.0; 2 * width + 1];
    cost[2 * width] = 1.0;
    samples.iter().enumerate().try_fold(LinearProgram::minimise(cost)?, |program, (i, y)| {
        let tau = f64::from(u8::from(with_tau));
        let row: Vec<f64> = y.iter().copied().chain(y.iter().map(|y| -y)).chain([tau]).collect();
        program.at_least(&row, 1.0 + (i % 3) as f64)
    })
}

/// Whether `Σ λᵢyᵢ = 0` exactly, for multipliers that are not all 0.
fn cancels(proven: &ProvenOptimum, data: &Binary) -> lm_core::Result<bool> {
    let samples = samples(data);
    let mut sums = vec![Rational::default(); samples[0].len()];
    let mut some = false;
    for (lambda, y) in proven.multipliers().iter().zip(&samples) {
        if lambda.is_negative() {
            return Ok(false);
        }
        some |= !lambda.is_zero();
        for (sum, &y) in sums.iter_mut().zip(y).filter(|_| !lambda.is_zero()) {
            *sum = &*sum + &(lambda * &Rational::from_f64(y)?);
        }
    }
    Ok(some && sums.iter().all(Rational::is_zero))
}

fn separability(bench: &mut Bench) -> Outcome {
    let mut separated = [0_u32; 4];
    for seed in 0..40_u64 {
        let (len, dim) = (20 + 2 * seed as usize, 1 + seed as usize % 8);
        let settings = SeparableSettings::default().with_len(len).with_dim(dim).with_margin(0.02);
        let data = separable(&settings, bench.seed() + seed)?.data;
        let program = tau_program(&data, true)?;
        let solution = program.solve()?;
        let Some(proven) = program.prove(&solution)? else { continue };
        separated[0] += u32::from(proven.value().is_zero());
        // a = a⁺ − a⁻ gives every sample at least 1, in exact arithmetic.
        let width = dim + 1;
        let (plus, minus) = proven.point()[..2 * width].split_at(width);
        let mut every = true;
        for y in samples(&data) {
            let mut value = Rational::default();
            for ((plus, minus), y) in plus.iter().zip(minus).zip(y) {
                value = &value + &(&(plus - minus) * &Rational::from_f64(y)?);
            }
            every &= value.is_positive();
        }
        separated[1] += u32::from(every);
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let verdict = separate(&data.examples, &data.labels)?;
        separated[2] += u32::from(verdict.is_separable() == Some(true));
        separated[3] += u32::from(verdict.verify(&set)?.is_valid());
    }
    for (what, count) in [
        "sets of 40 that can be separated, with the minimum τ* = 0 in exact arithmetic",
        "of these, with a vector a that separates every sample exactly",
        "of these, decided as separable by the exact decision",
        "of these, with a certificate that holds",
    ]
    .into_iter()
    .zip(separated)
    {
        bench.check_equal(what, 40, count);
    }

    let (mut overlapping, mut printed, mut least, mut kept) = ([0_u32; 4], 0_u32, f64::INFINITY, 0);
    for seed in 0..40_u64 {
        let (len, dim) = (30 + 4 * seed as usize, 1 + seed as usize % 5);
        let data = clouds(len, dim, 1.0, bench.seed() + 100 + seed)?;
        let program = tau_program(&data, true)?;
        let solution = program.solve()?;
        let Some(proven) = program.prove(&solution)? else { continue };
        overlapping[0] += u32::from(proven.value().is_positive());
        least = least.min(proven.value().to_f64());
        overlapping[1] += u32::from(cancels(&proven, &data)?);
        kept = kept
            .max(proven.multipliers().iter().filter(|lambda| !lambda.is_zero()).count() as i64 - dim as i64);
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let verdict = separate(&data.examples, &data.labels)?;
        overlapping[2] += u32::from(verdict.is_separable() == Some(false));
        overlapping[3] += u32::from(verdict.verify(&set)?.is_valid());
        let as_printed = tau_program(&data, false)?;
        let solution = as_printed.solve()?;
        let impossible = matches!(solution.evidence(), LinearEvidence::Infeasible { .. });
        printed += u32::from(impossible && solution.verify(&as_printed)?.is_valid());
    }
    for (what, count) in [
        "sets of 40 that overlap, with a minimum τ* > 0 in exact arithmetic",
        "of these, with multipliers λ ≥ 0 whose Σ λᵢyᵢ is exactly 0",
        "of these, decided as not separable by the exact decision",
        "of these, with a certificate that holds",
    ]
    .into_iter()
    .zip(overlapping)
    {
        bench.check_equal(what, 40, count);
    }
    bench.check_at_most("most multipliers that are not 0, less the dimension", 2.0, kept as f64);
    bench.note(format!("The least τ* of the sets that overlap is {}, for bᵢ of 1, 2 and 3. With all bᵢ equal it would be their value in every such set, since \
         it is the largest Σ λᵢbᵢ with Σ λᵢ ≤ 1.", number(least)));
    bench.erratum(
        "Introduce τ by aᵗyᵢ ≥ τ > bᵢ, and minimise τ over all τ and a with aᵗyᵢ ≥ bᵢ and τ ≥ 0.",
        "The conditions must be aᵗyᵢ + τ ≥ bᵢ, as in the matrix A below the text. Without τ in them the program has no feasible point where \
         the samples cannot be separated, and not a positive minimum.",
        format!("As printed, {printed} of the 40 programs of sets that overlap have no feasible point; with τ all 40 have a positive minimum."),
        printed == 40 && overlapping[0] == 40,
    );
    figure(bench)
}

fn figure(bench: &mut Bench) -> Outcome {
    let data = clouds(40, 2, 3.0, bench.seed())?;
    let verdict = separate(&data.examples, &data.labels)?;
    let Separability::Inseparable(proof) = &verdict else { return Err("the clouds do not overlap".into()) };
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    bench.check_valid("the proof of the figure", verdict.verify(&set)?);
    // The same point as a combination of either class.
    let combination = |sign: Sign| {
        let mut sum = [0.0; 2];
        for (row, lambda) in proof.multipliers().iter().filter(|(row, _)| data.labels.signs()[*row] == sign) {
            let x = point(&data, *row);
            (0..2).for_each(|k| sum[k] += 2.0 * lambda.to_f64() * x[k]);
        }
        sum
    };
    let common = combination(Sign::Positive);
    bench.check_all_close(
        "the common point as a combination of either class",
        &common,
        &combination(Sign::Negative),
        1e-13,
    );
    let mut plot = Plot::new("x₁", "x₂")
        .equal_axes()
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive));
    let mut rings = Vec::new();
    for (row, _) in proof.multipliers() {
        plot = plot.segment(
            if rings.is_empty() { "to the common point" } else { "" },
            point(&data, *row),
            common,
            Stroke::DOTTED,
        );
        rings.push(point(&data, *row));
    }
    let svg = plot.rings("multiplier λ > 0", &rings).render()?;
    bench.figure(
        "proof",
        "Samples that no line separates: the examples with multipliers, at most d + 2, write one point as a combination of either class.",
        svg,
    )
}
