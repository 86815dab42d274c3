//! The sheet a figure is drawn on: plotters' SVG back end, in coordinates of our own.
//!
//! The back end rounds to whole units. A logical unit is therefore four of its units, so that curves stay
//! smooth; the `viewBox` scales the figure to the room it gets.

use std::error::Error;

use plotters::prelude::{DrawingBackend, FontDesc, FontFamily, FontStyle, RGBColor, SVGBackend, ShapeStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, TextStyle};

use super::Drawing;
use super::style::{INK, MARK, PAPER, Shape, Stroke, Tone};

/// The width of every figure in logical units.
pub(super) const WIDTH: f64 = 560.0;

/// Units of the back end in a logical unit.
const FINENESS: f64 = 4.0;

/// A point in logical units, from the upper left corner.
pub(super) type Point = [f64; 2];

/// Where the given point of a text lies in the text.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
    /// Middle of a text that is read from below.
    Upward,
    /// End of a text that is read from below.
    UpwardEnd,
}

/// What can be drawn on.
pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
}

/// What a step of drawing returns.
pub(super) type Drawn = Result<(), Box<dyn Error>>;

/// Draws a figure of the given height and returns the SVG.
pub(super) fn draw(height: f64, body: impl FnOnce(&mut Canvas<'_>) -> Drawn) -> Drawing {
    let size = (units(WIDTH) as u32, units(height) as u32);
    let mut text = String::new();
    let mut canvas = Canvas { backend: SVGBackend::with_string(&mut text, size) };
    body(&mut canvas)?;
    canvas.backend.present()?;
    drop(canvas);
    Ok(finish(&text, size))
}

/// Gives the SVG a head without fixed sizes, and leaves out attributes that say what holds anyway.
fn finish(text: &str, (width, height): (u32, u32)) -> String {
    let body = text.split_once('>').map_or(text, |(_, body)| body);
    let body = body.replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", "");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"100%\">{body}"
    )
}

/// A length in units of the back end.
fn units(length: f64) -> i32 {
    (length * FINENESS).round() as i32
}

fn at(point: Point) -> (i32, i32) {
    (units(point[0]), units(point[1]))
}

fn colour(tone: Tone) -> RGBColor {
    RGBColor(tone.0, tone.1, tone.2)
}

fn shape_style(tone: Tone, width: f64, filled: bool) -> ShapeStyle {
    ShapeStyle { color: colour(tone).into(), filled, stroke_width: units(width).max(1) as u32 }
}

