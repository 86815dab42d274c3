//! `lm convert`: models of LIBSVM and LIBLINEAR, both ways.

use std::io::Read;

use lm_closed::LogisticModel;
use lm_core::multiclass::{Classifier, OneVsOneModel, OneVsRestModel};
use lm_core::{KernelForm, Linear, VectorKernel};
use lm_data::{liblinear, libsvm};

use crate::args::{ConvertArgs, ModelFormat};
use crate::failure::{Failure, Outcome};
use crate::machine::{AnyExamples, Evidence, Machine};
use crate::model_file::{Model, load, save};
use crate::output::{Answer, write_file};
use crate::settings::{LossName, MachineName, SettingArgs, Settings};

/// Rewrites a model in another format.
pub(crate) fn convert(args: &ConvertArgs) -> Outcome<Answer> {
    let model = load_any(&args.model)?;
    let mut answer = Answer::new();
    answer.line("model", format!("{}: {}", args.model, model.settings.machine.name()));
    let lost = |what: &str| format!("{what}; the lm model keeps it");
    match args.to {
        ModelFormat::Lm => save(&args.output, &model)?,
        ModelFormat::Libsvm => {
            let mut text = Vec::new();
            libsvm::write(&mut text, &to_libsvm(&model)?)?;
            write_file(&args.output, &text)?;
        }
        ModelFormat::Liblinear => {
            let mut text = Vec::new();
            liblinear::write(&mut text, &to_liblinear(&model)?)?;
            write_file(&args.output, &text)?;
        }
    }
    if args.output == "-" {
        return Ok(Answer::new());
    }
    answer.line("written", args.output.clone());
    if args.to != ModelFormat::Lm {
        if !matches!(model.evidence, Evidence::Absent) {
            answer.line("left out", lost("the format has no place for the certificate"));
        }
        if let Some(names) = &model.class_names {
            let numbered: Vec<String> =
                names.iter().enumerate().map(|(k, name)| format!("{k} = {name}")).collect();
            answer.line("classes", numbered.join(", "));
        }
    }
    answer.member("machine", model.settings.machine.name());
    answer.member("output", args.output.clone());
    Ok(answer)
}

/// Reads a model of any of the three formats.
fn load_any(path: &str) -> Outcome<Model> {
    let failed = |error: std::io::Error| Failure::new(error.to_string()).at(path);
    let mut start = [0_u8; 16];
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let read = file.read(&mut start).map_err(failed)?;
    let start = &start[..read];
    if start.starts_with(b"svm_type") {
        let own = libsvm::open(path).map_err(|error| Failure::from(error).at(path))?;
        return from_libsvm(&own).map_err(|failure| failure.at(path));
    }
    if start.starts_with(b"solver_type") {
        let own = liblinear::open(path).map_err(|error| Failure::from(error).at(path))?;
        return from_liblinear(&own).map_err(|failure| failure.at(path));
    }
    if start.first().is_some_and(|&byte| byte == 0x89) {
        return load(path);
    }
    Err(Failure::new("is no model; accepted is a model file of lm, of LIBSVM (which starts with `svm_type`) or of LIBLINEAR (`solver_type`)").at(path))
}

/// A model of another program, which comes without settings, names and certificate.
fn foreign(machine: MachineName, dim: usize, own: Machine) -> Outcome<Model> {
    Ok(Model {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        settings: Settings::new(machine, &SettingArgs::default(), dim)?,
        dim,
        features: None,
        target: None,
        class_names: None,
        scaler: None,
        machine: own,
        evidence: Evidence::Absent,
        weights: None,
        support: None,
        data_hash: String::new(),
        examples: 0,
        stop: None,
        iterations: 0,
    })
}

fn from_libsvm(own: &libsvm::Model) -> Outcome<Model> {
    let libsvm::Kernel::Vectors(kernel) = own.kernel() else {
        return Err(Failure::new(
            "has a precomputed kernel; accepted is a kernel of vectors (`lm libsvm-predict` takes both)",
        ));
    };
    let (name, machine) = match own.task() {
        libsvm::Task::EpsilonSvr => (MachineName::Svr, Machine::KernelFunction(own.to_function()?)),
        libsvm::Task::NuSvr => (MachineName::NuSvr, Machine::KernelFunction(own.to_function()?)),
        libsvm::Task::OneClass => (MachineName::OneClass, Machine::Novelty(own.to_function()?)),
        task => {
            let name = if task == libsvm::Task::CSvc { MachineName::Svc } else { MachineName::NuSvc };
            match own.sigmoids() {
                Some(_) => (name, Machine::Calibrated(own.to_calibrated()?)),
                None => (name, Machine::KernelPairs(own.to_pairs()?)),
            }
        }
    };
    let mut model = foreign(name, own.dim(), machine)?;
    model.settings.kernel = Some(kernel);
    model.support = Some(own.support_len());
    Ok(model)
}

