//! E07: the representer theorem, inner products only, and sparsity, on one data set.

use lm_closed::KernelRidge;
use lm_core::{Budget, Dense, DualExpansion, Gram, Learner, MatrixGram, Targets, VectorGram, VectorKernel};
use lm_data::classic;
use lm_online::Perceptron;
use lm_qp::{CSvc, MaximalMargin};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::barrier::{Primal, hard_margin, soft_margin};
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::least_squares::least_squares;
use crate::reproduce::measure::{Binary, pair};
use crate::reproduce::vectors::{distance, dot, minus, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "E07",
    place: "E 4.3, properties 1–3",
    claim: "The optimal w lies in the span of the training set, w = Σ αᵢyᵢxᵢ, an instance of the representer theorem; fitting and prediction \
            need pairwise inner products of inputs only; α is not 0 only where yᵢ(⟨xᵢ·w⟩ + b) = 1, so that few examples matter.",
    how: "Digits 3 and 8. w is found in all 64 dimensions from a start outside of the span of 30 examples, and expanded in them; the dual is \
          solved from numbers alone, and after a rotation; multipliers are counted against margins, beside those of kernel ridge regression.",
    seed: 507,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let all = pair(&classic::digits()?.data, [3.0, 8.0])?;
    let few = first(&all, 30)?;
    in_the_span(bench, &few)?;
    inner_products_only(bench, &few, &all)?;
    sparse(bench, &all)?;
    slack(bench, &all)
}

/// The first examples of a set.
fn first(data: &Binary, len: usize) -> lm_core::Result<Binary> {
    let rows: Vec<usize> = (0..len).collect();
    Ok(Binary {
        examples: Dense::from_rows(&rows.iter().map(|&row| data.examples.slice(row)).collect::<Vec<_>>())?,
        labels: lm_core::Labelling::select(&data.labels, &rows)?,
    })
}

/// Property 1: the primal problem knows nothing of a span, and ends in it.
fn in_the_span(bench: &mut Bench, data: &Binary) -> Outcome {
    let (n, dim) = (data.labels.signs().len(), data.examples.slice(0).len());
    let rows: Vec<Vec<f64>> = (0..n).map(|row| data.examples.slice(row).to_vec()).collect();
    // One row an attribute, one column an example.
    let columns: Vec<Vec<f64>> = (0..dim).map(|k| rows.iter().map(|x| x[k]).collect()).collect();
    let outside = |w: &[f64]| -> (Vec<f64>, Vec<f64>) {
        let c = least_squares(&columns, w);
        let within: Vec<f64> = columns.iter().map(|column| dot(column, &c)).collect();
        (minus(w, &within), c)
    };
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let aside = outside(&(0..dim).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>()).0;
    let separating =
        Perceptron::default().with_passes(10_000).fit(&data.examples, &data.labels)?.converged()?.model;
    let mut start = weights_and_bias(&separating);
    let factor = separating.norm() / norm(&aside);
    start.iter_mut().zip(&aside).for_each(|(w, a)| *w += factor * a);
    let share = |w: &[f64]| norm(&outside(&w[..dim]).0) / norm(&w[..dim]);
    bench.check_at_least(
        "30 examples in 64 dimensions: share of the start that lies outside of their span",
        0.5,
        share(&start),
    );

    let y = data.labels.values();
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let cost = 1e-4;
    let hard = MaximalMargin::default().with_gap(1e-12).fit(&gram, &data.labels)?.converged()?.model;
    let soft = CSvc::default().with_cost(cost).with_gap(1e-12).fit(&gram, &data.labels)?.converged()?.model;
    let cases: [(&str, Primal, DualExpansion); 2] = [
        ("hard margin", hard_margin(&rows, &y, &start)?, hard),
        ("soft margin, C = 10⁻⁴", soft_margin(&rows, &y, cost)?, soft),
    ];
    for (name, primal, machine) in cases {
        let w = &primal.weights[..dim];
        bench.check_at_most(
            format!("{name}: share of the primal solution that lies outside of the span"),
            1e-8,
            share(&primal.weights),
        );
        let signed: Vec<f64> = dual.multipliers(&machine).iter().zip(&y).map(|(a, y)| a * y).collect();
        bench.check_at_most(
            format!("{name}: coefficients of the primal solution in the 30 examples, and αᵢyᵢ of the dual, relative distance"),
            1e-4,
            distance(&outside(w).1, &signed) / norm(&signed),
        );
        let used = signed.iter().filter(|c| **c != 0.0).count();
        bench.check(
            format!("{name}: examples with α ≠ 0"),
            "some of the 30",
            used.to_string(),
            (2..30).contains(&used),
        );
    }
    Ok(())
}

