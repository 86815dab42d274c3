//! The layers of a plot: what each needs to know beforehand, and how it is drawn.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Drawn, Point};
use super::clip::clip_line;
use super::contour::Grid;
use super::frame::{DOT, Frame, Key, RING, RING_STROKE, Scale};
use super::region::{Patch, patches};
use super::style::{INK, PAPER, SMALL, Stroke, Tone, field_tone, shape, tone, wash};

/// The steps of a field.
const STEPS: usize = 12;
/// The distance of the dots in a region without a class.
const DOTS: f64 = 9.0;

/// A function of two coordinates.
type Function<'a, T> = Box<dyn Fn(f64, f64) -> T + 'a>;

/// One layer, in values of the axes.
pub(super) enum Layer<'a> {
    Regions { labels: Vec<String>, class: Function<'a, Option<usize>> },
    Field { label: String, value: Function<'a, f64>, ends: Option<(f64, f64)> },
    Contours { value: Function<'a, f64>, levels: Vec<(String, f64, Stroke)> },
    Straight { label: String, coefficients: [f64; 3], stroke: Stroke },
    Arrow { label: String, from: [f64; 2], to: [f64; 2] },
    Curve { label: String, points: Vec<[f64; 2]>, stroke: Stroke, mark: Option<usize> },
    Points { label: String, class: usize, points: Vec<[f64; 2]> },
    Rings { label: String, points: Vec<[f64; 2]> },
    Text { at: [f64; 2], text: String },
}

/// What a layer has worked out before the size of the figure is known.
pub(super) enum Prepared {
    Nothing,
    Patches(Vec<Patch>),
}

/// Where layers are drawn.
pub(super) struct Sheet<'a> {
    pub(super) frame: &'a Frame,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) cells: usize,
}

impl Sheet<'_> {
    fn point(&self, [x, y]: [f64; 2]) -> Point {
        self.frame.point(self.x.place(x), self.y.place(y))
    }

    fn has(&self, point: Point) -> bool {
        let (from, to) = (self.frame.from(), self.frame.to());
        (0..2).all(|axis| (from[axis] - 0.01..=to[axis] + 0.01).contains(&point[axis]))
    }

    /// Draws a line through points in values of the axes, cut at the edges.
    fn line(&self, canvas: &mut Canvas<'_>, points: &[[f64; 2]], stroke: Stroke) -> Drawn {
        let points: Vec<_> = points.iter().map(|&point| self.point(point)).collect();
        self.clipped(canvas, &points, stroke)
    }

    fn clipped(&self, canvas: &mut Canvas<'_>, points: &[Point], stroke: Stroke) -> Drawn {
        for part in clip_line(points, self.frame.from(), self.frame.to()) {
            canvas.line(&part, stroke)?;
        }
        Ok(())
    }
}

