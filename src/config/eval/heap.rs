//! Where the containers of a running config live.

use std::rc::Rc;

use indexmap::IndexMap;

use super::{
    class::Class,
    container::{Dict, DictEntry, Flavour, Function, Items, Set},
    dialect::Dialect,
    failure::{Eval, Failure},
    iterate::{Cursor, no_order},
    limits::{Limits, VALUE_DEPTH},
    object::{Key, Name, Object, Slot, SourceLine},
    region::{Lengths, Region},
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
    /// Iterators; one that is under way is taken out.
    iterators: Vec<Option<Cursor>>,
    /// What was made before the region that is under way, and how old the oldest is that was written to since.
    region: Region,
    /// What has been spent of the limits.
    pub(super) limits: Limits,
}

impl Heap {
    /// An empty heap for files of a language.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { limits: Limits::new(dialect), ..Self::default() }
    }

    fn lengths(&self) -> Lengths {
        Lengths {
            lists: self.lists.len(),
            tuples: self.tuples.len(),
            dicts: self.dicts.len(),
            sets: self.sets.len(),
            functions: self.functions.len(),
            iterators: self.iterators.len(),
        }
    }

    /// Begins a region: what is made from here on may go at once. Gives the one around it, for [`Self::end_region`].
    pub(super) fn begin_region(&mut self) -> Region {
        let region = Region::new(self.lengths(), self.limits.spent());
        std::mem::replace(&mut self.region, region)
    }

    /// Ends a region. Its values are gone, and true is given, unless something older was written to since, which may
    /// hold them.
    pub(super) fn end_region(&mut self, outer: Region) -> bool {
        let ended = std::mem::replace(&mut self.region, outer);
        self.region.written.lower_to(&ended.written);
        let is_free = ended.is_closed();
        if is_free {
            let Lengths { lists, tuples, dicts, sets, functions, iterators } = ended.begun;
            self.lists.truncate(lists);
            self.tuples.truncate(tuples);
            self.dicts.truncate(dicts);
            self.sets.truncate(sets);
            self.functions.truncate(functions);
            self.iterators.truncate(iterators);
            self.limits.return_to(ended.spent);
        }
        is_free
    }
}

fn next_index<T>(arena: &[T]) -> u32 {
    u32::try_from(arena.len()).expect("the limit on elements is far below 2^32")
}

impl Heap {
    /// Tells the functions among the values of a class's body which class that is.
    pub(super) fn own_functions(&mut self, namespace: u32, class: &Rc<Class>) {
        for entry in self.dicts[namespace as usize].entries.values() {
            if let Object::Function(index) = entry.value.object {
                // A function that stands in two classes belongs to the first.
                let _ = self.functions[index as usize].class.set(Rc::downgrade(class));
            }
        }
    }

    /// A new list.
    pub(super) fn new_list(&mut self, slots: Vec<Slot>, place: SourceLine) -> Eval<Object> {
        self.limits.elements(slots.len() + 1)?;
        self.lists.push(Items { slots, place, is_unordered: false });
        Ok(Object::List(next_index(&self.lists) - 1))
    }

    /// A new tuple.
    pub(super) fn new_tuple(&mut self, slots: Vec<Slot>, place: SourceLine) -> Eval<Object> {
        self.limits.elements(slots.len() + 1)?;
        self.tuples.push(Items { slots, place, is_unordered: false });
        Ok(Object::Tuple(next_index(&self.tuples) - 1))
    }

    /// A new, empty dict.
    pub(super) fn new_dict(&mut self, place: SourceLine) -> Eval<u32> {
        self.limits.elements(1)?;
        let flavour = Flavour::Plain;
        self.dicts.push(Dict { entries: IndexMap::new(), place, has_attributes: false, flavour });
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

    /// A new iterator.
    pub(super) fn new_iterator(&mut self, cursor: Cursor) -> Eval<Object> {
        self.limits.elements(2)?;
        self.iterators.push(Some(cursor));
        Ok(Object::Iterator(next_index(&self.iterators) - 1))
    }

    /// An iterator that is not under way.
    pub(super) fn iterator(&self, index: u32) -> Option<&Cursor> {
        self.iterators[index as usize].as_ref()
    }

    /// Takes an iterator out while it is under way.
    pub(super) fn take_iterator(&mut self, index: u32) -> Option<Cursor> {
        self.region.written.iterators = self.region.written.iterators.min(index as usize);
        self.iterators[index as usize].take()
    }

    /// Puts it back.
    pub(super) fn put_iterator(&mut self, index: u32, cursor: Cursor) {
        self.iterators[index as usize] = Some(cursor);
    }

    /// Says that a list stands in no order, or does again.
    pub(super) fn set_unordered(&mut self, list: &Object, is_unordered: bool) {
        if let Object::List(index) = list {
            self.lists[*index as usize].is_unordered = is_unordered;
        }
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
        self.region.written.lists = self.region.written.lists.min(index as usize);
        &mut self.lists[index as usize].slots
    }

    pub(super) fn tuple(&self, index: u32) -> &Items {
        &self.tuples[index as usize]
    }

    pub(super) fn dict(&self, index: u32) -> &Dict {
        &self.dicts[index as usize]
    }

    pub(super) fn dict_mut(&mut self, index: u32) -> &mut Dict {
        self.region.written.dicts = self.region.written.dicts.min(index as usize);
        &mut self.dicts[index as usize]
    }

    pub(super) fn set(&self, index: u32) -> &Set {
        &self.sets[index as usize]
    }

    pub(super) fn set_mut(&mut self, index: u32) -> &mut IndexMap<Key, Slot> {
        self.region.written.sets = self.region.written.sets.min(index as usize);
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

    /// Refuses a list that was made of a set, where its order is asked for.
    pub(super) fn ordered(&self, object: &Object) -> Eval<()> {
        match object {
            Object::List(index) if self.list(*index).is_unordered => Err(no_order()),
            _ => Ok(()),
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
            Object::Class(class) => Key::Name(format!("<class {:p}>", Rc::as_ptr(class)).into()),
            Object::Native(native) if native.is_hashable() => {
                Key::Name(format!("<native {:p}>", Rc::as_ptr(native)).into())
            }
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
            Object::Native(native) => native.length(),
            _ => None,
        }
    }
}

/// A value inside itself, or nearly so.
pub(super) fn too_deep() -> Box<Failure> {
    Failure::limit(format!("a value nested more than {VALUE_DEPTH} deep"))
        .with_hint("does it contain itself?")
}
