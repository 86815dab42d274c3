//! Kernels on graphs with labelled vertices.

mod weisfeiler_lehman;

pub use weisfeiler_lehman::{WeisfeilerLehman, WeisfeilerLehmanEmbedding};

use crate::{Error, Result};

/// An undirected graph whose vertices carry integer labels. There are no loops and no double edges.
///
/// Labels must mean the same in all graphs that are compared: atoms by their number, say. Without labels of your own,
/// give every vertex the same one.
///
/// ```
/// use lm_core::kernel::graph::Graph;
///
/// let water = Graph::new(vec![1, 8, 1], &[(0, 1), (1, 2)])?;
/// assert_eq!(water.neighbours(1), Some(&[0, 2][..]));
/// assert_eq!(water.edges(), 2);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts", into = "Parts"))]
pub struct Graph {
    labels: Vec<u64>,
    /// Where the neighbours of each vertex begin, and at last where they end.
    offsets: Vec<usize>,
    neighbours: Vec<usize>,
}

/// What is written and read: labels and edges.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Parts {
    labels: Vec<u64>,
    edges: Vec<(usize, usize)>,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Graph {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        Self::new(parts.labels, &parts.edges)
    }
}

#[cfg(feature = "serde")]
impl From<Graph> for Parts {
    fn from(graph: Graph) -> Self {
        let mut edges = Vec::with_capacity(graph.edges());
        for vertex in 0..graph.len() {
            let later = graph.neighbours_of(vertex).iter().filter(|&&other| other > vertex);
            edges.extend(later.map(|&other| (vertex, other)));
        }
        Self { labels: graph.labels, edges }
    }
}

impl Graph {
    /// A graph with these vertex labels and edges, each edge given once, in either direction.
    ///
    /// # Errors
    /// [`Error::Index`] for an edge to a vertex that does not exist, [`Error::Edge`] for a loop or an edge that was given
    /// before.
    pub fn new(labels: Vec<u64>, edges: &[(usize, usize)]) -> Result<Self> {
        let len = labels.len();
        let mut ends: Vec<(usize, usize, usize)> = Vec::with_capacity(2 * edges.len());
        for (position, &(a, b)) in edges.iter().enumerate() {
            if let Some(&index) = [a, b].iter().find(|&&vertex| vertex >= len) {
                return Err(Error::Index { what: "vertex", index, len });
            }
            if a == b {
                let problem = "an edge must join two different vertices";
                return Err(Error::Edge { edge: position, from: a, to: b, problem });
            }
            ends.extend([(a, b, position), (b, a, position)]);
        }
        ends.sort_unstable();
        if let Some(pair) = ends.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            let (from, to, edge) = pair[1];
            return Err(Error::Edge { edge, from, to, problem: "an edge must be given only once" });
        }
        let offsets = (0..=len).map(|vertex| ends.partition_point(|end| end.0 < vertex)).collect();
        let neighbours = ends.iter().map(|end| end.1).collect();
        Ok(Self { labels, offsets, neighbours })
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// The label of each vertex.
    pub fn labels(&self) -> &[u64] {
        &self.labels
    }

    /// The neighbours of a vertex, in increasing order; none for a vertex that does not exist.
    pub fn neighbours(&self, vertex: usize) -> Option<&[usize]> {
        (vertex < self.len()).then(|| self.neighbours_of(vertex))
    }

    /// The neighbours of a vertex that exists.
    fn neighbours_of(&self, vertex: usize) -> &[usize] {
        &self.neighbours[self.offsets[vertex]..self.offsets[vertex + 1]]
    }
}
