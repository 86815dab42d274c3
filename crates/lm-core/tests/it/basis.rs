//! Basis expansions: counts, terms, quadratic surfaces, augmented examples, explicit feature maps.

use lm_core::basis::{
    Definiteness, FeatureMap, Monomials, PolynomialMap, Quadratic, RotatedSquares, Surface, TensorMap,
    augmented, binomial, monomials_of, monomials_up_to,
};
use lm_core::{
    BinaryLabels, Collection, Csr, Dense, Error, Examples, Hypothesis, Kernel, Linear, MatrixGram,
    VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn vector(dim: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
    (0..dim).map(|_| random.random_range(-2.0..2.0)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn counts_are_those_of_the_formulas() {
    // (n+1)(n+2)/2 terms of the quadratic: 10 for n = 3, and 66, not 65, for n = 10.
    for n in 1..=12 {
        assert_eq!(Monomials::up_to(n, 2).unwrap().len(), (n + 1) * (n + 2) / 2);
    }
    assert_eq!(Monomials::up_to(3, 2).unwrap().len(), 10);
    assert_eq!(Monomials::up_to(10, 2).unwrap().len(), 66);
    for n in 1..=5 {
        for m in 0..=6 {
            let (up_to, exactly) = (Monomials::up_to(n, m).unwrap(), Monomials::exactly(n, m).unwrap());
            assert_eq!(Some(up_to.len() as u128), monomials_up_to(n, m));
            assert_eq!(Some(exactly.len() as u128), monomials_of(n, m));
            let mut terms: Vec<&[u32]> = up_to.terms().collect();
            assert!(terms.iter().all(|term| term.windows(2).all(|pair| pair[0] <= pair[1])));
            terms.sort_unstable();
            terms.dedup();
            assert_eq!(terms.len(), up_to.len(), "a term occurs twice");
        }
    }
    // Cubic and linear terms in three variables: 13, and a constant.
    assert_eq!(Monomials::of_degrees(3, &[3, 1]).unwrap().len(), 13);
    assert_eq!(Monomials::of_degrees(3, &[3, 1, 0]).unwrap().len(), 14);
    // The general polynomial of order 4 in the plane.
    assert_eq!(Monomials::up_to(2, 4).unwrap().len(), 15);
    assert_eq!(monomials_of(256, 4), Some(183_181_376));
}

#[test]
fn binomials_are_exact_up_to_the_last_that_fits() {
    // Pascal's rule, and an overflow exactly where the value leaves the range.
    for n in 1..=140_u128 {
        for k in 1..=n {
            let sum = binomial(n - 1, k - 1).zip(binomial(n - 1, k)).and_then(|(a, b)| a.checked_add(b));
            assert_eq!(binomial(n, k), sum, "C({n}, {k})");
        }
    }
    assert_eq!(binomial(u128::MAX, 1), Some(u128::MAX));
    assert_eq!(binomial(u128::MAX, u128::MAX - 1), Some(u128::MAX));
    assert_eq!(binomial(u128::MAX, 2), None);
    assert_eq!(monomials_up_to(usize::MAX, u32::MAX), None);
}

#[test]
fn lists_that_cannot_be_held_are_refused() {
    assert!(matches!(Monomials::up_to(0, 2), Err(Error::Empty { .. })));
    assert!(matches!(Monomials::of_degrees(2, &[]), Err(Error::Empty { .. })));
    assert!(matches!(Monomials::exactly(usize::MAX, 9), Err(Error::TooLarge { .. })));
    assert!(matches!(Monomials::up_to(1_000_000, 1_000), Err(Error::TooLarge { .. })));
    assert!(matches!(Monomials::exactly(1, u32::MAX), Err(Error::TooLarge { .. })));
    assert!(matches!(TensorMap::new(1000, 1000), Err(Error::TooLarge { .. })));
    assert!(TensorMap::new(0, 1).is_err() && TensorMap::new(1, 0).is_err());
}

#[test]
fn the_order_of_terms_is_that_of_the_general_polynomial() {
    let terms: Vec<Vec<u32>> = Monomials::up_to(2, 3).unwrap().terms().map(<[u32]>::to_vec).collect();
    let expected: [&[u32]; 10] =
        [&[0, 0, 0], &[0, 0, 1], &[0, 1, 1], &[1, 1, 1], &[0, 0], &[0, 1], &[1, 1], &[0], &[1], &[]];
    assert_eq!(terms, expected);
    assert_eq!(Monomials::up_to(2, 3).unwrap().term(2), Some(&[0, 1, 1][..]));
    assert_eq!(Monomials::up_to(2, 3).unwrap().term(10), None);
}

#[test]
fn expansion_is_the_same_for_every_storage_and_names_overflow() {
    let dense = Dense::new(vec![1.0, 0.0, 2.0, 0.0, -3.0, 0.5], 2, 3).unwrap();
    let sparse = Csr::from_rows(&dense).unwrap();
    let map = Monomials::up_to(3, 3).unwrap();
    assert_eq!(map.expand(&dense).unwrap(), map.expand(&sparse).unwrap());
    let huge = Dense::new(vec![1.0, 1.0, 1e200, 1.0], 2, 2).unwrap();
    let error = Monomials::up_to(2, 2).unwrap().expand(&huge).unwrap_err();
    assert_eq!(error, Error::NonFinite { what: "expanded example", row: 1, column: Some(0) });
    assert!(matches!(map.expand(&huge), Err(Error::Length { .. })));
    assert!(matches!(map.map(&[1.0]), Err(Error::Length { .. })));
}

#[test]
fn the_expansion_1_x_x2_gives_a_region_of_two_parts() {
    // g = −1 + x + 2x²: positive for x < −1 and for x > 0.5, a plane in the space of (1, x, x²).
    let map = Monomials::of_degrees(1, &[0, 1, 2]).unwrap();
    let a = [-1.0, 1.0, 2.0];
    for (x, positive) in [(-3.0, true), (-1.1, true), (-0.9, false), (0.0, false), (0.4, false), (0.6, true)]
    {
        assert_eq!(dot(&a, &map.map(&[x]).unwrap()) > 0.0, positive, "x = {x}");
    }
}

#[test]
fn the_third_exercise_has_its_values_and_matrix() {
    // g = 2x₁² + x₃² + x₂x₃ + 4x₁ − 2x₂ + 1; terms x₁² x₁x₂ x₁x₃ x₂² x₂x₃ x₃² x₁ x₂ x₃ 1.
    let weights = [2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 4.0, -2.0, 0.0, 1.0];
    let g = Quadratic::from_weights(&weights, 3).unwrap();
    assert_eq!(g.matrix(), [2.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 1.0]);
    assert_eq!((g.linear(), g.constant()), (&[4.0, -2.0, 0.0][..], 1.0));
    assert_eq!(g.weights(), weights);
    assert_eq!(g.value(&[1.0, 1.0, 1.0]).unwrap(), 7.0);
    assert_eq!(g.value(&[1.0, 10.0, 0.0]).unwrap(), -13.0);
    assert_eq!(g.value(&[0.0, 0.5, 0.0]).unwrap(), 0.0); // on the boundary
}

#[test]
fn the_second_exercise_has_its_eigenvalues_axes_and_classes() {
    let g = Quadratic::new(vec![2.0, 1.0, 1.0, 4.0], vec![1.0, 2.0], -3.0).unwrap();
    let shape = g.shape(1e-12).unwrap();
    let root = std::f64::consts::SQRT_2;
    assert_eq!(shape.eigenvalues, [3.0 - root, 3.0 + root]);
    for (axis, slope) in shape.axes.iter().zip([1.0 - root, 1.0 + root]) {
        assert!((axis[1] - slope * axis[0]).abs() < 1e-15);
    }
    assert_eq!((g.value(&[0.0, -1.0]).unwrap(), g.value(&[1.0, 1.0]).unwrap()), (-1.0, 8.0));
    assert_eq!(shape.surface, Surface::Hyperellipsoid);
    // The ends of the semi-axes lie on the boundary.
    let centre = shape.centre.clone().unwrap();
    for (k, axis) in shape.axes.iter().enumerate() {
        let length = shape.semi_axis(k).unwrap();
        let end: Vec<f64> = centre.iter().zip(axis).map(|(c, a)| c + length * a).collect();
        assert!(g.value(&end).unwrap().abs() < 1e-14);
    }
}

#[test]
fn weights_and_matrix_form_are_the_same_function() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for n in 1..=6 {
        let monomials = Monomials::up_to(n, 2).unwrap();
        let weights = vector(monomials.len(), &mut random);
        let g = Quadratic::from_weights(&weights, n).unwrap();
        assert_eq!(g.weights(), weights);
        for _ in 0..20 {
            let x = vector(n, &mut random);
            let direct = dot(&weights, &monomials.map(&x).unwrap());
            assert!((g.value(&x).unwrap() - direct).abs() < 1e-12, "n = {n}");
        }
    }
    assert!(matches!(
        Quadratic::from_weights(&[1.0; 5], 2),
        Err(Error::Length { expected: 6, found: 5, .. })
    ));
}

#[test]
fn every_kind_of_surface_is_recognised() {
    use Surface::{
        Cone, Cylinder, Empty, Everything, Flat, Hyperellipsoid, Hyperhyperboloid, Hyperplane, Hypersphere,
        Paraboloid, Point,
    };
    // Weights of x², xy, y², x, y, 1.
    for (weights, surface) in [
        ([1.0, 0.0, 1.0, 0.0, 0.0, -4.0], Hypersphere),
        ([-1.0, 0.0, -1.0, 0.0, 0.0, 1.0], Hypersphere), // negative definite, yet a circle
        ([1.0, 0.0, 1.0, -2.0, 4.0, 1.0], Hypersphere),
        ([1.0, 1.0, 3.0, 0.0, 0.0, -4.0], Hyperellipsoid),
        ([1.0, 0.0, 2.0, -2.0, 8.0, 9.0], Point), // (x−1)² + 2(y+2)²
        ([1.0, 0.0, 2.0, 0.0, 0.0, 1.0], Empty),
        ([-1.0, 0.0, -2.0, 0.0, 0.0, -1.0], Empty),
        ([1.0, 0.0, -1.0, 0.0, 0.0, 1.0], Hyperhyperboloid),
        ([0.0, 1.0, 0.0, 0.0, 0.0, 1.0], Hyperhyperboloid),
        ([0.0, 1.0, 0.0, 2.0, 3.0, 6.0], Cone), // (x + 3)(y + 2)
        ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0], Paraboloid),
        ([1.0, 0.0, 0.0, 0.0, 0.0, -1.0], Cylinder), // x = ±1
        ([1.0, 2.0, 1.0, 2.0, 2.0, 1.0], Flat),      // (x + y + 1)²
        ([1.0, 2.0, 1.0, 0.0, 0.0, 1.0], Empty),
        ([0.0, 0.0, 0.0, 0.0, 2.0, 1.0], Hyperplane),
        ([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], Empty),
        ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0], Everything),
    ] {
        for scale in [1.0, 1e-150, 1e150] {
            let scaled = weights.map(|weight| weight * scale);
            let shape = Quadratic::from_weights(&scaled, 2).unwrap().shape(1e-12).unwrap();
            assert_eq!(shape.surface, surface, "{weights:?} times {scale:e}: {shape:?}");
        }
    }
}

