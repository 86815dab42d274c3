//! Normal clouds.

use lm_core::{ClassLabels, Dense, Error, Result, Sign};

use super::{Binary, alternating, check_at_least, check_spread, plane, room};
use crate::Labelled;
use crate::random::Random;

/// One normal cloud: a class, its size, its mean and its spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloud {
    /// The class of its points.
    pub class: i64,
    /// How many points are drawn.
    pub len: usize,
    /// The mean, which sets the dimension.
    pub mean: Vec<f64>,
    /// The covariance.
    pub spread: Spread,
}

/// The covariance of a cloud.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// The same standard deviation in every direction.
    Round(f64),
    /// A standard deviation for each coordinate; they are independent.
    Diagonal(Vec<f64>),
    /// The Cholesky factor L of the covariance L·Lᵀ, row after row, d² numbers; those above the diagonal must be 0.
    Cholesky(Vec<f64>),
}

/// Draws the points of several clouds, one cloud after the other.
///
/// ```
/// use lm_data::generate::{Cloud, Spread, gaussians};
///
/// let left = Cloud { class: 0, len: 40, mean: vec![-2.0, 0.0], spread: Spread::Round(0.5) };
/// let tilted = Spread::Cholesky(vec![1.0, 0.0, 0.8, 0.6]); // covariance [1, 0.8; 0.8, 1]
/// let right = Cloud { class: 1, len: 60, mean: vec![2.0, 0.0], spread: tilted };
/// let data = gaussians(&[left, right], 1)?;
/// let mean: f64 = (0..40).map(|row| data.examples.slice(row)[0]).sum::<f64>() / 40.0;
/// assert!((mean + 2.0).abs() < 4.0 * 0.5 / 40_f64.sqrt());
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if means or covariances differ in dimension, [`Error::Setting`] for a spread that is negative or
/// not finite, [`Error::Classes`] unless there are two classes or more, [`Error::NonFinite`] for a mean that is not
/// finite.
pub fn gaussians(clouds: &[Cloud], seed: u64) -> Result<Labelled<Dense<'static>, ClassLabels>> {
    let dim = clouds.first().map_or(0, |cloud| cloud.mean.len());
    clouds.iter().try_for_each(|cloud| check_cloud(cloud, dim))?;
    let mut random = Random::new(seed);
    let len = clouds.iter().fold(0_usize, |len, cloud| len.saturating_add(cloud.len));
    let (mut values, mut classes) = (room(len, dim)?, Vec::new());
    let mut z = vec![0.0; dim];
    for cloud in clouds {
        for _ in 0..cloud.len {
            z.iter_mut().for_each(|z| *z = random.normal());
            values.extend((0..dim).map(|k| cloud.mean[k] + cloud.spread.coordinate(k, &z)));
            classes.push(cloud.class);
        }
    }
    Ok(Labelled {
        labels: ClassLabels::from_integers(&classes)?,
        examples: Dense::new(values, classes.len(), dim)?,
    })
}

impl Spread {
    /// Coordinate `k` of the point that independent standard normal numbers `z` stand for.
    fn coordinate(&self, k: usize, z: &[f64]) -> f64 {
        match self {
            Self::Round(deviation) => deviation * z[k],
            Self::Diagonal(deviations) => deviations[k] * z[k],
            Self::Cholesky(factor) => {
                let row = &factor[k * z.len()..];
                row.iter().zip(z).take(k + 1).map(|(l, z)| l * z).sum()
            }
        }
    }
}

fn check_cloud(cloud: &Cloud, dim: usize) -> Result<()> {
    let same = |what, found, expected| {
        if found == expected { Ok(()) } else { Err(Error::Length { what, expected, found }) }
    };
    same("the mean of a cloud", cloud.mean.len(), dim)?;
    if let Some(column) = cloud.mean.iter().position(|mean| !mean.is_finite()) {
        return Err(Error::NonFinite { what: "the mean of a cloud", row: 0, column: Some(column) });
    }
    match &cloud.spread {
        Spread::Round(deviation) => check_spread("deviation", *deviation),
        Spread::Diagonal(deviations) => {
            same("the deviations of a cloud", deviations.len(), dim)?;
            deviations.iter().try_for_each(|&deviation| check_spread("deviation", deviation))
        }
        Spread::Cholesky(factor) => {
            same("the Cholesky factor of a cloud", factor.len(), dim.saturating_mul(dim))?;
            let wrong = |k: usize| !factor[k].is_finite() || (k % dim > k / dim && factor[k] != 0.0);
            match (0..factor.len()).find(|&k| wrong(k)) {
                Some(k) => {
                    let accepted = "finite numbers, 0 above the diagonal";
                    Err(Error::Setting { name: "Cholesky factor", value: factor[k], accepted })
                }
                None => Ok(()),
            }
        }
    }
}

