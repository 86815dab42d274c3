//! The frame of a figure: the room for the plot, axes with ticks, the legend, and the scale of tones.

use super::canvas::{Anchor, Canvas, Drawn, Point, WIDTH};
use super::style::{GRID, INK, MARK, PAPER, QUIET, SMALL, Shape, Stroke, TEXT, Tone, text_width};

/// What stands before a label of the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    Mark(Shape, Tone),
    Ring,
    Line(Stroke),
    MarkedLine(Stroke, Shape),
    Arrow,
    Patch(Tone),
    Dots,
}

/// A scale of tones beside the plot.
pub(super) struct Scale {
    /// What the tones stand for.
    pub(super) label: String,
    /// Tones from the low end to the high end.
    pub(super) tones: Vec<Tone>,
    /// Places from 0 to 1 and labels.
    pub(super) ticks: Vec<(f64, String)>,
}

/// Everything around the plot. The height of the figure follows from it.
pub(super) struct Frame {
    pub(super) x_label: String,
    pub(super) y_label: String,
    /// Places from 0 (left) to 1 and labels.
    pub(super) x_ticks: Vec<(f64, String)>,
    /// Places from 0 (bottom) to 1 and labels.
    pub(super) y_ticks: Vec<(f64, String)>,
    /// Height of the plot over its width.
    pub(super) aspect: f64,
    /// Whether lines at the ticks cross the plot.
    pub(super) grid: [bool; 2],
    pub(super) legend: Vec<(Key, String)>,
    pub(super) scale: Option<Scale>,
}

const TOP: f64 = 12.0;
const ROW: f64 = 23.0;
const KEY: f64 = 26.0;

impl Frame {
    /// The upper left corner of the plot.
    pub(super) fn from(&self) -> Point {
        let widest = self.y_ticks.iter().map(|(_, label)| text_width(label, SMALL)).fold(0.0, f64::max);
        [28.0 + widest + 8.0, TOP]
    }

    /// The lower right corner of the plot.
    pub(super) fn to(&self) -> Point {
        let ticks = self.scale.iter().flat_map(|scale| &scale.ticks);
        let widest = ticks.map(|(_, label)| text_width(label, SMALL)).fold(0.0, f64::max);
        let right = if self.scale.is_some() { WIDTH - 62.0 - widest } else { WIDTH - 16.0 };
        let [left, top] = self.from();
        [right, top + (right - left) * self.aspect]
    }

    /// The point of the plot at two places from 0 to 1.
    pub(super) fn point(&self, x: f64, y: f64) -> Point {
        let ([left, top], [right, bottom]) = (self.from(), self.to());
        [left + x * (right - left), bottom - y * (bottom - top)]
    }

    /// The height of the whole figure.
    pub(super) fn height(&self) -> f64 {
        self.legend_top() + self.legend_rows().len() as f64 * ROW + 4.0
    }

    fn legend_top(&self) -> f64 {
        self.to()[1] + 8.0 + self.tick_height() + 28.0
    }

    /// Whether the labels under the plot are too wide to stand side by side.
    fn turned(&self) -> bool {
        let room = (self.to()[0] - self.from()[0]) / self.x_ticks.len().max(1) as f64;
        self.x_ticks.iter().any(|(_, label)| text_width(label, SMALL) > room.max(20.0) - 2.0)
    }

    fn tick_height(&self) -> f64 {
        let widest = self.x_ticks.iter().map(|(_, label)| text_width(label, SMALL)).fold(0.0, f64::max);
        if self.turned() { widest } else { 18.0 }
    }

    /// The ground and the grid: before the layers.
    pub(super) fn draw_ground(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let ([left, top], [right, bottom]) = (self.from(), self.to());
        canvas.rectangle([0.0, 0.0], [WIDTH, self.height()], PAPER)?;
        let stroke = Stroke { tone: GRID, width: 0.8, dashes: &[] };
        for (place, _) in self.x_ticks.iter().filter(|_| self.grid[0]) {
            let [x, _] = self.point(*place, 0.0);
            canvas.line(&[[x, top], [x, bottom]], stroke)?;
        }
        for (place, _) in self.y_ticks.iter().filter(|_| self.grid[1]) {
            let [_, y] = self.point(0.0, *place);
            canvas.line(&[[left, y], [right, y]], stroke)?;
        }
        Ok(())
    }

    /// The axes, the legend and the scale: after the layers.
    pub(super) fn draw_axes(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let ([left, top], [right, bottom]) = (self.from(), self.to());
        let thin = Stroke { tone: QUIET, width: 1.0, dashes: &[] };
        canvas.outline([left, top], [right, bottom], thin)?;
        let turned = self.turned();
        for (place, label) in &self.x_ticks {
            let [x, _] = self.point(*place, 0.0);
            canvas.line(&[[x, bottom], [x, bottom + 4.0]], thin)?;
            let (y, anchor) =
                if turned { (bottom + 7.0, Anchor::UpwardEnd) } else { (bottom + 15.0, Anchor::Middle) };
            canvas.text(label, [x, y], SMALL, anchor)?;
        }
        for (place, label) in &self.y_ticks {
            let [_, y] = self.point(0.0, *place);
            canvas.line(&[[left - 4.0, y], [left, y]], thin)?;
            canvas.text(label, [left - 7.0, y], SMALL, Anchor::Right)?;
        }
        let middle = [f64::midpoint(left, right), f64::midpoint(top, bottom)];
        canvas.text(
            &self.x_label,
            [middle[0], bottom + 8.0 + self.tick_height() + 12.0],
            TEXT,
            Anchor::Middle,
        )?;
        canvas.text(&self.y_label, [12.0, middle[1]], TEXT, Anchor::Upward)?;
        if let Some(scale) = &self.scale {
            self.draw_scale(canvas, scale)?;
        }
        self.draw_legend(canvas)
    }

