//! How many mistakes a learner that sees one example at a time can make.
//!
//! | module | learner | what it needs |
//! |---|---|---|
//! | [`novikoff`] | perceptron, data that a hyperplane separates | radius and margin |
//! | [`freund_schapire`] | perceptron, first pass over any data | radius, margin and slack |
//! | [`best_hyperplane`] | the same, for the hyperplane and margin of the least bound | Gram matrix and labels |
//! | [`winnow`] | balanced Winnow | margin by the 1-norm, largest attribute |
//! | [`regret`] | perceptron, against any hyperplane and its hinge loss | radius, norm and loss |
//!
//! Every value is rounded up: a learner that makes more mistakes than a bound says breaks its assumptions.

pub mod best_hyperplane;
pub mod freund_schapire;
pub mod novikoff;
pub mod regret;
pub mod winnow;
