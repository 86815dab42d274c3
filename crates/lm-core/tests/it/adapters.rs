//! Matrices of other libraries, borrowed as examples.

use lm_core::{Collection, Dense, Error, Examples, Hypothesis, Linear};

/// 7 × 5 values, all different.
fn values() -> Vec<f64> {
    (0..35).map(f64::from).collect()
}

/// Any set of the same numbers predicts the same.
fn check_same(examples: &impl Examples, expected: &[Vec<f64>]) {
    let dense = Dense::from_rows(expected).unwrap();
    assert_eq!((examples.len(), examples.dim()), (dense.len(), dense.dim()));
    let model = Linear::new((0..dense.dim()).map(|k| 1.0 / (k as f64 + 1.5)).collect(), 0.25).unwrap();
    assert_eq!(model.decision_values(examples).unwrap(), model.decision_values(&dense).unwrap());
    for row in 0..dense.len() {
        assert_eq!(examples.row(row), dense.row(row));
        assert_eq!(examples.norm_squared(row), dense.norm_squared(row));
    }
}

#[cfg(feature = "ndarray")]
mod from_ndarray {
    use super::*;
    use lm_core::NdarrayRows;
    use ndarray::{Array2, Axis, s};

    fn array() -> Array2<f64> {
        Array2::from_shape_vec((7, 5), values()).unwrap()
    }

    #[test]
    fn rows_are_borrowed_where_they_lie() {
        let array = array();
        let place = |row: usize, column: usize| array.as_slice().unwrap()[row * 5 + column..].as_ptr();
        let whole = NdarrayRows::new(array.view()).unwrap();
        assert_eq!(whole.slice(3).as_ptr(), place(3, 0));
        let part = NdarrayRows::new(array.slice(s![1..;2, 1..4])).unwrap();
        assert_eq!((part.slice(0).as_ptr(), part.slice(2).as_ptr()), (place(1, 1), place(5, 1)));
        check_same(&part, &[vec![6.0, 7.0, 8.0], vec![16.0, 17.0, 18.0], vec![26.0, 27.0, 28.0]]);
        let mut backwards = array.view();
        backwards.invert_axis(Axis(0));
        assert_eq!(NdarrayRows::new(backwards).unwrap().slice(0).as_ptr(), place(6, 0));
        let dense = Dense::try_from(array.view()).unwrap();
        assert_eq!(dense.slice(2).as_ptr(), place(2, 0));
    }

    #[test]
    fn columns_and_gaps_between_entries_are_refused_and_can_be_copied() {
        let array = array();
        let layout = |error| matches!(error, Error::Layout { .. });
        assert!(layout(NdarrayRows::new(array.t()).unwrap_err()));
        assert!(layout(NdarrayRows::new(array.slice(s![.., ..;2])).unwrap_err()));
        assert!(layout(Dense::try_from(array.slice(s![.., 1..])).unwrap_err()));
        let copy = NdarrayRows::copied(array.slice(s![..2, ..;2])).unwrap();
        check_same(&copy, &[vec![0.0, 2.0, 4.0], vec![5.0, 7.0, 9.0]]);
        // A single column has no gaps between the entries of a row.
        check_same(&NdarrayRows::new(array.slice(s![..2, 3..4])).unwrap(), &[vec![3.0], vec![8.0]]);
    }

    #[test]
    fn bad_values_and_empty_views_are_refused() {
        let mut array = array();
        assert!(matches!(NdarrayRows::new(array.slice(s![..0, ..])), Err(Error::Empty { .. })));
        assert!(matches!(NdarrayRows::new(array.slice(s![.., ..0])), Err(Error::Empty { .. })));
        array[[4, 2]] = f64::NAN;
        let place = Error::NonFinite { what: "example", row: 4, column: Some(2) };
        assert_eq!(NdarrayRows::new(array.view()).unwrap_err(), place);
        assert_eq!(NdarrayRows::copied(array.view()).unwrap_err(), place);
        assert_eq!(Dense::try_from(array.view()).unwrap_err(), place);
        // Outside the view it is not seen.
        assert!(NdarrayRows::new(array.slice(s![..4, ..])).is_ok());
    }

