//! Rows that are drawn or shuffled with a seed that the class fixes, and rows that are repeated.

use super::{
    arguments::Arguments,
    row::{Flaw, Row},
};
use crate::{
    dataset::DatasetError,
    python::{NumpyGenerator, PythonRandom},
};

/// `random.seed(seed); random.sample(rows, count)`; without enough rows an error.
pub(super) fn drawn(
    arguments: &Arguments<'_>,
    rows: &[Row],
    seed: u64,
    count: usize,
) -> Result<Vec<Row>, DatasetError> {
    let places = places(arguments, rows, seed, count)?;
    Ok(places.into_iter().filter_map(|place| rows.get(place).cloned()).collect())
}

/// `sorted(random.Random(seed).sample(range(len(rows)), count))`: the rows that are drawn, in their own order.
pub(super) fn drawn_in_order(
    arguments: &Arguments<'_>,
    rows: &[Row],
    seed: u64,
    count: usize,
) -> Result<Vec<Row>, DatasetError> {
    let mut places = places(arguments, rows, seed, count)?;
    places.sort_unstable();
    Ok(places.into_iter().filter_map(|place| rows.get(place).cloned()).collect())
}

fn places(
    arguments: &Arguments<'_>,
    rows: &[Row],
    seed: u64,
    count: usize,
) -> Result<Vec<usize>, DatasetError> {
    let drawn = PythonRandom::from_seed(seed).sample(rows.len(), count);
    let too_few = || {
        Flaw(format!(
            "{count} rows are to be drawn, but there are {}; read all of them",
            rows.len()
        ))
    };
    arguments.asked(drawn.ok_or_else(too_few))
}

/// So many examples as the fields `num_examples` and `n_repeats` ask for: drawn with seed 0, or all, repeated.
pub(super) fn counted(arguments: &Arguments<'_>, rows: &[Row]) -> Result<Vec<Row>, DatasetError> {
    let repeats = arguments.whole("n_repeats", 1)?;
    match usize::try_from(arguments.whole("num_examples", 0)?) {
        Ok(count @ 1..) if repeats == 1 => drawn(arguments, rows, 0, count),
        Ok(1..) => arguments.asked(Flaw::new("n_repeats cannot go with num_examples")),
        _ => Ok(repeated(rows, repeats)),
    }
}

/// All rows one after the other, so many times.
pub(super) fn repeated(rows: &[Row], times: i64) -> Vec<Row> {
    let times = usize::try_from(times).unwrap_or(0);
    (0..times).flat_map(|_| rows.iter().cloned()).collect()
}

/// Each row so many times before the next one.
pub(super) fn each_repeated(rows: &[Row], times: i64) -> Vec<Row> {
    let times = usize::try_from(times).unwrap_or(0);
    rows.iter().flat_map(|row| std::iter::repeat_n(row.clone(), times)).collect()
}

/// The rows in the order that `Dataset.shuffle(seed)` gives them.
pub(super) fn shuffled(rows: &[Row], seed: u64) -> Vec<Row> {
    let order = NumpyGenerator::from_seed(seed).permutation(rows.len());
    order.into_iter().filter_map(|place| rows.get(place).cloned()).collect()
}
