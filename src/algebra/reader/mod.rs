//! From a formula's tree to what it says.
//!
//! Nothing is evaluated but what the original evaluates while it reads: fractions of whole numbers, negative numbers,
//! mixed numbers, binomial coefficients of numbers.

mod function;
mod set;
mod sum;
mod symbol;

use std::sync::LazyLock;

pub(crate) use set::finite_set;

use num_traits::Signed;

use super::{
    expression::{Constant, Expression, Relation},
    number::Number,
    parse::{Node, parse},
};
use crate::postprocess::PythonRegex;

/// Why a formula says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The original cannot read it either.
    Refused,
    /// It may say something, which is not worked out here.
    Undecided,
}

/// What is read, or why not.
type Read<T = Expression> = Result<T, Unread>;

/// How a formula is read.
#[derive(Clone, Copy)]
struct Reader {
    /// Whether its symbols are real numbers.
    is_real: bool,
    /// Whether capitals stay.
    keeps_case: bool,
}

/// What a formula says. `is_real`: its symbols stand for real numbers.
pub(crate) fn read(latex: &str, is_real: bool) -> Read {
    Reader { is_real, keeps_case: false }.formula(latex)
}

/// The same with capital letters as symbols of their own.
pub(crate) fn read_with_case(latex: &str) -> Read {
    Reader { is_real: false, keeps_case: true }.formula(latex)
}

impl Reader {
    fn formula(self, latex: &str) -> Read {
        static SEPARATED: LazyLock<PythonRegex> =
            LazyLock::new(|| PythonRegex::constant(r"^\s*-?\d{1,3}(,\d{3})+(\.\d+)?\s*$"));
        let tree = parse(latex)?;
        let formula = tree.children().first().ok_or(Unread::Refused)?;
        match formula.kind() {
            "assigned" => self.assigned(formula),
            "list" if SEPARATED.finds(latex).unwrap_or(false) => separated_number(latex),
            "list" => self.elements(formula),
            _ => self.set_relation(formula),
        }
    }

    /// Several values are a set; several lists of values a set of tuples.
    fn gathered(lists: Vec<Vec<Expression>>) -> Expression {
        let is_plain = lists.iter().all(|list| list.len() == 1);
        if lists.len() == 1 || is_plain {
            let all: Vec<Expression> = lists.into_iter().flatten().collect();
            return match <[Expression; 1]>::try_from(all) {
                Ok([single]) => single,
                Err(all) => finite_set(all),
            };
        }
        finite_set(lists.into_iter().map(Expression::Tuple).collect())
    }

    /// A list that semicolons and commas divide.
    fn elements(self, list: &Node) -> Read {
        Ok(Self::gathered(self.lists(list)?))
    }

    fn lists(self, list: &Node) -> Read<Vec<Vec<Expression>>> {
        let parts = list.children().iter().filter(|part| part.kind() != "SEMICOLON");
        parts.map(|commas| self.commas(commas)).collect()
    }

    fn commas(self, commas: &Node) -> Read<Vec<Expression>> {
        let mut all = Vec::new();
        for element in commas.children().iter().filter(|part| part.kind() != "COMMA") {
            all.extend(self.element(element)?);
        }
        Ok(all)
    }

    fn element(self, element: &Node) -> Read<Vec<Expression>> {
        let part = element.children().first().ok_or(Unread::Refused)?;
        match part.kind() {
            "plus_minus" => self.plus_minus(part),
            "set_atom" => Ok(vec![self.set_atom(part)?]),
            "relation" => Ok(vec![self.relation(part)?]),
            _ => Ok(vec![self.sum(part)?]),
        }
    }

    fn plus_minus(self, part: &Node) -> Read<Vec<Expression>> {
        let sums: Vec<Expression> =
            part.all("sum").map(|sum| self.sum(sum)).collect::<Read<_>>()?;
        match <[Expression; 2]>::try_from(sums) {
            Ok([left, right]) => Ok(vec![
                Expression::Add(vec![left.clone(), right.clone()]),
                Expression::Add(vec![left, negative(right)]),
            ]),
            Err(sums) => {
                let single = sums.into_iter().next().ok_or(Unread::Refused)?;
                Ok(vec![negative(single.clone()), single])
            }
        }
    }

