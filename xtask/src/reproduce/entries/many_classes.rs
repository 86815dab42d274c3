//! A15 and B02: more than two classes, by dichotomies and by a linear machine.

use lm_core::multiclass::{
    Claim, Classifier, LinearMachine, OneVsOne, OneVsOneModel, OneVsRest, OneVsRestModel,
};
use lm_core::{ClassLabels, Dense, Learner, Linear};
use lm_qp::linear::LinearSvc;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A15",
        place: "A 2.1.3",
        claim: "A linear machine gives each of m classes a function ⟨wᵢ·x⟩ + bᵢ and x to the class with the largest; for \
                two classes it is the hyperplane with w = w₁ − w₋₁ and b = b₁ − b₋₁; its regions are convex.",
        how: "Machines with 2 to 6 classes in the plane are compared with the largest function point by point; the two-class \
              one with its single hyperplane; and segments between points of one class are checked to stay in it.",
        seed: 0,
        body: linear_machine,
    },
    Entry {
        id: "B02",
        place: "B 5.3, 5.4",
        claim: "Dichotomies of one class against the rest, or of every pair of classes, leave regions without a clear class; a \
                linear machine leaves none. Its classes meet in hyperplanes Hᵢⱼ, at distance (gᵢ − gⱼ)/‖wᵢ − wⱼ‖ of x.",
        how: "Four classes of points are learned in all three ways; claims are counted on a grid of 101 × 101 points, and \
              distances compared with projections.",
        seed: 0,
        body: dichotomies,
    },
];

/// The machine whose function for class `i` points in its own direction.
fn star(classes: u32) -> Result<LinearMachine, lm_core::Error> {
    let function = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(classes) + 0.3;
        let length = 1.0 + f64::from(i % 3) / 5.0;
        Linear::new(vec![length * angle.cos(), length * angle.sin()], 0.3 * f64::from(i * i % 5) - 0.4)
    };
    let functions = (0..classes).map(function).collect::<Result<Vec<_>, _>>()?;
    LinearMachine::new((0..classes).map(i64::from).collect(), functions)
}

fn grid(side: i32, reach: f64) -> Vec<[f64; 2]> {
    let at = |k: i32| reach * (2.0 * f64::from(k) / f64::from(side - 1) - 1.0);
    (0..side).flat_map(|i| (0..side).map(move |j| [at(i), at(j)])).collect()
}

fn linear_machine(bench: &mut Bench) -> Outcome {
    let points = grid(41, 3.0);
    let examples = Dense::from_rows(&points)?;
    let (mut largest, mut inside, mut segments) = (true, true, 0);
    for classes in 2..=6 {
        let machine = star(classes)?;
        let given = machine.classify(&examples)?;
        for (point, class) in points.iter().zip(&given) {
            let values =
                machine.functions().iter().map(|g| g.decision(point)).collect::<Result<Vec<_>, _>>()?;
            largest &= values.iter().all(|value| *value <= values[*class as usize]);
        }
        for (i, a) in points.iter().enumerate().step_by(7) {
            for (j, b) in points.iter().enumerate().step_by(11).filter(|(j, _)| given[i] == given[*j]) {
                let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
                let class = machine.classify_one(&middle)?;
                // On a boundary, ties go to the smaller class; the value must still be the largest.
                let values =
                    machine.functions().iter().map(|g| g.decision(&middle)).collect::<Result<Vec<_>, _>>()?;
                inside &= class == given[j] || values[class as usize] - values[given[j] as usize] < 1e-12;
                segments += 1;
            }
        }
    }
    bench.check(
        "the class given has the largest function, on 1681 points, 2 to 6 classes",
        "always",
        if largest { "always" } else { "not always" },
        largest,
    );
    bench.check(
        "midpoints of two points of a class belong to it",
        "all",
        format!("{} of {segments}", if inside { "all" } else { "not all" }),
        inside,
    );

    let machine = star(2)?;
    let single = machine.boundary(1, 0)?;
    let by_machine = machine.classify(&examples)?;
    let by_plane = points.iter().map(|point| single.decision(point).map(|value| i64::from(value > 0.0)));
    let same = by_plane.collect::<Result<Vec<_>, _>>()? == by_machine;
    bench.check(
        "two classes, and the single hyperplane w₁ − w₂, on 1681 points",
        "the same classes",
        if same { "the same classes" } else { "others" },
        same,
    );

    let five = star(5)?;
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-3.0, 3.0)
        .y_range(-3.0, 3.0)
        .regions(&["1", "2", "3", "4", "5"], |x, y| {
            five.classify_one(&[x, y]).ok().map(|class| class as usize)
        })
        .render()?;
    bench.figure(
        "machine",
        "The regions of a linear machine with five classes: convex, and together the whole plane.",
        svg,
    )
}

/// Four groups of points, drawn out like the sails of a windmill.
fn four_classes() -> (Vec<[f64; 2]>, Vec<i64>) {
    let (mut points, mut labels) = (Vec::new(), Vec::new());
    for class in 0..4_u32 {
        let (sin, cos) = (std::f64::consts::FRAC_PI_2 * f64::from(class) + 0.4).sin_cos();
        for k in 0..12_u32 {
            // Along the sail, and across it, in the frame of the class.
            let (along, across) = (1.3 + 0.05 * f64::from(k * 5 % 7), 0.17 * f64::from(k) - 0.55);
            points.push([along * cos - across * sin, along * sin + across * cos]);
            labels.push(i64::from(class) + 1);
        }
    }
    (points, labels)
}

