//! Small grey pictures in rows, each with a line of text.

use super::Drawing;
use super::canvas::{Anchor, Canvas, Drawn, WIDTH, draw};
use super::style::{GRID, PAPER, SMALL, Stroke, ramp};

/// Pictures in a row.
const ROW: usize = 9;
/// The room below a picture for its text.
const TEXT_ROOM: f64 = 24.0;
/// The room between pictures.
const GAP: f64 = 10.0;

/// A sheet of pictures, all of the same size.
pub(crate) struct Images {
    width: usize,
    pictures: Vec<(String, Vec<f64>)>,
}

impl Images {
    /// A sheet for pictures of `width` pixels in each row.
    pub(crate) fn new(width: usize) -> Self {
        Self { width, pictures: Vec::new() }
    }

    /// Adds a picture, row by row from the top, pale for 0 and dark for 1.
    pub(crate) fn picture(mut self, text: &str, pixels: &[f64]) -> Self {
        self.pictures.push((text.into(), pixels.to_vec()));
        self
    }

    /// Draws the figure.
    pub(crate) fn render(&self) -> Drawing {
        let size = self.pictures.first().map_or(0, |picture| picture.1.len());
        if self.width == 0 || size == 0 {
            return Err("there is nothing to draw: a sheet needs a picture with a pixel".into());
        }
        for (text, pixels) in &self.pictures {
            if pixels.len() != size || !size.is_multiple_of(self.width) {
                return Err(format!(
                    "'{text}' has {} pixels, which are no rows of {}",
                    pixels.len(),
                    self.width
                )
                .into());
            }
            if let Some(index) = pixels.iter().position(|pixel| !pixel.is_finite()) {
                return Err(format!("pixel {index} of '{text}' is {}: not finite", pixels[index]).into());
            }
        }
        let side = (WIDTH - GAP) / ROW as f64 - GAP;
        let high = side * (size / self.width) as f64 / self.width as f64;
        let rows = self.pictures.len().div_ceil(ROW) as f64;
        let height = GAP + rows * (high + TEXT_ROOM + GAP / 2.0);
        draw(height, |canvas| {
            canvas.rectangle([0.0, 0.0], [WIDTH, height], PAPER)?;
            for (index, (text, pixels)) in self.pictures.iter().enumerate() {
                let left = GAP + (index % ROW) as f64 * (side + GAP);
                let top = GAP + (index / ROW) as f64 * (high + TEXT_ROOM + GAP / 2.0);
                self.draw_picture(canvas, pixels, [left, top], side / self.width as f64)?;
                canvas.outline(
                    [left, top],
                    [left + side, top + high],
                    Stroke { tone: GRID, width: 1.0, dashes: &[] },
                )?;
                let middle = [left + side / 2.0, top + high + TEXT_ROOM / 2.0];
                canvas.text(text, middle, SMALL, Anchor::Middle)?;
            }
            Ok(())
        })
    }

    fn draw_picture(&self, canvas: &mut Canvas<'_>, pixels: &[f64], from: [f64; 2], step: f64) -> Drawn {
        for (index, &pixel) in pixels.iter().enumerate() {
            // Paper is not drawn.
            if pixel <= 0.0 {
                continue;
            }
            let x = from[0] + (index % self.width) as f64 * step;
            let y = from[1] + (index / self.width) as f64 * step;
            // A hair over the neighbours, so that no seam shows.
            canvas.rectangle([x, y], [x + step + 0.25, y + step + 0.25], ramp(pixel))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dark_pixel_is_drawn_and_every_text_told() {
        let svg = Images::new(2)
            .picture("3 for 8", &[0.0, 1.0, 0.5, 0.0])
            .picture("1 for 7", &[1.0, 0.0, 0.0, 0.0])
            .render()
            .unwrap();
        // The ground and three pixels.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains("3 for 8") && svg.contains("1 for 7"));
    }

    #[test]
    fn wrong_pictures_are_told_apart() {
        let why = |images: Images| images.render().unwrap_err().to_string();
        assert!(why(Images::new(8)).contains("nothing to draw"));
        assert_eq!(why(Images::new(2).picture("a", &[0.0; 3])), "'a' has 3 pixels, which are no rows of 2");
        assert_eq!(why(Images::new(1).picture("a", &[f64::NAN])), "pixel 0 of 'a' is NaN: not finite");
    }
}
