//! Nearest neighbours in the feature space of a kernel.
//!
//! # Problem
//! The class that most of the `k` training examples nearest to `φ(x)` have.
//! # Method
//! `‖φ(x) − φ(z)‖² = K(x, x) − 2K(x, z) + K(z, z)`, so distances follow from kernel values. Examples that are equally far
//! away as the last of the `k`, up to the rounding of the distances, share what is left of the votes, so that the order of
//! the rows does not matter. A weight stands for that many copies, each with a vote. Of classes with equally many votes the
//! smaller one wins; a [`Vote`] says that there was a tie.
//! # Cost
//! `n` kernel values and `O(n)` comparisons a point, `O(n log n)` where weights are below 1. The fit itself classifies every
//! example by the others: `n²` kernel values.
//! # Reference
//! Cover & Hart (1967); Yu, Ji & Zhang (2002) for the kernel.

use lm_core::multiclass::{Classifier, Decisions};
use lm_core::{
    Certificate, ClassLabels, Columns, Control, Discrepancy, Error, Examples, Fit, Gram, Learner, Precision,
    Result, Selection, Stop, SupportVectors, TrainingSet, VectorGram, VectorKernel, Verdict, parallel,
};

use crate::chain::for_each_block;

/// The settings of nearest neighbours in the feature space of a kernel.
///
/// ```
/// use lm_closed::KernelNeighbours;
/// use lm_core::multiclass::Classifier;
/// use lm_core::{ClassLabels, Dense, Learner, VectorKernel};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 7.0, 8.0, 9.0], 6, 1)?;
/// let labels = ClassLabels::from_integers(&[1, 1, 1, 5, 5, 5])?;
/// let fit = KernelNeighbours::new(VectorKernel::gaussian(0.1)?).with_neighbours(3).fit(&examples, &labels)?;
/// assert_eq!(fit.model.classify(&Dense::new(vec![3.0, 7.5], 2, 1)?)?, [1, 5]);
/// assert_eq!(fit.certificate.errors(), 0.0); // every example is where its neighbours are
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelNeighbours {
    kernel: VectorKernel,
    neighbours: usize,
}

impl KernelNeighbours {
    /// Neighbours under this kernel; by default 5 of them.
    pub fn new(kernel: VectorKernel) -> Self {
        Self { kernel, neighbours: 5 }
    }

    /// The number `k` of neighbours that vote, at least 1; default 5. Where there are fewer examples, all vote.
    #[must_use]
    pub fn with_neighbours(self, neighbours: usize) -> Self {
        Self { neighbours, ..self }
    }

    fn validate(&self) -> Result<()> {
        check_neighbours(self.neighbours)
    }
}

fn check_neighbours(neighbours: usize) -> Result<()> {
    if neighbours == 0 {
        return Err(Error::Setting { name: "neighbours", value: 0.0, accepted: "an integer of at least 1" });
    }
    Ok(())
}

/// Training examples with their classes, of which the nearest vote.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct NeighboursModel {
    kernel: VectorKernel,
    support: SupportVectors,
    poll: Poll,
}

/// Who votes for which class, and how many votes there are.
#[derive(Debug, Clone, PartialEq)]
struct Poll {
    classes: Vec<i64>,
    /// The position of each example's class.
    numbers: Vec<u32>,
    weights: Vec<f64>,
    neighbours: usize,
}

/// What is written to a file, and read before it is checked.
#[cfg(feature = "serde")]
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Stored {
    kernel: VectorKernel,
    support: SupportVectors,
    classes: Vec<i64>,
    #[serde(with = "lm_core::serde_array")]
    numbers: Vec<u32>,
    #[serde(with = "lm_core::serde_array")]
    weights: Vec<f64>,
    neighbours: u64,
}

