//! A11 and A12: the perceptron in dual form, and what its coefficients say.

use lm_bounds::mistakes::novikoff;
use lm_core::basis::{FeatureMap, PolynomialMap};
use lm_core::{
    BinaryLabels, Certificate, Dense, Hypothesis, Learner, Margins, Sign, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{Cloud, SeparableSettings, Spread, chess_board, gaussians, separable, two_moons};
use lm_online::{Bias, DualPerceptron, Order, Perceptron};
use lm_qp::linear::LinearSvc;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, line, of_class, pair, point, wrong};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A11",
        place: "A Table 2.2, eq 2.1",
        claim: "The perceptron in dual form, which counts the mistakes αᵢ on each example, takes the same course as the primal \
                one with η = 1; the inner product may be any kernel.",
        how: "Both forms learn digits and generated sets in given and random order. Under a polynomial kernel the dual form is \
              compared with the primal one on the monomials of the kernel; under a Gaussian one it learns what no \
              hyperplane separates.",
        seed: 11,
        body: same_mistakes,
    },
    Entry {
        id: "A12",
        place: "A Rem 2.10",
        claim: "Every mistake adds 1 to one αᵢ, so ‖α‖₁ is the number of mistakes and at most (2R/γ)². Examples that are harder \
                to learn have the larger αᵢ, and on data that are not separable those of misclassified points grow without \
                end.",
        how: "α is summed over 200 orders of one set, and compared with the distances to the hyperplane of largest margin. Then \
              a set with two wrong labels is run for more and more passes.",
        seed: 12,
        body: difficulty,
    },
];

fn same_mistakes(bench: &mut Bench) -> Outcome {
    let settings = SeparableSettings::default().with_len(300).with_margin(0.01).with_dim(10).with_bias(0.3);
    let sets = [
        ("digits 3 and 8", pair(&classic::digits()?.data, [3.0, 8.0])?),
        ("300 examples in 10 dimensions", separable(&settings, bench.seed())?.data),
    ];
    for (name, data) in &sets {
        for bias in [Bias::Radius, Bias::Standard, Bias::None] {
            let order = Order::Shuffled { seed: 3 };
            compare(
                bench,
                &format!("{name}, bias step {bias:?}"),
                data,
                VectorKernel::linear(),
                order,
                bias,
            )?;
        }
        compare(
            bench,
            &format!("{name}, given order"),
            data,
            VectorKernel::linear(),
            Order::Given,
            Bias::Radius,
        )?;
    }
    let moons = two_moons(200, 0.1, bench.seed())?;
    for degree in [3, 4] {
        let kernel = VectorKernel::polynomial(degree, 1.0, 1.0)?;
        let name = format!("two moons, (⟨x·z⟩ + 1)^{degree}");
        compare(bench, &name, &moons, kernel, Order::Given, Bias::Radius)?;
    }
    gaussian(bench)
}

/// The dual form under a kernel beside the primal form on the features of that kernel.
fn compare(
    bench: &mut Bench,
    name: &str,
    data: &Binary,
    kernel: VectorKernel,
    order: Order,
    bias: Bias,
) -> Outcome {
    const PASSES: u64 = 300;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let learner = DualPerceptron::default().with_order(order).with_bias(bias).with_passes(PASSES);
    let dual = learner.fit(&gram, &data.labels)?;
    let linear = kernel == VectorKernel::linear();
    let features: Dense<'static> =
        if linear { data.examples.clone() } else { PolynomialMap::new(kernel, 2)?.expand(&data.examples)? };
    let learner = Perceptron::default().with_order(order).with_bias(bias).with_passes(PASSES);
    let primal = learner.fit(&features, &data.labels)?;
    let mistakes = dual.certificate.journal().mistakes();
    let same = mistakes == primal.certificate.journal().mistakes();
    bench.check(
        format!("{name}: mistakes of both forms"),
        "the same ones in the same order",
        format!(
            "{} mistakes, {}",
            mistakes.len(),
            if same { "the same ones in the same order" } else { "others" }
        ),
        same,
    );
    // Equation 2.1: the same function.
    let (a, b) = (dual.model.decision_values(&gram)?, primal.model.decision_values(&features)?);
    let size = b.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size;
    bench.check_at_most(format!("{name}: largest difference of the two functions, relative"), 1e-10, off);
    bench.check_valid(
        format!("{name}: replay of the dual run"),
        dual.certificate.verify(&TrainingSet::new(&gram, &data.labels)?)?,
    );
    Ok(())
}

