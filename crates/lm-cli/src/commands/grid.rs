//! `lm grid`: cross-validation over a grid of costs and kernels, or of penalties, with a map of the result.

use std::time::Instant;

use lm_core::{ClassLabels, Folds, Stop, Targets, TrainingSet, VectorKernel};
use lm_qp::{CSvc, EpsilonSvr, Grid, GridTable, Solver};
use serde_json::json;

use super::cross_validation::{mean_and_spread, run, splits};
use super::run::{Limits, use_threads};
use crate::args::{GridArgs, Powers};
use crate::failure::{Ending, Failure, Outcome};
use crate::input::{self, Data, Expected};
use crate::output::{Answer, columns, number, write_file};
use crate::settings::{KernelName, MachineName, ScaleName, SettingArgs, Settings, Task};
use crate::svg::heat_map;

/// One place of the grid.
#[derive(Debug, Clone)]
struct Place {
    /// The cost, or the penalty.
    across: f64,
    /// The factor of the kernel, where there is one.
    up: Option<f64>,
    mean: f64,
    spread: f64,
    stop: Stop,
}

/// Searches a grid.
pub(crate) fn grid(args: &GridArgs) -> Outcome<Answer> {
    use_threads(args.limits.threads)?;
    let limits = Limits::new(&args.limits)?;
    let began = Instant::now();
    let expected =
        Expected { format: args.input.format, target: args.input.target.clone(), ..Expected::default() };
    let data = input::read(&args.data, &expected)?;
    let read = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let axes = Axes::new(args, data.set_dim())?;
    let settings = Settings::new(args.machine, &axes.at(0, 0), data.set_dim())?;
    let places = match (args.machine, settings.scale) {
        (MachineName::Svc | MachineName::Svr, ScaleName::None) if settings.class_weights.is_empty() => {
            shared(args, &axes, &settings, &data, &limits)?
        }
        _ => one_by_one(args, &axes, &data, &limits)?,
    };
    let solve = began.elapsed().as_secs_f64();
    let order = |a: &&Place, b: &&Place| a.mean.total_cmp(&b.mean).then(a.across.total_cmp(&b.across));
    let best = places
        .iter()
        .min_by(order)
        .ok_or_else(|| Failure::new("the run ended before one place of the grid was known"))?;
    let classes = settings.machine.task() == Task::Classification;
    let all = axes.across.len() * axes.up.len();
    let complete = places.len() == all && places.iter().all(|place| place.stop == Stop::Converged);

    let mut answer = Answer::new();
    answer.ending = if complete { Ending::Done } else { limits.ending(false) };
    let name = settings.machine.name();
    answer.line("machine", name.clone());
    answer.line(
        "data",
        format!("{}: {} examples, {} features", input::place(&args.data), data.len(), data.set_dim()),
    );
    answer.line("grid", format!("{} of {all} places, {} folds each", places.len(), args.folds));
    let shown = |loss: f64| if classes { format!("{:.4} %", 100.0 * (1.0 - loss)) } else { number(loss) };
    let what = if classes { "accuracy" } else { "mean squared error" };
    answer.line(&format!("best {what}"), shown(best.mean));
    let own = axes.words(best);
    answer.line("at", own.clone());
    answer.line("to train it", format!("lm train {name} {} {own}", args.data));
    let mut ranked: Vec<&Place> = places.iter().collect();
    ranked.sort_by(order);
    let mut headings = vec![axes.across_name.trim_start_matches('-').to_owned()];
    headings.extend(axes.has_gamma.then(|| "gamma".to_owned()));
    headings.extend([what.to_owned(), "±".to_owned()]);
    let rows: Vec<Vec<String>> = ranked
        .iter()
        .take(8)
        .map(|place| {
            let spread =
                if classes { format!("{:.4} %", 100.0 * place.spread) } else { number(place.spread) };
            let mut row = vec![number(place.across)];
            row.extend(place.up.map(number));
            row.extend([shown(place.mean), spread]);
            row
        })
        .collect();
    answer.text("");
    columns(&headings, &rows).into_iter().for_each(|line| answer.text(line));
    if let Some(path) = &args.output {
        let value = |i: usize, j: usize| {
            let up = axes.has_gamma.then(|| axes.up[j]);
            let found = places.iter().find(|place| place.across == axes.across[i] && place.up == up)?;
            Some((if classes { 1.0 - found.mean } else { found.mean }, shown(found.mean)))
        };
        let title = format!("{what}, {} folds, {name} on {}", args.folds, args.data);
        let up = axes.has_gamma.then_some(("gamma", &axes.up[..]));
        let map =
            heat_map(&title, (axes.across_name.trim_start_matches('-'), &axes.across), up, !classes, &value);
        write_file(path, map.as_bytes())?;
        answer.text("");
        answer.line("map", path.clone());
        answer.member("map", path.clone());
    }
    let key = if classes { "accuracy" } else { "mse" };
    let across = axes.across_name.trim_start_matches('-').to_owned();
    let object = |place: &Place| {
        let mean = if classes { 1.0 - place.mean } else { place.mean };
        json!({ across.as_str(): place.across, "gamma": place.up, key: mean, "deviation": place.spread, "stop": crate::machine::stop_name(place.stop) })
    };
    answer.member("machine", name);
    answer.member("best", object(best));
    answer.member("cells", places.iter().map(object).collect::<Vec<_>>());
    answer.member("converged", complete);
    answer.member("seconds", json!({ "read": read, "solve": solve }));
    Ok(answer)
}

/// What is varied.
struct Axes<'a> {
    args: &'a SettingArgs,
    across_name: &'static str,
    across: Vec<f64>,
    has_gamma: bool,
    up: Vec<f64>,
}

