//! Arrays of NumPy with one axis: truths, whole numbers or floats.
//!
//! Sums are added in pairs, as NumPy adds them, for the same last digit. What would warn in NumPy and go on with an infinity is an
//! error here, as it is for Python's own numbers.

use ruff_python_ast::{CmpOp, Operator};

use crate::{
    config::eval::{
        Interpreter,
        call::Arguments,
        failure::{Eval, Failure},
        number,
        object::{Object, Slot},
        subscript::position,
    },
    python::pairwise_sum,
};

use super::Native;

/// Methods of arrays.
pub(super) const METHODS: &[&str] =
    &["all", "any", "argmax", "argmin", "astype", "item", "max", "mean", "min", "sum", "tolist"];

/// What the values of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::config::eval) enum Kind {
    Bool,
    Int,
    Float,
    /// Texts and all else: only listed, counted and compared.
    Object,
}

/// An array of one axis.
#[derive(Clone, Debug)]
pub(in crate::config::eval) struct Array {
    values: Vec<Object>,
    kind: Kind,
}

impl Array {
    /// The array of values: of floats where one of them is, else of whole numbers, else of truths.
    pub(super) fn new(values: Vec<Object>) -> Eval<Self> {
        let is = |test: fn(&Object) -> bool| values.iter().all(test);
        let kind = if values.is_empty() {
            Kind::Float
        } else if is(|value| matches!(value, Object::Bool(_))) {
            Kind::Bool
        } else if is(|value| value.as_int().is_some()) {
            Kind::Int
        } else if is(|value| value.as_float().is_some()) {
            Kind::Float
        } else if is(|value| matches!(value, Object::Str(_))) {
            Kind::Object
        } else {
            return Err(Failure::unsupported("an array of anything but numbers, or but texts"));
        };
        Ok(Self { values, kind }.cast(kind))
    }

    /// The array of floats.
    pub(super) fn floats_of(values: Vec<f64>) -> Self {
        Self { values: values.into_iter().map(Object::Float).collect(), kind: Kind::Float }
    }

    /// The array of whole numbers.
    pub(super) fn whole_of(values: Vec<Object>) -> Self {
        Self { values, kind: Kind::Int }
    }

