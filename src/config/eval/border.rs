//! Values that leave: a config's variables as plain nodes, and copies that cross `read_base`.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::{
    Interpreter,
    container::DictEntry,
    failure::{Eval, Failure},
    heap::too_deep,
    limits::VALUE_DEPTH,
    object::{Object, Slot, SourceLine},
};
use crate::config::{
    Config,
    error::ConfigError,
    value::{Node, Value},
};

/// How a value is copied with all that is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copying {
    /// As `copy.deepcopy` does: what was one list stays one list.
    Deep,
    /// As `read_base` does: every dict becomes one with attributes, every place gets its own copy.
    Import,
}

impl Interpreter {
    /// The variables of a module as a config.
    pub(super) fn config(&self, scope: u32) -> Eval<Config> {
        let scope = self.scope_at(scope);
        let mut variables = Vec::new();
        for entry in self.heap.dict(scope.variables).entries.values() {
            let Object::Str(name) = &entry.key else { continue };
            let is_data = !matches!(
                entry.value.object,
                Object::Module(_)
                    | Object::Builtin(_)
                    | Object::Function(_)
                    | Object::Method(_)
                    | Object::File(_)
                    | Object::Exception(_)
                    | Object::Iterator(_)
                    | Object::Class(_)
                    | Object::Instance(_)
                    | Object::Bound(_)
                    | Object::Native(_)
            );
            if is_data && !name.starts_with("__") && !scope.imported.contains(name) {
                let node = self.node(&entry.value, VALUE_DEPTH).map_err(|failure| {
                    let reason = failure.headline(self.dialect);
                    let message = format!("the variable '{name}' cannot be used: {reason}");
                    let error = ConfigError::at(&self.origin(entry.value.place), message);
                    Failure::outside(match failure.hint {
                        Some(hint) => error.with_hint(hint),
                        None => error,
                    })
                })?;
                variables.push((name.to_string(), node));
            }
        }
        Ok(Config { variables, files: self.read.clone() })
    }

    fn node(&self, slot: &Slot, depth: usize) -> Eval<Node> {
        self.heap.limits.elements(1)?;
        let Some(depth) = depth.checked_sub(1) else { return Err(too_deep()) };
        let nodes = |slots: &[Slot]| -> Eval<Vec<Node>> {
            slots.iter().map(|slot| self.node(slot, depth)).collect()
        };
        let mut place = slot.place;
        let value = match &slot.object {
            Object::None => Value::None,
            Object::Bool(flag) => Value::Bool(*flag),
            Object::Int(number) => Value::Int(*number),
            Object::Float(number) => Value::Float(*number),
            Object::Str(text) => {
                self.heap.limits.text(text.len())?;
                Value::Str(text.to_string())
            }
            Object::List(index) => {
                place = self.heap.list(*index).place;
                Value::List(nodes(&self.heap.list(*index).slots)?)
            }
            Object::Tuple(index) => {
                place = self.heap.tuple(*index).place;
                Value::Tuple(nodes(&self.heap.tuple(*index).slots)?)
            }
            Object::Dict(index) => {
                place = self.heap.dict(*index).place;
                Value::Dict(
                    self.heap
                        .dict(*index)
                        .entries
                        .values()
                        .map(|DictEntry { key, value }| {
                            let key = Slot { object: key.clone(), place: value.place };
                            Ok((self.node(&key, depth)?, self.node(value, depth)?))
                        })
                        .collect::<Eval<_>>()?,
                )
            }
            // Data has no sets and ranges: what they hold, in order.
            Object::Set(index) => {
                let slots: Vec<Slot> = self.heap.set(*index).members.values().cloned().collect();
                Value::List(nodes(&slots)?)
            }
            Object::Range(range) => {
                self.heap.limits.elements(usize::try_from(range.length).unwrap_or(usize::MAX))?;
                let number = |at| Slot { object: Object::Int(range.at(at)), place };
                let slots: Vec<Slot> = (0..range.length).map(number).collect();
                Value::List(nodes(&slots)?)
            }
            Object::Type(path) => Value::Type(path.to_string()),
            Object::Builtin(builtin) => Value::Type(builtin.name.to_owned()),
            Object::Module(module) => Value::Type(module.name.to_owned()),
            Object::Function(index) => Value::Type(self.heap.function(*index).name.to_string()),
            other => {
                return Err(Failure::type_error(format!("a {} is no plain value", other.kind())));
            }
        };
        Ok(Node::new(value, self.origin(place)))
    }

