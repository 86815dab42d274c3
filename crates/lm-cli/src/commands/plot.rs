//! `lm plot`: the regions of a model over two features, with the data in it.

use lm_core::Dense;

use crate::args::PlotArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{self, Data};
use crate::machine::{Prediction, predict};
use crate::model_file::{Model, load, scaled};
use crate::output::{Answer, number, write_file};
use crate::svg::{Svg, ramp};

/// Colours of regions and of points, class after class.
const COLOURS: [(&str, &str); 8] = [
    ("#c6dbef", "#1f5f99"),
    ("#fdd0a2", "#b34d00"),
    ("#c7e9c0", "#1d7a34"),
    ("#f4c6cf", "#a3142f"),
    ("#dadaeb", "#54278f"),
    ("#e6dcc8", "#6b4a12"),
    ("#c9ecec", "#0f6a6a"),
    ("#e2e2e2", "#333333"),
];

/// How many places across and up the model is asked at.
const STEPS: usize = 160;

/// The side of the plot, and where it begins.
const SIDE: f64 = 520.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 50.0;

/// Draws the regions.
pub(crate) fn plot(args: &PlotArgs) -> Outcome<Answer> {
    let model = load(&args.model)?;
    let mut expected = model.expected(true);
    expected.format = args.input.format;
    expected.target = args.input.target.clone().or_else(|| model.features.as_ref().and(model.target.clone()));
    let data = input::read(&args.data, &expected)?;
    let pair = chosen(args.features.as_deref(), &data)?;
    let frame = Frame::of(&data, pair);
    let prediction = predict(&model.machine, regions(&model, &data, pair, &frame)?.examples())?;
    let mut picture = Svg::new(LEFT + SIDE + 190.0, TOP + SIDE + 60.0);
    let title = format!("{} on {}", model.settings.machine.name(), args.data);
    picture.text((LEFT, 28.0), "start", 16.0, &title);
    let legend = draw_regions(&mut picture, &model, &prediction);
    draw_points(&mut picture, &data, pair, &frame, &legend);
    draw_axes(&mut picture, &data, pair, &frame);
    write_file(&args.output, picture.finish().as_bytes())?;
    if args.output == "-" {
        return Ok(Answer::new());
    }
    let mut answer = Answer::new();
    let names = [data.column_name(pair.0), data.column_name(pair.1)];
    answer.line("plot", args.output.clone());
    answer.line("features", names.join(" across, ") + " up");
    if data.set_dim() > 2 {
        answer.line("other features", "at their mean in these data");
    }
    answer.member("output", args.output.clone());
    answer.member("features", names.to_vec());
    Ok(answer)
}

/// The columns of two features.
fn chosen(names: Option<&str>, data: &Data) -> Outcome<(usize, usize)> {
    let dim = data.set_dim();
    let Some(names) = names else {
        return match dim {
            2 => Ok((0, 1)),
            _ => Err(Failure::new(format!(
                "the data have {dim} features; `--features A,B` chooses two, by their names or numbers from 1"
            ))),
        };
    };
    let place = |name: &str| {
        let named = (0..dim).find(|&column| data.column_name(column) == name);
        let numbered =
            || name.parse::<usize>().ok().filter(|number| (1..=dim).contains(number)).map(|n| n - 1);
        named.or_else(numbered).ok_or_else(|| {
            Failure::new(format!(
                "there is no feature `{name}`; accepted is a name of the header, or a number from 1 to {dim}"
            ))
        })
    };
    match names.split(',').map(str::trim).collect::<Vec<_>>()[..] {
        [a, b] => {
            let (a, b) = (place(a)?, place(b)?);
            if a == b {
                Err(Failure::new("`--features` names one feature twice; accepted are two different ones"))
            } else {
                Ok((a, b))
            }
        }
        _ => Err(Failure::new("`--features` is two names or numbers with a comma between them")),
    }
}

