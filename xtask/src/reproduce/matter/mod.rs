//! What the page says about every claim besides its experiment: a title, the formulas, their letters, and the matter in
//! plain words.
//!
//! Formulas are written in the notation of [`super::notation`].

mod a;
mod b;
mod c;
mod d;
mod e;
mod glossary;

pub(super) use glossary::WORDS;

/// What is said about a claim.
pub(super) struct Matter {
    /// The id of the claim.
    pub(super) id: &'static str,
    /// A few words.
    pub(super) title: &'static str,
    /// The formulas, one a line.
    pub(super) formulas: &'static [&'static str],
    /// What the letters stand for.
    pub(super) letters: &'static str,
    /// The matter in plain words.
    pub(super) plain: &'static str,
}

const fn say(
    id: &'static str,
    title: &'static str,
    formulas: &'static [&'static str],
    letters: &'static str,
    plain: &'static str,
) -> Matter {
    Matter { id, title, formulas, letters, plain }
}

/// A source.
pub(super) struct Source {
    /// The first letter of the ids of its claims.
    pub(super) letter: char,
    /// What it is about.
    pub(super) title: &'static str,
    /// Where the places of its claims are to be looked up.
    pub(super) what: &'static str,
    claims: &'static [Matter],
}

/// The sources, in order.
pub(super) const SOURCES: [Source; 5] = [
    Source {
        letter: 'A',
        title: "Linear learning machines",
        what: "A chapter of a textbook on support vector machines: perceptrons, margins, Fisher's discriminant, linear regression, \
               and the dual form of them all. Places are numbers of its sections, tables, theorems and remarks (chapter 2).",
        claims: a::CLAIMS,
    },
    Source {
        letter: 'B',
        title: "Linear discriminant functions",
        what: "A lecture on pattern classification: decision surfaces, descent procedures, minimum squared error, linear programs \
               and support vector machines. Places are its sections, algorithms, figures and exercises (chapter 5).",
        claims: b::CLAIMS,
    },
    Source {
        letter: 'C',
        title: "Support vector machines",
        what: "The chapter of the same textbook on the machines themselves: maximal margin, soft margins, regression, Gaussian \
               processes. Places are its propositions, remarks and figures (chapter 6).",
        claims: c::CLAIMS,
    },
    Source {
        letter: 'D',
        title: "Linear classification",
        what: "A section of lecture notes: linear discriminant analysis, logistic regression and support vector machines in one \
               notation. Places are its lemmas, definitions, equations and figures (section 4.2).",
        claims: d::CLAIMS,
    },
    Source {
        letter: 'E',
        title: "Linear models revisited",
        what: "Slides of a lecture: perceptron, hard and soft margin, the kernel trick, and what becomes of them on real data. \
               Places are its sections (lecture 4).",
        claims: e::CLAIMS,
    },
];

/// What is said about the claim with this id.
pub(super) fn of(id: &str) -> Option<&'static Matter> {
    SOURCES.iter().flat_map(|source| source.claims).find(|matter| matter.id == id)
}

/// The ids of all claims, in order.
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().flat_map(|source| source.claims).map(|matter| matter.id)
}

#[cfg(test)]
mod tests {
    use super::super::notation;
    use super::*;

    #[test]
    fn there_are_91_claims_in_order() {
        let ids: Vec<_> = ids().collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        let count = |letter| ids.iter().filter(|id| id.starts_with(letter)).count();
        assert_eq!(['A', 'B', 'C', 'D', 'E'].map(count), [20, 28, 23, 11, 9]);
        assert_eq!(ids.len(), 91);
    }

    #[test]
    fn everything_is_said_about_every_claim_and_every_formula_can_be_set() {
        for matter in SOURCES.iter().flat_map(|source| source.claims) {
            let texts = [matter.title, matter.letters, matter.plain];
            assert!(texts.iter().all(|text| !text.trim().is_empty()), "{}", matter.id);
            assert!(matter.plain.ends_with('.'), "{}", matter.id);
            assert!(!matter.formulas.is_empty(), "{}", matter.id);
            for formula in matter.formulas {
                let set = notation::mathml(formula);
                assert!(set.starts_with("<math") && !set.contains("merror"), "{}: {set}", matter.id);
                assert!(!notation::plain(formula).contains(['{', '}', '@', '"']), "{}", matter.id);
            }
        }
    }

    #[test]
    fn the_documents_link_every_claim_to_its_entry() {
        let path = crate::root::workspace_root().join("docs/REPRODUCTION.md");
        let text = std::fs::read_to_string(path).unwrap();
        for matter in SOURCES.iter().flat_map(|source| source.claims) {
            let row = format!(
                "| [{id}](../target/reproduce/index.html#{id}) | {} |\n",
                matter.title,
                id = matter.id
            );
            assert!(text.contains(&row), "docs/REPRODUCTION.md lacks {row}");
        }
    }

    #[test]
    fn the_words_are_in_order() {
        assert!(WORDS.is_sorted_by(|a, b| a.0.to_lowercase() < b.0.to_lowercase()));
    }
}