    /// A copy of a value and of all that is in it.
    pub(super) fn copied(&mut self, object: &Object, copying: Copying) -> Eval<Object> {
        Copier { copying, made: HashMap::new() }.copy(self, object, VALUE_DEPTH)
    }
}

/// A copy under way.
struct Copier {
    copying: Copying,
    /// Copies by kind and index of the original, for what was one to stay one.
    made: HashMap<(&'static str, u32), Object>,
}

impl Copier {
    fn copy(&mut self, it: &mut Interpreter, object: &Object, depth: usize) -> Eval<Object> {
        let Some(depth) = depth.checked_sub(1) else { return Err(too_deep()) };
        let original = match object {
            Object::List(index)
            | Object::Tuple(index)
            | Object::Dict(index)
            | Object::Set(index) => (object.kind(), *index),
            Object::Native(native) if native.kind() == "ndarray" => {
                return Err(Failure::unsupported("a copy of an array with all that is in it"));
            }
            _ => return Ok(object.clone()),
        };
        if let Some(copy) = self.made.get(&original) {
            return Ok(copy.clone());
        }
        let copy = match object {
            Object::List(index) => {
                let (slots, place) =
                    (it.heap.list(*index).slots.clone(), it.heap.list(*index).place);
                let slots = self.copy_all(it, slots, depth)?;
                it.heap.new_list(slots, place)?
            }
            Object::Tuple(index) => {
                let items = it.heap.tuple(*index);
                let (slots, place) = (items.slots.clone(), items.place);
                let slots = self.copy_all(it, slots, depth)?;
                it.heap.new_tuple(slots, place)?
            }
            Object::Set(index) => {
                let set = it.heap.set(*index);
                let (slots, place) = (set.members.values().cloned().collect(), set.place);
                it.heap.new_set(slots, place)?
            }
            Object::Dict(index) => self.copy_dict(it, *index, depth)?,
            _ => object.clone(),
        };
        if self.copying == Copying::Deep {
            self.made.insert(original, copy.clone());
        }
        Ok(copy)
    }

    fn copy_all(
        &mut self,
        it: &mut Interpreter,
        slots: Vec<Slot>,
        depth: usize,
    ) -> Eval<Vec<Slot>> {
        let mut copies = Vec::with_capacity(slots.len());
        for Slot { object, place } in slots {
            copies.push(Slot { object: self.copy(it, &object, depth)?, place });
        }
        Ok(copies)
    }

    fn copy_dict(&mut self, it: &mut Interpreter, index: u32, depth: usize) -> Eval<Object> {
        let place: SourceLine = it.heap.dict(index).place;
        let has_attributes = it.heap.dict(index).has_attributes || self.copying == Copying::Import;
        let flavour = it.heap.dict(index).flavour.clone();
        let original = it.heap.dict(index).entries.clone();
        it.heap.limits.elements(original.len())?;
        let mut entries = IndexMap::with_capacity(original.len());
        for (hashed, DictEntry { key, value }) in original {
            let object = self.copy(it, &value.object, depth)?;
            entries.insert(hashed, DictEntry { key, value: Slot { object, place: value.place } });
        }
        let dict = it.heap.new_dict(place)?;
        let copy = it.heap.dict_mut(dict);
        copy.entries = entries;
        copy.has_attributes = has_attributes;
        copy.flavour = flavour;
        Ok(Object::Dict(dict))
    }
}