fn dichotomies(bench: &mut Bench) -> Outcome {
    let (points, labels) = four_classes();
    let (examples, classes) = (Dense::from_rows(&points)?, ClassLabels::from_integers(&labels)?);
    let rest = OneVsRest::new(LinearSvc::default().with_cost(10.0).with_gap(1e-8))
        .fit(&examples, &classes)?
        .converged()?
        .model;
    let pairs = OneVsOne::new(LinearSvc::default().with_cost(10.0).with_gap(1e-8))
        .fit(&examples, &classes)?
        .converged()?
        .model;
    let machine = LinearMachine::try_from(rest.clone())?;
    bench.check_equal("linear functions: one-vs-rest", 4, rest.models().len());
    bench.check_equal("linear functions: one-vs-one, c(c−1)/2", 6, pairs.models().len());
    for (name, given) in [
        ("one-vs-rest", rest.classify(&examples)?),
        ("one-vs-one", pairs.classify(&examples)?),
        ("linear machine", machine.classify(&examples)?),
    ] {
        let right = given.iter().zip(&labels).filter(|(a, b)| a == b).count();
        bench.check_equal(format!("training points given to their class: {name}"), labels.len(), right);
    }

    let cells = Dense::from_rows(&grid(101, 3.0))?;
    let ambiguous = |claims: &[Claim]| claims.iter().filter(|claim| claim.is_ambiguous()).count();
    let (by_rest, by_pairs) = (rest.claims(&cells)?, pairs.claims(&cells)?);
    let nobody = by_rest.iter().filter(|claim| matches!(claim, Claim::Nobody)).count();
    bench.check(
        "grid points without a clear class: one-vs-rest",
        "some",
        format!("{} ({nobody} claimed by none)", ambiguous(&by_rest)),
        ambiguous(&by_rest) > 0,
    );
    bench.check(
        "grid points without a clear class: one-vs-one",
        "some",
        ambiguous(&by_pairs).to_string(),
        ambiguous(&by_pairs) > 0,
    );
    let tied = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
    // A point of a boundary has two largest functions; beside it there must be one. The classes are symmetric, so the middle
    // of the grid is such a point.
    let beside: Vec<[f64; 2]> = grid(101, 3.0).iter().map(|[x, y]| [x + 1e-6, y + 3e-6]).collect();
    let beside = machine.decisions(&Dense::from_rows(&beside)?)?;
    let tie = |values: &[f64]| {
        let top = values.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        values.iter().filter(|v| **v == top).count() > 1
    };
    let ties =
        machine.decisions(&cells)?.rows().zip(beside.rows()).filter(|(at, by)| tie(at) && tie(by)).count();
    bench.check_equal("grid points without a clear class, beside them neither: linear machine", 0, ties);

    let mut worst = 0.0_f64;
    for (i, j) in tied {
        let plane = machine.boundary(i, j)?;
        for point in points.iter().step_by(5) {
            let r = machine.distance(point, i, j)?;
            let foot: Vec<f64> =
                point.iter().zip(plane.weights()).map(|(x, w)| x - r * w / plane.norm()).collect();
            let values = [machine.functions()[i].decision(&foot)?, machine.functions()[j].decision(&foot)?];
            worst = worst.max((values[0] - values[1]).abs());
        }
    }
    bench.check_at_most("|gᵢ − gⱼ| after moving by the distance to Hᵢⱼ", 1e-12, worst);
    figures(bench, &points, &labels, &rest, &pairs, &machine)
}

fn figures(
    bench: &mut Bench,
    points: &[[f64; 2]],
    labels: &[i64],
    rest: &OneVsRestModel<Linear>,
    pairs: &OneVsOneModel<Linear>,
    machine: &LinearMachine,
) -> Outcome {
    let clear = |claims: Result<Vec<Claim>, lm_core::Error>| match claims.ok()?.pop()? {
        Claim::One(class) => Some(class as usize - 1),
        _ => None,
    };
    let base = || Plot::new("x₁", "x₂").equal_axes().x_range(-3.0, 3.0).y_range(-3.0, 3.0);
    let finish = |mut plot: Plot<'_>, lines: &[Linear]| {
        for (index, line) in lines.iter().enumerate() {
            let coefficients = [line.weights()[0], line.weights()[1], line.bias()];
            plot = plot.line(if index == 0 { "g = 0" } else { "" }, coefficients, Stroke::THIN);
        }
        for class in 1..=4_i64 {
            let own: Vec<[f64; 2]> =
                points.iter().zip(labels).filter(|(_, l)| **l == class).map(|(p, _)| *p).collect();
            plot = plot.points(&format!("class {class}"), class as usize - 1, &own);
        }
        plot.render()
    };
    let single = |x: f64, y: f64| Dense::new(vec![x, y], 1, 2);
    let plot = base().regions(&[], |x, y| clear(rest.claims(&single(x, y).ok()?)));
    bench.figure(
        "rest",
        "One class against the rest: dotted places are claimed by no class, or by several.",
        finish(plot, rest.models())?,
    )?;
    let plot = base().regions(&[], |x, y| clear(pairs.claims(&single(x, y).ok()?)));
    bench.figure(
        "pairs",
        "Every pair of classes: in dotted places the votes are tied.",
        finish(plot, pairs.models())?,
    )?;
    let plot = base().regions(&[], |x, y| machine.classify_one(&[x, y]).ok().map(|class| class as usize - 1));
    bench.figure(
        "machine",
        "The linear machine made of the same four functions: every place has a class.",
        finish(plot, &[])?,
    )
}
