//! Live learners: kept, loaded and continued with the same bits; fed from a reader block by block.

use lm_core::persist::{Persist, decode, encode};
use lm_core::{Collection, Csr, Dense, Examples, Learner, Linear, Result, Row, Selection, Sign};
use lm_data::svmlight::{self, Blocks, Options};
use lm_online::{
    Aggressiveness, Bias, Label, Live, LiveWinnow, Lms, Met, MetBlock, PassiveAggressive, Perceptron,
    Relaxation, Rule, Schedule, Winnow,
};

use crate::sample::{noisy, storages};

/// What all live learners do.
trait Learning: Persist + Clone + PartialEq + std::fmt::Debug {
    type Label: Label;
    fn one(&mut self, example: &Row<'_>, label: Self::Label) -> Result<Met>;
    fn batch(&mut self, examples: &dyn Examples, labels: &[Self::Label]) -> Result<MetBlock>;
    fn function(&self) -> Result<Linear>;
    fn counts(&self) -> (u64, u64);
}

impl<R: Rule + Persist + PartialEq + std::fmt::Debug> Learning for Live<R> {
    type Label = R::Label;

    fn one(&mut self, example: &Row<'_>, label: R::Label) -> Result<Met> {
        self.learn_one(example, label)
    }

    fn batch(&mut self, examples: &dyn Examples, labels: &[R::Label]) -> Result<MetBlock> {
        self.learn_batch(examples, labels)
    }

    fn function(&self) -> Result<Linear> {
        self.model()
    }

    fn counts(&self) -> (u64, u64) {
        (self.seen(), self.corrections())
    }
}

impl Learning for LiveWinnow {
    type Label = Sign;

    fn one(&mut self, example: &Row<'_>, label: Sign) -> Result<Met> {
        self.learn_one(example, label)
    }

    fn batch(&mut self, examples: &dyn Examples, labels: &[Sign]) -> Result<MetBlock> {
        self.learn_batch(examples, labels)
    }

    fn function(&self) -> Result<Linear> {
        self.model()
    }

    fn counts(&self) -> (u64, u64) {
        (self.seen(), self.corrections())
    }
}

/// One after the other, in blocks, and in blocks with the way to a file and back after each: all end with the same bits.
fn check<L: Learning>(name: &str, fresh: &L, labels: impl Fn(Sign) -> L::Label) {
    let (examples, signs) = noisy(500, 23, 0.2, 11);
    let labels: Vec<L::Label> = signs.signs().iter().map(|&sign| labels(sign)).collect();
    for (storage, set) in storages(&examples) {
        let mut single = fresh.clone();
        for (row, &label) in labels.iter().enumerate() {
            single.one(&set.row(row), label).unwrap();
        }
        let mut whole = fresh.clone();
        let met = whole.batch(&*set, &labels).unwrap();
        assert_eq!((met.examples, met.corrections), whole.counts(), "{name}");
        assert_eq!(whole, single, "{name}, {storage}: a block is its examples one by one");
        let mut kept = fresh.clone();
        let rows: Vec<usize> = (0..500).collect();
        for (block, labels) in rows.chunks(37).zip(labels.chunks(37)) {
            kept.batch(&Selection::new(&*set, block).unwrap(), labels).unwrap();
            kept = decode(&encode(&kept).unwrap()).unwrap();
        }
        assert_eq!(kept, single, "{name}, {storage}: kept and continued");
        let bits = |function: &Linear| function.weights().iter().map(|w| w.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&kept.function().unwrap()), bits(&single.function().unwrap()));
        assert_eq!(encode(&kept).unwrap(), encode(&single).unwrap());
    }
    refuses(name, fresh, labels[0]);
}

/// A learner that refuses an example is as it was before.
fn refuses<L: Learning>(name: &str, fresh: &L, label: L::Label) {
    let mut learner = fresh.clone();
    let wide = Dense::new(vec![1.0; 24], 1, 24).unwrap();
    assert!(learner.one(&wide.row(0), label).is_err(), "{name}: more columns than it has");
    assert!(learner.batch(&wide, &[label]).is_err(), "{name}");
    let narrow = Dense::new(vec![1.0; 5], 1, 5).unwrap();
    assert!(learner.batch(&narrow, &[label, label]).is_err(), "{name}: more labels than examples");
    let hole = vec![f64::NAN; 23];
    assert!(learner.one(&Row::DenseF64(&hole), label).is_err(), "{name}: an example that is not finite");
    assert_eq!(&learner, fresh, "{name}");
    assert!(learner.one(&narrow.row(0), label).is_ok(), "{name}: fewer columns are zeros");
}