/// The part of the plane that is drawn.
struct Frame {
    low: [f64; 2],
    high: [f64; 2],
}

impl Frame {
    fn of(data: &Data, pair: (usize, usize)) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut row = vec![0.0; data.set_dim()];
        for example in 0..data.len() {
            data.set().row(example).write_to(&mut row);
            for (k, column) in [pair.0, pair.1].into_iter().enumerate() {
                low[k] = low[k].min(row[column]);
                high[k] = high[k].max(row[column]);
            }
        }
        for k in 0..2 {
            // A constant feature gets a frame around it.
            let edge = if high[k] > low[k] { 0.06 * (high[k] - low[k]) } else { 1.0 };
            low[k] -= edge;
            high[k] += edge;
        }
        Self { low, high }
    }

    fn at(&self, k: usize, share: f64) -> f64 {
        self.low[k] * (1.0 - share) + self.high[k] * share
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |k: usize, value: f64| (value - self.low[k]) / (self.high[k] - self.low[k]);
        (LEFT + SIDE * share(0, x), TOP + SIDE * (1.0 - share(1, y)))
    }
}

/// The places that the model is asked at, as it takes them.
fn regions(model: &Model, data: &Data, pair: (usize, usize), frame: &Frame) -> Outcome<crate::input::Stored> {
    let dim = data.set_dim();
    let mut mean = vec![0.0; dim];
    for row in 0..data.len() {
        data.set().add_scaled(row, 1.0 / data.len() as f64, &mut mean);
    }
    if STEPS * STEPS * dim > 1 << 27 {
        return Err(Failure::new(format!(
            "{dim} features are too many for a plot; accepted are at most 5000"
        )));
    }
    let mut values = Vec::with_capacity(STEPS * STEPS * dim);
    for j in 0..STEPS {
        for i in 0..STEPS {
            let start = values.len();
            values.extend_from_slice(&mean);
            values[start + pair.0] = frame.at(0, (i as f64 + 0.5) / STEPS as f64);
            values[start + pair.1] = frame.at(1, 1.0 - (j as f64 + 0.5) / STEPS as f64);
        }
    }
    let places = Data {
        examples: crate::input::Stored::Dense(Dense::new(values, STEPS * STEPS, dim)?),
        labels: None,
        ..data.clone()
    };
    match &model.scaler {
        Some(scaler) => scaled(scaler, &places),
        None => Ok(places.examples),
    }
}

/// What the colours stand for.
enum Legend {
    Classes(Vec<i64>),
    Range(f64, f64),
}

