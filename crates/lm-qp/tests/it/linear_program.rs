//! Linear programs: every answer proven, whatever the program.

use lm_core::testing::SplitMix64;
use lm_core::{Budget, Certificate, Control, Error, Stop};
use lm_qp::linear_program::{LinearEvidence, LinearProgram, LinearSolution};

/// Solves, and checks the evidence.
fn solved(program: &LinearProgram) -> LinearSolution {
    let solution = program.solve().unwrap();
    let verdict = solution.verify(program).unwrap();
    assert!(verdict.is_valid(), "{verdict}: {solution:?}");
    solution
}

/// Solves to a proven optimum.
fn optimum(program: &LinearProgram) -> String {
    let solution = solved(program);
    assert_eq!(solution.report().stop, Stop::Converged, "{solution:?}");
    let proven = program.prove(&solution).unwrap().unwrap();
    assert!(proven.verify(program).unwrap().is_valid());
    assert!((proven.value().to_f64() - solution.value()).abs() <= 1e-9 * (1.0 + solution.value().abs()));
    proven.value().to_string()
}

/// A program with small integers and bounds of every kind.
fn random_program(seed: u64) -> LinearProgram {
    let mut random = SplitMix64::new(seed);
    let (n, m) = (1 + random.below(8), random.below(9));
    let integer = |random: &mut SplitMix64, size: usize| random.below(2 * size + 1) as f64 - size as f64;
    let cost = (0..n).map(|_| integer(&mut random, 9)).collect();
    let mut program = LinearProgram::minimise(cost).unwrap();
    for v in 0..n {
        let (a, b) = (integer(&mut random, 5), integer(&mut random, 5));
        program = match random.below(6) {
            0 => program.free(v),
            1 => program.bounded(v, a.min(b), a.max(b)),
            2 => program.bounded(v, f64::NEG_INFINITY, a),
            3 => program.bounded(v, a, a),
            _ => Ok(program),
        }
        .unwrap();
    }
    for _ in 0..m {
        let row: Vec<f64> =
            (0..n).map(|_| if random.below(3) == 0 { 0.0 } else { integer(&mut random, 6) }).collect();
        let (a, b) = (integer(&mut random, 12), integer(&mut random, 12));
        program = match random.below(5) {
            0 => program.equal(&row, a),
            1 => program.between(&row, a.min(b), a.max(b)),
            2 => program.at_least(&row, a),
            _ => program.at_most(&row, a),
        }
        .unwrap();
    }
    program
}