fn from_liblinear(own: &liblinear::Model) -> Outcome<Model> {
    let solver = own.solver();
    let only = || own.functions().first().cloned().ok_or_else(|| Failure::new("has no function"));
    let (name, machine) = match () {
        () if solver.is_regression() => (MachineName::Ls, Machine::LinearFunction(only()?)),
        () if !solver.is_classification() => (MachineName::OneClass, Machine::LinearNovelty(only()?)),
        () if own.functions().len() == 1 => {
            let (function, classes) = own.to_linear()?;
            match solver.is_logistic() {
                true => (
                    MachineName::Logistic,
                    Machine::Logistic { model: LogisticModel::new(function), classes },
                ),
                false => (
                    MachineName::LinearSvc,
                    Machine::LinearPairs(OneVsOneModel::new(classes.to_vec(), vec![function])?),
                ),
            }
        }
        () => (MachineName::LinearSvc, Machine::LinearMachine(own.to_machine()?)),
    };
    foreign(name, own.dim(), machine)
}

fn no_scaling(model: &Model) -> Outcome<()> {
    match model.scaler {
        Some(_) => Err(Failure::new(
            "the model scales its features, which these formats cannot say; accepted is a model trained with `--scale none`, on data that `lm scale` has scaled",
        )),
        None => Ok(()),
    }
}

fn to_libsvm(model: &Model) -> Outcome<libsvm::Model> {
    no_scaling(model)?;
    let nu = matches!(model.settings.machine, MachineName::NuSvr);
    let task = if nu { libsvm::Task::NuSvr } else { libsvm::Task::EpsilonSvr };
    Ok(match &model.machine {
        Machine::KernelPairs(own) => libsvm::Model::from_pairs(own)?,
        Machine::KernelDag(own) => libsvm::Model::from_pairs(own.pairwise())?,
        Machine::Calibrated(own) => libsvm::Model::from_calibrated(own)?,
        Machine::KernelFunction(own) => libsvm::Model::from_function(task, own)?,
        Machine::LinearFunction(own) => libsvm::Model::from_linear(task, own)?,
        Machine::Novelty(own) => libsvm::Model::from_function(libsvm::Task::OneClass, own)?,
        Machine::LinearNovelty(own) => libsvm::Model::from_linear(libsvm::Task::OneClass, own)?,
        _ => {
            return Err(Failure::new(
                "LIBSVM has no such machine; accepted is one over kernels by pairs of classes, a linear or kernel regression, or one-class",
            ));
        }
    })
}

fn to_liblinear(model: &Model) -> Outcome<liblinear::Model> {
    use liblinear::{Model as Own, Solver};
    no_scaling(model)?;
    let svc = match model.settings.loss {
        LossName::Hinge => Solver::L2rL1lossSvcDual,
        LossName::SquaredHinge => Solver::L2rL2lossSvcDual,
    };
    let two = |classes: &[i64]| match classes {
        &[low, high] => Some([low, high]),
        _ => None,
    };
    let refused = || {
        Failure::new(
            "LIBLINEAR has no such machine; accepted is a linear classifier by one-vs-rest, a linear regression, or logistic regression",
        )
    };
    Ok(match &model.machine {
        Machine::LinearPairs(own) => match (two(own.classes()), own.models()) {
            (Some(classes), [function]) => Own::from_linear(svc, function, Some(classes))?,
            _ => return Err(refused()),
        },
        Machine::LinearRest(own) => Own::from_rest(svc, own)?,
        Machine::LinearMachine(own) => {
            let classes = Classifier::<AnyExamples>::classes(own).to_vec();
            Own::from_rest(svc, &OneVsRestModel::new(classes, own.functions().to_vec())?)?
        }
        Machine::Lda(own) => {
            let machine = own.machine();
            let classes = Classifier::<AnyExamples>::classes(machine).to_vec();
            match (two(&classes), machine.functions()) {
                (Some(classes), [low, high]) => Own::from_linear(svc, &high.minus(low)?, Some(classes))?,
                _ => Own::from_rest(svc, &OneVsRestModel::new(classes, machine.functions().to_vec())?)?,
            }
        }
        Machine::Logistic { model, classes } => {
            Own::from_linear(Solver::L2rLr, model.function(), Some(*classes))?
        }
        Machine::LinearFunction(own) => Own::from_linear(Solver::L2rL2lossSvr, own, None)?,
        Machine::LinearNovelty(own) => Own::from_linear(Solver::OneclassSvm, own, None)?,
        Machine::KernelPairs(own) if is_linear(model.settings.kernel) => {
            let functions = own.models().iter().map(over_columns).collect::<Outcome<Vec<Linear>>>()?;
            match (two(own.classes()), &functions[..]) {
                (Some(classes), [function]) => Own::from_linear(svc, function, Some(classes))?,
                _ => return Err(refused()),
            }
        }
        _ => return Err(refused()),
    })
}

fn is_linear(kernel: Option<VectorKernel>) -> bool {
    kernel.is_some_and(|kernel| matches!(kernel.form(), KernelForm::Linear))
}

/// An expansion with the linear kernel as a weight for each column.
fn over_columns(own: &lm_core::VectorExpansion) -> Outcome<Linear> {
    let support = own.support().as_examples();
    let mut weights = vec![0.0; support.dim()];
    for (row, &coefficient) in own.coefficients().iter().enumerate() {
        support.add_scaled(row, coefficient, &mut weights);
    }
    Ok(Linear::new(weights, own.bias())?)
}
