//! Points, lines, curves, regions and contours on two numeric axes.

use super::Drawing;
use super::axis::Axis;
use super::canvas::draw;
use super::frame::Frame;
use super::layer::{Layer, Sheet};
use super::style::Stroke;

/// A figure with two numeric axes. Layers lie in the order in which they are added.
pub(crate) struct Plot<'a> {
    x_label: String,
    y_label: String,
    x_range: Option<(f64, f64)>,
    y_range: Option<(f64, f64)>,
    log: [bool; 2],
    equal: bool,
    aspect: f64,
    cells: usize,
    series: usize,
    layers: Vec<Layer<'a>>,
}

/// Points `(x, f(x))` at even steps from `from` to `to`.
pub(crate) fn sample(from: f64, to: f64, count: usize, f: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let step = (to - from) / (count.max(2) - 1) as f64;
    (0..count.max(2)).map(|index| from + index as f64 * step).map(|x| [x, f(x)]).collect()
}

impl<'a> Plot<'a> {
    /// An empty plot. The ranges follow from what is added, unless they are given.
    pub(crate) fn new(x_label: &str, y_label: &str) -> Self {
        Plot {
            x_label: x_label.into(),
            y_label: y_label.into(),
            x_range: None,
            y_range: None,
            log: [false, false],
            equal: false,
            aspect: 0.66,
            cells: 140,
            series: 0,
            layers: Vec::new(),
        }
    }

    /// The ends of the horizontal axis.
    pub(crate) fn x_range(mut self, low: f64, high: f64) -> Self {
        self.x_range = Some((low, high));
        self
    }

    /// The ends of the vertical axis.
    pub(crate) fn y_range(mut self, low: f64, high: f64) -> Self {
        self.y_range = Some((low, high));
        self
    }

    /// A logarithmic horizontal axis.
    pub(crate) fn log_x(mut self) -> Self {
        self.log[0] = true;
        self
    }

    /// A logarithmic vertical axis.
    pub(crate) fn log_y(mut self) -> Self {
        self.log[1] = true;
        self
    }

    /// The same unit on both axes, so that circles are round and right angles right. A range is widened
    /// where the plot would become too high or too flat.
    pub(crate) fn equal_axes(mut self) -> Self {
        self.equal = true;
        self
    }

    /// Height of the plot over its width, 0.66 if not given; without effect on equal axes.
    pub(crate) fn aspect(mut self, aspect: f64) -> Self {
        self.aspect = aspect;
        self
    }

    /// Cells along each axis at which regions, fields and contours ask their functions, 140 if not given.
    pub(crate) fn resolution(mut self, cells: usize) -> Self {
        self.cells = cells.max(2);
        self
    }

    /// Fills the plot by class: `class(x, y)` is an index, or nothing where no class is decided (dotted).
    /// Labels that are given enter the legend.
    pub(crate) fn regions(mut self, labels: &[&str], class: impl Fn(f64, f64) -> Option<usize> + 'a) -> Self {
        let labels = labels.iter().map(ToString::to_string).collect();
        self.layers.push(Layer::Regions { labels, class: Box::new(class) });
        self
    }

    /// Fills the plot by the value of a function, in steps from dark (low) to pale (high), with a scale.
    pub(crate) fn field(mut self, label: &str, value: impl Fn(f64, f64) -> f64 + 'a) -> Self {
        self.layers.push(Layer::Field { label: label.into(), value: Box::new(value), ends: None });
        self
    }

    /// As [`Plot::field`] with given ends of the scale, so that figures can be compared: what lies beyond an end looks like
    /// the end.
    pub(crate) fn field_between(
        mut self,
        label: &str,
        ends: (f64, f64),
        value: impl Fn(f64, f64) -> f64 + 'a,
    ) -> Self {
        self.layers.push(Layer::Field { label: label.into(), value: Box::new(value), ends: Some(ends) });
        self
    }

