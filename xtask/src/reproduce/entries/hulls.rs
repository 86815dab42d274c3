//! D09: the dual of the largest margin as the distance of two convex hulls.

use lm_core::{
    BinaryLabels, Certificate, Dense, Learner, Margins, Sign, Stop, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::generate::{SeparableSettings, separable};
use lm_qp::exact::{Integer, Rational};
use lm_qp::{CSvc, MaximalMargin, Separability, nearest_points, separate};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, line, of_class};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "D09",
    place: "D Lemma 3",
    claim: "The dual of the largest margin is the problem of the nearest points of the convex hulls of the two classes: their distance is 2γ, \
            and with c its square the maximum of the dual is 2/c, at Σα = 4/c.",
    how: "On 40 sets the nearest points are found by an active set and proven in exact arithmetic, and compared with the dual solved by pairs, \
          with the margin of its hyperplane and, in the plane, with the distances of all sides of the two hulls. For sets that overlap the \
          distance is 0.",
    seed: 9,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    same_distance(bench)?;
    hulls_that_meet(bench)?;
    on_the_margin(bench)?;
    figure(bench)
}

/// Half of the sets lie in the plane.
fn data(at: u64, seed: u64) -> lm_core::Result<Binary> {
    let (len, dim) = (30 + 5 * at as usize, if at < 20 { 2 } else { 1 + at as usize % 9 });
    let settings =
        SeparableSettings::default().with_len(len).with_dim(dim).with_margin(0.02 + 0.002 * at as f64);
    Ok(separable(&settings, seed + at)?.data)
}

fn same_distance(bench: &mut Bench) -> Outcome {
    let (mut valid, mut exact, mut most_kept) = (0_u32, 0_u32, 0);
    let (mut sides, mut pairs, mut hyperplane, mut value, mut sum) =
        (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for seed in 0..40 {
        let data = data(seed, bench.seed())?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let points = nearest_points(&data.examples, &data.labels)?;
        let tight = points.distance() - points.distance_at_least() <= 1e-13 * points.distance();
        valid +=
            u32::from(points.verify(&set)?.is_valid() && tight && points.report().stop == Stop::Converged);
        if let Separability::Separable(claim) = separate(&data.examples, &data.labels)? {
            // 4γ² as a fraction is the square of the distance.
            let square = (&claim.margin_squared() * &Rational::from(Integer::from(4))).to_f64();
            exact += u32::from(claim.is_maximal() && (square.sqrt() / points.distance() - 1.0).abs() < 1e-14);
            most_kept = most_kept.max(claim.nearest().map_or(0, <[_]>::len));
        }
        let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
        let margin = MaximalMargin::default().with_gap(1e-12).fit(&gram, &data.labels)?;
        pairs = pairs.max((2.0 * margin.certificate.margin_at_most() / points.distance() - 1.0).abs());
        let own = Margins::geometric(&points.hyperplane()?, &set)?.minimum();
        hyperplane = hyperplane.max((2.0 * own / points.distance() - 1.0).abs());
        // The dual itself: with a cost that no α reaches it is the problem without upper bounds.
        let c = points.distance() * points.distance();
        let dual = CSvc::default().with_cost(1e3 / c).with_gap(1e-10).fit(&gram, &data.labels)?;
        value = value.max((dual.certificate.figures().dual * c / 2.0 - 1.0).abs());
        sum = sum.max((dual.certificate.alpha().iter().sum::<f64>() * c / 4.0 - 1.0).abs());
        if seed < 20 {
            let by_sides = hull_distance(
                &hull(&of_class(&data, Sign::Positive)),
                &hull(&of_class(&data, Sign::Negative)),
            );
            sides = sides.max((by_sides / points.distance() - 1.0).abs());
        }
    }
    bench.check_equal(
        "sets of 40 whose nearest points converge, with bounds on the distance that agree to 1e-13",
        40,
        valid,
    );
    bench.check_equal(
        "sets whose largest margin is proven exactly, with 4γ² the square of the distance",
        40,
        exact,
    );
    bench.check_at_most(
        "20 sets in the plane: distance by all pairs of sides, relative difference",
        1e-12,
        sides,
    );
    bench.check_at_most("2γ of the maximal margin machine by pairs, relative difference", 1e-10, pairs);
    bench.check_at_most(
        "2γ measured at the hyperplane halfway between the points, relative difference",
        1e-10,
        hyperplane,
    );
    bench.check_at_most("maximum of the dual, relative difference to 2/c", 1e-8, value);
    bench.check_at_most("Σα at the maximum, relative difference to 4/c", 1e-4, sum);
    bench.note(format!("At most {most_kept} examples carry the two points."));
    Ok(())
}

fn hulls_that_meet(bench: &mut Bench) -> Outcome {
    let (mut zero, mut proven) = (0_u32, 0_u32);
    for seed in 0..20 {
        let data = clouds(60, 1 + seed as usize % 5, 1.0, bench.seed() + seed)?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let points = nearest_points(&data.examples, &data.labels)?;
        zero += u32::from(points.distance() == 0.0 && points.report().stop == Stop::Infeasible);
        let verdict = separate(&data.examples, &data.labels)?;
        proven += u32::from(verdict.is_separable() == Some(false) && verdict.verify(&set)?.is_valid());
    }
    bench.check_equal("sets of 20 that overlap: the distance is exactly 0", 20, zero);
    bench.check_equal("of these, with a proof that no hyperplane separates the classes", 20, proven);
    Ok(())
}

/// What the source says of examples on the margin right after the lemma.
fn on_the_margin(bench: &mut Bench) -> Outcome {
    let examples = Dense::from_rows(&[[2.0, 0.0], [2.0, 1.0], [0.0, 0.0], [0.0, -1.0]])?;
    let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
    let set = TrainingSet::new(&examples, &labels)?;
    let points = nearest_points(&examples, &labels)?;
    let margins = Margins::functional(&points.hyperplane()?, &set)?;
    let on_margin = margins.values().iter().filter(|margin| (**margin - 1.0).abs() < 1e-14).count();
    let carrying = points.multipliers().iter().filter(|lambda| **lambda > 0.0).count();
    bench.erratum(
        "Complementary slackness yields αᵢ > 0 if 1 − Yᵢ(⟨w·Xᵢ⟩ + b) = 0, and 1 − Yᵢ(⟨w·Xᵢ⟩ + b) < 0 if αᵢ = 0.",
        "αᵢ > 0 implies that the bracket is 0, and a bracket below 0 that αᵢ = 0. Both may be 0: an example can lie on the margin without a \
         multiplier.",
        format!(
            "Of (2, 0), (2, 1) against (0, 0), (0, −1) all {on_margin} lie on the margin, and {carrying} have a multiplier: the sides are parallel \
             and only the points (2, 0) and (0, 0) face each other."
        ),
        on_margin == 4 && carrying == 2,
    );
    Ok(())
}

/// The corners of the convex hull, counterclockwise (Andrew's chain).
fn hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turn = |a: &[f64; 2], b: &[f64; 2], c: &[f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut kept: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while kept.len() >= 2 && turn(&kept[kept.len() - 2], &kept[kept.len() - 1], &point) <= 0.0 {
                kept.pop();
            }
            kept.push(point);
        }
        kept.pop();
        kept
    };
    let mut corners = chain(&mut sorted.iter().copied());
    corners.extend(chain(&mut sorted.iter().rev().copied()));
    corners
}

