//! `random`: the Mersenne Twister, drawn from as Python draws.
//!
//! The generator that all of a program shares has a state that depends on all that was drawn before, so it is refused until a file
//! seeds it.

use std::{cell::RefCell, rc::Rc};

use crate::{
    config::eval::{
        Interpreter,
        call::Arguments,
        failure::{Eval, Failure},
        object::{Object, Slot},
    },
    python::PythonRandom,
};

use super::Native;

/// Methods of a generator.
pub(super) const METHODS: &[&str] =
    &["choice", "choices", "randint", "random", "randrange", "sample", "seed", "shuffle"];

fn seeded(seed: Option<&Object>) -> Eval<PythonRandom> {
    match seed.and_then(Object::as_int) {
        Some(seed) => Ok(PythonRandom::from_seed(seed.unsigned_abs())),
        None => {
            Err(Failure::unsupported("a generator of random numbers whose seed is no whole number"))
        }
    }
}

/// `random.Random(seed)`.
pub(super) fn random(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [seed] = arguments.between(0)?;
    Ok(Native::Random(RefCell::new(seeded(seed.as_ref())?)).object())
}

/// `random.seed(seed)`.
pub(super) fn seed(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [seed] = arguments.between(0)?;
    it.shared_random = Some(Rc::new(RefCell::new(seeded(seed.as_ref())?)));
    Ok(Object::None)
}

/// `random.name(…)`: drawn from the shared generator.
pub(super) fn shared(it: &mut Interpreter, name: &str, arguments: Arguments) -> Eval<Object> {
    let Some(random) = it.shared_random.clone() else {
        return Err(Failure::unsupported(
            "the random numbers that a whole program shares, before random.seed(…): they depend on all that was drawn before",
        ));
    };
    it.random_method(&random, name, arguments)
}

impl Interpreter {
    pub(super) fn random_method(
        &mut self,
        random: &RefCell<PythonRandom>,
        name: &str,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        match name {
            "random" => {
                let [] = arguments.exactly()?;
                Ok(Object::Float(random.borrow_mut().unit()))
            }
            "seed" => {
                let [seed] = arguments.between(0)?;
                *random.borrow_mut() = seeded(seed.as_ref())?;
                Ok(Object::None)
            }
            "shuffle" => {
                let [list] = arguments.exactly()?;
                self.heap.ordered(&list)?;
                let Object::List(index) = list else {
                    return Err(Failure::unsupported(format_args!(
                        "shuffle() of a {}",
                        list.kind()
                    )));
                };
                self.heap.limits.steps(self.heap.list(index).slots.len())?;
                random.borrow_mut().shuffle(self.heap.list_mut(index));
                Ok(Object::None)
            }
            "choice" => {
                let [values] = arguments.exactly()?;
                let slots = self.population(&values, place)?;
                if slots.is_empty() {
                    let message = "Cannot choose from an empty sequence";
                    return Err(Failure::raised("IndexError", message));
                }
                let at = random.borrow_mut().choice(slots.len());
                Ok(slots.get(at).map_or(Object::None, |slot| slot.object.clone()))
            }
            "sample" | "choices" => {
                let keyword = arguments.keyword("k");
                let [values, second] = arguments.between(1)?;
                let slots = self.population(&values.unwrap_or(Object::None), place)?;
                let default = (name == "choices").then_some(Object::Int(1));
                let count = keyword.or(second).or(default).and_then(|count| count.as_int());
                let Some(count) = count.and_then(|count| usize::try_from(count).ok()) else {
                    return Err(Failure::value_error(
                        "Sample larger than population or is negative",
                    ));
                };
                self.heap.limits.elements(count)?;
                let places = if name == "sample" {
                    random.borrow_mut().sample(slots.len(), count)
                } else if slots.is_empty() {
                    return Err(Failure::raised("IndexError", "list index out of range"));
                } else {
                    Some(random.borrow_mut().choices(slots.len(), count))
                };
                let Some(places) = places else {
                    return Err(Failure::value_error(
                        "Sample larger than population or is negative",
                    ));
                };
                let drawn = places.into_iter().filter_map(|at| slots.get(at).cloned()).collect();
                self.heap.new_list(drawn, place)
            }
            "randint" | "randrange" => {
                let [low, high] = arguments.between(1)?;
                let (low, high) =
                    match (low.and_then(|low| low.as_int()), high.map(|high| high.as_int())) {
                        (Some(low), Some(Some(high))) => (low, high),
                        (Some(high), None) if name == "randrange" => (0, high),
                        _ => {
                            return Err(Failure::type_error(format!(
                                "{name}() needs whole numbers"
                            )));
                        }
                    };
                let width = high
                    .checked_sub(low)
                    .and_then(|width| width.checked_add(i64::from(name == "randint")));
                match width.and_then(|width| usize::try_from(width).ok()).filter(|width| *width > 0)
                {
                    Some(width) => {
                        let drawn = random.borrow_mut().choice(width);
                        Ok(Object::Int(low + i64::try_from(drawn).unwrap_or(i64::MAX)))
                    }
                    None => Err(Failure::value_error("empty range for randrange()")),
                }
            }
            _ => Err(Failure::unsupported(format_args!("random.{name}"))),
        }
    }

    /// What is drawn from: a sequence.
    fn population(
        &mut self,
        values: &Object,
        place: crate::config::eval::object::SourceLine,
    ) -> Eval<Vec<Slot>> {
        match values {
            Object::List(_) | Object::Tuple(_) | Object::Range(_) | Object::Str(_) => {
                self.collect(values, place)
            }
            other => Err(Failure::type_error(format!(
                "Population must be a sequence, not {}",
                other.kind()
            ))),
        }
    }
}