fn draw_regions(picture: &mut Svg, model: &Model, prediction: &Prediction) -> Legend {
    let colour: Box<dyn Fn(usize) -> String>;
    let legend = match prediction {
        Prediction::Classes { classes, predicted, .. } => {
            let (classes, predicted) = (classes.clone(), predicted.clone());
            let known = classes.clone();
            colour = Box::new(move |at| {
                let number = known.iter().position(|class| *class == predicted[at]).unwrap_or(0);
                COLOURS[number % COLOURS.len()].0.to_owned()
            });
            Legend::Classes(classes)
        }
        Prediction::Novelty { values } => {
            let values = values.clone();
            colour = Box::new(move |at| COLOURS[usize::from(values[at] >= 0.0)].0.to_owned());
            Legend::Classes(vec![-1, 1])
        }
        Prediction::Numbers { predicted, .. } => {
            let fold = |(a, b): (f64, f64), v: &f64| (a.min(*v), b.max(*v));
            let (least, most) = predicted.iter().fold((f64::INFINITY, f64::NEG_INFINITY), fold);
            let predicted = predicted.clone();
            // In 64 steps, so that equal neighbours become one rectangle.
            colour = Box::new(move |at| {
                let share = if most > least { (predicted[at] - least) / (most - least) } else { 0.5 };
                ramp((share * 64.0).round() / 64.0)
            });
            Legend::Range(least, most)
        }
    };
    let step = SIDE / STEPS as f64;
    for j in 0..STEPS {
        let mut i = 0;
        while i < STEPS {
            let own = colour(j * STEPS + i);
            let end = (i..STEPS).find(|&k| colour(j * STEPS + k) != own).unwrap_or(STEPS);
            let corner = (LEFT + step * i as f64, TOP + step * j as f64);
            // A little over, so that no light shines between the rows.
            picture.rectangle(corner, (step * (end - i) as f64 + 0.3, step + 0.3), &own);
            i = end;
        }
    }
    let x = LEFT + SIDE + 20.0;
    match &legend {
        Legend::Classes(classes) => {
            for (k, &class) in classes.iter().enumerate() {
                let y = TOP + 20.0 + 24.0 * k as f64;
                let (region, point) = COLOURS[k % COLOURS.len()];
                picture.rectangle((x, y - 12.0), (20.0, 16.0), region);
                picture.circle((x + 10.0, y - 4.0), 4.0, point);
                picture.text((x + 30.0, y), "start", 13.0, &model.class_name(class));
            }
        }
        Legend::Range(least, most) => {
            for k in 0..=8 {
                let (y, share) = (TOP + 20.0 + 22.0 * f64::from(k), 1.0 - f64::from(k) / 8.0);
                picture.rectangle((x, y - 14.0), (20.0, 22.0), &ramp(share));
                picture.text((x + 30.0, y), "start", 13.0, &number(least * (1.0 - share) + most * share));
            }
        }
    }
    legend
}

fn draw_points(picture: &mut Svg, data: &Data, pair: (usize, usize), frame: &Frame, legend: &Legend) {
    /// A picture with more points is only slower to look at.
    const MOST: usize = 5000;
    let every = data.len().div_ceil(MOST).max(1);
    let mut row = vec![0.0; data.set_dim()];
    for example in (0..data.len()).step_by(every) {
        data.set().row(example).write_to(&mut row);
        let label = data.labels.as_ref().and_then(|labels| labels.get(example));
        let colour = match (legend, label) {
            (Legend::Classes(classes), Some(&label)) => {
                let number = classes.iter().position(|&class| class as f64 == label);
                number.map_or("#000000".to_owned(), |number| COLOURS[number % COLOURS.len()].1.to_owned())
            }
            (Legend::Range(least, most), Some(&label)) if most > least => {
                ramp((label - least) / (most - least))
            }
            _ => "#000000".to_owned(),
        };
        picture.circle(frame.place(row[pair.0], row[pair.1]), 3.2, &colour);
    }
    if every > 1 {
        let text = format!("every {every}th example");
        picture.text((LEFT + SIDE + 20.0, TOP + SIDE), "start", 12.0, &text);
    }
}

fn draw_axes(picture: &mut Svg, data: &Data, pair: (usize, usize), frame: &Frame) {
    let corners = [(LEFT, TOP), (LEFT + SIDE, TOP), (LEFT + SIDE, TOP + SIDE), (LEFT, TOP + SIDE)];
    for k in 0..4 {
        picture.line(corners[k], corners[(k + 1) % 4]);
    }
    for k in 0..=4 {
        let share = f64::from(k) / 4.0;
        let across = LEFT + SIDE * share;
        picture.line((across, TOP + SIDE), (across, TOP + SIDE + 5.0));
        picture.text((across, TOP + SIDE + 20.0), "middle", 11.0, &number(frame.at(0, share)));
        let up = TOP + SIDE * (1.0 - share);
        picture.line((LEFT - 5.0, up), (LEFT, up));
        picture.text((LEFT - 9.0, up + 4.0), "end", 11.0, &number(frame.at(1, share)));
    }
    picture.text((LEFT + SIDE / 2.0, TOP + SIDE + 44.0), "middle", 14.0, &data.column_name(pair.0));
    picture.text((LEFT, TOP - 8.0), "start", 14.0, &data.column_name(pair.1));
}
