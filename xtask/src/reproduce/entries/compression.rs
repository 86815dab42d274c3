//! C05: the support vectors alone give the same machine.

use lm_core::{
    Dense, DualExpansion, Hypothesis, Labelling, Learner, Lift, Margins, Selection, Sign, TrainingSet,
    VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, separable, two_moons};
use lm_qp::{CSvc, MaximalMargin, TwoNormSvc};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, line, of_class, pair, point};
use crate::reproduce::vectors::{distance, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C05",
    place: "C 6.1.1, before Thm 6.8",
    claim: "If every example that is not a support vector is removed, the same maximal margin hyperplane is found, and it classifies the \
            whole training set rightly: a compression scheme. Slight changes of such examples do not matter, in non-degenerate cases.",
    how: "Machines are trained, trained again on their support vectors, and compared in multipliers, margin and decision values of all \
          examples, by linear and Gaussian kernels. Support vectors are left out and examples moved for contrast.",
    seed: 605,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let digits = classic::digits()?.data;
    let settings = SeparableSettings::default().with_len(300).with_dim(15).with_margin(0.03);
    for (name, data, kernel) in [
        ("iris, setosa and versicolor", pair(&classic::iris()?.data, [0.0, 1.0])?, VectorKernel::linear()),
        ("15 dimensions", separable(&settings, bench.seed())?.data, VectorKernel::linear()),
        ("digits 3 and 8", pair(&digits, [3.0, 8.0])?, VectorKernel::linear()),
        ("digits 3 and 8, Gaussian", pair(&digits, [3.0, 8.0])?, VectorKernel::gaussian(1e-3)?),
        ("moons, Gaussian", two_moons(200, 0.1, bench.seed())?, VectorKernel::gaussian(2.0)?),
    ] {
        let gram = VectorGram::new(&data.examples, kernel)?;
        let machine = MaximalMargin::default().with_gap(1e-12);
        let whole = machine.fit(&gram, &data.labels)?.converged()?;
        let rows = whole.model.rows().to_vec();
        let some = Selection::new(&gram, &rows)?;
        let again = machine.fit(&some, &data.labels.select(&rows)?)?.converged()?;
        let margins = [whole.certificate.margin_at_most(), again.certificate.margin_at_most()];
        compared(bench, name, &gram, &data, &whole.model, &again.model.lifted(&rows)?)?;
        bench.check_close(format!("{name}: margin"), margins[0], margins[1], 1e-9 * margins[0]);
        left_out(bench, name, &gram, &data, &whole.model, margins[0])?;
    }
    soft(bench)?;
    moved(bench)?;
    figure(bench)
}

/// The same multipliers, the same function, and all examples on their side.
fn compared(
    bench: &mut Bench,
    name: &str,
    gram: &VectorGram<'_, Dense<'static>>,
    data: &Binary,
    whole: &DualExpansion,
    again: &DualExpansion,
) -> Outcome {
    let dual = DualByHand::new(gram, &data.labels)?;
    let (before, after) = (dual.multipliers(whole), dual.multipliers(again));
    bench.check_at_most(
        format!("{name}: multipliers with all {} examples, and with the {} support vectors alone, relative distance", before.len(), whole.rows().len()),
        1e-4,
        distance(&before, &after) / norm(&before),
    );
    let (f, g) = (whole.decision_values(gram)?, again.decision_values(gram)?);
    let off = f.iter().zip(&g).map(|(f, g)| (f - g).abs()).fold(0.0, f64::max);
    bench.check_at_most(
        format!("{name}: decision values of all examples by both, largest difference"),
        1e-4,
        off,
    );
    let wrong = g.iter().zip(data.labels.signs()).filter(|(g, sign)| Sign::of(**g) != **sign).count();
    bench.check_equal(
        format!("{name}: errors on all examples of the machine of the support vectors"),
        0,
        wrong,
    );
    Ok(())
}

/// Each support vector left out in turn: the margin of the rest is never smaller, and larger where it was needed.
fn left_out(
    bench: &mut Bench,
    name: &str,
    gram: &VectorGram<'_, Dense<'static>>,
    data: &Binary,
    whole: &DualExpansion,
    margin: f64,
) -> Outcome {
    let (mut smaller, mut larger) = (0, 0);
    let left: Vec<usize> = whole.rows().iter().copied().take(12).collect();
    for row in &left {
        let rows: Vec<usize> = (0..data.labels.signs().len()).filter(|other| other != row).collect();
        let fit = MaximalMargin::default()
            .with_gap(1e-9)
            .fit(&Selection::new(gram, &rows)?, &data.labels.select(&rows)?)?
            .converged()?;
        smaller += u32::from(fit.certificate.margin_at_most() < margin * (1.0 - 1e-8));
        larger += u32::from(fit.certificate.margin_at_least() > margin * (1.0 + 1e-8));
    }
    bench.check(
        format!("{name}: without one of {} support vectors the margin is", left.len()),
        "never smaller, and larger each time",
        format!("smaller {smaller} times, larger {larger} times"),
        smaller == 0 && larger as usize == left.len(),
    );
    Ok(())
}

