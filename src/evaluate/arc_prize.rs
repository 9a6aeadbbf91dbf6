//! `arc_prize`: grids of numbers, cell by cell.

use ruff_python_ast::{Expr, Number, UnaryOp};
use ruff_python_parser::parse_expression;
use serde_json::{Value, json};

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
};

/// How deep brackets are nested at most, so that parsing ends.
const DEEPEST: usize = 64;

/// Rows of cells, which may be of different lengths.
type Grid = Vec<Vec<i64>>;

/// Right if every cell is that of the gold. What the answer or the gold does not reach is wrong, and so is
/// a cell of −1, which stands for that in the original.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let gold = grid(&asked.row.reference)
        .ok_or_else(|| asked.unreadable_reference("a list of lists of whole numbers"))?;
    let found = solution(asked.prediction()?);
    let written = found.as_ref().map_or_else(|| json!([[0]]), |(written, _)| written.clone());
    let cells = found.map_or_else(|| vec![vec![0]], |(_, cells)| cells);
    let rows = cells.len().max(gold.len());
    let columns = cells.iter().chain(&gold).map(Vec::len).max().unwrap_or_default();
    let same = |(own, other): (&Vec<i64>, &Vec<i64>)| {
        own.iter().zip(other).filter(|(own, other)| own == other && **own != -1).count()
    };
    let correct: usize = cells.iter().zip(&gold).map(same).sum();
    let is_correct = correct == rows * columns;
    let percent = correct as f64 / (rows * columns) as f64 * 100.0;
    Ok(Grade::of(is_correct).noted([
        ("correct", json!(u8::from(is_correct))),
        ("correct_percentage", json!(percent)),
        ("generated_solution", written),
    ]))
}

/// What stands from the first `[[` to the next `]]`, if it is a grid.
fn solution(text: &str) -> Option<(Value, Grid)> {
    let from_start = text.get(text.find("[[")?..)?;
    let literal = from_start.get(..from_start.find("]]")? + 2)?;
    if is_too_deep(literal) {
        return None;
    }
    let written = lists(parse_expression(literal).ok()?.expr())?;
    let cells = grid(&written)?;
    Some((written, cells))
}

/// Whether brackets are nested deeper than a grid's could be.
fn is_too_deep(literal: &str) -> bool {
    let mut depth = 0_usize;
    literal.chars().any(|letter| {
        match letter {
            // Signs nest as brackets do.
            '[' | '(' | '{' | '-' | '+' | '~' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' => depth = depth.min(2),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// A list of lists of whole numbers, as they are written; tuples are none.
fn lists(written: &Expr) -> Option<Value> {
    let row = |row: &Expr| row.as_list_expr()?.elts.iter().map(cell).collect::<Option<Value>>();
    written.as_list_expr()?.elts.iter().map(row).collect()
}

fn cell(written: &Expr) -> Option<Value> {
    let whole = |written: &Expr| match &written.as_number_literal_expr()?.value {
        Number::Int(whole) => whole.as_i64(),
        _ => None,
    };
    match written {
        Expr::BooleanLiteral(flag) => Some(flag.value.into()),
        Expr::UnaryOp(signed) => match signed.op {
            UnaryOp::USub => Some(whole(&signed.operand)?.checked_neg()?.into()),
            UnaryOp::UAdd => Some(whole(&signed.operand)?.into()),
            _ => None,
        },
        plain => Some(whole(plain)?.into()),
    }
}

/// A value as a grid; truth values are numbers, as in Python.
fn grid(value: &Value) -> Option<Grid> {
    let cell = |cell: &Value| match cell {
        Value::Bool(flag) => Some(i64::from(*flag)),
        other => other.as_i64(),
    };
    let row = |row: &Value| row.as_array()?.iter().map(cell).collect::<Option<Vec<i64>>>();
    value.as_array()?.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_taken_out_of_a_text() {
        let cells = |text: &str| solution(text).map(|(_, cells)| cells);
        assert_eq!(cells("so [[1, -2], [3]] is"), Some(vec![vec![1, -2], vec![3]]));
        assert_eq!(cells("[[]]"), Some(vec![vec![]]));
        assert_eq!(cells("[[+2, True], [1_0]]"), Some(vec![vec![2, 1], vec![10]]));
        let deep = format!("{}]]", "[".repeat(100_000));
        for text in
            ["none", "[[1", "[[1, 'a']]", "[[1 + 1]]", "[[1.5]]", "[[1], (2, 3), [4]]", &deep]
        {
            assert_eq!(cells(text), None, "{}", &text[..text.len().min(9)]);
        }
        let signs = format!("[[{}1]]", "-".repeat(100_000));
        assert_eq!(cells(&signs), None);
    }
}
