//! Groups of bars over named categories.

use super::Drawing;
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Drawn, draw};
use super::frame::{Frame, Key};
use super::style::{INK, SMALL, Stroke, Tone, ramp, text_width};
use crate::reproduce::bench::number;

/// A bar chart: one group of bars for each category, one bar in it for each series.
pub(crate) struct Bars {
    x_label: String,
    y_label: String,
    categories: Vec<String>,
    series: Vec<(String, Vec<f64>)>,
}

/// The tone of the bars of a series: from dark to pale, so that grey tells them apart.
pub(super) fn bar_tone(index: usize, count: usize) -> Tone {
    ramp(0.85 - 0.75 * index as f64 / count.max(2) as f64)
}

/// The edge of a bar.
pub(super) const EDGE: Stroke = Stroke { tone: INK, width: 0.8, dashes: &[] };

impl Bars {
    /// An empty chart over these categories.
    pub(crate) fn new(x_label: &str, y_label: &str, categories: &[&str]) -> Self {
        let categories = categories.iter().map(ToString::to_string).collect();
        Bars { x_label: x_label.into(), y_label: y_label.into(), categories, series: Vec::new() }
    }

    /// Adds a series: one value for each category.
    pub(crate) fn series(mut self, label: &str, values: &[f64]) -> Self {
        self.series.push((label.into(), values.to_vec()));
        self
    }

    /// Draws the figure.
    pub(crate) fn render(&self) -> Drawing {
        self.validate()?;
        let values = self.series.iter().flat_map(|(_, values)| values.iter().copied());
        let (low, high) = values.fold((0.0_f64, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        let high = if high > low { high } else { low + 1.0 };
        let room = 0.1 * (high - low);
        let y = Axis::linear(
            if low < 0.0 { low - room } else { 0.0 },
            if high > 0.0 { high + room } else { 0.0 },
        );
        let count = self.categories.len() as f64;
        let frame = Frame {
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            x_ticks: (self.categories.iter().enumerate())
                .map(|(index, label)| ((index as f64 + 0.5) / count, label.clone()))
                .collect(),
            y_ticks: y.ticks(5),
            aspect: 0.55,
            grid: [false, true],
            legend: self.keys(),
            scale: None,
        };
        draw(frame.height(), |canvas| {
            frame.draw_ground(canvas)?;
            self.draw_bars(canvas, &frame, y)?;
            frame.draw_axes(canvas)
        })
    }

    fn validate(&self) -> Result<(), String> {
        if self.categories.is_empty() || self.series.is_empty() {
            return Err("there is nothing to draw: a bar chart needs a category and a series".into());
        }
        for (label, values) in &self.series {
            if values.len() != self.categories.len() {
                let (has, needs) = (values.len(), self.categories.len());
                return Err(format!("the series '{label}' has {has} values for {needs} categories"));
            }
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                return Err(format!("value {index} of '{label}' is {}: not finite", values[index]));
            }
        }
        Ok(())
    }

    fn keys(&self) -> Vec<(Key, String)> {
        let count = self.series.len();
        let key = |(index, (label, _)): (usize, &(String, Vec<f64>))| {
            (Key::Patch(bar_tone(index, count)), label.clone())
        };
        self.series.iter().enumerate().map(key).collect()
    }

    fn draw_bars(&self, canvas: &mut Canvas<'_>, frame: &Frame, y: Axis) -> Drawn {
        let (groups, bars) = (self.categories.len() as f64, self.series.len() as f64);
        let width = 0.76 / groups / bars;
        let room = width * (frame.to()[0] - frame.from()[0]);
        let shown = |value: f64| number((value * 1e3).round() / 1e3);
        let all = self.series.iter().flat_map(|(_, values)| values);
        let told = all.map(|&value| text_width(&shown(value), SMALL)).all(|width| width <= room + 2.0);
        for (index, (_, values)) in self.series.iter().enumerate() {
            for (group, &value) in values.iter().enumerate() {
                let left = (group as f64 + 0.12) / groups + index as f64 * width;
                let top = frame.point(left, y.place(value.max(0.0)));
                let bottom = frame.point(left + width, y.place(value.min(0.0)));
                canvas.rectangle(top, bottom, bar_tone(index, self.series.len()))?;
                canvas.outline(top, bottom, EDGE)?;
                if told {
                    let place = if value < 0.0 { bottom[1] + 9.0 } else { top[1] - 8.0 };
                    let middle = f64::midpoint(top[0], bottom[0]);
                    canvas.text(&shown(value), [middle, place], SMALL, Anchor::Middle)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_bar_for_each_value() {
        let svg = Bars::new("c", "v", &["a", "b"]).series("s", &[1.0, -2.0]).render().unwrap();
        // The ground, two bars, and the patch of the legend.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains("−2"));
    }

    #[test]
    fn wrong_charts_are_told_apart() {
        let why = |bars: Bars| bars.render().unwrap_err().to_string();
        assert!(why(Bars::new("c", "v", &[])).contains("nothing to draw"));
        assert_eq!(
            why(Bars::new("c", "v", &["a"]).series("s", &[1.0, 2.0])),
            "the series 's' has 2 values for 1 categories"
        );
        assert_eq!(
            why(Bars::new("c", "v", &["a"]).series("s", &[f64::NAN])),
            "value 0 of 's' is NaN: not finite"
        );
    }
}
