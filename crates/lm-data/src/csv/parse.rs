//! What the columns of a table are, and the rows of a block.

use std::collections::BTreeMap;
use std::io::Read;

use lm_core::{Error, Result};

use super::options::{Header, Options, Target};
use super::record::{Cell, Next, Problem, cell, cell_end, skip_blank_lines, skip_blanks};
use super::table::Columns;
use crate::Stored;
use crate::text::lines::{Block, Lines, count};
use crate::text::number::{Fault, scan, whole};
use crate::text::pipeline::reserved;

/// The most different names a target may have.
const MOST_NAMES: usize = 1 << 16;

/// What the cells of the target are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Numbers,
    Names,
}

/// What is known of a table before its rows are read.
#[derive(Debug)]
pub(super) struct Layout {
    delimiter: u8,
    /// The number of columns, the target included.
    pub(super) width: usize,
    target: usize,
    pub(super) kind: Kind,
    pub(super) columns: Columns,
    /// The byte at which the rows of data start.
    start: u64,
    /// The positions of the classes that the options name.
    given: Option<BTreeMap<Vec<u8>, u32>>,
}

impl Layout {
    /// Reads the header, if there is one, and looks at the first row of data.
    pub(super) fn discover<R: Read>(lines: &mut Lines<R>, options: &Options) -> Result<Self> {
        let delimiter = options.delimiter();
        let mut header: Option<Vec<String>> = None;
        let mut start = 0;
        while let Some(block) = lines.next_block()? {
            let text = &block.text[..];
            let mut at = skip_blank_lines(text, 0, delimiter);
            while at < text.len() {
                let said = |(at, problem)| block.error(at, problem);
                let (cells, next) = record(text, at, delimiter).map_err(said)?;
                let is_header = header.is_none()
                    && match options.header() {
                        Header::Present => true,
                        Header::Absent => false,
                        Header::Detect => cells.iter().all(|cell| whole(&cell.content).is_err()),
                    };
                let width = header.as_ref().map_or(cells.len(), Vec::len);
                if width < 2 {
                    return Err(said((at, ONE_COLUMN)));
                }
                if is_header {
                    let names: Vec<String> =
                        cells.into_iter().map(name).collect::<Result<_, _>>().map_err(said)?;
                    target_column(Some(&names), width, options).map_err(|problem| said((at, problem)))?;
                    header = Some(names);
                    start = block.offset + next as u64;
                    at = skip_blank_lines(text, next, delimiter);
                    continue;
                }
                let target = target_column(header.as_deref(), width, options);
                let target = target.map_err(|problem| said((at, problem)))?;
                let layout = Self::new(&cells, header, target, start, options);
                lines.put_back(block);
                return Ok(layout);
            }
        }
        let problem = "the table holds no row of data; accepted is at least one";
        Err(Error::Parse { line: 1, offset: 0, problem })
    }

    fn new(
        first: &[Cell<'_>],
        header: Option<Vec<String>>,
        target: usize,
        start: u64,
        options: &Options,
    ) -> Self {
        let width = header.as_ref().map_or(first.len(), Vec::len);
        let mut columns = Columns::numbered(width - 1);
        if let Some(mut names) = header {
            columns.target = names.remove(target);
            columns.features = names;
        }
        // A first row too short to have a target is refused with its place when the rows are read.
        let numeric = first.get(target).is_some_and(|cell| whole(&cell.content) != Err(Fault::NotANumber));
        let kind = if numeric { Kind::Numbers } else { Kind::Names };
        let given = options.classes().filter(|_| kind == Kind::Names);
        columns.classes = given.map(<[String]>::to_vec);
        let numbered = |names: &[String]| names.iter().map(|n| n.clone().into_bytes()).zip(0..).collect();
        let given = given.map(numbered);
        Self { delimiter: options.delimiter(), width, target, kind, columns, start, given }
    }
}

/// The most columns a table may have; wider examples are sparse, and have a better format.
const MOST_COLUMNS: usize = 1 << 18;
const ONE_COLUMN: &str =
    "one column only; accepted is at least one feature and the target (is the delimiter right?)";

/// The cells of one row, and the start of the next.
fn record(text: &[u8], mut at: usize, delimiter: u8) -> Result<(Vec<Cell<'_>>, usize), Problem> {
    let mut cells = Vec::new();
    while cells.len() < MOST_COLUMNS {
        let cell = cell(text, at, delimiter)?;
        let next = cell.next;
        cells.push(cell);
        match next {
            Next::Cell(start) => at = start,
            Next::Row(start) => return Ok((cells, start)),
        }
    }
    Err((at, "more than 262144 columns; accepted are at most so many (svmlight text has room for more)"))
}

fn name(cell: Cell<'_>) -> Result<String, Problem> {
    let problem = (cell.start, "a column name is no UTF-8 text; accepted is UTF-8");
    String::from_utf8(cell.content.into_owned()).map_err(|_| problem)
}

fn target_column(names: Option<&[String]>, width: usize, options: &Options) -> Result<usize, &'static str> {
    match (options.target(), names) {
        (Target::Column(column), _) if *column < width => Ok(*column),
        (Target::Column(_), _) => Err("the table is too narrow for the number of the target column"),
        (Target::Name(wanted), Some(names)) => names
            .iter()
            .position(|name| name == wanted)
            .ok_or("no column has the name of the target; accepted is one of this row"),
        (Target::Name(_), None) => {
            Err("the target is named and the table has no header; give its number instead")
        }
        (Target::Usual, names) => {
            let usual = |name: &String| {
                ["target", "label", "class", "y"].iter().any(|usual| name.eq_ignore_ascii_case(usual))
            };
            Ok(names.unwrap_or_default().iter().position(usual).unwrap_or(width - 1))
        }
    }
}

