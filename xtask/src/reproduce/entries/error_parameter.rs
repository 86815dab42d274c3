//! D10: the soft margin machine whose cost is shared out among the examples, and its three classes of points.

use lm_core::{
    BinaryLabels, Certificate, Dense, Hypothesis, Learner, Sign, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_qp::CSvc;

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, of_class, pair, point};
use crate::reproduce::vectors::dot;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "D10",
    place: "D (4.13)–(4.15), Fig 4.10",
    claim: "The soft margin machine minimises ½‖w‖² + (C/n) Σξ; its dual has 0 ≤ α ≤ C/n. Points with α = 0 lie outside the margin, \
            those with 0 < α < C/n on it, and those with α = C/n have slack; b is the mean over the second ones.",
    how: "Two examples are solved by hand. On two clouds that overlap, on two classes of irises and on digits the machine is solved \
          for C from 10 to 10⁴; classes, constraints and bias are checked, and what C trades.",
    seed: 410,
    body,
}];

const COSTS: [f64; 4] = [1e1, 1e2, 1e3, 1e4];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    edges(bench)?;
    let iris = pair(&classic::iris()?.data, [1.0, 2.0])?;
    let digits = pair(&classic::digits()?.data, [1.0, 8.0])?;
    let clouds = clouds(60, 2, 2.6, bench.seed())?;
    classes(bench, "digits 1 and 8", &digits, VectorKernel::polynomial(2, 1e-3, 1.0)?, 10.0)?;
    for cost in COSTS {
        classes(bench, "irises", &iris, VectorKernel::linear(), cost)?;
    }
    panels(bench, &clouds)
}

/// x = ±1, y = ±1, n = 2: the dual is 2α − 2α² with α ≤ C/2, so α = min(C, 1)/2 and w = min(C, 1).
fn by_hand(bench: &mut Bench) -> Outcome {
    let examples = Dense::new(vec![-1.0, 1.0], 2, 1)?;
    let labels = BinaryLabels::from_integers(&[-1, 1])?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    for (cost, w) in [(0.5, 0.5), (4.0, 1.0)] {
        let fit = CSvc::sharing_cost(cost).with_gap(1e-14).fit(&gram, &labels)?.converged()?;
        let found = fit.model.over_columns(&examples)?;
        bench.check_all_close(
            format!("x = ±1, C = {cost}: α, w and b"),
            &[0.5 * w, w, 0.0],
            &[fit.certificate.alpha()[0], found.weights()[0], found.bias()],
            1e-12,
        );
    }
    Ok(())
}

/// What the conditions do not say: α = C/n with no slack, and α = 0 on the margin.
fn edges(bench: &mut Bench) -> Outcome {
    let solved = |rows: &[[f64; 2]], labels: &[i64], cost: f64| -> lm_core::Result<Vec<[f64; 2]>> {
        let (examples, labels) = (Dense::from_rows(rows)?, BinaryLabels::from_integers(labels)?);
        let gram = VectorGram::new(&examples, VectorKernel::linear())?;
        let fit = CSvc::sharing_cost(cost).with_gap(1e-14).fit(&gram, &labels)?.converged()?;
        let values = fit.model.decision_values(&gram)?;
        let margins = values.iter().zip(labels.values()).map(|(f, y)| y * f);
        Ok(fit.certificate.alpha().into_iter().zip(margins).map(|(alpha, margin)| [alpha, margin]).collect())
    };
    let full = solved(&[[-1.0, 0.0], [1.0, 0.0]], &[-1, 1], 1.0)?;
    let shown = full.iter().all(|[alpha, margin]| *alpha == 0.5 && (margin - 1.0).abs() < 1e-12);
    bench.erratum(
        "For α = C/n, the multiplier of ξ ≥ 0 is 0 and thus ξ > 0.",
        "ξ may be 0: then α happens to be C/n with the point on the margin. ξ > 0 implies α = C/n, and not the other way round.",
        format!("x = ±1, C = 1, n = 2: α = {} = C/n and y f(x) = {}.", number(full[0][0]), number(full[0][1])),
        shown,
    );
    // w = (0, 1) and Σ αᵢyᵢxᵢ = w leave no α for the third point, whose first coordinate is 1.
    let none = solved(&[[0.0, -1.0], [0.0, 1.0], [1.0, 1.0]], &[-1, 1, 1], 100.0)?;
    bench.erratum(
        "For α = 0 the point has y f(x) > 1: it lies outside the margin.",
        "y f(x) ≥ 1: a point on the margin may have α = 0. Only y f(x) < 1 and y f(x) > 1 decide the class of a point.",
        format!(
            "(0, −1) against (0, 1) and (1, 1), C = 100: the third point has α = {} and y f(x) = {}.",
            number(none[2][0]),
            number(none[2][1])
        ),
        none[2][0] == 0.0 && (none[2][1] - 1.0).abs() < 1e-12 && none[0][0] > 0.0,
    );
    Ok(())
}

