//! Pictures as SVG text: maps of a grid, and decision regions.

use std::fmt::Write;

/// A picture under way.
pub(crate) struct Svg {
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let mut picture = Self { body: String::new(), width, height };
        picture.rectangle((0.0, 0.0), (width, height), "#ffffff");
        picture
    }

    pub(crate) fn rectangle(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), colour: &str) {
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"{colour}\"/>"
        );
    }

    pub(crate) fn circle(&mut self, (x, y): (f64, f64), radius: f64, colour: &str) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"0.6\"/>"
        );
    }

    pub(crate) fn line(&mut self, (x, y): (f64, f64), (u, v): (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{x:.2}\" y1=\"{y:.2}\" x2=\"{u:.2}\" y2=\"{v:.2}\" stroke=\"#333333\"/>"
        );
    }

    /// Text at a point: `anchor` is start, middle or end.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), anchor: &str, size: f64, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{text}</text>"
        );
    }

    pub(crate) fn finish(self) -> String {
        let Self { body, width, height } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" fill=\"#222222\">\n{body}</svg>\n"
        )
    }
}

/// A colour between dark blue (0) and yellow (1), as bright as the value is high.
pub(crate) fn ramp(share: f64) -> String {
    const STOPS: [[f64; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    // Written so that NaN is dark.
    let place = if share > 0.0 { share.min(1.0) * 4.0 } else { 0.0 };
    let low = (place.floor() as usize).min(3);
    let between = |k: usize| STOPS[low][k] + (place - low as f64) * (STOPS[low + 1][k] - STOPS[low][k]);
    format!("#{:02x}{:02x}{:02x}", between(0) as u8, between(1) as u8, between(2) as u8)
}

/// The value of a cell with its words, if it is known.
type CellValue<'a> = dyn Fn(usize, usize) -> Option<(f64, String)> + 'a;

/// A map of a grid: columns over one setting, rows over another. Better is brighter, which is smaller where `down`.
pub(crate) fn heat_map(
    title: &str,
    (across_name, across): (&str, &[f64]),
    up: Option<(&str, &[f64])>,
    down: bool,
    value: &CellValue<'_>,
) -> String {
    const CELL: (f64, f64) = (84.0, 34.0);
    let rows = up.map_or(1, |(_, values)| values.len());
    let (left, top) = (110.0, 60.0);
    let mut picture = Svg::new(left + CELL.0 * across.len() as f64 + 20.0, top + CELL.1 * rows as f64 + 60.0);
    picture.text((left, 30.0), "start", 15.0, title);
    let known = (0..across.len()).flat_map(|i| (0..rows).map(move |j| (i, j)));
    let values: Vec<f64> = known.filter_map(|(i, j)| value(i, j).map(|(own, _)| own)).collect();
    let (least, most) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
    for i in 0..across.len() {
        for j in 0..rows {
            let corner = (left + CELL.0 * i as f64, top + CELL.1 * (rows - 1 - j) as f64);
            let Some((own, words)) = value(i, j) else {
                picture.rectangle(corner, CELL, "#dddddd");
                continue;
            };
            let share = if most > least { (own - least) / (most - least) } else { 1.0 };
            let share = if down { 1.0 - share } else { share };
            picture.rectangle(corner, CELL, &ramp(share));
            let (x, y) = (corner.0 + CELL.0 / 2.0, corner.1 + CELL.1 / 2.0 + 4.0);
            let plate = (corner.0 + 6.0, corner.1 + 9.0);
            picture.rectangle(plate, (CELL.0 - 12.0, CELL.1 - 18.0), "#ffffffcc");
            picture.text((x, y), "middle", 11.0, &words);
        }
    }
    let power = |value: f64| format!("2^{}", value.log2().round());
    for (i, &own) in across.iter().enumerate() {
        let x = left + CELL.0 * (i as f64 + 0.5);
        picture.text((x, top + CELL.1 * rows as f64 + 18.0), "middle", 11.0, &power(own));
    }
    let middle = left + CELL.0 * across.len() as f64 / 2.0;
    picture.text((middle, top + CELL.1 * rows as f64 + 42.0), "middle", 13.0, across_name);
    if let Some((name, values)) = up {
        for (j, &own) in values.iter().enumerate() {
            let y = top + CELL.1 * ((rows - 1 - j) as f64 + 0.5) + 4.0;
            picture.text((left - 8.0, y), "end", 11.0, &power(own));
        }
        picture.text((left - 60.0, top + CELL.1 * rows as f64 / 2.0), "middle", 13.0, name);
    }
    picture.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_runs_from_dark_to_bright() {
        assert_eq!(ramp(0.0), "#440154");
        assert_eq!(ramp(1.0), "#fde725");
        assert_eq!(ramp(f64::NAN), ramp(0.0));
        assert_eq!(ramp(7.0), ramp(1.0));
    }

    #[test]
    fn a_map_has_a_cell_for_each_place_and_escapes_its_title() {
        let value = |i: usize, j: usize| (i != 1 || j != 1).then(|| ((i + j) as f64, format!("{}", i + j)));
        let map = heat_map("a < b", ("c", &[1.0, 2.0]), Some(("gamma", &[0.5, 1.0])), false, &value);
        assert!(map.contains("a &lt; b"));
        assert_eq!(map.matches("#dddddd").count(), 1);
        assert!(map.contains("2^-1") && map.trim_end().ends_with("</svg>"));
    }
}
