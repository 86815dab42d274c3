//! Filled regions of a function that gives each point a class.
//!
//! The plot is cut by horizontal lines. On each line the class is asked for at even steps, and where it
//! changes, the place of the change is found by halving. Lines with the same classes in the same order are
//! joined to a band; between lines that differ, more lines are put until the change is found closely enough.
//! Boundaries are therefore smooth without a fine grid, and the picture stays small.

/// The region of one class in a band, from its left boundary to a little beyond its right one.
///
/// Patches overlap on purpose: drawn in order, each covers what its predecessor has too much, and no seam of
/// the ground shows between them.
#[derive(Debug, PartialEq)]
pub(super) struct Patch {
    pub(super) class: Option<usize>,
    /// Corners in places from 0 to 1, from the left and from the bottom.
    pub(super) corners: Vec<[f64; 2]>,
}

/// Runs of one class along a line: the class, and where it begins.
type Runs = Vec<(Option<usize>, f64)>;

/// A line: its height, and its runs.
type Line = (f64, Runs);

/// A function that gives each point of the unit square a class.
type Class<'a> = &'a dyn Fn(f64, f64) -> Option<usize>;

/// Places are told apart down to this width: less than a unit of the canvas.
const FINEST: f64 = 1.0 / 4096.0;

/// How far a band reaches into the next: about a unit of length of the figure.
const OVERLAP: f64 = 1.0 / 512.0;

/// How often the room between two lines that differ is halved, where there is not too much to draw.
const HALVINGS: usize = 4;

/// About as many patches as lines that differ may take: more would make a picture of hundreds of kilobytes.
const MOST: usize = 4000;

/// The patches of a function, in the order in which they must be drawn.
pub(super) fn patches(cells: usize, class: Class<'_>) -> Vec<Patch> {
    let line = |row: usize| {
        let y = 1.0 - row as f64 / cells as f64;
        (y, runs(cells, &|x| class(x, y)))
    };
    let coarse: Vec<Line> = (0..=cells).map(line).collect();
    let differing = coarse.windows(2).filter(|two| !same(&two[0].1, &two[1].1));
    let busy: usize = differing.map(|two| two[1].1.len()).sum();
    let halvings = (0..=HALVINGS).rev().find(|halvings| busy << halvings <= MOST).unwrap_or(0);
    let mut lines: Vec<Line> = Vec::new();
    for line in coarse {
        if lines.is_empty() {
            lines.push(line);
        } else {
            refine(cells, class, line, halvings, &mut lines);
        }
    }
    let mut patches = Vec::new();
    let mut top = 1.0;
    for band in lines.chunk_by(|a, b| same(&a.1, &b.1)) {
        top = band_patches(band, top, &mut patches);
    }
    patches
}

/// Whether two lines have the same classes in the same order.
fn same(a: &Runs, b: &Runs) -> bool {
    a.iter().map(|run| run.0).eq(b.iter().map(|run| run.0))
}

/// Adds a line below the last one, with lines between them if they differ.
fn refine(cells: usize, class: Class<'_>, next: Line, halvings: usize, lines: &mut Vec<Line>) {
    let Some((y, last)) = lines.last() else { return };
    if halvings > 0 && !same(last, &next.1) {
        let y = f64::midpoint(*y, next.0);
        let between = (y, runs(cells, &|x| class(x, y)));
        refine(cells, class, between, halvings - 1, lines);
        refine(cells, class, next, halvings - 1, lines);
    } else {
        lines.push(next);
    }
}

/// The patches of a band that begins at `top`: where the band above has ended. The answer is its own end.
fn band_patches(band: &[Line], top: f64, patches: &mut Vec<Patch>) -> f64 {
    let (Some(first), Some(last)) = (band.first(), band.last()) else { return top };
    // Into the next band, which covers it: the seam between two bands would show the ground.
    let bottom = (last.0 - OVERLAP).max(0.0);
    for (index, &(class, _)) in first.1.iter().enumerate() {
        let left = |line: &Line| line.1[index].1;
        let right = |line: &Line| line.1.get(index + 1).map_or(1.0, |run| (run.1 + OVERLAP).min(1.0));
        let mut corners = side(band, top, bottom, &left);
        let mut back = side(band, top, bottom, &right);
        back.reverse();
        corners.extend(back);
        corners.dedup();
        patches.push(Patch { class, corners });
    }
    last.0
}

