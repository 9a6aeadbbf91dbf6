//! An expression as `SymPy` prints it. Results files show what was compared in this form.

mod product;

use super::{
    double_double::DoubleDouble,
    expression::{Constant, Expression, Interval, Relation},
    number::{BigRational, Number},
    numeric,
    order::{compared, key, ordered_terms, sorted},
};
use product::product;

const SUM: f32 = 40.0;
const PRODUCT: f32 = 50.0;
const POWER: f32 = 60.0;
const ATOM: f32 = 1000.0;
/// Of relations that hold together.
const TOGETHER: f32 = 38.0;

/// `str` of an expression.
pub(crate) fn print(expression: &Expression) -> String {
    printed(expression, false)
}

/// Floats inside of others are printed without zeros at their end.
fn inside(expression: &Expression) -> String {
    printed(expression, true)
}

fn printed(expression: &Expression, is_inside: bool) -> String {
    match expression {
        Expression::Number(Number::Rational(value)) => value.to_string(),
        Expression::Number(Number::Float(float)) => float.print(is_inside),
        Expression::Constant(constant) => match constant {
            Constant::Pi => "pi",
            Constant::E => "E",
            Constant::I => "I",
            Constant::EulerGamma => "EulerGamma",
            Constant::Infinity => "oo",
            Constant::NegativeInfinity => "-oo",
            Constant::ComplexInfinity => "zoo",
            Constant::NotANumber => "nan",
        }
        .to_owned(),
        Expression::Symbol(symbol) => symbol.name.clone(),
        Expression::Add(terms) => sum(terms),
        Expression::Mul(factors) => product(factors),
        Expression::Pow(base, exponent) => power(base, exponent),
        Expression::Undefined(name, arguments) => format!("{name}({})", listed(arguments)),
        Expression::Held(inner) => inside(inner),
        Expression::Bound("Limit", parts) => {
            let (direction, others) = parts
                .split_last()
                .map_or((String::new(), &[][..]), |(last, others)| (inside(last), others));
            format!("Limit({}, dir='{direction}')", listed(others))
        }
        Expression::Function(name, parts) | Expression::Bound(name, parts) => {
            format!("{name}({})", listed(parts))
        }
        Expression::Tuple(members) => match members.as_slice() {
            [single] => format!("({},)", inside(single)),
            members => format!("({})", listed(members)),
        },
        Expression::FiniteSet(members) => {
            let has_sets = members
                .iter()
                .any(|member| member.has(&|part| matches!(part, Expression::FiniteSet(_))));
            let members = listed(&sorted(members));
            if has_sets { format!("FiniteSet({members})") } else { format!("{{{members}}}") }
        }
        Expression::Interval(interval) => printed_interval(interval),
        Expression::NamedSet(name) => (*name).to_owned(),
        Expression::SetOperation("Complement", sets) => format!("Complement({})", listed(sets)),
        Expression::SetOperation(name, sets) => {
            format!("{name}({})", listed(&by_least_member(sets)))
        }
        Expression::Relation(kind, left, right) => relation(*kind, left, right),
        Expression::And(relations) => {
            let mut keyed: Vec<(usize, _, &Expression)> = relations
                .iter()
                .map(|relation| (size(relation), key(relation), relation))
                .collect();
            keyed.sort_by(|left, right| left.0.cmp(&right.0).then(compared(&left.1, &right.1)));
            let relations: Vec<String> =
                keyed.iter().map(|(_, _, relation)| parenthesized(relation, TOGETHER)).collect();
            relations.join(" & ")
        }
        Expression::Not(inner) => format!("~{}", parenthesized(inner, 100.0)),
        Expression::Matrix(rows) => matrix(rows),
        Expression::MatrixAdd(terms) => terms.iter().map(inside).collect::<Vec<_>>().join(" + "),
        Expression::MatrixMul(factors) => factors
            .iter()
            .map(|factor| parenthesized(factor, PRODUCT))
            .collect::<Vec<_>>()
            .join("*"),
    }
}

fn listed(parts: &[Expression]) -> String {
    parts.iter().map(inside).collect::<Vec<_>>().join(", ")
}

/// How many parts it has, at any depth.
fn size(expression: &Expression) -> usize {
    1 + expression.parts().into_iter().map(size).sum::<usize>()
}

fn precedence(expression: &Expression) -> f32 {
    match expression {
        Expression::Number(number) if number.is_negative() => SUM,
        Expression::Number(number) if !number.is_float() && !number.is_integer() => PRODUCT,
        Expression::Constant(Constant::NegativeInfinity)
        | Expression::Add(_)
        | Expression::MatrixAdd(_) => SUM,
        Expression::Mul(_) if is_negative(expression) => SUM,
        Expression::Mul(_)
        | Expression::MatrixMul(_)
        | Expression::Function("Mod", _)
        | Expression::Relation(Relation::Equal | Relation::Unequal, ..) => PRODUCT,
        Expression::Pow(..) => POWER,
        Expression::Function(..) | Expression::Undefined(..) => 70.0,
        Expression::Held(inner) => precedence(inner) - 0.5,
        Expression::Relation(..) => 35.0,
        Expression::And(_) => 30.0,
        Expression::Not(_) => 100.0,
        _ => ATOM,
    }
}

