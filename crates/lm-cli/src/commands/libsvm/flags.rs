//! The flags of `svm-train`.

use crate::failure::{Failure, Outcome};

/// What is shown for a command line that cannot be understood.
pub(crate) const TRAIN_USAGE: &str = "\
Usage: lm libsvm-train [options] training_set_file [model_file]
options:
  -s svm_type     0 C-SVC, 1 nu-SVC, 2 one-class SVM, 3 epsilon-SVR, 4 nu-SVR (default 0)
  -t kernel_type  0 linear u'*v, 1 polynomial (gamma*u'*v + coef0)^degree, 2 radial basis exp(-gamma*|u-v|^2),
                  3 sigmoid tanh(gamma*u'*v + coef0), 4 precomputed kernel (values in training_set_file) (default 2)
  -d degree       degree of the kernel (default 3)
  -g gamma        gamma of the kernel (default 1/num_features)
  -r coef0        coef0 of the kernel (default 0)
  -c cost         C of C-SVC, epsilon-SVR and nu-SVR (default 1)
  -n nu           nu of nu-SVC, one-class SVM and nu-SVR (default 0.5)
  -p epsilon      epsilon in the loss of epsilon-SVR (default 0.1)
  -m cachesize    memory in MB (default 100)
  -e epsilon      tolerance of the stopping rule (default 0.001)
  -h shrinking    0 or 1: whether to set variables at a bound aside (default 1)
  -b probability  0 or 1: whether to learn probabilities (C-SVC and nu-SVC) (default 0)
  -wi weight      C of class i is weight*C (C-SVC) (default 1)
  -v n            n-fold cross-validation
  -q              no output";

/// A command line of `svm-train`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Flags {
    pub(super) machine: u8,
    pub(super) kernel: u8,
    pub(super) degree: u32,
    /// None for 1/num_features.
    pub(super) gamma: Option<f64>,
    pub(super) coef0: f64,
    pub(super) cost: f64,
    pub(super) nu: f64,
    pub(super) tube: f64,
    pub(super) megabytes: f64,
    pub(super) epsilon: f64,
    pub(super) shrinking: bool,
    pub(super) probability: bool,
    pub(super) weights: Vec<(i64, f64)>,
    pub(super) folds: Option<usize>,
    pub(super) quiet: bool,
    pub(super) data: String,
    pub(super) model: String,
}

impl Flags {
    /// Reads a command line.
    pub(super) fn parse(words: &[String]) -> Outcome<Self> {
        let mut flags = Self {
            machine: 0,
            kernel: 2,
            degree: 3,
            gamma: None,
            coef0: 0.0,
            cost: 1.0,
            nu: 0.5,
            tube: 0.1,
            megabytes: 100.0,
            epsilon: 1e-3,
            shrinking: true,
            probability: false,
            weights: Vec::new(),
            folds: None,
            quiet: false,
            data: String::new(),
            model: String::new(),
        };
        let mut at = 0;
        while let Some(flag) = words.get(at).filter(|word| word.starts_with('-') && word.len() > 1) {
            if flag == "-q" {
                flags.quiet = true;
                at += 1;
                continue;
            }
            let value = words.get(at + 1).ok_or_else(|| wrong(&format!("`{flag}` has no value")))?;
            flags.set(flag, value)?;
            at += 2;
        }
        match &words[at.min(words.len())..] {
            [data] => {
                flags.data.clone_from(data);
                let name = std::path::Path::new(data).file_name().and_then(|name| name.to_str());
                flags.model = format!("{}.model", name.unwrap_or("training"));
            }
            [data, model] => {
                flags.data.clone_from(data);
                flags.model.clone_from(model);
            }
            [] => return Err(wrong("there is no training_set_file")),
            [_, _, more, ..] => return Err(wrong(&format!("`{more}` is one word too many"))),
        }
        Ok(flags)
    }

    fn set(&mut self, flag: &str, value: &str) -> Outcome<()> {
        let number = || -> Outcome<f64> {
            let parsed = value.parse::<f64>().ok().filter(|value| value.is_finite());
            parsed.ok_or_else(|| wrong(&format!("`{flag} {value}`; accepted is a finite number")))
        };
        let one_of = |most: u8| -> Outcome<u8> {
            let parsed = value.parse::<u8>().ok().filter(|value| *value <= most);
            parsed.ok_or_else(|| wrong(&format!("`{flag} {value}`; accepted is 0 to {most}")))
        };
        match flag {
            "-s" => self.machine = one_of(4)?,
            "-t" => self.kernel = one_of(4)?,
            "-d" => {
                let parsed = value.parse().ok().filter(|value| *value >= 1);
                self.degree = parsed
                    .ok_or_else(|| wrong(&format!("`-d {value}`; accepted is a degree of at least 1")))?;
            }
            "-g" => {
                let gamma = number()?;
                // LIBSVM takes 0 for 1/num_features too.
                self.gamma = (gamma != 0.0).then_some(gamma);
            }
            "-r" => self.coef0 = number()?,
            "-c" => self.cost = number()?,
            "-n" => self.nu = number()?,
            "-p" => self.tube = number()?,
            "-m" => {
                self.megabytes = number()?;
                if !(self.megabytes > 0.0) {
                    return Err(wrong(&format!("`-m {value}`; accepted is a number of megabytes > 0")));
                }
            }
            "-e" => self.epsilon = number()?,
            "-h" => self.shrinking = one_of(1)? == 1,
            "-b" => self.probability = one_of(1)? == 1,
            "-v" => {
                let parsed = value.parse().ok().filter(|folds| *folds >= 2);
                self.folds = Some(
                    parsed.ok_or_else(|| wrong(&format!("`-v {value}`; accepted are 2 folds or more")))?,
                );
            }
            _ => {
                let class = flag.strip_prefix("-w").and_then(|class| class.parse::<i64>().ok());
                let Some(class) = class else { return Err(wrong(&format!("`{flag}` is no option"))) };
                self.weights.push((class, number()?));
            }
        }
        Ok(())
    }
}

fn wrong(what: &str) -> Failure {
    Failure::new(format!("{what}\n{TRAIN_USAGE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Outcome<Flags> {
        Flags::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_command_line_is_read_flag_for_flag() {
        let flags = parsed("-s 1 -t 1 -d 2 -g 0.5 -r 1 -n 0.2 -h 0 -b 1 -w-1 2.5 -q folder/train").unwrap();
        assert_eq!((flags.machine, flags.kernel, flags.degree, flags.gamma), (1, 1, 2, Some(0.5)));
        assert_eq!((flags.shrinking, flags.probability, flags.quiet), (false, true, true));
        assert_eq!(flags.weights, [(-1, 2.5)]);
        assert_eq!((&*flags.data, &*flags.model), ("folder/train", "train.model"));
        assert_eq!(parsed("a b").unwrap().model, "b");
        for bad in
            ["", "-s 5 a", "-s", "-c x a", "-c nan a", "-x 1 a", "a b c", "-v 1 a", "-d 0 a", "-m -1 a"]
        {
            assert!(parsed(bad).unwrap_err().to_string().contains("Usage"), "{bad}");
        }
    }
}
