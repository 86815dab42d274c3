//! What a machine is trained with: its name, its settings, and which settings it takes.

use clap::{Args, ValueEnum};
use lm_core::{KernelForm, VectorKernel};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Outcome};

/// The machines of the workspace, under the names that `lm train` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum MachineName {
    /// Support vector machine: 1-norm soft margin, any kernel
    Svc,
    /// Support vector machine with a share ν of margin errors
    NuSvc,
    /// Support vector regression with a tube of width ε
    Svr,
    /// Support vector regression with a share ν of examples outside the tube
    NuSvr,
    /// Where most of the examples lie
    OneClass,
    /// Linear support vector machine, without a kernel
    LinearSvc,
    /// Machine of few kernel values, by linear programming
    LpSvc,
    /// Perceptron
    Perceptron,
    /// Balanced Winnow: multiplicative corrections
    Winnow,
    /// Relaxation with a margin
    Relaxation,
    /// Least squares by descent (Widrow–Hoff)
    Lms,
    /// Least squares
    Ls,
    /// Ridge regression
    Ridge,
    /// Linear discriminant analysis
    Lda,
    /// Logistic regression, of two classes or more
    Logistic,
    /// Ho–Kashyap: a separating hyperplane, or a proof that there is none
    HoKashyap,
    /// Kernel ridge regression
    KernelRidge,
    /// Gaussian process regression
    Gp,
}

impl MachineName {
    /// The name as it is typed.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// What the machine predicts.
    pub(crate) fn task(self) -> Task {
        match self {
            Self::OneClass => Task::Novelty,
            Self::Svr | Self::NuSvr | Self::Lms | Self::Ls | Self::Ridge | Self::KernelRidge | Self::Gp => {
                Task::Regression
            }
            _ => Task::Classification,
        }
    }

    /// Whether it works with kernels.
    fn has_kernel(self) -> bool {
        use MachineName::*;
        matches!(self, Svc | NuSvc | Svr | NuSvr | OneClass | LpSvc | KernelRidge)
    }

    /// Whether it is learned by a scheme of two-class problems.
    fn has_scheme(self) -> bool {
        self.task() == Task::Classification && !matches!(self, Self::Lda | Self::Logistic)
    }

    /// The settings that it takes beside those that all do, as they are typed.
    fn takes(self) -> Vec<&'static str> {
        use MachineName::*;
        let mut taken = Vec::new();
        if self.has_kernel() {
            taken.extend(["--kernel", "--gamma", "--degree", "--coef0"]);
        }
        if self.has_scheme() {
            taken.push("--scheme");
        }
        if self.task() == Task::Classification {
            taken.push("--class-weight");
        }
        taken.extend::<&[&str]>(match self {
            Svc => &["--c", "--gap", "--libsvm-eps", "--probability"],
            NuSvc => &["--nu", "--gap", "--libsvm-eps", "--probability"],
            Svr => &["--c", "--epsilon", "--gap", "--libsvm-eps"],
            NuSvr => &["--c", "--nu", "--gap", "--libsvm-eps"],
            OneClass => &["--nu", "--gap", "--libsvm-eps"],
            LinearSvc => &["--c", "--gap", "--loss"],
            LpSvc => &["--c", "--gap"],
            Perceptron | Relaxation => &["--passes", "--margin"],
            Winnow => &["--passes"],
            Lms => &["--passes", "--gap"],
            Ls | Lda | HoKashyap => &[],
            Ridge => &["--lambda"],
            Logistic | KernelRidge => &["--lambda", "--gap"],
            Gp => &["--gamma", "--lambda"],
        });
        taken
    }
}

/// What a machine predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Task {
    Classification,
    Regression,
    Novelty,
}

/// The kernels, under the names that `--kernel` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelName {
    /// ⟨u·v⟩
    Linear,
    /// (γ⟨u·v⟩ + coef0)^degree
    Poly,
    /// exp(−γ‖u − v‖²)
    Gaussian,
    /// exp(−γ Σ|uₖ − vₖ|)
    Laplacian,
    /// tanh(γ⟨u·v⟩ + coef0)
    Sigmoid,
}