/// Two round clouds of deviation 1 in the plane, at (±2, 0), and `outliers` points of the positive class in a small
/// group at (`distance`, 0): far behind their own class, so that least squares turns towards them although they are
/// easy to classify.
///
/// ```
/// use lm_core::Collection;
/// use lm_data::generate::far_blob;
///
/// let data = far_blob(100, 20, 30.0, 1)?;
/// assert_eq!(data.examples.len(), 120);
/// assert!((100..120).all(|row| data.examples.slice(row)[0] > 25.0));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for fewer than 2 points in the clouds or a distance that is not a finite number ≥ 0.
pub fn far_blob(len: usize, outliers: usize, distance: f64, seed: u64) -> Result<Binary> {
    check_at_least("len", len, 2, "2 or more points")?;
    room(len, 2)?;
    check_spread("distance", distance)?;
    let mut random = Random::new(seed);
    let mut signs: Vec<Sign> = (0..len).map(alternating).collect();
    let mut points: Vec<[f64; 2]> =
        signs.iter().map(|sign| [2.0 * sign.value() + random.normal(), random.normal()]).collect();
    signs.extend((0..outliers).map(|_| Sign::Positive));
    points.extend((0..outliers).map(|_| [distance + 0.5 * random.normal(), 0.5 * random.normal()]));
    plane(&points, signs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cloud_has_its_mean_and_covariance() {
        let mean = vec![1.0, -2.0, 0.5];
        let factor = vec![2.0, 0.0, 0.0, -1.0, 0.5, 0.0, 0.3, 0.4, 1.2];
        let n = 20_000;
        let cloud = Cloud { class: 1, len: n, mean: mean.clone(), spread: Spread::Cholesky(factor.clone()) };
        let other = Cloud { class: 2, len: 1, mean: vec![0.0; 3], spread: Spread::Diagonal(vec![0.0; 3]) };
        let data = gaussians(&[cloud, other], 3).unwrap();
        assert_eq!(data.examples.slice(n), [0.0; 3]);
        let rows: Vec<&[f64]> = (0..n).map(|row| data.examples.slice(row)).collect();
        for i in 0..3 {
            let average = rows.iter().map(|x| x[i]).sum::<f64>() / n as f64;
            assert!((average - mean[i]).abs() < 5.0 * 2.0 / (n as f64).sqrt());
            for j in 0..3 {
                let wanted: f64 = (0..3).map(|k| factor[3 * i + k] * factor[3 * j + k]).sum();
                let found = rows.iter().map(|x| (x[i] - mean[i]) * (x[j] - mean[j])).sum::<f64>() / n as f64;
                assert!((found - wanted).abs() < 0.2, "{i} {j}: {found} {wanted}");
            }
        }
    }

    #[test]
    fn shapes_and_spreads_are_checked() {
        let cloud = |mean: Vec<f64>, spread| Cloud { class: 0, len: 1, mean, spread };
        let other = Cloud { class: 1, ..cloud(vec![0.0; 2], Spread::Round(1.0)) };
        for bad in [
            cloud(vec![0.0; 3], Spread::Round(1.0)),
            cloud(vec![0.0; 2], Spread::Round(-1.0)),
            cloud(vec![0.0; 2], Spread::Diagonal(vec![1.0])),
            cloud(vec![0.0; 2], Spread::Cholesky(vec![1.0, 0.5, 0.0, 1.0])),
            cloud(vec![0.0; 2], Spread::Cholesky(vec![f64::NAN, 0.0, 0.0, 1.0])),
            cloud(vec![0.0, f64::NAN], Spread::Round(1.0)),
        ] {
            assert!(gaussians(&[other.clone(), bad], 0).is_err());
        }
        assert!(gaussians(&[], 0).is_err());
        assert!(gaussians(&[other], 0).is_err());
    }
}
