//! `sorted`, `min`, `max` and `list.sort`.

use super::{
    Interpreter,
    call::Arguments,
    dialect::Dialect,
    failure::{Eval, Failure},
    heap::Heap,
    iterate::no_order,
    object::{Object, Slot, SourceLine},
};

/// A value with what it is sorted by.
type Keyed = (Object, Slot);

impl Interpreter {
    /// `sorted(values, key=…, reverse=…)`.
    pub(super) fn sorted(&mut self, mut arguments: Arguments) -> Eval<Object> {
        let place = arguments.place;
        let (key, reverse) = (arguments.keyword("key"), arguments.keyword("reverse"));
        let [values] = arguments.exactly()?;
        let (slots, is_unordered) = self.collect_any(&values, place)?;
        let slots = self.sort(slots, key.as_ref(), reverse.as_ref(), is_unordered, place)?;
        self.heap.new_list(slots, place)
    }

    /// Values in order. Values that are equal stay in the order they had.
    pub(super) fn sort(
        &mut self,
        slots: Vec<Slot>,
        key: Option<&Object>,
        reverse: Option<&Object>,
        is_unordered: bool,
        place: SourceLine,
    ) -> Eval<Vec<Slot>> {
        let reverse = match reverse {
            Some(flag) => self.truth(flag)?,
            None => false,
        };
        let mut keyed = self.keyed(slots, key, place)?;
        // Reversed before and after, so that equal values keep their order.
        if reverse {
            keyed.reverse();
        }
        let mut keyed = merge_sort(&self.heap, keyed)?;
        if reverse {
            keyed.reverse();
        }
        if is_unordered {
            // Equal values would stand in the order they had, and they had none.
            for pair in keyed.windows(2) {
                if let [(first, _), (second, _)] = pair
                    && !is_less(&self.heap, first, second)?
                    && !is_less(&self.heap, second, first)?
                {
                    return Err(no_order());
                }
            }
        }
        Ok(keyed.into_iter().map(|(_, slot)| slot).collect())
    }

    /// `min` or `max`, of several arguments or of the values of one.
    pub(super) fn extreme(&mut self, mut arguments: Arguments, greatest: bool) -> Eval<Object> {
        let place = arguments.place;
        let (key, default) = (arguments.keyword("key"), arguments.keyword("default"));
        let slots = match &*arguments.positional {
            [values] => {
                let (slots, is_unordered) = self.collect_any(&values.object, place)?;
                // Of several that are equal by their key it would be any.
                if is_unordered && key.is_some() {
                    return Err(no_order());
                }
                slots
            }
            _ => arguments.positional,
        };
        let mut best: Option<Keyed> = None;
        for (key, slot) in self.keyed(slots, key.as_ref(), place)? {
            let is_better = match &best {
                None => true,
                Some((best, _)) if greatest => is_less(&self.heap, best, &key)?,
                Some((best, _)) => is_less(&self.heap, &key, best)?,
            };
            if is_better {
                best = Some((key, slot));
            }
        }
        match best {
            Some((_, slot)) => Ok(slot.object),
            None => default
                .ok_or_else(|| Failure::value_error(format!("{}() of nothing", arguments.callee))),
        }
    }

    fn keyed(
        &mut self,
        slots: Vec<Slot>,
        key: Option<&Object>,
        place: SourceLine,
    ) -> Eval<Vec<Keyed>> {
        let mut keyed = Vec::with_capacity(slots.len());
        for slot in slots {
            let by = match key {
                None | Some(Object::None) => slot.object.clone(),
                Some(key) => self.call_with(key, vec![slot.clone()], place)?,
            };
            keyed.push((by, slot));
        }
        Ok(keyed)
    }
}

fn is_less(heap: &Heap, left: &Object, right: &Object) -> Eval<bool> {
    Ok(heap.order(left, right)?.is_some_and(std::cmp::Ordering::is_lt))
}

/// The standard library's sorts want an order that never fails and is total; Python's is neither.
fn merge_sort(heap: &Heap, mut left: Vec<Keyed>) -> Eval<Vec<Keyed>> {
    if left.len() < 2 {
        return Ok(left);
    }
    let right = left.split_off(left.len() / 2);
    let mut left = merge_sort(heap, left)?.into_iter().peekable();
    let mut right = merge_sort(heap, right)?.into_iter().peekable();
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some((first, _)), Some((second, _))) = (left.peek(), right.peek()) {
        let from_right = match heap.order(second, first)? {
            Some(order) => order.is_lt(),
            // Where a NaN comes to stand depends on the steps of Python's own sort.
            None if heap.limits.dialect() == Dialect::Functions => {
                return Err(Failure::unsupported("a sort with a number that is none"));
            }
            None => false,
        };
        merged.extend(if from_right { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