/// How several classes are learned from two-class problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Scheme {
    /// A machine for each pair of classes, which vote
    OneVsOne,
    /// A machine for each class against the others
    OneVsRest,
    /// The pairs again, one losing class at a time
    Dag,
}

/// What a linear support vector machine pays for slack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum LossName {
    /// C Σ ξ
    Hinge,
    /// C Σ ξ²
    SquaredHinge,
}

/// How features are scaled before training; the model keeps the scaling and applies it when it predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum ScaleName {
    /// As they are
    None,
    /// Each feature from −1 to 1
    Minmax,
    /// Each feature to mean 0 and standard deviation 1
    Standard,
}

/// The settings of a machine on the command line.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings of the machine")]
pub(crate) struct SettingArgs {
    /// Kernel [default: gaussian]
    #[arg(long, value_name = "KERNEL")]
    pub(crate) kernel: Option<KernelName>,
    /// Factor γ in the kernel, > 0 [default: 1/number of features]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) gamma: Option<f64>,
    /// Degree of the polynomial kernel, ≥ 1 [default: 3]
    #[arg(long, value_name = "INTEGER", allow_negative_numbers = true)]
    pub(crate) degree: Option<u32>,
    /// Constant of the polynomial and sigmoid kernels [default: 0]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) coef0: Option<f64>,
    /// Cost C of slack, > 0 [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) c: Option<f64>,
    /// Share ν, > 0 and ≤ 1 [default: 0.5]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) nu: Option<f64>,
    /// Half width ε of the tube of svr, ≥ 0 [default: 0.1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<f64>,
    /// Penalty λ of ridge, kernel-ridge and logistic, or noise variance of gp (found by maximum evidence unless given) [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) lambda: Option<f64>,
    /// Relative duality gap at which the machine is good enough, between 0 and 1 [default: 1e-6]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) gap: Option<f64>,
    /// LIBSVM's stopping rule with this ε instead of a gap, > 0
    #[arg(long, value_name = "NUMBER", conflicts_with = "gap", allow_negative_numbers = true)]
    pub(crate) libsvm_eps: Option<f64>,
    /// Multi-class scheme [default: one-vs-one, or one-vs-rest for linear machines]
    #[arg(long, value_name = "SCHEME")]
    pub(crate) scheme: Option<Scheme>,
    /// Also learn probabilities of the classes, from held-out decision values
    #[arg(long)]
    pub(crate) probability: bool,
    /// Loss of linear-svc [default: hinge]
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<LossName>,
    /// Weight of a class, which multiplies the weight of its examples; may be given for several classes
    #[arg(long, value_name = "CLASS=WEIGHT", value_parser = class_weight, allow_hyphen_values = true)]
    pub(crate) class_weight: Vec<(String, f64)>,
    /// Passes over the data after which perceptron, winnow, relaxation and lms end [default: 1000]
    #[arg(long, value_name = "INTEGER")]
    pub(crate) passes: Option<u64>,
    /// Margin below which perceptron (default 0) and relaxation (default 1) correct an example
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) margin: Option<f64>,
    /// Where randomness begins: folds, and the order of examples where it is random
    #[arg(long, value_name = "INTEGER")]
    pub(crate) seed: Option<u64>,
    /// Scaling of the features [default: none]
    #[arg(long, value_name = "SCALING")]
    pub(crate) scale: Option<ScaleName>,
}

fn class_weight(text: &str) -> Result<(String, f64), String> {
    let accepted = "accepted is CLASS=WEIGHT with a finite weight ≥ 0, such as 1=2.5";
    let (class, weight) = text.rsplit_once('=').ok_or(accepted)?;
    let weight = weight.parse().ok().filter(|weight: &f64| *weight >= 0.0 && weight.is_finite());
    weight.map(|weight| (class.to_owned(), weight)).ok_or_else(|| accepted.to_owned())
}