impl Layer<'_> {
    /// The points that the axes must hold.
    pub(super) fn extent(&self) -> Vec<[f64; 2]> {
        match self {
            Layer::Curve { points, .. } | Layer::Points { points, .. } | Layer::Rings { points, .. } => {
                points.clone()
            }
            Layer::Arrow { from, to, .. } => vec![*from, *to],
            Layer::Text { at, .. } => vec![*at],
            _ => Vec::new(),
        }
    }

    /// What the legend says about the layer.
    pub(super) fn keys(&self) -> Vec<(Key, String)> {
        match self {
            Layer::Regions { labels, .. } => labels
                .iter()
                .enumerate()
                .map(|(index, label)| (Key::Patch(wash(index)), label.clone()))
                .collect(),
            Layer::Contours { levels, .. } => {
                levels.iter().map(|(label, _, stroke)| (Key::Line(*stroke), label.clone())).collect()
            }
            Layer::Straight { label, stroke, .. } => vec![(Key::Line(*stroke), label.clone())],
            Layer::Arrow { label, .. } => vec![(Key::Arrow, label.clone())],
            Layer::Curve { label, stroke, mark, .. } => {
                let key = mark.map_or(Key::Line(*stroke), |index| Key::MarkedLine(*stroke, shape(index)));
                vec![(key, label.clone())]
            }
            Layer::Points { label, class, .. } => {
                vec![(Key::Mark(shape(*class), tone(*class)), label.clone())]
            }
            Layer::Rings { label, .. } => vec![(Key::Ring, label.clone())],
            Layer::Field { .. } | Layer::Text { .. } => Vec::new(),
        }
    }

    /// Checks the layer, and works out what adds to the frame: a scale, or dots in the legend.
    pub(super) fn prepare(
        &self,
        x: Axis,
        y: Axis,
        cells: usize,
        frame: &mut Frame,
    ) -> Result<Prepared, String> {
        match self {
            Layer::Regions { class, .. } => {
                let patches = patches(cells, &|px, py| class(x.value(px), y.value(py)));
                if patches.iter().any(|patch| patch.class.is_none()) {
                    frame.legend.push((Key::Dots, "no decision".into()));
                }
                Ok(Prepared::Patches(patches))
            }
            Layer::Field { label, value, ends } => {
                let steps = Steps::new(cells, *ends, &|px, py| value(x.value(px), y.value(py)))
                    .ok_or_else(|| format!("the field '{label}' is not finite everywhere in the plot"))?;
                frame.scale = Some(steps.scale(label));
                let step = |px, py| Some(steps.step(value(x.value(px), y.value(py))));
                Ok(Prepared::Patches(patches(cells, &step)))
            }
            Layer::Straight { label, coefficients: [a, b, c], .. } => {
                if x.is_log() || y.is_log() {
                    return Err(format!("the straight line '{label}' needs two linear axes"));
                }
                let norm = a.hypot(*b);
                if !(norm > 0.0 && norm.is_finite() && c.is_finite()) {
                    return Err(format!(
                        "({a}, {b}, {c}) are no coefficients of the straight line '{label}'"
                    ));
                }
                Ok(Prepared::Nothing)
            }
            Layer::Points { label, points, .. } | Layer::Rings { label, points } => {
                let broken = points.iter().position(|point| !point.iter().all(|value| value.is_finite()));
                match broken {
                    Some(index) => {
                        let [a, b] = points[index];
                        Err(format!("point {index} of '{label}' is ({a}, {b}): not finite"))
                    }
                    None => Ok(Prepared::Nothing),
                }
            }
            _ => Ok(Prepared::Nothing),
        }
    }

    /// Draws the layer.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, sheet: &Sheet<'_>, prepared: &Prepared) -> Drawn {
        match (self, prepared) {
            (Layer::Regions { class, .. }, Prepared::Patches(patches)) => {
                fill(canvas, sheet, patches, |class| class.map_or(PAPER, wash))?;
                dots(canvas, sheet, class)
            }
            (Layer::Field { .. }, Prepared::Patches(patches)) => {
                fill(canvas, sheet, patches, |step| step_tone(step.unwrap_or(0)))
            }
            (Layer::Contours { value, levels }, _) => contours(canvas, sheet, value, levels),
            (Layer::Straight { coefficients, stroke, .. }, _) => {
                straight(canvas, sheet, *coefficients, *stroke)
            }
            (Layer::Arrow { from, to, .. }, _) => canvas.arrow(sheet.point(*from), sheet.point(*to)),
            (Layer::Curve { points, stroke, mark, .. }, _) => {
                sheet.line(canvas, points, *stroke)?;
                match mark {
                    Some(index) => marks(canvas, sheet, points, *index),
                    None => Ok(()),
                }
            }
            (Layer::Points { class, points, .. }, _) => marks(canvas, sheet, points, *class),
            (Layer::Rings { points, .. }, _) => {
                for point in points.iter().map(|&point| sheet.point(point)).filter(|&point| sheet.has(point))
                {
                    canvas.ring(point, RING, RING_STROKE)?;
                }
                Ok(())
            }
            (Layer::Text { at, text }, _) => {
                let [x, y] = sheet.point(*at);
                canvas.text(text, [x + 7.0, y - 7.0], SMALL, Anchor::Left)
            }
            (Layer::Regions { .. } | Layer::Field { .. }, Prepared::Nothing) => Ok(()),
        }
    }
}

/// Fills the patches, in their order.
fn fill(
    canvas: &mut Canvas<'_>,
    sheet: &Sheet<'_>,
    patches: &[Patch],
    tone: impl Fn(Option<usize>) -> Tone,
) -> Drawn {
    for patch in patches {
        let corners: Vec<_> = patch.corners.iter().map(|&[x, y]| sheet.frame.point(x, y)).collect();
        canvas.polygon(&corners, tone(patch.class))?;
    }
    Ok(())
}

/// Dots where no class is decided.
fn dots(canvas: &mut Canvas<'_>, sheet: &Sheet<'_>, class: &dyn Fn(f64, f64) -> Option<usize>) -> Drawn {
    let ([left, top], [right, bottom]) = (sheet.frame.from(), sheet.frame.to());
    let count = |length: f64| (length / DOTS) as usize;
    for row in 0..count(bottom - top) {
        for column in 0..count(right - left) {
            let (x, y) = (left + (column as f64 + 0.5) * DOTS, top + (row as f64 + 0.5) * DOTS);
            let value_x = sheet.x.value((x - left) / (right - left));
            let value_y = sheet.y.value((bottom - y) / (bottom - top));
            if class(value_x, value_y).is_none() {
                canvas.disc([x, y], DOT, INK)?;
            }
        }
    }
    Ok(())
}

