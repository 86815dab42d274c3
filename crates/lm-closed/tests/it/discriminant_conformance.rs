//! The discriminants pass the conformance suite.

use lm_closed::{Fisher, HoKashyap, HoKashyapRule, Lda, Priors, Shrinkage, Threshold};
use lm_core::testing::conformance::{Suite, assert_conforms};

#[test]
fn fisher_conforms() {
    let thresholds = [
        Threshold::Midpoint,
        Threshold::Prior(0.3),
        Threshold::Shares,
        Threshold::LeastError,
        Threshold::LeastSquares,
    ];
    for threshold in thresholds {
        let learner = Fisher::default().with_threshold(threshold);
        assert_conforms(&Suite::binary(&learner).persistent().certified());
    }
}

#[test]
fn lda_conforms() {
    let plain = Lda::default();
    for learner in [
        plain.clone(),
        plain.clone().with_priors(Priors::Equal),
        plain.clone().with_priors(Priors::Given(vec![0.2, 0.3, 0.5])),
        plain.clone().with_shrinkage(Shrinkage::Given(0.1)),
        plain.with_shrinkage(Shrinkage::LedoitWolf),
    ] {
        assert_conforms(&Suite::classes(&learner).persistent().certified());
    }
}

#[test]
fn ho_kashyap_conforms() {
    for rule in [HoKashyapRule::Exact, HoKashyapRule::Modified] {
        let learner = HoKashyap::default().with_rule(rule);
        assert_conforms(&Suite::binary(&learner).persistent().certified());
    }
}
