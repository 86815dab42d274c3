//! C19: Gaussian processes: mean, variance, evidence, and its maximisation.

use lm_closed::{GaussianCovariance, GaussianProcess, KernelRidge, MaximumEvidence};
use lm_core::{
    Certificate, Control, Dense, Hypothesis, Learner, Targets, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::generate::{sinc, sinc_value};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke, sample};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C19",
    place: "C 6.2.3",
    claim: "The mean of a Gaussian process with noise of variance σ² is the ridge regression function with λ = σ²; the \
            process also gives a variance, and the evidence for a covariance function, which can be maximised over its \
            parameters.",
    how: "Mean, variance and evidence are compared with values from 60-digit arithmetic, and the mean with kernel ridge \
          regression. The gradient of the evidence is compared with differences. On a curve with noise the evidence is \
          maximised from several starts and compared with a grid, and the band of two deviations is drawn and counted.",
    seed: 19,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    references(bench)?;
    mean_is_ridge(bench)?;
    gradient(bench)?;
    let best = maximised(bench)?;
    evidence_curve(bench, &best)?;
    relevance(bench)
}

fn references(bench: &mut Bench) -> Outcome {
    let inputs = Dense::new((0..5).map(f64::from).collect(), 5, 1)?;
    let targets = Targets::new((0..5).map(|x| f64::from(x).sin()).collect())?;
    let process = GaussianProcess::new(GaussianCovariance::default().with_noise_variance(0.01));
    let fit = process.fit(&inputs, &targets)?.converged()?;
    let found = fit.model.predict(&Dense::new(vec![1.5], 1, 1)?)?;
    let evidence = fit.certificate.log_evidence().ok_or("a fit in memory has an evidence")?;
    bench.check_close("log evidence of sin x at 0, …, 4", -4.469_188_646_719_919, evidence, 1e-12);
    bench.check_close("mean at 1.5", 1.001_990_419_167_184, found.means()[0], 1e-13);
    bench.check_close("variance at 1.5", 0.016_046_748_916_698_506, found.variances()[0], 1e-14);
    bench.check_valid("certificate", fit.certificate.verify(&TrainingSet::new(&inputs, &targets)?)?);
    Ok(())
}

fn mean_is_ridge(bench: &mut Bench) -> Outcome {
    let data = sinc(100, 4.0, 0.2, bench.seed())?;
    for (length, noise) in [(0.5, 0.04), (1.0, 1.0), (0.3, 1e-3)] {
        let covariance = GaussianCovariance::default().with_length(length).with_noise_variance(noise);
        let process = GaussianProcess::new(covariance).fit(&data.examples, &data.labels)?.converged()?;
        let kernel = VectorKernel::gaussian_width(length)?;
        let gram = VectorGram::new(&data.examples, kernel)?;
        let ridge = KernelRidge::default().with_penalty(noise).with_gap(1e-24).fit(&gram, &data.labels)?;
        let (a, b) = (process.model.decision_values(&data.examples)?, ridge.model.decision_values(&gram)?);
        let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        bench.check_at_most(
            format!("length {length}, σ² = λ = {noise}: largest difference of mean and ridge function"),
            1e-10,
            off,
        );
    }
    Ok(())
}

fn gradient(bench: &mut Bench) -> Outcome {
    let data = sinc(60, 4.0, 0.2, bench.seed() + 1)?;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let at = |p: [f64; 3]| {
        let covariance = GaussianCovariance::default()
            .with_signal_variance(p[0].exp())
            .with_length(p[1].exp())
            .with_noise_variance(p[2].exp());
        GaussianProcess::new(covariance).evidence(&set, &Control::default())
    };
    let p = [-0.5, -0.6, -2.5];
    let found = at(p)?.gradient;
    let exact = [found.signal, found.lengths[0], found.noise];
    for (k, name) in ["log s²", "log ℓ", "log σ²"].iter().enumerate() {
        // The fourth-order quotient: its error is of the order of the step to the fourth.
        let value = |step: f64| {
            let mut moved = p;
            moved[k] += step;
            at(moved).map(|evidence| evidence.value)
        };
        let h = 1e-3;
        let quotient = (8.0 * (value(h)? - value(-h)?) - (value(2.0 * h)? - value(-2.0 * h)?)) / (12.0 * h);
        bench.check_close(format!("derivative of the log evidence by {name}"), quotient, exact[k], 1e-7);
    }
    Ok(())
}