    #[test]
    fn single_precision_is_borrowed_as_it_is() {
        let array = Array2::from_shape_vec((2, 2), vec![1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let examples = NdarrayRows::new(array.view()).unwrap();
        assert_eq!(examples.dot(1, &[1.0, 1.0]), 7.0);
        assert!(matches!(examples.row(0), lm_core::Row::DenseF32(_)));
    }
}

#[cfg(feature = "faer")]
mod from_faer {
    use super::*;
    use faer::{Mat, MatRef};
    use lm_core::FaerRows;

    #[test]
    fn rows_are_borrowed_where_they_lie() {
        let values = values();
        let matrix = MatRef::from_row_major_slice(&values, 7, 5);
        let whole = FaerRows::new(matrix).unwrap();
        assert_eq!(whole.slice(3).as_ptr(), values[15..].as_ptr());
        let part = FaerRows::new(matrix.submatrix(1, 1, 3, 3)).unwrap();
        assert_eq!(part.slice(2).as_ptr(), values[16..].as_ptr());
        check_same(&part, &[vec![6.0, 7.0, 8.0], vec![11.0, 12.0, 13.0], vec![16.0, 17.0, 18.0]]);
        let backwards = FaerRows::new(matrix.reverse_rows()).unwrap();
        assert_eq!(backwards.slice(0).as_ptr(), values[30..].as_ptr());
        // A matrix of examples in columns is one of rows when it is transposed.
        let columns = Mat::from_fn(5, 7, |i, j| values[j * 5 + i]);
        let transposed = FaerRows::new(columns.transpose()).unwrap();
        check_same(&transposed, &values.chunks(5).map(<[f64]>::to_vec).collect::<Vec<_>>());
        assert_eq!(transposed.slice(2).as_ptr(), columns.col(2).as_ptr());
    }

    #[test]
    fn columns_are_refused_and_can_be_copied() {
        let values = values();
        let columns = MatRef::from_column_major_slice(&values, 5, 7);
        assert!(matches!(FaerRows::new(columns), Err(Error::Layout { .. })));
        let matrix = MatRef::from_row_major_slice(&values, 7, 5);
        assert!(matches!(FaerRows::new(matrix.reverse_cols()), Err(Error::Layout { .. })));
        let copy = FaerRows::copied(columns.submatrix(0, 0, 2, 3)).unwrap();
        check_same(&copy, &[vec![0.0, 5.0, 10.0], vec![1.0, 6.0, 11.0]]);
    }

    #[test]
    fn bad_values_and_empty_matrices_are_refused() {
        let mut values = values();
        values[22] = f64::INFINITY;
        let matrix = MatRef::from_row_major_slice(&values, 7, 5);
        let place = Error::NonFinite { what: "example", row: 4, column: Some(2) };
        assert_eq!(FaerRows::new(matrix).unwrap_err(), place);
        assert_eq!(FaerRows::copied(matrix).unwrap_err(), place);
        assert!(FaerRows::new(matrix.submatrix(0, 0, 4, 5)).is_ok());
        assert!(matches!(FaerRows::new(matrix.submatrix(0, 0, 0, 5)), Err(Error::Empty { .. })));
        assert!(matches!(FaerRows::new(matrix.submatrix(0, 0, 2, 0)), Err(Error::Empty { .. })));
    }

    #[test]
    fn single_precision_is_borrowed_as_it_is() {
        let values = [1.0_f32, 2.0, 3.0, 4.0];
        let examples = FaerRows::new(MatRef::from_row_major_slice(&values, 2, 2)).unwrap();
        assert_eq!(examples.dot(1, &[1.0, 1.0]), 7.0);
        assert!(matches!(examples.row(0), lm_core::Row::DenseF32(_)));
    }
}
