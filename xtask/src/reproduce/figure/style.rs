//! The look of the figures: tones, strokes, shapes and sizes.
//!
//! Tones differ in lightness as well as in hue, and no meaning is carried by a tone alone: series differ by
//! dashes, classes by the shape of their marks.

/// A colour of the palette.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tone(pub(super) u8, pub(super) u8, pub(super) u8);

/// Axes, main lines and text.
pub(super) const INK: Tone = Tone(0x22, 0x22, 0x22);
/// Ticks and what stands back.
pub(super) const QUIET: Tone = Tone(0x5c, 0x5c, 0x5c);
/// The grid.
pub(super) const GRID: Tone = Tone(0xe4, 0xe4, 0xe2);
/// The ground.
pub(super) const PAPER: Tone = Tone(0xff, 0xff, 0xff);

/// The tone of series and class `index`.
pub(super) fn tone(index: usize) -> Tone {
    const TONES: [Tone; 5] = [
        Tone(0x1f, 0x3b, 0x63),
        Tone(0xbf, 0x67, 0x22),
        Tone(0x2f, 0x7f, 0x6f),
        Tone(0x84, 0x54, 0x98),
        Tone(0x6b, 0x6b, 0x2a),
    ];
    TONES[index % TONES.len()]
}

/// The pale tone of the region of class `index`.
pub(super) fn wash(index: usize) -> Tone {
    const WASHES: [Tone; 5] = [
        Tone(0xb9, 0xca, 0xdf),
        Tone(0xfd, 0xf3, 0xe6),
        Tone(0xd6, 0xec, 0xe1),
        Tone(0xc6, 0xb4, 0xd0),
        Tone(0xdc, 0xd8, 0xb0),
    ];
    WASHES[index % WASHES.len()]
}

/// The tone of a share from 0 (pale) to 1 (dark): lightness falls all the way, so grey shows the order.
pub(super) fn ramp(share: f64) -> Tone {
    const STOPS: [Tone; 4] =
        [Tone(0xf8, 0xf4, 0xea), Tone(0xc5, 0xd3, 0xd6), Tone(0x6f, 0x93, 0xa8), Tone(0x1f, 0x3b, 0x63)];
    let place = share.clamp(0.0, 1.0) * 3.0;
    let index = (place as usize).min(2);
    mix(STOPS[index], STOPS[index + 1], place - index as f64)
}

/// The pale tones that the steps of a field take: dark lines and marks stay readable on them.
pub(super) fn field_tone(share: f64) -> Tone {
    mix(Tone(0xb3, 0xc3, 0xd8), Tone(0xfd, 0xf6, 0xe9), share.clamp(0.0, 1.0))
}

/// A mixture of two tones.
fn mix(a: Tone, b: Tone, share: f64) -> Tone {
    let channel = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    Tone(channel(a.0, b.0), channel(a.1, b.1), channel(a.2, b.2))
}

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    Disc,
    OpenSquare,
    Triangle,
    OpenDiamond,
    Cross,
}

/// The shape of class `index`.
pub(super) fn shape(index: usize) -> Shape {
    const SHAPES: [Shape; 5] =
        [Shape::Disc, Shape::OpenSquare, Shape::Triangle, Shape::OpenDiamond, Shape::Cross];
    SHAPES[index % SHAPES.len()]
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(super) tone: Tone,
    pub(super) width: f64,
    /// Lengths of ink and gap in turn; empty for a solid line.
    pub(super) dashes: &'static [f64],
}

impl Stroke {
    /// A solid dark line.
    pub(crate) const SOLID: Stroke = Stroke { tone: INK, width: 1.8, dashes: &[] };
    /// A dashed dark line.
    pub(crate) const DASHED: Stroke = Stroke { tone: INK, width: 1.4, dashes: &[7.0, 4.0] };
    /// A dotted dark line.
    pub(crate) const DOTTED: Stroke = Stroke { tone: INK, width: 1.6, dashes: &[1.6, 3.4] };
    /// A thin grey line for help.
    pub(crate) const THIN: Stroke = Stroke { tone: QUIET, width: 0.9, dashes: &[] };

    /// The line of series `index`: its own tone and dashes.
    pub(crate) fn series(index: usize) -> Stroke {
        const DASHES: [&[f64]; 5] = [&[], &[8.0, 4.0], &[2.0, 3.5], &[9.0, 3.5, 2.0, 3.5], &[14.0, 4.0]];
        Stroke { tone: tone(index), width: 1.8, dashes: DASHES[index % DASHES.len()] }
    }
}

/// The size of text at the axes.
pub(super) const TEXT: f64 = 16.0;
/// The size of small text.
pub(super) const SMALL: f64 = 14.5;
/// The radius of a mark.
pub(super) const MARK: f64 = 3.8;

/// About how wide a text is: the real font is known only where the figure is shown.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(tone: Tone) -> f64 {
        0.2126 * f64::from(tone.0) + 0.7152 * f64::from(tone.1) + 0.0722 * f64::from(tone.2)
    }

    #[test]
    fn the_ramps_are_monotone_in_grey() {
        for step in 0..100 {
            let (a, b) = (f64::from(step) / 100.0, f64::from(step + 1) / 100.0);
            assert!(lightness(ramp(a)) >= lightness(ramp(b)), "ramp at {a}");
            assert!(lightness(field_tone(a)) <= lightness(field_tone(b)), "field at {a}");
        }
    }

    #[test]
    fn regions_differ_in_grey() {
        for a in 0..5 {
            for b in 0..a {
                let difference = (lightness(wash(a)) - lightness(wash(b))).abs();
                assert!(difference > 12.0, "{a} and {b} differ by {difference}");
            }
        }
        assert!((lightness(tone(0)) - lightness(tone(1))).abs() > 40.0);
    }

    #[test]
    fn five_classes_have_five_shapes() {
        for a in 0..5 {
            for b in 0..a {
                assert_ne!(shape(a), shape(b));
                assert_ne!(Stroke::series(a).dashes, Stroke::series(b).dashes);
            }
        }
        assert_eq!(shape(5), shape(0));
    }
}
