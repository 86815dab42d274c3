//! scratch
use std::time::Instant;
use lm_core::*;
use lm_qp::*;
use lm_bounds::*;
fn main() {
    for name in ["heart_scale","sonar_scale","ionosphere_scale","breast-cancer_scale","australian_scale","diabetes_scale","german_numer_scale","splice","svmguide3"] {
        let one = std::env::args().nth(1); if one.as_deref().is_some_and(|o| o != name) { continue }
        let path = format!("/work/shared/data/{name}/train.svm.gz");
        let Ok(set) = lm_data::svmlight::open::<f64>(&path, &Default::default()) else { println!("no {name}"); continue };
        let scaler = lm_data::scaling::Scaler::fit(&set.examples, lm_data::scaling::Scaling::MinMax { low: -1.0, high: 1.0 }).unwrap();
        let x = scaler.apply(&set.examples).unwrap();
        let labels = BinaryLabels::from_numbers(&set.labels).unwrap();
        let n = x.len();
        for (c, g) in [(1.0, 1.0 / x.dim() as f64), (100.0, 1.0/x.dim() as f64), (1.0, 0.5)] {
            if std::env::args().nth(2).is_some_and(|o| o.parse::<f64>().unwrap() != c) || std::env::args().nth(3).is_some_and(|o| o.parse::<f64>().unwrap() < g) { continue }
            let gram = VectorGram::new(&x, VectorKernel::gaussian(g).unwrap()).unwrap();
            let m = CSvc::default().with_cost(c);
            let t = Instant::now();
            let ts = TrainingSet::new(&gram, &labels).unwrap();
            let r = Removals::solve(&m, &ts, &Control::default()).unwrap();
            let t1 = t.elapsed();
            let found = leave_one_out(&r, &Control::default()).unwrap();
            let t2 = t.elapsed();
            let steps: u64 = found.outcomes().iter().filter_map(|o| o.left_out).map(|l| l.steps).sum();
            let sv = r.shares().iter().filter(|s| s.is_support()).count();
            let free = r.shares().iter().filter(|s| s.is_free()).count();
            let t = Instant::now();
            let matrix = MatrixGram::computed(&gram, &Budget::default()).unwrap();
            let some = 20;
            for k in 0..some {
                let out = k * n / some;
                let rows: Vec<usize> = (0..n).filter(|&i| i != out).collect();
                let sel = Selection::new(&matrix, &rows).unwrap();
                let l = labels.select(&rows).unwrap();
                let _fit = m.fit(&sel, &l).unwrap();
            }
            let brute = t.elapsed().as_secs_f64() / some as f64 * n as f64;
            for (i,o) in found.outcomes().iter().enumerate().filter(|(_,o)| o.left_out.is_some_and(|l| l.steps>0 || o.finding==Finding::Undecided)) { println!("{i} {o:?} {:?}", r.shares()[i]); }
            println!("{name} n={n} c={c} g={g:.3} sv={sv} free={free} solve {t1:?} total {t2:?} brute {brute:.2} ratio {:.1} errors {} undecided {} nostep {} steps {}", brute / t2.as_secs_f64(), found.errors(), found.undecided(), found.without_a_step(), steps);
        }
    }
}
