//! The Weisfeiler–Lehman subtree kernel: how many rooted neighbourhoods two graphs share.
//!
//! # Problem
//! ```text
//! K(G, H) = Σ_{i=0}^{h} Σ_σ c_{i,σ}(G) · c_{i,σ}(H)
//! ```
//! where `c_{i,σ}` counts the vertices that have label σ after `i` rounds of refinement.
//! # Method
//! One round gives every vertex a new label for the pair of its own label and the sorted labels of its neighbours.
//! Equal pairs get equal labels in all graphs at once: the pairs are sorted and numbered, so there are no hash
//! collisions, and the numbers depend on the set of graphs alone.
//! # Cost
//! `O(h (n + m) log(n + m))` for `n` vertices and `m` edges in all graphs together. For many graphs use
//! [`WeisfeilerLehmanEmbedding`], which refines each graph once.
//! # Reference
//! Shervashidze, Schweitzer, van Leeuwen, Mehlhorn & Borgwardt (2011), section 3.

use super::Graph;
use crate::{Csr, Error, Kernel, Result};

/// The Weisfeiler–Lehman subtree kernel with `h` rounds of refinement. No round at all compares the label counts.
///
/// ```
/// use lm_core::kernel::graph::{Graph, WeisfeilerLehman};
/// use lm_core::Kernel;
///
/// let path = Graph::new(vec![0, 0, 0], &[(0, 1), (1, 2)])?;
/// let triangle = Graph::new(vec![0, 0, 0], &[(0, 1), (1, 2), (2, 0)])?;
/// assert_eq!(WeisfeilerLehman::new(0).value(&path, &triangle), 9.0);
/// // One more round: the path has one vertex of degree 2, the triangle three.
/// assert_eq!(WeisfeilerLehman::new(1).value(&path, &triangle), 9.0 + 1.0 * 3.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WeisfeilerLehman {
    rounds: u32,
}

impl WeisfeilerLehman {
    /// The kernel with this many rounds.
    pub fn new(rounds: u32) -> Self {
        Self { rounds }
    }

    /// The number of rounds.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }
}

impl Kernel<Graph> for WeisfeilerLehman {
    /// The exact value, as long as it is below 2⁵³.
    fn value(&self, a: &Graph, b: &Graph) -> f64 {
        let mut round = Round::learned(&[initial(a), initial(b)]);
        let (mut a_classes, mut b_classes) = (round.classes(&initial(a)), round.classes(&initial(b)));
        let mut total = round.shared(&a_classes, &b_classes);
        for done in 0..self.rounds {
            let (a_signatures, b_signatures) = (refined(a, &a_classes), refined(b, &b_classes));
            let next = Round::learned(&[a_signatures.clone(), b_signatures.clone()]);
            // Classes only ever split. A round that splits none is followed by rounds that change nothing.
            let settled = next.len() == round.len();
            (a_classes, b_classes) = (next.classes(&a_signatures), next.classes(&b_signatures));
            round = next;
            let shared = round.shared(&a_classes, &b_classes);
            if settled {
                return (total + shared * u128::from(self.rounds - done)) as f64;
            }
            total += shared;
        }
        total as f64
    }
}

/// The label of a vertex; or, after a round, its class followed by the sorted classes of its neighbours. None once
/// it has met a class that is not in the dictionary.
type Signature = Option<Vec<u64>>;

/// The class of each vertex of a graph, where the dictionary has one.
type Classes = Vec<Option<u64>>;

/// The signatures before the first round.
fn initial(graph: &Graph) -> Vec<Signature> {
    graph.labels().iter().map(|&label| Some(vec![label])).collect()
}

/// The signatures of the round that follows these classes.
fn refined(graph: &Graph, classes: &Classes) -> Vec<Signature> {
    let signature = |vertex: usize| {
        let mut around =
            graph.neighbours_of(vertex).iter().map(|&v| classes[v]).collect::<Option<Vec<u64>>>()?;
        around.sort_unstable();
        around.insert(0, classes[vertex]?);
        Some(around)
    };
    (0..graph.len()).map(signature).collect()
}

/// The dictionary of one round: all signatures, sorted. The class of a vertex is the place of its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Round(Vec<Vec<u64>>);

impl Round {
    /// The dictionary of these graphs.
    fn learned(graphs: &[Vec<Signature>]) -> Self {
        let mut distinct: Vec<&Vec<u64>> = graphs.iter().flatten().flatten().collect();
        distinct.sort_unstable();
        distinct.dedup();
        Self(distinct.into_iter().cloned().collect())
    }

