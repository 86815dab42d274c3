//! What the claims of source D say: linear discriminant analysis, logistic regression and margins.

use super::{Matter, say};

pub(super) const CLAIMS: &[Matter] = &[
    say(
        "D01",
        "The direction of linear discriminant analysis",
        &["J(@w) = frac{⟨@w, @m_+ − @m_−⟩^2}{σ_{@w,+}^2 + σ_{@w,−}^2},  @w^* = C_W^{−1}(@m_+ − @m_−)"],
        "m₊, m₋: means of the classes; C_W: covariance within the classes; σ: scatter of the projections",
        "Turn the data until the classes look as far apart as possible. There is a formula for that angle.",
    ),
    say(
        "D02",
        "Where to cut",
        &["f(@x) = sign(⟨@w, @x⟩ + b),  b = argmin \"training errors\""],
        "b: the threshold along the direction",
        "Knowing the direction, one still has to choose the place of the boundary: by counting errors, or by least squares.",
    ),
    say(
        "D03",
        "Least squares gives the same direction",
        &["argmin_{@w,w_0} ∑_i (Y_i − ⟨@w, X_i⟩ − w_0)^2 ∝ C_W^{−1}(@m_+ − @m_−)"],
        "Y = ±1: labels as targets",
        "Fit the labels ±1 as if they were measurements. The line that results points in the direction of discriminant analysis.",
    ),
    say(
        "D04",
        "More than two classes",
        &["C = C_B + C_W,  C_B@w = λC_W@w"],
        "C_B, C_W: covariance between and within classes; λ: the criterion of a direction",
        "All variation is variation between classes plus variation within them. The best views of the data maximise the one against the other.",
    ),
    say(
        "D05",
        "Logistic regression",
        &["min frac{1}{n}∑_i log(1 + exp(−Y_i⟨@w, @φ(X_i)⟩))", "@w ← (Φ^tRΦ)^{−1}Φ^tR@z"],
        "second line: a weighted least squares step; R: weights p(1 − p); z: working targets",
        "Probabilities instead of hard classes. If the classes can be separated without error, the best weights are infinite, and the learner says so.",
    ),
    say(
        "D06",
        "Regularised logistic regression",
        &["min frac{1}{n}∑_i log(1 + exp(−Y_i⟨@w, @φ(X_i)⟩)) + λ‖@w‖^2"],
        "λ: the price on large weights",
        "With a price on weights there is always one best answer, and a kernel version of it.",
    ),
    say(
        "D07",
        "A far group of examples",
        &["log(1 + e^{−yf}) → 0  \"for\"  yf → ∞,  \"but\"  (y − f)^2 → ∞"],
        "yf: margin of an example",
        "Examples far on their own side are easy. Logistic regression ignores them; discriminant analysis turns towards them and gets worse.",
    ),
    say(
        "D08",
        "The canonical hyperplane",
        &["min_i |⟨@w, X_i⟩ + b| = 1,  ρ = frac{1}{‖@w‖}"],
        "ρ: distance of the nearest example",
        "The same boundary has many formulas. Fixing the nearest example at the value 1 leaves one, and then short weights mean a wide margin.",
    ),
    say(
        "D09",
        "Nearest points of two hulls",
        &["min ‖∑_{Y_i=1} α_iX_i − ∑_{Y_j=−1} α_jX_j‖^2,  ∑_{Y_i=1} α_i = ∑_{Y_j=−1} α_j = 1,  α ≥ 0"],
        "a convex hull: all mixtures of the examples of one class",
        "Stretch a rubber band around each class. The widest strip runs halfway between the two nearest points of the bands.",
    ),
    say(
        "D10",
        "Soft margin with C/n",
        &["min frac{1}{2}‖@w‖^2 + frac{C}{n}∑_i ξ_i,  Y_i(⟨@w, X_i⟩ + b) ≥ 1 − ξ_i,  ξ_i ≥ 0"],
        "C/n: the cost of slack, shared among n examples",
        "As C grows from 10 to 10 000 the strip narrows and fewer examples lie inside it. The four panels show it.",
    ),
    say(
        "D11",
        "The hinge form",
        &["min frac{1}{2}‖@w‖^2 + frac{C}{n}∑_i max(0, 1 − Y_i(⟨@w, X_i⟩ + b))"],
        "max(0, 1 − Y f): the hinge loss",
        "The slack of the soft margin is nothing but a loss function with a kink. Without constraints, the same machine.",
    ),
];
