//! Linear systems, and the models made of them.
//!
//! This crate is the home of the learners that are solved rather than iterated: least squares, ridge regression,
//! the pseudoinverse classifier, Fisher's discriminant, Ho–Kashyap, logistic regression by reweighted least squares,
//! kernel ridge regression and Gaussian processes. Primal ones read [`Examples`](lm_core::Examples) row by row into
//! accumulators; dual ones take a [`MatrixGram`](lm_core::MatrixGram) with a [`Ridged`](lm_core::gram::Ridged)
//! diagonal. Each gives its residual as the certificate.
//!
//! None of them is here yet: the crate holds its place in the workspace, so that the arrows are drawn.
