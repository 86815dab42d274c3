//! Learners that see one example at a time: error-correcting and descent procedures.
//!
//! Each learner is a type that holds its settings and implements [`Learner`](lm_core::Learner); what it returns is a model
//! with evidence that can be checked against the data. The same words mean the same everywhere: *passes* limit a run, the
//! [`Order`] says how a pass visits the examples, the [`Schedule`] how large the corrections are, the *margin* which examples
//! are corrected, the [`Bias`] how the hyperplane leaves the origin. A weight of an example is a number of visits in a pass.
//!
//! # Error-correcting procedures
//!
//! | learner | what it does |
//! |---|---|
//! | [`Perceptron`] | adds what is on the wrong side; fixed or variable increment, margin |
//! | [`DualPerceptron`] | the same over any Gram matrix |
//! | [`AveragedPerceptron`], [`VotedPerceptron`] | all functions of a run together, by their mean or by vote |
//! | [`PocketPerceptron`] | the function of a run with the fewest errors |
//! | [`ExtendedPerceptron`] | an attribute of its own for each example: ends on all data |
//! | [`AlphaPerceptron`] | behind a fixed layer of random threshold units |
//! | [`Maxover`] | near the largest margin, with a bound on what is missing |
//! | [`MulticlassPerceptron`] | a linear machine for several classes |
//! | [`Winnow`] | weights that grow and shrink by factors, for many irrelevant attributes |
//! | [`Relaxation`] | moves a share of the way to the hyperplane of an example; under, exact, over |
//! | [`PassiveAggressive`] | the smallest change that makes an example right |
//! | [`BatchPerceptron`], [`BatchRelaxation`] | all examples short of a margin correct the weights together |
//!
//! A mistake-driven run hands out a [`Trace`] (a [`DualTrace`], [`WinnowTrace`], …): its rule, and a [`Journal`] of where it
//! went and where it made corrections, a byte or two for each. Verifying it repeats the run by plain arithmetic;
//! [`Trace::novikoff`] and [`Trace::freund_schapire`] compare its length with what theory allows:
//!
//! ```
//! use lm_core::{BinaryLabels, Certificate, Dense, Learner, TrainingSet};
//! use lm_online::Perceptron;
//!
//! let examples = Dense::new(vec![2.0, 1.0, 1.0, 2.0, -1.0, -2.0, -2.0, 0.0], 4, 2)?;
//! let labels = BinaryLabels::from_integers(&[1, 1, 0, 0])?;
//! let set = TrainingSet::new(&examples, &labels)?;
//! let fit = Perceptron::default().fit(&examples, &labels)?.converged()?;
//! assert!(fit.certificate.verify(&set)?.is_valid());
//! assert!(fit.certificate.novikoff(&set, &fit.model)?.holds());
//! # Ok::<(), lm_core::Error>(())
//! ```
//!
//! # Descent
//!
//! - [`Lms`], [`BatchLms`], [`BatchDualLms`] and [`DualLms`]: least squares by descent, over examples and over Gram matrices.
//! - [`Pegasos`], [`KernelPegasos`] and [`LivePegasos`]: the soft margin machine by stochastic subgradient descent.
//! - [`GradientDescent`] and [`Newton`]: descent on any [`Criterion`], of which [`SampleCriterion`] has five.
//!
//! # Streams
//!
//! A [`Live`] learner takes examples as they come, one by one or in blocks, so from a reader larger than memory. It can be
//! kept in a file, loaded and continued with the same bits. Its [`Rule`] says when it corrects and by how much; the settings
//! types make one by their method `live`.
//!
//! ```
//! use lm_core::{Sign, persist};
//! use lm_data::svmlight::{Blocks, Options};
//! use lm_online::{Bias, Live, Perceptron, PerceptronRule};
//!
//! let text = "+1 1:2 2:1\n-1 1:-1 2:-2\n+1 2:2\n";
//! let mut learner = Perceptron::default().with_bias(Bias::Standard).live(2)?;
//! for block in Blocks::<_, f64>::new(text.as_bytes(), &Options::default())? {
//!     let block = block?;
//!     let signs: Vec<Sign> = block.labels.iter().map(|&label| Sign::of(label)).collect();
//!     learner.learn_batch(&block.examples, &signs)?;
//! }
//! assert_eq!(learner.seen(), 3);
//! let again: Live<PerceptronRule> = persist::decode(&persist::encode(&learner)?)?;
//! assert_eq!(again, learner);
//! # Ok::<(), lm_core::Error>(())
//! ```

mod alpha_perceptron;
mod augmented;
mod averaged;
mod averaging;
mod batch;
mod batch_dual_lms;
mod batch_lms;
mod batch_perceptron;
mod batch_relaxation;
mod batch_trace;
mod bias;
mod cholesky;
mod corrections;
mod criteria;
mod criterion;
mod descent;
mod dual_ascent;
mod dual_lms;
mod dual_perceptron;
mod dual_trace;
mod extended;
mod fit;
mod gradient_descent;
mod hinge_certificate;
mod journal;
mod kernel_pegasos;
mod least_squares;
mod live;
mod live_pegasos;
mod lms;
mod maxover;
mod memory;
mod mistake_bound;
mod multiclass_perceptron;
mod newton;
mod order;
mod pace;
mod passes;
mod passive_aggressive;
mod pegasos;
mod perceptron;
mod pocket;
mod relaxation;
mod replay;
mod rule;
mod schedule;
mod soft_margin;
mod trace;
mod visits;
mod voted;
mod winnow;
mod winnow_trace;
mod words;

pub use alpha_perceptron::{AlphaModel, AlphaPerceptron, AlphaTrace, Layer};
pub use averaged::AveragedPerceptron;
pub use averaging::Averaging;
pub use batch_dual_lms::BatchDualLms;
pub use batch_lms::BatchLms;
pub use batch_perceptron::BatchPerceptron;
pub use batch_relaxation::BatchRelaxation;
pub use batch_trace::BatchTrace;
pub use bias::Bias;
pub use criteria::SampleCriterion;
pub use criterion::Criterion;
pub use descent::{Stationarity, Visit};
pub use dual_lms::DualLms;
pub use dual_perceptron::DualPerceptron;
pub use dual_trace::DualTrace;
pub use extended::{ExtendedPerceptron, ExtendedTrace};
pub use gradient_descent::GradientDescent;
pub use hinge_certificate::HingeCertificate;
pub use journal::Journal;
pub use kernel_pegasos::{KernelHingeCertificate, KernelPegasos};
pub use least_squares::{KernelLeastSquaresCertificate, LeastSquaresCertificate, SquaresFigures};
pub use live::{Live, Met, MetBlock};
pub use live_pegasos::LivePegasos;
pub use lms::{Lms, LmsRule};
pub use maxover::{Maxover, Stability};
pub use mistake_bound::MistakeBound;
pub use multiclass_perceptron::{MulticlassPerceptron, MulticlassTrace};
pub use newton::Newton;
pub use order::Order;
pub use passive_aggressive::{Aggressiveness, PassiveAggressive, PassiveAggressiveRule};
pub use pegasos::Pegasos;
pub use perceptron::{Perceptron, PerceptronRule};
pub use pocket::{PocketCertificate, PocketPerceptron};
pub use relaxation::{Relaxation, RelaxationRule};
pub use rule::{Label, Meeting, Rule};
pub use schedule::{Conditions, Schedule};
pub use trace::Trace;
pub use voted::{Voted, VotedPerceptron};
pub use winnow::{LiveWinnow, Winnow};
pub use winnow_trace::WinnowTrace;
