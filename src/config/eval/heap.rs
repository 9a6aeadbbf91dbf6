//! Where the containers of a running config live.

use std::rc::Rc;

use indexmap::IndexMap;
use ruff_python_ast::{Parameters, Stmt};

use super::{
    failure::{Eval, Failure},
    limits::{Limits, VALUE_DEPTH},
    object::{Key, Name, Object, Slot, SourceLine},
};

/// All containers ever made, by kind. Indices are handed out only by the `new_…` methods and nothing
/// is removed, so an index held by an [`Object`] is always good.
#[derive(Debug, Default)]
pub(super) struct Heap {
    lists: Vec<Items>,
    tuples: Vec<Items>,
    dicts: Vec<Dict>,
    sets: Vec<Set>,
    functions: Vec<Rc<Function>>,
    /// What has been spent of the limits.
    pub(super) limits: Limits,
}

/// The items of a list or tuple.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) slots: Vec<Slot>,
    /// Where the list was made.
    pub(super) place: SourceLine,
}

/// A dict.
#[derive(Debug)]
pub(super) struct Dict {
    pub(super) entries: IndexMap<Key, DictEntry>,
    /// Where the dict was made.
    pub(super) place: SourceLine,
    /// Whether entries can be read as attributes: dicts that came through `read_base` can.
    pub(super) has_attributes: bool,
}

/// A key as it was written, and its value.
#[derive(Clone, Debug)]
pub(super) struct DictEntry {
    pub(super) key: Object,
    pub(super) value: Slot,
}

/// A set, in order of insertion.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) members: IndexMap<Key, Slot>,
    pub(super) place: SourceLine,
}

/// A function defined in a config.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: Rc<str>,
    pub(super) parameters: Parameters,
    /// Values of defaults, by parameter name.
    pub(super) defaults: Vec<(Rc<str>, Slot)>,
    pub(super) body: Body,
    /// The scope it was defined in.
    pub(super) scope: u32,
    pub(super) file: u32,
}

/// What a function does.
#[derive(Debug)]
pub(super) enum Body {
    Statements(Vec<Stmt>),
    /// Of a lambda.
    Expression(ruff_python_ast::Expr),
}

fn next_index<T>(arena: &[T]) -> u32 {
    u32::try_from(arena.len()).expect("the limit on elements is far below 2^32")
}

impl Heap {
    /// A new list.
    pub(super) fn new_list(&mut self, slots: Vec<Slot>, place: SourceLine) -> Eval<Object> {
        self.limits.elements(slots.len() + 1)?;
        self.lists.push(Items { slots, place });
        Ok(Object::List(next_index(&self.lists) - 1))
    }

    /// A new tuple.
    pub(super) fn new_tuple(&mut self, slots: Vec<Slot>, place: SourceLine) -> Eval<Object> {
        self.limits.elements(slots.len() + 1)?;
        self.tuples.push(Items { slots, place });
        Ok(Object::Tuple(next_index(&self.tuples) - 1))
    }

    /// A new, empty dict.
    pub(super) fn new_dict(&mut self, place: SourceLine) -> Eval<u32> {
        self.limits.elements(1)?;
        self.dicts.push(Dict { entries: IndexMap::new(), place, has_attributes: false });
        Ok(next_index(&self.dicts) - 1)
    }

    /// A new set of these members.
    pub(super) fn new_set(&mut self, slots: Vec<Slot>, place: SourceLine) -> Eval<Object> {
        self.limits.elements(slots.len() + 1)?;
        let mut members = IndexMap::new();
        for slot in slots {
            let key = self.key(&slot.object)?;
            members.entry(key).or_insert(slot);
        }
        self.sets.push(Set { members, place });
        Ok(Object::Set(next_index(&self.sets) - 1))
    }

    /// A new function.
    pub(super) fn new_function(&mut self, function: Function) -> Eval<Object> {
        self.limits.elements(1)?;
        self.functions.push(Rc::new(function));
        Ok(Object::Function(next_index(&self.functions) - 1))
    }

    /// A new string.
    pub(super) fn new_text(&self, text: impl Into<Rc<str>>) -> Eval<Object> {
        let text = text.into();
        self.limits.text(text.len())?;
        Ok(Object::Str(text))
    }

    pub(super) fn list(&self, index: u32) -> &Items {
        &self.lists[index as usize]
    }

    pub(super) fn list_mut(&mut self, index: u32) -> &mut Vec<Slot> {
        &mut self.lists[index as usize].slots
    }

    pub(super) fn tuple(&self, index: u32) -> &Items {
        &self.tuples[index as usize]
    }

    pub(super) fn dict(&self, index: u32) -> &Dict {
        &self.dicts[index as usize]
    }

