//! Figures in one quiet style: SVG that scales, with labelled axes, readable in grey.
//!
//! [`Plot`] draws points, lines, curves, regions and contours on two numeric axes, linear or logarithmic;
//! [`Bars`] draws groups of bars, [`Histogram`] a distribution, [`HeatMap`] a table of values, [`Images`] small pictures. Each is built
//! by naming what is to be seen and ends in `render`, which gives the text of the SVG, or says what cannot be
//! drawn: nothing in it, a value that is not finite, a logarithm of what is not positive.
//!
//! ```text
//! let svg = Plot::new("x₁", "x₂")
//!     .equal_axes()
//!     .regions(&["class −1", "class +1"], |x, y| Some(usize::from(f(x, y) >= 0.0)))
//!     .contours(f, &[("boundary", 0.0, Stroke::SOLID), ("margin", 1.0, Stroke::DASHED)])
//!     .points("class −1", 0, &negative)
//!     .points("class +1", 1, &positive)
//!     .rings("support vectors", &support)
//!     .render()?;
//! ```
//!
//! Layers lie in the order of the calls. Class and series numbers choose tone and shape (0 to 4, then again
//! from 0); an empty label keeps a layer out of the legend.

#![allow(dead_code, reason = "the vocabulary of the entries: an entry takes the figures that it needs")]

mod axis;
mod bars;
mod canvas;
mod clip;
mod contour;
mod frame;
mod heat;
mod histogram;
mod images;
mod layer;
mod plot;
mod region;
#[cfg(test)]
mod specimen;
mod style;

#[allow(
    unused_imports,
    reason = "the vocabulary of the entries: an entry takes the figures that it needs"
)]
pub(crate) use self::{
    bars::Bars,
    heat::HeatMap,
    histogram::Histogram,
    images::Images,
    plot::{Plot, sample},
    style::Stroke,
};

/// The text of an SVG, or why it cannot be drawn.
pub(crate) type Drawing = Result<String, Box<dyn std::error::Error>>;
