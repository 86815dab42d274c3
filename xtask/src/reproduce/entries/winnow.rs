//! B14: balanced Winnow.

use lm_core::{Certificate, Dense, Examples, Learner, Sign, TrainingSet};
use lm_data::generate::{Attributes, IrrelevantSettings, irrelevant};
use lm_online::{Bias, LiveWinnow, Perceptron, Winnow};
use rand::rngs::ChaCha8Rng;
use rand::seq::index;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::{Binary, slope};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B14",
    place: "B Alg 7",
    claim: "Balanced Winnow multiplies two sets of weights by powers of α, which makes the weights 2 sinh of the perceptron's \
            sums. It learns faster than the perceptron when most of many features are irrelevant.",
    how: "The listing is run line by line beside the library. Then both learners meet a stream of examples whose label is a \
          disjunction of 3 of 10 to 10000 features, all others being coin tosses, and their mistakes are counted.",
    seed: 14,
    body,
}];

/// `α`: `e^(γ/U)` for the margin `γ = 1` of the disjunction and the 1-norm `U = 5` of its weights, which makes the bound
/// least.
const PROMOTION: f64 = 1.22;

/// How long a stream is.
const EXAMPLES: u64 = 80_000;

/// How many features matter.
const RELEVANT: usize = 3;

fn body(bench: &mut Bench) -> Outcome {
    for dim in [30, 100, 1000] {
        let settings = IrrelevantSettings::default()
            .with_len(400)
            .with_dim(dim)
            .with_relevant(RELEVANT)
            .with_attributes(Attributes::PlusMinus);
        let data = irrelevant(&settings, bench.seed())?.data;
        listing(bench, &data)?;
    }
    growth(bench)
}

/// Algorithm 7 with a⁺ and a⁻ written out, over passes until one makes no mistake.
fn listing(bench: &mut Bench, data: &Binary) -> Outcome {
    let dim = data.examples.dim();
    // The constant attribute 1 is the last one.
    let (mut plus, mut minus) = (vec![1.0_f64; dim + 1], vec![1.0_f64; dim + 1]);
    let mut mistakes: Vec<u32> = Vec::new();
    loop {
        let before = mistakes.len();
        for (row, z) in (0_u32..).zip(data.labels.values()) {
            let y = || data.examples.slice(row as usize).iter().copied().chain([1.0]);
            let score: f64 =
                y().zip(plus.iter().zip(&minus)).map(|(y, (plus, minus))| (plus - minus) * y).sum();
            if z * score <= 0.0 {
                mistakes.push(row);
                for (y, (plus, minus)) in y().zip(plus.iter_mut().zip(&mut minus)) {
                    *plus *= PROMOTION.powf(z * y);
                    *minus *= PROMOTION.powf(-z * y);
                }
            }
        }
        if mistakes.len() == before {
            break;
        }
    }
    let fit = Winnow::default().with_promotion(PROMOTION).fit(&data.examples, &data.labels)?.converged()?;
    let same = mistakes == fit.certificate.journal().mistakes();
    bench.check(
        format!("{dim} features: mistakes of the listing with a⁺ and a⁻, and of the library"),
        "the same ones in the same order",
        format!("{} mistakes, {}", mistakes.len(), if same { "the same ones" } else { "others" }),
        same,
    );
    // Both weights, and 2 sinh of the perceptron's sums over the same mistakes.
    let mut sums = vec![0.0; dim + 1];
    for &row in &mistakes {
        let z = data.labels.signs()[row as usize].value();
        let y = data.examples.slice(row as usize).iter().copied().chain([1.0]);
        sums.iter_mut().zip(y).for_each(|(sum, y)| *sum += z * y);
    }
    let weights: Vec<f64> = plus.iter().zip(&minus).map(|(plus, minus)| plus - minus).collect();
    let scale = weights.iter().fold(0.0_f64, |size, weight| size.max(weight.abs()));
    let off = sums
        .iter()
        .zip(&weights)
        .map(|(v, w)| (2.0 * (v * PROMOTION.ln()).sinh() - w).abs())
        .fold(0.0, f64::max);
    bench.check_at_most(
        format!("{dim} features: a⁺ − a⁻ and 2 sinh(v·ln α), largest difference, relative"),
        1e-12,
        off / scale,
    );
    // The library divides its weights by a common factor where they would grow too large.
    let library: Vec<f64> = fit.model.weights().iter().copied().chain([fit.model.bias()]).collect();
    let largest = library.iter().fold(0.0_f64, |size, weight| size.max(weight.abs()));
    let off = library.iter().zip(&weights).map(|(a, b)| (a / largest - b / scale).abs()).fold(0.0, f64::max);
    bench.check_at_most(format!("{dim} features: the same for the weights of the library"), 1e-12, off);
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    bench.check_valid(format!("{dim} features: replay of Winnow's run"), fit.certificate.verify(&set)?);
    Ok(())
}

