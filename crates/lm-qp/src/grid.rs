//! The choice of a cost and a kernel by cross-validation.
//!
//! # Problem
//! Of several costs and kernels, find those whose machines do best on examples that they have not seen.
//! # Method
//! Each kernel has one Gram matrix, whose rows are computed once for all folds, all costs and all pairs of classes (as far as
//! half of the memory reaches). For each fold the costs are gone through from the smallest on, each fit starting where the
//! one before ended. The best cell has the least mean loss; of equal ones, that with the smaller cost, then the kernel that
//! was named first.
//! # Cost
//! `n²` kernel values for each kernel, and a fit for each cell and fold (and pair of classes).
//! # Reference
//! Hsu, Chang & Lin (2003), *A practical guide to support vector classification*, for grids of powers of two; DeCoste &
//! Wagstaff (2000) for starts from a smaller cost.

use lm_core::gram::SharedRows;
use lm_core::multiclass::{DecideRows, shared_memory};
use lm_core::{
    Control, Error, Examples, Folds, Gram, Meter, Result, Stop, TrainingSet, VectorGram, VectorKernel,
    parallel,
};

use crate::formulation::Formulation;
use crate::held_out::{Judged, check_folds, first_stop, fit_part};

/// The costs of a grid, and how it is gone through.
///
/// The cost is whatever number the family of machines is given: it may be another setting, such as a share `ν`.
///
/// ```
/// use lm_core::{BinaryLabels, Control, Dense, Folds, TrainingSet, VectorKernel};
/// use lm_qp::{CSvc, Grid};
///
/// // Exclusive or, four times: no line separates it, a narrow Gaussian does.
/// let corners = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
/// let rows: Vec<[f64; 2]> = (0..16).map(|k| corners[k % 4].map(|x| x + 0.01 * k as f64)).collect();
/// let examples = Dense::from_rows(&rows)?;
/// let labels = BinaryLabels::from_integers(&(0..16).map(|k| i64::from(k % 4 < 2)).collect::<Vec<_>>())?;
/// let folds = Folds::new((0..16).map(|row| row / 4).collect())?;
/// let kernels = [VectorKernel::linear(), VectorKernel::gaussian(2.0)?];
/// let table = Grid::new(vec![0.1, 1.0, 10.0])?.search(
///     &|cost| CSvc::default().with_cost(cost),
///     &kernels,
///     &TrainingSet::new(&examples, &labels)?,
///     &folds,
///     &Control::default(),
/// )?;
/// let best = table.best().ok_or(lm_core::Error::Empty { what: "the grid" })?;
/// assert_eq!((best.kernel, best.mean), (1, 0.0));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    costs: Vec<f64>,
    warm: bool,
}

impl Grid {
    /// A grid of these costs, in any order.
    ///
    /// # Errors
    /// [`Error::Empty`] without costs, [`Error::NonFinite`] for one that is not finite.
    pub fn new(mut costs: Vec<f64>) -> Result<Self> {
        if costs.is_empty() {
            return Err(Error::Empty { what: "the list of costs" });
        }
        if let Some(row) = costs.iter().position(|cost| !cost.is_finite()) {
            return Err(Error::NonFinite { what: "cost", row, column: None });
        }
        costs.sort_by(f64::total_cmp);
        costs.dedup();
        Ok(Self { costs, warm: true })
    }

    /// Powers of two, `2^from, 2^(from + step), …` up to `2^to`.
    ///
    /// ```
    /// use lm_qp::Grid;
    ///
    /// assert_eq!(Grid::powers_of_two(-5, 15, 2)?.costs().len(), 11);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] unless the step is positive and `−1000 ≤ from ≤ to ≤ 1000`.
    pub fn powers_of_two(from: i32, to: i32, step: i32) -> Result<Self> {
        if step <= 0 {
            return Err(Error::Setting {
                name: "step",
                value: f64::from(step),
                accepted: "a positive integer",
            });
        }
        if from > to || from < -1000 || to > 1000 {
            let accepted = "an exponent from −1000 up to the last one, which is at most 1000";
            return Err(Error::Setting { name: "from", value: f64::from(from), accepted });
        }
        let steps = (from..=to).step_by(usize::try_from(step).unwrap_or(1));
        Self::new(steps.map(|power| 2.0_f64.powi(power)).collect())
    }

    /// Whether each fit starts where that of the next smaller cost ended; default true. Without, every fit is, bit for bit,
    /// the one that would be made by itself, at more iterations.
    #[must_use]
    pub fn with_warm_starts(self, warm: bool) -> Self {
        Self { warm, ..self }
    }

