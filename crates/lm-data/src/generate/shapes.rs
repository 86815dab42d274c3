//! Shapes of the plane that no line separates.

use std::f64::consts::PI;

use lm_core::{ClassLabels, Dense, Error, Result, Sign};

use super::{Binary, alternating, check_at_least, check_spread, plane, room};
use crate::Labelled;
use crate::random::Random;

/// Two half circles of radius 1 that reach into each other, with normal noise on both coordinates: the positive one
/// opens downwards around (0, 0), the negative one upwards around (1, 0.5).
///
/// ```
/// use lm_core::Sign;
///
/// let data = lm_data::generate::two_moons(50, 0.0, 1)?;
/// for (row, &sign) in data.labels.signs().iter().enumerate() {
///     let (x, y) = (data.examples.slice(row)[0], data.examples.slice(row)[1]);
///     let centre = if sign == Sign::Positive { (0.0, 0.0) } else { (1.0, 0.5) };
///     assert!(((x - centre.0).hypot(y - centre.1) - 1.0).abs() < 1e-12);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for fewer than 2 points or a noise that is not a finite number ≥ 0.
pub fn two_moons(len: usize, noise: f64, seed: u64) -> Result<Binary> {
    check_at_least("len", len, 2, "2 or more points")?;
    room(len, 2)?;
    check_spread("noise", noise)?;
    let mut random = Random::new(seed);
    let signs: Vec<Sign> = (0..len).map(alternating).collect();
    let points: Vec<[f64; 2]> = signs
        .iter()
        .map(|&sign| {
            let (sin, cos) = random.between(0.0, PI).sin_cos();
            let [x, y] = if sign == Sign::Positive { [cos, sin] } else { [1.0 - cos, 0.5 - sin] };
            [x + noise * random.normal(), y + noise * random.normal()]
        })
        .collect();
    plane(&points, signs)
}

/// Circles around the origin, one class each, numbered in the order of `radii`, with normal noise on the radius.
///
/// ```
/// let data = lm_data::generate::rings(30, &[1.0, 2.0, 4.0], 0.0, 1)?;
/// assert_eq!(data.labels.classes(), [0, 1, 2]);
/// let radius = |row: usize| data.examples.slice(row)[0].hypot(data.examples.slice(row)[1]);
/// assert!((0..30).all(|row| (radius(row) - [1.0, 2.0, 4.0][row % 3]).abs() < 1e-12));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for fewer points than rings, or a radius or noise that is not a finite number ≥ 0;
/// [`Error::Classes`] for fewer than two rings.
pub fn rings(
    len: usize,
    radii: &[f64],
    noise: f64,
    seed: u64,
) -> Result<Labelled<Dense<'static>, ClassLabels>> {
    if radii.len() < 2 {
        return Err(Error::Classes { found: radii.len(), accepted: "two rings or more" });
    }
    check_at_least("len", len, radii.len(), "as many points as rings, or more")?;
    room(len, 2)?;
    check_spread("noise", noise)?;
    radii.iter().try_for_each(|&radius| check_spread("radius", radius))?;
    let mut random = Random::new(seed);
    let (mut points, mut classes) = (Vec::with_capacity(len), Vec::with_capacity(len));
    for (row, &radius) in radii.iter().cycle().take(len).enumerate() {
        let (sin, cos) = random.between(0.0, 2.0 * PI).sin_cos();
        let radius = radius + noise * random.normal();
        points.push([radius * cos, radius * sin]);
        classes.push((row % radii.len()) as i64);
    }
    Ok(Labelled { examples: Dense::from_rows(&points)?, labels: ClassLabels::from_integers(&classes)? })
}

/// Points of the square from 0 to `cells`, labelled by the colour of their field on a board of `cells` × `cells`.
/// Colours alternate along the rows drawn, so that both occur equally often.
///
/// ```
/// use lm_core::Sign;
///
/// let data = lm_data::generate::chess_board(80, 4, 1)?;
/// for (row, &sign) in data.labels.signs().iter().enumerate() {
///     let fields: f64 = data.examples.slice(row).iter().map(|x| x.floor()).sum();
///     assert_eq!(fields % 2.0 == 0.0, sign == Sign::Positive);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for fewer than 2 points or 2 cells, or more than 10⁶ cells.
pub fn chess_board(len: usize, cells: usize, seed: u64) -> Result<Binary> {
    check_at_least("len", len, 2, "2 or more points")?;
    room(len, 2)?;
    if !(2..=1_000_000).contains(&cells) {
        return Err(Error::Setting { name: "cells", value: cells as f64, accepted: "2 to 1000000" });
    }
    let mut random = Random::new(seed);
    let signs: Vec<Sign> = (0..len).map(alternating).collect();
    let points: Vec<[f64; 2]> = signs
        .iter()
        .map(|&sign| {
            loop {
                let point = [random.between(0.0, cells as f64), random.between(0.0, cells as f64)];
                let light = (point[0].floor() + point[1].floor()) % 2.0 == 0.0;
                // A product may round up to the edge of the board, which belongs to no field.
                let inside = point.iter().all(|&x| x < cells as f64);
                if inside && light == (sign == Sign::Positive) {
                    break point;
                }
            }
        })
        .collect();
    plane(&points, signs)
}

/// The four points (±1, ±1), positive where the coordinates have different signs.
///
/// ```
/// let data = lm_data::generate::xor()?;
/// assert_eq!(data.labels.values(), [-1.0, 1.0, 1.0, -1.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// None; the type is that of the other generators.
pub fn xor() -> Result<Binary> {
    let points = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    plane(&points, points.iter().map(|[x, y]| Sign::of(-x * y)).collect())
}

/// Normal clouds around the four points of [`xor`], visited in turn.
///
/// ```
/// use lm_core::Collection;
///
/// let data = lm_data::generate::noisy_xor(40, 0.1, 1)?;
/// assert_eq!(data.examples.len(), 40);
/// assert!(data.examples.slice(3)[0] > 0.0 && data.examples.slice(3)[1] > 0.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for fewer than 4 points or a noise that is not a finite number ≥ 0.
pub fn noisy_xor(len: usize, noise: f64, seed: u64) -> Result<Binary> {
    check_at_least("len", len, 4, "4 or more points")?;
    room(len, 2)?;
    check_spread("noise", noise)?;
    let mut random = Random::new(seed);
    let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    let (mut points, mut signs) = (Vec::with_capacity(len), Vec::with_capacity(len));
    for [x, y] in corners.into_iter().cycle().take(len) {
        points.push([x + noise * random.normal(), y + noise * random.normal()]);
        signs.push(Sign::of(-x * y));
    }
    plane(&points, signs)
}
