//! Methods of lists and tuples.

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Slot},
    subscript::position,
};

/// Methods of lists.
pub(super) const NAMES: &[&str] = &[
    "append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse",
    "sort",
];

/// Methods of tuples.
pub(super) const TUPLE_NAMES: &[&str] = &["count", "index"];

impl Interpreter {
    /// `list.name(…)`.
    pub(super) fn list_method(
        &mut self,
        list: u32,
        name: &str,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        match name {
            "append" => {
                let slot = arguments.positional.first().cloned();
                let [_] = arguments.exactly()?;
                self.heap.limits.elements(1)?;
                self.heap.list_mut(list).extend(slot);
            }
            "clear" => {
                let [] = arguments.exactly()?;
                self.heap.list_mut(list).clear();
            }
            "copy" => {
                let [] = arguments.exactly()?;
                let slots = self.heap.list(list).slots.clone();
                return self.heap.new_list(slots, place);
            }
            "extend" => {
                let [values] = arguments.exactly()?;
                let slots = self.collect(&values, place)?;
                self.heap.list_mut(list).extend(slots);
            }
            "insert" => {
                let slot = arguments.positional.get(1).cloned();
                let [index, _] = arguments.exactly()?;
                let length = self.heap.list(list).slots.len();
                self.heap.limits.elements(1)?;
                let Some(index) = index.as_int() else {
                    return Err(Failure::type_error("insert() needs an int as index"));
                };
                let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
                let at =
                    if index < 0 { length.saturating_sub(distance) } else { distance.min(length) };
                self.heap.limits.steps(length - at)?;
                self.heap.list_mut(list).splice(at..at, slot);
            }
            "pop" => {
                let [index] = arguments.between(0)?;
                let length = self.heap.list(list).slots.len();
                let at = position(&index.unwrap_or(Object::Int(-1)), length, "pop")?;
                self.heap.limits.steps(length - at)?;
                return Ok(self.heap.list_mut(list).remove(at).object);
            }
            "remove" => {
                let [value] = arguments.exactly()?;
                let Some(at) = self.find(&Object::List(list), &value)? else {
                    return Err(Failure::value_error("list.remove(x): x not in list"));
                };
                self.heap.limits.steps(self.heap.list(list).slots.len() - at)?;
                self.heap.list_mut(list).remove(at);
            }
            "reverse" => {
                let [] = arguments.exactly()?;
                self.heap.limits.steps(self.heap.list(list).slots.len())?;
                self.heap.list_mut(list).reverse();
            }
            "sort" => {
                let (key, reverse) = (arguments.keyword("key"), arguments.keyword("reverse"));
                let [] = arguments.exactly()?;
                let slots = self.heap.list(list).slots.clone();
                let is_unordered = self.heap.list(list).is_unordered;
                let sorted =
                    self.sort(slots, key.as_ref(), reverse.as_ref(), is_unordered, place)?;
                *self.heap.list_mut(list) = sorted;
                self.heap.set_unordered(&Object::List(list), false);
            }
            _ => return self.tuple_method(&Object::List(list), name, arguments),
        }
        Ok(Object::None)
    }

    /// Methods that lists and tuples share.
    pub(super) fn tuple_method(
        &mut self,
        sequence: &Object,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        match name {
            "count" => {
                let [value] = arguments.exactly()?;
                let slots = self.heap.items(sequence).unwrap_or_default();
                let mut count = 0;
                for Slot { object, .. } in slots {
                    count += i64::from(self.heap.is_equal(object, &value)?);
                }
                Ok(Object::Int(count))
            }
            "index" => {
                let [value] = arguments.exactly()?;
                let Some(at) = self.find(sequence, &value)? else {
                    let value = self.heap.repr(&value)?;
                    return Err(Failure::value_error(format!("{value} is not in the list")));
                };
                Ok(Object::count(at))
            }
            _ => Err(Failure::unsupported(format_args!("the method `{name}` of a list"))),
        }
    }

    fn find(&self, sequence: &Object, value: &Object) -> Eval<Option<usize>> {
        for (at, slot) in self.heap.items(sequence).unwrap_or_default().iter().enumerate() {
            if self.heap.is_equal(&slot.object, value)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}