#[cfg(feature = "serde")]
impl From<NeighboursModel> for Stored {
    fn from(model: NeighboursModel) -> Self {
        let NeighboursModel { kernel, support, poll } = model;
        let Poll { classes, numbers, weights, neighbours } = poll;
        Self { kernel, support, classes, numbers, weights, neighbours: neighbours as u64 }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for NeighboursModel {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { kernel, support, classes, numbers, weights, neighbours } = stored;
        let neighbours = usize::try_from(neighbours).unwrap_or(usize::MAX);
        check_neighbours(neighbours)?;
        let len = support.as_examples().len();
        for (what, found) in [("the list of classes", numbers.len()), ("the list of weights", weights.len())]
        {
            if found != len || len == 0 {
                return Err(Error::Length { what, expected: len.max(1), found });
            }
        }
        if classes.len() < 2 || classes.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(Error::Classes {
                found: classes.len(),
                accepted: "two classes or more, in increasing order",
            });
        }
        if let Some(row) = numbers.iter().position(|&number| number as usize >= classes.len()) {
            return Err(Error::Index { what: "class", index: numbers[row] as usize, len: classes.len() });
        }
        if let Some(row) = weights.iter().position(|&weight| !(weight > 0.0 && weight.is_finite())) {
            return Err(Error::Weight { row, value: weights[row], accepted: "a finite number > 0" });
        }
        Ok(Self { kernel, support, poll: Poll { classes, numbers, weights, neighbours } })
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for NeighboursModel {
    const KIND: &'static str = "kernel-neighbours";
    const VERSION: u16 = 1;
}

/// How the neighbours of a point vote.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// The share of the votes that each class has, in the order of the classes.
    pub shares: Vec<f64>,
    /// The position of the class with the largest share; of several the first.
    pub winner: usize,
    /// Whether another class has a share as large.
    pub tied: bool,
    /// Whether more examples are as far away as the last neighbour than there were votes left.
    pub shared_distance: bool,
}

impl Poll {
    /// The vote of examples at these squared distances, of which differences up to `blur` are rounding. `own` is an example
    /// of which one copy does not vote.
    fn vote(&self, distances: &[f64], blur: f64, own: Option<usize>) -> Vote {
        let weight = |row: usize| {
            let weight = self.weights[row];
            if own == Some(row) { (weight - 1.0).max(0.0) } else { weight }
        };
        let total: f64 = (0..distances.len()).map(weight).sum();
        let votes = total.min(self.neighbours as f64);
        let last = self.last(distances, votes, &weight);
        let (mut shares, mut tied_shares) = (vec![0.0; self.classes.len()], vec![0.0; self.classes.len()]);
        for (row, &distance) in distances.iter().enumerate() {
            let to = if distance < last - blur {
                &mut shares
            } else if distance <= last + blur {
                &mut tied_shares
            } else {
                continue;
            };
            to[self.numbers[row] as usize] += weight(row);
        }
        let (near, tied): (f64, f64) = (shares.iter().sum(), tied_shares.iter().sum());
        let left = (votes - near).max(0.0);
        if votes > 0.0 {
            for (share, more) in shares.iter_mut().zip(&tied_shares) {
                *share = (*share + if tied > 0.0 { left * (more / tied) } else { 0.0 }) / votes;
            }
        }
        let largest = shares.iter().fold(0.0, |a: f64, &b| a.max(b));
        // Shares are sums of few weights: what differs by less is equal.
        let reaches = |share: &f64| *share >= largest - 1e-12;
        let winner = shares.iter().position(reaches).unwrap_or(0);
        let tied_classes = shares.iter().filter(|share| reaches(share)).count() > 1;
        Vote { winner, tied: tied_classes, shared_distance: tied > left * (1.0 + 1e-12), shares }
    }

    /// The least distance within which there are as many votes as are needed.
    fn last(&self, distances: &[f64], votes: f64, weight: &dyn Fn(usize) -> f64) -> f64 {
        let mut order: Vec<usize> = (0..distances.len()).filter(|&row| weight(row) > 0.0).collect();
        let by_distance = |&a: &usize, &b: &usize| distances[a].total_cmp(&distances[b]);
        // Examples with a vote or more each: as many as there are votes are enough.
        let enough = votes.ceil() as usize;
        if enough > 0 && enough < order.len() && order.iter().all(|&row| weight(row) >= 1.0) {
            order.select_nth_unstable_by(enough - 1, by_distance);
            order.truncate(enough);
        }
        order.sort_unstable_by(by_distance);
        let mut sum = 0.0;
        for &row in &order {
            sum += weight(row);
            if sum >= votes * (1.0 - 1e-12) {
                return distances[row];
            }
        }
        order.last().map_or(0.0, |&row| distances[row])
    }
}

impl NeighboursModel {
    /// How the neighbours of every member of a set vote.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension, [`Error::KernelValue`] or [`Error::Numerical`] if a value is not finite.
    pub fn votes<E: Examples + ?Sized>(&self, set: &E) -> Result<Vec<Vote>> {
        let mut votes = Vec::with_capacity(set.len());
        for_each_block(self.support.as_examples(), set, self.kernel, |block| {
            votes.extend(parallel::map(block.own.len(), |query| {
                let values = &block.values[query * block.len..(query + 1) * block.len];
                let distance = |(value, kept): (&f64, &f64)| (block.own[query] - value) + (kept - value);
                let distances: Vec<f64> = values.iter().zip(block.kept).map(distance).collect();
                self.poll.vote(&distances, 8.0 * block.error, None)
            }));
            Ok(())
        })?;
        Ok(votes)
    }
}

impl<E: Examples + ?Sized> Classifier<E> for NeighboursModel {
    fn classes(&self) -> &[i64] {
        &self.poll.classes
    }

