//! Kernels: the algebra, sequences and graphs, against enumeration and against their own features.

use std::collections::HashMap;

use lm_core::basis::{Monomials, PolynomialMap};
use lm_core::gram;
use lm_core::kernel::algebra::{Centred, Composed, Conformal, Normalised, OnFeatures, Product, Scaled, Sum};
use lm_core::kernel::graph::{Graph, WeisfeilerLehman, WeisfeilerLehmanEmbedding};
use lm_core::kernel::sequence::{GapWeighted, Spectrum, SpectrumEmbedding};
use lm_core::{
    Budget, Collection, Error, Examples, Gram, Kernel, MatrixGram, ObjectGram, VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn vectors(count: usize, dim: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| (0..dim).map(|_| random.random_range(-2.0..2.0)).collect()).collect()
}

fn whole(gram: &impl Gram) -> Vec<f64> {
    MatrixGram::computed(gram, &Budget::default()).unwrap().values().to_vec()
}

/// The Gram matrix of a kernel on objects, and one made by a wrapper, agree.
fn assert_close(kernel: &impl Gram, wrapper: &impl Gram, allowed: f64) {
    for (position, (a, b)) in whole(kernel).iter().zip(whole(wrapper)).enumerate() {
        assert!((a - b).abs() <= allowed, "value {position}: {a} and {b}");
    }
}

#[test]
fn algebra_of_kernels_is_algebra_of_matrices() {
    let objects = vectors(20, 3, 10);
    let objects = objects.as_slice();
    let (a, b) = (VectorKernel::gaussian(0.3).unwrap(), VectorKernel::polynomial(3, 0.5, 1.0).unwrap());
    let (gram_a, gram_b) = (ObjectGram::new(objects, a), ObjectGram::new(objects, b));
    assert_close(&ObjectGram::new(objects, Sum::new(a, b)), &gram::Sum::new(&gram_a, &gram_b).unwrap(), 0.0);
    assert_close(
        &ObjectGram::new(objects, Product::new(a, b)),
        &gram::Product::new(&gram_a, &gram_b).unwrap(),
        0.0,
    );
    assert_close(
        &ObjectGram::new(objects, Scaled::new(b, 0.7).unwrap()),
        &gram::Scaled::new(&gram_b, 0.7).unwrap(),
        0.0,
    );
    let normalised = ObjectGram::new(objects, Normalised::new(b));
    assert_close(&normalised, &gram::Normalised::new(&gram_b).unwrap(), 4.0 * f64::EPSILON);
    assert!(normalised.diagonal().unwrap().iter().all(|&value| value == 1.0));
    let largest = gram_b.diagonal().unwrap().iter().fold(0.0_f64, |a, &b| a.max(b));
    assert_close(
        &ObjectGram::new(objects, Centred::new(b, objects.to_vec()).unwrap()),
        &gram::Centred::new(&gram_b).unwrap(),
        50.0 * f64::EPSILON * largest,
    );
}

#[test]
fn kernels_made_from_kernels_are_symmetric_to_the_bit() {
    let objects = vectors(15, 4, 11);
    let base = VectorKernel::polynomial(3, 0.3, 1.0).unwrap();
    let centred = Centred::new(base, objects.clone()).unwrap();
    let conformal = Conformal::new(base, |x: &Vec<f64>| x[0].sin() + 2.0);
    let composed = Composed::new(base, |x: &Vec<f64>| x.iter().map(|v| v * v).collect::<Vec<f64>>());
    let mapped = OnFeatures::new(base, Monomials::up_to(4, 2).unwrap());
    let normalised = Normalised::new(Sum::new(base, VectorKernel::laplacian(0.5).unwrap()));
    let kernels: [&dyn Kernel<Vec<f64>>; 5] = [&centred, &conformal, &composed, &mapped, &normalised];
    for (number, kernel) in kernels.iter().enumerate() {
        for x in &objects {
            for z in &objects {
                assert_eq!(kernel.value(x, z).to_bits(), kernel.value(z, x).to_bits(), "kernel {number}");
            }
        }
    }
}

