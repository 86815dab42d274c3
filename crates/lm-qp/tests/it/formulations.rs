//! Every formulation: optimal by its own certificate, and as the theory says it is.

use lm_core::{
    BinaryLabels, Certificate, Control, Dense, Hypothesis, Learner, Sign, Targets, TrainingSet, VectorGram,
    VectorKernel, Weights,
};
use lm_data::generate::{sinc, two_gaussians};
use lm_qp::{
    Bias, CSvc, EpsilonSvr, MaximalMargin, MixedSvc, NuSvc, NuSvr, OneClass, QuadraticSvr, Solver, TwoNormSvc,
    Unlabelled,
};