fn parenthesized(expression: &Expression, level: f32) -> String {
    let text = inside(expression);
    if precedence(expression) <= level { format!("({text})") } else { text }
}

/// Whether it begins with a negative number.
fn is_negative(expression: &Expression) -> bool {
    match expression {
        Expression::Number(number) => number.is_negative(),
        Expression::Constant(Constant::NegativeInfinity) => true,
        Expression::Mul(factors) => match factors.first() {
            Some(Expression::Number(number)) => number.is_negative(),
            Some(Expression::Constant(Constant::NegativeInfinity)) => true,
            _ => false,
        },
        _ => false,
    }
}

fn sum(terms: &[Expression]) -> String {
    let mut text = String::new();
    for term in ordered_terms(terms) {
        let printed = inside(&term);
        let is_sum = matches!(term, Expression::Add(_));
        let (is_minus, printed) = match printed.strip_prefix('-') {
            Some(rest) if !is_sum => (true, rest.to_owned()),
            _ => (false, printed),
        };
        text.push_str(match (text.is_empty(), is_minus) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        let needs_brackets = precedence(&term) < SUM || is_sum;
        let brackets = if needs_brackets { ["(", ")"] } else { ["", ""] };
        text.extend([brackets[0], &printed, brackets[1]]);
    }
    text
}

fn power(base: &Expression, exponent: &Expression) -> String {
    let half = BigRational::new(1.into(), 2.into());
    if let Expression::Number(Number::Rational(value)) = exponent {
        if *value == half {
            return format!("sqrt({})", inside(base));
        }
        if -value == half {
            return format!("1/sqrt({})", inside(base));
        }
        if exponent.is_exactly(-1) {
            return format!("1/{}", parenthesized(base, POWER));
        }
    }
    format!("{}**{}", parenthesized(base, POWER), parenthesized(exponent, POWER))
}

fn relation(kind: Relation, left: &Expression, right: &Expression) -> String {
    let sign = match kind {
        Relation::Equal => return format!("Eq({}, {})", inside(left), inside(right)),
        Relation::Unequal => return format!("Ne({}, {})", inside(left), inside(right)),
        Relation::Less => "<",
        Relation::LessOrEqual => "<=",
        Relation::Greater => ">",
        Relation::GreaterOrEqual => ">=",
    };
    format!("{} {sign} {}", parenthesized(left, 35.0), parenthesized(right, 35.0))
}

fn printed_interval(interval: &Interval) -> String {
    let Interval { start, end, left_open, right_open } = interval;
    let is_infinite = |side: &Expression| {
        matches!(side, Expression::Constant(Constant::Infinity | Constant::NegativeInfinity))
    };
    let kind = match (left_open, right_open) {
        _ if is_infinite(start) && is_infinite(end) => "",
        (_, false) if is_infinite(start) => "",
        (false, _) if is_infinite(end) => "",
        (false, false) => "",
        (true, true) => ".open",
        (true, false) => ".Lopen",
        (false, true) => ".Ropen",
    };
    format!("Interval{kind}({}, {})", print(start), print(end))
}

/// Sets in the order of their least members.
fn by_least_member(sets: &[Expression]) -> Vec<Expression> {
    fn least(set: &Expression) -> f64 {
        let value = |side: &Expression| match side {
            Expression::Constant(Constant::NegativeInfinity) => f64::NEG_INFINITY,
            other => numeric::real(other).map_or(f64::INFINITY, DoubleDouble::to_f64),
        };
        match set {
            Expression::Interval(interval) => value(&interval.start),
            Expression::FiniteSet(members) => {
                members.iter().map(value).fold(f64::INFINITY, f64::min)
            }
            Expression::SetOperation("Union", sets) => {
                sets.iter().map(least).fold(f64::INFINITY, f64::min)
            }
            Expression::NamedSet("Reals" | "Integers" | "Rationals") => f64::NEG_INFINITY,
            Expression::NamedSet("Naturals") => 1.0,
            _ => f64::INFINITY,
        }
    }
    let mut sets = sets.to_vec();
    sets.sort_by(|left, right| least(left).total_cmp(&least(right)));
    sets
}

fn matrix(rows: &[Vec<Expression>]) -> String {
    let texts: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(inside).collect()).collect();
    let columns = texts.first().map_or(0, Vec::len);
    let width = |column: usize| {
        texts
            .iter()
            .filter_map(|row| row.get(column))
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(text, width)| format!("{text:>width$}"));
        format!("[{}]", cells.collect::<Vec<_>>().join(", "))
    };
    let lines: Vec<String> = texts.iter().map(line).collect();
    let first = if lines.len() > 1 { "\n" } else { "" };
    format!("Matrix([{first}{}])", lines.join(",\n"))
}