/// The marks of a class or a series; points outside the plot have none.
fn marks(canvas: &mut Canvas<'_>, sheet: &Sheet<'_>, points: &[[f64; 2]], index: usize) -> Drawn {
    for point in points.iter().map(|&point| sheet.point(point)).filter(|&point| sheet.has(point)) {
        canvas.mark(point, shape(index), tone(index))?;
    }
    Ok(())
}

/// Contour lines, on a grid that is even on the sheet.
fn contours(
    canvas: &mut Canvas<'_>,
    sheet: &Sheet<'_>,
    value: &dyn Fn(f64, f64) -> f64,
    levels: &[(String, f64, Stroke)],
) -> Drawn {
    let place = |index: usize| index as f64 / sheet.cells as f64;
    let count = sheet.cells + 1;
    let grid = Grid::new(count, count, |i, j| value(sheet.x.value(place(i)), sheet.y.value(place(j))));
    for (_, level, stroke) in levels {
        for line in grid.contour(*level) {
            let cells = sheet.cells as f64;
            let points: Vec<_> = line.iter().map(|[x, y]| sheet.frame.point(x / cells, y / cells)).collect();
            canvas.line(&points, *stroke)?;
        }
    }
    Ok(())
}

/// The line `a·x + b·y + c = 0`: through the point of it that is nearest to the middle of the plot, and as
/// far as the plot is wide.
fn straight(canvas: &mut Canvas<'_>, sheet: &Sheet<'_>, [a, b, c]: [f64; 3], stroke: Stroke) -> Drawn {
    let middle = [sheet.x.value(0.5), sheet.y.value(0.5)];
    let norm = a.hypot(b);
    let (a, b, c) = (a / norm, b / norm, c / norm);
    let distance = a * middle[0] + b * middle[1] + c;
    let foot = [middle[0] - distance * a, middle[1] - distance * b];
    let reach = sheet.x.span() + sheet.y.span();
    let end = |sign: f64| [foot[0] - sign * reach * b, foot[1] + sign * reach * a];
    sheet.line(canvas, &[end(-1.0), end(1.0)], stroke)
}

/// The tone of a step of a field.
fn step_tone(step: usize) -> Tone {
    field_tone(step as f64 / (STEPS - 1) as f64)
}

/// A field cut into even steps between its least and its greatest value.
struct Steps {
    low: f64,
    high: f64,
}

impl Steps {
    /// Looks for the ends, unless they are given; nothing if a value is not finite.
    fn new(cells: usize, ends: Option<(f64, f64)>, value: &dyn Fn(f64, f64) -> f64) -> Option<Steps> {
        let place = |index: usize| index as f64 / cells as f64;
        let grid = Grid::new(cells + 1, cells + 1, |i, j| value(place(i), place(j)));
        if !grid.values.iter().all(|value| value.is_finite()) {
            return None;
        }
        let low = grid.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = grid.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = ends.unwrap_or((low, high));
        Some(Steps { low, high: if high > low { high } else { low + 1.0 } })
    }

    fn step(&self, value: f64) -> usize {
        let share = (value - self.low) / (self.high - self.low);
        // The cast takes what lies below the low end to 0.
        ((share * STEPS as f64) as usize).min(STEPS - 1)
    }

    fn scale(&self, label: &str) -> Scale {
        Scale {
            label: label.into(),
            tones: (0..STEPS).map(step_tone).collect(),
            ticks: Axis::linear(self.low, self.high).ticks(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_cut_into_even_steps() {
        let steps = Steps::new(4, None, &|x, _| 12.0 * x).unwrap();
        assert_eq!((steps.low, steps.high), (0.0, 12.0));
        assert_eq!([-1.0, 0.0, 0.99, 1.0, 11.5, 12.0, 13.0].map(|v| steps.step(v)), [0, 0, 0, 1, 11, 11, 11]);
        assert!(Steps::new(4, None, &|x, _| 1.0 / x).is_none());
        let given = Steps::new(4, Some((-2.0, 2.0)), &|x, _| 12.0 * x).unwrap();
        assert_eq!([-9.0, 0.0, 9.0].map(|v| given.step(v)), [0, 6, 11]);
        assert_eq!(Steps::new(4, None, &|_, _| 3.0).unwrap().step(3.0), 0);
    }
}