impl<'a> Axes<'a> {
    fn new(args: &'a GridArgs, features: usize) -> Outcome<Self> {
        use MachineName::*;
        let name = args.machine.name();
        let (across_name, own, other) = match args.machine {
            Svc | Svr | NuSvr | LinearSvc | LpSvc => ("--c", args.log2c, args.log2lambda),
            Ridge | KernelRidge | Logistic => ("--lambda", args.log2lambda, args.log2c),
            _ => {
                let message = format!(
                    "{name} has no cost and no penalty to search for; accepted is svc, svr, nu-svr, linear-svc, lp-svc, ridge, kernel-ridge or logistic"
                );
                return Err(Failure::new(message));
            }
        };
        if other.is_some() {
            let wrong = if across_name == "--c" { "--log2lambda" } else { "--log2c" };
            return Err(Failure::new(format!(
                "`{wrong}` is no axis of {name}, whose setting is `{across_name}`"
            )));
        }
        let settings = &args.settings;
        if settings.c.is_some() || settings.lambda.is_some() || settings.gamma.is_some() {
            let message = "`--c`, `--gamma` and `--lambda` are what is searched for; accepted is `--log2c`, `--log2g` and `--log2lambda`";
            return Err(Failure::new(message));
        }
        let kernel = matches!(args.machine, Svc | Svr | NuSvr | LpSvc | KernelRidge);
        let has_gamma = kernel && settings.kernel != Some(KernelName::Linear);
        if args.log2g.is_some() && !has_gamma {
            return Err(Failure::new("`--log2g` is for machines with a kernel that has a γ"));
        }
        let across = own.unwrap_or(Powers { from: -5, to: 15, step: 2 }).values()?;
        let up = match has_gamma {
            true => args.log2g.unwrap_or(Powers { from: -15, to: 3, step: 2 }).values()?,
            false => vec![1.0 / features.max(1) as f64],
        };
        Ok(Self { args: settings, across_name, across, has_gamma, up })
    }

    /// The settings at a place.
    fn at(&self, i: usize, j: usize) -> SettingArgs {
        let mut args = self.args.clone();
        let value = Some(self.across[i]);
        if self.across_name == "--c" {
            args.c = value;
        } else {
            args.lambda = value;
        }
        if self.has_gamma {
            args.gamma = Some(self.up[j]);
        }
        args
    }

    /// A place as it is typed.
    fn words(&self, place: &Place) -> String {
        let across = format!("{} {}", self.across_name, place.across);
        place.up.map_or(across.clone(), |gamma| format!("{across} --gamma {gamma}"))
    }
}

/// Support vector machines: folds, costs and pairs of classes share the kernel rows, and each cost starts from the last.
fn shared(
    args: &GridArgs,
    axes: &Axes<'_>,
    settings: &Settings,
    data: &Data,
    limits: &Limits,
) -> Outcome<Vec<Place>> {
    let splits = splits(settings, data, args.folds)?;
    let folds = Folds::from_tests(data.len(), splits.iter().map(|split| &split.test[..]))?;
    let kernels = (0..axes.up.len())
        .map(|j| Settings::new(args.machine, &axes.at(0, j), data.set_dim()).map(|own| own.kernel))
        .collect::<Outcome<Vec<_>>>()?;
    let kernels: Vec<VectorKernel> = kernels.into_iter().flatten().collect();
    let solver = Solver::default().with_gap(settings.gap);
    let solver = settings.libsvm_epsilon.map_or(solver, |epsilon| solver.with_libsvm_epsilon(epsilon));
    let grid = Grid::new(axes.across.clone())?;
    let control = limits.control();
    let table: GridTable = if args.machine == MachineName::Svc {
        let labels = ClassLabels::from_numbers(data.labels()?)?;
        let set = TrainingSet::new(data.set(), &labels)?;
        let family = |cost: f64| CSvc::default().with_cost(cost).with_solver(solver);
        grid.search(&family, &kernels, &set, &folds, &control)?
    } else {
        let labels = Targets::new(data.labels()?.to_vec())?;
        let set = TrainingSet::new(data.set(), &labels)?;
        let epsilon = settings.epsilon;
        let family =
            |cost: f64| EpsilonSvr::default().with_cost(cost).with_epsilon(epsilon).with_solver(solver);
        grid.search(&family, &kernels, &set, &folds, &control)?
    };
    let place = |cell: &lm_qp::Cell| Place {
        across: cell.cost,
        up: axes.has_gamma.then(|| axes.up[cell.kernel]),
        mean: cell.mean,
        spread: cell.spread,
        stop: cell.stop,
    };
    Ok(table.cells().iter().map(place).collect())
}

/// Any machine, place by place.
fn one_by_one(args: &GridArgs, axes: &Axes<'_>, data: &Data, limits: &Limits) -> Outcome<Vec<Place>> {
    let mut places = Vec::new();
    let began = Instant::now();
    for j in 0..axes.up.len() {
        for i in 0..axes.across.len() {
            let settings = Settings::new(args.machine, &axes.at(i, j), data.set_dim())?;
            let splits = splits(&settings, data, args.folds)?;
            let folds = run(&settings, data, &splits, limits, began)?;
            if folds.len() < splits.len() || limits.is_cancelled() {
                return Ok(places);
            }
            let (mean, spread) = mean_and_spread(&folds);
            let stop = folds.iter().map(|fold| fold.stop).find(|&stop| stop != Stop::Converged);
            let up = axes.has_gamma.then(|| axes.up[j]);
            places.push(Place {
                across: axes.across[i],
                up,
                mean,
                spread,
                stop: stop.unwrap_or(Stop::Converged),
            });
        }
    }
    Ok(places)
}
