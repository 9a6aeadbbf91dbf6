//! `functools`: partial functions and folds.

use std::rc::Rc;

use crate::config::eval::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Slot},
};

use super::Native;

/// A function some of whose arguments are given.
#[derive(Debug)]
pub(in crate::config::eval) struct Partial {
    function: Object,
    positional: Vec<Slot>,
    keywords: Vec<(Rc<str>, Slot)>,
}

impl Partial {
    /// The function.
    pub(in crate::config::eval) fn function(&self) -> &Object {
        &self.function
    }
}

/// `functools.partial(function, …)`.
pub(super) fn partial(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    if arguments.positional.is_empty() {
        return Err(Failure::type_error("partial() needs a function"));
    }
    it.heap.limits.elements(arguments.positional.len() + arguments.keywords.len())?;
    let function = arguments.positional.remove(0).object;
    let Arguments { positional, keywords, .. } = arguments;
    Ok(Native::Partial(Partial { function, positional, keywords }).object())
}

/// `functools.reduce(function, values, initial)`.
pub(super) fn reduce(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [function, values, initial] = arguments.between(2)?;
    let (function, values) = (function.unwrap_or(Object::None), values.unwrap_or(Object::None));
    let mut values = it.collect(&values, place)?.into_iter();
    let first = initial.or_else(|| values.next().map(|slot| slot.object));
    let Some(mut folded) = first else {
        return Err(Failure::type_error("reduce() of empty iterable with no initial value"));
    };
    for slot in values {
        folded = it.call_with(&function, vec![Slot { object: folded, place }, slot], place)?;
    }
    Ok(folded)
}

impl Interpreter {
    pub(super) fn call_partial(
        &mut self,
        partial: &Partial,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let mut positional = partial.positional.clone();
        positional.append(&mut arguments.positional);
        let mut keywords = partial.keywords.clone();
        for (name, slot) in arguments.keywords {
            match keywords.iter_mut().find(|(known, _)| *known == name) {
                Some((_, old)) => *old = slot,
                None => keywords.push((name, slot)),
            }
        }
        self.call(&partial.function, Arguments { positional, keywords, ..arguments })
    }
}
