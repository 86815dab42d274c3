//! An axis: from values to places, and the ticks with their labels.

/// A numeric axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    /// The ends, as logarithms to base ten if the axis is logarithmic.
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// A linear axis with these ends.
    pub(super) fn linear(low: f64, high: f64) -> Axis {
        Axis { low, high, log: false }
    }

    /// An axis that holds all values with some room on both sides, or why there is none.
    pub(super) fn around(values: impl Iterator<Item = f64>, log: bool, room: f64) -> Result<Axis, String> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            if log && value <= 0.0 {
                return Err(format!("a logarithmic axis takes positive values only, not {value}"));
            }
            let value = if log { value.log10() } else { value };
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return Err("there is nothing to draw: no value is finite, and no range is given".into());
        }
        let span = if high > low { high - low } else { (low.abs() * 0.2).max(1.0) };
        Ok(Axis { low: low - room * span, high: high + room * span, log })
    }

    /// An axis with the given ends, or why they are none.
    pub(super) fn between(low: f64, high: f64, log: bool) -> Result<Axis, String> {
        if !(low < high && low.is_finite() && high.is_finite()) || (log && low <= 0.0) {
            let kind = if log { "a logarithmic" } else { "an" };
            return Err(format!("{low} to {high} is not the range of {kind} axis"));
        }
        let end = |value: f64| if log { value.log10() } else { value };
        Ok(Axis { low: end(low), high: end(high), log })
    }

    /// Whether the axis is logarithmic.
    pub(super) fn is_log(self) -> bool {
        self.log
    }

    /// The distance between the ends.
    pub(super) fn span(self) -> f64 {
        self.high - self.low
    }

    /// An axis with the same middle and another span.
    pub(super) fn with_span(self, span: f64) -> Axis {
        let middle = f64::midpoint(self.low, self.high);
        Axis { low: middle - span / 2.0, high: middle + span / 2.0, ..self }
    }

    /// The place of a value: 0 at the low end, 1 at the high end, and beyond.
    pub(super) fn place(self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// The value at a place.
    pub(super) fn value(self, place: f64) -> f64 {
        let value = self.low + place * (self.high - self.low);
        if self.log { 10.0_f64.powf(value) } else { value }
    }

    /// Ticks: places from 0 to 1 and labels, about `count` of them.
    pub(super) fn ticks(self, count: usize) -> Vec<(f64, String)> {
        let values = if self.log { self.decades(count) } else { None };
        match values {
            Some(values) => values.into_iter().map(|value| (self.place(value), power_label(value))).collect(),
            None => self.even_ticks(count),
        }
    }

    /// Ticks at even steps of 1, 2 or 5 times a power of ten.
    fn even_ticks(self, count: usize) -> Vec<(f64, String)> {
        let (low, high) = if self.log { (self.value(0.0), self.value(1.0)) } else { (self.low, self.high) };
        let step = round_step((high - low) / count.max(1) as f64);
        // A hair of slack, so that an end which is a multiple of the step up to rounding has its tick.
        let slack = 1e-9;
        let first = (low / step - slack).ceil();
        let last = (high / step + slack).floor();
        let ticks = (last - first).max(0.0) as usize + 1;
        let values = (0..ticks).map(|index| (first + index as f64) * step);
        values.map(|value| (self.place(value), even_label(value, step))).collect()
    }

    /// Powers of ten, every one or every few; with 2 and 5 if there are few. None for less than a decade.
    fn decades(self, count: usize) -> Option<Vec<f64>> {
        let slack = 1e-9;
        let (first, last) = ((self.low - slack).ceil() as i32, (self.high + slack).floor() as i32);
        let whole = (last - first + 1).max(0) as usize;
        if whole < 2 {
            return (self.span() >= 0.9).then(|| self.parts_of_decades(first - 1, last));
        }
        if whole == 2 && self.span() < 2.0 {
            return Some(self.parts_of_decades(first - 1, last));
        }
        let every = whole.div_ceil(count.max(1) + 2);
        Some((first..=last).filter(|k| k.rem_euclid(every as i32) == 0).map(|k| 10.0_f64.powi(k)).collect())
    }

    /// 1, 2 and 5 times the powers of ten from `first` to `last`, as far as they are on the axis.
    fn parts_of_decades(self, first: i32, last: i32) -> Vec<f64> {
        let all = (first..=last).flat_map(|k| [1.0, 2.0, 5.0].map(|part| part * 10.0_f64.powi(k)));
        all.filter(|&value| (-1e-9..=1.0 + 1e-9).contains(&self.place(value))).collect()
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below the wanted step.
fn round_step(wanted: f64) -> f64 {
    let power = 10.0_f64.powf(wanted.log10().floor());
    // A hair of slack: 0.2 computed as 0.20000000000000001 is 0.2.
    [1.0, 2.0, 5.0]
        .map(|part| part * power)
        .into_iter()
        .find(|&step| step >= wanted * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// The label of a tick at even steps: as many decimals as the step has.
fn even_label(value: f64, step: f64) -> String {
    let exponent = (step.log10() + 1e-9).floor() as i32;
    if !(-4..5).contains(&exponent) {
        let mantissa = (value / 10.0_f64.powi(exponent)).round();
        let label =
            if mantissa == 0.0 { "0".into() } else { format!("{mantissa}×10{}", superscript(exponent)) };
        return minus(&label);
    }
    let decimals = usize::try_from(-exponent).unwrap_or(0);
    // Rounding leaves a sign on zero.
    let value = if value.abs() < step / 2.0 { 0.0 } else { value };
    minus(&format!("{value:.decimals$}"))
}

/// The label of a tick on a logarithmic axis.
fn power_label(value: f64) -> String {
    let exponent = (value.log10() + 1e-9).floor() as i32;
    let mantissa = (value / 10.0_f64.powi(exponent)).round();
    if (-2..4).contains(&exponent) {
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        return format!("{value:.decimals$}");
    }
    let power = format!("10{}", superscript(exponent));
    if mantissa == 1.0 { power } else { format!("{mantissa}×{power}") }
}

/// A whole number in raised digits.
fn superscript(number: i32) -> String {
    let raise = |c| match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        _ => '⁹',
    };
    number.to_string().chars().map(raise).collect()
}

/// The text with a real minus sign.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis) -> Vec<String> {
        axis.ticks(5).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn even_ticks_are_round_numbers() {
        assert_eq!(labels(Axis::linear(-1.1, 1.1)), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(Axis::linear(0.0, 100.0)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(Axis::linear(0.0, 1e7)), ["0", "2×10⁶", "4×10⁶", "6×10⁶", "8×10⁶", "10×10⁶"]);
        assert_eq!(labels(Axis::linear(0.0, 3e-6)), ["0", "1×10⁻⁶", "2×10⁻⁶", "3×10⁻⁶"]);
    }

    #[test]
    fn decades_are_thinned_out_when_many_and_divided_when_few() {
        let log = |low, high| labels(Axis::between(low, high, true).unwrap());
        assert_eq!(log(1e-6, 1.0), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"]);
        assert_eq!(log(1e-12, 1.0), ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"]);
        assert_eq!(log(1.0, 60.0), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(log(20.0, 70.0), ["20", "30", "40", "50", "60", "70"]);
    }

    #[test]
    fn places_and_values_are_inverse() {
        for axis in [Axis::linear(-3.0, 5.0), Axis::between(0.01, 100.0, true).unwrap()] {
            for place in [0.0, 0.3, 1.0] {
                assert!((axis.place(axis.value(place)) - place).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn an_axis_around_values_has_room_even_for_one_value() {
        let axis = Axis::around([1.0, f64::NAN, 3.0].into_iter(), false, 0.1).unwrap();
        assert!((axis.value(0.0) - 0.8).abs() < 1e-12 && (axis.value(1.0) - 3.2).abs() < 1e-12);
        assert!(Axis::around([2.0].into_iter(), false, 0.1).unwrap().span() > 0.0);
    }

    #[test]
    fn what_has_no_axis_is_an_error() {
        assert!(Axis::around(std::iter::empty(), false, 0.1).is_err());
        assert!(Axis::around([f64::NAN].into_iter(), false, 0.1).is_err());
        assert!(Axis::around([0.0].into_iter(), true, 0.1).unwrap_err().contains("positive"));
        assert!(Axis::between(1.0, 1.0, false).is_err() && Axis::between(0.0, 1.0, true).is_err());
        assert!(Axis::between(f64::NAN, 1.0, false).is_err());
    }
}
