//! Numbers as C's `printf` writes them with `%.8g` and `%.17g`.

/// A number with this many significant digits, without zeros at its end, with an exponent where it is below 10⁻⁴ or has more
/// digits before its point.
pub(crate) struct General(pub(crate) f64, pub(crate) usize);

impl std::fmt::Display for General {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(value, digits) = *self;
        let text = format!("{value:.*e}", digits.saturating_sub(1));
        let Some((mantissa, exponent)) = text.split_once('e') else { return f.write_str(&text) };
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
        let figures: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let kept = figures.trim_end_matches('0');
        let kept = if kept.is_empty() { "0" } else { kept };
        f.write_str(sign)?;
        if exponent < -4 || exponent >= digits as i32 {
            let (first, rest) = kept.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let direction = if exponent < 0 { '-' } else { '+' };
            return write!(f, "{first}{point}{rest}e{direction}{:02}", exponent.unsigned_abs());
        }
        let Ok(whole) = usize::try_from(exponent + 1) else {
            return write!(f, "0.{:0<1$}{kept}", "", exponent.unsigned_abs() as usize - 1);
        };
        match kept.len().checked_sub(whole) {
            Some(0) | None => write!(f, "{kept:0<whole$}"),
            Some(_) if whole == 0 => write!(f, "0.{kept}"),
            Some(_) => write!(f, "{}.{}", &kept[..whole], &kept[whole..]),
        }
    }
}

/// A value of a support vector: with eight digits, as LIBSVM writes it, where they name the number; with seventeen otherwise,
/// so that nothing is lost.
pub(crate) struct Brief(pub(crate) f64);

impl std::fmt::Display for Brief {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = General(self.0, 8).to_string();
        match short.parse::<f64>() {
            Ok(read) if read == self.0 => f.write_str(&short),
            _ => write!(f, "{}", General(self.0, 17)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// What `'%.17g' % x` and `'%.8g' % x` say in Python 3.11, which calls the correctly rounded conversion of C.
    #[test]
    fn as_printf_writes_them() {
        for (value, long, short) in [
            (0.0, "0", "0"),
            (-0.0, "-0", "-0"),
            (1.0, "1", "1"),
            (-2.0, "-2", "-2"),
            (0.1, "0.10000000000000001", "0.1"),
            (100.0, "100", "100"),
            (1e-4, "0.0001", "0.0001"),
            (1e-5, "1.0000000000000001e-05", "1e-05"),
            (123_456_789.0, "123456789", "1.2345679e+08"),
            (12_345_678.0, "12345678", "12345678"),
            (1e16, "10000000000000000", "1e+16"),
            (1e17, "1e+17", "1e+17"),
            (1e300, "1.0000000000000001e+300", "1e+300"),
            (5e-324, "4.9406564584124654e-324", "4.9406565e-324"),
            (0.000_123_456_789_012, "0.000123456789012", "0.00012345679"),
            (2.0_f64.powi(-25), "2.9802322387695312e-08", "2.9802322e-08"),
            (12_345_678.5, "12345678.5", "12345678"),
            (12_345_679.5, "12345679.5", "12345680"),
            (99_999_999.5, "99999999.5", "1e+08"),
            (0.999_999_999, "0.99999999900000003", "1"),
            (f64::MAX, "1.7976931348623157e+308", "1.7976931e+308"),
        ] {
            assert_eq!(General(value, 17).to_string(), long, "{value:e}");
            assert_eq!(General(value, 8).to_string(), short, "{value:e}");
        }
    }

    #[test]
    fn seventeen_digits_name_every_number_and_eight_only_some() {
        let mut random = Random::new(1);
        for _ in 0..100_000 {
            let value = f64::from_bits(
                (random.unit() * 2.0_f64.powi(53)) as u64 ^ ((random.below(1 << 11) as u64) << 52),
            );
            if value.is_finite() {
                assert_eq!(General(value, 17).to_string().parse(), Ok(value), "{value:e}");
                assert_eq!(Brief(value).to_string().parse(), Ok(value), "{value:e}");
                let eight: f64 = General(value, 8).to_string().parse().unwrap();
                assert_eq!(Brief(eight).to_string(), General(eight, 8).to_string());
            }
        }
    }
}