#[test]
fn random_programs_end_with_a_proof() {
    let mut counts = [0; 3];
    for seed in 0..4000 {
        let program = random_program(seed);
        let solution = solved(&program);
        let kind = match solution.evidence() {
            LinearEvidence::Optimal { figures, .. } => {
                assert!(
                    (figures.value - figures.bound).abs() <= 1e-9 * (1.0 + figures.value.abs()),
                    "seed {seed}"
                );
                let proven = program.prove(&solution).unwrap();
                assert!(proven.is_some(), "seed {seed}: {solution:?}");
                0
            }
            LinearEvidence::Infeasible { .. } => 1,
            LinearEvidence::Unbounded { .. } => 2,
            LinearEvidence::Unfinished { .. } => panic!("seed {seed}: {solution:?}"),
        };
        counts[kind] += 1;
    }
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

#[test]
fn rows_in_another_order_other_scales_and_the_dual_have_the_same_value() {
    let mut compared = 0;
    for seed in 0..200 {
        let mut random = SplitMix64::new(9000 + seed);
        let (n, m) = (2 + random.below(6), 2 + random.below(6));
        let number = |random: &mut SplitMix64| random.below(19) as f64 - 4.0;
        let cost: Vec<f64> = (0..n).map(|_| number(&mut random)).collect();
        let rows: Vec<Vec<f64>> = (0..m).map(|_| (0..n).map(|_| number(&mut random)).collect()).collect();
        let right: Vec<f64> = (0..m).map(|_| number(&mut random)).collect();
        let build = |order: &[usize], factor: f64| {
            order.iter().fold(LinearProgram::minimise(cost.clone()).unwrap(), |program, &r| {
                let row: Vec<f64> = rows[r].iter().map(|a| factor * a).collect();
                program.at_least(&row, factor * right[r]).unwrap()
            })
        };
        let order: Vec<usize> = (0..m).collect();
        let plain = solved(&build(&order, 1.0));
        let mut other = order.clone();
        random.shuffle(&mut other);
        let mixed = solved(&build(&other, 2.0_f64.powi(-40)));
        assert_eq!(plain.report().stop, mixed.report().stop, "seed {seed}");
        // max bᵗy over Aᵗy ≤ c, y ≥ 0.
        let dual = (0..n).fold(LinearProgram::maximise(right.clone()).unwrap(), |program, j| {
            let column: Vec<f64> = rows.iter().map(|row| row[j]).collect();
            program.at_most(&column, cost[j]).unwrap()
        });
        let dual = solved(&dual);
        assert_eq!(
            plain.report().stop == Stop::Converged,
            dual.report().stop == Stop::Converged,
            "seed {seed}"
        );
        if plain.report().stop == Stop::Converged {
            let tolerance = 1e-9 * (1.0 + plain.value().abs());
            assert!((plain.value() - mixed.value()).abs() <= tolerance, "seed {seed}");
            assert!((plain.value() - dual.value()).abs() <= tolerance, "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn programs_on_which_the_textbook_rule_cycles_or_wanders_end() {
    // Beale (1955): the rule of the steepest price returns to its first basis after six moves.
    let beale = LinearProgram::minimise(vec![-0.75, 150.0, -0.02, 6.0]).unwrap();
    let beale = beale.at_most(&[0.25, -60.0, -0.04, 9.0], 0.0).unwrap();
    let beale = beale.at_most(&[0.5, -90.0, -0.02, 3.0], 0.0).unwrap();
    let beale = beale.at_most(&[0.0, 0.0, 1.0, 0.0], 1.0).unwrap();
    let value = solved(&beale).value();
    assert!((value + 0.05).abs() < 1e-12, "{value}");
    // Klee & Minty (1972) in eight dimensions: maximise Σ 2^(n−j) xⱼ, 2 Σ 2^(i−j) xⱼ + xᵢ ≤ 5ⁱ.
    let n = 8;
    let gain = (1..=n).map(|j| 2.0_f64.powi(n - j)).collect();
    let mut cube = LinearProgram::maximise(gain).unwrap();
    for i in 1..=n {
        let row: Vec<f64> = (1..=n)
            .map(|j| if j < i { 2.0_f64.powi(i - j + 1) } else { f64::from(u8::from(i == j)) })
            .collect();
        cube = cube.at_most(&row, 5.0_f64.powi(i)).unwrap();
    }
    assert_eq!(optimum(&cube), "390625"); // 5⁸
}

#[test]
fn equal_and_redundant_rows_do_no_harm() {
    let mut program = LinearProgram::minimise(vec![1.0, 2.0, 3.0]).unwrap();
    for factor in [1.0, 2.0, -3.0, 1.0] {
        program = program.equal(&[factor, factor, factor], 4.0 * factor).unwrap();
    }
    program = program.at_most(&[1.0, 0.0, 0.0], 1.0).unwrap().at_most(&[0.0; 3], 0.0).unwrap();
    assert_eq!(optimum(&program), "7"); // x = (1, 3, 0)
    assert_eq!(optimum(&LinearProgram::minimise(vec![1.0, 0.0]).unwrap()), "0");
    let box_only = LinearProgram::maximise(vec![1.0, -1.0]).unwrap();
    assert_eq!(optimum(&box_only.bounded(0, -1.0, 2.5).unwrap()), "5/2");
}

#[test]
fn scales_far_from_1_are_scaled_away() {
    for exponent in [-150, -40, 40, 150] {
        let s = 2.0_f64.powi(exponent);
        let program = LinearProgram::maximise(vec![3.0 * s, 2.0]).unwrap();
        // The program of the textbook with x₁ in other units and all rows in others still.
        let program = program.at_most(&[-s, 3.0], 12.0).unwrap();
        let program = program.at_most(&[s / 1024.0, 1.0 / 1024.0], 8.0 / 1024.0).unwrap();
        let program = program.at_most(&[2.0 * s, -1.0], 10.0).unwrap();
        assert_eq!(optimum(&program), "22", "2^{exponent}");
    }
}

#[test]
fn wrong_calls_are_named_and_budgets_kept() {
    assert!(matches!(LinearProgram::minimise(vec![]), Err(Error::Empty { .. })));
    assert!(matches!(LinearProgram::minimise(vec![f64::NAN]), Err(Error::NonFinite { row: 0, .. })));
    let program = LinearProgram::minimise(vec![1.0, 1.0]).unwrap();
    assert!(matches!(program.clone().at_most(&[1.0], 0.0), Err(Error::Length { expected: 2, found: 1, .. })));
    let infinite = program.clone().at_most(&[1.0, f64::INFINITY], 0.0);
    assert!(matches!(infinite, Err(Error::NonFinite { column: Some(1), .. })));
    assert!(matches!(program.clone().between(&[1.0, 1.0], 1.0, 0.0), Err(Error::Setting { .. })));
    assert!(matches!(program.clone().equal(&[1.0, 1.0], f64::NAN), Err(Error::Setting { .. })));
    assert!(matches!(program.clone().equal(&[1.0, 1.0], f64::INFINITY), Err(Error::Setting { .. })));
    assert!(matches!(program.clone().free(2), Err(Error::Index { index: 2, .. })));
    let program = program.at_least(&[1.0, 2.0], 3.0).unwrap().at_least(&[2.0, 1.0], 3.0).unwrap();
    let one = Control::new(Budget::default().with_iterations(1));
    let stopped = program.solve_with(&one).unwrap();
    assert_eq!(stopped.report().stop, Stop::Iterations);
    assert!(stopped.verify(&program).unwrap().is_valid());
    assert!(matches!(stopped.converged(), Err(Error::NotConverged { .. })));
    let little = Control::new(Budget::default().with_memory(10));
    assert!(matches!(program.solve_with(&little), Err(Error::Memory { .. })));
}

#[test]
fn a_solution_of_another_program_is_found_out() {
    let program = LinearProgram::maximise(vec![1.0, 1.0]).unwrap().at_most(&[1.0, 2.0], 4.0).unwrap();
    let other = LinearProgram::maximise(vec![1.0, 1.0]).unwrap().at_most(&[1.0, 2.0], 3.0).unwrap();
    let solution = solved(&program);
    assert!(!solution.verify(&other).unwrap().is_valid());
    let proven = program.prove(&solution).unwrap().unwrap();
    assert!(!proven.verify(&other).unwrap().is_valid());
    assert!(other.prove(&solution).unwrap().is_some(), "the same basis is that of an optimum there");
}
