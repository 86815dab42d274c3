//! `lm scale`: data brought to a common size, and the scaling kept for other data.

use lm_core::persist;
use lm_data::scaling::{Scaler, Scaling};
use lm_data::{csv, svmlight};

use crate::args::ScaleArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{self, Expected, Format};
use crate::model_file::scaled;
use crate::output::{Answer, write_file};
use crate::settings::ScaleName;

/// Scales data.
pub(crate) fn scale(args: &ScaleArgs) -> Outcome<Answer> {
    let mut expected =
        Expected { format: args.input.format, target: args.input.target.clone(), ..Expected::default() };
    let restored: Option<Scaler> = match &args.restore {
        Some(path) => Some(persist::load(path).map_err(|error| Failure::from(error).at(path))?),
        None => None,
    };
    expected.dim = restored.as_ref().map(Scaler::dim);
    let data = input::read(&args.data, &expected)?;
    let scaler = match (restored, args.scale) {
        (Some(_), Some(_)) => {
            return Err(Failure::new("`--restore` brings its own scaling; accepted is that or `--scale`"));
        }
        (Some(scaler), None) => scaler,
        (None, Some(ScaleName::None)) => {
            return Err(Failure::new("`--scale none` scales nothing; accepted is minmax or standard"));
        }
        (None, Some(ScaleName::Standard)) => Scaler::fit(data.set(), Scaling::Standard)?,
        (None, _) => Scaler::fit(data.set(), Scaling::MinMax { low: -1.0, high: 1.0 })?,
    };
    let examples = scaled(&scaler, &data)?;
    let mut text = Vec::new();
    match (data.format, &data.columns) {
        (Format::Csv, Some(columns)) => csv::write(&mut text, examples.examples(), data.labels()?, columns)?,
        _ => svmlight::write(&mut text, examples.examples(), data.labels()?)?,
    }
    write_file(&args.output, &text)?;
    if let Some(path) = &args.save {
        persist::save(path, &scaler).map_err(|error| Failure::from(error).at(path))?;
    }
    let mut answer = Answer::new();
    if args.output != "-" {
        answer.line(
            "data",
            format!("{}: {} examples, {} features", input::place(&args.data), data.len(), data.set_dim()),
        );
        answer.line("scaled", args.output.clone());
        if let Some(path) = &args.save {
            answer.line("scaling", path.clone());
        }
        answer.member("examples", data.len());
        answer.member("features", data.set_dim());
        answer.member("output", args.output.clone());
        answer.member("scaling", serde_json::json!(args.save));
    }
    Ok(answer)
}