    /// Contour lines of a function: label, level and stroke of each.
    pub(crate) fn contours(
        mut self,
        value: impl Fn(f64, f64) -> f64 + 'a,
        levels: &[(&str, f64, Stroke)],
    ) -> Self {
        let levels =
            levels.iter().map(|&(label, level, stroke)| (label.to_string(), level, stroke)).collect();
        self.layers.push(Layer::Contours { value: Box::new(value), levels });
        self
    }

    /// The straight line `a·x + b·y + c = 0`, from edge to edge.
    pub(crate) fn line(mut self, label: &str, [a, b, c]: [f64; 3], stroke: Stroke) -> Self {
        self.layers.push(Layer::Straight { label: label.into(), coefficients: [a, b, c], stroke });
        self
    }

    /// A segment between two points.
    pub(crate) fn segment(self, label: &str, from: [f64; 2], to: [f64; 2], stroke: Stroke) -> Self {
        self.curve(label, &[from, to], stroke)
    }

    /// An arrow between two points.
    pub(crate) fn arrow(mut self, label: &str, from: [f64; 2], to: [f64; 2]) -> Self {
        self.layers.push(Layer::Arrow { label: label.into(), from, to });
        self
    }

    /// A curve through points in a stroke of choice. A point that is not finite leaves a gap.
    pub(crate) fn curve(mut self, label: &str, points: &[[f64; 2]], stroke: Stroke) -> Self {
        self.layers.push(Layer::Curve { label: label.into(), points: points.to_vec(), stroke, mark: None });
        self
    }

    /// The next series of a line chart: its tone and dashes follow from how many there are already.
    pub(crate) fn series(self, label: &str, points: &[[f64; 2]]) -> Self {
        self.next_series(label, points, false)
    }

    /// The next series, with a mark at each point.
    pub(crate) fn marked_series(self, label: &str, points: &[[f64; 2]]) -> Self {
        self.next_series(label, points, true)
    }

    fn next_series(mut self, label: &str, points: &[[f64; 2]], marked: bool) -> Self {
        let index = self.series;
        self.series += 1;
        let stroke = Stroke::series(index);
        let mark = marked.then_some(index);
        self.layers.push(Layer::Curve { label: label.into(), points: points.to_vec(), stroke, mark });
        self
    }

    /// The points of a class: the index chooses shape and tone.
    pub(crate) fn points(mut self, label: &str, class: usize, points: &[[f64; 2]]) -> Self {
        self.layers.push(Layer::Points { label: label.into(), class, points: points.to_vec() });
        self
    }

    /// Rings around points that are to be noticed, such as support vectors.
    pub(crate) fn rings(mut self, label: &str, points: &[[f64; 2]]) -> Self {
        self.layers.push(Layer::Rings { label: label.into(), points: points.to_vec() });
        self
    }

    /// A text that begins beside a point.
    pub(crate) fn text(mut self, at: [f64; 2], text: &str) -> Self {
        self.layers.push(Layer::Text { at, text: text.into() });
        self
    }

    /// Draws the figure.
    pub(crate) fn render(&self) -> Drawing {
        let [x, y] = self.axes()?;
        let aspect = if self.equal { y.span() / x.span() } else { self.aspect };
        let mut frame = Frame {
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            x_ticks: x.ticks(6),
            y_ticks: y.ticks(if aspect < 0.5 { 4 } else { 5 }),
            aspect,
            grid: [true, true],
            legend: self.layers.iter().flat_map(Layer::keys).collect(),
            scale: None,
        };
        let mut prepared = Vec::new();
        for layer in &self.layers {
            prepared.push(layer.prepare(x, y, self.cells, &mut frame)?);
        }
        draw(frame.height(), |canvas| {
            frame.draw_ground(canvas)?;
            let sheet = Sheet { frame: &frame, x, y, cells: self.cells };
            for (layer, prepared) in self.layers.iter().zip(&prepared) {
                layer.draw(canvas, &sheet, prepared)?;
            }
            frame.draw_axes(canvas)
        })
    }