    /// Two values that compare, or a chain of such.
    fn relation(self, relation: &Node) -> Read {
        let mut left: Option<Expression> = None;
        let mut sign = "";
        for part in relation.children() {
            if part.kind() == "compares" {
                sign = part.children().first().map_or("", Node::kind);
                continue;
            }
            let right = self.sum(part)?;
            left = Some(match left {
                None => right,
                Some(left) => related(left, sign, right)?,
            });
        }
        left.ok_or(Unread::Refused)
    }

    /// What a name, or several in brackets, stand for.
    fn assigned(self, part: &Node) -> Read {
        let names = self.symbols(part.child("symbols").ok_or(Unread::Refused)?)?;
        let list = part.child("plain_list").ok_or(Unread::Refused)?;
        Ok(relation(Relation::Equal, names, self.elements(list)?))
    }
}

/// A relation of two sides.
pub(super) fn relation(kind: Relation, left: Expression, right: Expression) -> Expression {
    Expression::Relation(kind, Box::new(left), Box::new(right))
}

/// What is compared further after a relation is its right side.
fn related(left: Expression, sign: &str, right: Expression) -> Read {
    let kind = match sign {
        "ASSIGN" | "EQUAL" => Relation::Equal,
        "LESS" => Relation::Less,
        "LESS_OR_EQUAL" => Relation::LessOrEqual,
        "GREATER" => Relation::Greater,
        "GREATER_OR_EQUAL" => Relation::GreaterOrEqual,
        "UNEQUAL" => Relation::Unequal,
        // An approximation says what a symbol is, and of all else nothing.
        "APPROXIMATE" => return Ok(if is_of_symbols(&left) { right } else { left }),
        _ => return Err(Unread::Refused),
    };
    Ok(match left {
        Expression::And(mut chain) => {
            let Some(Expression::Relation(_, _, last)) = chain.last().cloned() else {
                return Err(Unread::Refused);
            };
            chain.push(relation(kind, *last, right));
            Expression::And(chain)
        }
        Expression::Relation(first, start, middle) => Expression::And(vec![
            Expression::Relation(first, start, middle.clone()),
            relation(kind, *middle, right),
        ]),
        left => relation(kind, left, right),
    })
}

/// Whether it is made of symbols alone, as a product of names is; so is one divided by a number.
pub(crate) fn is_of_symbols(expression: &Expression) -> bool {
    if matches!(expression, Expression::Symbol(_)) {
        return true;
    }
    if let Expression::Pow(base, exponent) = expression
        && exponent.is_exactly(-1)
        && (matches!(**base, Expression::Symbol(_)) || base.parts().into_iter().all(is_of_symbols))
    {
        return true;
    }
    let parts = expression.parts();
    !parts.is_empty() && parts.into_iter().all(is_of_symbols)
}

/// The negative of a value: an exact number is written with another sign, all else as a product.
fn negative(value: Expression) -> Expression {
    match value {
        Expression::Number(number @ Number::Rational(_)) => Expression::Number(number.negated()),
        other => Expression::Mul(vec![Expression::integer(-1), other]),
    }
}

/// The negative of a number; nothing for what is none.
fn negative_number(value: &Expression) -> Option<Expression> {
    match value {
        Expression::Number(number) => Some(Expression::Number(number.negated())),
        Expression::Constant(constant) => Some(Expression::Constant(match constant {
            Constant::Infinity => Constant::NegativeInfinity,
            Constant::NegativeInfinity => Constant::Infinity,
            same @ (Constant::ComplexInfinity | Constant::NotANumber) => *same,
            _ => return None,
        })),
        _ => None,
    }
}

/// Digits with commas between groups of three.
fn separated_number(text: &str) -> Read {
    let text = text.trim();
    let (text, is_negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    // A comma behind a zero is a decimal one.
    let point = if text.starts_with('0') && !is_negative { "." } else { "" };
    let text = text.replace(',', point);
    let number = Number::parse(text.trim_start_matches('0')).ok_or(Unread::Undecided)?;
    let is_signed = is_negative && number.value().is_positive();
    Ok(Expression::Number(if is_signed { number.negated() } else { number }))
}
