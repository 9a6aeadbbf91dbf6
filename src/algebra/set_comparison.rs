//! Whether two sets or tuples have the same members.

use std::cmp::Ordering;

use super::{
    compare::objects,
    double_double::DoubleDouble,
    equality::{Verdict, difference},
    exact,
    expression::{Constant, Expression, Interval, Relation, Symbol},
    numeric,
    order::{Key, compared},
};

/// Whether two collections, or a collection and a value, are equal.
pub(super) fn sets(first: &Expression, second: &Expression) -> Verdict {
    let as_collection = |side: &Expression| match side {
        set if set.is_set() || matches!(set, Expression::Tuple(_)) => set.clone(),
        single => Expression::FiniteSet(vec![single.clone()]),
    };
    let (first, second) = (as_collection(first), as_collection(second));
    if let (Expression::Interval(first), Expression::Interval(second)) = (&first, &second) {
        let is_as_open =
            first.left_open == second.left_open && first.right_open == second.right_open;
        return Verdict::of(is_as_open)
            .and(|| objects(&first.start, &second.start))
            .and(|| objects(&first.end, &second.end));
    }
    if first == second {
        return Verdict::Equal;
    }
    if first.is_set()
        && second.is_set()
        && let (Some(left), Some(right)) = (Line::of(&first), Line::of(&second))
        && left.is_same(&right)
    {
        return Verdict::Equal;
    }
    let pair = |interval: &Interval| {
        let is_open = interval.left_open && interval.right_open;
        is_open.then(|| Expression::Tuple(vec![interval.start.clone(), interval.end.clone()]))
    };
    let has_two = |side: &Expression| members(side).is_some_and(|members| members.len() == 2);
    match (&first, &second) {
        _ if members(&first).is_some() && members(&second).is_some() => by_members(&first, &second),
        (Expression::Interval(interval), other) if has_two(other) => {
            pair(interval).map_or(Verdict::Different, |pair| by_members(&pair, other))
        }
        (other, Expression::Interval(interval)) if has_two(other) => {
            pair(interval).map_or(Verdict::Different, |pair| by_members(other, &pair))
        }
        _ => {
            let is_known = |side: &Expression| Line::of(side).is_some() || members(side).is_some();
            if is_known(&first) && is_known(&second) {
                Verdict::Different
            } else {
                Verdict::Undecided
            }
        }
    }
}

fn members(side: &Expression) -> Option<&[Expression]> {
    match side {
        Expression::Tuple(members) | Expression::FiniteSet(members) => Some(members),
        _ => None,
    }
}

/// Members one by one: those of sets in their order, those of tuples as they stand.
fn by_members(first: &Expression, second: &Expression) -> Verdict {
    let (Some(left), Some(right)) = (members(first), members(second)) else {
        return Verdict::Different;
    };
    if left.len() != right.len() {
        return Verdict::Different;
    }
    let is_sorted = matches!(first, Expression::FiniteSet(_));
    let (left, right) =
        if is_sorted { (in_order(left), in_order(right)) } else { (left.to_vec(), right.to_vec()) };
    left.iter()
        .zip(&right)
        .fold(Verdict::Equal, |verdict, (left, right)| verdict.and(|| objects(left, right)))
}

fn in_order(members: &[Expression]) -> Vec<Expression> {
    let value = |member: &Expression| match member {
        Expression::Relation(Relation::Equal, _, right) => Key::evaluated(right),
        other => Key::evaluated(other),
    };
    let mut keyed: Vec<(Key, &Expression)> =
        members.iter().map(|member| (value(member), member)).collect();
    keyed.sort_by(|left, right| compared(&left.0, &right.0));
    keyed.into_iter().map(|(_, member)| member.clone()).collect()
}

/// A set of real numbers: points and stretches in order, as the borders at which membership changes.
struct Line {
    /// Each border: its value, and whether the border itself and what follows it belong to the set.
    borders: Vec<(Place, bool, bool)>,
    /// Whether what lies before all borders belongs to it.
    starts: bool,
}

/// A place on the line, infinite ones left out.
#[derive(Clone)]
struct Place {
    expression: Expression,
    value: DoubleDouble,
}

impl Line {
    fn of(set: &Expression) -> Option<Self> {
        match set {
            Expression::NamedSet("EmptySet") => Some(Self { borders: Vec::new(), starts: false }),
            Expression::NamedSet("Reals") => Some(Self { borders: Vec::new(), starts: true }),
            Expression::FiniteSet(members) => {
                let mut line = Self { borders: Vec::new(), starts: false };
                for member in members {
                    let point =
                        Self { borders: vec![(Place::of(member)?, true, false)], starts: false };
                    line = line.combined(&point, |left, right| left || right);
                }
                Some(line)
            }
            Expression::Interval(interval) => {
                let Interval { start, end, left_open, right_open } = &**interval;
                let mut line = Self { borders: Vec::new(), starts: true };
                if *start != Expression::Constant(Constant::NegativeInfinity) {
                    line.starts = false;
                    line.borders.push((Place::of(start)?, !left_open, true));
                }
                if *end != Expression::Constant(Constant::Infinity) {
                    line.borders.push((Place::of(end)?, !right_open, false));
                }
                Some(line)
            }
            Expression::SetOperation(name, sets) => {
                let mut lines = sets.iter().map(Self::of);
                let first = lines.next()??;
                lines.try_fold(first, |line, next| {
                    let next = next?;
                    Some(match *name {
                        "Union" => line.combined(&next, |left, right| left || right),
                        "Intersection" => line.combined(&next, |left, right| left && right),
                        _ => line.combined(&next, |left, right| left && !right),
                    })
                })
            }
            _ => None,
        }
    }