#[test]
fn the_distance_to_the_mean_is_zero_on_average() {
    let objects = vectors(25, 3, 12);
    let centred = Centred::new(VectorKernel::gaussian(0.5).unwrap(), objects.clone()).unwrap();
    for x in &objects {
        let sum: f64 = objects.iter().map(|z| centred.value(x, z)).sum();
        assert!(sum.abs() < 1e-13);
    }
    let empty: Vec<Vec<f64>> = Vec::new();
    assert!(matches!(Centred::new(VectorKernel::linear(), empty), Err(Error::Empty { .. })));
    let huge = vec![vec![1e200]];
    assert!(matches!(Centred::new(VectorKernel::linear(), huge), Err(Error::KernelValue { row: 0, .. })));
}

#[test]
fn a_kernel_on_features_is_the_kernel_of_the_map() {
    let objects = vectors(12, 2, 13);
    let kernel = VectorKernel::polynomial(3, 1.0, 1.0).unwrap();
    let explicit = OnFeatures::new(VectorKernel::linear(), PolynomialMap::new(kernel, 2).unwrap());
    for (x, z) in objects.iter().flat_map(|x| objects.iter().map(move |z| (x, z))) {
        assert!((explicit.value(x, z) - kernel.value(x, z)).abs() < 1e-11);
    }
    assert!(explicit.value(&vec![1.0], &vec![1.0, 2.0]).is_nan());
    let mixed = [vec![1.0, 2.0], vec![1.0]];
    let gram = ObjectGram::new(&mixed[..], explicit);
    assert!(matches!(gram.diagonal(), Err(Error::KernelValue { row: 1, column: 1 })));
}

#[test]
fn a_direction_of_nothing_is_an_error_with_its_place() {
    let objects = [vec![1.0, 2.0], vec![0.0, 0.0]];
    let gram = ObjectGram::new(&objects[..], Normalised::new(VectorKernel::linear()));
    assert_eq!(gram.diagonal(), Err(Error::KernelValue { row: 1, column: 1 }));
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            Scaled::new(VectorKernel::linear(), factor),
            Err(Error::Setting { name: "factor", .. })
        ));
    }
}

/// Random text over a small alphabet.
fn text(len: usize, letters: u8, random: &mut ChaCha8Rng) -> Vec<u8> {
    (0..len).map(|_| b'a' + random.random_range(0..letters)).collect()
}

#[test]
fn the_spectrum_kernel_agrees_with_counting() {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    for case in 0..300 {
        let (m, n) = (random.random_range(0..15), random.random_range(0..15));
        let (s, t) = (text(m, 2, &mut random), text(n, 2, &mut random));
        let mut blended = 0;
        for p in 1..=5 {
            let naive =
                s.windows(p).flat_map(|u| t.windows(p).map(move |v| usize::from(u == v))).sum::<usize>();
            blended += naive;
            let found = Spectrum::new(p).unwrap().value(&s, &t);
            assert_eq!(found, naive as f64, "case {case}, p = {p}: {s:?} and {t:?}");
            assert_eq!(Spectrum::blended(p).unwrap().value(&s, &t), blended as f64, "case {case}, p = {p}");
        }
    }
    assert!(matches!(Spectrum::new(0), Err(Error::Setting { name: "p", .. })));
    assert!(Spectrum::blended(0).is_err());
    // Characters, not bytes: "é" is one character of two bytes.
    let one = Spectrum::new(1).unwrap();
    assert_eq!(one.value("é", "é"), 1.0);
    assert_eq!(one.value("é".as_bytes(), "é".as_bytes()), 2.0);
    assert_eq!(Spectrum::blended(usize::MAX).unwrap().value("ab", "ab"), 3.0);
}

