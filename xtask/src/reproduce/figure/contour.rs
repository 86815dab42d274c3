//! Contour lines of a function known on a grid.
//!
//! # Problem
//! ```text
//! given v(i, j) on a grid of points,   find the lines where the function through them equals a level
//! ```
//! # Method
//! Marching squares: each cell whose corners lie on both sides of the level is crossed by one or two
//! segments, between the points of its edges at which linear interpolation meets the level. In a saddle cell
//! the mean of the corners decides which corners are joined. Segments that share an edge are joined to lines.
//! # Cost
//! `O(cells + s log s)` for `s` segments.
//! # Reference
//! The case in two dimensions of Lorensen & Cline (1987), Marching cubes.

use std::collections::BTreeMap;

/// Values on a grid of points, row by row.
pub(super) struct Grid {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) values: Vec<f64>,
}

/// An edge of the grid: its lower end, and whether it goes along a column.
type Edge = (usize, usize, bool);

impl Grid {
    /// Evaluates a function of column and row on a grid.
    pub(super) fn new(columns: usize, rows: usize, value: impl Fn(usize, usize) -> f64) -> Grid {
        let points = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        Grid { columns, rows, values: points.map(|(column, row)| value(column, row)).collect() }
    }

    fn at(&self, column: usize, row: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    /// The lines at a level, in units of columns and rows. A closed line ends where it begins. Cells with a
    /// corner that is not finite have no line.
    pub(super) fn contour(&self, level: f64) -> Vec<Vec<[f64; 2]>> {
        let mut segments = Vec::new();
        for row in 0..self.rows.saturating_sub(1) {
            for column in 0..self.columns.saturating_sub(1) {
                self.cell(column, row, level, &mut segments);
            }
        }
        let chains = join(&segments);
        chains
            .into_iter()
            .map(|chain| chain.into_iter().map(|edge| self.crossing(edge, level)).collect())
            .collect()
    }

    /// The segments of one cell, as pairs of edges.
    fn cell(&self, column: usize, row: usize, level: f64, segments: &mut Vec<[Edge; 2]>) {
        let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(dx, dy)| self.at(column + dx, row + dy));
        if !corners.iter().all(|value| value.is_finite()) {
            return;
        }
        let above = corners.map(|value| value >= level);
        // Edge k lies between the corners k and k + 1.
        let edges =
            [(column, row, false), (column + 1, row, true), (column, row + 1, false), (column, row, true)];
        let crossed: Vec<_> = (0..4).filter(|&k| above[k] != above[(k + 1) % 4]).collect();
        match crossed[..] {
            [a, b] => segments.push([edges[a], edges[b]]),
            [_, _, _, _] => {
                // A saddle: if the middle is on the side of corner 0, the corners 1 and 3 are cut off.
                let middle = corners.iter().sum::<f64>() / 4.0 >= level;
                let pairs = if middle == above[0] { [[0, 1], [2, 3]] } else { [[3, 0], [1, 2]] };
                segments.extend(pairs.map(|[a, b]| [edges[a], edges[b]]));
            }
            _ => {}
        }
    }

    /// Where the level crosses an edge.
    fn crossing(&self, (column, row, upward): Edge, level: f64) -> [f64; 2] {
        let a = self.at(column, row);
        let b = if upward { self.at(column, row + 1) } else { self.at(column + 1, row) };
        let share = ((level - a) / (b - a)).clamp(0.0, 1.0);
        let (x, y) = (column as f64, row as f64);
        if upward { [x, y + share] } else { [x + share, y] }
    }
}

/// Joins segments that share an edge to chains: open ones first, then closed ones.
fn join(segments: &[[Edge; 2]]) -> Vec<Vec<Edge>> {
    let mut touching: BTreeMap<Edge, Vec<usize>> = BTreeMap::new();
    for (index, ends) in segments.iter().enumerate() {
        for end in ends {
            touching.entry(*end).or_default().push(index);
        }
    }
    let mut used = vec![false; segments.len()];
    let mut chains = Vec::new();
    let open = touching.iter().filter(|(_, list)| list.len() == 1);
    for start in open.chain(&touching).map(|(edge, _)| *edge) {
        let mut chain = vec![start];
        let mut end = start;
        while let Some(&next) = touching[&end].iter().find(|&&index| !used[index]) {
            used[next] = true;
            let [a, b] = segments[next];
            end = if a == end { b } else { a };
            chain.push(end);
        }
        if chain.len() > 1 {
            chains.push(chain);
        }
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_one_closed_line_of_the_right_radius() {
        let grid = Grid::new(41, 41, |i, j| ((i as f64 - 20.0).powi(2) + (j as f64 - 20.0).powi(2)).sqrt());
        let lines = grid.contour(12.5);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        for [x, y] in &lines[0] {
            let radius = (x - 20.0).hypot(y - 20.0);
            assert!((radius - 12.5).abs() < 0.02, "{radius}");
        }
    }

    #[test]
    fn a_plane_is_crossed_by_one_straight_line() {
        let grid = Grid::new(11, 6, |i, j| i as f64 + 2.0 * j as f64);
        let lines = grid.contour(7.3);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].iter().all(|[x, y]| (x + 2.0 * y - 7.3).abs() < 1e-12));
    }

    #[test]
    fn a_saddle_joins_the_corners_that_its_middle_belongs_to() {
        let saddle = |middle: f64| Grid { columns: 2, rows: 2, values: vec![1.0, -1.0, -1.0, 1.0 + middle] };
        // Middle above: each line cuts off a low corner, (1, 0) or (0, 1).
        for line in saddle(1.0).contour(0.0) {
            let sum: f64 = line.iter().map(|[x, y]| x - y).sum();
            assert!(sum.abs() > 0.5, "{line:?} cuts off a high corner");
        }
        // Middle below: each line cuts off a high corner, (0, 0) or (1, 1).
        for line in saddle(-0.5).contour(0.0) {
            let sum: f64 = line.iter().map(|[x, y]| x + y - 1.0).sum();
            assert!(sum.abs() > 0.5, "{line:?} cuts off a low corner");
        }
    }

    #[test]
    fn a_level_that_is_not_met_and_broken_cells_have_no_line() {
        assert!(Grid::new(5, 5, |_, _| 1.0).contour(2.0).is_empty());
        assert!(Grid::new(2, 2, |i, j| if i + j == 0 { f64::NAN } else { 1.0 }).contour(0.5).is_empty());
    }
}
