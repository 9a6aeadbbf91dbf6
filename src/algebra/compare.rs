//! Whether an answer and a reference say the same, as `math_verify` 0.9.0 finds it.
//!
//! It is not symmetric: "x = 5" answers "5", and the form of the first side decides which of several equations is
//! compared. What is written alike is equal; values are compared as values, sets by their members, equations by their
//! solutions.

use super::{
    equality::{self, Verdict},
    expression::{Constant, Expression, Relation},
    print::print,
    reader::is_of_symbols,
    set_comparison::{relation_as_set, sets},
};

/// Whether two objects say the same. `first` is the answer.
pub(super) fn objects(first: &Expression, second: &Expression) -> Verdict {
    let (first_assigns, second_assigns) = (is_assignment(first), is_assignment(second));
    let (first_equates, second_equates) = (is_equation(first), is_equation(second));
    let mut first = if first_assigns { shortened(first) } else { first.clone() };
    let mut second = if second_assigns { shortened(second) } else { second.clone() };
    if second_equates && !first_equates {
        second = right_side(second);
    } else if first_assigns && !second_equates {
        first = right_side(first);
    }
    if is_relation(&first)
        && second.is_set()
        && let Some(set) = relation_as_set(&first)
    {
        first = set;
    }
    // The original gives up on these.
    if matches!(first, Expression::Constant(Constant::ComplexInfinity | Constant::NotANumber)) {
        return Verdict::Different;
    }
    if first == second {
        return Verdict::Equal;
    }
    if is_relation(&first) && is_relation(&second) {
        return relations(&first, &second);
    }
    let is_collection = |side: &Expression| side.is_set() || matches!(side, Expression::Tuple(_));
    if is_collection(&first) || is_collection(&second) {
        return sets(&first, &second);
    }
    if matches!(first, Expression::Symbol(_)) || matches!(second, Expression::Symbol(_)) {
        return Verdict::of(are_same_word(&first, &second));
    }
    if first.is_matrix() && second.is_matrix() {
        return matrices(&first, &second);
    }
    if first.is_scalar() && second.is_scalar() {
        return equality::values(&first, &second);
    }
    Verdict::Different
}

/// Whether it compares two sides, or more in a chain.
fn is_relation(object: &Expression) -> bool {
    match object {
        Expression::Relation(..) => true,
        Expression::And(chain) => {
            !chain.is_empty() && chain.iter().all(|link| matches!(link, Expression::Relation(..)))
        }
        _ => false,
    }
}

fn is_equality(object: &Expression) -> bool {
    matches!(object, Expression::Relation(Relation::Equal, ..))
}

fn is_equation(object: &Expression) -> bool {
    match object {
        Expression::And(chain) => !chain.is_empty() && chain.iter().all(is_equality),
        other => is_equality(other),
    }
}

/// Whether it says what a name stands for.
fn is_assignment(object: &Expression) -> bool {
    let first = match object {
        Expression::And(chain) => chain.first(),
        other => Some(other),
    };
    match first {
        Some(Expression::Relation(Relation::Equal, left, _)) => {
            is_equation(object) && is_of_symbols(left)
        }
        _ => false,
    }
}

/// A chain of equations as one: from its first side to its last.
fn shortened(object: &Expression) -> Expression {
    match object {
        Expression::And(chain) => match (chain.first(), chain.last()) {
            (
                Some(Expression::Relation(kind, left, _)),
                Some(Expression::Relation(_, _, right)),
            ) => Expression::Relation(*kind, left.clone(), right.clone()),
            _ => object.clone(),
        },
        other => other.clone(),
    }
}

/// What stands behind the last sign.
fn right_side(object: Expression) -> Expression {
    match object {
        Expression::Relation(_, _, right) => *right,
        Expression::And(mut chain) => match chain.pop() {
            Some(Expression::Relation(_, _, right)) => *right,
            _ => Expression::And(chain),
        },
        other => other,
    }
}