    /// The costs, in increasing order.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// Cross-validates the machines of all costs with all kernels. The observer hears of each kernel that is done: cells so
    /// far, the least mean loss, and the share of the grid that is left.
    ///
    /// # Errors
    /// [`Error::Empty`] without kernels, [`Error::Length`] unless the folds are those of the set, [`Error::Classes`] if a fold
    /// holds out all of a class, and what fitting gives. Running out of budget is no error: see [`GridTable::stop`].
    pub fn search<M, E, L>(
        &self,
        family: &(dyn Fn(f64) -> M + Sync),
        kernels: &[VectorKernel],
        set: &TrainingSet<'_, E, L>,
        folds: &Folds,
        control: &Control<'_>,
    ) -> Result<GridTable>
    where
        M: Formulation<L::Part>,
        E: Examples + ?Sized,
        L: Judged,
    {
        if kernels.is_empty() {
            return Err(Error::Empty { what: "the list of kernels" });
        }
        let mut run = Run::new(self, kernels.len(), control);
        for (index, &kernel) in kernels.iter().enumerate() {
            let gram = VectorGram::new(set.examples(), kernel)?;
            run.kernel(index, family, &set.over(&gram)?, folds)?;
        }
        Ok(run.into_table())
    }

    /// As [`Grid::search`], over one Gram matrix.
    ///
    /// # Errors
    /// As [`Grid::search`].
    pub fn search_gram<M, G, L>(
        &self,
        family: &(dyn Fn(f64) -> M + Sync),
        set: &TrainingSet<'_, G, L>,
        folds: &Folds,
        control: &Control<'_>,
    ) -> Result<GridTable>
    where
        M: Formulation<L::Part>,
        G: Gram + ?Sized,
        L: Judged,
    {
        let mut run = Run::new(self, 1, control);
        run.kernel(0, family, set, folds)?;
        Ok(run.into_table())
    }
}

/// A grid while it is gone through.
struct Run<'a> {
    grid: &'a Grid,
    kernels: usize,
    control: Control<'a>,
    meter: Meter<'a>,
    cells: Vec<Cell>,
    stop: Stop,
}

/// What came of one fit: the decision values of the rows held out, the gap, why it stopped, and its iterations.
struct Done {
    values: Vec<f64>,
    gap: f64,
    stop: Stop,
    iterations: u64,
}

impl<'a> Run<'a> {
    fn new(grid: &'a Grid, kernels: usize, control: &Control<'a>) -> Self {
        let meter = control.start(u64::MAX);
        // The limits on iterations hold for each fit.
        let control = meter.divided(1).without_observer();
        Self { grid, kernels, control, meter, cells: Vec::new(), stop: Stop::Converged }
    }

    /// All cells of a kernel, whose Gram matrix is given.
    fn kernel<M, G, L>(
        &mut self,
        index: usize,
        family: &(dyn Fn(f64) -> M + Sync),
        set: &TrainingSet<'_, G, L>,
        folds: &Folds,
    ) -> Result<()>
    where
        M: Formulation<L::Part>,
        G: Gram + ?Sized,
        L: Judged,
    {
        check_folds(folds, set.len())?;
        let parts = L::parts(set)?;
        let jobs = folds.count() * parts.len();
        let (bytes, control) = shared_memory(set.len(), &self.control);
        let control = control.start(u64::MAX).divided(jobs);
        let shared = SharedRows::new(set.examples(), bytes);
        let found = parallel::map(jobs, |job| {
            let (fold, part) = (job / parts.len(), &parts[job % parts.len()]);
            self.column(family, &shared, &part.without(folds, fold)?, &folds.test(fold), &control)
        });
        let found = found.into_iter().collect::<Result<Vec<Vec<Done>>>>()?;
        let tests: Vec<Vec<usize>> = (0..folds.count()).map(|fold| folds.test(fold)).collect();
        for (place, &cost) in self.grid.costs.iter().enumerate() {
            let all: Vec<&Done> = found.iter().filter_map(|column| column.get(place)).collect();
            if all.len() == jobs {
                let cell = cell(index, cost, set, &tests, &all)?;
                self.cells.push(cell);
            }
        }
        let _ = self.meter.advance(self.grid.costs.len() as u64, 0);
        let best = best(&self.cells).map(|cell| cell.mean);
        self.meter.observe(best, Some(1.0 - (index + 1) as f64 / self.kernels as f64));
        Ok(())
    }

