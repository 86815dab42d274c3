//! The bounds that evidence suffices for.

use lm_core::Result;

use super::bound::{Bound, Quantity};
use super::evidence::{Evidence, LeaveOneOutFigure};
use crate::generalisation::{compression, margin, pac_bayes, rademacher, test_set, vc};
use crate::mistakes::{freund_schapire, novikoff, regret, winnow};

const DISTRIBUTION: &str = "independent examples of one distribution";
const ORIGIN: &str = "no bias, or the bias as the weight of a constant attribute; independent examples of one distribution; \
                      a radius that was fixed beforehand";

/// Every bound, mistakes first.
pub(super) fn all(evidence: &Evidence, delta: f64) -> Result<Vec<Bound>> {
    let mut list = Vec::new();
    mistakes(evidence, &mut list)?;
    held_out(evidence, delta, &mut list)?;
    by_count(evidence, delta, &mut list)?;
    by_margin(evidence, delta, &mut list)?;
    left_out(evidence, &mut list);
    Ok(list)
}

fn mistakes(evidence: &Evidence, list: &mut Vec<Bound>) -> Result<()> {
    let len = evidence.examples as f64;
    let always = |name, of, statement, reference, inputs, assumptions, value| Bound {
        name,
        of,
        statement,
        reference,
        inputs,
        delta: None,
        assumptions,
        value,
        trivial: if of == Quantity::FirstPass { len } else { f64::INFINITY },
        observed: match (of, evidence.mistakes) {
            (Quantity::FirstPass, Some((first, _))) => Some(first as f64),
            (Quantity::Mistakes, Some((_, all))) => all.map(|all| all as f64),
            _ => None,
        },
    };
    if let Some(w) = evidence.winnow {
        list.push(Bound {
            observed: None,
            ..always(
                "Winnow",
                Quantity::FirstPass,
                "(ln 2d + η·Σξ)/(ηγ − ln cosh ηX), η = ln α",
                "Littlestone (1988); Kivinen & Warmuth (1997)",
                vec![("d", w.attributes as f64), ("X", w.largest), ("γ₁", w.margin), ("Σξ", w.slack), ("α", w.promotion)],
                "balanced Winnow from equal weights; all passes, if there is no slack",
                winnow::mistakes(w.attributes, w.largest, w.margin, w.slack, w.promotion)?,
            )
        });
    }
    let (Some(radius), Some(margins)) = (evidence.radius, &evidence.margins) else { return Ok(()) };
    let gamma = margins.iter().copied().fold(f64::INFINITY, f64::min);
    if gamma > 0.0 {
        let inputs = vec![("R", radius), ("γ", gamma)];
        list.push(match evidence.bias {
            None => always(
                "Novikoff, through the origin",
                Quantity::Mistakes,
                "(R/γ)²",
                "Novikoff (1962)",
                inputs,
                "a perceptron without a bias, on these examples",
                novikoff::through_origin(radius, gamma)?,
            ),
            Some(bias) if bias.abs() <= radius => always(
                "Novikoff",
                Quantity::Mistakes,
                "(2R/γ)²",
                "Novikoff (1962); Cristianini & Shawe-Taylor (2000), Theorem 2.3",
                inputs,
                "a perceptron whose bias moves by R², on these examples",
                novikoff::with_bias(radius, gamma)?,
            ),
            Some(bias) => always(
                "Novikoff, far hyperplane",
                Quantity::Mistakes,
                "2(R² + b²)/γ²",
                "Novikoff (1962)",
                [&inputs[..], &[("b", bias)]].concat(),
                "a perceptron whose bias moves by R², on these examples",
                novikoff::with_step(radius, gamma, bias, (radius * radius).max(f64::MIN_POSITIVE))?,
            ),
        });
    }
    let best = freund_schapire::best_margin(radius, margins)?;
    let inputs = vec![("R", radius), ("D", best.slack), ("γ", best.margin)];
    list.push(always(
        "Freund–Schapire",
        Quantity::FirstPass,
        "(2(R + D)/γ)², for the best γ",
        "Freund & Schapire (1999); Cristianini & Shawe-Taylor (2000), Theorem 2.7",
        inputs,
        "a perceptron whose bias moves by R²; both classes present",
        best.bound,
    ));
    if best.margin.is_finite() && evidence.bias.is_none() {
        let loss: f64 = margins.iter().map(|m| (1.0 - m / best.margin).max(0.0)).sum::<f64>() * (1.0 + 1e-12);
        list.push(always(
            "regret of the perceptron",
            Quantity::FirstPass,
            "((UR + √(U²R² + 4L))/2)², U = 1/γ",
            "Gentile (2003); Shalev-Shwartz (2012)",
            vec![("R", radius), ("U", 1.0 / best.margin), ("L", loss)],
            "a perceptron without a bias; any sequence of examples",
            regret::mistakes(radius, (1.0 / best.margin).next_up(), loss)?,
        ));
    }
    Ok(())
}