    /// The two axes.
    fn axes(&self) -> Result<[Axis; 2], String> {
        let ranges = [self.x_range, self.y_range];
        let mut axes = [Axis::linear(0.0, 1.0); 2];
        for (index, axis) in axes.iter_mut().enumerate() {
            let values = self.layers.iter().flat_map(Layer::extent).map(|point| point[index]);
            *axis = match ranges[index] {
                Some((low, high)) => Axis::between(low, high, self.log[index]),
                None => Axis::around(values, self.log[index], 0.06),
            }
            .map_err(|what| format!("axis '{}': {what}", [&self.x_label, &self.y_label][index]))?;
        }
        if self.equal {
            let [x, y] = &mut axes;
            if x.is_log() || y.is_log() {
                return Err("equal units need two linear axes".into());
            }
            let (highest, flattest) = (1.05, 0.45);
            if y.span() > highest * x.span() {
                *x = x.with_span(y.span() / highest);
            } else if y.span() < flattest * x.span() {
                *y = y.with_span(x.span() * flattest);
            }
        }
        Ok(axes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(plot: &Plot<'_>) -> String {
        plot.render().unwrap_err().to_string()
    }

    #[test]
    fn an_empty_plot_is_an_error() {
        assert_eq!(
            why(&Plot::new("a", "b")),
            "axis 'a': there is nothing to draw: no value is finite, and no range is given"
        );
    }

    #[test]
    fn points_that_are_not_finite_are_named() {
        let plot = Plot::new("a", "b").points("ones", 0, &[[1.0, 1.0], [f64::NAN, 1.0]]);
        assert_eq!(why(&plot), "point 1 of 'ones' is (NaN, 1): not finite");
    }

    #[test]
    fn what_a_logarithmic_axis_cannot_show_is_an_error() {
        let plot = Plot::new("a", "b").log_y().series("s", &[[1.0, 1.0], [2.0, 0.0]]);
        assert_eq!(why(&plot), "axis 'b': a logarithmic axis takes positive values only, not 0");
        let plot = Plot::new("a", "b").log_y().x_range(1.0, 2.0).y_range(1.0, 2.0).line(
            "l",
            [1.0, 1.0, 0.0],
            Stroke::SOLID,
        );
        assert_eq!(why(&plot), "the straight line 'l' needs two linear axes");
    }

    #[test]
    fn a_line_without_a_direction_is_an_error() {
        let plot =
            Plot::new("a", "b").x_range(0.0, 1.0).y_range(0.0, 1.0).line("l", [0.0, 0.0, 1.0], Stroke::SOLID);
        assert_eq!(why(&plot), "(0, 0, 1) are no coefficients of the straight line 'l'");
    }

    #[test]
    fn equal_axes_have_one_unit() {
        let plot = Plot::new("a", "b").equal_axes().points("p", 0, &[[0.0, 0.0], [2.0, 1.5]]);
        let [x, y] = plot.axes().unwrap();
        assert!((y.span() / x.span() - 0.75).abs() < 1e-12);
        let tall = Plot::new("a", "b").equal_axes().points("p", 0, &[[0.0, 0.0], [1.0, 100.0]]);
        let [x, y] = tall.axes().unwrap();
        assert!((y.span() / x.span() - 1.05).abs() < 1e-12);
    }

    #[test]
    fn the_same_plot_is_the_same_text() {
        let plot = || Plot::new("x", "y").series("s", &sample(0.0, 6.0, 50, f64::sin)).render().unwrap();
        assert_eq!(plot(), plot());
    }

    #[test]
    fn labels_of_the_user_are_escaped() {
        let svg = Plot::new("x < 1", "y").points("a & b", 0, &[[0.0, 0.0]]).render().unwrap();
        assert!(svg.contains("x &lt; 1") && svg.contains("a &amp; b"));
    }

    #[test]
    fn a_curve_is_sampled_with_both_ends() {
        assert_eq!(sample(0.0, 1.0, 3, |x| 2.0 * x), [[0.0, 0.0], [0.5, 1.0], [1.0, 2.0]]);
    }
}