#[test]
fn the_embedding_of_texts_has_the_spectrum_kernel_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(15);
    let texts: Vec<Vec<u8>> = (0..30).map(|_| text(20, 3, &mut random)).chain([vec![], vec![b'z']]).collect();
    for spectrum in [Spectrum::new(1).unwrap(), Spectrum::new(3).unwrap(), Spectrum::blended(4).unwrap()] {
        let embedding = SpectrumEmbedding::new(spectrum, &texts).unwrap();
        assert!(embedding.grams().windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(embedding.grams().len(), embedding.counts().dim());
        let by_counts = VectorGram::new(embedding.counts(), VectorKernel::linear()).unwrap();
        assert_eq!(whole(&by_counts), whole(&ObjectGram::new(texts.as_slice(), spectrum)));
        // The order of the texts does not change the columns, and encoding them again gives the same counts.
        let reversed: Vec<&Vec<u8>> = texts.iter().rev().collect();
        assert_eq!(SpectrumEmbedding::new(spectrum, &reversed).unwrap().grams(), embedding.grams());
        assert_eq!(embedding.encode(&texts).unwrap(), *embedding.counts());
        // New texts: products with the old ones are the kernel, whatever they contain besides.
        let new = [b"abcabcxyz".to_vec(), b"qqq".to_vec()];
        let encoded = embedding.encode(&new).unwrap();
        for (i, s) in new.iter().enumerate() {
            for (j, t) in texts.iter().enumerate() {
                assert_eq!(encoded.row(i).dot(&embedding.counts().row(j)), spectrum.value(s, t));
            }
        }
    }
    let short = [b"ab".to_vec()];
    let none: [Vec<u8>; 0] = [];
    assert!(matches!(SpectrumEmbedding::new(Spectrum::new(3).unwrap(), &short), Err(Error::Empty { .. })));
    assert!(matches!(SpectrumEmbedding::new(Spectrum::new(3).unwrap(), &none), Err(Error::Empty { .. })));
    let words = SpectrumEmbedding::of_text(Spectrum::new(2).unwrap(), &["naïve", "naive"]).unwrap();
    assert_eq!(words.counts().row(0).dot(&words.counts().row(1)), 2.0); // "na" and "ve"
    assert_eq!(words.encode_text(&["nave"]).unwrap().len(), 1);
}

/// The gap-weighted features by enumeration of all subsequences of length `p`.
fn weighted_subsequences(s: &[u8], p: usize, decay: f64) -> HashMap<Vec<u8>, f64> {
    let mut features = HashMap::new();
    for set in 0_u32..1 << s.len() {
        if set.count_ones() as usize == p {
            let chosen: Vec<u8> = (0..s.len()).filter(|k| set >> k & 1 == 1).map(|k| s[k]).collect();
            let stretch = 32 - set.leading_zeros() - set.trailing_zeros();
            *features.entry(chosen).or_insert(0.0) += decay.powi(stretch as i32);
        }
    }
    features
}

#[test]
fn the_gap_weighted_kernel_agrees_with_enumeration() {
    let mut random = ChaCha8Rng::seed_from_u64(16);
    for case in 0..120 {
        let (m, n) = (random.random_range(0..11), random.random_range(0..11));
        let (s, t) = (text(m, 3, &mut random), text(n, 3, &mut random));
        let decay = random.random_range(0.05..=1.0);
        for p in 1..=5 {
            let (f, g) = (weighted_subsequences(&s, p, decay), weighted_subsequences(&t, p, decay));
            let naive: f64 = f.iter().filter_map(|(u, a)| g.get(u).map(|b| a * b)).sum();
            let kernel = GapWeighted::new(p, decay).unwrap();
            let (found, mirrored) = (kernel.value(&s, &t), kernel.value(&t, &s));
            assert!((found - naive).abs() <= 1e-13 * naive, "case {case}, p = {p}: {found} and {naive}");
            assert_eq!(found.to_bits(), mirrored.to_bits(), "case {case}, p = {p}");
        }
    }
}

#[test]
fn the_textbook_example_of_the_gap_weighted_kernel() {
    for decay in [0.1, 0.5, 0.9, 1.0] {
        let k = GapWeighted::new(2, decay).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 4.0 * f64::EPSILON * b, "{a} and {b}");
        close(k.value("cat", "car"), decay.powi(4));
        close(k.value("cat", "cat"), 2.0 * decay.powi(4) + decay.powi(6));
        close(Normalised::new(k).value("cat", "car"), 1.0 / (2.0 + decay * decay));
        close(k.value("bat", "bar"), decay.powi(4));
        assert_eq!(k.value("cat", "dog"), 0.0);
    }
    for bad in [0.0, -0.5, 1.1, f64::NAN] {
        assert!(matches!(GapWeighted::new(2, bad), Err(Error::Setting { name: "decay", .. })));
    }
    assert!(matches!(GapWeighted::new(0, 0.5), Err(Error::Setting { name: "length", .. })));
    assert_eq!(GapWeighted::new(usize::MAX, 0.5).unwrap().value("a", "a"), 0.0);
    // Without decay, p = 1 counts pairs of equal letters, as the 1-spectrum does.
    let (s, t) = ("statistics", "computation");
    assert_eq!(GapWeighted::new(1, 1.0).unwrap().value(s, t), Spectrum::new(1).unwrap().value(s, t));
}

