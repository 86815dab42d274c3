//! Numbers as C writes them with `%g`.

/// So many significant digits, without trailing zeros, in the shorter of both notations.
pub(super) fn general(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..digits as i32).contains(&exponent) {
        let places = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.places$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn numbers_look_as_c_writes_them() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-1.0, "-1"),
            (0.5, "0.5"),
            (86.666_666_7, "86.6667"),
            (1e-5, "1e-05"),
            (123_456_789.0, "1.23457e+08"),
            (0.000_123_456_78, "0.000123457"),
            (999_999.9, "1e+06"),
            (100_000.0, "100000"),
        ] {
            assert_eq!(general(value, 6), text);
        }
        assert_eq!(general(0.1, 17), "0.10000000000000001");
        assert_eq!(general(-3.0, 17), "-3");
    }
}
