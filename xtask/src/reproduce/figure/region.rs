//! Filled regions of a function that gives each point a class.
//!
//! The plot is cut into rows. In each row the class is asked for at even steps, and where it changes, the
//! place of the change is found by halving: boundaries are smooth without a fine grid. Rectangles that go on
//! in the next row are joined, so that the picture stays small.

/// A rectangle of one class, in places from 0 to 1 (rows counted from the top).
#[derive(Debug, PartialEq)]
pub(super) struct Patch {
    pub(super) class: Option<usize>,
    pub(super) left: f64,
    pub(super) right: f64,
    /// First row and the row after the last.
    pub(super) rows: (usize, usize),
}

/// Places are told apart down to this width: less than a unit of the canvas.
const FINEST: f64 = 1.0 / 4096.0;

/// The patches of a function on the unit square, `class(x, y)` with `y` from the bottom.
pub(super) fn patches(cells: usize, class: &dyn Fn(f64, f64) -> Option<usize>) -> Vec<Patch> {
    let mut done: Vec<Patch> = Vec::new();
    let mut open: Vec<Patch> = Vec::new();
    for row in 0..cells {
        let y = 1.0 - (row as f64 + 0.5) / cells as f64;
        let mut next: Vec<Patch> = Vec::new();
        for (class, left, right) in runs(cells, &|x| class(x, y)) {
            let same = |patch: &Patch| {
                patch.class == class
                    && (patch.left - left).abs() < FINEST
                    && (patch.right - right).abs() < FINEST
            };
            match open.iter().position(same) {
                Some(index) => {
                    let mut patch = open.swap_remove(index);
                    patch.rows.1 = row + 1;
                    next.push(patch);
                }
                None => next.push(Patch { class, left, right, rows: (row, row + 1) }),
            }
        }
        done.append(&mut open);
        open = next;
    }
    done.append(&mut open);
    done
}

/// Runs of one class from 0 to 1.
fn runs(cells: usize, class: &dyn Fn(f64) -> Option<usize>) -> Vec<(Option<usize>, f64, f64)> {
    let middle = |cell: usize| (cell as f64 + 0.5) / cells as f64;
    let mut runs = Vec::new();
    let (mut start, mut current) = (0.0, class(middle(0)));
    for cell in 1..cells {
        let next = class(middle(cell));
        if next != current {
            let (mut low, mut high) = (middle(cell - 1), middle(cell));
            while high - low > FINEST / 2.0 {
                let between = f64::midpoint(low, high);
                if class(between) == current {
                    low = between;
                } else {
                    high = between;
                }
            }
            runs.push((current, start, high));
            (start, current) = (high, next);
        }
    }
    runs.push((current, start, 1.0));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_found_between_the_cells() {
        let runs = runs(10, &|x| Some(usize::from(x > 0.237)));
        assert_eq!(runs.len(), 2);
        assert!((runs[0].2 - 0.237).abs() < FINEST && runs[0].2 == runs[1].1 && runs[1].2 == 1.0);
    }

    #[test]
    fn a_vertical_boundary_is_two_patches() {
        let patches = patches(20, &|x, _| if x < 0.5 { Some(0) } else { None });
        assert_eq!(patches.len(), 2);
        assert!(patches.iter().all(|patch| patch.rows == (0, 20)));
    }

    #[test]
    fn the_patches_cover_the_square_once() {
        let patches = patches(32, &|x, y| Some(usize::from(x * x + y * y < 0.5)));
        let area = |class: usize| -> f64 {
            let of_class = patches.iter().filter(|patch| patch.class == Some(class));
            of_class.map(|p| (p.right - p.left) * (p.rows.1 - p.rows.0) as f64 / 32.0).sum()
        };
        assert!((area(0) + area(1) - 1.0).abs() < 1e-12);
        let quarter = 0.5 * std::f64::consts::FRAC_PI_4;
        assert!((area(1) - quarter).abs() < 2e-3, "{} for {quarter}", area(1));
    }
}