/// One boundary of a run through a band, from its top to its bottom.
fn side(band: &[Line], top: f64, bottom: f64, place: &dyn Fn(&Line) -> f64) -> Vec<[f64; 2]> {
    let (Some(first), Some(last)) = (band.first(), band.last()) else { return Vec::new() };
    let mut points = vec![[place(first), top]];
    for (at, line) in band.iter().enumerate() {
        let (before, after) = (&band[at.saturating_sub(1)], &band[(at + 1).min(band.len() - 1)]);
        // A line that neither neighbour bends away from adds nothing.
        if at == 0 || place(before) != place(line) || place(after) != place(line) {
            points.push([place(line), line.0]);
        }
    }
    points.push([place(last), bottom]);
    points
}

/// Runs of one class from 0 to 1.
fn runs(cells: usize, class: &dyn Fn(f64) -> Option<usize>) -> Runs {
    let place = |step: usize| step as f64 / cells as f64;
    let mut runs = vec![(class(0.0), 0.0)];
    let mut current = runs[0].0;
    for step in 1..=cells {
        let next = class(place(step));
        if next != current {
            let (mut low, mut high) = (place(step - 1), place(step));
            while high - low > FINEST / 2.0 {
                let between = f64::midpoint(low, high);
                if class(between) == current {
                    low = between;
                } else {
                    high = between;
                }
            }
            runs.push((next, high));
            current = next;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paints the patches in order and asks for the class at a point.
    fn painted(patches: &[Patch], [x, y]: [f64; 2]) -> Option<Option<usize>> {
        let inside = |patch: &&Patch| {
            let corners = &patch.corners;
            let crosses = |k: usize| {
                let ([ax, ay], [bx, by]) = (corners[k], corners[(k + 1) % corners.len()]);
                (ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax)
            };
            (0..corners.len()).filter(|&k| crosses(k)).count() % 2 == 1
        };
        patches.iter().rev().find(inside).map(|patch| patch.class)
    }

    /// The share of points of a lattice that are painted in another class than they have.
    fn wrong(cells: usize, class: Class<'_>) -> f64 {
        let patches = patches(cells, class);
        let place = |index: usize| (index as f64 + 0.5) / 200.0;
        let points = (0..40_000).map(|index| [place(index % 200), place(index / 200)]);
        points.filter(|&[x, y]| painted(&patches, [x, y]) != Some(class(x, y))).count() as f64 / 40_000.0
    }

    #[test]
    fn a_change_is_found_between_the_steps() {
        let runs = runs(10, &|x| Some(usize::from(x > 0.237)));
        assert_eq!(runs.len(), 2);
        assert!((runs[1].1 - 0.237).abs() < FINEST, "{runs:?}");
    }

    #[test]
    fn a_vertical_boundary_is_two_small_patches() {
        let patches = patches(20, &|x, _| if x < 0.5 { Some(0) } else { None });
        assert_eq!(patches.iter().map(|patch| patch.class).collect::<Vec<_>>(), [Some(0), None]);
        assert!(patches.iter().all(|patch| patch.corners.len() <= 6), "{patches:?}");
    }

    #[test]
    fn few_points_are_painted_wrong() {
        let disc = |x: f64, y: f64| Some(usize::from((x - 0.5).hypot(y - 0.4) < 0.3));
        assert!(wrong(40, &disc) < 2e-3, "disc: {}", wrong(40, &disc));
        let level = |_: f64, y: f64| Some(usize::from(y > 0.42));
        assert_eq!(wrong(40, &level), 0.0);
        let three = |x: f64, y: f64| match (x + 0.1 * y > 0.4, y > x * x) {
            (true, true) => Some(2),
            (true, false) => None,
            (false, _) => Some(0),
        };
        assert!(wrong(40, &three) < 5e-3, "three: {}", wrong(40, &three));
    }
}