/// A stream of examples: the first features are the relevant ones, which no learner can know.
struct Stream {
    random: ChaCha8Rng,
    dim: usize,
    values: Vec<f32>,
    signs: Vec<Sign>,
    /// Eight features for each byte.
    of_byte: Vec<[f32; 8]>,
}

impl Stream {
    fn new(seed: u64, dim: usize) -> Self {
        // At most about 2 MB, so that a block stays in the cache while both learners read it; and 8·d examples are whole
        // blocks, in each of which the two classes are equally many.
        let most = (500_000 / dim).clamp(16, 500);
        let len = (1..=most).rev().find(|len| len % 2 == 0 && (8 * dim).is_multiple_of(*len)).unwrap_or(2);
        let of_byte = |byte: u32| std::array::from_fn(|k| if (byte >> k) & 1 == 1 { 1.0 } else { -1.0 });
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            dim,
            values: vec![0.0; len * dim],
            signs: vec![Sign::Negative; len],
            of_byte: (0..256).map(of_byte).collect(),
        }
    }

    /// Draws the next block; positive and negative examples take turns.
    fn draw(&mut self) {
        for (row, values) in self.values.chunks_mut(self.dim).enumerate() {
            for part in values.chunks_mut(64) {
                let bytes = self.random.random::<u64>().to_le_bytes();
                for (part, byte) in part.chunks_mut(8).zip(bytes) {
                    part.copy_from_slice(&self.of_byte[usize::from(byte)][..part.len()]);
                }
            }
            values[..RELEVANT].fill(-1.0);
            self.signs[row] = if row % 2 == 0 { Sign::Positive } else { Sign::Negative };
            if row % 2 == 0 {
                let count = self.random.random_range(1..=RELEVANT);
                for column in index::sample(&mut self.random, RELEVANT, count) {
                    values[column] = 1.0;
                }
            }
        }
    }
}

/// What was counted on a stream.
struct Counted {
    /// The mistakes of the perceptron on the first 8·d examples.
    early: u64,
    perceptron: u64,
    winnow: u64,
    /// The mistakes of Winnow in the last fifth.
    late: u64,
}

fn count(seed: u64, dim: usize) -> lm_core::Result<Counted> {
    let mut stream = Stream::new(seed, dim);
    let mut perceptron = Perceptron::default().with_bias(Bias::Standard).live(dim)?;
    let mut winnow: LiveWinnow = Winnow::default().with_promotion(PROMOTION).live(dim)?;
    let (mut early, mut before) = (0, 0);
    while perceptron.seen() < EXAMPLES {
        stream.draw();
        let examples = Dense::borrowed(&stream.values, stream.signs.len(), dim)?;
        perceptron.learn_batch(&examples, &stream.signs)?;
        winnow.learn_batch(&examples, &stream.signs)?;
        if perceptron.seen() <= 8 * dim as u64 {
            early = perceptron.corrections();
        }
        if perceptron.seen() <= EXAMPLES / 5 * 4 {
            before = winnow.corrections();
        }
    }
    let (perceptron, winnow) = (perceptron.corrections(), winnow.corrections());
    Ok(Counted { early, perceptron, winnow, late: winnow - before })
}