    fn draw_scale(&self, canvas: &mut Canvas<'_>, scale: &Scale) -> Drawn {
        let ([right, bottom], [_, top]) = (self.to(), self.from());
        let (left, right) = (right + 12.0, right + 26.0);
        let height = (bottom - top) / scale.tones.len() as f64;
        // From the high end down, each over the rest of the bar, so that no seam shows.
        for (index, tone) in scale.tones.iter().enumerate().rev() {
            canvas.rectangle([left, bottom - (index + 1) as f64 * height], [right, bottom], *tone)?;
        }
        let thin = Stroke { tone: QUIET, width: 0.8, dashes: &[] };
        canvas.outline([left, top], [right, bottom], thin)?;
        for (place, label) in &scale.ticks {
            let y = bottom - place * (bottom - top);
            canvas.line(&[[right, y], [right + 3.0, y]], thin)?;
            canvas.text(label, [right + 6.0, y], SMALL, Anchor::Left)?;
        }
        canvas.text(&scale.label, [WIDTH - 11.0, f64::midpoint(top, bottom)], SMALL, Anchor::Upward)
    }

    /// The items of the legend, row by row: as many in a row as there is room for.
    fn legend_rows(&self) -> Vec<Vec<(Key, &str, f64)>> {
        let mut rows: Vec<Vec<(Key, &str, f64)>> = Vec::new();
        let start = self.from()[0];
        let mut at = f64::INFINITY;
        for (key, label) in self.legend.iter().filter(|(_, label)| !label.is_empty()) {
            let width = KEY + 6.0 + text_width(label, SMALL) + 18.0;
            if at + width > WIDTH + 14.0 {
                rows.push(Vec::new());
                at = start;
            }
            if let Some(row) = rows.last_mut() {
                row.push((*key, label, at));
            }
            at += width;
        }
        rows
    }

    fn draw_legend(&self, canvas: &mut Canvas<'_>) -> Drawn {
        for (index, row) in self.legend_rows().into_iter().enumerate() {
            let y = self.legend_top() + (index as f64 + 0.5) * ROW;
            for (key, label, x) in row {
                draw_key(canvas, key, [x, y])?;
                canvas.text(label, [x + KEY + 6.0, y], SMALL, Anchor::Left)?;
            }
        }
        Ok(())
    }
}

/// Draws what stands before a label; `place` is the left end of its middle line.
fn draw_key(canvas: &mut Canvas<'_>, key: Key, place: Point) -> Drawn {
    let [x, y] = place;
    let centre = [x + KEY / 2.0, y];
    let thin = Stroke { tone: QUIET, width: 0.8, dashes: &[] };
    match key {
        Key::Mark(shape, tone) => canvas.mark(centre, shape, tone),
        Key::Ring => canvas.ring(centre, RING, RING_STROKE),
        Key::Line(stroke) => canvas.line(&[[x, y], [x + KEY, y]], stroke),
        Key::MarkedLine(stroke, shape) => {
            canvas.line(&[[x, y], [x + KEY, y]], stroke)?;
            canvas.mark(centre, shape, stroke.tone)
        }
        Key::Arrow => canvas.arrow([x, y], [x + KEY, y]),
        Key::Patch(tone) => {
            canvas.rectangle([x + 4.0, y - 6.0], [x + KEY - 2.0, y + 6.0], tone)?;
            canvas.outline([x + 4.0, y - 6.0], [x + KEY - 2.0, y + 6.0], thin)
        }
        Key::Dots => {
            canvas.outline([x + 4.0, y - 6.0], [x + KEY - 2.0, y + 6.0], thin)?;
            for dx in [8.0, 14.0, 20.0] {
                canvas.disc([x + dx, y], DOT, INK)?;
            }
            Ok(())
        }
    }
}

/// The radius of the ring around an emphasised point.
pub(super) const RING: f64 = MARK + 3.6;
/// The line of that ring.
pub(super) const RING_STROKE: Stroke = Stroke { tone: INK, width: 1.3, dashes: &[] };
/// The radius of the dots that fill a region without a class.
pub(super) const DOT: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(labels: &[&str]) -> Frame {
        Frame {
            x_label: "x".into(),
            y_label: "y".into(),
            x_ticks: vec![(0.0, "0".into()), (1.0, "1".into())],
            y_ticks: vec![(0.0, "0".into()), (1.0, "1000".into())],
            aspect: 0.5,
            grid: [true, true],
            legend: labels.iter().map(|label| (Key::Ring, label.to_string())).collect(),
            scale: None,
        }
    }

    #[test]
    fn places_fall_on_the_corners() {
        let frame = frame(&[]);
        let ([left, top], [right, bottom]) = (frame.from(), frame.to());
        assert_eq!(frame.point(0.0, 0.0), [left, bottom]);
        assert_eq!(frame.point(1.0, 1.0), [right, top]);
        assert!(((bottom - top) / (right - left) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_long_legend_takes_more_rows_and_an_empty_label_none() {
        let long = "a label that is about as long as half a row";
        assert_eq!(frame(&[""]).legend_rows().len(), 0);
        assert_eq!(frame(&["a", "", "b"]).legend_rows().len(), 1);
        assert_eq!(frame(&[long, long, long]).legend_rows().len(), 3);
        assert!(frame(&[long, long]).height() > frame(&[]).height());
    }

    #[test]
    fn wide_labels_are_turned() {
        let mut frame = frame(&[]);
        assert!(!frame.turned());
        frame.x_ticks = (0..12).map(|index| (f64::from(index) / 11.0, "a long label".to_string())).collect();
        assert!(frame.turned() && frame.tick_height() > 50.0);
    }
}