    /// The number of classes.
    fn len(&self) -> usize {
        self.0.len()
    }

    fn classes(&self, signatures: &[Signature]) -> Classes {
        let class = |signature: &Vec<u64>| self.0.binary_search(signature).ok().map(|place| place as u64);
        signatures.iter().map(|signature| signature.as_ref().and_then(class)).collect()
    }

    /// How many vertices of a graph are in each class.
    fn counts(&self, classes: &Classes) -> Vec<u64> {
        let mut counts = vec![0; self.len()];
        classes.iter().flatten().for_each(|&class| counts[class as usize] += 1);
        counts
    }

    /// `Σ_σ c_σ(G)·c_σ(H)`.
    fn shared(&self, a: &Classes, b: &Classes) -> u128 {
        let pairs = self.counts(a).into_iter().zip(self.counts(b));
        pairs.map(|(m, n)| u128::from(m) * u128::from(n)).sum()
    }
}

/// The features of the kernel written out: for each graph, how many vertices have each label of each round.
///
/// The inner product of two rows is the [`WeisfeilerLehman`] kernel of the two graphs, exactly.
///
/// ```
/// use lm_core::kernel::graph::{Graph, WeisfeilerLehman, WeisfeilerLehmanEmbedding};
/// use lm_core::{Examples, Kernel};
///
/// let graphs = [Graph::new(vec![1, 2, 1], &[(0, 1), (1, 2)])?, Graph::new(vec![1, 2], &[(0, 1)])?];
/// let kernel = WeisfeilerLehman::new(2);
/// let embedding = WeisfeilerLehmanEmbedding::new(kernel, &graphs)?;
/// let (a, b) = (embedding.counts().row(0), embedding.counts().row(1));
/// assert_eq!(a.dot(&b), kernel.value(&graphs[0], &graphs[1]));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WeisfeilerLehmanEmbedding {
    rounds: Vec<Round>,
    counts: Csr<'static>,
}

/// Rounds that an embedding writes out; ten are many in practice.
const LARGEST_ROUNDS: u32 = 1024;

impl WeisfeilerLehmanEmbedding {
    /// The embedding of some graphs.
    ///
    /// # Errors
    /// [`Error::Empty`] without graphs or vertices, [`Error::TooLarge`] for more than 1024 rounds or 2³² labels.
    pub fn new(kernel: WeisfeilerLehman, graphs: &[Graph]) -> Result<Self> {
        if kernel.rounds > LARGEST_ROUNDS {
            let (what, size, limit) =
                ("the number of rounds", kernel.rounds as usize, LARGEST_ROUNDS as usize);
            return Err(Error::TooLarge { what, size, limit });
        }
        let mut signatures: Vec<Vec<Signature>> = graphs.iter().map(initial).collect();
        let mut rounds = Vec::new();
        for _ in 0..=kernel.rounds {
            let round = Round::learned(&signatures);
            for (graph, signatures) in graphs.iter().zip(&mut signatures) {
                *signatures = refined(graph, &round.classes(signatures));
            }
            rounds.push(round);
        }
        let counts = encode(&rounds, graphs)?;
        Ok(Self { rounds, counts })
    }

    /// The counts of other graphs, in the same columns. A label that none of the original graphs has gets no column:
    /// it cannot change an inner product with them.
    ///
    /// # Errors
    /// [`Error::Empty`] without graphs.
    pub fn encode(&self, graphs: &[Graph]) -> Result<Csr<'static>> {
        encode(&self.rounds, graphs)
    }

    /// The counts of the graphs that the embedding was made from.
    pub fn counts(&self) -> &Csr<'static> {
        &self.counts
    }
}

/// The counts of graphs in the columns of all rounds, one round after the other.
fn encode(rounds: &[Round], graphs: &[Graph]) -> Result<Csr<'static>> {
    let dim: usize = rounds.iter().map(Round::len).sum();
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for graph in graphs {
        let mut signatures = initial(graph);
        let mut first = 0_usize;
        for round in rounds {
            let classes = round.classes(&signatures);
            for (class, &count) in round.counts(&classes).iter().enumerate().filter(|(_, count)| **count > 0)
            {
                let limit = u32::MAX as usize;
                let column = u32::try_from(first + class);
                let what = "the dictionary of labels";
                indices.push(column.map_err(|_| Error::TooLarge { what, size: dim, limit })?);
                values.push(count as f64);
            }
            signatures = refined(graph, &classes);
            first += round.len();
        }
        offsets.push(values.len());
    }
    Csr::new(offsets, indices, values, dim)
}
