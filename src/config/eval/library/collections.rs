//! `collections`: counters, and dicts that make what they have not.

use ruff_python_ast::Operator;

use crate::config::eval::{
    Interpreter,
    call::Arguments,
    container::Flavour,
    failure::{Eval, Failure},
    object::{Object, Slot, SourceLine},
};

/// `Counter(values)`.
pub(super) fn counter(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let dict = it.heap.new_dict(arguments.place)?;
    it.heap.dict_mut(dict).flavour = Flavour::Counter;
    it.count(dict, arguments)?;
    Ok(Object::Dict(dict))
}

/// `defaultdict(maker)`.
pub(super) fn defaultdict(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let maker = if arguments.positional.is_empty() {
        Object::None
    } else {
        arguments.positional.remove(0).object
    };
    let Object::Dict(dict) = it.new_dict_from(arguments)? else { return Ok(Object::None) };
    it.heap.dict_mut(dict).flavour = Flavour::Default(maker);
    Ok(Object::Dict(dict))
}

/// `OrderedDict(values)`.
pub(super) fn ordered_dict(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let Object::Dict(dict) = it.new_dict_from(arguments)? else { return Ok(Object::None) };
    it.heap.dict_mut(dict).flavour = Flavour::Ordered;
    Ok(Object::Dict(dict))
}

impl Interpreter {
    /// Counts the values of an argument, or adds the counts of one.
    pub(in crate::config::eval) fn count(&mut self, dict: u32, arguments: Arguments) -> Eval<()> {
        let place = arguments.place;
        let [values] = arguments.between(0)?;
        let pairs: Vec<(Object, Object)> = match values {
            None | Some(Object::None) => Vec::new(),
            Some(Object::Dict(from)) => {
                let entries = self.heap.dict(from).entries.values();
                entries.map(|entry| (entry.key.clone(), entry.value.object.clone())).collect()
            }
            Some(values) => {
                let slots = self.collect(&values, place)?;
                slots.into_iter().map(|slot| (slot.object, Object::Int(1))).collect()
            }
        };
        for (key, more) in pairs {
            let old = match self.heap.dict(dict).entries.get(&self.heap.key(&key)?) {
                Some(entry) => entry.value.object.clone(),
                None => Object::Int(0),
            };
            let object = self.binary(Operator::Add, &old, &more, place)?;
            self.heap.insert(dict, key, Slot { object, place })?;
        }
        Ok(())
    }

    /// Entries of a counter with whole counts, in their order.
    fn counts(&self, dict: u32) -> Eval<Vec<(Object, i64)>> {
        let entries = self.heap.dict(dict).entries.values();
        let count =
            |entry: &crate::config::eval::container::DictEntry| match entry.value.object.as_int() {
                Some(count) => Ok((entry.key.clone(), count)),
                None => Err(Failure::unsupported("counts that are no whole numbers")),
            };
        entries.map(count).collect()
    }

    /// `counter.name(…)`.
    pub(in crate::config::eval) fn counter_method(
        &mut self,
        dict: u32,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        let mut counts = self.counts(dict)?;
        if name == "most_common" {
            let [most] = arguments.between(0)?;
            let most = match most {
                None | Some(Object::None) => counts.len(),
                Some(most) => usize::try_from(most.as_int().unwrap_or(0)).unwrap_or(0),
            };
            // Of equal counts the first stays the first.
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            counts.truncate(most);
            let mut slots = Vec::with_capacity(counts.len());
            for (key, count) in counts {
                let pair = [key, Object::Int(count)].map(|object| Slot { object, place });
                slots.push(Slot { object: self.heap.new_tuple(pair.to_vec(), place)?, place });
            }
            return self.heap.new_list(slots, place);
        }
        let [] = arguments.exactly()?;
        let mut slots = Vec::new();
        for (key, count) in counts {
            let count = usize::try_from(count).unwrap_or(0);
            self.heap.limits.elements(count)?;
            slots.extend(std::iter::repeat_n(Slot { object: key, place }, count));
        }
        self.lazily(crate::config::eval::iterate::Cursor::Items(slots.into_iter()), place)
    }

    /// `left op right` of two counters.
    pub(super) fn counter_operation(
        &mut self,
        op: Operator,
        left: u32,
        right: u32,
    ) -> Eval<Option<Object>> {
        let is_counter = |dict: u32| matches!(self.heap.dict(dict).flavour, Flavour::Counter);
        if !is_counter(left) || !is_counter(right) {
            return Ok(None);
        }
        let place = SourceLine::default();
        let (first, second) = (self.counts(left)?, self.counts(right)?);
        let made = self.heap.new_dict(place)?;
        self.heap.dict_mut(made).flavour = Flavour::Counter;
        let keep = |this: &mut Self, key: Object, count: Option<i64>| {
            let count = count.ok_or_else(Failure::too_big)?;
            if count > 0 {
                this.heap.insert(made, key, Slot { object: Object::Int(count), place })
            } else {
                Ok(())
            }
        };
        for (key, count) in first {
            let other = self.counted(right, &key)?;
            let count = match op {
                Operator::Add => count.checked_add(other),
                Operator::Sub => count.checked_sub(other),
                Operator::BitAnd => Some(count.min(other)),
                Operator::BitOr => Some(count.max(other)),
                _ => return Ok(None),
            };
            keep(self, key, count)?;
        }
        for (key, count) in second {
            let hashed = self.heap.key(&key)?;
            if self.heap.dict(left).entries.contains_key(&hashed) {
                continue;
            }
            let count = match op {
                Operator::Add | Operator::BitOr => Some(count),
                Operator::Sub => count.checked_neg(),
                _ => Some(0),
            };
            keep(self, key, count)?;
        }
        Ok(Some(Object::Dict(made)))
    }

    fn counted(&self, dict: u32, key: &Object) -> Eval<i64> {
        let entry = self.heap.dict(dict).entries.get(&self.heap.key(key)?);
        Ok(entry.and_then(|entry| entry.value.object.as_int()).unwrap_or(0))
    }
}
