//! `value[index]` and `value[from:to:step]`.

use ruff_python_ast::{Expr, ExprSlice};

use super::{
    Interpreter,
    container::Flavour,
    failure::{Eval, Failure},
    heap::Heap,
    library::Native,
    object::{Object, Range, Slot, SourceLine},
};

impl Interpreter {
    /// `value[index]`, for an index expression.
    pub(super) fn subscript(
        &mut self,
        value: &Object,
        index: &Expr,
        place: SourceLine,
    ) -> Eval<Object> {
        if let Expr::Slice(slice) = index {
            return self.slice(value, slice, place);
        }
        let index = self.evaluate(index)?;
        self.item_or_made(value, &index, place)
    }

    /// `value[index]`; a dict may make what it has not.
    pub(super) fn item_or_made(
        &mut self,
        value: &Object,
        index: &Object,
        place: SourceLine,
    ) -> Eval<Object> {
        if let Object::Native(native) = value {
            return native.item(self, index, place);
        }
        let Object::Dict(dict) = value else { return self.item(value, index) };
        let key = self.heap.key(index)?;
        if self.heap.dict(*dict).entries.contains_key(&key) {
            return self.item(value, index);
        }
        match self.heap.dict(*dict).flavour.clone() {
            Flavour::Plain | Flavour::Ordered | Flavour::Default(Object::None) => {
                self.item(value, index)
            }
            Flavour::Counter => Ok(Object::Int(0)),
            Flavour::Default(maker) => {
                let object = self.call_with(&maker, Vec::new(), place)?;
                self.heap.insert(*dict, index.clone(), Slot { object: object.clone(), place })?;
                Ok(object)
            }
        }
    }

    /// `value[index]`.
    pub(super) fn item(&self, value: &Object, index: &Object) -> Eval<Object> {
        match value {
            Object::Dict(dict) => {
                let key = self.heap.key(index)?;
                match self.heap.dict(*dict).entries.get(&key) {
                    Some(entry) => Ok(entry.value.object.clone()),
                    None => Err(self.missing_key(*dict, index)?),
                }
            }
            Object::List(_) | Object::Tuple(_) => {
                self.heap.ordered(value)?;
                let slots = self.heap.items(value).unwrap_or_default();
                let at = position(index, slots.len(), value.kind())?;
                Ok(slots[at].object.clone())
            }
            Object::Range(range) => {
                let length = usize::try_from(range.length).unwrap_or(0);
                let at = position(index, length, "range")?;
                Ok(Object::Int(range.at(i64::try_from(at).unwrap_or(i64::MAX))))
            }
            Object::Str(text) => {
                self.heap.limits.reading(text.len())?;
                let at = position(index, text.chars().count(), "string")?;
                let letter = text.chars().nth(at).unwrap_or_default();
                Ok(Object::text(letter.encode_utf8(&mut [0; 4])))
            }
            // An annotation such as `List[int]`.
            Object::Type(_) | Object::Builtin(_) | Object::Class(_) => Ok(value.clone()),
            _ => {
                Err(Failure::type_error(format!("'{}' object is not subscriptable", value.kind())))
            }
        }
    }

    /// The `KeyError` of a dict, with the key it has that is most like the missing one.
    pub(super) fn missing_key(&self, dict: u32, key: &Object) -> Eval<Box<Failure>> {
        let failure = Failure::raised("KeyError", self.heap.repr(key)?);
        let Object::Str(name) = key else { return Ok(failure) };
        self.heap.limits.steps(self.heap.dict(dict).entries.len())?;
        let names = self.heap.dict(dict).entries.values().filter_map(|entry| match &entry.key {
            Object::Str(name) => Some(&**name),
            _ => None,
        });
        Ok(match crate::config::did_you_mean::nearest(name, names) {
            Some(near) => failure.with_hint(format!("did you mean '{near}'?")),
            None => failure,
        })
    }