impl Canvas<'_> {
    /// A line through the points.
    pub(super) fn line(&mut self, points: &[Point], stroke: Stroke) -> Drawn {
        let style = shape_style(stroke.tone, stroke.width, false);
        if stroke.dashes.is_empty() {
            self.backend.draw_path(points.iter().copied().map(at), &style)?;
            return Ok(());
        }
        for dash in dashes(points, stroke.dashes) {
            self.backend.draw_path(dash.into_iter().map(at), &style)?;
        }
        Ok(())
    }

    /// A filled rectangle between two corners.
    pub(super) fn rectangle(&mut self, from: Point, to: Point, tone: Tone) -> Drawn {
        Ok(self.backend.draw_rect(at(from), at(to), &shape_style(tone, 1.0, true), true)?)
    }

    /// The outline of a rectangle.
    pub(super) fn outline(&mut self, from: Point, to: Point, stroke: Stroke) -> Drawn {
        let [left, top] = from;
        let [right, bottom] = to;
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
        self.line(&corners, stroke)
    }

    /// A filled polygon.
    pub(super) fn polygon(&mut self, corners: &[Point], tone: Tone) -> Drawn {
        Ok(self.backend.fill_polygon(corners.iter().copied().map(at), &shape_style(tone, 1.0, true))?)
    }

    /// A filled disc.
    pub(super) fn disc(&mut self, centre: Point, radius: f64, tone: Tone) -> Drawn {
        let radius = units(radius).max(1) as u32;
        Ok(self.backend.draw_circle(at(centre), radius, &shape_style(tone, 1.0, true), true)?)
    }

    /// A circle.
    pub(super) fn ring(&mut self, centre: Point, radius: f64, stroke: Stroke) -> Drawn {
        let style = shape_style(stroke.tone, stroke.width, false);
        Ok(self.backend.draw_circle(at(centre), units(radius) as u32, &style, false)?)
    }

    /// An arrow; nothing if its ends are the same.
    pub(super) fn arrow(&mut self, from: Point, to: Point) -> Drawn {
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        if !(length > 0.0 && length.is_finite()) {
            return Ok(());
        }
        let along = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
        let at = |back: f64, side: f64| {
            [to[0] - back * along[0] - side * along[1], to[1] - back * along[1] + side * along[0]]
        };
        self.line(&[from, at(6.0, 0.0)], Stroke { width: 1.6, ..Stroke::SOLID })?;
        self.polygon(&[to, at(9.0, 4.0), at(9.0, -4.0)], INK)
    }

    /// The mark of a point.
    pub(super) fn mark(&mut self, centre: Point, shape: Shape, tone: Tone) -> Drawn {
        let [x, y] = centre;
        let r = MARK;
        let edge = Stroke { tone, width: 1.5, dashes: &[] };
        match shape {
            // A thin pale edge keeps marks that overlap apart.
            Shape::Disc => {
                self.disc(centre, r + 0.7, PAPER)?;
                self.disc(centre, r, tone)
            }
            Shape::OpenSquare => {
                let (from, to) = ([x - 0.9 * r, y - 0.9 * r], [x + 0.9 * r, y + 0.9 * r]);
                self.rectangle(from, to, PAPER)?;
                self.outline(from, to, edge)
            }
            Shape::Triangle => {
                let corners =
                    |r: f64| [[x, y - 1.25 * r], [x + 1.1 * r, y + 0.75 * r], [x - 1.1 * r, y + 0.75 * r]];
                self.polygon(&corners(r * 1.25), PAPER)?;
                self.polygon(&corners(r), tone)
            }
            Shape::OpenDiamond => {
                let s = 1.25 * r;
                let corners = [[x, y - s], [x + s, y], [x, y + s], [x - s, y], [x, y - s]];
                self.polygon(&corners, PAPER)?;
                self.line(&corners, edge)
            }
            Shape::Cross => {
                let edge = Stroke { width: 1.9, ..edge };
                self.line(&[[x - r, y - r], [x + r, y + r]], edge)?;
                self.line(&[[x - r, y + r], [x + r, y - r]], edge)
            }
        }
    }

    /// A line of text.
    pub(super) fn text(&mut self, text: &str, place: Point, size: f64, anchor: Anchor) -> Drawn {
        self.text_in(text, place, size, anchor, INK)
    }

    /// A line of text in a tone.
    pub(super) fn text_in(
        &mut self,
        text: &str,
        place: Point,
        size: f64,
        anchor: Anchor,
        tone: Tone,
    ) -> Drawn {
        let (horizontal, turn) = match anchor {
            Anchor::Left => (HPos::Left, FontTransform::None),
            Anchor::Middle => (HPos::Center, FontTransform::None),
            Anchor::Right => (HPos::Right, FontTransform::None),
            Anchor::Upward => (HPos::Center, FontTransform::Rotate270),
            Anchor::UpwardEnd => (HPos::Right, FontTransform::Rotate270),
        };
        // The back end divides the size by this factor.
        let size = size * FINENESS * 1.24;
        let font = FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal).transform(turn);
        let colour = colour(tone);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(horizontal, VPos::Center));
        Ok(self.backend.draw_text(text, &style, at(place))?)
    }
}

/// Cuts a line into dashes: lengths of ink and gap in turn, carried on around the corners.
fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let mut pieces = Vec::new();
    let (mut index, mut left) = (0, pattern[0]);
    let mut piece: Vec<Point> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let share = done / length;
            let corner = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
            if index % 2 == 0 {
                piece.push(corner);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![corner];
            }
            index = (index + 1) % pattern.len();
            left = pattern[index];
        }
        left -= length - done;
        if index % 2 == 0 {
            piece.push(to);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_and_gaps_take_turns_around_a_corner() {
        let pieces = dashes(&[[0.0, 0.0], [3.0, 0.0], [3.0, 3.0]], &[2.0, 2.0]);
        let expected = vec![vec![[0.0, 0.0], [2.0, 0.0]], vec![[3.0, 1.0], [3.0, 3.0]]];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn a_dash_bends_with_the_line() {
        let pieces = dashes(&[[0.0, 0.0], [1.0, 0.0], [1.0, 5.0]], &[2.0, 10.0]);
        assert_eq!(pieces, vec![vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]]);
    }

    #[test]
    fn the_svg_scales_and_escapes_its_text() {
        let svg = draw(10.0, |canvas| canvas.text("a < b & c", [1.0, 2.0], 12.0, Anchor::Left)).unwrap();
        assert!(svg.starts_with(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 2240 40\" width=\"100%\">"
        ));
        assert!(svg.contains("a &lt; b &amp; c") && svg.trim_end().ends_with("</svg>"), "{svg}");
    }
}
