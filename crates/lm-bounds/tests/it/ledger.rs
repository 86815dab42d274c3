//! The ledger: what enters it, what it says, and what it refuses.

use lm_bounds::ledger::{Bound, Evidence, LeaveOneOutFigure, Ledger, Quantity, WinnowEvidence};
use lm_core::Error;

/// All evidence there is.
fn complete() -> Evidence {
    let margins: Vec<f64> = (0..400).map(|k| 0.3 + 0.001 * f64::from(k)).collect();
    Evidence::new(400)
        .with_training_errors(0)
        .with_support_and_errors(12, 0)
        .with_dimension(6)
        .with_cosines(margins.clone())
        .with_margins(margins)
        .with_radius(1.0)
        .with_trace(350.0)
        .with_mistakes(7, Some(9))
        .with_winnow(WinnowEvidence { attributes: 6, largest: 1.0, margin: 0.1, slack: 0.0, promotion: 1.1 })
        .with_held_out(5, 200)
        .with_left_out(LeaveOneOutFigure::SupportVectors, 0.03)
        .with_left_out(LeaveOneOutFigure::Exact, 0.01)
}

#[test]
fn all_evidence_makes_all_entries_and_they_read_as_written() {
    let ledger = Ledger::new(0.05).unwrap().with_name("a machine").with(&complete()).unwrap();
    insta::assert_snapshot!(ledger.text());
    for bound in ledger.bounds() {
        assert!(bound.value > 0.0 && !bound.value.is_nan(), "{bound:?}");
        assert!(!bound.statement.is_empty() && !bound.assumptions.is_empty() && !bound.reference.is_empty());
    }
    let picture = ledger.picture();
    let rows =
        ledger.bounds().iter().filter(|b| matches!(b.of, Quantity::Error | Quantity::LeaveOneOut)).count();
    assert_eq!(picture.matches("<circle").count(), rows);
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n") && !picture.contains("NaN"));
}

#[test]
fn less_evidence_makes_fewer_entries() {
    let count = |evidence: &Evidence| Ledger::new(0.05).unwrap().with(evidence).unwrap().bounds().len();
    assert_eq!(count(&Evidence::new(10)), 0);
    assert_eq!(count(&Evidence::new(10).with_held_out(0, 10)), 2);
    assert_eq!(count(&Evidence::new(10).with_support(3)), 0, "compression needs to know of errors");
    assert_eq!(count(&Evidence::new(10).with_support(3).with_training_errors(0)), 2);
    // A bias that is no attribute keeps out what is about functions through the origin.
    let margins = vec![0.5; 10];
    let through = Evidence::new(10).with_margins(margins).with_radius(1.0);
    assert!(count(&through.clone().with_bias(0.3)) < count(&through));
    let empty = Ledger::new(0.05).unwrap();
    assert!(empty.picture().contains("no bound") && empty.text().contains("theory"));
}

#[test]
fn bounds_that_hold_together_are_larger() {
    let each = Ledger::new(0.05).unwrap().with(&complete()).unwrap();
    let together = Ledger::new(0.05).unwrap().simultaneous().with(&complete()).unwrap();
    let may_fail = each.bounds().iter().filter(|bound| bound.delta.is_some()).count() as f64;
    for (a, b) in each.bounds().iter().zip(together.bounds()) {
        assert_eq!(a.name, b.name);
        match a.delta {
            Some(_) => assert!(b.delta == Some(0.05 / may_fail) && b.value >= a.value, "{}", a.name),
            None => assert_eq!(a.value, b.value),
        }
    }
}

#[test]
fn a_bound_of_the_callers_own_joins() {
    let own = Bound {
        name: "mine",
        of: Quantity::Error,
        statement: "because",
        reference: "me",
        inputs: vec![("x", 1.5)],
        delta: None,
        assumptions: "none",
        value: 1e-3,
        trivial: 1.0,
        observed: None,
    };
    let ledger = Ledger::new(0.1).unwrap().with(&complete()).unwrap().with_bound(own.clone());
    assert_eq!(ledger.least(Quantity::Error), Some(&own));
}

#[test]
fn evidence_outside_its_domain_is_refused_by_name() {
    let refused = |evidence: Evidence| Ledger::new(0.05).unwrap().with(&evidence).unwrap_err();
    assert!(matches!(Ledger::new(1.0), Err(Error::Setting { name: "delta", .. })));
    assert!(matches!(refused(Evidence::new(0)), Error::Setting { name: "examples", .. }));
    let short = refused(Evidence::new(3).with_margins(vec![1.0]));
    assert_eq!(short, Error::Length { what: "the list of margins", expected: 3, found: 1 });
    let broken = refused(Evidence::new(2).with_margins(vec![1.0, f64::NAN]));
    assert_eq!(broken, Error::NonFinite { what: "margin", row: 1, column: None });
    assert!(matches!(refused(Evidence::new(3).with_radius(-1.0)), Error::Setting { name: "radius", .. }));
    assert!(matches!(
        refused(Evidence::new(3).with_training_errors(4)),
        Error::Setting { name: "training errors", .. }
    ));
    assert!(matches!(
        refused(Evidence::new(3).with_held_out(4, 3)),
        Error::Setting { name: "successes", .. }
    ));
    let bad = Evidence::new(3).with_left_out(LeaveOneOutFigure::Span, f64::NAN);
    assert!(matches!(refused(bad), Error::Setting { name: "figure of leaving one out", .. }));
}