/// A random graph, and the same graph with its vertices in another order.
fn graphs(len: usize, labels: u64, density: f64, random: &mut ChaCha8Rng) -> (Graph, Graph) {
    let names: Vec<u64> = (0..len).map(|_| random.random_range(0..labels)).collect();
    let mut edges = Vec::new();
    for a in 0..len {
        for b in a + 1..len {
            if random.random::<f64>() < density {
                edges.push((a, b));
            }
        }
    }
    let mut order: Vec<usize> = (0..len).collect();
    (1..len).rev().for_each(|k| order.swap(k, random.random_range(0..=k)));
    let mut moved = vec![0; len];
    order.iter().enumerate().for_each(|(old, &new)| moved[new] = names[old]);
    let swapped: Vec<(usize, usize)> = edges.iter().rev().map(|&(a, b)| (order[b], order[a])).collect();
    (Graph::new(names, &edges).unwrap(), Graph::new(moved, &swapped).unwrap())
}

#[test]
fn weisfeiler_lehman_does_not_see_the_order_of_vertices() {
    let mut random = ChaCha8Rng::seed_from_u64(17);
    for case in 0..100 {
        let len = random.random_range(1..12);
        let (a, a_moved) = graphs(len, 3, 0.3, &mut random);
        let (b, b_moved) = graphs(9, 3, 0.3, &mut random);
        for rounds in 0..5 {
            let kernel = WeisfeilerLehman::new(rounds);
            let value = kernel.value(&a, &b);
            for (x, z) in [(&a_moved, &b), (&a, &b_moved), (&a_moved, &b_moved), (&b, &a)] {
                assert_eq!(kernel.value(x, z), value, "case {case}, {rounds} rounds");
            }
            assert_eq!(kernel.value(&a, &a_moved), kernel.value(&a, &a));
        }
    }
}

#[test]
fn without_rounds_weisfeiler_lehman_compares_histograms() {
    let mut random = ChaCha8Rng::seed_from_u64(18);
    for _ in 0..50 {
        let ((a, _), (b, _)) = (graphs(8, 4, 0.4, &mut random), graphs(11, 4, 0.4, &mut random));
        let count = |graph: &Graph, label: u64| graph.labels().iter().filter(|&&own| own == label).count();
        let histogram: usize = (0..4).map(|label| count(&a, label) * count(&b, label)).sum();
        assert_eq!(WeisfeilerLehman::new(0).value(&a, &b), histogram as f64);
    }
}

#[test]
fn weisfeiler_lehman_by_hand() {
    // A star a–b, a–b, a–c against a path b–a–c–b, two rounds.
    //   round 0   star a b b c: one a, two b, one c.  path: one a, two b, one c.   1·1 + 2·2 + 1·1 = 6
    //   round 1   star a|bbc  b|a ×2  c|a.            path b|a  a|bc  c|ab  b|c.   b|a: 2·1 = 2
    //   round 2   star (b|a) with neighbour (a|bbc), path (b|a) with (a|bc): nothing in common.
    let star = Graph::new(vec![0, 1, 1, 2], &[(0, 1), (0, 2), (0, 3)]).unwrap();
    let path = Graph::new(vec![1, 0, 2, 1], &[(0, 1), (1, 2), (2, 3)]).unwrap();
    for (rounds, expected) in [(0, 6.0), (1, 8.0), (2, 8.0), (3, 8.0), (u32::MAX, 8.0)] {
        assert_eq!(WeisfeilerLehman::new(rounds).value(&star, &path), expected, "{rounds} rounds");
    }
    // Two regular graphs of equal degree are alike to every round: 6·6 each time.
    let hexagon: Vec<(usize, usize)> = (0..6).map(|k| (k, (k + 1) % 6)).collect();
    let triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)];
    let (one, two) = (Graph::new(vec![0; 6], &hexagon).unwrap(), Graph::new(vec![0; 6], &triangles).unwrap());
    assert_eq!(WeisfeilerLehman::new(9).value(&one, &two), 360.0);
    assert_eq!(WeisfeilerLehman::new(999_999_999).value(&one, &two), 36e9);
}