fn relations(first: &Expression, second: &Expression) -> Verdict {
    match (first, second) {
        (Expression::And(first), Expression::And(second)) => {
            if first.len() != second.len() {
                return Verdict::Different;
            }
            first.iter().zip(second).fold(Verdict::Equal, |verdict, (first, second)| {
                verdict.and(|| relations(first, second))
            })
        }
        (
            Expression::Relation(first_kind, first_left, first_right),
            Expression::Relation(second_kind, second_left, second_right),
        ) => {
            if ![first_left, first_right, second_left, second_right]
                .iter()
                .all(|side| side.is_scalar())
            {
                return Verdict::Different;
            }
            let first = (**first_left).clone().minus((**first_right).clone());
            let second = (**second_left).clone().minus((**second_right).clone());
            let turned = (**second_right).clone().minus((**second_left).clone());
            let same = if first_kind == second_kind {
                equality::values(&first, &second)
            } else {
                Verdict::Different
            };
            same.or(|| {
                if *first_kind != Relation::Unequal && first_kind.flipped() == *second_kind {
                    equality::values(&first, &turned)
                } else {
                    Verdict::Different
                }
            })
            .or(|| {
                // Equations with the same solutions.
                let are_equations =
                    *first_kind == Relation::Equal && *second_kind == Relation::Equal;
                // The original fails on the solutions of equations in one symbol.
                let have_same_symbols =
                    first.symbols() == second.symbols() && first.symbols().len() > 1;
                let are_solved_alike = are_equations
                    && have_same_symbols
                    && equality::proportion(&first, &second).is_some();
                Verdict::of(are_solved_alike)
            })
        }
        _ => Verdict::Different,
    }
}

/// Whether a word and a product of letters are spelled alike.
fn are_same_word(first: &Expression, second: &Expression) -> bool {
    let is_e = |side: &Expression| *side == Expression::Constant(Constant::E);
    match (first, second) {
        (Expression::Symbol(first), Expression::Symbol(second)) => {
            let name = |name: &str| {
                if name.chars().count() > 1 { name.to_lowercase() } else { name.to_owned() }
            };
            name(&first.name) == name(&second.name)
        }
        (Expression::Symbol(symbol), other) | (other, Expression::Symbol(symbol)) => {
            if symbol.name.to_lowercase() == "e" && is_e(other) {
                return true;
            }
            match spelled(other) {
                Some(word) => symbol.name.to_lowercase() == word.to_lowercase(),
                None => print(first) == print(second),
            }
        }
        _ => false,
    }
}

/// The letters of a product, one behind the other.
fn spelled(product: &Expression) -> Option<String> {
    let Expression::Mul(factors) = product else { return None };
    factors
        .iter()
        .map(|factor| match factor {
            Expression::Symbol(symbol) => Some(symbol.name.as_str()),
            Expression::Constant(Constant::E) => Some("e"),
            _ => None,
        })
        .collect()
}

fn matrices(first: &Expression, second: &Expression) -> Verdict {
    let Some((first, second)) = computed(first).zip(computed(second)) else {
        return Verdict::Undecided;
    };
    let have_same_shape = first.len() == second.len()
        && first.iter().zip(&second).all(|(first, second)| first.len() == second.len());
    if !have_same_shape {
        return Verdict::Different;
    }
    let entries = first.iter().flatten().zip(second.iter().flatten());
    entries.fold(Verdict::Equal, |verdict, (first, second)| {
        verdict.and(|| equality::values(first, second))
    })
}

/// The entries of sums, multiples and products of matrices.
fn computed(object: &Expression) -> Option<Vec<Vec<Expression>>> {
    match object {
        Expression::Matrix(rows) => Some(rows.clone()),
        Expression::MatrixAdd(terms) => terms.iter().map(computed).reduce(|left, right| {
            let (left, right) = (left?, right?);
            let rows = left.into_iter().zip(right).map(|(left, right)| {
                left.into_iter()
                    .zip(right)
                    .map(|(left, right)| Expression::Add(vec![left, right]))
                    .collect()
            });
            Some(rows.collect())
        })?,
        Expression::MatrixMul(factors) => {
            let mut total: Option<Vec<Vec<Expression>>> = None;
            let mut numbers = Vec::new();
            for factor in factors {
                if !factor.is_matrix() {
                    numbers.push(factor.clone());
                    continue;
                }
                let next = computed(factor)?;
                total = Some(match total {
                    None => next,
                    Some(total) => multiplied(&total, &next)?,
                });
            }
            let scaled = |entry: Expression| {
                let mut factors = numbers.clone();
                factors.push(entry);
                Expression::Mul(factors)
            };
            Some(total?.into_iter().map(|row| row.into_iter().map(scaled).collect()).collect())
        }
        _ => None,
    }
}

fn multiplied(left: &[Vec<Expression>], right: &[Vec<Expression>]) -> Option<Vec<Vec<Expression>>> {
    let columns = right.first()?.len();
    let entry = |row: &Vec<Expression>, column: usize| {
        let terms = row.iter().zip(right).map(|(left, right)| {
            Some(Expression::Mul(vec![left.clone(), right.get(column)?.clone()]))
        });
        (row.len() == right.len())
            .then(|| terms.collect::<Option<Vec<_>>>().map(Expression::Add))
            .flatten()
    };
    left.iter().map(|row| (0..columns).map(|column| entry(row, column)).collect()).collect()
}