/// The settings of a machine with every default filled in, as a model keeps them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) machine: MachineName,
    pub(crate) kernel: Option<VectorKernel>,
    pub(crate) gamma: Option<f64>,
    pub(crate) c: f64,
    pub(crate) nu: f64,
    pub(crate) epsilon: f64,
    pub(crate) lambda: Option<f64>,
    pub(crate) gap: f64,
    pub(crate) libsvm_epsilon: Option<f64>,
    pub(crate) scheme: Scheme,
    pub(crate) probability: bool,
    pub(crate) loss: LossName,
    pub(crate) class_weights: Vec<(String, f64)>,
    pub(crate) passes: u64,
    pub(crate) margin: Option<f64>,
    pub(crate) seed: Option<u64>,
    pub(crate) scale: ScaleName,
}

impl Settings {
    /// The settings of a machine for examples with so many features.
    pub(crate) fn new(machine: MachineName, args: &SettingArgs, features: usize) -> Outcome<Self> {
        check_taken(machine, args)?;
        let kernel = if machine.has_kernel() { Some(kernel(args, features)?) } else { None };
        let linear = !machine.has_kernel();
        Ok(Self {
            machine,
            kernel,
            gamma: args.gamma,
            c: args.c.unwrap_or(1.0),
            nu: args.nu.unwrap_or(0.5),
            epsilon: args.epsilon.unwrap_or(0.1),
            lambda: args.lambda.or((machine != MachineName::Gp).then_some(1.0)),
            gap: args.gap.unwrap_or(if machine == MachineName::Lms { 1e-3 } else { 1e-6 }),
            libsvm_epsilon: args.libsvm_eps,
            scheme: args.scheme.unwrap_or(if linear { Scheme::OneVsRest } else { Scheme::OneVsOne }),
            probability: args.probability,
            loss: args.loss.unwrap_or(LossName::Hinge),
            class_weights: args.class_weight.clone(),
            passes: args.passes.unwrap_or(1000),
            margin: args.margin,
            seed: args.seed,
            scale: args.scale.unwrap_or(ScaleName::None),
        })
    }

    /// The settings that matter for the machine, with their values, for people and programs.
    pub(crate) fn shown(&self) -> Vec<(&'static str, serde_json::Value)> {
        use serde_json::json;
        let mut shown = Vec::new();
        if let Some(kernel) = self.kernel {
            match kernel.form() {
                KernelForm::Polynomial { degree, scale, constant } => {
                    shown.push(("kernel", json!("poly")));
                    shown.push(("degree", json!(degree)));
                    shown.push(("gamma", json!(scale)));
                    shown.push(("coef0", json!(constant)));
                }
                KernelForm::Gaussian { gamma } => {
                    shown.extend([("kernel", json!("gaussian")), ("gamma", json!(gamma))]);
                }
                KernelForm::Laplacian { gamma } => {
                    shown.extend([("kernel", json!("laplacian")), ("gamma", json!(gamma))]);
                }
                KernelForm::Sigmoid { scale, constant } => {
                    shown.push(("kernel", json!("sigmoid")));
                    shown.extend([("gamma", json!(scale)), ("coef0", json!(constant))]);
                }
                _ => shown.push(("kernel", json!("linear"))),
            }
        }
        let taken = self.machine.takes();
        let mut add = |flag: &str, name: &'static str, value: serde_json::Value| {
            if taken.contains(&flag) && !value.is_null() {
                shown.push((name, value));
            }
        };
        if self.kernel.is_none() {
            add("--gamma", "gamma", json!(self.gamma));
        }
        add("--c", "c", json!(self.c));
        add("--nu", "nu", json!(self.nu));
        add("--epsilon", "epsilon", json!(self.epsilon));
        add("--lambda", "lambda", json!(self.lambda));
        match self.libsvm_epsilon {
            Some(epsilon) => add("--libsvm-eps", "libsvm_eps", json!(epsilon)),
            None => add("--gap", "gap", json!(self.gap)),
        }
        add("--scheme", "scheme", json!(scheme_name(self.scheme)));
        add("--probability", "probability", json!(self.probability));
        let loss = if self.loss == LossName::Hinge { "hinge" } else { "squared-hinge" };
        add("--loss", "loss", json!(loss));
        add("--passes", "passes", json!(self.passes));
        add("--margin", "margin", json!(self.margin));
        for (class, weight) in &self.class_weights {
            shown.push(("class_weight", json!(format!("{class}={weight}"))));
        }
        let scale = match self.scale {
            ScaleName::None => "none",
            ScaleName::Minmax => "minmax",
            ScaleName::Standard => "standard",
        };
        shown.push(("scale", json!(scale)));
        if let Some(seed) = self.seed {
            shown.push(("seed", json!(seed)));
        }
        shown
    }
}

fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::OneVsOne => "one-vs-one",
        Scheme::OneVsRest => "one-vs-rest",
        Scheme::Dag => "dag",
    }
}

/// Refuses a setting that the machine would ignore.
fn check_taken(machine: MachineName, args: &SettingArgs) -> Outcome<()> {
    let given = [
        ("--kernel", args.kernel.is_some()),
        ("--gamma", args.gamma.is_some()),
        ("--degree", args.degree.is_some()),
        ("--coef0", args.coef0.is_some()),
        ("--c", args.c.is_some()),
        ("--nu", args.nu.is_some()),
        ("--epsilon", args.epsilon.is_some()),
        ("--lambda", args.lambda.is_some()),
        ("--gap", args.gap.is_some()),
        ("--libsvm-eps", args.libsvm_eps.is_some()),
        ("--scheme", args.scheme.is_some()),
        ("--probability", args.probability),
        ("--loss", args.loss.is_some()),
        ("--class-weight", !args.class_weight.is_empty()),
        ("--passes", args.passes.is_some()),
        ("--margin", args.margin.is_some()),
    ];
    let taken = machine.takes();
    for (flag, is_given) in given {
        if is_given && !taken.contains(&flag) {
            let (name, accepted) = (machine.name(), taken.join(", "));
            let accepted = if accepted.is_empty() { "no setting of its own".to_owned() } else { accepted };
            return Err(Failure::new(format!("`{flag}` is no setting of {name}; accepted is {accepted}")));
        }
    }
    let form = args.kernel.unwrap_or(KernelName::Gaussian);
    if machine.has_kernel() {
        let (bent, curved) = (args.degree.is_some(), args.coef0.is_some());
        if bent && form != KernelName::Poly {
            return Err(Failure::new("`--degree` is for `--kernel poly` only"));
        }
        if curved && !matches!(form, KernelName::Poly | KernelName::Sigmoid) {
            return Err(Failure::new("`--coef0` is for `--kernel poly` and `--kernel sigmoid` only"));
        }
        if args.gamma.is_some() && form == KernelName::Linear {
            return Err(Failure::new("`--gamma` is for every kernel but `--kernel linear`"));
        }
    }
    if args.probability && args.scheme.is_some_and(|scheme| scheme != Scheme::OneVsOne) {
        return Err(Failure::new("`--probability` goes with `--scheme one-vs-one` only"));
    }
    Ok(())
}

fn kernel(args: &SettingArgs, features: usize) -> Outcome<VectorKernel> {
    let gamma = args.gamma.unwrap_or(1.0 / features.max(1) as f64);
    let constant = args.coef0.unwrap_or(0.0);
    Ok(match args.kernel.unwrap_or(KernelName::Gaussian) {
        KernelName::Linear => VectorKernel::linear(),
        KernelName::Poly => VectorKernel::polynomial(args.degree.unwrap_or(3), gamma, constant)?,
        KernelName::Gaussian => VectorKernel::gaussian(gamma)?,
        KernelName::Laplacian => VectorKernel::laplacian(gamma)?,
        KernelName::Sigmoid => VectorKernel::sigmoid(gamma, constant)?,
    })
}