    fn class_numbers(&self, set: &E) -> Result<Vec<usize>> {
        Ok(self.votes(set)?.into_iter().map(|vote| vote.winner).collect())
    }

    /// The shares of the votes.
    fn decisions(&self, set: &E) -> Result<Decisions> {
        let votes = self.votes(set)?;
        Decisions::new(votes.into_iter().flat_map(|vote| vote.shares).collect(), self.poll.classes.len())
    }
}

/// How many examples their neighbours put into another class, each without its own vote.
///
/// A run that is stopped has asked the neighbours of the first rows only, and says of how many.
/// [`Certificate::verify`] asks them again, one row at a time from the last to the first.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighboursCertificate {
    kernel: VectorKernel,
    neighbours: usize,
    rows: usize,
    errors: f64,
    weight: f64,
}

impl NeighboursCertificate {
    /// The weight of the examples in another class than their neighbours.
    pub fn errors(&self) -> f64 {
        self.errors
    }

    /// The weight of all examples whose neighbours were asked.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The rows whose neighbours were asked: all before this one.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl<E: Examples + ?Sized> Learner<E, ClassLabels> for KernelNeighbours {
    type Model = NeighboursModel;
    type Certificate = NeighboursCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<NeighboursModel, NeighboursCertificate>> {
        // Rows whose neighbours are asked between two looks at the clock.
        const BLOCK: usize = 96;
        self.validate()?;
        let mut meter = control.start(u64::MAX);
        let kept: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect();
        let poll = Poll::new(set, &kept, self.neighbours);
        let some = Selection::new(set.examples(), &kept)?;
        let gram = VectorGram::new(&some, self.kernel)?;
        let diagonal = gram.diagonal()?;
        let (mut at, mut errors, mut weight) = (0, 0.0, 0.0);
        let stop = loop {
            if let Some(stop) = meter.advance(0, 0) {
                break stop;
            }
            let rows: Vec<usize> = (at..kept.len().min(at + BLOCK)).collect();
            let mut block = vec![0.0; rows.len() * kept.len()];
            gram.fill(&rows, Columns::All, &mut block)?;
            let wrong = parallel::map(rows.len(), |offset| {
                let values = &block[offset * kept.len()..(offset + 1) * kept.len()];
                poll.is_wrong(rows[offset], values, &diagonal, gram.error_bound(Precision::F64))
            });
            for (&row, wrong) in rows.iter().zip(wrong) {
                errors += if wrong { poll.weights[row] } else { 0.0 };
                weight += poll.weights[row];
            }
            at += rows.len();
            let _ = meter.advance(1, block.len() as u64);
            if at == kept.len() {
                break Stop::Converged;
            }
        };
        let rows = kept.get(at).copied().unwrap_or(set.len());
        let (kernel, neighbours) = (self.kernel, self.neighbours);
        let certificate = NeighboursCertificate { kernel, neighbours, rows, errors, weight };
        let support = SupportVectors::copied(set.examples(), &kept)?;
        let model = NeighboursModel { kernel, support, poll };
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

impl Poll {
    fn new<E: Examples + ?Sized>(
        set: &TrainingSet<'_, E, ClassLabels>,
        kept: &[usize],
        neighbours: usize,
    ) -> Self {
        let indices = set.labels().indices();
        Self {
            classes: set.labels().classes().to_vec(),
            numbers: kept.iter().map(|&row| indices[row]).collect(),
            weights: kept.iter().map(|&row| set.weight(row)).collect(),
            neighbours,
        }
    }

    /// Whether the others put an example into another class, from its kernel values with all.
    fn is_wrong(&self, row: usize, values: &[f64], diagonal: &[f64], error: f64) -> bool {
        let distance = |(value, kept): (&f64, &f64)| (diagonal[row] - value) + (kept - value);
        let distances: Vec<f64> = values.iter().zip(diagonal).map(distance).collect();
        let vote = self.vote(&distances, 8.0 * error, Some(row));
        vote.winner != self.numbers[row] as usize
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, ClassLabels>> for NeighboursCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, ClassLabels>) -> Result<Verdict> {
        let kept: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect();
        let poll = Poll::new(set, &kept, self.neighbours);
        let gram = VectorGram::new(set.examples(), self.kernel)?;
        let whole = gram.diagonal()?;
        let diagonal: Vec<f64> = kept.iter().map(|&row| whole[row]).collect();
        let error = gram.error_bound(Precision::F64);
        let (mut errors, mut weight) = (0.0, 0.0);
        let mut values = vec![0.0; kept.len()];
        for at in (0..kept.len()).rev().filter(|&at| kept[at] < self.rows) {
            gram.fill(&[kept[at]], Columns::List(&kept), &mut values)?;
            if poll.is_wrong(at, &values, &diagonal, error) {
                errors += poll.weights[at];
            }
            weight += poll.weights[at];
        }
        let rounding = 4.0 * f64::EPSILON * kept.len() as f64 * weight;
        let claims = [
            ("the weight of the examples that were asked", self.weight, weight),
            ("the weight of the errors", self.errors, errors),
        ];
        let wrong = claims.iter().find(|(_, claimed, now)| !((claimed - now).abs() <= rounding));
        Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, recomputed)| {
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poll(weights: &[f64], neighbours: usize) -> Poll {
        let numbers = (0..weights.len() as u32).map(|row| row % 2).collect();
        Poll { classes: vec![1, 2], numbers, weights: weights.to_vec(), neighbours }
    }

    #[test]
    fn the_nearest_vote_and_equal_distances_share() {
        let three = poll(&[1.0; 5], 3);
        let vote = three.vote(&[0.1, 0.4, 0.2, 0.3, 0.9], 0.0, None);
        assert_eq!((vote.winner, vote.tied, vote.shared_distance), (0, false, false));
        assert!((vote.shares[0] - 2.0 / 3.0).abs() < 1e-15);
        // Two votes left for three examples at the same distance: classes 2, 1, 2.
        let vote = three.vote(&[0.1, 0.4, 0.4, 0.4, 0.9], 0.0, None);
        assert!(vote.shared_distance);
        assert!((vote.shares[0] - (1.0 + 2.0 / 3.0) / 3.0).abs() < 1e-15);
        // The same, when rounding hides it.
        let vote = three.vote(&[0.1, 0.4, 0.4 + 1e-17, 0.4 + 1e-12, 0.9], 1e-11, None);
        assert!(vote.shared_distance && (vote.shares[0] - (1.0 + 2.0 / 3.0) / 3.0).abs() < 1e-15);
    }

    #[test]
    fn weights_are_copies_and_one_copy_can_be_left_out() {
        let weighted = poll(&[2.0, 1.0, 1.0], 2);
        let vote = weighted.vote(&[0.1, 0.2, 0.3], 0.0, None);
        assert_eq!(vote.shares, [1.0, 0.0]);
        let vote = weighted.vote(&[0.1, 0.2, 0.3], 0.0, Some(0));
        assert_eq!((vote.shares.as_slice(), vote.tied, vote.winner), (&[0.5, 0.5][..], true, 0));
        let halves = poll(&[0.5, 0.5, 0.5, 5.0], 1);
        assert_eq!(halves.vote(&[0.1, 0.2, 0.3, 0.4], 0.0, None).shares, [0.5, 0.5]);
    }

    #[test]
    fn fewer_examples_than_votes_all_vote_and_none_leave_no_share() {
        let vote = poll(&[1.0; 3], 9).vote(&[0.1, 0.2, 0.3], 0.0, None);
        assert!((vote.shares[0] - 2.0 / 3.0).abs() < 1e-15);
        let vote = poll(&[1.0], 1).vote(&[0.0], 0.0, Some(0));
        assert_eq!((vote.shares.as_slice(), vote.tied), (&[0.0, 0.0][..], true));
    }
}
