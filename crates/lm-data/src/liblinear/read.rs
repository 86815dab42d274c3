//! Reading a model file of LIBLINEAR.

use std::io::Read;
use std::path::Path;

use lm_core::Result;

use super::model::{Model, Solver};
use crate::text::fields::{Line, Place, Word, different, each_line, once, only};
use crate::text::source;

/// Reads a model file, plain or gzip.
///
/// # Errors
/// [`Error::Io`](lm_core::Error::Io) if the file cannot be opened or read, or is a directory; otherwise as [`read`].
pub fn open(path: impl AsRef<Path>) -> Result<Model> {
    read(source::open(path.as_ref())?)
}

/// Reads a model, plain or gzip.
///
/// # Errors
/// [`Error::Parse`](lm_core::Error::Parse) with line and byte for a file that is not a model: keys that are unknown, missing,
/// repeated or before those that they depend on; counts that do not add up; numbers that are not finite; a file that goes on
/// behind its last weight. [`Error::Io`](lm_core::Error::Io) if the reader fails.
pub fn read(reader: impl Read) -> Result<Model> {
    let mut parser = Parser::default();
    let end = each_line(reader, |line| parser.line(&line))?;
    parser.finish(end)
}

#[derive(Default)]
struct Parser {
    solver: Option<Solver>,
    classes: Option<usize>,
    labels: Option<Vec<i32>>,
    features: Option<usize>,
    bias: Option<f64>,
    rho: Option<f64>,
    body: Option<Body>,
}

/// The weights behind `w`.
struct Body {
    solver: Solver,
    features: usize,
    bias: f64,
    rows: usize,
    columns: usize,
    read: usize,
    weights: Vec<f64>,
}

impl Parser {
    fn line(&mut self, line: &Line<'_>) -> Result<()> {
        if let Some(body) = &mut self.body {
            return body.line(line);
        }
        let mut words = line.words();
        let key =
            words.next().ok_or_else(|| line.place().error("an empty line; accepted is a key before w"))?;
        match key.text {
            b"solver_type" => {
                let word = only(&key, words)?;
                let named = Solver::ALL.iter().find(|(_, name)| name.as_bytes() == word.text);
                let problem =
                    "accepted are LIBLINEAR's solvers by name, such as L2R_LR or L2R_L2LOSS_SVC_DUAL";
                once(&mut self.solver, &key, named.ok_or_else(|| word.error(problem))?.0)
            }
            b"nr_class" => {
                let solver = self.solver(&key)?;
                let word = only(&key, words)?;
                let classes = word.count(2, "accepted are two classes or more")?;
                if !solver.is_classification() && classes != 2 {
                    return Err(word.error("accepted is 2 for a regression or a one-class machine"));
                }
                once(&mut self.classes, &key, classes)
            }
            b"label" => {
                let labels = self.labels(&key, words)?;
                once(&mut self.labels, &key, labels)
            }
            b"nr_feature" => {
                let features = only(&key, words)?.count(1, "accepted is a number of columns, at least 1")?;
                once(&mut self.features, &key, features)
            }
            b"bias" => {
                let bias = only(&key, words)?.number()?;
                once(&mut self.bias, &key, bias)
            }
            b"rho" => {
                let word = only(&key, words)?;
                if self.solver(&key)? != Solver::OneclassSvm {
                    return Err(key.error("rho is accepted for ONECLASS_SVM only"));
                }
                let rho = word.number()?;
                once(&mut self.rho, &key, rho)
            }
            b"w" => match words.next() {
                Some(word) => Err(word.error("accepted is w alone in its line")),
                None => {
                    self.body = Some(self.begin(&key)?);
                    Ok(())
                }
            },
            _ => Err(key.error(
                "an unknown key; accepted are solver_type, nr_class, label, nr_feature, bias, rho and w",
            )),
        }
    }

    fn solver(&self, key: &Word<'_>) -> Result<Solver> {
        self.solver.ok_or_else(|| key.error("solver_type is missing; it is accepted before this key"))
    }

    fn labels<'t>(&self, key: &Word<'_>, words: impl Iterator<Item = Word<'t>>) -> Result<Vec<i32>> {
        let solver = self.solver(key)?;
        let missing = || key.error("nr_class is missing; it is accepted before this key");
        let classes = self.classes.ok_or_else(missing)?;
        if !solver.is_classification() {
            return Err(key.error("labels are accepted for classification only"));
        }
        different(key, words, classes)
    }

    /// Checks the header when `w` comes.
    fn begin(&self, key: &Word<'_>) -> Result<Body> {
        let solver = self.solver(key)?;
        let missing = |what: &'static str| move || key.error(what);
        let classes = self.classes.ok_or_else(missing("nr_class is missing; it is accepted before w"))?;
        let features = self.features.ok_or_else(missing("nr_feature is missing; it is accepted before w"))?;
        let bias = self.bias.ok_or_else(missing("bias is missing; it is accepted before w"))?;
        if solver.is_classification() && self.labels.is_none() {
            return Err(key.error("label is missing; it is accepted before w"));
        }
        if (solver == Solver::OneclassSvm) != self.rho.is_some() {
            return Err(key.error("rho is missing; it is accepted before w"));
        }
        let rows = features + usize::from(bias >= 0.0);
        let columns = solver.functions(if solver.is_classification() { classes } else { 0 });
        Ok(Body { solver, features, bias, rows, columns, read: 0, weights: Vec::new() })
    }

    fn finish(self, end: Place) -> Result<Model> {
        let Some(body) = self.body else {
            return Err(end.error("the file ends before w; accepted is a header, w and the weights"));
        };
        if body.read < body.rows {
            return Err(
                end.error("fewer rows of weights than columns; accepted is one for each, and for the bias")
            );
        }
        let labels = self.labels.unwrap_or_default();
        Model::assembled(body.solver, labels, body.features, body.bias, self.rho, body.weights)
    }
}

impl Body {
    /// Reads one row of weights.
    fn line(&mut self, line: &Line<'_>) -> Result<()> {
        if self.read == self.rows {
            return if line.is_blank() {
                Ok(())
            } else {
                Err(line.place().error("text behind the last weight; accepted is the end of the file"))
            };
        }
        let mut words = line.words();
        for _ in 0..self.columns {
            let problem = "a weight is missing; accepted is one for each function";
            let word = words.next().ok_or_else(|| line.end().error(problem))?;
            self.weights.push(word.number()?);
        }
        match words.next() {
            Some(word) => Err(word.error("more weights than functions; accepted is one for each function")),
            None => {
                self.read += 1;
                Ok(())
            }
        }
    }
}
