//! What LaTeX says, as a tree: numbers, symbols, sums, products, powers, functions; sets, tuples,
//! relations and matrices made of them.
//!
//! A tree is kept as it was written: nothing is added up, because whether two answers are written
//! alike is asked first. It is the vocabulary of `SymPy`, whose text form is what a results file shows.

use num_traits::One;

use super::number::{BigRational, Number};

/// A mathematical object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Number(Number),
    Constant(Constant),
    Symbol(Symbol),
    Add(Vec<Expression>),
    Mul(Vec<Expression>),
    Pow(Box<Expression>, Box<Expression>),
    /// A function that has a meaning of its own, by `SymPy`'s name.
    Function(&'static str, Vec<Expression>),
    /// A function that is only a name.
    Undefined(String, Vec<Expression>),
    /// A value that is not combined with others.
    Held(Box<Expression>),
    /// A sum, product, integral, limit or derivative: the operand and what it is over.
    Bound(&'static str, Vec<Expression>),
    Tuple(Vec<Expression>),
    /// The members in the order in which they were written, each once.
    FiniteSet(Vec<Expression>),
    Interval(Box<Interval>),
    NamedSet(&'static str),
    /// A union or intersection.
    SetOperation(&'static str, Vec<Expression>),
    Relation(Relation, Box<Expression>, Box<Expression>),
    /// Relations that hold together, in the order in which they were written.
    And(Vec<Expression>),
    Not(Box<Expression>),
    Matrix(Vec<Vec<Expression>>),
    MatrixAdd(Vec<Expression>),
    MatrixMul(Vec<Expression>),
}

/// A number that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Pi,
    E,
    I,
    EulerGamma,
    Infinity,
    NegativeInfinity,
    ComplexInfinity,
    NotANumber,
}

/// A letter or word. What is real and what is complex are two symbols even under one name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) is_real: bool,
}

/// All numbers between two ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) start: Expression,
    pub(crate) end: Expression,
    pub(crate) left_open: bool,
    pub(crate) right_open: bool,
}

/// How two sides compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Relation {
    /// The same with its sides exchanged.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}

impl Expression {
    pub(crate) fn integer(value: i64) -> Self {
        Self::Number(Number::integer(value))
    }

    pub(crate) fn rational(value: BigRational) -> Self {
        Self::Number(Number::Rational(value))
    }

    pub(crate) fn pow(base: Self, exponent: Self) -> Self {
        Self::Pow(Box::new(base), Box::new(exponent))
    }

    /// One divided by it.
    pub(crate) fn inverse(self) -> Self {
        Self::pow(self, Self::integer(-1))
    }

    /// The difference of two, as a sum.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self::Add(vec![self, Self::Mul(vec![Self::integer(-1), other])])
    }

    pub(crate) fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.as_number().is_some_and(Number::is_integer)
    }

    pub(crate) fn is_one(&self) -> bool {
        self.as_number().is_some_and(|number| !number.is_float() && number.value().is_one())
    }

    /// Whether it is exactly this whole number.
    pub(crate) fn is_exactly(&self, value: i64) -> bool {
        self.as_number()
            .and_then(Number::as_integer)
            .is_some_and(|integer| *integer == value.into())
    }

    /// A sum of sums is one sum.
    pub(crate) fn flat_add(left: Self, right: Self) -> Self {
        let terms = |side: Self| match side {
            Self::Add(terms) => terms,
            other => vec![other],
        };
        let mut all = terms(left);
        all.extend(terms(right));
        Self::Add(all)
    }

    /// A product of products is one product.
    pub(crate) fn flat_mul(left: Self, right: Self) -> Self {
        let factors = |side: Self| match side {
            Self::Mul(factors) => factors,
            other => vec![other],
        };
        let mut all = factors(left);
        all.extend(factors(right));
        Self::Mul(all)
    }

    /// The parts it is directly made of.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Number(_) | Self::Constant(_) | Self::Symbol(_) | Self::NamedSet(_) => Vec::new(),
            Self::Add(parts)
            | Self::Mul(parts)
            | Self::Function(_, parts)
            | Self::Undefined(_, parts)
            | Self::Bound(_, parts)
            | Self::Tuple(parts)
            | Self::FiniteSet(parts)
            | Self::SetOperation(_, parts)
            | Self::And(parts)
            | Self::MatrixAdd(parts)
            | Self::MatrixMul(parts) => parts.iter().collect(),
            Self::Pow(left, right) | Self::Relation(_, left, right) => vec![left, right],
            Self::Held(part) | Self::Not(part) => vec![part],
            Self::Interval(interval) => vec![&interval.start, &interval.end],
            Self::Matrix(rows) => rows.iter().flatten().collect(),
        }
    }

    /// Whether it, or a part of it at any depth, is such.
    pub(crate) fn has(&self, is_such: &impl Fn(&Self) -> bool) -> bool {
        is_such(self) || self.parts().into_iter().any(|part| part.has(is_such))
    }

    pub(crate) fn has_float(&self) -> bool {
        self.has(&|part| part.as_number().is_some_and(Number::is_float))
    }

    /// The symbols in it, sorted, each once.
    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        let mut found = Vec::new();
        self.collect_symbols(&mut found);
        found.sort();
        found.dedup();
        found
    }

    fn collect_symbols(&self, found: &mut Vec<Symbol>) {
        if let Self::Symbol(symbol) = self {
            found.push(symbol.clone());
        }
        for part in self.parts() {
            part.collect_symbols(found);
        }
    }

    pub(crate) fn is_matrix(&self) -> bool {
        matches!(self, Self::Matrix(_) | Self::MatrixAdd(_) | Self::MatrixMul(_))
    }

    pub(crate) fn is_set(&self) -> bool {
        matches!(
            self,
            Self::FiniteSet(_) | Self::Interval(_) | Self::NamedSet(_) | Self::SetOperation(..)
        )
    }

    /// Whether it is one value: no set, tuple, relation or matrix.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(
            self,
            Self::Number(_)
                | Self::Constant(_)
                | Self::Symbol(_)
                | Self::Add(_)
                | Self::Mul(_)
                | Self::Pow(..)
                | Self::Function(..)
                | Self::Undefined(..)
                | Self::Held(_)
                | Self::Bound(..)
        )
    }
}
