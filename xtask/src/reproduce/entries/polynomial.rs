//! B04: polynomial discriminants of order m.

use lm_core::basis::{FeatureMap, Monomials, Quadratic, binomial, monomials_up_to};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B04",
    place: "B, polynomial discriminants",
    claim: "A polynomial discriminant of order m is linear in the products of up to m attributes; cubic and linear terms \
            in 3 dimensions are 13 and a constant, and g(x) = 2x₁² + x₃² + x₂x₃ + 4x₁ − 2x₂ + 1 puts (1,1,1) into ω₁, \
            (1,10,0) into ω₂ and (0,½,0) on the boundary.",
    how: "Terms are listed for n, m up to 8 and counted against C(n+m, m); the recursion of the source (the terms of order \
          m, then those of order m − 1) is compared with the list; the exercises are computed.",
    seed: 0,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let mut agree = true;
    for n in 1..=8_usize {
        for m in 1..=8_u32 {
            let listed = Monomials::up_to(n, m)?.len() as u128;
            let recursion: u128 =
                (0..=m).map(|k| Monomials::exactly(n, k).map_or(1, |terms| terms.len() as u128)).sum();
            agree &= listed == binomial(n as u128 + u128::from(m), u128::from(m)).unwrap_or(0);
            agree &= monomials_up_to(n, m) == Some(listed) && (m == 0 || recursion == listed);
        }
    }
    bench.check(
        "number of terms for n, m = 1, …, 8",
        "C(n+m, m), and the sum over orders",
        if agree { "equal" } else { "different" },
        agree,
    );

    let written = |terms: &Monomials| -> Vec<String> {
        let factor = |variable: &u32| format!("x{}", variable + 1);
        let product = |term: &[u32]| {
            if term.is_empty() { "1".into() } else { term.iter().map(factor).collect::<String>() }
        };
        terms.terms().map(product).collect()
    };
    let example = written(&Monomials::up_to(2, 3)?).join(" ");
    let expected = "x1x1x1 x1x1x2 x1x2x2 x2x2x2 x1x1 x1x2 x2x2 x1 x2 1";
    bench.check_equal("terms for n = 2, m = 3 (example 2)", expected, example.as_str());

    let cubic = Monomials::of_degrees(3, &[3, 1])?;
    bench.check_equal("cubic and linear terms in 3 dimensions (exercise 1)", 13, cubic.len());
    bench.check_equal("order 4 in 2 dimensions (exercise 2): terms", 15, Monomials::up_to(2, 4)?.len());

    // Weights in the order x₁², x₁x₂, x₁x₃, x₂², x₂x₃, x₃², x₁, x₂, x₃, 1.
    let g = Quadratic::from_weights(&[2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 4.0, -2.0, 0.0, 1.0], 3)?;
    let matrix = [2.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 1.0];
    bench.check_all_close("A of exercise 3", &matrix, g.matrix(), 0.0);
    for (point, name, value) in [
        ([1.0, 1.0, 1.0], "g(1, 1, 1), so ω₁", 7.0),
        ([1.0, 10.0, 0.0], "g(1, 10, 0), so ω₂", -13.0),
        ([0.0, 0.5, 0.0], "g(0, ½, 0), on the boundary", 0.0),
    ] {
        bench.check_close(name, value, g.value(&point)?, 0.0);
        let terms = Monomials::up_to(3, 2)?.map(&point)?;
        let linear: f64 = terms.iter().zip(g.weights()).map(|(term, weight)| term * weight).sum();
        bench.check_close(format!("{name}: as a linear function of the terms"), value, linear, 0.0);
    }
    Ok(())
}