/// A bound on the error that fails with probability `δ`.
fn likely(
    evidence: &Evidence,
    delta: f64,
    [name, statement, reference]: [&'static str; 3],
    inputs: Vec<(&'static str, f64)>,
    assumptions: &'static str,
    value: f64,
) -> Bound {
    let observed = evidence.held_out.map(super::HeldOut::share);
    let (delta, of) = (Some(delta), Quantity::Error);
    Bound { name, of, statement, reference, inputs, delta, assumptions, value, trivial: 1.0, observed }
}

fn held_out(evidence: &Evidence, delta: f64, list: &mut Vec<Bound>) -> Result<()> {
    let Some(test) = evidence.held_out else { return Ok(()) };
    let inputs = || vec![("errors", test.errors as f64), ("m", test.size as f64)];
    list.push(likely(
        evidence,
        delta,
        ["test set, binomial tail", "the largest p with P(Bin(m, p) ≤ errors) ≥ δ", "Clopper & Pearson (1934)"],
        inputs(),
        "held-out examples that took no part in training or in any choice",
        test_set::at_most(test.errors, test.size, delta)?,
    ));
    list.push(likely(
        evidence,
        delta,
        ["test set, Hoeffding", "errors/m + √(ln(1/δ)/(2m))", "Hoeffding (1963)"],
        inputs(),
        "held-out examples that took no part in training or in any choice",
        test_set::hoeffding(test.errors, test.size, delta)?,
    ));
    Ok(())
}

fn by_count(evidence: &Evidence, delta: f64, list: &mut Vec<Bound>) -> Result<()> {
    let (len, errors) = (evidence.examples, evidence.errors());
    if let Some((support, beside)) = evidence.support {
        let inputs = || vec![("ℓ", len as f64), ("d", support as f64)];
        if errors == Some(0) {
            list.push(likely(
                evidence,
                delta,
                [
                    "compression, Theorem 6.8",
                    "(d·ln(eℓ/d) + ln(ℓ/δ))/(ℓ − d)",
                    "Cristianini & Shawe-Taylor (2000), Theorem 6.8",
                ],
                inputs(),
                "no training error; the support vectors alone give the same machine",
                compression::stated(len, support, delta)?,
            ));
            list.push(likely(
                evidence,
                delta,
                [
                    "compression, without estimates",
                    "1 − (δ/(ℓ·(ℓ over d)))^(1/(ℓ − d))",
                    "Littlestone & Warmuth (1986); Floyd & Warmuth (1995)",
                ],
                inputs(),
                "no training error; the support vectors alone give the same machine",
                compression::consistent(len, support, delta)?,
            ));
        }
        if let Some(beside) = beside {
            list.push(likely(
                evidence,
                delta,
                [
                    "compression with errors",
                    "the largest p with P(Bin(ℓ − d, p) ≤ k) ≥ δ/(ℓ·(ℓ over d))",
                    "Langford (2005), section 5",
                ],
                [&inputs()[..], &[("k", beside as f64)]].concat(),
                "the support vectors alone give the same machine",
                compression::with_errors(len, support, beside, delta)?,
            ));
        }
    }
    let (Some(dimension), Some(errors)) = (evidence.dimension.filter(|d| *d <= len), errors) else { return Ok(()) };
    let inputs = || vec![("ℓ", len as f64), ("d", dimension as f64), ("k", errors as f64)];
    if errors == 0 {
        list.push(likely(
            evidence,
            delta,
            [
                "VC, no training error",
                "(2/ℓ)(d·log₂(2eℓ/d) + log₂(2/δ))",
                "Cristianini & Shawe-Taylor (2000), Theorem 4.1",
            ],
            inputs(),
            DISTRIBUTION,
            vc::consistent(len, dimension, delta)?,
        ));
    }
    list.push(likely(
        evidence,
        delta,
        ["VC", "k/ℓ + √((d(ln(2ℓ/d) + 1) + ln(4/δ))/ℓ)", "Vapnik (1995), section 3.7"],
        inputs(),
        DISTRIBUTION,
        vc::additive(len, errors, dimension, delta)?,
    ));
    list.push(likely(
        evidence,
        delta,
        [
            "VC, relative",
            "e + (E/2)(1 + √(1 + 4e/E)), e = k/ℓ, E = 4(d(ln(2ℓ/d) + 1) + ln(4/δ))/ℓ",
            "Vapnik (1995), section 3.7",
        ],
        inputs(),
        DISTRIBUTION,
        vc::relative(len, errors, dimension, delta)?,
    ));
    Ok(())
}

fn by_margin(evidence: &Evidence, delta: f64, list: &mut Vec<Bound>) -> Result<()> {
    let len = evidence.examples;
    if let Some(cosines) = &evidence.cosines {
        let found = pac_bayes::best(cosines, delta)?;
        list.push(likely(
            evidence,
            delta,
            [
                "PAC-Bayes margin",
                "2·kl⁻¹(mean of Φ̄(μcᵢ), (μ²/2 + ln((ℓ + 1)/δ))/ℓ), for the best μ",
                "Langford & Shawe-Taylor (2002); Seeger (2002)",
            ],
            vec![("ℓ", len as f64), ("μ", found.scale), ("mean", found.training)],
            "no bias, or the bias as the weight of a constant attribute; independent examples of one distribution",
            found.bound,
        ));
    }
    let (Some(radius), Some(margins), None) = (evidence.radius, &evidence.margins, evidence.bias) else {
        return Ok(());
    };
    let trace = evidence.trace.unwrap_or_else(|| (radius * radius * len as f64).next_up());
    list.push(likely(
        evidence,
        delta,
        [
            "Rademacher margin",
            "(1/ℓ)Σ min(1, ξᵢ/γ) + (2/γ)√(Σ Kᵢᵢ)/ℓ + 3√(ln(2/δ′)/(2ℓ)), least over γ = R/2ⁱ, δ′ = δ/((i + 1)(i + 2))",
            "Bartlett & Mendelson (2002); Mohri, Rostamizadeh & Talwalkar (2018), Theorem 5.8",
        ],
        vec![("ℓ", len as f64), ("R", radius), ("Σ Kᵢᵢ", trace)],
        ORIGIN,
        rademacher::observed(margins, radius, trace, delta)?,
    ));
    let gamma = margins.iter().copied().fold(f64::INFINITY, f64::min);
    if gamma > 0.0 {
        list.push(likely(
            evidence,
            delta,
            [
                "fat-shattering margin, Theorem 4.18",
                "(2/ℓ)(64ρ²·log₂(eℓ/(4ρ))·log₂(128ℓρ²) + log₂(4/δ′)), ρ = 2ⁱ ≥ R/γ, δ′ = δ/((i + 1)(i + 2))",
                "Shawe-Taylor, Bartlett, Williamson & Anthony (1998); Cristianini & Shawe-Taylor (2000), Theorem 4.18",
            ],
            vec![("ℓ", len as f64), ("R", radius), ("γ", gamma)],
            ORIGIN,
            margin::observed(radius, gamma, len, delta)?,
        ));
    }
    if let Ok((gamma, slack)) = margin::best_soft(radius, margins) {
        list.push(likely(
            evidence,
            delta,
            [
                "fat-shattering soft margin, Theorem 4.22",
                "(2/ℓ)(64ρ²·log₂(eℓ/(4ρ))·log₂(128ℓρ²) + log₂(4/δ′)), ρ² = 2ⁱ ≥ 2(R² + D²)/γ², δ′ = δ/((i + 1)(i + 2))",
                "Shawe-Taylor & Cristianini (2002); constants by Theorem 4.18 in the space of longer examples",
            ],
            vec![("ℓ", len as f64), ("R", radius), ("D", slack), ("γ", gamma)],
            ORIGIN,
            margin::soft(radius, slack, gamma, len, delta)?,
        ));
    }
    Ok(())
}

fn left_out(evidence: &Evidence, list: &mut Vec<Bound>) {
    use LeaveOneOutFigure as Figure;
    for &(figure, value) in &evidence.left_out {
        let [name, statement, reference, assumptions] = match figure {
            Figure::SupportVectors => [
                "support vectors",
                "#sv/ℓ",
                "Vapnik (1995); Cristianini & Shawe-Taylor (2000), Remark 6.9",
                "without an example that is no support vector the machine is the same",
            ],
            Figure::JaakkolaHaussler => [
                "Jaakkola–Haussler",
                "examples with αᵢK(xᵢ, xᵢ) ≥ yᵢf(xᵢ), as a share",
                "Jaakkola & Haussler (1999)",
                "a machine without a bias",
            ],
            Figure::XiAlpha => [
                "ξα",
                "examples with 2αᵢR² + ξᵢ ≥ 1, as a share",
                "Joachims (2000)",
                "a stable machine: no margin support vector makes the bias jump",
            ],
            Figure::RadiusMargin => [
                "radius–margin",
                "R²/γ² over ℓ",
                "Vapnik (1998)",
                "a hard margin, and support vectors that stay so",
            ],
            Figure::Span => [
                "span",
                "examples with αᵢSᵢ² ≥ yᵢf(xᵢ), as a share",
                "Vapnik & Chapelle (2000)",
                "an estimate: the support vectors stay so when one example is left out",
            ],
            Figure::Gacv => [
                "GACV",
                "mean hinge loss and a term for each support vector",
                "Wahba, Lin & Zhang (2000)",
                "an estimate",
            ],
            Figure::Exact => [
                "left out one by one",
                "errors of machines trained without the example, as a share",
                "Lachenbruch & Mickey (1968); Luntz & Brailovsky (1969)",
                "exact on these examples",
            ],
        };
        list.push(Bound {
            name,
            of: Quantity::LeaveOneOut,
            statement,
            reference,
            inputs: vec![("ℓ", evidence.examples as f64)],
            delta: None,
            assumptions,
            value,
            trivial: 1.0,
            observed: evidence.held_out.map(super::HeldOut::share),
        });
    }
}
