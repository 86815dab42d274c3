//! The figures that candidates are judged by.

use lm_core::{Control, Error, Result, Sign, WithoutOne, parallel};

use crate::leave_one_out;

/// Radius and margin, with slack counted as the machine counts it.
pub(super) fn radius_margin(machine: &dyn WithoutOne, radius_squared: f64) -> Result<Option<f64>> {
    let shares = machine.shares();
    let bounded = shares.iter().all(|share| share.most.is_finite());
    let (ridge, norm_squared) = if bounded {
        // 1-norm slack: the least cost has the largest share 1/C.
        let costs = shares.iter().map(|share| share.most).filter(|most| *most > 0.0);
        let least = costs.fold(f64::INFINITY, f64::min);
        let slack: f64 = shares.iter().map(|share| share.most * share.slack()).sum();
        (1.0 / least, leave_one_out::norm_squared(machine) + 2.0 * slack)
    } else {
        // Squared slack is a kernel with a ridge, in which the margin is hard: ξ = α/C.
        let ridge = shares.iter().filter(|share| share.is_support()).map(|share| share.slack() / share.alpha);
        (ridge.fold(0.0, f64::max), shares.iter().map(|share| share.alpha).sum())
    };
    leave_one_out::radius_margin(radius_squared + ridge, norm_squared, shares.len()).map(Some)
}

/// The ξα bound, where it is one: with a multiplier between its bounds.
pub(super) fn xi_alpha(machine: &dyn WithoutOne, radius_squared: f64) -> Result<Option<f64>> {
    let shares = machine.shares();
    let share = leave_one_out::xi_alpha(shares, radius_squared, machine.has_free_bias())?;
    Ok(shares.iter().any(lm_core::Share::is_free).then_some(share))
}

/// The share of errors in folds in which each class is dealt out in turn.
pub(super) fn cross_validated(machine: &dyn WithoutOne, folds: usize, control: &Control<'_>) -> Result<f64> {
    let shares = machine.shares();
    if folds < 2 || folds > shares.len() {
        let accepted = "two or more, and no more than there are examples";
        return Err(Error::Setting { name: "folds", value: folds as f64, accepted });
    }
    let mut rows: Vec<usize> = (0..shares.len()).collect();
    rows.sort_by(|&a, &b| shares[a].target.total_cmp(&shares[b].target).then(a.cmp(&b)));
    let control = control.start(u64::MAX).divided(folds);
    let wrong = parallel::map(folds, |fold| -> Result<usize> {
        let held_out: Vec<usize> = rows.iter().copied().skip(fold).step_by(folds).collect();
        let values = machine.without_all(&held_out, &control)?;
        let is_wrong = |(row, value): &(&usize, &f64)| Sign::of(**value) != Sign::of(shares[**row].target);
        Ok(held_out.iter().zip(&values).filter(is_wrong).count())
    });
    let wrong = wrong.into_iter().sum::<Result<usize>>()?;
    Ok(wrong as f64 / shares.len() as f64)
}
