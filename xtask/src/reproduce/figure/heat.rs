//! A table of values as tones.

use super::Drawing;
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Drawn, draw};
use super::frame::{Frame, Scale};
use super::style::{INK, PAPER, SMALL, ramp, text_width};
use crate::reproduce::bench::number;

/// Tones of the scale.
const STEPS: usize = 24;

/// A heat map: rows from the top, dark for high values. A small map also tells the values.
pub(crate) struct HeatMap {
    x_label: String,
    y_label: String,
    columns: Vec<String>,
    rows: Vec<String>,
    values: Vec<f64>,
    scale_label: String,
}

impl HeatMap {
    /// A map with the labels of its columns and rows; the values come row by row.
    pub(crate) fn new(
        x_label: &str,
        y_label: &str,
        columns: &[impl AsRef<str>],
        rows: &[impl AsRef<str>],
        values: &[f64],
    ) -> Self {
        HeatMap {
            x_label: x_label.into(),
            y_label: y_label.into(),
            columns: columns.iter().map(|label| label.as_ref().to_string()).collect(),
            rows: rows.iter().map(|label| label.as_ref().to_string()).collect(),
            values: values.to_vec(),
            scale_label: String::new(),
        }
    }

    /// What the values are, beside the scale.
    pub(crate) fn scale_label(mut self, label: &str) -> Self {
        self.scale_label = label.into();
        self
    }

    /// Draws the figure.
    pub(crate) fn render(&self) -> Drawing {
        let (low, high) = self.ends()?;
        let (columns, rows) = (self.columns.len() as f64, self.rows.len() as f64);
        let frame = Frame {
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            x_ticks: ticks(&self.columns, 16, |index| (index as f64 + 0.5) / columns),
            y_ticks: ticks(&self.rows, 20, |index| 1.0 - (index as f64 + 0.5) / rows),
            aspect: (rows / columns).clamp(0.35, 1.0),
            grid: [false, false],
            legend: Vec::new(),
            scale: Some(Scale {
                label: self.scale_label.clone(),
                tones: (0..STEPS).map(|step| ramp(step as f64 / (STEPS - 1) as f64)).collect(),
                ticks: Axis::linear(low, high).ticks(5),
            }),
        };
        draw(frame.height(), |canvas| {
            frame.draw_ground(canvas)?;
            self.draw_cells(canvas, &frame, (low, high))?;
            frame.draw_axes(canvas)
        })
    }

    fn ends(&self) -> Result<(f64, f64), String> {
        let (columns, rows, values) = (self.columns.len(), self.rows.len(), self.values.len());
        if columns == 0 || rows == 0 {
            return Err("there is nothing to draw: a heat map needs a row and a column".into());
        }
        if values != rows * columns {
            return Err(format!("{values} values for {rows} rows of {columns} columns"));
        }
        if let Some(index) = self.values.iter().position(|value| !value.is_finite()) {
            let value = self.values[index];
            return Err(format!(
                "row {}, column {} is {value}: not finite",
                index / columns,
                index % columns
            ));
        }
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok((low, if high > low { high } else { low + 1.0 }))
    }

    fn draw_cells(&self, canvas: &mut Canvas<'_>, frame: &Frame, (low, high): (f64, f64)) -> Drawn {
        let (columns, rows) = (self.columns.len(), self.rows.len());
        let ([left, top], [right, bottom]) = (frame.from(), frame.to());
        let (width, height) = ((right - left) / columns as f64, (bottom - top) / rows as f64);
        let shown = |value: f64| number((value * 1e2).round() / 1e2);
        let fits = |&value: &f64| text_width(&shown(value), SMALL) < width - 2.0;
        let told = height > SMALL + 3.0 && self.values.iter().all(fits);
        for (index, &value) in self.values.iter().enumerate() {
            let (column, row) = (index % columns, index / columns);
            let (x, y) = (left + column as f64 * width, top + row as f64 * height);
            let share = (value - low) / (high - low);
            // A hair over the neighbours, so that no seam shows.
            canvas.rectangle(
                [x, y],
                [(x + width + 0.5).min(right), (y + height + 0.5).min(bottom)],
                ramp(share),
            )?;
            if told {
                let tone = if share > 0.55 { PAPER } else { INK };
                let middle = [x + width / 2.0, y + height / 2.0];
                canvas.text_in(&shown(value), middle, SMALL, Anchor::Middle, tone)?;
            }
        }
        Ok(())
    }
}

/// Labels at their places, without empty ones; every second, third … only, if there are more than `most`.
fn ticks(labels: &[String], most: usize, place: impl Fn(usize) -> f64) -> Vec<(f64, String)> {
    let every = labels.len().div_ceil(most).max(1);
    let chosen = labels.iter().enumerate().step_by(every).filter(|(_, label)| !label.is_empty());
    chosen.map(|(index, label)| (place(index), label.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_map_tells_its_values() {
        let svg = HeatMap::new("x", "y", &["a", "b"], &["c"], &[0.25, 1.0]).render().unwrap();
        assert!(svg.contains("0.25"), "{svg}");
    }

    #[test]
    fn wrong_maps_are_told_apart() {
        let why = |values: &[f64]| {
            HeatMap::new("x", "y", &["a", "b"], &["c"], values).render().unwrap_err().to_string()
        };
        assert_eq!(why(&[1.0]), "1 values for 1 rows of 2 columns");
        assert_eq!(why(&[1.0, f64::NAN]), "row 0, column 1 is NaN: not finite");
        let none: [&str; 0] = [];
        assert!(HeatMap::new("x", "y", &none, &["c"], &[]).render().is_err());
    }

    #[test]
    fn many_labels_are_thinned_out() {
        let labels: Vec<_> = (0..40).map(|index| index.to_string()).collect();
        assert_eq!(ticks(&labels, 16, |_| 0.0).len(), 14);
        assert_eq!(ticks(&labels[..5], 16, |_| 0.0).len(), 5);
    }
}