fn growth(bench: &mut Bench) -> Outcome {
    let dims = [10_usize, 30, 100, 300, 1_000, 3_000, 10_000];
    let (mut early, mut perceptron, mut winnow) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bounds, mut within, mut late) = ([Vec::new(), Vec::new()], 0, 0);
    for dim in dims {
        let counted = count(bench.seed() + dim as u64, dim)?;
        let irrelevant = (dim - RELEVANT) as f64;
        let at = |mistakes: u64| [irrelevant, mistakes as f64];
        early.push(at(counted.early));
        perceptron.push(at(counted.perceptron));
        winnow.push(at(counted.winnow));
        // (R² + 1)(‖u‖² + b²)/γ² for u = (1, 1, 1), b = 2, γ = 1; and 2U²·ln(2(d + 1))/γ² for U = 5.
        let inputs = dim as f64 + 1.0;
        let bound = [7.0 * inputs, 50.0 * (2.0 * inputs).ln()];
        bounds[0].push([irrelevant, bound[0]]);
        bounds[1].push([irrelevant, bound[1]]);
        within += usize::from(counted.perceptron as f64 <= bound[0] && counted.winnow as f64 <= bound[1]);
        late += counted.late;
        bench.check(
            format!(
                "{} irrelevant features of {dim}: mistakes of Winnow and of the perceptron",
                dim - RELEVANT
            ),
            if dim >= 100 { "fewer" } else { "few irrelevant features: no claim" },
            format!("{} and {}", counted.winnow, counted.perceptron),
            dim < 100 || counted.winnow < counted.perceptron,
        );
    }
    bench.check_equal(
        "numbers of features for which both keep to their bounds, 7(d + 1) and 50·ln(2d + 2)",
        dims.len(),
        within,
    );
    bench.check_equal("mistakes of Winnow in the last fifth of all streams: it has learned", 0, late);

    let logs = |points: &[[f64; 2]]| points.iter().map(|[x, y]| [x.ln(), y.ln()]).collect::<Vec<_>>();
    let (power, _) = slope(&logs(&perceptron[1..5]));
    bench.check_close(
        "power of d in the perceptron's mistakes, 30 to 1000 features, all examples",
        1.0,
        power,
        0.1,
    );
    let (power, _) = slope(&logs(&early[2..]));
    bench.check_close("the same for 100 to 10000 features, the first 8·d examples", 1.0, power, 0.1);
    let (power, _) = slope(&logs(&winnow[2..]));
    bench.check_at_most("the same for Winnow's mistakes, 100 to 10000 features, all examples", 0.25, power);
    let line: Vec<[f64; 2]> = winnow.iter().map(|[x, y]| [x.ln(), *y]).collect();
    let (rise, left) = slope(&line);
    bench.check(
        "Winnow's mistakes as a straight line in ln d: slope, and share of the variance that it leaves",
        "above 0; at most 0.05",
        format!("{}; {}", number(rise), number(left)),
        rise > 0.0 && left <= 0.05,
    );
    let svg = Plot::new("irrelevant features", "mistakes")
        .log_x()
        .log_y()
        .marked_series("perceptron", &perceptron)
        .marked_series("balanced Winnow", &winnow)
        .marked_series("perceptron, first 8·d examples", &early)
        .series("bound of the perceptron", &bounds[0])
        .series("bound of Winnow", &bounds[1])
        .render()?;
    bench.figure(
        "irrelevant",
        "Mistakes on a stream of 80000 examples whose label depends on 3 features, against the number of the others: linear for \
         the perceptron, which is not done with 3000 and more features by then, and logarithmic for Winnow.",
        svg,
    )
}
