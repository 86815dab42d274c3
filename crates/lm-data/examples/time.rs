//! t
fn main() {
    let p = std::env::args().nth(1).unwrap();
    for _ in 0..7 {
        let t = std::time::Instant::now();
        let d = lm_data::svmlight::open::<f64>(&p, &Default::default()).unwrap();
        let e = t.elapsed();
        println!("{:?} {} {}", e, d.examples.entries(), d.examples.parts().2.iter().sum::<f64>());
    }
}
