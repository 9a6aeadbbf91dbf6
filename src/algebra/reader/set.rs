//! Sets, intervals and tuples.

use std::cmp::Ordering;

use super::{Read, Reader, Unread, relation};
use crate::algebra::{
    expression::{Constant, Expression, Interval, Relation},
    numeric,
    parse::Node,
};

/// A set of these members, each once.
pub(crate) fn finite_set(members: Vec<Expression>) -> Expression {
    let mut distinct: Vec<Expression> = Vec::with_capacity(members.len());
    for member in members {
        if !distinct.contains(&member) {
            distinct.push(member);
        }
    }
    if distinct.is_empty() {
        Expression::NamedSet("EmptySet")
    } else {
        Expression::FiniteSet(distinct)
    }
}

/// An interval; one without members is the empty set, and one with a single member holds that.
fn interval(interval: Interval) -> Read {
    let Interval { start, end, mut left_open, mut right_open } = interval;
    let is_imaginary = |side: &Expression| {
        side.has(&|part| {
            matches!(
                part,
                Expression::Constant(
                    Constant::I | Constant::ComplexInfinity | Constant::NotANumber
                )
            )
        })
    };
    if is_imaginary(&start) || is_imaginary(&end) {
        return Err(Unread::Refused);
    }
    let order = numeric::order(&start, &end);
    let is_infinite = |side: &Expression, constant| *side == Expression::Constant(constant);
    if order == Some(Ordering::Greater)
        || is_infinite(&start, Constant::Infinity)
        || is_infinite(&end, Constant::NegativeInfinity)
    {
        return Ok(Expression::NamedSet("EmptySet"));
    }
    if start == end {
        let is_empty = left_open || right_open;
        return Ok(if is_empty { Expression::NamedSet("EmptySet") } else { finite_set(vec![end]) });
    }
    left_open |= is_infinite(&start, Constant::NegativeInfinity);
    right_open |= is_infinite(&end, Constant::Infinity);
    Ok(Expression::Interval(Box::new(Interval { start, end, left_open, right_open })))
}

impl Reader {
    pub(super) fn set_relation(self, part: &Node) -> Read {
        match part.children() {
            [side] => self.set_side(side),
            // Whether a set contains another is true or false, and equals no answer.
            _ => Err(Unread::Undecided),
        }
    }

    fn set_side(self, side: &Node) -> Read {
        let Some(symbols) = side.child("symbols") else {
            return self.difference(side.children().first().ok_or(Unread::Refused)?);
        };
        let names = self.symbols(symbols)?;
        let set = self.set_relation(side.child("set_relation").ok_or(Unread::Refused)?)?;
        let equal = relation(Relation::Equal, names, set);
        let is_outside = side.child("NOT_IN").is_some();
        Ok(if is_outside { Expression::Not(Box::new(equal)) } else { equal })
    }

    fn difference(self, part: &Node) -> Read {
        self.combined(part, "union", "Complement", Self::union)
    }

    fn union(self, part: &Node) -> Read {
        self.combined(part, "intersection", "Union", Self::intersection)
    }

    fn intersection(self, part: &Node) -> Read {
        self.combined(part, "set_group", "Intersection", Self::set_group)
    }

    /// Sets that one operation joins, from left to right.
    fn combined(
        self,
        part: &Node,
        operand: &str,
        operation: &'static str,
        read: fn(Self, &Node) -> Read,
    ) -> Read {
        let mut sets = part.all(operand).map(|set| read(self, set));
        let mut joined = sets.next().ok_or(Unread::Refused)??;
        for set in sets {
            let set = set?;
            let as_set = |side: Expression| match side {
                Expression::Tuple(members) if operation != "Complement" => finite_set(members),
                other => other,
            };
            let (left, right) = (as_set(joined), as_set(set));
            // A set and a value cannot be joined.
            if !left.is_set() || !right.is_set() {
                return Err(Unread::Refused);
            }
            joined = Expression::SetOperation(operation, vec![left, right]);
        }
        Ok(joined)
    }

    fn set_group(self, part: &Node) -> Read {
        match part.child("difference") {
            Some(inner) => self.difference(inner),
            None => self.set_atom(part.child("set_atom").ok_or(Unread::Refused)?),
        }
    }

    pub(super) fn set_atom(self, part: &Node) -> Read {
        let atom = part.children().first().ok_or(Unread::Refused)?;
        match atom.kind() {
            "named_set" => named_set(atom),
            "interval" => self.interval(atom),
            "tuple" => {
                let lists = self.lists(atom.child("list").ok_or(Unread::Refused)?)?;
                let is_single = lists.len() == 1;
                let mut members: Vec<Expression> = lists.into_iter().flatten().collect();
                // There are no tuples of one member.
                match (is_single && members.len() == 1).then(|| members.pop()).flatten() {
                    Some(single) => Ok(single),
                    None => Ok(Expression::Tuple(members)),
                }
            }
            _ => {
                let lists = self.lists(atom.child("list").ok_or(Unread::Refused)?)?;
                if atom.child("BOXED").is_some() {
                    return Ok(Self::gathered(lists));
                }
                Ok(finite_set(lists.into_iter().flatten().collect()))
            }
        }
    }

    fn interval(self, part: &Node) -> Read {
        let opens = |kind: Option<&Node>| {
            kind.is_some_and(|bracket| {
                matches!(
                    bracket.kind(),
                    "OPEN" | "OPEN_VISUAL" | "LGROUP" | "CLOSE" | "CLOSE_VISUAL" | "RGROUP"
                )
            })
        };
        let left_open = opens(part.children().first());
        let right_open = opens(part.children().last());
        let mut sums = part.all("sum").map(|sum| self.sum(sum));
        let start = sums.next().ok_or(Unread::Refused)??;
        let end = sums.next().ok_or(Unread::Refused)??;
        // What would hold nothing is a pair.
        let is_pair = match numeric::order(&end, &start) {
            Some(Ordering::Less) => left_open == right_open,
            Some(Ordering::Equal) => left_open && right_open,
            _ => false,
        };
        if is_pair {
            return Ok(Expression::Tuple(vec![start, end]));
        }
        interval(Interval { start, end, left_open, right_open })
    }
}

fn named_set(part: &Node) -> Read {
    let name = match part.text().as_str() {
        r"\mathbb{N}" | "ℕ" => "Naturals",
        r"\mathbb{Z}" | "ℤ" => "Integers",
        r"\mathbb{Q}" | "ℚ" => "Rationals",
        r"\mathbb{R}" | "ℝ" => "Reals",
        r"\mathbb{C}" | "ℂ" => "Complexes",
        r"\mathbb{P}" | "ℙ" => return Err(Unread::Refused),
        _ => "EmptySet",
    };
    Ok(Expression::NamedSet(name))
}
