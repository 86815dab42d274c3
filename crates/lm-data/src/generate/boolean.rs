//! Boolean functions of a few of many attributes.

use lm_core::{BinaryLabels, Dense, Error, Result, Sign};

use super::{check_at_least, room};
use crate::Labelled;
use crate::random::Random;

/// The two values of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attributes {
    /// False is 0, true is 1.
    ZeroOne,
    /// False is −1, true is +1.
    PlusMinus,
}

/// When an example is positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// At least one relevant attribute is true (a monotone disjunction).
    Any,
    /// All relevant attributes are true (a monotone conjunction).
    All,
    /// At least this many relevant attributes are true.
    AtLeast(usize),
}

/// What is asked for: sizes, the values of attributes, and the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IrrelevantSettings {
    len: usize,
    dim: usize,
    relevant: usize,
    attributes: Attributes,
    rule: Rule,
}

impl Default for IrrelevantSettings {
    fn default() -> Self {
        Self { len: 200, dim: 100, relevant: 5, attributes: Attributes::ZeroOne, rule: Rule::Any }
    }
}

impl IrrelevantSettings {
    /// The number of examples, at least 2. Default 200. As many are positive as negative, up to one.
    #[must_use]
    pub fn with_len(self, len: usize) -> Self {
        Self { len, ..self }
    }

    /// The number of attributes. Default 100.
    #[must_use]
    pub fn with_dim(self, dim: usize) -> Self {
        Self { dim, ..self }
    }

    /// How many of them matter, from 1 to all. Default 5.
    #[must_use]
    pub fn with_relevant(self, relevant: usize) -> Self {
        Self { relevant, ..self }
    }

    /// The two values of an attribute. Default [`Attributes::ZeroOne`].
    #[must_use]
    pub fn with_attributes(self, attributes: Attributes) -> Self {
        Self { attributes, ..self }
    }

    /// When an example is positive. Default [`Rule::Any`].
    #[must_use]
    pub fn with_rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    /// How many relevant attributes must be true.
    fn threshold(&self) -> Result<usize> {
        check_at_least("len", self.len, 2, "2 or more examples")?;
        if !(1..=self.dim).contains(&self.relevant) {
            let accepted = "1 to the number of attributes";
            return Err(Error::Setting { name: "relevant", value: self.relevant as f64, accepted });
        }
        match self.rule {
            Rule::Any => Ok(1),
            Rule::All => Ok(self.relevant),
            Rule::AtLeast(count) if (1..=self.relevant).contains(&count) => Ok(count),
            Rule::AtLeast(count) => {
                let accepted = "1 to the number of relevant attributes";
                Err(Error::Setting { name: "rule (at least)", value: count as f64, accepted })
            }
        }
    }
}

/// Examples of a Boolean function, and which attributes it depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Irrelevant {
    /// The examples and their labels.
    pub data: Labelled<Dense<'static>, BinaryLabels>,
    /// The columns that matter, increasing.
    pub relevant: Vec<usize>,
}

/// Draws examples whose label is a Boolean function of a few attributes: the data on which Winnow makes few mistakes
/// and the perceptron many.
///
/// The side of an example is chosen first, in turn; then the number of true relevant attributes, uniformly among
/// those that give this side; then which ones. Every irrelevant attribute is true with probability ½.
///
/// ```
/// use lm_core::Sign;
/// use lm_data::generate::{IrrelevantSettings, irrelevant};
///
/// let made = irrelevant(&IrrelevantSettings::default(), 1)?;
/// for (row, &sign) in made.data.labels.signs().iter().enumerate() {
///     let any = made.relevant.iter().any(|&column| made.data.examples.slice(row)[column] == 1.0);
///     assert_eq!(any, sign == Sign::Positive);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for a setting outside its domain.
pub fn irrelevant(settings: &IrrelevantSettings, seed: u64) -> Result<Irrelevant> {
    let threshold = settings.threshold()?;
    let IrrelevantSettings { len, dim, relevant: count, attributes, .. } = *settings;
    let mut values = room(len, dim)?;
    let mut random = Random::new(seed);
    let mut columns: Vec<usize> = (0..dim).collect();
    random.shuffle(&mut columns);
    columns.truncate(count);
    let mut relevant = columns.clone();
    relevant.sort_unstable();
    let value = |truth: bool| match (truth, attributes) {
        (true, _) => 1.0,
        (false, Attributes::ZeroOne) => 0.0,
        (false, Attributes::PlusMinus) => -1.0,
    };
    let mut signs: Vec<Sign> = (0..len).map(super::alternating).collect();
    random.shuffle(&mut signs);
    for &sign in &signs {
        let start = values.len();
        values.extend((0..dim).map(|_| value(random.below(2) == 1)));
        let trues = match sign {
            Sign::Positive => threshold + random.below(count - threshold + 1),
            Sign::Negative => random.below(threshold),
        };
        random.shuffle(&mut columns);
        for (position, &column) in columns.iter().enumerate() {
            values[start + column] = value(position < trues);
        }
    }
    let data = Labelled { examples: Dense::new(values, len, dim)?, labels: BinaryLabels::new(signs)? };
    Ok(Irrelevant { data, relevant })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_decides_every_example() {
        for (seed, rule) in [Rule::Any, Rule::All, Rule::AtLeast(3)].into_iter().enumerate() {
            for attributes in [Attributes::ZeroOne, Attributes::PlusMinus] {
                let settings =
                    IrrelevantSettings::default().with_rule(rule).with_attributes(attributes).with_dim(20);
                let made = irrelevant(&settings, seed as u64).unwrap();
                assert_eq!(made.relevant.len(), 5);
                let needed = [1, 5, 3][seed];
                for (row, &sign) in made.data.labels.signs().iter().enumerate() {
                    let x = made.data.examples.slice(row);
                    let trues = made.relevant.iter().filter(|&&column| x[column] == 1.0).count();
                    assert_eq!(trues >= needed, sign == Sign::Positive, "{rule:?}, row {row}");
                    let other = if attributes == Attributes::ZeroOne { 0.0 } else { -1.0 };
                    assert!(x.iter().all(|&value| value == 1.0 || value == other));
                }
            }
        }
    }

    #[test]
    fn impossible_rules_are_refused() {
        let settings = IrrelevantSettings::default();
        for bad in [
            settings.with_relevant(0),
            settings.with_relevant(101),
            settings.with_rule(Rule::AtLeast(0)),
            settings.with_rule(Rule::AtLeast(6)),
            settings.with_len(1),
        ] {
            assert!(matches!(irrelevant(&bad, 0), Err(Error::Setting { .. })), "{bad:?}");
        }
    }
}
