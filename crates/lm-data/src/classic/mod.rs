//! Small classic sets, part of the crate. Their sources are told in `data/README.md` beside this crate's code.

use lm_core::Result;

use crate::csv::{self, Options, Table};

/// Iris: 150 flowers, 50 of each of three species; length and width of sepal and petal, in centimetres.
///
/// The measurements are by Anderson, the set by Fisher (1936). One species is linearly separable from the other two,
/// which are not separable from each other.
///
/// ```
/// use lm_core::{Collection, Examples};
///
/// let iris = lm_data::classic::iris()?;
/// assert_eq!((iris.data.examples.len(), iris.data.examples.dim()), (150, 4));
/// assert_eq!(iris.columns.classes.as_deref(), Some(&["setosa", "versicolor", "virginica"].map(String::from)[..]));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// None, unless the data that is part of the crate was changed.
pub fn iris() -> Result<Table> {
    csv::read(&include_bytes!("../../data/iris.csv")[..], &Options::default().with_target_name("species"))
}

/// Handwritten digits: 1797 images of 8 × 8 pixels with 17 levels of grey from 0 to 16, labelled 0 to 9.
///
/// ```
/// use lm_core::{Collection, Examples};
///
/// let digits = lm_data::classic::digits()?;
/// assert_eq!((digits.data.examples.len(), digits.data.examples.dim()), (1797, 64));
/// assert_eq!(digits.data.classes()?.classes(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// None, unless the data that is part of the crate was changed.
pub fn digits() -> Result<Table> {
    csv::read(&include_bytes!("../../data/digits.csv.gz")[..], &Options::default().with_target_name("digit"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Examples;

    fn column_sum(table: &Table, column: usize) -> f64 {
        (0..table.data.labels.len()).map(|row| table.data.examples.slice(row)[column]).sum()
    }

    #[test]
    fn iris_has_its_known_means() {
        let iris = iris().unwrap();
        for (column, sum) in [876.5, 458.6, 563.7, 179.9].into_iter().enumerate() {
            assert!((column_sum(&iris, column) - sum).abs() < 1e-9);
        }
        for class in 0..3 {
            assert_eq!(iris.data.labels.iter().filter(|&&label| label == f64::from(class)).count(), 50);
        }
        assert_eq!(iris.columns.features[3], "petal width (cm)");
    }

    #[test]
    fn digits_have_their_known_counts_and_sum() {
        let digits = digits().unwrap();
        let counts: Vec<usize> = (0..10)
            .map(|class| digits.data.labels.iter().filter(|&&label| label == f64::from(class)).count())
            .collect();
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!((0..64).map(|column| column_sum(&digits, column)).sum::<f64>(), 561_718.0);
        let levels =
            |row: usize| digits.data.examples.slice(row).iter().all(|&v| v.fract() == 0.0 && v <= 16.0);
        assert!((0..1797).all(levels));
        assert_eq!(digits.data.examples.dim(), 64);
    }
}