fn gaussian(bench: &mut Bench) -> Outcome {
    let board = chess_board(300, 4, bench.seed())?;
    let kernel = VectorKernel::gaussian(20.0)?;
    let gram = VectorGram::new(&board.examples, kernel)?;
    let fit = DualPerceptron::default().fit(&gram, &board.labels)?.converged()?;
    let wrong = wrong(&fit.model, &gram, &board.labels)?;
    bench.check_equal("chess board of 4 × 4 cells, Gaussian kernel: examples on the wrong side", 0, wrong);
    bench.check_valid(
        "chess board: replay",
        fit.certificate.verify(&TrainingSet::new(&gram, &board.labels)?)?,
    );
    let machine = fit.model.over_vectors(&board.examples, kernel)?;
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .contours(|x, y| machine.decision(&[x, y]).unwrap_or(f64::NAN), &[("boundary", 0.0, Stroke::SOLID)])
        .points("class −1", 0, &of_class(&board, Sign::Negative))
        .points("class +1", 1, &of_class(&board, Sign::Positive))
        .render()?;
    bench.figure(
        "board",
        format!(
            "The dual perceptron under a Gaussian kernel on a chess board, after {} mistakes: all 300 examples on their side.",
            fit.certificate.journal().corrections()
        ),
        svg,
    )
}

fn difficulty(bench: &mut Bench) -> Outcome {
    const ORDERS: u64 = 200;
    let settings = SeparableSettings::default().with_len(120).with_margin(0.06).with_bias(0.2);
    let data = separable(&settings, bench.seed())?.data;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let best = LinearSvc::default()
        .with_cost(1e4)
        .with_gap(1e-8)
        .fit(&data.examples, &data.labels)?
        .converged()?
        .model;
    let distances = Margins::geometric(&best, &set)?;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let gram_set = TrainingSet::new(&gram, &data.labels)?;
    let radius = (0..120)
        .map(|row| data.examples.slice(row)[0].hypot(data.examples.slice(row)[1]))
        .fold(0.0, f64::max);
    let bound = novikoff::with_bias(radius, distances.minimum())?;

    let mut alpha = vec![0_u64; 120];
    let (mut equal, mut valid, mut most) = (0, 0, 0.0_f64);
    for seed in 0..ORDERS {
        let learner = DualPerceptron::default().with_order(Order::Shuffled { seed });
        let fit = learner.fit(&gram, &data.labels)?.converged()?;
        let norm: f64 = fit.model.coefficients().iter().map(|coefficient| coefficient.abs()).sum();
        let journal = fit.certificate.journal();
        equal += u64::from(norm == journal.corrections() as f64);
        valid += u64::from(fit.certificate.verify(&gram_set)?.is_valid());
        most = most.max(norm);
        alpha.iter_mut().zip(journal.counts()).for_each(|(alpha, count)| *alpha += count);
    }
    bench.check_equal("runs in which ‖α‖₁ is the number of mistakes", ORDERS, equal);
    bench.check_equal("runs that pass their replay", ORDERS, valid);
    bench.check_at_most("largest ‖α‖₁, against (2R/γ)² for the largest margin γ", bound, most);

    let mut by_alpha: Vec<usize> = (0..120).collect();
    by_alpha.sort_by_key(|&row| std::cmp::Reverse(alpha[row]));
    let mut by_distance: Vec<usize> = (0..120).collect();
    by_distance.sort_by(|&a, &b| distances.values()[a].total_cmp(&distances.values()[b]));
    let nearest = &by_distance[..20];
    let hardest = &by_alpha[..12];
    let among = hardest.iter().filter(|row| nearest.contains(row)).count();
    bench.check(
        "the 12 examples with the largest α that are among the 20 nearest to the hyperplane of largest margin",
        "most: at least 10",
        among.to_string(),
        among >= 10,
    );
    let share = |rows: &[usize]| {
        let total: u64 = alpha.iter().sum();
        rows.iter().map(|&row| alpha[row]).sum::<u64>() as f64 / total as f64
    };
    bench.check_at_least(
        "share of all mistakes that the nearest sixth of the examples takes",
        0.5,
        share(nearest),
    );
    bench.check_at_most("share that the farthest half takes", 0.1, share(&by_distance[60..]));
    bench.check_at_most(
        "rank correlation of α and the distance to the hyperplane",
        -0.5,
        rank_correlation(&alpha.iter().map(|&count| count as f64).collect::<Vec<_>>(), distances.values()),
    );

    let hard: Vec<[f64; 2]> = hardest.iter().map(|&row| point(&data, row)).collect();
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-1.05, 1.05)
        .y_range(-1.05, 1.05)
        .line("largest margin", line(&best), Stroke::SOLID)
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive))
        .rings("the 12 largest α", &hard)
        .render()?;
    bench.figure(
        "hardest",
        "The examples on which the perceptron made most mistakes, over 200 orders, lie at the boundary.",
        svg,
    )?;
    let places: Vec<[f64; 2]> =
        alpha.iter().zip(distances.values()).map(|(&a, &d)| [d, a as f64 / ORDERS as f64]).collect();
    let svg = Plot::new("distance to the hyperplane of largest margin", "mean α")
        .points("", 0, &places)
        .render()?;
    bench.figure(
        "distance",
        "The mean α of an example against its distance to the hyperplane of largest margin.",
        svg,
    )?;
    growth(bench)
}