    pub(super) fn dict_mut(&mut self, index: u32) -> &mut Dict {
        &mut self.dicts[index as usize]
    }

    pub(super) fn set(&self, index: u32) -> &Set {
        &self.sets[index as usize]
    }

    pub(super) fn set_mut(&mut self, index: u32) -> &mut IndexMap<Key, Slot> {
        &mut self.sets[index as usize].members
    }

    pub(super) fn function(&self, index: u32) -> Rc<Function> {
        Rc::clone(&self.functions[index as usize])
    }

    /// The value of a string key.
    pub(super) fn named(&self, dict: u32, name: &str) -> Option<&Slot> {
        self.dict(dict).entries.get(&Name(name)).map(|entry| &entry.value)
    }

    /// Puts an entry into a dict, in place or at the end.
    pub(super) fn insert(&mut self, dict: u32, key: Object, value: Slot) -> Eval<()> {
        let hashed = self.key(&key)?;
        self.limits.elements(1)?;
        match self.dict_mut(dict).entries.entry(hashed) {
            indexmap::map::Entry::Occupied(mut old) => old.get_mut().value = value,
            indexmap::map::Entry::Vacant(free) => _ = free.insert(DictEntry { key, value }),
        }
        Ok(())
    }

    /// The items of a list or tuple.
    pub(super) fn items(&self, object: &Object) -> Option<&[Slot]> {
        match object {
            Object::List(index) => Some(&self.list(*index).slots),
            Object::Tuple(index) => Some(&self.tuple(*index).slots),
            _ => None,
        }
    }

    /// A copy of the items of a list or tuple, which counts as a step for each.
    pub(super) fn counted_items(&self, object: &Object) -> Eval<Vec<Slot>> {
        let items = self.items(object).unwrap_or_default();
        self.limits.steps(items.len())?;
        Ok(items.to_vec())
    }

    /// The value as a key, if it is hashable.
    pub(super) fn key(&self, object: &Object) -> Eval<Key> {
        self.key_within(object, VALUE_DEPTH)
    }

    fn key_within(&self, object: &Object, depth: usize) -> Eval<Key> {
        self.limits.steps(1)?;
        if depth == 0 {
            return Err(too_deep());
        }
        Ok(match object {
            Object::None => Key::None,
            Object::Bool(flag) => Key::Int(i64::from(*flag)),
            Object::Int(number) => Key::Int(*number),
            Object::Float(number) => {
                let int = *number as i64;
                #[expect(clippy::float_cmp, reason = "only exactly equal numbers are one key")]
                if int as f64 == *number { Key::Int(int) } else { Key::Float(number.to_bits()) }
            }
            Object::Str(text) => {
                self.limits.reading(text.len())?;
                Key::Str(Rc::clone(text))
            }
            Object::Tuple(index) => {
                let slots = &self.tuple(*index).slots;
                self.limits.elements(slots.len())?;
                Key::Tuple(
                    slots
                        .iter()
                        .map(|slot| self.key_within(&slot.object, depth - 1))
                        .collect::<Eval<_>>()?,
                )
            }
            Object::Type(path) => {
                self.limits.reading(path.len())?;
                Key::Name(Rc::clone(path))
            }
            Object::Builtin(builtin) => Key::Name(builtin.name.into()),
            Object::Module(module) => Key::Name(module.name.into()),
            Object::Function(index) => Key::Name(format!("<function {index}>").into()),
            _ => {
                return Err(Failure::type_error(format!(
                    "a {} cannot be a key of a dict or a member of a set",
                    object.kind()
                )));
            }
        })
    }

    /// Python's truth of a value.
    pub(super) fn is_true(&self, object: &Object) -> bool {
        match object {
            Object::None => false,
            Object::Bool(flag) => *flag,
            Object::Int(number) => *number != 0,
            Object::Float(number) => *number != 0.0,
            Object::Str(text) => !text.is_empty(),
            _ => self.length(object) != Some(0),
        }
    }

    /// Python's `len`, of values that have one.
    pub(super) fn length(&self, object: &Object) -> Option<usize> {
        match object {
            Object::Str(text) => Some(text.chars().count()),
            Object::List(index) => Some(self.list(*index).slots.len()),
            Object::Tuple(index) => Some(self.tuple(*index).slots.len()),
            Object::Dict(index) => Some(self.dict(*index).entries.len()),
            Object::Set(index) => Some(self.set(*index).members.len()),
            Object::Range(range) => usize::try_from(range.length).ok(),
            _ => None,
        }
    }
}

/// A value inside itself, or nearly so.
pub(super) fn too_deep() -> Box<Failure> {
    Failure::limit(format!("a value nested more than {VALUE_DEPTH} deep"))
        .with_hint("does it contain itself?")
}
