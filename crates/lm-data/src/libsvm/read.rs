//! Reading a model file of LIBSVM.

use std::io::Read;
use std::path::Path;

use lm_core::{Error, Result, VectorKernel};

use super::model::{Kernel, Model, Pieces, Support, Task, width};
use crate::text::fields::{Line, Place, Word, different, each_line, number, numbers, once, only};
use crate::text::number::scan_index;
use crate::text::source;

/// Reads a model file, plain or gzip.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, or is a directory; otherwise as [`read`].
pub fn open(path: impl AsRef<Path>) -> Result<Model> {
    read(source::open(path.as_ref())?)
}

/// Reads a model, plain or gzip.
///
/// ```
/// use lm_core::Error;
/// use lm_data::libsvm;
///
/// let cut = "svm_type one_class\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nSV\n1 1:0.5\n";
/// let error = libsvm::read(cut.as_bytes()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 9, byte 86: fewer support vectors than total_sv; accepted are exactly as many lines behind SV",
/// );
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`] with line and byte for a file that is not a model: keys that are unknown, missing, repeated or before those
/// that they depend on; counts that do not add up; numbers that are not finite or parameters outside their domain; indices
/// that do not increase; a file that goes on behind its last support vector. [`Error::Io`] if the reader fails.
pub fn read(reader: impl Read) -> Result<Model> {
    let mut parser = Parser::default();
    let end = each_line(reader, |line| parser.line(&line))?;
    parser.finish(end)
}

/// The name of a kernel type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Linear,
    Polynomial,
    Gaussian,
    Sigmoid,
    Precomputed,
}

const FORMS: [(&str, Form); 5] = [
    ("linear", Form::Linear),
    ("polynomial", Form::Polynomial),
    ("rbf", Form::Gaussian),
    ("sigmoid", Form::Sigmoid),
    ("precomputed", Form::Precomputed),
];

/// What has been read so far.
#[derive(Default)]
struct Parser {
    task: Option<Task>,
    form: Option<Form>,
    degree: Option<u32>,
    gamma: Option<f64>,
    coef0: Option<f64>,
    classes: Option<usize>,
    total: Option<usize>,
    rho: Option<Vec<f64>>,
    labels: Option<Vec<i32>>,
    prob_a: Option<Vec<f64>>,
    prob_b: Option<Vec<f64>>,
    marks: Option<Vec<f64>>,
    sizes: Option<Vec<usize>>,
    body: Option<Body>,
}

/// The support vectors behind `SV`.
struct Body {
    task: Task,
    kernel: Kernel,
    total: usize,
    width: usize,
    read: usize,
    coefficients: Vec<f64>,
    support: Support,
}

impl Parser {
    fn line(&mut self, line: &Line<'_>) -> Result<()> {
        if let Some(body) = &mut self.body {
            return body.line(line);
        }
        let mut words = line.words();
        let key =
            words.next().ok_or_else(|| line.place().error("an empty line; accepted is a key before SV"))?;
        match key.text {
            b"svm_type" => {
                let word = only(&key, words)?;
                let named = |task: &&Task| task.name().as_bytes() == word.text;
                let problem = "accepted are c_svc, nu_svc, one_class, epsilon_svr and nu_svr";
                let task = Task::ALL.iter().find(named).ok_or_else(|| word.error(problem))?;
                once(&mut self.task, &key, *task)
            }
            b"kernel_type" => {
                let word = only(&key, words)?;
                let problem = "accepted are linear, polynomial, rbf, sigmoid and precomputed";
                let named = FORMS.iter().find(|(name, _)| name.as_bytes() == word.text);
                once(&mut self.form, &key, named.ok_or_else(|| word.error(problem))?.1)
            }
            b"degree" => {
                let word = only(&key, words)?;
                let degree = word.count(1, "accepted is a degree of at least 1")?;
                once(&mut self.degree, &key, degree as u32)
            }
            b"gamma" => {
                let gamma = self.gamma(&only(&key, words)?)?;
                once(&mut self.gamma, &key, gamma)
            }
            b"coef0" => {
                let coef0 = self.coef0(&only(&key, words)?)?;
                once(&mut self.coef0, &key, coef0)
            }
            b"nr_class" => {
                let task = self.task(&key)?;
                let word = only(&key, words)?;
                let classes = word.count(2, "accepted are two classes or more")?;
                if !task.is_classification() && classes != 2 {
                    return Err(word.error("accepted is 2 for one_class, epsilon_svr and nu_svr"));
                }
                once(&mut self.classes, &key, classes)
            }
            b"total_sv" => {
                let total = only(&key, words)?.count(0, "accepted is a number of support vectors, 0 or more")?;
                once(&mut self.total, &key, total)
            }
            b"rho" => {
                let count = self.functions(&key)?;
                let problem = "accepted is one rho for each pair of classes, or one without classes";
                once(&mut self.rho, &key, numbers(&key, words, count, problem)?)
            }
            b"label" => {
                let labels = self.labels(&key, words)?;
                once(&mut self.labels, &key, labels)
            }
            b"probA" => {
                let count = self.functions(&key)?;
                let problem = "accepted is one number for each pair of classes, or one for a regression";
                let list = numbers(&key, words, count, problem)?;
                if self.task == Some(Task::OneClass) {
                    return Err(key.error("probA is accepted for classification and regression only"));
                }
                if self.task.is_some_and(Task::is_regression) && !(list.iter().all(|scale| *scale >= 0.0)) {
                    return Err(key.error("accepted is a scale of the errors of a regression that is 0 or more"));
                }
                once(&mut self.prob_a, &key, list)
            }
            b"probB" => {
                let count = self.functions(&key)?;
                let problem = "accepted is one number for each pair of classes";
                let list = numbers(&key, words, count, problem)?;
                if !self.task.is_some_and(Task::is_classification) {
                    return Err(key.error("probB is accepted for classification only"));
                }
                once(&mut self.prob_b, &key, list)
            }
            b"prob_density_marks" => {
                const MARKS: usize = 10;
                let list = numbers(&key, words, MARKS, "accepted are ten marks")?;
                if self.task(&key)? != Task::OneClass {
                    return Err(key.error("marks of a density are accepted for one_class only"));
                }
                if !list.is_sorted() {
                    return Err(key.error("accepted are marks that do not decrease"));
                }
                once(&mut self.marks, &key, list)
            }
            b"nr_sv" => {
                let sizes = self.sizes(&key, words)?;
                once(&mut self.sizes, &key, sizes)
            }
            b"SV" => match words.next() {
                Some(word) => Err(word.error("accepted is SV alone in its line")),
                None => {
                    self.body = Some(self.begin(&key)?);
                    Ok(())
                }
            },
            _ => Err(key.error(
                "an unknown key; accepted are svm_type, kernel_type, degree, gamma, coef0, nr_class, total_sv, rho, label, \
                 probA, probB, prob_density_marks, nr_sv and SV",
            )),
        }
    }

    fn task(&self, key: &Word<'_>) -> Result<Task> {
        self.task.ok_or_else(|| key.error("svm_type is missing; it is accepted before this key"))
    }

    fn form(&self, key: &Word<'_>) -> Result<Form> {
        self.form.ok_or_else(|| key.error("kernel_type is missing; it is accepted before this key"))
    }

    fn classes(&self, key: &Word<'_>) -> Result<usize> {
        self.classes.ok_or_else(|| key.error("nr_class is missing; it is accepted before this key"))
    }

    /// How many decision functions there are.
    fn functions(&self, key: &Word<'_>) -> Result<usize> {
        let (task, classes) = (self.task(key)?, self.classes(key)?);
        let pairs = classes.checked_mul(classes - 1).map(|twice| twice / 2);
        let pairs =
            pairs.ok_or_else(|| key.error("accepted is a number of classes whose pairs can be counted"))?;
        Ok(if task.is_classification() { pairs } else { 1 })
    }

    fn gamma(&self, word: &Word<'_>) -> Result<f64> {
        let gamma = word.number()?;
        match self.form(word)? {
            Form::Polynomial | Form::Gaussian if !(gamma > 0.0) => Err(word.error("accepted is gamma > 0")),
            Form::Sigmoid if gamma == 0.0 => Err(word.error("accepted is gamma other than 0")),
            _ => Ok(gamma),
        }
    }

    fn coef0(&self, word: &Word<'_>) -> Result<f64> {
        let coef0 = word.number()?;
        match self.form(word)? {
            Form::Polynomial if !(coef0 >= 0.0) => {
                Err(word.error("accepted is coef0 ≥ 0: with a negative one a polynomial is no kernel"))
            }
            _ => Ok(coef0),
        }
    }

    fn labels<'t>(&self, key: &Word<'_>, words: impl Iterator<Item = Word<'t>>) -> Result<Vec<i32>> {
        let (task, classes) = (self.task(key)?, self.classes(key)?);
        if !task.is_classification() {
            return Err(key.error("labels are accepted for classification only"));
        }
        different(key, words, classes)
    }

    fn sizes<'t>(&self, key: &Word<'_>, words: impl Iterator<Item = Word<'t>>) -> Result<Vec<usize>> {
        let (task, classes) = (self.task(key)?, self.classes(key)?);
        let problem = "accepted is a number of support vectors for each class";
        if !task.is_classification() {
            return Err(key.error("nr_sv is accepted for classification only"));
        }
        let mut sizes = Vec::new();
        for word in words {
            if sizes.len() == classes {
                return Err(word.error(problem));
            }
            sizes.push(word.count(0, problem)?);
        }
        if sizes.len() == classes { Ok(sizes) } else { Err(key.error(problem)) }
    }

    /// Checks the header when `SV` comes.
    fn begin(&self, key: &Word<'_>) -> Result<Body> {
        let (task, form, classes) = (self.task(key)?, self.form(key)?, self.classes(key)?);
        let missing = |what: &'static str| key.error(what);
        let total = self.total.ok_or_else(|| missing("total_sv is missing; it is accepted before SV"))?;
        if self.rho.is_none() {
            return Err(missing("rho is missing; it is accepted before SV"));
        }
        if task.is_classification() {
            if self.labels.is_none() {
                return Err(missing("label is missing; it is accepted before SV"));
            }
            let sizes =
                self.sizes.as_ref().ok_or_else(|| missing("nr_sv is missing; it is accepted before SV"))?;
            let sum = sizes.iter().fold(0, |sum: usize, &size| sum.saturating_add(size));
            if sum != total {
                return Err(missing("nr_sv does not add up to total_sv; accepted are numbers that do"));
            }
            if self.prob_a.is_some() != self.prob_b.is_some() {
                return Err(missing("accepted are probA and probB together, or neither"));
            }
        }
        let support = match form {
            Form::Precomputed => Support::Rows(Vec::new()),
            _ => Support::Vectors { offsets: vec![0], indices: Vec::new(), values: Vec::new(), dim: 0 },
        };
        let (kernel, width) = (self.kernel(form, key)?, width(task, classes));
        Ok(Body { task, kernel, total, width, read: 0, coefficients: Vec::new(), support })
    }

    fn kernel(&self, form: Form, key: &Word<'_>) -> Result<Kernel> {
        let needed = match form {
            Form::Linear | Form::Precomputed => [false; 3],
            Form::Polynomial => [true; 3],
            Form::Gaussian => [false, true, false],
            Form::Sigmoid => [false, true, true],
        };
        for (needed, found, problem) in [
            (
                needed[0],
                self.degree.is_some(),
                "degree is accepted for a polynomial kernel, which needs it, before SV",
            ),
            (needed[1], self.gamma.is_some(), "gamma is accepted for the kernels that need it, before SV"),
            (needed[2], self.coef0.is_some(), "coef0 is accepted for the kernels that need it, before SV"),
        ] {
            if needed != found {
                return Err(key.error(problem));
            }
        }
        let (gamma, coef0) = (self.gamma.unwrap_or(1.0), self.coef0.unwrap_or(0.0));
        let made = match form {
            Form::Precomputed => return Ok(Kernel::Precomputed),
            Form::Linear => Ok(VectorKernel::linear()),
            Form::Polynomial => VectorKernel::polynomial(self.degree.unwrap_or(1), gamma, coef0),
            Form::Gaussian => VectorKernel::gaussian(gamma),
            Form::Sigmoid => VectorKernel::sigmoid(gamma, coef0),
        };
        made.map(Kernel::Vectors).map_err(|_| key.error("the kernel's parameters are outside their domain"))
    }

    fn finish(self, end: Place) -> Result<Model> {
        let Some(body) = self.body else {
            return Err(
                end.error("the file ends before SV; accepted is a header, SV and the support vectors")
            );
        };
        if body.read < body.total {
            let problem = "fewer support vectors than total_sv; accepted are exactly as many lines behind SV";
            return Err(end.error(problem));
        }
        Model::assembled(Pieces {
            task: body.task,
            kernel: body.kernel,
            labels: self.labels.unwrap_or_default(),
            sizes: self.sizes.unwrap_or_default(),
            rho: self.rho.unwrap_or_default(),
            prob_a: self.prob_a.unwrap_or_default(),
            prob_b: self.prob_b.unwrap_or_default(),
            marks: self.marks.unwrap_or_default(),
            coefficients: body.coefficients,
            support: body.support,
        })
    }
}

impl Body {
    /// Reads one support vector.
    fn line(&mut self, line: &Line<'_>) -> Result<()> {
        if self.read == self.total {
            return if line.is_blank() {
                Ok(())
            } else {
                Err(line
                    .place()
                    .error("text behind the last support vector; accepted is the end of the file"))
            };
        }
        let mut words = line.words();
        for _ in 0..self.width {
            let problem = "a coefficient is missing; accepted is one for each class but its own, or one without classes";
            let word = words.next().ok_or_else(|| line.end().error(problem))?;
            self.coefficients.push(word.number()?);
        }
        match &mut self.support {
            Support::Rows(rows) => rows.push(serial(line, words)?),
            Support::Vectors { offsets, indices, values, dim } => {
                // The least index accepted next.
                let mut least = 1;
                for word in words {
                    let (index, value) = entry(&word)?;
                    if index < least {
                        let problem = "accepted are indices from 1 on that increase in a line";
                        return Err(word.error(problem));
                    }
                    least = index + 1;
                    indices.push(index - 1);
                    values.push(value);
                }
                *dim = (*dim).max(least as usize - 1);
                offsets.push(values.len());
            }
        }
        self.read += 1;
        Ok(())
    }
}

/// An index and its value.
fn entry(word: &Word<'_>) -> Result<(u32, f64)> {
    let problem = "accepted are entries written index:value, with indices of at most 2147483647";
    let (index, colon) = scan_index(word.text, 0).ok_or_else(|| word.error(problem))?;
    let index = i32::try_from(index).ok().and_then(|index| u32::try_from(index).ok());
    match (index, word.text.get(colon), word.text.get(colon + 1..)) {
        (Some(index), Some(b':'), Some(value)) => {
            Ok((index, number(value).map_err(|problem| word.error(problem))?))
        }
        _ => Err(word.error(problem)),
    }
}

/// The number of an example of the training set, written `0:number`, counted from 1.
fn serial<'t>(line: &Line<'_>, mut words: impl Iterator<Item = Word<'t>>) -> Result<usize> {
    let problem = "accepted for a precomputed kernel is 0:number, the number of an example from 1 on";
    let refused = |word: Option<Word<'_>>| -> Error {
        word.map_or_else(|| line.end().error(problem), |word| word.error(problem))
    };
    let word = words.next().ok_or_else(|| refused(None))?;
    let number = word.text.strip_prefix(b"0:").ok_or_else(|| refused(Some(word)))?;
    let number =
        Word { text: number, place: word.place }.count(1, problem).map_err(|_| refused(Some(word)))?;
    match words.next() {
        None => Ok(number - 1),
        more => Err(refused(more)),
    }
}
