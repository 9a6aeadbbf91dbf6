//! Mathematical answers: LaTeX read, and compared by what it says.
//!
//! An answer of 1/2 is right where 0.5 is expected, and (x+1)² where x²+2x+1 is. The original has `SymPy` find that, a
//! whole system of computer algebra; what answers need of it is here: exact fractions, numbers to thirty digits, functions
//! compared at several points, sets, intervals, equations, matrices. What is not worked out is said to be undecided and
//! never guessed to be right. It knows no data set and no metric, and it solves nothing.

mod arithmetic;
mod compare;
mod complex;
mod double_double;
mod equality;
mod exact;
mod expression;
mod extraction;
mod grammar;
mod judging;
mod latex_text;
mod number;
mod numeric;
mod order;
mod parse;
mod print;
mod python_value;
mod reader;
mod set_comparison;
mod token;
mod verification;
mod vocabulary;

pub(crate) use self::latex_text::closing_brace;
pub(crate) use self::{
    arithmetic::comes_to,
    judging::{are_near, are_same_equation, is_undecided},
    python_value::python_number,
    verification::verify,
};