/// Property 2: nothing but the table of inner products.
fn inner_products_only(bench: &mut Bench, data: &Binary, all: &Binary) -> Outcome {
    let n = data.labels.signs().len();
    let dim = data.examples.slice(0).len();
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let table = MatrixGram::computed(&gram, &Budget::default())?.into_values();
    let numbers = MatrixGram::precomputed(table.clone(), n)?;
    // A rotation by two reflections: every attribute changes, no inner product does.
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed() + 1);
    let mirrors: Vec<Vec<f64>> =
        (0..2).map(|_| (0..dim).map(|_| random.random_range(-1.0..1.0)).collect()).collect();
    let turn = |x: &[f64]| {
        mirrors.iter().fold(x.to_vec(), |x, mirror| {
            let factor = 2.0 * dot(&x, mirror) / dot(mirror, mirror);
            x.iter().zip(mirror).map(|(x, m)| x - factor * m).collect()
        })
    };
    let turned = Dense::from_rows(&(0..n).map(|row| turn(data.examples.slice(row))).collect::<Vec<_>>())?;
    let moved =
        (0..n).map(|row| distance(turned.slice(row), data.examples.slice(row))).fold(f64::INFINITY, f64::min);
    let rotated = VectorGram::new(&turned, VectorKernel::linear())?;
    let fit = |gram: &dyn Gram| -> lm_core::Result<DualExpansion> {
        Ok(MaximalMargin::default().with_gap(1e-12).fit(gram, &data.labels)?.converged()?.model)
    };
    let (from_inputs, from_numbers, from_rotated) = (fit(&gram)?, fit(&numbers)?, fit(&rotated)?);
    let same = from_inputs == from_numbers;
    bench.check(
        "30 examples: machine from inputs, and from the table of 30 × 30 inner products",
        "equal to the bit",
        if same { "equal" } else { "not equal" },
        same,
    );
    let dual = DualByHand::new(&gram, &data.labels)?;
    let (a, b) = (dual.multipliers(&from_inputs), dual.multipliers(&from_rotated));
    bench.check_at_most(
        format!("after a rotation that moves every input by {} or more: α, relative distance", number(moved)),
        1e-6,
        distance(&a, &b) / norm(&a),
    );
    bench.check_close("after the rotation: b", from_inputs.bias(), from_rotated.bias(), 1e-6);
    // Prediction: the inner products of a new input with the old ones, and no more.
    let w = from_inputs.over_columns(&data.examples)?;
    let (mut off, mut signs) = (0.0_f64, 0_u32);
    for row in n..all.labels.signs().len() {
        let x = all.examples.slice(row);
        let products: Vec<f64> = (0..n).map(|k| dot(x, data.examples.slice(k))).collect();
        let (by_products, by_weights) = (from_numbers.decide(&products)?, w.decision(x)?);
        off = off.max((by_products - by_weights).abs());
        signs += u32::from((by_products >= 0.0) != (by_weights >= 0.0));
    }
    bench.check_at_most(
        format!(
            "{} inputs not seen before: value by their inner products, and by w, largest difference",
            all.labels.signs().len() - n
        ),
        1e-12,
        off,
    );
    bench.check_equal("of these, classes that differ", 0, signs);
    Ok(())
}