#[test]
fn surfaces_do_not_change_under_rotation_and_translation() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for (diagonal, constant, surface) in [
        ([1.0, 2.0, 3.0], -1.0, Surface::Hyperellipsoid),
        ([-2.0, -2.0, -2.0], 1.0, Surface::Hypersphere),
        ([1.0, 2.0, -3.0], -1.0, Surface::Hyperhyperboloid),
        ([1.0, 2.0, -3.0], 0.0, Surface::Cone),
        ([1.0, 2.0, 0.0], -1.0, Surface::Cylinder),
        ([1.0, 2.0, 3.0], 1.0, Surface::Empty),
    ] {
        for case in 0..50 {
            // A = Σ λₖ qₖqₖᵗ for a rotation about a random axis, by Rodrigues' formula.
            let axis = vector(3, &mut random);
            let length = dot(&axis, &axis).sqrt();
            let [x, y, z] = [axis[0] / length, axis[1] / length, axis[2] / length];
            let (s, c) = random.random_range(0.0..6.0_f64).sin_cos();
            let cross = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
            let unit = [x, y, z];
            let q = |i: usize, j: usize| {
                f64::from(u8::from(i == j)) * c + s * cross[i][j] + (1.0 - c) * unit[i] * unit[j]
            };
            let mut matrix = vec![0.0; 9];
            for i in 0..3 {
                for j in 0..3 {
                    matrix[3 * i + j] = (0..3).map(|k| diagonal[k] * q(i, k) * q(j, k)).sum();
                }
            }
            // g(x − t) = xᵗAx − 2xᵗAt + tᵗAt + constant.
            let t = vector(3, &mut random);
            let at: Vec<f64> = matrix.chunks(3).map(|row| dot(row, &t)).collect();
            let g = Quadratic::new(matrix, at.iter().map(|v| -2.0 * v).collect(), dot(&t, &at) + constant)
                .unwrap();
            let shape = g.shape(1e-10).unwrap();
            assert_eq!(shape.surface, surface, "case {case}: {shape:?}");
            let gradient = |p: &[f64]| -> Vec<f64> {
                let rows = g.matrix().chunks(3).zip(g.linear());
                rows.map(|(row, b)| 2.0 * dot(row, p) + b).collect()
            };
            assert!(gradient(shape.centre.as_ref().unwrap()).iter().all(|v| v.abs() < 1e-12), "case {case}");
        }
    }
}