    /// The machines of one fold and part, from the smallest cost on; fewer than there are costs, if the run must end.
    fn column<M, G, L>(
        &self,
        family: &(dyn Fn(f64) -> M + Sync),
        shared: &SharedRows<'_, G>,
        part: &crate::held_out::Part<L>,
        test: &[usize],
        control: &Control<'_>,
    ) -> Result<Vec<Done>>
    where
        M: Formulation<L>,
        G: Gram + ?Sized,
        L: lm_core::Labelling,
    {
        let mut done: Vec<Done> = Vec::with_capacity(self.grid.costs.len());
        let mut start: Option<Vec<f64>> = None;
        for &cost in &self.grid.costs {
            if control.start(u64::MAX).advance(0, 0).is_some() {
                break;
            }
            let fit = fit_part(&family(cost), shared, part, start.as_deref(), control)?;
            done.push(Done {
                values: fit.model.decision_values_at(shared, test)?,
                gap: fit.certificate.figures().relative_gap(),
                stop: fit.report.stop,
                iterations: fit.report.iterations,
            });
            // Copies of an example share its coefficient.
            let n = part.rows().len();
            start = self.grid.warm.then(|| {
                let mut sums = vec![0.0; n];
                for copy in fit.certificate.coefficients().chunks(n) {
                    sums.iter_mut().zip(copy).for_each(|(sum, value)| *sum += value);
                }
                sums
            });
        }
        Ok(done)
    }

    fn into_table(mut self) -> GridTable {
        let complete = self.cells.len() == self.kernels * self.grid.costs.len();
        let stop = self.meter.advance(0, 0).filter(|_| !complete);
        let of_cells = first_stop(self.cells.iter().map(|cell| cell.stop));
        self.stop = stop.unwrap_or(of_cells);
        GridTable { cells: self.cells, stop: self.stop, complete }
    }
}

/// Judges the machines of a cell.
fn cell<S: lm_core::Collection + ?Sized, L: Judged>(
    kernel: usize,
    cost: f64,
    set: &TrainingSet<'_, S, L>,
    tests: &[Vec<usize>],
    all: &[&Done],
) -> Result<Cell> {
    let width = all.len() / tests.len();
    let (mut sum, mut total, mut losses) = (0.0, 0.0, Vec::with_capacity(tests.len()));
    for (rows, own) in tests.iter().zip(all.chunks_exact(width)) {
        let (mut of_fold, mut weight) = (0.0, 0.0);
        for (place, &row) in rows.iter().enumerate() {
            let values: Vec<f64> = own.iter().map(|done| done.values[place]).collect();
            of_fold += set.weight(row) * set.labels().loss(row, &values)?;
            weight += set.weight(row);
        }
        sum += of_fold;
        total += weight;
        // A fold without weight says nothing.
        losses.extend((weight > 0.0).then(|| of_fold / weight));
    }
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    let squares: f64 = losses.iter().map(|loss| (loss - mean) * (loss - mean)).sum();
    let spread = (squares / (losses.len().max(2) - 1) as f64).sqrt();
    Ok(Cell {
        kernel,
        cost,
        mean: sum / total,
        spread,
        losses,
        gap: all.iter().fold(0.0, |worst: f64, done| worst.max(done.gap)),
        stop: first_stop(all.iter().map(|done| done.stop)),
        iterations: all.iter().fold(0, |sum: u64, done| sum.saturating_add(done.iterations)),
    })
}

/// What cross-validation says of one cost and kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The number of the kernel in the list that was searched.
    pub kernel: usize,
    /// The cost.
    pub cost: f64,
    /// The mean loss over all examples, by weight: the share of errors, or the mean squared error.
    pub mean: f64,
    /// The standard deviation of the mean losses of the folds.
    pub spread: f64,
    /// The mean loss of each fold.
    pub losses: Vec<f64>,
    /// The largest relative duality gap of the machines.
    pub gap: f64,
    /// Whether all machines met their tolerance; otherwise the first reason why one did not.
    pub stop: Stop,
    /// The iterations of all machines.
    pub iterations: u64,
}

/// The cell with the least mean loss; of equal ones that with the smaller cost, then the earlier kernel.
fn best(cells: &[Cell]) -> Option<&Cell> {
    cells.iter().min_by(|a, b| {
        a.mean.total_cmp(&b.mean).then(a.cost.total_cmp(&b.cost)).then(a.kernel.cmp(&b.kernel))
    })
}

/// The cells of a grid, kernel by kernel, costs in increasing order.
#[derive(Debug, Clone, PartialEq)]
pub struct GridTable {
    cells: Vec<Cell>,
    stop: Stop,
    complete: bool,
}

impl GridTable {
    /// The cells. Those that a run which ended early did not finish for all folds are missing.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The best cell: the least mean loss; of equal ones the smaller cost, and then the kernel that was named first. None, if no
    /// cell was finished.
    pub fn best(&self) -> Option<&Cell> {
        best(&self.cells)
    }

    /// Whether all cells are there.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether all machines met their tolerance; otherwise the first reason why one did not, or why the run ended.
    pub fn stop(&self) -> Stop {
        self.stop
    }
}
