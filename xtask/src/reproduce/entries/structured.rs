//! E05: machines trained on texts, sequences and graphs.

use lm_core::kernel::algebra::Normalised;
use lm_core::kernel::graph::{Graph, WeisfeilerLehman, WeisfeilerLehmanEmbedding};
use lm_core::kernel::sequence::{GapWeighted, Spectrum, SpectrumEmbedding};
use lm_core::{
    BinaryLabels, Budget, Certificate, Examples, Gram, Hypothesis, Kernel, Learner, MatrixGram, ObjectGram,
    TrainingSet,
};
use lm_qp::CSvc;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::HeatMap;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "E05",
    place: "E 4.5",
    claim: "Kernels define inner products of texts, sequences and graphs, so that learning algorithms work on them directly, \
            without first turning them into vectors.",
    how: "Values are compared with known ones and with explicit features. Machines are trained on sentences in two languages \
          (p-spectrum), on letter sequences that hide a word with gaps (gap-weighted subsequences) and on labelled graphs of \
          the same vertices joined in two ways (Weisfeiler–Lehman), and tested on objects they have not seen.",
    seed: 5,
    body,
}];

const ENGLISH: [&str; 20] = [
    "the river was high after the rain",
    "she put the letter on the kitchen table",
    "a small boat waited at the end of the pier",
    "nobody knew when the train would leave",
    "he had forgotten where he parked the car",
    "the children played in the old orchard",
    "we walked along the beach until it was dark",
    "the baker opened his shop before sunrise",
    "there was nothing left in the cupboard",
    "they sold their house and moved away",
    "the lamp in the hallway is broken again",
    "my brother plays the violin very well",
    "the garden needs water every evening",
    "it took them an hour to climb the hill",
    "the museum is closed on the first day of the week",
    "his answer was short but friendly",
    "the cat sleeps on the warm stones",
    "she reads the newspaper with her coffee",
    "a strong wind blew through the valley",
    "the clock in the tower has stopped",
];

const GERMAN: [&str; 20] = [
    "der fluss war nach dem regen sehr hoch",
    "sie legte den brief auf den tisch in der kueche",
    "ein kleines boot wartete am ende des stegs",
    "niemand wusste wann der zug abfahren wuerde",
    "er hatte vergessen wo sein wagen stand",
    "die kinder spielten im alten obstgarten",
    "wir gingen am strand entlang bis es dunkel wurde",
    "der baecker oeffnete seinen laden vor der sonne",
    "es war nichts mehr im schrank",
    "sie verkauften ihr haus und zogen weg",
    "die lampe im flur ist schon wieder kaputt",
    "mein bruder spielt sehr gut geige",
    "der garten braucht jeden abend wasser",
    "sie brauchten eine stunde auf den berg",
    "das museum ist am ersten tag der woche geschlossen",
    "seine antwort war kurz aber freundlich",
    "die katze schlaeft auf den warmen steinen",
    "sie liest die zeitung zum kaffee",
    "ein starker wind wehte durch das tal",
    "die uhr im turm ist stehen geblieben",
];

fn body(bench: &mut Bench) -> Outcome {
    known_values(bench)?;
    texts(bench)?;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    sequences(bench, &mut random)?;
    graphs(bench, &mut random)
}

fn known_values(bench: &mut Bench) -> Outcome {
    let three = Spectrum::new(3)?;
    bench.check_close(
        "3-spectrum of “statistics” and “computation” (tat, ati)",
        2.0,
        three.value("statistics", "computation"),
        0.0,
    );
    let gaps = GapWeighted::new(2, 0.5)?;
    bench.check_close(
        "gap-weighted “cat”, “car”, length 2, λ = ½: λ⁴",
        0.0625,
        gaps.value("cat", "car"),
        0.0,
    );
    let normal = Normalised::new(gaps).value("cat", "car");
    bench.check_close("the same, normalised: 1/(2 + λ²)", 1.0 / 2.25, normal, 1e-15);
    let path = Graph::new(vec![0; 3], &[(0, 1), (1, 2)])?;
    let triangle = Graph::new(vec![0; 3], &[(0, 1), (1, 2), (2, 0)])?;
    bench.check_close(
        "Weisfeiler–Lehman, one round, of a path and a triangle: 9 + 1·3",
        12.0,
        WeisfeilerLehman::new(1).value(&path, &triangle),
        0.0,
    );
    Ok(())
}

/// Trains on some objects, tests on others, and records how it went.
fn train<X, K>(
    bench: &mut Bench,
    name: &str,
    objects: &[X],
    labels: &[i64],
    tests: (&[X], &[i64]),
    kernel: K,
) -> Outcome
where
    X: Clone + Send + Sync,
    K: Kernel<X> + Copy + Send,
{
    // All pairs once: the machine and its certificate ask for them again and again.
    let gram = MatrixGram::computed(&ObjectGram::new(objects, kernel), &Budget::default())?;
    let labels = BinaryLabels::from_integers(labels)?;
    let fit = CSvc::default().with_cost(10.0).fit(&gram, &labels)?.converged()?;
    let verdict = fit.certificate.verify(&TrainingSet::new(&gram, &labels)?)?;
    let gap = fit.certificate.figures().relative_gap();
    bench.check(
        format!("{name}: relative duality gap of the machine, recomputed"),
        "≤ 1e−6, valid",
        format!("{gap:.1e}, {verdict}"),
        gap <= 1e-6 && verdict.is_valid(),
    );
    let machine = fit.model.over_objects(objects, kernel)?;
    let right = |set: &[X], classes: &[i64]| -> Result<usize, lm_core::Error> {
        let given = machine.signs(set)?;
        Ok(given.iter().zip(classes).filter(|(sign, class)| labels.class_of(**sign) == **class).count())
    };
    let (seen, unseen) = (
        right(objects, &labels.signs().iter().map(|s| labels.class_of(*s)).collect::<Vec<_>>())?,
        right(tests.0, tests.1)?,
    );
    bench.check_equal(
        format!("{name}: right on the {} objects trained on", objects.len()),
        objects.len(),
        seen,
    );
    bench.check_at_least(
        format!("{name}: right on {} objects not seen", tests.1.len()),
        0.9 * tests.1.len() as f64,
        unseen as f64,
    );
    Ok(())
}