#[test]
fn leading_minors_do_not_decide_semi_definiteness() {
    let matrix = |a: [f64; 4]| Quadratic::new(a.to_vec(), vec![0.0, 0.0], 0.0).unwrap();
    let counterexample = matrix([0.0, 0.0, 0.0, -1.0]);
    assert!(counterexample.leading_minors().iter().all(|&minor| minor >= 0.0));
    assert_eq!(counterexample.shape(1e-12).unwrap().definiteness, Definiteness::NegativeSemi);
    assert_eq!(counterexample.value(&[0.0, 1.0]).unwrap(), -1.0);
    assert_eq!(matrix([2.0, 1.0, 1.0, 4.0]).leading_minors(), [2.0, 7.0]);
    assert_eq!(matrix([0.0, 2.0, 2.0, 0.0]).leading_minors(), [0.0, -4.0]);
    for (entries, expected) in [
        ([2.0, 1.0, 1.0, 4.0], Definiteness::Positive),
        ([-2.0, 1.0, 1.0, -4.0], Definiteness::Negative),
        ([1.0, 1.0, 1.0, 1.0], Definiteness::PositiveSemi),
        ([1.0, 2.0, 2.0, 1.0], Definiteness::Indefinite),
        ([0.0; 4], Definiteness::Zero),
    ] {
        assert_eq!(matrix(entries).shape(1e-12).unwrap().definiteness, expected);
    }
}

