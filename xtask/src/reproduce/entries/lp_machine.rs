//! C13: the support vector machine as a linear program.

use lm_core::{Certificate, Dense, Hypothesis, Learner, Sign, TrainingSet, VectorGram, VectorKernel};
use lm_data::classic;
use lm_data::generate::{noisy_xor, two_moons};
use lm_qp::linear_program::LinearProgram;
use lm_qp::{CSvc, LpSvc};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, of_class, pair, point, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C13",
    place: "C 6.1.3",
    claim: "Minimising Σα + C Σξ subject to yᵢ(Σ αⱼyⱼK(xᵢ, xⱼ) + b) ≥ 1 − ξᵢ is a linear program, an estimate of the machine with the fewest \
            multipliers; its machine is sparser than that of the quadratic program.",
    how: "Both machines learn four sets under Gaussian kernels for costs from 0.1 to 1000. Multipliers are counted, errors on as many new \
          examples compared, and the optimum of the linear program is recomputed from both sides.",
    seed: 13,
    body,
}];

/// A set to learn from and one to be measured on, with the width of the kernel.
struct Case {
    name: &'static str,
    learn: Binary,
    test: Binary,
    gamma: f64,
}

fn cases(seed: u64) -> lm_core::Result<Vec<Case>> {
    let case = |name, learn, test, gamma| Case { name, learn, test, gamma };
    let digits = classic::digits()?.data;
    let digits = pair(&digits, [3.0, 8.0])?;
    let half = |odd: usize| -> lm_core::Result<Binary> {
        let rows: Vec<usize> = (0..digits.labels.signs().len()).filter(|row| row % 2 == odd).collect();
        let values: Vec<&[f64]> = rows.iter().map(|&row| digits.examples.slice(row)).collect();
        let signs = rows.iter().map(|&row| digits.labels.signs()[row]).collect();
        Ok(Binary { examples: Dense::from_rows(&values)?, labels: lm_core::BinaryLabels::new(signs)? })
    };
    Ok(vec![
        case("two moons", two_moons(300, 0.25, seed)?, two_moons(300, 0.25, seed + 1)?, 1.0),
        case("exclusive or", noisy_xor(300, 0.25, seed)?, noisy_xor(300, 0.25, seed + 1)?, 1.0),
        case("overlapping clouds", clouds(300, 5, 2.5, seed)?, clouds(300, 5, 2.5, seed + 1)?, 0.2),
        case("digits 3 and 8", half(0)?, half(1)?, 1e-3),
    ])
}

const COSTS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];

fn body(bench: &mut Bench) -> Outcome {
    let (mut valid, mut gap, mut runs) = (0_u32, 0.0_f64, 0_u32);
    let mut counts: [Vec<[f64; 2]>; 2] = Default::default();
    for case in &cases(bench.seed())? {
        let (mut totals, mut errors, mut sparser) = ([0; 2], [0; 2], 0);
        for cost in COSTS {
            let kernel = VectorKernel::gaussian(case.gamma)?;
            let gram = VectorGram::new(&case.learn.examples, kernel)?;
            let set = TrainingSet::new(&gram, &case.learn.labels)?;
            let linear = LpSvc::default()
                .with_cost(cost)
                .with_gap(1e-8)
                .fit(&gram, &case.learn.labels)?
                .converged()?;
            valid += u32::from(linear.certificate.verify(&set)?.is_valid());
            gap = gap.max(linear.certificate.figures().relative_gap());
            runs += 1;
            let quadratic = CSvc::default().with_cost(cost).fit(&gram, &case.learn.labels)?.converged()?;
            let kept = [linear.model.rows().len(), quadratic.model.rows().len()];
            sparser += u32::from(kept[0] < kept[1]);
            for (k, model) in [&linear.model, &quadratic.model].into_iter().enumerate() {
                totals[k] += kept[k];
                let machine = model.over_vectors(&case.learn.examples, kernel)?;
                errors[k] += wrong(&machine, &case.test.examples, &case.test.labels)?;
                if case.name == "two moons" {
                    counts[k].push([cost, kept[k] as f64]);
                }
            }
        }
        bench.check_equal(
            format!("{}: costs of 5 at which the linear program keeps fewer examples", case.name),
            5,
            sparser,
        );
        bench.check(
            format!("{}: multipliers > 0 at all costs, linear and quadratic program", case.name),
            "fewer by the linear program",
            format!("{} and {} of {}", totals[0], totals[1], 5 * case.learn.labels.signs().len()),
            totals[0] < totals[1],
        );
        bench.note(format!(
            "{}: {} and {} errors on {} new examples at all costs.",
            case.name,
            errors[0],
            errors[1],
            5 * case.test.labels.signs().len()
        ));
    }
    bench.check_equal("linear programs whose certificate holds", runs, valid);
    bench.check_at_most("largest relative duality gap of these", 1e-8, gap);
    missing_sign(bench)?;
    let svg = Plot::new("cost C", "multipliers > 0")
        .log_x()
        .marked_series("linear program", &counts[0])
        .marked_series("quadratic program", &counts[1])
        .render()?;
    bench.figure("counts", "Two moons, 300 examples: how many examples each machine keeps.", svg)?;
    boundaries(bench)
}