fn texts(bench: &mut Bench) -> Outcome {
    let sentence = |half: std::ops::Range<usize>| -> (Vec<String>, Vec<i64>) {
        let both = ENGLISH[half.clone()].iter().map(|s| (s, 0)).chain(GERMAN[half].iter().map(|s| (s, 1)));
        both.map(|(text, class)| ((*text).to_string(), class)).unzip()
    };
    let ((known, labels), (unknown, truth)) = (sentence(0..12), sentence(12..20));
    let kernel = Spectrum::new(3)?;
    train(bench, "sentences, 3-spectrum", &known, &labels, (&unknown, &truth), Normalised::new(kernel))?;

    let embedding = SpectrumEmbedding::of_text(kernel, &known)?;
    let mut same = true;
    for i in 0..known.len() {
        for j in 0..known.len() {
            let explicit = embedding.counts().row(i).dot(&embedding.counts().row(j));
            same &= explicit == kernel.value(&known[i], &known[j]);
        }
    }
    bench.check(
        "3-spectrum kernel and inner product of counts, 24 × 24 sentences",
        "equal",
        if same { "equal to the bit" } else { "different" },
        same,
    );

    let gram = ObjectGram::new(&known[..], Normalised::new(kernel));
    let mut values = vec![0.0; known.len() * known.len()];
    gram.fill(&(0..known.len()).collect::<Vec<_>>(), lm_core::Columns::All, &mut values)?;
    let names: Vec<String> =
        (1..=24).map(|k| if k <= 12 { format!("E{k}") } else { format!("G{}", k - 12) }).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let svg =
        HeatMap::new("sentence", "sentence", &names, &names, &values).scale_label("kernel value").render()?;
    bench.figure(
        "texts",
        "Gram matrix of twelve English and twelve German sentences under the normalised 3-spectrum kernel.",
        svg,
    )
}

/// Letters at random, with the word “kern” read off in order, with gaps of up to two, or its letters in another order.
fn sequences(bench: &mut Bench, random: &mut ChaCha8Rng) -> Outcome {
    let mut make = |count: usize| -> (Vec<String>, Vec<i64>) {
        (0..count)
            .map(|k| (letters(random, if k % 2 == 0 { "kern" } else { "nrek" }), (k % 2) as i64))
            .unzip()
    };
    let ((known, labels), (unknown, truth)) = (make(60), make(60));
    train(
        bench,
        "letters with a hidden word, gap-weighted",
        &known,
        &labels,
        (&unknown, &truth),
        Normalised::new(GapWeighted::new(3, 0.7)?),
    )
}

fn letters(random: &mut ChaCha8Rng, word: &str) -> String {
    let mut noise = |most: u32| -> String {
        (0..random.random_range(0..=most)).map(|_| ['a', 'b', 'c'][random.random_range(0..3)]).collect()
    };
    let mut text = noise(5);
    for letter in word.chars() {
        text.push(letter);
        text.push_str(&noise(2));
    }
    text.push_str(&noise(5));
    text
}

/// Trees that hold three marked vertices in a row, in one of two orders: like molecules of the same atoms.
fn graphs(bench: &mut Bench, random: &mut ChaCha8Rng) -> Outcome {
    let mut make = |count: usize| -> Result<(Vec<Graph>, Vec<i64>), lm_core::Error> {
        let graphs = (0..count).map(|k| molecule(random, k % 2 == 0)).collect::<Result<Vec<_>, _>>()?;
        Ok((graphs, (0..count).map(|k| i64::from(k % 2 == 0)).collect()))
    };
    let ((known, labels), (unknown, truth)) = (make(60)?, make(60)?);
    let kernel = WeisfeilerLehman::new(2);
    let name = "graphs of the same vertices in two orders, Weisfeiler–Lehman";
    train(bench, name, &known, &labels, (&unknown, &truth), Normalised::new(kernel))?;
    let embedding = WeisfeilerLehmanEmbedding::new(kernel, &known)?;
    let pairs = || (0..known.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let same = pairs().all(|(i, j)| {
        embedding.counts().row(i).dot(&embedding.counts().row(j)) == kernel.value(&known[i], &known[j])
    });
    bench.check(
        "Weisfeiler–Lehman kernel and inner product of counts, all pairs of 60 graphs",
        "equal",
        if same { "equal to the bit" } else { "different" },
        same,
    );
    Ok(())
}

fn molecule(random: &mut ChaCha8Rng, inside: bool) -> Result<Graph, lm_core::Error> {
    let len = random.random_range(8..14_usize);
    let mut labels = vec![0; len];
    labels[..3].copy_from_slice(if inside { &[1, 2, 1] } else { &[1, 1, 2] });
    // The marked chain, and every further vertex on one of those before it.
    let mut edges = vec![(0, 1), (1, 2)];
    edges.extend((3..len).map(|k| (random.random_range(0..k), k)));
    Graph::new(labels, &edges)
}