#[test]
fn bad_quadratics_are_refused() {
    assert!(matches!(Quadratic::new(vec![], vec![], 0.0), Err(Error::Empty { .. })));
    assert!(matches!(Quadratic::new(vec![1.0; 3], vec![1.0; 2], 0.0), Err(Error::Length { .. })));
    let nan = f64::NAN;
    assert!(matches!(Quadratic::new(vec![nan], vec![1.0], 0.0), Err(Error::NonFinite { .. })));
    assert!(matches!(Quadratic::new(vec![1.0], vec![nan], 0.0), Err(Error::NonFinite { .. })));
    assert!(matches!(Quadratic::new(vec![1.0], vec![1.0], nan), Err(Error::Numerical { .. })));
    let g = Quadratic::new(vec![1.0], vec![1.0], 0.0).unwrap();
    assert!(matches!(g.value(&[1e200]), Err(Error::Numerical { .. })));
    assert!(matches!(g.value(&[nan]), Err(Error::NonFinite { .. })));
    for tolerance in [-1.0, 1.0, nan] {
        assert!(matches!(g.shape(tolerance), Err(Error::Setting { name: "tolerance", .. })));
    }
}

#[test]
fn augmented_examples_turn_the_bias_into_a_weight() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let examples = Dense::new(vector(40, &mut random), 10, 4).unwrap();
    let labels = BinaryLabels::from_integers(&[1, -1, 1, 1, -1, -1, 1, -1, 1, 1]).unwrap();
    let f = Linear::new(vector(4, &mut random), 0.75).unwrap();
    let a = augmented::weights(&f);
    assert_eq!(augmented::hyperplane(&a).unwrap(), f);
    let (plain, normalised) =
        (augmented::examples(&examples).unwrap(), augmented::normalised(&examples, &labels).unwrap());
    let decisions = f.decision_values(&examples).unwrap();
    assert_eq!(normalised.len(), decisions.len());
    for (row, decision) in decisions.iter().enumerate() {
        let sign = labels.signs()[row].value();
        assert!((plain.dot(row, &a) - decision).abs() < 1e-14);
        assert!((normalised.dot(row, &a) - sign * decision).abs() < 1e-14);
        assert_eq!(normalised.slice(row)[0], sign);
    }
    assert!(matches!(augmented::hyperplane(&[]), Err(Error::Empty { .. })));
    assert!(matches!(augmented::hyperplane(&[1.0]), Err(Error::Empty { .. })));
    let short = BinaryLabels::from_integers(&[1, -1]).unwrap();
    assert!(matches!(augmented::normalised(&examples, &short), Err(Error::Length { .. })));
}