#[test]
fn the_embedding_of_graphs_has_the_kernel_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(19);
    let mut set: Vec<Graph> = (0..15).map(|_| graphs(8, 2, 0.3, &mut random).0).collect();
    set.push(Graph::new(vec![], &[]).unwrap());
    let new: Vec<Graph> = (0..5).map(|_| graphs(10, 4, 0.3, &mut random).0).collect();
    for rounds in 0..5 {
        let kernel = WeisfeilerLehman::new(rounds);
        let embedding = WeisfeilerLehmanEmbedding::new(kernel, &set).unwrap();
        let by_counts = VectorGram::new(embedding.counts(), VectorKernel::linear()).unwrap();
        assert_eq!(whole(&by_counts), whole(&ObjectGram::new(set.as_slice(), kernel)));
        assert_eq!(embedding.encode(&set).unwrap(), *embedding.counts());
        let encoded = embedding.encode(&new).unwrap();
        for (i, g) in new.iter().enumerate() {
            for (j, h) in set.iter().enumerate() {
                assert_eq!(
                    encoded.row(i).dot(&embedding.counts().row(j)),
                    kernel.value(g, h),
                    "{rounds} rounds"
                );
            }
        }
    }
    assert!(matches!(
        WeisfeilerLehmanEmbedding::new(WeisfeilerLehman::new(1), &[]),
        Err(Error::Empty { .. })
    ));
    let many = WeisfeilerLehman::new(u32::MAX);
    assert!(matches!(WeisfeilerLehmanEmbedding::new(many, &set), Err(Error::TooLarge { .. })));
}

#[test]
fn edges_are_checked() {
    assert!(matches!(
        Graph::new(vec![0; 2], &[(0, 2)]),
        Err(Error::Index { what: "vertex", index: 2, len: 2 })
    ));
    assert!(matches!(
        Graph::new(vec![0; 2], &[(0, 1), (1, 1)]),
        Err(Error::Edge { edge: 1, from: 1, to: 1, .. })
    ));
    assert!(matches!(Graph::new(vec![0; 2], &[(0, 1), (1, 0)]), Err(Error::Edge { edge: 1, .. })));
    let graph = Graph::new(vec![5, 6, 7], &[(2, 0)]).unwrap();
    assert_eq!((graph.len(), graph.edges()), (3, 1));
    assert_eq!(graph.neighbours(0), Some(&[2][..]));
    assert_eq!(graph.neighbours(1), Some(&[][..]));
    assert_eq!(graph.neighbours(3), None);
}

#[cfg(feature = "serde")]
#[test]
fn kernels_and_graphs_are_checked_when_they_are_decoded() {
    fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(
        value: &T,
    ) -> String {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value);
        text
    }
    let linear = VectorKernel::linear();
    let scaled = Scaled::new(Sum::new(linear, Normalised::new(Product::new(linear, linear))), 2.0).unwrap();
    let text = round_trip(&scaled);
    assert!(serde_json::from_str::<Scaled<VectorKernel>>(r#"{"kernel":"Linear","factor":2.0}"#).is_ok());
    assert!(serde_json::from_str::<Scaled<VectorKernel>>(r#"{"kernel":"Linear","factor":-2.0}"#).is_err());
    assert!(text.contains("factor"));
    round_trip(&GapWeighted::new(3, 0.5).unwrap());
    assert!(serde_json::from_str::<GapWeighted>("[3, 1.5]").is_err());
    round_trip(&Spectrum::blended(3).unwrap());
    assert!(serde_json::from_str::<Spectrum>("[2, 1]").is_err());
    let graph = round_trip(&Graph::new(vec![1, 2, 3], &[(2, 0), (0, 1)]).unwrap());
    assert!(serde_json::from_str::<Graph>(&graph.replace("[0,2]", "[0,3]")).is_err());
}