/// Spearman's rank correlation; equal values share their mean rank.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let rank = |value: &f64| {
            let below = values.iter().filter(|other| *other < value).count();
            let equal = values.iter().filter(|other| *other == value).count();
            below as f64 + 0.5 * (equal as f64 - 1.0)
        };
        values.iter().map(rank).collect()
    };
    let (a, b) = (ranks(a), ranks(b));
    let middle = 0.5 * (a.len() as f64 - 1.0);
    let product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

/// Two well separated clouds and two examples with the wrong label: their coefficients grow with the passes.
fn growth(bench: &mut Bench) -> Outcome {
    let cloud = |class, x| Cloud { class, len: 40, mean: vec![x, 0.0], spread: Spread::Round(0.4) };
    let made = gaussians(&[cloud(0, -2.0), cloud(1, 2.0)], bench.seed())?;
    let mut signs = made.labels.one_against_rest(1)?.signs().to_vec();
    let flipped = [0, 40];
    flipped.iter().for_each(|&row| signs[row] = signs[row].flipped());
    let labels = BinaryLabels::new(signs)?;
    let gram = VectorGram::new(&made.examples, VectorKernel::linear())?;
    let mut points: [Vec<[f64; 2]>; 2] = [Vec::new(), Vec::new()];
    let mut figures = Vec::new();
    for passes in [50, 100, 200, 400, 800] {
        let fit = DualPerceptron::default().with_passes(passes).fit(&gram, &labels)?;
        bench.check_valid(
            format!("two wrong labels, {passes} passes: replay"),
            fit.certificate.verify(&TrainingSet::new(&gram, &labels)?)?,
        );
        let counts = fit.certificate.journal().counts();
        let of_wrong = flipped.iter().map(|&row| counts[row]).min().unwrap_or(0);
        let others = (0..counts.len()).filter(|row| !flipped.contains(row)).map(|row| counts[row]);
        let mean = others.sum::<u64>() as f64 / (counts.len() - flipped.len()) as f64;
        points[0].push([passes as f64, of_wrong as f64]);
        points[1].push([passes as f64, mean]);
        figures.push(of_wrong);
    }
    let grows = figures.windows(2).all(|pair| pair[1] as f64 >= 1.8 * pair[0] as f64);
    bench.check(
        "the smaller α of the two wrong labels after 50, 100, 200, 400 and 800 passes",
        "grows with the passes",
        format!("{figures:?}"),
        grows && figures[0] > 0,
    );
    let last = points.each_ref().map(|points| points[points.len() - 1][1]);
    bench.check_at_least("after 800 passes, over the mean α of the others", 5.0, last[0] / last[1]);
    Ok(())
}