#[test]
fn polynomial_maps_have_their_kernels() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    for dim in 1..=4 {
        for degree in 1..=5 {
            for (scale, constant) in [(1.0, 0.0), (1.0, 1.0), (0.5, 2.0)] {
                let kernel = VectorKernel::polynomial(degree, scale, constant).unwrap();
                let map = PolynomialMap::new(kernel, dim).unwrap();
                for case in 0..20 {
                    let (u, v) = (vector(dim, &mut random), vector(dim, &mut random));
                    let explicit = dot(&map.map(&u).unwrap(), &map.map(&v).unwrap());
                    let size = (scale * dot(&u, &u).max(dot(&v, &v)) + constant).powi(degree as i32);
                    let difference = (explicit - kernel.value(&u, &v)).abs();
                    assert!(
                        difference <= 1e-14 * size,
                        "dim {dim}, degree {degree}, case {case}: {difference:e}"
                    );
                }
            }
        }
    }
    // (1 + u·v)² in the plane: 1, √2u₁, √2u₂, u₁², √2u₁u₂, u₂².
    let map = PolynomialMap::new(VectorKernel::polynomial(2, 1.0, 1.0).unwrap(), 2).unwrap();
    let root = std::f64::consts::SQRT_2;
    assert_eq!(map.coefficients(), [1.0, root, root, 1.0, root, 1.0]);
    let linear = PolynomialMap::new(VectorKernel::linear(), 3).unwrap();
    assert_eq!(linear.map(&[1.0, -2.0, 3.0]).unwrap(), [1.0, -2.0, 3.0]);
    assert!(matches!(
        PolynomialMap::new(VectorKernel::gaussian(1.0).unwrap(), 2),
        Err(Error::Setting { name: "kernel", .. })
    ));
}

#[test]
fn three_maps_have_one_kernel() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let examples = Dense::new(vector(60, &mut random), 30, 2).unwrap();
    let kernel = VectorKernel::homogeneous(2).unwrap();
    let budget = lm_core::Budget::default();
    let expected = MatrixGram::computed(&VectorGram::new(&examples, kernel).unwrap(), &budget).unwrap();
    let expanded = [
        PolynomialMap::new(kernel, 2).unwrap().expand(&examples).unwrap(),
        RotatedSquares.expand(&examples).unwrap(),
        TensorMap::new(2, 2).unwrap().expand(&examples).unwrap(),
    ];
    assert_eq!(expanded.each_ref().map(Examples::dim), [3, 3, 4]);
    for set in &expanded {
        let gram =
            MatrixGram::computed(&VectorGram::new(set, VectorKernel::linear()).unwrap(), &budget).unwrap();
        for (found, expected) in gram.values().iter().zip(expected.values()) {
            assert!((found - expected).abs() <= 1e-13, "{found} and {expected}");
        }
    }
}
