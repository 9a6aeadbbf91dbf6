//! Operators and methods of sets.

use ruff_python_ast::Operator;

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    iterate::no_order,
    object::{Object, Slot, SourceLine},
};

/// Methods of sets.
pub(super) const NAMES: &[&str] = &[
    "add",
    "clear",
    "copy",
    "difference",
    "discard",
    "intersection",
    "isdisjoint",
    "issubset",
    "issuperset",
    "pop",
    "remove",
    "symmetric_difference",
    "union",
    "update",
];

impl Interpreter {
    /// `left op right` of two sets.
    pub(super) fn set_operation(
        &mut self,
        op: Operator,
        left: u32,
        right: u32,
        place: SourceLine,
    ) -> Eval<Object> {
        let (first, second) = (&self.heap.set(left).members, &self.heap.set(right).members);
        self.heap.limits.steps(first.len() + second.len())?;
        let only_first = || first.iter().filter(|(key, _)| !second.contains_key(*key));
        let only_second = || second.iter().filter(|(key, _)| !first.contains_key(*key));
        let slots: Vec<Slot> = match op {
            Operator::BitOr => {
                first.values().chain(only_second().map(|(_, slot)| slot)).cloned().collect()
            }
            Operator::BitAnd => first
                .iter()
                .filter(|(key, _)| second.contains_key(*key))
                .map(|(_, slot)| slot.clone())
                .collect(),
            Operator::Sub => only_first().map(|(_, slot)| slot.clone()).collect(),
            _ => only_first().chain(only_second()).map(|(_, slot)| slot.clone()).collect(),
        };
        self.heap.new_set(slots, place)
    }

    /// `set.name(…)`.
    pub(super) fn set_method(
        &mut self,
        set: u32,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        match name {
            "add" => {
                let slot = arguments.positional.first().cloned();
                let [value] = arguments.exactly()?;
                let key = self.heap.key(&value)?;
                self.heap.limits.elements(1)?;
                let slot = slot.unwrap_or(Slot { object: value, place });
                self.heap.set_mut(set).entry(key).or_insert(slot);
                Ok(Object::None)
            }
            "discard" | "remove" => {
                let [value] = arguments.exactly()?;
                let key = self.heap.key(&value)?;
                self.heap.limits.steps(self.heap.set(set).members.len())?;
                if self.heap.set_mut(set).shift_remove(&key).is_none() && name == "remove" {
                    return Err(Failure::raised("KeyError", self.heap.repr(&value)?));
                }
                Ok(Object::None)
            }
            "copy" => {
                let [] = arguments.exactly()?;
                let slots = self.heap.set(set).members.values().cloned().collect();
                self.heap.new_set(slots, place)
            }
            "pop" => {
                let [] = arguments.exactly()?;
                match self.heap.set(set).members.len() {
                    0 => Err(Failure::raised("KeyError", "'pop from an empty set'")),
                    1 => {
                        let popped = self.heap.set_mut(set).pop();
                        Ok(popped.map_or(Object::None, |(_, slot)| slot.object))
                    }
                    _ => Err(no_order()),
                }
            }
            "clear" => {
                let [] = arguments.exactly()?;
                self.heap.set_mut(set).clear();
                Ok(Object::None)
            }
            "union" | "update"
                if arguments.positional.len() != 1 && arguments.keywords.is_empty() =>
            {
                let mut slots = Vec::new();
                for other in arguments.positional {
                    slots.extend(self.collect_any(&other.object, place)?.0);
                }
                let Object::Set(other) = self.heap.new_set(slots, place)? else {
                    return Ok(Object::None);
                };
                self.with_other(set, name, other, place)
            }
            _ => {
                let [other] = arguments.exactly()?;
                let (slots, _) = self.collect_any(&other, place)?;
                let Object::Set(other) = self.heap.new_set(slots, place)? else {
                    return Ok(Object::None);
                };
                self.with_other(set, name, other, place)
            }
        }
    }

    fn with_other(&mut self, set: u32, name: &str, other: u32, place: SourceLine) -> Eval<Object> {
        let is_subset = |left: u32, right: u32| {
            let right = &self.heap.set(right).members;
            Object::Bool(self.heap.set(left).members.keys().all(|key| right.contains_key(key)))
        };
        let op = match name {
            "issubset" => return Ok(is_subset(set, other)),
            "issuperset" => return Ok(is_subset(other, set)),
            "isdisjoint" => {
                let (left, right) = (&self.heap.set(set).members, &self.heap.set(other).members);
                return Ok(Object::Bool(!left.keys().any(|key| right.contains_key(key))));
            }
            "update" => {
                let members = self.heap.set(other).members.clone();
                for (key, slot) in members {
                    self.heap.set_mut(set).entry(key).or_insert(slot);
                }
                return Ok(Object::None);
            }
            "union" => Operator::BitOr,
            "intersection" => Operator::BitAnd,
            "difference" => Operator::Sub,
            "symmetric_difference" => Operator::BitXor,
            _ => return Err(Failure::unsupported(format_args!("the method `{name}` of a set"))),
        };
        self.set_operation(op, set, other, place)
    }
}
