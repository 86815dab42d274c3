//! The distribution of a list of values.

use super::Drawing;
use super::axis::Axis;
use super::bars::{EDGE, bar_tone};
use super::canvas::{Canvas, Drawn, draw};
use super::frame::{Frame, Key};
use super::style::Stroke;

/// Counts of values in even bins, with lines at values that are to be compared with them.
pub(crate) struct Histogram {
    x_label: String,
    y_label: String,
    values: Vec<f64>,
    bins: usize,
    range: Option<(f64, f64)>,
    marks: Vec<(String, f64)>,
}

impl Histogram {
    /// The values, and into how many bins they go.
    pub(crate) fn new(x_label: &str, y_label: &str, values: &[f64], bins: usize) -> Self {
        Histogram {
            x_label: x_label.into(),
            y_label: y_label.into(),
            values: values.to_vec(),
            bins: bins.max(1),
            range: None,
            marks: Vec::new(),
        }
    }

    /// The ends of the bins; the least and the greatest value if not given.
    pub(crate) fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// A vertical line at a value.
    pub(crate) fn mark(mut self, label: &str, value: f64) -> Self {
        self.marks.push((label.into(), value));
        self
    }

    /// Draws the figure.
    pub(crate) fn render(&self) -> Drawing {
        let (low, high) = self.ends()?;
        let counts = self.counts(low, high)?;
        let greatest = counts.iter().copied().max().unwrap_or(0);
        let lines = self.marks.iter().map(|(_, value)| *value);
        let x = Axis::around([low, high].into_iter().chain(lines), false, 0.02)?;
        let y = Axis::linear(0.0, greatest as f64 * 1.08);
        // Counts are whole: no tick lies between them.
        let y_ticks =
            y.ticks(5.min(greatest)).into_iter().filter(|(_, label)| !label.contains('.')).collect();
        let frame = Frame {
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            x_ticks: x.ticks(6),
            y_ticks,
            aspect: 0.5,
            grid: [false, true],
            legend: self
                .marks
                .iter()
                .enumerate()
                .map(|(i, (label, _))| (Key::Line(mark(i)), label.clone()))
                .collect(),
            scale: None,
        };
        draw(frame.height(), |canvas| {
            frame.draw_ground(canvas)?;
            self.draw_bins(canvas, &frame, [x, y], &counts, (low, high))?;
            frame.draw_axes(canvas)
        })
    }

    fn ends(&self) -> Result<(f64, f64), String> {
        if let Some(index) = self.values.iter().position(|value| !value.is_finite()) {
            return Err(format!("value {index} of the histogram is {}: not finite", self.values[index]));
        }
        if let Some((label, value)) = self.marks.iter().find(|(_, value)| !value.is_finite()) {
            return Err(format!("the mark '{label}' is {value}: not finite"));
        }
        if self.values.is_empty() {
            return Err("there is nothing to draw: the histogram has no value".into());
        }
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = self.range.unwrap_or(if high > low { (low, high) } else { (low - 0.5, low + 0.5) });
        Axis::between(low, high, false).map(|_| (low, high))
    }

    /// How many values each bin has. The last bin takes its upper end; a value outside is an error, because
    /// it would vanish from the picture.
    fn counts(&self, low: f64, high: f64) -> Result<Vec<usize>, String> {
        let mut counts = vec![0; self.bins];
        for &value in &self.values {
            if !(low..=high).contains(&value) {
                return Err(format!("{value} is outside the range {low} to {high} of the histogram"));
            }
            let bin = ((value - low) / (high - low) * self.bins as f64) as usize;
            counts[bin.min(self.bins - 1)] += 1;
        }
        Ok(counts)
    }

    fn draw_bins(
        &self,
        canvas: &mut Canvas<'_>,
        frame: &Frame,
        [x, y]: [Axis; 2],
        counts: &[usize],
        (low, high): (f64, f64),
    ) -> Drawn {
        let edge = |bin: usize| x.place(low + (high - low) * bin as f64 / counts.len() as f64);
        for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let top = frame.point(edge(bin), y.place(count as f64));
            let bottom = frame.point(edge(bin + 1), 0.0);
            canvas.rectangle(top, bottom, bar_tone(1, 2))?;
            canvas.outline(top, bottom, EDGE)?;
        }
        for (index, (_, value)) in self.marks.iter().enumerate() {
            let place = x.place(*value);
            canvas.line(&[frame.point(place, 0.0), frame.point(place, 1.0)], mark(index))?;
        }
        Ok(())
    }
}

/// The line of a mark.
fn mark(index: usize) -> Stroke {
    [Stroke::SOLID, Stroke::DASHED, Stroke::DOTTED][index % 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_bin() {
        let histogram = Histogram::new("x", "n", &[0.0, 0.5, 1.0, 1.5, 2.0], 2);
        assert_eq!(histogram.counts(0.0, 2.0).unwrap(), [2, 3]);
        assert_eq!(histogram.ends().unwrap(), (0.0, 2.0));
    }

    #[test]
    fn what_cannot_be_counted_is_an_error() {
        let why = |values: &[f64]| {
            Histogram::new("x", "n", values, 3).range(0.0, 1.0).render().unwrap_err().to_string()
        };
        assert!(why(&[]).contains("no value"));
        assert!(why(&[f64::NAN]).contains("value 0 of the histogram is NaN"));
        assert_eq!(why(&[0.5, 2.0]), "2 is outside the range 0 to 1 of the histogram");
    }

    #[test]
    fn one_value_alone_can_be_drawn() {
        assert!(Histogram::new("x", "n", &[3.0], 4).mark("bound", 5.0).render().is_ok());
    }
}
