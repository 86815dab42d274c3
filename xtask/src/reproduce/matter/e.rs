//! What the claims of source E say: perceptrons, margins and kernels revisited.

use super::{Matter, say};

pub(super) const CLAIMS: &[Matter] = &[
    say(
        "E01",
        "The perceptron and its relatives",
        &["ŷ = 1(@w·@x ≥ 0),  @w ← @w + α(y − ŷ)@x,  y = 0 \"or\" 1"],
        "α: learning rate; 1(…): 1 if true, 0 if not",
        "The same machine with the labels 0 and 1; and variants that vote, average, seek the widest margin, or put a layer of random units in front.",
    ),
    say(
        "E02",
        "Hinge loss by descent",
        &["min frac{1}{2}‖@w‖^2 + C∑_i max(0, 1 − y_i(@w·@x_i + b))"],
        "C: cost of a violated margin",
        "A support vector machine can also be trained by walking downhill, one example at a time. It arrives at the same value.",
    ),
    say(
        "E03",
        "Polynomial and Gaussian kernels",
        &["K(@u, @v) = (1 + @u·@v)^p", "K(@u, @v) = exp(−γ‖@u − @v‖^2),  γ = frac{1}{2σ^2}"],
        "p: degree; γ or σ: the width",
        "Two kernels that are used everywhere. One multiplies attributes with each other; the other measures how near two points are.",
    ),
    say(
        "E04",
        "Mercer's condition",
        &["K_{ij} = K_{ji},  @v^tK@v ≥ 0  \"for all\" @v"],
        "K: the table of all kernel values",
        "A table of similarities is a table of inner products exactly if no mixture of examples has a negative squared length. Where it fails, such a mixture is shown.",
    ),
    say(
        "E05",
        "Kernels on texts, sequences and graphs",
        &["K(s, t) = ∑_{|u|=p} #_u(s) #_u(t)", "K(s, t) = ∑_{|u|=p} ∑_{s[i]=u} ∑_{t[j]=u} λ^{ℓ(i)+ℓ(j)}"],
        "#ᵤ(s): how often the word u occurs in s; ℓ(i): the length over which the letters are spread; λ < 1 punishes gaps",
        "Count common pieces of two objects, and any linear method works on them: no table of attributes needed.",
    ),
    say(
        "E06",
        "Life beyond support vector machines",
        &["⟨@x·@z⟩ ↦ K(@x, @z)"],
        "wherever a method uses only inner products",
        "Ridge and logistic regression, nearest neighbours, the perceptron and principal components all learn to bend with a kernel.",
    ),
    say(
        "E07",
        "Three properties of the optimal machine",
        &["@w = ∑_i α_iy_i@x_i,  α_i ≠ 0 ⇒ y_i(@x_i·@w + b) = 1"],
        "α: multipliers",
        "The weights are a mixture of the examples; only inner products are needed to find them; and few examples take part.",
    ),
    say(
        "E08",
        "Handwritten digits",
        &["f_{ab}(@x) = ∑_i α_iy_iK(@x_i, @x) + b_{ab},  \"one for each pair of digits\" a, b"],
        "x: the pixels of an image; the digit with most votes of the pairs wins",
        "The classic trial of support vector machines. They are shown nothing but numbers, and would read shuffled pixels just as well.",
    ),
    say(
        "E09",
        "Scores, margins and probabilities",
        &["p(y = 1|@x) = frac{1}{1 + e^{Af(@x) + B}},  p(i|@x) = frac{e^{f_i(@x)}}{∑_j e^{f_j(@x)}}"],
        "A, B: fitted to scores of examples that were held out (Platt scaling); the second is the softmax",
        "A score says which class and how clearly. Scaled rightly it becomes a probability: of all cases that are given 80 %, about 80 % should be true.",
    ),
];
