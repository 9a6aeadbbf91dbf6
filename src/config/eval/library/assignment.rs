//! `scipy.optimize.linear_sum_assignment`: rows to columns, one to one, at the least cost.
//!
//! The way is that of `SciPy`, shortest augmenting paths (D. F. Crouse, "On implementing 2D rectangular assignment algorithms",
//! 2016), in its order of columns: where several assignments cost the same, it is the same one that is found.

use crate::config::eval::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Slot},
};

use super::{Native, array::Array};

/// `linear_sum_assignment(costs)`.
pub(super) fn linear_sum_assignment(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    if !arguments.keywords.is_empty() {
        return Err(Failure::unsupported("linear_sum_assignment() with more than costs"));
    }
    let [costs] = arguments.exactly()?;
    let shaped = match &costs {
        Object::Native(native) => match &**native {
            Native::Grid(grid) => grid.shape().map(|shape| (shape, grid.cells())),
            Native::Missing(path) => return Err(super::unknown(path)),
            _ => None,
        },
        _ => None,
    };
    let Some(((rows, columns), cells)) = shaped else {
        return Err(Failure::unsupported("linear_sum_assignment() but of an array of two axes"));
    };
    if cells.iter().any(|cost| cost.is_nan() || *cost == f64::NEG_INFINITY) {
        return Err(Failure::value_error("matrix contains invalid numeric entries"));
    }
    let (short, long) = (rows.min(columns), rows.max(columns));
    // Each row may go through all columns once for every row before it.
    it.heap.limits.steps(short.saturating_mul(short).saturating_mul(long))?;
    let is_turned = columns < rows;
    let cost = |row: usize, column: usize| {
        let at = if is_turned { column * columns + row } else { row * columns + column };
        cells.get(at).copied().unwrap_or(f64::INFINITY)
    };
    let Some(chosen) = assigned(short, long, &cost) else {
        return Err(Failure::value_error("cost matrix is infeasible"));
    };
    let mut pairs: Vec<(usize, usize)> = chosen
        .into_iter()
        .enumerate()
        .map(|(row, column)| if is_turned { (column, row) } else { (row, column) })
        .collect();
    pairs.sort_unstable();
    let side = |of: fn(&(usize, usize)) -> usize| -> Eval<Slot> {
        let array = Array::whole_of(pairs.iter().map(|pair| Object::count(of(pair))).collect());
        Ok(Slot { object: Native::Array(array).object(), place })
    };
    let sides = vec![side(|pair| pair.0)?, side(|pair| pair.1)?];
    it.heap.new_tuple(sides, place)
}

/// What is known of a column while a row looks for one.
#[derive(Clone, Copy)]
struct Reached {
    cost: f64,
    /// The row that it was reached from.
    from: usize,
    is_done: bool,
}

/// The column of each row; nothing where some row can have none. There are at least as many columns as rows.
fn assigned(
    rows: usize,
    columns: usize,
    cost: &impl Fn(usize, usize) -> f64,
) -> Option<Vec<usize>> {
    let mut row_price = vec![0.0_f64; rows];
    let mut column_price = vec![0.0_f64; columns];
    let mut column_of: Vec<Option<usize>> = vec![None; rows];
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for first in 0..rows {
        let mut reached = vec![Reached { cost: f64::INFINITY, from: 0, is_done: false }; columns];
        let mut is_visited = vec![false; rows];
        // From the last to the first: of equal costs SciPy takes the column that it meets so.
        let mut remaining: Vec<usize> = (0..columns).rev().collect();
        let (mut row, mut least) = (first, 0.0_f64);
        let free = loop {
            *is_visited.get_mut(row)? = true;
            let mut best = None;
            let mut lowest = f64::INFINITY;
            for (at, column) in remaining.iter().copied().enumerate() {
                let to = reached.get_mut(column)?;
                let through =
                    least + cost(row, column) - row_price.get(row)? - column_price.get(column)?;
                if through < to.cost {
                    (to.cost, to.from) = (through, row);
                }
                #[expect(clippy::float_cmp, reason = "of equal costs a free column is taken")]
                let is_equal = to.cost == lowest;
                if to.cost < lowest || (is_equal && row_of.get(column)?.is_none()) {
                    (lowest, best) = (to.cost, Some(at));
                }
            }
            least = lowest;
            if least == f64::INFINITY {
                return None;
            }
            let column = remaining.swap_remove(best?);
            reached.get_mut(column)?.is_done = true;
            match row_of.get(column)? {
                None => break column,
                Some(next) => row = *next,
            }
        };
        for (at, (price, is_visited)) in row_price.iter_mut().zip(is_visited).enumerate() {
            if !is_visited {
                continue;
            }
            if at == first {
                *price += least;
            } else {
                *price += least - reached.get((*column_of.get(at)?)?)?.cost;
            }
        }
        for (price, to) in column_price.iter_mut().zip(&reached).filter(|(_, to)| to.is_done) {
            *price -= least - to.cost;
        }
        let mut column = free;
        loop {
            let row = reached.get(column)?.from;
            *row_of.get_mut(column)? = Some(row);
            let before = column_of.get_mut(row)?.replace(column);
            if row == first {
                break;
            }
            column = before?;
        }
    }
    column_of.into_iter().collect()
}