    fn slice(&mut self, value: &Object, slice: &ExprSlice, place: SourceLine) -> Eval<Object> {
        let length = match value {
            Object::Str(_) | Object::List(_) | Object::Tuple(_) | Object::Range(_) => {
                self.heap.ordered(value)?;
                self.heap.length(value).unwrap_or(0)
            }
            Object::Native(native) if matches!(&**native, Native::Array(_)) => {
                self.heap.length(value).unwrap_or(0)
            }
            _ => return Err(Failure::type_error(format!("cannot slice a '{}'", value.kind()))),
        };
        let indices = self.slice_range(slice, length)?;
        let at = (0..indices.length).map(|step| indices.at(step) as usize);
        match value {
            Object::Native(native) => match &**native {
                Native::Array(array) => Ok(array.slice(at)),
                _ => Ok(Object::None),
            },
            Object::Str(text) => {
                self.heap.limits.reading(text.len())?;
                let sliced: String = if indices.step == 1 {
                    let (start, length) = (indices.start as usize, indices.length as usize);
                    text.chars().skip(start).take(length).collect()
                } else {
                    let letters: Vec<char> = text.chars().collect();
                    at.map(|index| letters[index]).collect()
                };
                self.heap.new_text(sliced)
            }
            Object::Range(range) => {
                let step = range.step.checked_mul(indices.step).ok_or_else(Failure::too_big)?;
                let start = range.at(indices.start);
                Ok(Object::Range(Range { start, step, length: indices.length }))
            }
            _ => {
                let slots = self.heap.items(value).unwrap_or_default();
                let slots = at.map(|index| slots[index].clone()).collect();
                match value {
                    Object::Tuple(_) => self.heap.new_tuple(slots, place),
                    _ => self.heap.new_list(slots, place),
                }
            }
        }
    }

    /// The indices of a slice of something of `length`: all of them are below `length`.
    pub(super) fn slice_range(&mut self, slice: &ExprSlice, length: usize) -> Eval<Range> {
        let step = self.bound(slice.step.as_deref())?.unwrap_or(1);
        let lower = self.bound(slice.lower.as_deref())?;
        let upper = self.bound(slice.upper.as_deref())?;
        if step == 0 {
            return Err(Failure::value_error("slice step cannot be zero"));
        }
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let (lowest, highest) = if step > 0 { (0, length) } else { (-1, length - 1) };
        let clamp = |bound: i64| {
            let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
            bound.clamp(lowest, highest)
        };
        let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
        let start = lower.map_or(first, clamp);
        let stop = upper.map_or(last, clamp);
        Ok(Range { start, step, length: steps_between(start, stop, step) })
    }

    fn bound(&mut self, expression: Option<&Expr>) -> Eval<Option<i64>> {
        let Some(expression) = expression else { return Ok(None) };
        match self.evaluate(expression)? {
            Object::None => Ok(None),
            bound => bound.as_int().map(Some).ok_or_else(|| {
                Failure::type_error(format!("slice indices must be ints, not {}", bound.kind()))
            }),
        }
    }
}

impl Heap {
    /// The items of a list that lie in a slice are put in place of `range`, whose step is 1.
    pub(super) fn replace_slice(
        &mut self,
        list: u32,
        range: Range,
        slots: Vec<super::object::Slot>,
    ) -> Eval<()> {
        let start = usize::try_from(range.start).unwrap_or(0);
        // What follows is moved.
        self.limits.steps(self.list(list).slots.len().saturating_sub(start))?;
        let end = start + usize::try_from(range.length).unwrap_or(0);
        self.list_mut(list).splice(start..end, slots);
        Ok(())
    }
}

/// How many numbers `range(start, stop, step)` has; `step` is not 0.
pub(super) fn steps_between(start: i64, stop: i64, step: i64) -> i64 {
    let (distance, stride) = if step > 0 {
        (i128::from(stop) - i128::from(start), i128::from(step))
    } else {
        (i128::from(start) - i128::from(stop), -i128::from(step))
    };
    if distance <= 0 {
        0
    } else {
        i64::try_from((distance + stride - 1) / stride).unwrap_or(i64::MAX)
    }
}

/// The position that an index, counted from the end if negative, means.
pub(super) fn position(index: &Object, length: usize, kind: &str) -> Eval<usize> {
    let Some(index) = index.as_int() else {
        return Err(Failure::type_error(format!(
            "{kind} indices must be integers or slices, not {}",
            index.kind()
        )));
    };
    let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    let at = if index < 0 { length.checked_sub(distance) } else { Some(distance) };
    at.filter(|at| *at < length).ok_or_else(|| {
        let message = format!("{kind} index out of range: {index}, length {length}");
        Failure::raised("IndexError", message)
    })
}