    fn cast(self, kind: Kind) -> Self {
        let cast = |value: &Object| match kind {
            Kind::Float => value.as_float().map_or(Object::None, Object::Float),
            Kind::Int => match value {
                Object::Float(number) => Object::Int(*number as i64),
                other => other.as_int().map_or(Object::None, Object::Int),
            },
            Kind::Bool => Object::Bool(value.as_float().is_some_and(|number| number != 0.0)),
            Kind::Object => value.clone(),
        };
        Self { values: self.values.iter().map(cast).collect(), kind }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = Object> {
        self.values.iter().cloned()
    }

    /// The values as floats.
    pub(super) fn floats(&self) -> Eval<Vec<f64>> {
        let number = |value: &Object| {
            value.as_float().ok_or_else(|| Failure::type_error("an array of texts has no numbers"))
        };
        self.values.iter().map(number).collect()
    }

    /// An array of what a function makes of each value.
    pub(super) fn mapped(&self, function: impl Fn(f64) -> f64) -> Eval<Self> {
        let values = self.floats()?.into_iter().map(|value| Object::Float(function(value)));
        Ok(Self { values: values.collect(), kind: Kind::Float })
    }

    pub(super) fn truth(&self) -> Eval<bool> {
        match &*self.values {
            [one] => Ok(one.as_float().is_some_and(|number| number != 0.0)),
            _ => Err(Failure::value_error(
                "The truth value of an array with more than one element is ambiguous",
            )),
        }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<Object> {
        match name {
            "size" => Some(Object::count(self.len())),
            "ndim" => Some(Object::Int(1)),
            _ => None,
        }
    }

    /// `array[index]`: one value, or those that a mask or numbers choose.
    pub(super) fn item(&self, it: &mut Interpreter, index: &Object) -> Eval<Object> {
        if matches!(index, Object::Tuple(_)) {
            return Err(Failure::unsupported("several indices of an array"));
        }
        if let Some(chosen) = array_of(it, index)? {
            let mut values = Vec::new();
            match chosen.kind {
                Kind::Bool if chosen.len() == self.len() => {
                    let both = self.values.iter().zip(&chosen.values);
                    values.extend(
                        both.filter(|(_, keep)| matches!(keep, Object::Bool(true)))
                            .map(|(value, _)| value.clone()),
                    );
                }
                Kind::Int => {
                    for at in &chosen.values {
                        let at = position(at, self.len(), "array")?;
                        values.extend(self.values.get(at).cloned());
                    }
                }
                _ => {
                    return Err(Failure::raised(
                        "IndexError",
                        "this array cannot be an index of that one",
                    ));
                }
            }
            return Ok(Native::Array(Self { values, kind: self.kind }).object());
        }
        let at = position(index, self.len(), "array")?;
        Ok(self.values.get(at).cloned().unwrap_or(Object::None))
    }

    /// `array[from:to:step]`.
    pub(in crate::config::eval) fn slice(&self, at: impl Iterator<Item = usize>) -> Object {
        let values = at.filter_map(|at| self.values.get(at).cloned()).collect();
        Native::Array(Self { values, kind: self.kind }).object()
    }

    /// The sum, in the type of the values.
    pub(super) fn sum(&self) -> Eval<Object> {
        match self.kind {
            Kind::Float => Ok(Object::Float(pairwise_sum(&self.floats()?))),
            Kind::Bool | Kind::Int => {
                let mut sum = 0_i64;
                for value in &self.values {
                    sum = sum
                        .checked_add(value.as_int().unwrap_or(0))
                        .ok_or_else(Failure::too_big)?;
                }
                Ok(Object::Int(sum))
            }
            Kind::Object => Err(Failure::unsupported("the sum of an array of texts")),
        }
    }

    /// The mean.
    pub(super) fn mean(&self) -> Eval<Object> {
        if self.values.is_empty() {
            return Ok(Object::Float(f64::NAN));
        }
        Ok(Object::Float(pairwise_sum(&self.floats()?) / self.len() as f64))
    }

    /// Where the greatest or least value stands first; a NaN counts as either.
    pub(super) fn extreme(&self, greatest: bool) -> Eval<usize> {
        let values = self.floats()?;
        let mut best: Option<(usize, f64)> = None;
        for (at, value) in values.into_iter().enumerate() {
            let is_better = match best {
                None => true,
                Some((_, best)) if best.is_nan() => false,
                Some((_, best)) => {
                    value.is_nan() || if greatest { value > best } else { value < best }
                }
            };
            if is_better {
                best = Some((at, value));
            }
        }
        best.map(|(at, _)| at)
            .ok_or_else(|| Failure::value_error("attempt to get the extreme of an empty sequence"))
    }

    pub(super) fn at(&self, at: usize) -> Object {
        self.values.get(at).cloned().unwrap_or(Object::None)
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }
}

/// The array that a value is, or is the list of.
pub(super) fn array_of(it: &mut Interpreter, value: &Object) -> Eval<Option<Array>> {
    match value {
        Object::Native(native) => match &**native {
            Native::Array(array) => Ok(Some(array.clone())),
            Native::Grid(grid) => grid.array().map(Some),
            Native::Missing(path) => Err(super::unknown(path)),
            _ => Ok(None),
        },
        Object::List(_) | Object::Tuple(_) | Object::Range(_) => {
            let place = crate::config::eval::object::SourceLine::default();
            let slots = it.collect(value, place)?;
            it.heap.limits.elements(slots.len())?;
            Array::new(slots.into_iter().map(|slot| slot.object).collect()).map(Some)
        }
        _ => Ok(None),
    }
}

/// Both sides in the same length, a single number being repeated.
fn both(it: &mut Interpreter, left: &Object, right: &Object) -> Eval<(Array, Array)> {
    let sides = (array_of(it, left)?, array_of(it, right)?);
    let repeated = |one: &Object, count: usize| Array::new(vec![one.clone(); count.max(1)]);
    let (left, right) = match sides {
        (Some(left), Some(right)) => (left, right),
        (Some(left), None) => {
            let right = repeated(right, left.len())?;
            (left, right)
        }
        (None, Some(right)) => (repeated(left, right.len())?, right),
        (None, None) => return Err(Failure::unsupported("this operation with an array")),
    };
    if left.len() == right.len() {
        return Ok((left, right));
    }
    match (left.len(), right.len()) {
        (1, many) => Ok((repeated(&left.at(0), many)?, right)),
        (many, 1) => {
            let right = repeated(&right.at(0), many)?;
            Ok((left, right))
        }
        (left, right) => Err(Failure::value_error(format!(
            "operands could not be broadcast together with shapes ({left},) ({right},)"
        ))),
    }
}

/// `left op right`, value by value.
pub(super) fn operation(
    op: Operator,
    left: &Object,
    right: &Object,
    it: &mut Interpreter,
) -> Eval<Object> {
    let (left, right) = both(it, left, right)?;
    if !matches!(op, Operator::Add | Operator::Sub | Operator::Mult | Operator::Div)
        || left.kind == Kind::Object
        || right.kind == Kind::Object
        || (left.kind == Kind::Bool && right.kind == Kind::Bool)
    {
        return Err(Failure::unsupported(format_args!("`{}` of these arrays", op.as_str())));
    }
    it.heap.limits.elements(left.len())?;
    let mut values = Vec::with_capacity(left.len());
    for (left, right) in left.values.iter().zip(&right.values) {
        match number::arithmetic(op, left, right) {
            Some(value) => values.push(value?),
            None => return Err(Failure::unsupported("this operation with an array")),
        }
    }
    Ok(Native::Array(Array::new(values)?).object())
}

/// `left op right` of a comparison, value by value.
pub(super) fn comparison(
    op: CmpOp,
    left: &Object,
    right: &Object,
    it: &mut Interpreter,
) -> Eval<Object> {
    let (left, right) = both(it, left, right)?;
    if (left.kind == Kind::Object) != (right.kind == Kind::Object) {
        return Err(Failure::unsupported("a comparison of numbers with texts in arrays"));
    }
    let mut values = Vec::with_capacity(left.len());
    for (left, right) in left.values.iter().zip(&right.values) {
        values.push(Object::Bool(it.heap.compare(op, left, right)?));
    }
    Ok(Native::Array(Array { values, kind: Kind::Bool }).object())
}

impl Interpreter {
    /// `array.name(…)`.
    pub(super) fn array_method(
        &mut self,
        array: &Array,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        if name == "astype" {
            let [kind] = arguments.exactly()?;
            let kind = match &kind {
                Object::Builtin(builtin) => builtin.name,
                Object::Str(name) => match &**name {
                    "int" | "int64" => "int",
                    "float" | "float64" => "float",
                    "bool" => "bool",
                    _ => "",
                },
                _ => "",
            };
            let kind = match kind {
                "int" => Kind::Int,
                "float" => Kind::Float,
                "bool" => Kind::Bool,
                _ => return Err(Failure::unsupported("this type of an array")),
            };
            if array.kind == Kind::Object {
                return Err(Failure::unsupported("numbers of an array of texts"));
            }
            return Ok(Native::Array(array.clone().cast(kind)).object());
        }
        let [] = arguments.exactly()?;
        match name {
            "sum" => array.sum(),
            "mean" => array.mean(),
            "max" => Ok(array.at(array.extreme(true)?)),
            "min" => Ok(array.at(array.extreme(false)?)),
            "argmax" => Ok(Object::count(array.extreme(true)?)),
            "argmin" => Ok(Object::count(array.extreme(false)?)),
            "any" => Ok(Object::Bool(array.floats()?.iter().any(|number| *number != 0.0))),
            "all" => Ok(Object::Bool(array.floats()?.iter().all(|number| *number != 0.0))),
            "item" if array.len() == 1 => Ok(array.at(0)),
            "tolist" => {
                let slots = array.objects().map(|object| Slot { object, place }).collect();
                self.heap.new_list(slots, place)
            }
            _ => Err(Failure::unsupported(format_args!("`.{name}` of this array"))),
        }
    }
}