#[test]
fn every_live_learner_is_kept_and_continued_with_the_same_bits() {
    let sign = |sign: Sign| sign;
    let perceptron = Perceptron::default().with_radius(7.0);
    check("perceptron", &perceptron.live(23).unwrap(), sign);
    let falling = perceptron.with_schedule(Schedule::harmonic(0.3).unwrap()).with_margin(0.1);
    check("variable increment", &falling.live(23).unwrap(), sign);
    check("relaxation", &Relaxation::default().live(23).unwrap(), sign);
    for way in [Aggressiveness::Unbounded, Aggressiveness::Capped(0.1), Aggressiveness::Damped(0.1)] {
        check(
            "passive–aggressive",
            &PassiveAggressive::default().with_aggressiveness(way).live(23).unwrap(),
            sign,
        );
    }
    check("Winnow", &Winnow::default().live(23).unwrap(), sign);
    check("Winnow, fast", &Winnow::default().with_promotion(1e6).live(23).unwrap(), sign);
    let lms = Lms::default().with_schedule(Schedule::constant(0.01).unwrap());
    check("LMS", &lms.live(23).unwrap(), Sign::value);
}

#[test]
fn a_file_of_one_kind_is_not_taken_for_another() {
    let perceptron = encode(&Perceptron::default().with_radius(1.0).live(3).unwrap()).unwrap();
    assert_eq!(lm_core::persist::kind_of(&perceptron).unwrap(), "live@1/perceptron-rule@1");
    assert!(decode::<LiveWinnow>(&perceptron).is_err());
    assert!(decode::<Live<lm_online::RelaxationRule>>(&perceptron).is_err());
}

/// A state that no learner could have reached is refused, and no damage makes a learner that panics.
#[test]
fn damaged_files_are_refused() {
    let mut learner = Perceptron::default().with_bias(Bias::Standard).live(3).unwrap();
    let example = Dense::new(vec![1.0, 2.0, 3.0], 1, 3).unwrap();
    learner.learn_one(&example.row(0), Sign::Positive).unwrap();
    let bytes = encode(&learner).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x41;
        assert!(decode::<Live<lm_online::PerceptronRule>>(&damaged).is_err(), "byte {place}");
        assert!(decode::<Live<lm_online::PerceptronRule>>(&bytes[..place]).is_err(), "{place} bytes");
    }
}

#[test]
fn a_reader_block_by_block_teaches_what_the_whole_set_does() {
    let (examples, labels) = noisy(400, 30, 0.1, 4);
    let sparse = Csr::from_rows(&examples).unwrap();
    let mut text = Vec::new();
    svmlight::write(&mut text, &sparse, &labels.values()).unwrap();
    let signs = |labels: &[f64]| labels.iter().map(|&label| Sign::of(label)).collect::<Vec<_>>();
    let whole = svmlight::read::<f64>(&text[..], &Options::default().with_dim(30)).unwrap();
    let settings = Perceptron::default().with_bias(Bias::Standard).with_passes(3);
    let fit = settings.fit(&whole.examples, &labels).unwrap();
    for block_bytes in [100, 3_000, 1 << 20] {
        let mut live = settings.live(30).unwrap();
        let mut blocks = 0;
        for _ in 0..3 {
            // Without a stated dimension a block is as wide as the widest line so far.
            let options = Options::default().with_block_bytes(block_bytes);
            for block in Blocks::<_, f64>::new(&text[..], &options).unwrap() {
                let block = block.unwrap();
                assert!(block.examples.dim() <= 30);
                live.learn_batch(&block.examples, &signs(&block.labels)).unwrap();
                blocks += 1;
            }
        }
        assert!(blocks >= 3, "{blocks}");
        assert_eq!(live.seen(), 1_200);
        assert_eq!(live.corrections(), fit.certificate.journal().corrections());
        assert_eq!(live.model().unwrap(), fit.model, "blocks of {block_bytes} bytes");
    }
    assert_eq!(whole.examples.len(), 400);
}