/// Soft margins: the machine hangs on its support vectors just the same.
fn soft(bench: &mut Bench) -> Outcome {
    let data = pair(&classic::iris()?.data, [1.0, 2.0])?;
    let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(0.5)?)?;
    let (one, two) = (CSvc::default().with_gap(1e-12), TwoNormSvc::default().with_gap(1e-12));
    let learn = |some: &Selection<'_, VectorGram<'_, Dense<'static>>>,
                 rows: &[usize],
                 first: bool|
     -> lm_core::Result<DualExpansion> {
        let labels = data.labels.select(rows)?;
        let model = if first {
            one.fit(some, &labels)?.converged()?.model
        } else {
            two.fit(some, &labels)?.converged()?.model
        };
        model.lifted(rows)
    };
    for (name, first) in [("iris, versicolor and virginica, 1-norm", true), ("the same, 2-norm", false)] {
        let all: Vec<usize> = (0..data.labels.signs().len()).collect();
        let whole = learn(&Selection::new(&gram, &all)?, &all, first)?;
        let rows = whole.rows().to_vec();
        let again = learn(&Selection::new(&gram, &rows)?, &rows, first)?;
        let (f, g) = (whole.decision_values(&gram)?, again.decision_values(&gram)?);
        let off = f.iter().zip(&g).map(|(f, g)| (f - g).abs()).fold(0.0, f64::max);
        bench.check_at_most(
            format!("{name}: decision values with all {} examples, and with the {} support vectors alone, largest difference", all.len(), rows.len()),
            1e-4,
            off,
        );
    }
    Ok(())
}

/// Examples that do not support the machine, moved as far as their room allows; and one that does.
fn moved(bench: &mut Bench) -> Outcome {
    let settings = SeparableSettings::default().with_len(80).with_margin(0.1).with_bias(0.1);
    let data = separable(&settings, bench.seed())?.data;
    let machine = |data: &Binary| -> lm_core::Result<(Vec<f64>, Vec<usize>)> {
        let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
        let fit = MaximalMargin::default().with_gap(1e-12).fit(&gram, &data.labels)?.converged()?;
        let plane = fit.model.over_columns(&data.examples)?;
        Ok((line(&plane).to_vec(), fit.model.rows().to_vec()))
    };
    let (before, support) = machine(&data)?;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let fit = MaximalMargin::default().with_gap(1e-12).fit(&gram, &data.labels)?.converged()?;
    let room = Margins::in_feature_space(&fit.model, &TrainingSet::new(&gram, &data.labels)?)?;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let turned = |rows: &dyn Fn(usize) -> [f64; 2]| -> lm_core::Result<f64> {
        let points: Vec<[f64; 2]> = (0..80).map(rows).collect();
        let data = Binary { examples: Dense::from_rows(&points)?, labels: data.labels.clone() };
        Ok(distance(&machine(&data)?.0, &before) / norm(&before))
    };
    let mut worst = 0.0_f64;
    for _ in 0..20 {
        let shifts: Vec<[f64; 2]> = (0..80)
            .map(|row| {
                // As far as the margin, in any direction.
                let reach = 0.99 * (room.values()[row] - room.minimum());
                let (angle, size) = (
                    random.random_range(0.0..std::f64::consts::TAU),
                    reach * random.random_range(0.0..1.0_f64),
                );
                if support.contains(&row) { [0.0, 0.0] } else { [size * angle.cos(), size * angle.sin()] }
            })
            .collect();
        worst = worst.max(turned(&|row| {
            let [x, y] = point(&data, row);
            [x + shifts[row][0], y + shifts[row][1]]
        })?);
    }
    bench.check_at_most(
        format!("plane, 20 times all {} examples that do not support the machine moved, each as far as the margin: change of (w, b), relative", 80 - support.len()),
        1e-5,
        worst,
    );
    let outward = turned(&|row| {
        let [x, y] = point(&data, row);
        let step = if row == support[0] {
            0.05 * data.labels.signs()[row].value() / norm(&before[..2])
        } else {
            0.0
        };
        [x + step * before[0], y + step * before[1]]
    })?;
    bench.check(
        "for contrast, one support vector moved away from the boundary by 0.05: change of (w, b), relative",
        "> 0.01",
        number(outward),
        outward > 0.01,
    );
    Ok(())
}

/// All examples, and the support vectors alone.
fn figure(bench: &mut Bench) -> Outcome {
    let data = two_moons(120, 0.1, bench.seed())?;
    let kernel = VectorKernel::gaussian(2.0)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let machine = MaximalMargin::default().with_gap(1e-11);
    let whole = machine.fit(&gram, &data.labels)?.converged()?.model;
    let rows = whole.rows().to_vec();
    let again = machine
        .fit(&Selection::new(&gram, &rows)?, &data.labels.select(&rows)?)?
        .converged()?
        .model
        .lifted(&rows)?;
    let kept: Vec<[f64; 2]> = rows.iter().map(|&row| point(&data, row)).collect();
    for (name, model, caption) in [
        (
            "all",
            &whole,
            format!("The machine of all 120 examples; its {} support vectors are ringed.", rows.len()),
        ),
        ("support", &again, "The machine of these support vectors alone.".to_string()),
    ] {
        let f = model.over_vectors(&data.examples, kernel)?;
        let value = |x: f64, y: f64| f.decision(&[x, y]).unwrap_or(f64::NAN);
        let shown = |sign: Sign| {
            let all = of_class(&data, sign);
            if name == "all" { all } else { all.into_iter().filter(|p| kept.contains(p)).collect() }
        };
        let svg = Plot::new("x₁", "x₂")
            .equal_axes()
            .x_range(-1.5, 2.5)
            .y_range(-1.2, 1.7)
            .resolution(80)
            .contours(
                value,
                &[("f = 0", 0.0, Stroke::SOLID), ("f = ±1", 1.0, Stroke::DASHED), ("", -1.0, Stroke::DASHED)],
            )
            .points("class −1", 0, &shown(Sign::Negative))
            .points("class +1", 1, &shown(Sign::Positive))
            .rings("support vectors", &kept)
            .render()?;
        bench.figure(name, caption, svg)?;
    }
    Ok(())
}