/// Property 3: few multipliers are not 0, and these sit on the margin.
fn sparse(bench: &mut Bench, all: &Binary) -> Outcome {
    let gram = VectorGram::new(&all.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &all.labels)?;
    let n = dual.y.len();
    let hard = MaximalMargin::default().with_gap(1e-11).fit(&gram, &all.labels)?.converged()?.model;
    let alpha = dual.multipliers(&hard);
    let margins = dual.margins(&alpha, hard.bias());
    let worst = (0..n).filter(|&i| alpha[i] > 0.0).map(|i| (margins[i] - 1.0).abs()).fold(0.0, f64::max);
    bench.check_at_most(
        format!("hard margin, {n} examples: |y f − 1| of those with α ≠ 0, largest"),
        1e-6,
        worst,
    );
    bench.check_at_most(
        "hard margin: share of the examples with α ≠ 0",
        0.1,
        hard.rows().len() as f64 / n as f64,
    );
    let targets = Targets::new(dual.y.clone())?;
    let ridge = KernelRidge::default().fit(&gram, &targets)?.converged()?;
    let dense = ridge.model.rows().len();
    bench.check_equal(
        "for contrast, kernel ridge regression on the same labels: coefficients that are not 0",
        n,
        dense,
    );

    let mut counts = Vec::new();
    for len in [20_usize, 40, 80, 120, 160, 240, n] {
        let some = first(all, len)?;
        let fit = MaximalMargin::default()
            .with_gap(1e-9)
            .fit(&VectorGram::new(&some.examples, VectorKernel::linear())?, &some.labels)?
            .converged()?;
        counts.push([len as f64, fit.model.rows().len() as f64]);
    }
    let shares: Vec<f64> = counts.iter().map(|[len, count]| count / len).collect();
    bench.check(
        "share of support vectors among the first 20, 40, 80, 120, 160, 240 and all examples",
        "smaller and smaller",
        shares.iter().map(|share| number(*share)).collect::<Vec<_>>().join(", "),
        shares.windows(2).all(|two| two[1] < two[0]),
    );
    let svg = Plot::new("examples", "examples with a coefficient")
        .marked_series("maximal margin", &counts)
        .curve("kernel ridge regression: all", &[[20.0, 20.0], [n as f64, n as f64]], Stroke::DASHED)
        .render()?;
    bench.figure(
        "growth",
        "Digits 3 and 8: how many examples carry the machine, as their number grows.",
        svg,
    )?;

    let ranked = |values: Vec<f64>| {
        let mut sizes: Vec<f64> = values.iter().map(|v| v.abs()).collect();
        sizes.sort_unstable_by(|a, b| b.total_cmp(a));
        let largest = sizes[0];
        sizes.iter().enumerate().map(|(rank, size)| [rank as f64 + 1.0, size / largest]).collect::<Vec<_>>()
    };
    let svg = Plot::new("rank", "size of the coefficient over the largest")
        .series("maximal margin", &ranked(alpha))
        .series("kernel ridge regression", &ranked(ridge.model.coefficients().to_vec()))
        .render()?;
    bench.figure(
        "ranks",
        "The coefficients of all examples by size: most of those of the maximal margin machine are 0.",
        svg,
    )
}

/// With slack the support vectors include the examples within the margin; the bias belongs into the condition.
fn slack(bench: &mut Bench, all: &Binary) -> Outcome {
    let gram = VectorGram::new(&all.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &all.labels)?;
    let cost = 1e-4;
    let soft = CSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &all.labels)?.converged()?.model;
    let alpha = dual.multipliers(&soft);
    let margins = dual.margins(&alpha, soft.bias());
    let count = |of: &dyn Fn(usize) -> bool| (0..alpha.len()).filter(|&i| of(i)).count();
    let within = count(&|i| margins[i] < 1.0 - 1e-5);
    bench.check_equal(
        format!("soft margin, C = 10⁻⁴: of {within} examples within the margin, those with α = C"),
        within,
        count(&|i| margins[i] < 1.0 - 1e-5 && alpha[i] == cost),
    );
    let zero = count(&|i| alpha[i] == 0.0);
    bench.check_equal(
        format!("soft margin: of {zero} examples with α = 0, those within the margin"),
        0,
        count(&|i| alpha[i] == 0.0 && margins[i] < 1.0 - 1e-5),
    );
    let outputs = dual.outputs(&alpha);
    let (mut with, mut without) = (0.0_f64, 0.0_f64);
    for i in 0..alpha.len() {
        let xi = (1.0 - margins[i]).max(0.0);
        with = with.max((alpha[i] * (margins[i] - (1.0 - xi))).abs() / cost);
        without = without.max((alpha[i] * (dual.y[i] * outputs[i] - (1.0 - xi))).abs() / cost);
    }
    bench.erratum(
        "Soft margin: αᵢ[yᵢ(xᵢ·w) − (1 − ξᵢ)] = 0 and yᵢ(xᵢ·w) − (1 − ξᵢ) ≥ 0.",
        "The bias is missing: αᵢ[yᵢ(xᵢ·w + b) − (1 − ξᵢ)] = 0 and yᵢ(xᵢ·w + b) − (1 − ξᵢ) ≥ 0, as in the hard margin.",
        format!(
            "At the solution for the digits 3 and 8 the largest product over C is {} with b = {}, and {} without.",
            number(with),
            number(soft.bias()),
            number(without)
        ),
        with < 1e-5 && without > 0.01,
    );
    Ok(())
}
