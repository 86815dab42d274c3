//! Products and factorisations against plain loops, and what is known to go wrong in the library underneath.

use lm_core::Error;
use lm_core::double_double::dot;
use lm_core::linalg::{
    Cholesky, Interruptible, Matrix, Qr, SingleCholesky, Svd, SymmetricEigen, add_centred_scatter,
    add_scatter, matrix_vector, product, product_transposed, transposed_product, transposed_vector,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..rows * columns).map(|_| random.random_range(-1.0..1.0)).collect();
    Matrix::from_columns(values, rows, columns).unwrap()
}

/// `AᵗA + εI` of a random matrix.
fn definite(n: usize, shift: f64, seed: u64) -> Matrix {
    let a = random(n + 3, n, seed);
    let mut gram = transposed_product(&a, &a).unwrap();
    (0..n).for_each(|i| gram[(i, i)] += shift);
    gram
}

fn scaled(a: &Matrix, factor: f64) -> Matrix {
    let values = a.values().iter().map(|x| x * factor).collect();
    Matrix::from_columns(values, a.rows(), a.columns()).unwrap()
}

fn hilbert(n: usize) -> Matrix {
    let values = (0..n * n).map(|at| 1.0 / (1 + at / n + at % n) as f64).collect();
    Matrix::from_columns(values, n, n).unwrap()
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// The product term by term, in double-double arithmetic.
fn plain_product(a: &Matrix, b: &Matrix) -> Matrix {
    let rows = a.transposed().unwrap();
    let values = (0..b.columns())
        .flat_map(|j| (0..a.rows()).map(move |i| (i, j)))
        .map(|(i, j)| dot(rows.column(i), b.column(j)).value())
        .collect();
    Matrix::from_columns(values, a.rows(), b.columns()).unwrap()
}

fn assert_close(found: &Matrix, expected: &Matrix, tolerance: f64, what: &str) {
    assert_eq!((found.rows(), found.columns()), (expected.rows(), expected.columns()), "{what}");
    for (at, (f, e)) in found.values().iter().zip(expected.values()).enumerate() {
        assert!((f - e).abs() <= tolerance, "{what}: entry {at} is {f}, not {e}");
    }
}

/// faer 0.24.4 is reported to multiply row-major views wrongly on several threads. Ours never asks it to, whatever the
/// shape and however many threads there are.
#[test]
fn products_of_every_shape_are_those_of_a_plain_loop_on_any_number_of_threads() {
    let shapes = [
        (1, 1, 1),
        (3, 5, 2),
        (17, 16, 15),
        (64, 1, 64),
        (65, 33, 130),
        (200, 120, 257),
        (2, 9000, 3),
        (5, 8192, 64),
    ];
    for (seed, (m, k, n)) in shapes.into_iter().enumerate() {
        let (a, b) = (random(m, k, seed as u64), random(k, n, 100 + seed as u64));
        let expected = plain_product(&a, &b);
        let (at, bt) = (a.transposed().unwrap(), b.transposed().unwrap());
        let tolerance = 4.0 * f64::EPSILON * k as f64;
        let what = format!("{m} × {k} × {n}");
        let all = || {
            [
                product(&a, &b).unwrap(),
                transposed_product(&at, &b).unwrap(),
                product_transposed(&a, &bt).unwrap(),
            ]
        };
        let found = with_threads(1, all);
        found.iter().for_each(|found| assert_close(found, &expected, tolerance, &what));
        for threads in [2, 3, 8] {
            assert_eq!(with_threads(threads, all), found, "{what} on {threads} threads");
        }
        let x = b.column(0);
        let by_vector = [matrix_vector(&a, x).unwrap(), transposed_vector(&at, x).unwrap()];
        for found in by_vector {
            let found = Matrix::from_columns(found, m, 1).unwrap();
            let column = Matrix::from_columns(expected.column(0).to_vec(), m, 1).unwrap();
            assert_close(&found, &column, tolerance, &what);
        }
    }
}

#[test]
fn a_scatter_adds_to_the_lower_triangle_only_at_every_width() {
    for (rows, width) in [(1, 1), (50, 6), (70, 13), (257, 51), (40, 128), (90, 200), (31, 201), (300, 330)] {
        let block = random(width, rows, 1); // column-major is the row-major block
        let weights: Vec<f64> = (0..rows).map(|i| (i % 4) as f64).collect();
        let centre: Vec<f64> = (0..width).map(|k| k as f64).collect();
        let mut centred = block.clone();
        (0..rows).for_each(|i| centred.column_mut(i).iter_mut().zip(&centre).for_each(|(x, c)| *x -= c));
        let weighted = |of: &Matrix| {
            let mut weighted = of.clone();
            (0..rows).for_each(|i| weighted.column_mut(i).iter_mut().for_each(|x| *x *= weights[i]));
            weighted
        };
        let check = |what: &str, left: &Matrix, right: &Matrix, add: &dyn Fn(&mut Matrix)| {
            let mut total = Matrix::zeros(width, width).unwrap();
            let upper = (0, width - 1);
            total[upper] = 7.0;
            total[(width - 1, 0)] = 3.0;
            add(&mut total);
            let expected = plain_product(left, &right.transposed().unwrap());
            // A sum of n products is off by at most nε times the sum of their sizes.
            let size = rows as f64 * left.largest() * right.largest();
            let tolerance = f64::EPSILON * rows as f64 * size;
            for j in 0..width {
                for k in 0..=j {
                    let before = if (j, k) == (width - 1, 0) { 3.0 } else { 0.0 };
                    let found = total[(j, k)] - before;
                    let exact = expected[(j, k)];
                    let near = (found - exact).abs() <= tolerance.max(1e-15);
                    assert!(near, "{what}: {rows} × {width}, entry ({j}, {k}) is {found}, not {exact}");
                }
            }
            assert!(width == 1 || total[upper] == 7.0);
        };
        let by_weight = weighted(&block);
        check("plain", &block, &block, &|to| add_scatter(to, block.values(), block.values()).unwrap());
        check("weighted", &by_weight, &block, &|to| {
            add_scatter(to, by_weight.values(), block.values()).unwrap();
        });
        let add = |to: &mut Matrix, weights: Option<&[f64]>| {
            add_centred_scatter(to, &mut block.values().to_vec(), &centre, weights).unwrap();
        };
        check("centred", &centred, &centred, &|to| add(to, None));
        check("centred and weighted", &weighted(&centred), &centred, &|to| add(to, Some(&weights)));
    }
    let mut total = Matrix::zeros(6, 6).unwrap();
    assert!(matches!(add_scatter(&mut total, &[0.0; 11], &[0.0; 11]), Err(Error::Length { .. })));
    assert!(add_centred_scatter(&mut total, &mut [0.0; 12], &[0.0; 6], Some(&[1.0])).is_err());
}

#[test]
fn a_cholesky_factor_solves_inverts_and_measures_at_every_size() {
    for (seed, n) in [1, 2, 7, 63, 64, 65, 191, 192, 193, 400, 700].into_iter().enumerate() {
        let a = definite(n, 1.0, seed as u64);
        let factor = Cholesky::factor(a.clone()).unwrap().expect("positive definite");
        let back = product_transposed(factor.lower(), factor.lower()).unwrap();
        let bar = 8.0 * f64::EPSILON * n as f64 * a.largest();
        assert_close(&back, &a, bar, "LLᵗ");
        let inverse = factor.inverse().unwrap();
        let identity = product(&a, &inverse).unwrap();
        let condition = factor.condition();
        assert!((1.0 - 1e-12..1e9).contains(&condition), "{condition}");
        let bar = 10.0 * f64::EPSILON * n as f64 * condition;
        assert_close(&identity, &Matrix::identity(n).unwrap(), bar, "AA⁻¹");
        let diagonal = factor.inverse_diagonal().unwrap();
        (0..n).for_each(|i| assert!((diagonal[i] - inverse[(i, i)]).abs() <= bar * diagonal[i]));
        let mut x = a.column(n / 2).to_vec();
        factor.solve(&mut x).unwrap();
        (0..n).for_each(|i| assert!((x[i] - f64::from(u8::from(i == n / 2))).abs() <= bar));
        let mut both = a.clone();
        factor.solve_lower(&mut both).unwrap();
        factor.solve_lower_transposed(&mut both).unwrap();
        assert_close(&both, &Matrix::identity(n).unwrap(), bar, "L⁻ᵗL⁻¹A");
        let eigen = SymmetricEigen::of(&a).unwrap();
        let expected: f64 = eigen.values.iter().map(|value| value.ln()).sum();
        assert!((factor.log_determinant() - expected).abs() <= 1e-10 * n as f64);
        // The estimate bounds from below, and is seldom far off.
        let exact = one_norm(&a) * one_norm(&inverse);
        assert!(condition <= exact * (1.0 + 1e-9) && condition >= exact / 10.0, "{condition} of {exact}");
    }
}

fn one_norm(a: &Matrix) -> f64 {
    (0..a.columns()).map(|j| a.column(j).iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

#[test]
fn factorisations_have_the_same_bits_on_any_number_of_threads() {
    let a = definite(600, 0.5, 5);
    let all = || {
        let factor = Cholesky::factor(a.clone()).unwrap().unwrap();
        let single = SingleCholesky::factor(&a).unwrap().unwrap();
        let mut rhs = a.clone();
        factor.solve_matrix(&mut rhs).unwrap();
        let (inverse, diagonal) = (factor.inverse().unwrap(), factor.inverse_diagonal().unwrap());
        (factor, single, rhs, inverse, diagonal, Svd::thin(&a).unwrap(), SymmetricEigen::of(&a).unwrap())
    };
    let one = with_threads(1, all);
    for threads in [2, 3, 8] {
        assert!(with_threads(threads, all) == one, "{threads} threads");
    }
}

#[test]
fn what_is_not_positive_definite_is_said_and_what_is_not_finite_refused() {
    let mut a = definite(300, 0.1, 2);
    a[(250, 250)] = -1.0;
    assert!(Cholesky::factor(a.clone()).unwrap().is_none());
    assert!(SingleCholesky::factor(&a).unwrap().is_none());
    assert!(Cholesky::factor(Matrix::zeros(3, 3).unwrap()).unwrap().is_none());
    for bad in [f64::NAN, f64::INFINITY] {
        a[(200, 100)] = bad;
        let refused = Error::NonFinite { what: "matrix entry", row: 200, column: Some(100) };
        assert_eq!(Cholesky::factor(a.clone()).unwrap_err(), refused);
        assert_eq!(SingleCholesky::factor(&a).unwrap_err(), refused);
        assert_eq!(SymmetricEigen::of(&a).unwrap_err(), refused);
        assert_eq!(Svd::thin(&a).unwrap_err(), refused);
        assert_eq!(Qr::factor(&a).unwrap_err(), refused);
        // The upper triangle is not read.
        let mut upper = definite(20, 1.0, 3);
        upper[(3, 7)] = bad;
        assert!(Cholesky::factor(upper.clone()).unwrap().is_some());
        assert!(SymmetricEigen::of(&upper).is_ok());
    }
    let wide = random(2, 3, 0);
    assert!(matches!(Cholesky::factor(wide.clone()), Err(Error::Length { .. })));
    assert!(matches!(SymmetricEigen::of(&wide), Err(Error::Length { .. })));
    assert!(matches!(Qr::factor(&wide), Err(Error::Length { .. })));
    assert!(matches!(product(&wide, &wide), Err(Error::Length { .. })));
}

#[test]
fn a_factorisation_stops_when_it_is_asked_to() {
    let mut strips = 0;
    let outcome = Cholesky::factor_while(definite(900, 1.0, 1), &mut || {
        strips += 1;
        strips < 2
    });
    assert_eq!(outcome.unwrap(), Interruptible::Stopped);
    assert_eq!(strips, 2);
}

#[test]
fn single_precision_gives_its_seven_digits_at_any_scale() {
    let a = definite(300, 10.0, 7);
    for scale in [1.0, 1e-200, 1e200] {
        let factor = SingleCholesky::factor(&scaled(&a, scale)).unwrap().unwrap();
        let mut x: Vec<f64> = a.column(9).iter().map(|x| x * scale).collect();
        factor.solve(&mut x).unwrap();
        for (i, x) in x.iter().enumerate() {
            assert!((x - f64::from(u8::from(i == 9))).abs() < 1e-4, "{scale}: {x}");
        }
    }
}

#[test]
fn householder_solves_least_squares_whatever_the_units_of_the_columns() {
    for (m, n) in [(1, 1), (4, 3), (50, 7), (300, 120)] {
        let mut a = random(m, n, 11);
        let plain = Qr::factor(&a).unwrap().condition();
        for j in 0..n {
            let unit = 2.0_f64.powi(if j % 2 == 0 { 300 } else { -300 });
            a.column_mut(j).iter_mut().for_each(|x| *x *= unit);
        }
        let qr = Qr::factor(&a).unwrap();
        assert!((qr.condition() / plain - 1.0).abs() < 1e-9, "{m} × {n}");
        let mut b = matrix_vector(&a, &vec![1.0; n]).unwrap();
        qr.apply_transposed(&mut b).unwrap();
        let mut x = b[..n].to_vec();
        qr.solve_r(&mut x).unwrap();
        let size =
            (0..n).map(|j| a.column(j).iter().fold(0.0_f64, |l, x| l.max(x.abs()))).collect::<Vec<_>>();
        let largest = size.iter().copied().fold(0.0, f64::max);
        for j in 0..n {
            let tolerance = 1e-13 * plain * largest / size[j];
            assert!((x[j] - 1.0).abs() <= tolerance.max(1e-13), "{m} × {n}, column {j}: {}", x[j]);
        }
        qr.apply(&mut b).unwrap();
        let mut g: Vec<f64> = (0..n).map(|j| size[j]).collect();
        qr.solve_r_transposed(&mut g).unwrap();
        let back = transposed_vector(qr.r(), &g).unwrap();
        (0..n).for_each(|j| assert!((back[j] / size[j] - 1.0).abs() < 1e-9 * plain));
    }
}

#[test]
fn a_singular_triangle_is_said_and_never_divided_by() {
    let mut a = random(5, 3, 1);
    a.column_mut(1).fill(0.0);
    let qr = Qr::factor(&a).unwrap();
    assert_eq!(qr.condition(), f64::INFINITY);
    assert!(matches!(qr.solve_r(&mut [1.0; 3]), Err(Error::Numerical { .. })));
}

/// Matrices on which decompositions of other libraries were reported to fail, at sizes from one tiny to one large.
fn awkward() -> Vec<(&'static str, Matrix)> {
    let mut graded = random(40, 25, 8);
    (0..25).for_each(|j| graded.column_mut(j).iter_mut().for_each(|x| *x *= 10.0_f64.powi(-(j as i32))));
    let mut repeated = Matrix::identity(60).unwrap();
    repeated[(7, 3)] = 1e-9;
    let mut ones = Matrix::zeros(30, 20).unwrap();
    ones.values_mut().fill(1.0);
    let thin = random(30, 1, 3);
    let rank_one = product_transposed(&thin, &random(20, 1, 4)).unwrap();
    let mut denormal = random(9, 9, 5);
    denormal.values_mut().iter_mut().for_each(|x| *x *= 1e-310);
    let mut one_large = random(20, 20, 6);
    one_large[(3, 3)] = 1e150;
    vec![
        ("zeros", Matrix::zeros(12, 7).unwrap()),
        ("ones", ones),
        ("rank one", rank_one),
        ("Hilbert", hilbert(40)),
        ("graded columns", graded),
        ("repeated values", repeated),
        ("1e160", scaled(&random(30, 20, 1), 1e160)),
        ("1e300", scaled(&random(20, 30, 2), 1e300)),
        ("1e-300", scaled(&random(25, 25, 9), 1e-300)),
        ("denormal", denormal),
        ("one large entry", one_large),
        ("random wide", random(30, 90, 4)),
        ("random large", random(260, 200, 4)),
        ("nothing", Matrix::zeros(0, 3).unwrap()),
    ]
}

#[test]
fn singular_values_come_for_every_matrix_and_multiply_back_to_it() {
    for (what, a) in awkward() {
        let svd = Svd::thin(&a).unwrap_or_else(|error| panic!("{what}: {error}"));
        let k = a.rows().min(a.columns());
        assert_eq!((svd.u.columns(), svd.values.len(), svd.v.columns()), (k, k, k), "{what}");
        let largest = svd.values.first().copied().unwrap_or(0.0);
        let mut left = svd.u.clone();
        for (j, value) in svd.values.iter().enumerate() {
            left.column_mut(j).iter_mut().for_each(|x| *x *= value);
        }
        let back = product_transposed(&left, &svd.v).unwrap();
        let bar = 50.0 * f64::EPSILON * a.rows().max(a.columns()) as f64 * largest;
        assert_close(&back, &a, bar.max(1e-320), what);
    }
}

#[test]
fn eigenvalues_come_for_every_symmetric_matrix() {
    for (what, a) in awkward() {
        // The largest entries of a symmetric product would overflow.
        if a.largest() > 1e140 || a.largest() < 1e-140 && a.largest() > 0.0 {
            let mut square = Matrix::zeros(a.rows(), a.rows()).unwrap();
            for j in 0..a.rows().min(a.columns()) {
                square.column_mut(j)[j..].copy_from_slice(&a.column(j)[j..]);
            }
            SymmetricEigen::of(&square).unwrap_or_else(|error| panic!("{what}: {error}"));
            continue;
        }
        let gram = product_transposed(&a, &a).unwrap();
        let eigen = SymmetricEigen::of(&gram).unwrap_or_else(|error| panic!("{what}: {error}"));
        let svd = Svd::thin(&a).unwrap();
        let largest = svd.values.first().copied().unwrap_or(0.0);
        for (value, singular) in eigen.values.iter().rev().zip(&svd.values) {
            let tolerance = 60.0 * f64::EPSILON * a.rows() as f64 * largest * largest;
            assert!((value - singular * singular).abs() <= tolerance, "{what}: {value} and {singular}²");
        }
    }
}

#[test]
fn a_pseudoinverse_meets_the_four_conditions_of_penrose() {
    for (what, a) in awkward().into_iter().filter(|(_, a)| a.largest() < 2.0 && a.largest() > 1e-100) {
        let svd = Svd::thin(&a).unwrap();
        let tolerance = svd.default_tolerance();
        let inverse = svd.pseudoinverse(tolerance).unwrap();
        let rank = svd.rank(tolerance);
        if rank == 0 || svd.values[rank - 1] < 1e-3 * svd.values[0] {
            continue; // conditions hold to the condition of the matrix only
        }
        let (left, right) = (product(&a, &inverse).unwrap(), product(&inverse, &a).unwrap());
        assert_close(&product(&left, &a).unwrap(), &a, 1e-11, what);
        assert_close(&product(&right, &inverse).unwrap(), &inverse, 1e-11, what);
        assert_close(&left.transposed().unwrap(), &left, 1e-12, what);
        assert_close(&right.transposed().unwrap(), &right, 1e-12, what);
    }
}
