//! What several entries measure in the same way.

use lm_core::{BinaryLabels, Collection, Dense, Hypothesis, Linear, Result, Sign};
use lm_data::Labelled;
use lm_data::generate::{Cloud, Spread, gaussians};

/// Examples of two classes, as the generators return them.
pub(crate) type Binary = Labelled<Dense<'static>, BinaryLabels>;

/// How many examples a hypothesis puts on the wrong side.
pub(crate) fn wrong<S: Collection + ?Sized>(
    model: &impl Hypothesis<S>,
    examples: &S,
    labels: &BinaryLabels,
) -> Result<usize> {
    Ok(model.signs(examples)?.iter().zip(labels.signs()).filter(|(given, sign)| given != sign).count())
}

/// Two round clouds of deviation 1 whose means are `apart` from each other, along all attributes alike, in random order.
pub(crate) fn clouds(len: usize, dim: usize, apart: f64, seed: u64) -> Result<Binary> {
    let mean = 0.5 * apart / (dim as f64).sqrt();
    let cloud = |class, mean| Cloud { class, len: 1, mean: vec![mean; dim], spread: Spread::Round(1.0) };
    let turns: Vec<Cloud> =
        (0..len).map(|k| if k % 2 == 0 { cloud(0, -mean) } else { cloud(1, mean) }).collect();
    let made = gaussians(&turns, seed)?;
    Ok(Binary { labels: made.labels.one_against_rest(1)?, examples: made.examples })
}

/// The rows of two of the classes of a table; the second class is the positive one.
pub(crate) fn pair(data: &Labelled<Dense<'static>>, classes: [f64; 2]) -> Result<Binary> {
    let rows: Vec<usize> =
        (0..data.labels.len()).filter(|&row| classes.contains(&data.labels[row])).collect();
    let values: Vec<&[f64]> = rows.iter().map(|&row| data.examples.slice(row)).collect();
    let sign = |row: &usize| if data.labels[*row] == classes[1] { Sign::Positive } else { Sign::Negative };
    Ok(Labelled {
        examples: Dense::from_rows(&values)?,
        labels: BinaryLabels::new(rows.iter().map(sign).collect())?,
    })
}

/// Every example and its mirror image in the origin, of the other class: the best bias is then 0.
pub(crate) fn mirrored(data: &Binary) -> Result<Binary> {
    let mut rows: Vec<Vec<f64>> =
        (0..data.examples.len()).map(|row| data.examples.slice(row).to_vec()).collect();
    rows.extend((0..data.examples.len()).map(|row| data.examples.slice(row).iter().map(|x| -x).collect()));
    let signs = data.labels.signs();
    let signs = signs.iter().copied().chain(signs.iter().map(|sign| sign.flipped())).collect();
    Ok(Binary { examples: Dense::from_rows(&rows)?, labels: BinaryLabels::new(signs)? })
}

/// Examples with every attribute multiplied by a number.
pub(crate) fn scaled(examples: &Dense<'static>, factor: f64) -> Result<Dense<'static>> {
    let rows: Vec<Vec<f64>> = (0..examples.len())
        .map(|row| examples.slice(row).iter().map(|value| factor * value).collect())
        .collect();
    Dense::from_rows(&rows)
}

/// The points of one class of a set in the plane.
pub(crate) fn of_class(data: &Binary, sign: Sign) -> Vec<[f64; 2]> {
    let rows = (0..data.examples.len()).filter(|&row| data.labels.signs()[row] == sign);
    rows.map(|row| point(data, row)).collect()
}

/// A point of a set in the plane.
pub(crate) fn point(data: &Binary, row: usize) -> [f64; 2] {
    let values = data.examples.slice(row);
    [values[0], values[1]]
}

/// The coefficients of the line on which a function in the plane is 0.
pub(crate) fn line(function: &Linear) -> [f64; 3] {
    [function.weights()[0], function.weights()[1], function.bias()]
}

/// The slope of the straight line nearest to the points, by least squares, and the share of the variance that it leaves.
pub(crate) fn slope(points: &[[f64; 2]]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|point| point[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| points.iter().map(|point| f(point[0] - x, point[1] - y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    (xy / xx, 1.0 - xy * xy / (xx * yy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_leaves_nothing_and_a_parabola_leaves_something() {
        let (slope_of_line, left) = slope(&[[0.0, 1.0], [1.0, 3.0], [4.0, 9.0]]);
        assert!((slope_of_line - 2.0).abs() < 1e-12 && left.abs() < 1e-12);
        // Of (0, 0), (1, 1), (2, 4) the line 2x − 1/3 leaves 2/3 of 26/3.
        let (slope_of_parabola, left) = slope(&[[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]]);
        assert!((slope_of_parabola - 2.0).abs() < 1e-12 && (left - 1.0 / 13.0).abs() < 1e-12);
    }

    #[test]
    fn a_pair_of_classes_keeps_order_and_signs() {
        let examples = Dense::from_rows(&[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]).unwrap();
        let data = Labelled { examples, labels: vec![3.0, 1.0, 2.0] };
        let data = pair(&data, [2.0, 3.0]).unwrap();
        assert_eq!(data.labels.signs(), [Sign::Positive, Sign::Negative]);
        assert_eq!(point(&data, 1), [2.0, 1.0]);
        assert_eq!(of_class(&data, Sign::Positive), [[0.0, 1.0]]);
    }
}