/// The least distance of a corner of one hull to a side of the other, for hulls that do not meet.
fn hull_distance(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let to_side = |p: &[f64; 2], from: &[f64; 2], to: &[f64; 2]| {
        let (along, way) = ([to[0] - from[0], to[1] - from[1]], [p[0] - from[0], p[1] - from[1]]);
        let length = along[0] * along[0] + along[1] * along[1];
        let share = if length > 0.0 {
            ((along[0] * way[0] + along[1] * way[1]) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        (way[0] - share * along[0]).hypot(way[1] - share * along[1])
    };
    let one = |a: &[[f64; 2]], b: &[[f64; 2]]| {
        let mut least = f64::INFINITY;
        for p in a {
            for k in 0..b.len() {
                least = least.min(to_side(p, &b[k], &b[(k + 1) % b.len()]));
            }
        }
        least
    };
    one(a, b).min(one(b, a))
}

fn figure(bench: &mut Bench) -> Outcome {
    let data = clouds(50, 2, 6.5, bench.seed())?;
    let points = nearest_points(&data.examples, &data.labels)?;
    let plane = line(&points.hyperplane()?);
    let (positive, negative) = (of_class(&data, Sign::Positive), of_class(&data, Sign::Negative));
    let closed = |points: &[[f64; 2]]| {
        let mut corners = hull(points);
        corners.push(corners[0]);
        corners
    };
    let at = |point: &[f64]| [point[0], point[1]];
    let (p, q) = (at(points.positive()), at(points.negative()));
    let kept = points.multipliers().iter().enumerate().filter(|(_, lambda)| **lambda > 0.0);
    let kept: Vec<[f64; 2]> = kept.map(|(row, _)| at(data.examples.slice(row))).collect();
    let [a, b, c] = plane;
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .curve("convex hulls", &closed(&negative), Stroke::THIN)
        .curve("", &closed(&positive), Stroke::THIN)
        .line("hyperplane", plane, Stroke::SOLID)
        .line("margin γ", [a, b, c - 1.0], Stroke::DASHED)
        .line("", [a, b, c + 1.0], Stroke::DASHED)
        .segment("nearest points, 2γ apart", p, q, Stroke::DOTTED)
        .points("class −1", 0, &negative)
        .points("class +1", 1, &positive)
        .points("nearest points", 2, &[p, q])
        .rings("multiplier λ > 0", &kept)
        .render()?;
    bench.figure(
        "hulls",
        "The hulls of two classes, their nearest points, and the hyperplane halfway between them: it has the largest margin.",
        svg,
    )
}