    /// Whether a place, and what lies behind it, belong to the set.
    fn at(&self, place: &Place) -> (bool, bool) {
        let mut state = (self.starts, self.starts);
        for (border, here, after) in &self.borders {
            match border.order(place) {
                Ordering::Less => state = (*after, *after),
                Ordering::Equal => state = (*here, *after),
                Ordering::Greater => break,
            }
        }
        state
    }

    fn combined(&self, other: &Self, joined: fn(bool, bool) -> bool) -> Self {
        let mut places: Vec<Place> =
            self.borders.iter().chain(&other.borders).map(|(place, ..)| place.clone()).collect();
        places.sort_by(Place::order);
        places.dedup_by(|left, right| left.order(right) == Ordering::Equal);
        let starts = joined(self.starts, other.starts);
        let mut borders = Vec::new();
        let mut before = starts;
        for place in places {
            let (left, right) = (self.at(&place), other.at(&place));
            let (here, after) = (joined(left.0, right.0), joined(left.1, right.1));
            if here != before || after != before {
                borders.push((place, here, after));
            }
            before = after;
        }
        Self { borders, starts }
    }

    fn is_same(&self, other: &Self) -> bool {
        let difference = self.combined(other, |left, right| left != right);
        !difference.starts && difference.borders.is_empty()
    }
}

impl Place {
    fn of(expression: &Expression) -> Option<Self> {
        // Floats are compared by their rounding, which no order has.
        if !expression.is_scalar() || expression.has_float() {
            return None;
        }
        Some(Self { expression: expression.clone(), value: numeric::real(expression)? })
    }

    fn order(&self, other: &Self) -> Ordering {
        if let Some((left, right)) =
            exact::value(&self.expression).zip(exact::value(&other.expression))
        {
            return left.cmp(&right);
        }
        if difference(&self.expression, &other.expression, 0.0) == Verdict::Equal {
            return Ordering::Equal;
        }
        (self.value - other.value).to_f64().total_cmp(&0.0)
    }
}

/// The numbers for which inequalities in one symbol, each linear in it, hold together.
pub(super) fn relation_as_set(relation: &Expression) -> Option<Expression> {
    let links = match relation {
        Expression::And(links) => links.as_slice(),
        single => std::slice::from_ref(single),
    };
    let symbols = relation.symbols();
    let [symbol] = symbols.as_slice() else { return None };
    let mut sets = links.iter().map(|link| half_line(link, symbol)).collect::<Option<Vec<_>>>()?;
    if sets.len() == 1 { sets.pop() } else { joined(&sets) }
}

/// Where one linear inequality holds.
fn half_line(link: &Expression, symbol: &Symbol) -> Option<Expression> {
    let Expression::Relation(kind, left, right) = link else { return None };
    let both = (**left).clone().minus((**right).clone());
    let at = |value: i64| exact::substituted(&both, symbol, &Expression::integer(value));
    let constant = at(0);
    let slope = at(1).minus(constant.clone());
    // It is linear if it goes on as it begins.
    let third = Expression::Add(vec![
        constant.clone(),
        Expression::Mul(vec![Expression::integer(3), slope.clone()]),
    ]);
    let is_linear = difference(&at(3), &third, 0.0) == Verdict::Equal;
    let size = numeric::real(&slope).filter(|slope| !slope.is_zero() && is_linear)?;
    let border = Expression::Mul(vec![Expression::integer(-1), constant, slope.inverse()]);
    let border = exact::value(&border).map_or(border, Expression::rational);
    let kind = if size.is_negative() { kind.flipped() } else { *kind };
    let (start, end) = (
        Expression::Constant(Constant::NegativeInfinity),
        Expression::Constant(Constant::Infinity),
    );
    let interval = |start, end, left_open, right_open| {
        Expression::Interval(Box::new(Interval { start, end, left_open, right_open }))
    };
    Some(match kind {
        Relation::Equal => Expression::FiniteSet(vec![border]),
        Relation::Less => interval(start, border, true, true),
        Relation::LessOrEqual => interval(start, border, true, false),
        Relation::Greater => interval(border, end, true, true),
        Relation::GreaterOrEqual => interval(border, end, false, true),
        Relation::Unequal => Expression::SetOperation(
            "Union",
            vec![interval(start, border.clone(), true, true), interval(border, end, true, true)],
        ),
    })
}

/// What several sets have in common.
fn joined(sets: &[Expression]) -> Option<Expression> {
    let ends: Vec<&Interval> = sets
        .iter()
        .map(|set| match set {
            Expression::Interval(interval) => Some(&**interval),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let mut common = (*ends.first()?).clone();
    for interval in ends.into_iter().skip(1) {
        match numeric::order(&common.start, &interval.start)? {
            Ordering::Less => {
                (common.start, common.left_open) = (interval.start.clone(), interval.left_open);
            }
            Ordering::Equal => common.left_open |= interval.left_open,
            Ordering::Greater => {}
        }
        match numeric::order(&common.end, &interval.end)? {
            Ordering::Greater => {
                (common.end, common.right_open) = (interval.end.clone(), interval.right_open);
            }
            Ordering::Equal => common.right_open |= interval.right_open,
            Ordering::Less => {}
        }
    }
    match numeric::order(&common.start, &common.end)? {
        Ordering::Less => Some(Expression::Interval(Box::new(common))),
        Ordering::Equal if !common.left_open && !common.right_open => {
            Some(Expression::FiniteSet(vec![common.start]))
        }
        _ => Some(Expression::NamedSet("EmptySet")),
    }
}