/// The parameters of most evidence on a curve with noise, and the band.
fn maximised(bench: &mut Bench) -> Result<GaussianCovariance, Box<dyn std::error::Error>> {
    const NOISE: f64 = 0.15;
    let data = sinc(60, 4.0, NOISE, bench.seed() + 2)?;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let fit = MaximumEvidence::default().with_starts(5).fit(&data.examples, &data.labels)?.converged()?;
    bench.check_valid("maximised: certificate", fit.certificate.verify(&set)?);
    let best = fit.model.covariance().clone();
    let evidence = fit.certificate.log_evidence();
    let ends: Vec<f64> = fit.certificate.starts().iter().map(|start| start.log_evidence).collect();
    let reached = ends.iter().filter(|&&end| end > evidence - 1e-4).count();
    bench.check_at_least("starts, of 5, that end at the largest evidence", 2.0, reached as f64);
    bench.check_close(
        "noise variance that the evidence finds, against that of the data",
        NOISE * NOISE,
        best.noise_variance(),
        0.6 * NOISE * NOISE,
    );
    // No point of a grid of 10³ around is better.
    let mut better = 0;
    for k in 0..1000_u32 {
        let place = |index: u32, low: f64, high: f64| low + (high - low) * f64::from(index % 10) / 9.0;
        let around = GaussianCovariance::default()
            .with_signal_variance(best.signal_variance() * place(k, -1.5, 1.5).exp())
            .with_length(best.lengths().values()[0] * place(k / 10, -1.2, 1.2).exp())
            .with_noise_variance(best.noise_variance() * place(k / 100, -1.0, 1.0).exp());
        let other = GaussianProcess::new(around).fit(&data.examples, &data.labels)?;
        better += u32::from(other.certificate.log_evidence().is_some_and(|other| other > evidence + 1e-9));
    }
    bench.check_equal("parameters of a grid of 1000 around, with more evidence", 0, better);

    let grid: Vec<f64> = (0..401).map(|k| -5.0 + 0.025 * f64::from(k)).collect();
    let found = fit.model.predict(&Dense::new(grid.clone(), 401, 1)?)?;
    let band = |sign: f64| -> Vec<[f64; 2]> {
        let points = grid.iter().zip(found.means()).zip(found.variances());
        points.map(|((x, mean), variance)| [*x, mean + sign * 2.0 * variance.sqrt()]).collect()
    };
    let inside = grid.iter().zip(found.means()).zip(found.variances()).filter(|((x, mean), variance)| {
        x.abs() <= 4.0 && (sinc_value(**x) - **mean).abs() <= 2.0 * variance.sqrt()
    });
    let share = inside.count() as f64 / grid.iter().filter(|x| x.abs() <= 4.0).count() as f64;
    bench.check_at_least(
        "share of the curve without noise inside the band of ±2σ, where there are data",
        0.85,
        share,
    );
    let fresh = sinc(4000, 4.0, NOISE, bench.seed() + 3)?;
    let seen = fit.model.predict(&fresh.examples)?;
    let observed = seen.observed_variances();
    let within = fresh.labels.values().iter().zip(seen.means()).zip(&observed);
    let covered = within.filter(|((y, mean), variance)| (*y - *mean).abs() <= 2.0 * variance.sqrt()).count();
    bench.check_close(
        "share of 4000 new observations within two deviations",
        0.954,
        covered as f64 / 4000.0,
        0.04,
    );
    let mean: Vec<[f64; 2]> = grid.iter().zip(found.means()).map(|(x, mean)| [*x, *mean]).collect();
    let points: Vec<[f64; 2]> =
        (0..60).map(|row| [data.examples.slice(row)[0], data.labels.values()[row]]).collect();
    let svg = Plot::new("x", "y")
        .x_range(-5.0, 5.0)
        .points("observations", 0, &points)
        .curve("sin πx/πx", &sample(-5.0, 5.0, 500, sinc_value), Stroke::THIN)
        .curve("mean", &mean, Stroke::SOLID)
        .curve("mean ± 2σ", &band(1.0), Stroke::DASHED)
        .curve("", &band(-1.0), Stroke::DASHED)
        .render()?;
    bench.figure(
        "band",
        format!(
            "The process of most evidence (ℓ = {:.2}, s² = {:.2}, σ² = {:.3}) and the band of two deviations, which widens where \
             there are no data.",
            best.lengths().values()[0],
            best.signal_variance(),
            best.noise_variance()
        ),
        svg,
    )?;
    Ok(best)
}

/// The evidence along the length, with the other parameters at their best.
fn evidence_curve(bench: &mut Bench, best: &GaussianCovariance) -> Outcome {
    let data = sinc(60, 4.0, 0.15, bench.seed() + 2)?;
    let mut points = Vec::new();
    for k in 0..60 {
        let length = 0.05 * 1.1_f64.powi(k);
        let process = GaussianProcess::new(best.clone().with_length(length));
        let fit = process.fit(&data.examples, &data.labels)?;
        points.push([length, fit.certificate.log_evidence().ok_or("a fit in memory has an evidence")?]);
    }
    let top = points.iter().max_by(|a, b| a[1].total_cmp(&b[1])).ok_or("there are points")?[0];
    let length = best.lengths().values()[0];
    bench.check_close("length of most evidence among 60, over the one found", 1.0, top / length, 0.1);
    let svg = Plot::new("length ℓ", "log evidence")
        .log_x()
        .curve("", &points, Stroke::SOLID)
        .segment(
            "length found",
            [length, points[0][1]],
            [length, points.iter().map(|p| p[1]).fold(f64::MIN, f64::max)],
            Stroke::DASHED,
        )
        .render()?;
    bench.figure("evidence", "The log evidence along the length: too short and too long explain less.", svg)
}

/// A length for each column finds the columns that matter.
fn relevance(bench: &mut Bench) -> Outcome {
    let mut rows = Vec::new();
    let mut targets = Vec::new();
    for k in 0..100_u32 {
        // Multiples of irrational numbers fill the cube evenly.
        let x = [0.618_033_988_75, 0.754_877_666_25, 0.569_840_290_99]
            .map(|a: f64| 4.0 * (a * f64::from(k + 1)).fract() - 2.0);
        rows.push(x);
        targets.push((1.5 * x[0]).sin() + 0.5 * x[1] + 0.05 * f64::from(k * k).cos());
    }
    let (inputs, targets) = (Dense::from_rows(&rows)?, Targets::new(targets)?);
    let fit = MaximumEvidence::default().with_each_length(true).fit(&inputs, &targets)?;
    let lengths = fit.model.covariance().lengths().values().to_vec();
    bench.check(
        "lengths of three columns, of which the third has no part in the targets",
        "the third much longer than the first",
        format!("{lengths:.3?}"),
        lengths[2] > 10.0 * lengths[0] && lengths[1] > lengths[0],
    );
    Ok(())
}