/// The program as printed, without the label in the sum, and with it.
fn missing_sign(bench: &mut Bench) -> Outcome {
    // x = 1 of class +1 and x = 2 of class −1, under the linear kernel, with C = 1000; variables α₁, α₂, ξ₁, ξ₂, b.
    let (x, y, cost) = ([1.0, 2.0], [1.0, -1.0], 1000.0);
    let program = |with_label: bool| -> lm_core::Result<LinearProgram> {
        let start = LinearProgram::minimise(vec![1.0, 1.0, cost, cost, 0.0])?.free(4)?;
        (0..2).try_fold(start, |program, i| {
            let entry = |j: usize| y[i] * x[i] * x[j] * if with_label { y[j] } else { 1.0 };
            let mut row = [entry(0), entry(1), 0.0, 0.0, y[i]];
            row[2 + i] = 1.0;
            program.at_least(&row, 1.0)
        })
    };
    let value = |with_label| -> Result<String, Box<dyn std::error::Error>> {
        let program = program(with_label)?;
        let proven = program.prove(&program.solve()?)?.ok_or("the optimum was not proven")?;
        Ok(proven.value().to_string())
    };
    let (printed, corrected) = (value(false)?, value(true)?);
    bench.check_equal(
        "two points, C = 1000: minimum with the label in the sum",
        "1".to_string(),
        corrected.clone(),
    );
    bench.erratum(
        "The constraint is yᵢ[Σ αⱼ⟨xᵢ·xⱼ⟩ + b] ≥ 1 − ξᵢ with αⱼ ≥ 0: the sum has no label yⱼ.",
        "yᵢ[Σ αⱼyⱼ⟨xᵢ·xⱼ⟩ + b] ≥ 1 − ξᵢ. Without the label every coefficient of the machine is positive, and under the linear kernel its weight \
         vector is a combination of examples with positive coefficients, which need not separate what can be separated.",
        format!(
            "For x = 1 of class +1 and x = 2 of class −1 the printed program has the minimum {printed}, 2C: it pays for two slacks. With the \
             label it is {corrected}, without slack; both are proven in exact arithmetic."
        ),
        printed == "2000" && corrected == "1",
    );
    Ok(())
}

fn boundaries(bench: &mut Bench) -> Outcome {
    let data = two_moons(150, 0.2, bench.seed())?;
    let kernel = VectorKernel::gaussian(1.0)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let linear = LpSvc::default().with_cost(10.0).fit(&gram, &data.labels)?;
    let quadratic = CSvc::default().with_cost(10.0).fit(&gram, &data.labels)?;
    let rings: Vec<[f64; 2]> = linear.model.rows().iter().map(|&row| point(&data, row)).collect();
    let agree = linear
        .model
        .signs(&gram)?
        .iter()
        .zip(quadratic.model.signs(&gram)?)
        .filter(|(a, b)| **a == *b)
        .count();
    bench.note(format!(
        "In the figure the linear program keeps {} examples and the quadratic one {}; they agree on {agree} of 150 examples, and the value of \
         the linear program is {}.",
        rings.len(),
        quadratic.model.rows().len(),
        number(linear.certificate.figures().primal)
    ));
    let (a, b) = (
        linear.model.over_vectors(&data.examples, kernel)?,
        quadratic.model.over_vectors(&data.examples, kernel)?,
    );
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .contours(|x, y| a.decision(&[x, y]).unwrap_or(f64::NAN), &[("linear program", 0.0, Stroke::SOLID)])
        .contours(
            |x, y| b.decision(&[x, y]).unwrap_or(f64::NAN),
            &[("quadratic program", 0.0, Stroke::DASHED)],
        )
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive))
        .rings("kept by the linear program", &rings)
        .render()?;
    bench.figure(
        "boundaries",
        "Two moons: the boundaries of both machines, and the few examples that the linear program keeps.",
        svg,
    )
}