/// The rows of some lines.
#[derive(Debug)]
pub(super) struct Rows<T> {
    /// The features, row after row.
    pub(super) values: Vec<T>,
    /// The targets, or the numbers of their names in `names`.
    pub(super) labels: Vec<f64>,
    /// The names that occur here, with the numbers they got as they came.
    pub(super) names: BTreeMap<Vec<u8>, u32>,
}

/// Parses the rows of a block.
pub(super) fn parse<T: Stored>(block: &Block, layout: &Layout) -> Result<Rows<T>> {
    let text = &block.text[..];
    let mut at = usize::try_from(layout.start.saturating_sub(block.offset)).unwrap_or(usize::MAX);
    // Every row has as many cells as the table has columns, each with a delimiter or a line end behind it.
    let lines = (count(text, b'\n') + 1).min(text.len() / (2 * layout.width) + 1);
    let mut rows = Rows {
        values: reserved(lines.saturating_mul(layout.width - 1))?,
        labels: reserved(lines)?,
        names: BTreeMap::new(),
    };
    loop {
        at = skip_blank_lines(text, at.min(text.len()), layout.delimiter);
        if at >= text.len() {
            return Ok(rows);
        }
        at = layout.row(text, at, &mut rows).map_err(|(at, problem)| block.error(at, problem))?;
    }
}

impl Layout {
    /// Reads one row and returns the start of the next.
    fn row<T: Stored>(&self, text: &[u8], start: usize, rows: &mut Rows<T>) -> Result<usize, Problem> {
        let mut at = start;
        for column in 0..self.width {
            let next = if column == self.target {
                self.label(text, at, rows)?
            } else {
                let (value, next) = self.value(text, at)?;
                rows.values.push(value);
                next
            };
            at = match (next, column + 1 == self.width) {
                (Next::Cell(next), false) => next,
                (Next::Row(next), true) => return Ok(next),
                (Next::Row(_), false) => {
                    return Err((
                        start,
                        "the row has too few cells; accepted are as many as the table has columns",
                    ));
                }
                (Next::Cell(next), true) => {
                    return Err((
                        next,
                        "the row has too many cells; accepted are as many as the table has columns",
                    ));
                }
            };
        }
        Ok(at)
    }

    /// Reads a feature.
    #[inline]
    fn value<T: Stored>(&self, text: &[u8], at: usize) -> Result<(T, Next), Problem> {
        let start = skip_blanks(text, at, self.delimiter);
        if let Ok((wide, end)) = scan(text, start)
            && let Some(next) = cell_end(text, skip_blanks(text, end, self.delimiter), self.delimiter)
            && let Some(value) = T::from_decimal(wide, text.get(start..end).unwrap_or_default())
        {
            return Ok((value, next));
        }
        // A number in quotes, or no number.
        let cell = cell(text, at, self.delimiter)?;
        let wide = number(&cell)?;
        match T::from_decimal(wide, &cell.content) {
            Some(value) => Ok((value, cell.next)),
            None => Err((cell.start, TOO_LARGE)),
        }
    }

    /// Reads the target.
    fn label<T>(&self, text: &[u8], at: usize, rows: &mut Rows<T>) -> Result<Next, Problem> {
        let cell = cell(text, at, self.delimiter)?;
        if self.kind == Kind::Numbers {
            rows.labels.push(number(&cell)?);
            return Ok(cell.next);
        }
        let mixed = "the target is a number here and a name in the first row; accepted is one kind";
        if cell.content.is_empty() {
            return Err((cell.start, EMPTY));
        }
        if whole(&cell.content) != Err(Fault::NotANumber) {
            return Err((cell.start, mixed));
        }
        let number = match (&self.given, rows.names.get(&*cell.content)) {
            (Some(given), _) => *given
                .get(&*cell.content)
                .ok_or((cell.start, "the class is not among the names given in the options"))?,
            (None, Some(&number)) => number,
            (None, None) => {
                if std::str::from_utf8(&cell.content).is_err() {
                    return Err((cell.start, "a class name is no UTF-8 text; accepted is UTF-8"));
                }
                if rows.names.len() >= MOST_NAMES {
                    return Err((
                        cell.start,
                        "more than 65536 different class names; accepted are at most so many",
                    ));
                }
                let number = rows.names.len() as u32;
                rows.names.insert(cell.content.into_owned(), number);
                number
            }
        };
        rows.labels.push(f64::from(number));
        Ok(cell.next)
    }
}

const EMPTY: &str = "the cell is empty; missing values are not supported: fill the cell or leave the row out";
const TOO_LARGE: &str = "the number is too large for the number type; accepted is a finite decimal number";

fn number(cell: &Cell<'_>) -> Result<f64, Problem> {
    match whole(&cell.content) {
        Ok(value) => Ok(value),
        Err(Fault::Overflow) => Err((cell.start, TOO_LARGE)),
        Err(Fault::NotANumber) if cell.content.is_empty() => Err((cell.start, EMPTY)),
        Err(Fault::NotANumber) => {
            let at = cell.start;
            Err((
                at,
                "the cell is no number; accepted is a finite decimal number (missing values are not supported)",
            ))
        }
    }
}
