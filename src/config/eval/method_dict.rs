//! `dict(…)` and the methods of dicts.

use super::{
    Interpreter,
    border::Copying,
    call::Arguments,
    container::Flavour,
    failure::{Eval, Failure},
    object::{Object, Slot, SourceLine},
};

/// Methods of dicts.
pub(super) const NAMES: &[&str] =
    &["clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"];

/// Methods of counters.
pub(super) const COUNTER_NAMES: &[&str] = &[
    "clear",
    "copy",
    "elements",
    "get",
    "items",
    "keys",
    "most_common",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];

/// Methods of dicts whose entries are attributes, which are mmengine's own.
pub(super) const CONFIG_NAMES: &[&str] = &[
    "clear",
    "copy",
    "deepcopy",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "to_dict",
    "update",
    "values",
];

impl Interpreter {
    /// `dict(values, key=value, …)`.
    pub(super) fn new_dict_from(&mut self, arguments: Arguments) -> Eval<Object> {
        let dict = self.heap.new_dict(arguments.place)?;
        self.update(dict, arguments)?;
        Ok(Object::Dict(dict))
    }

    /// Puts the entries of one dict into another.
    pub(super) fn merge(&mut self, into: u32, from: u32) -> Eval<()> {
        let entries: Vec<_> = self.heap.dict(from).entries.values().cloned().collect();
        for entry in entries {
            self.heap.insert(into, entry.key, entry.value)?;
        }
        Ok(())
    }

    fn update(&mut self, dict: u32, mut arguments: Arguments) -> Eval<()> {
        let place = arguments.place;
        let keywords = std::mem::take(&mut arguments.keywords);
        let [values] = arguments.between(0)?;
        match values {
            None => {}
            Some(Object::Dict(from)) => self.merge(dict, from)?,
            Some(pairs) => {
                for pair in self.collect(&pairs, place)? {
                    let pair = self.collect(&pair.object, pair.place)?;
                    let Ok([key, value]) = <[Slot; 2]>::try_from(pair) else {
                        return Err(Failure::value_error("a dict is made of pairs"));
                    };
                    self.heap.insert(dict, key.object, value)?;
                }
            }
        }
        for (name, slot) in keywords {
            self.heap.insert(dict, Object::Str(name), slot)?;
        }
        Ok(())
    }

    /// A copy of a dict that shares its values.
    pub(super) fn copy_dict(&mut self, dict: u32) -> Eval<Object> {
        let original = self.heap.dict(dict);
        let (place, has_attributes) = (original.place, original.has_attributes);
        let copy = self.heap.new_dict(place)?;
        self.merge(copy, dict)?;
        let flavour = self.heap.dict(dict).flavour.clone();
        let copied = self.heap.dict_mut(copy);
        copied.has_attributes = has_attributes;
        copied.flavour = flavour;
        Ok(Object::Dict(copy))
    }

    /// `dict.name(…)`.
    pub(super) fn dict_method(
        &mut self,
        dict: u32,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        match name {
            "clear" => {
                let [] = arguments.exactly()?;
                self.heap.dict_mut(dict).entries.clear();
                Ok(Object::None)
            }
            "copy" => {
                let [] = arguments.exactly()?;
                self.copy_dict(dict)
            }
            "deepcopy" | "to_dict" => {
                let [] = arguments.exactly()?;
                self.copied(&Object::Dict(dict), Copying::Deep)
            }
            "get" => {
                let [key, default] = arguments.between(1)?;
                let key = self.heap.key(&key.unwrap_or(Object::None))?;
                let found = self.heap.dict(dict).entries.get(&key);
                Ok(found
                    .map(|entry| entry.value.object.clone())
                    .or(default)
                    .unwrap_or(Object::None))
            }
            "items" => {
                let [] = arguments.exactly()?;
                self.items_of(dict, place)
            }
            "keys" => {
                let [] = arguments.exactly()?;
                let slots = self.collect(&Object::Dict(dict), place)?;
                self.heap.new_list(slots, place)
            }
            "values" => {
                let [] = arguments.exactly()?;
                let entries = self.heap.dict(dict).entries.values();
                let slots = entries.map(|entry| entry.value.clone()).collect();
                self.heap.new_list(slots, place)
            }
            "pop" => {
                let [key, default] = arguments.between(1)?;
                let key = key.unwrap_or(Object::None);
                let hashed = self.heap.key(&key)?;
                self.heap.limits.steps(self.heap.dict(dict).entries.len())?;
                match (self.heap.dict_mut(dict).entries.shift_remove(&hashed), default) {
                    (Some(entry), _) => Ok(entry.value.object),
                    (None, Some(default)) => Ok(default),
                    (None, None) => Err(self.missing_key(dict, &key)?),
                }
            }
            "popitem" => {
                let [] = arguments.exactly()?;
                match self.heap.dict_mut(dict).entries.pop() {
                    Some((_, entry)) => {
                        let key = Slot { object: entry.key, place };
                        self.heap.new_tuple(vec![key, entry.value], place)
                    }
                    None => Err(Failure::raised("KeyError", "popitem(): dictionary is empty")),
                }
            }
            "setdefault" => {
                let slot = arguments.positional.get(1).cloned();
                let [key, _] = arguments.between(1)?;
                let key = key.unwrap_or(Object::None);
                let hashed = self.heap.key(&key)?;
                if let Some(entry) = self.heap.dict(dict).entries.get(&hashed) {
                    return Ok(entry.value.object.clone());
                }
                let slot = slot.unwrap_or(Slot { object: Object::None, place });
                let value = slot.object.clone();
                self.heap.insert(dict, key, slot)?;
                Ok(value)
            }
            "elements" | "most_common" => self.counter_method(dict, name, arguments),
            "update" if matches!(self.heap.dict(dict).flavour, Flavour::Counter) => {
                self.count(dict, arguments)?;
                Ok(Object::None)
            }
            "update" => {
                self.update(dict, arguments)?;
                Ok(Object::None)
            }
            _ => Err(Failure::unsupported(format_args!("the method `{name}` of a dict"))),
        }
    }

    fn items_of(&mut self, dict: u32, place: SourceLine) -> Eval<Object> {
        let entries: Vec<_> = self.heap.dict(dict).entries.values().cloned().collect();
        let mut pairs = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = Slot { object: entry.key, place };
            let pair = self.heap.new_tuple(vec![key, entry.value], place)?;
            pairs.push(Slot { object: pair, place });
        }
        self.heap.new_list(pairs, place)
    }
}
