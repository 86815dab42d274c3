//! Cutting lines at the edges of the plot.

use super::canvas::Point;

/// The parts of a line that lie in the rectangle between two corners. A point that is not finite ends a part.
pub(super) fn clip_line(points: &[Point], from: Point, to: Point) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    let mut part: Vec<Point> = Vec::new();
    for pair in points.windows(2) {
        let Some((start, end)) = clip_segment(pair[0], pair[1], from, to) else {
            parts.extend(Some(std::mem::take(&mut part)).filter(|part| part.len() > 1));
            continue;
        };
        if part.last() != Some(&start) {
            parts.extend(Some(std::mem::take(&mut part)).filter(|part| part.len() > 1));
            part.push(start);
        }
        part.push(end);
    }
    parts.extend(Some(part).filter(|part| part.len() > 1));
    parts
}

/// The part of a segment in the rectangle, by narrowing the range of its parameter edge by edge.
fn clip_segment(a: Point, b: Point, from: Point, to: Point) -> Option<(Point, Point)> {
    if !a.iter().chain(&b).all(|value| value.is_finite()) {
        return None;
    }
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let step = b[axis] - a[axis];
        for (distance, step) in [(a[axis] - from[axis], -step), (to[axis] - a[axis], step)] {
            // Inside this edge means: t · step ≤ distance.
            if step == 0.0 {
                if distance < 0.0 {
                    return None;
                }
            } else if step > 0.0 {
                high = high.min(distance / step);
            } else {
                low = low.max(distance / step);
            }
        }
    }
    let point = |t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
    // The ends themselves are kept to the bit, so that parts join.
    let start = if low == 0.0 { a } else { point(low) };
    let end = if high == 1.0 { b } else { point(high) };
    (low <= high).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: Point = [0.0, 0.0];
    const TO: Point = [10.0, 10.0];

    #[test]
    fn a_line_inside_stays_whole() {
        let line = [[1.0, 1.0], [5.0, 5.0], [9.0, 1.0]];
        assert_eq!(clip_line(&line, FROM, TO), vec![line.to_vec()]);
    }

    #[test]
    fn a_line_that_leaves_and_comes_back_has_two_parts() {
        let line = [[5.0, 5.0], [5.0, 15.0], [8.0, 15.0], [8.0, 5.0]];
        let parts = vec![vec![[5.0, 5.0], [5.0, 10.0]], vec![[8.0, 10.0], [8.0, 5.0]]];
        assert_eq!(clip_line(&line, FROM, TO), parts);
    }

    #[test]
    fn a_line_across_is_cut_at_both_edges_and_one_outside_is_gone() {
        assert_eq!(clip_line(&[[-10.0, 5.0], [20.0, 5.0]], FROM, TO), vec![vec![[0.0, 5.0], [10.0, 5.0]]]);
        assert!(clip_line(&[[-1.0, -5.0], [20.0, -5.0]], FROM, TO).is_empty());
        assert!(clip_line(&[[-5.0, 5.0], [5.0, 16.0]], FROM, TO).is_empty());
    }

    #[test]
    fn a_gap_ends_a_part() {
        let line = [[1.0, 1.0], [2.0, 1.0], [f64::NAN, 1.0], [4.0, 1.0], [5.0, 1.0]];
        assert_eq!(clip_line(&line, FROM, TO).len(), 2);
    }
}