/// Constraints, classes and bias of one machine.
fn classes(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel, cost: f64) -> Outcome {
    let name = format!("{name}, C = {}", number(cost));
    let gram = VectorGram::new(&data.examples, kernel)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let fit = CSvc::sharing_cost(cost).with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
    bench.check_valid(format!("{name}: certificate"), fit.certificate.verify(&set)?);
    let (signs, values) = (data.labels.values(), fit.model.decision_values(&gram)?);
    let (alpha, most) = (fit.certificate.alpha(), cost / signs.len() as f64);
    let balance = dot(&alpha, &signs).abs() / alpha.iter().sum::<f64>();
    bench.check_at_most(format!("{name}: |Σ αᵢyᵢ| in parts of Σα"), 1e-14, balance);
    let groups = fit.certificate.groups(&set)?;
    let margin = |&i: &usize| signs[i] * values[i];
    let counts = [groups.none(), groups.between(), groups.bound()].map(<[usize]>::len);
    let good = [
        groups.none().iter().all(|i| alpha[*i] == 0.0 && margin(i) > 1.0 - 1e-4),
        groups.between().iter().all(|i| alpha[*i] < most && (margin(i) - 1.0).abs() < 1e-4),
        groups.bound().iter().all(|i| (alpha[*i] - most).abs() <= 1e-14 * most && margin(i) < 1.0 + 1e-4),
    ];
    bench.check(
        format!("{name}: points with α = 0, between and α = C/n outside the margin, on it and with slack"),
        "all",
        format!("{counts:?} points, {}", if good == [true; 3] { "all" } else { "not all" }),
        good == [true; 3],
    );
    let wrong = (0..signs.len()).filter(|i| margin(i) < 0.0);
    let wrong: Vec<usize> = wrong.collect();
    let deep: Vec<usize> = groups.bound().iter().copied().filter(|i| 1.0 - margin(i) > 1.0).collect();
    bench.check(
        format!("{name}: misclassified points"),
        "those with ξ > 1, all with α = C/n",
        format!("{}, with ξ > 1 {}", wrong.len(), deep.len()),
        wrong == deep,
    );
    let each = groups.between().iter().map(|&i| signs[i] - (values[i] - fit.model.bias()));
    let mean = each.sum::<f64>() / groups.between().len() as f64;
    bench.check_close(
        format!("{name}: b as the mean over 0 < α < C/n"),
        fit.model.bias(),
        mean,
        1e-5 * (1.0 + mean.abs()),
    );
    Ok(())
}

/// Figure 4.10: four machines on one set that no line separates.
fn panels(bench: &mut Bench, data: &Binary) -> Outcome {
    let sides = [Sign::Negative, Sign::Positive].map(|sign| of_class(data, sign));
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let (mut margins, mut slacks, mut supports) = (Vec::new(), Vec::new(), Vec::new());
    for (power, cost) in (1..).zip(COSTS) {
        classes(bench, "clouds", data, VectorKernel::linear(), cost)?;
        let fit = CSvc::sharing_cost(cost).with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
        let groups = fit.certificate.groups(&set)?;
        let w = fit.model.over_columns(&data.examples)?;
        let values = fit.model.decision_values(&gram)?;
        margins.push(1.0 / w.norm());
        slacks
            .push(values.iter().zip(data.labels.values()).map(|(f, y)| (1.0 - y * f).max(0.0)).sum::<f64>());
        supports.push(groups.support());
        let line = |level: f64| [w.weights()[0], w.weights()[1], w.bias() - level];
        let support: Vec<usize> = groups.between().iter().chain(groups.bound()).copied().collect();
        let mut plot = Plot::new("x₁", "x₂").equal_axes();
        for (index, side) in sides.iter().enumerate() {
            plot = plot.curve(if index == 0 { "convex hulls" } else { "" }, &hull(side), Stroke::THIN);
        }
        let svg = plot
            .line("f(x) = 0", line(0.0), Stroke::SOLID)
            .line("f(x) = ±1", line(1.0), Stroke::DASHED)
            .line("", line(-1.0), Stroke::DASHED)
            .points("class −1", 0, &sides[0])
            .points("class +1", 1, &sides[1])
            .rings("α > 0", &support.iter().map(|&row| point(data, row)).collect::<Vec<_>>())
            .render()?;
        let caption = format!(
            "C = 10{}: {} support vectors, margin {}.",
            ["¹", "²", "³", "⁴"][power - 1],
            groups.support(),
            number(1.0 / w.norm())
        );
        bench.figure(&format!("c-1e{power}"), caption, svg)?;
    }
    let falls = |values: &[f64]| values.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
    bench.check("clouds: margin as C grows", "falls", format!("{margins:.4?}"), falls(&margins));
    bench.check("clouds: Σξ as C grows", "falls", format!("{slacks:.4?}"), falls(&slacks));
    bench.check(
        "clouds: support vectors as C grows",
        "fewer, and more than 0 at the end",
        format!("{supports:?}"),
        supports[0] > supports[3] && supports[3] > 0,
    );
    Ok(())
}

/// The convex hull, as a closed path: the lower chain, then the upper one.
fn hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain
    };
    let mut path = chain(&mut sorted.iter().copied());
    path.extend(chain(&mut sorted.iter().rev().copied()));
    path
}
