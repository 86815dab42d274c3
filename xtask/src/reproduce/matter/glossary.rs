//! The words of the page that a reader may not know.

/// A word and what it means.
pub(crate) const WORDS: &[(&str, &str)] = &[
    ("Bias", "The constant b of f(x) = ⟨w·x⟩ + b: it moves the boundary away from the origin."),
    (
        "Certificate",
        "Numbers that come with a result and prove it. Anyone can recompute them from the data without trusting the program; “valid” means that this was done.",
    ),
    ("Convergence", "An iteration that comes as near to its goal as was asked for, and stops there."),
    (
        "Cost C",
        "What a violation of the margin costs in a soft margin machine. Large C: few violations; small C: a wide margin.",
    ),
    (
        "Cross-validation",
        "The data are cut into parts; each part is predicted by a machine that learned from the others.",
    ),
    ("Dual form", "The same problem with one unknown for each example instead of one for each attribute."),
    (
        "Duality gap",
        "A primal value is always at least as large as a dual value. Their difference bounds how far either is from the best: if it is 0, both are optimal.",
    ),
    ("Gram matrix", "The table of the inner products, or kernel values, of all pairs of examples."),
    ("Hyperplane", "A flat boundary: a point on a line, a line in the plane, a plane in space, and so on."),
    (
        "Inner product",
        "⟨w·x⟩ = w₁x₁ + w₂x₂ + …: a measure of how much two vectors point in the same direction.",
    ),
    (
        "Kernel",
        "A function of two objects that is an inner product in some space. It lets linear methods draw curved boundaries, or work on texts and graphs.",
    ),
    ("Loss", "What an error costs, as a function of its size."),
    (
        "Margin",
        "How far an example is on its right side of the boundary; negative if it is on the wrong side.",
    ),
    ("Monte Carlo", "Trying many random cases. The seed makes them the same ones in every run."),
    (
        "Multiplier α",
        "The weight of an example in a dual form. Examples with α = 0 do not matter for the result.",
    ),
    ("Norm", "The length ‖w‖ of a vector, √(w₁² + w₂² + …)."),
    ("Overfitting", "Learning the accidents of the examples rather than their rule."),
    ("Primal form", "A problem stated in terms of the weights w and the bias b."),
    ("Regularisation", "A price on large weights, which keeps a function calm."),
    (
        "Seed",
        "The number that random numbers are made from. The same seed gives the same numbers, on every machine.",
    ),
    ("Separable", "Two classes between which a hyperplane fits without an error."),
    ("Slack ξ", "By how much an example falls short of the margin that is asked for."),
    (
        "Support vector",
        "An example whose multiplier is not 0. The support vectors alone determine the machine; figures show them ringed.",
    ),
];
