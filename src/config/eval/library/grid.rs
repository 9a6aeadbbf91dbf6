//! `numpy.zeros`: an array of floats of one or two axes that a function writes into.
//!
//! It is read and written cell by cell, and gone through where it has one axis. All else of arrays with two axes is refused.

use std::cell::RefCell;

use crate::config::eval::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::Object,
    subscript::position,
};

use super::{Native, array::Array};

/// Numbers in rows.
#[derive(Debug)]
pub(in crate::config::eval) struct Grid {
    rows: usize,
    /// How many columns it has; nothing where it has one axis.
    columns: Option<usize>,
    /// Row by row.
    cells: RefCell<Vec<f64>>,
}

impl Grid {
    pub(super) fn new(rows: usize, columns: Option<usize>, cells: Vec<f64>) -> Self {
        Self { rows, columns, cells: RefCell::new(cells) }
    }

    /// The length of its first axis.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Rows and columns, where it has both.
    pub(super) fn shape(&self) -> Option<(usize, usize)> {
        self.columns.map(|columns| (self.rows, columns))
    }

    pub(super) fn cells(&self) -> Vec<f64> {
        self.cells.borrow().clone()
    }

    /// The same as an array of one axis.
    pub(super) fn array(&self) -> Eval<Array> {
        match self.columns {
            None => Ok(Array::floats_of(self.cells())),
            Some(_) => Err(Failure::unsupported("an array of two axes as a whole")),
        }
    }

    /// `-grid`.
    pub(super) fn negated(&self) -> Object {
        let cells = self.cells.borrow().iter().map(|cell| -cell).collect();
        Native::Grid(Self::new(self.rows, self.columns, cells)).object()
    }

    /// `grid[index]`, of one number.
    pub(super) fn item(&self, it: &Interpreter, index: &Object) -> Eval<Object> {
        let at = self.place(it, index)?;
        Ok(Object::Float(self.cells.borrow().get(at).copied().unwrap_or(f64::NAN)))
    }

    /// `grid[index] = value`, of one number.
    pub(super) fn set_item(&self, it: &Interpreter, index: &Object, value: &Object) -> Eval<()> {
        let at = self.place(it, index)?;
        let Some(number) = value.as_float() else {
            return Err(Failure::unsupported(format_args!("a {} in an array", value.kind())));
        };
        if let Some(cell) = self.cells.borrow_mut().get_mut(at) {
            *cell = number;
        }
        Ok(())
    }

    fn place(&self, it: &Interpreter, index: &Object) -> Eval<usize> {
        let whole = |index: &Object, length| match index {
            Object::Int(_) => position(index, length, "array"),
            _ => Err(Failure::unsupported("this index of an array of zeros")),
        };
        let indices = match index {
            Object::Tuple(tuple) => &*it.heap.tuple(*tuple).slots,
            _ if self.columns.is_none() => return whole(index, self.rows),
            _ => &[],
        };
        match (self.columns, indices) {
            (Some(columns), [row, column]) => {
                Ok(whole(&row.object, self.rows)? * columns + whole(&column.object, columns)?)
            }
            _ => Err(Failure::unsupported("this index of an array of zeros")),
        }
    }
}

/// `np.zeros(shape)`.
pub(super) fn zeros(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    if !arguments.keywords.is_empty() {
        return Err(Failure::unsupported("np.zeros() with more than a shape"));
    }
    let [shape] = arguments.exactly()?;
    let length = |object: &Object| match object {
        Object::Int(length) => usize::try_from(*length)
            .map_err(|_| Failure::value_error("negative dimensions are not allowed")),
        _ => Err(Failure::unsupported("this shape of np.zeros()")),
    };
    let (rows, columns) = match it.heap.items(&shape) {
        None => (length(&shape)?, None),
        Some([rows]) => (length(&rows.object)?, None),
        Some([rows, columns]) => (length(&rows.object)?, Some(length(&columns.object)?)),
        Some(_) => return Err(Failure::unsupported("np.zeros() of more than two axes")),
    };
    let cells = rows.saturating_mul(columns.unwrap_or(1));
    it.heap.limits.elements(cells)?;
    Ok(Native::Grid(Grid::new(rows, columns, vec![0.0; cells])).object())
}
