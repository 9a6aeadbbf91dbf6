//! Matches of regular expressions: groups and where they lie.

use std::rc::Rc;

use super::{Native, Pattern, replacement, text_of};
use crate::{
    config::eval::{
        Interpreter,
        call::Arguments,
        failure::{Eval, Failure},
        object::{Object, Slot},
    },
    python::regex::Places,
};

/// Methods of matches.
pub(super) const METHODS: &[&str] =
    &["end", "expand", "group", "groupdict", "groups", "span", "start"];

/// A match: its text, and where its groups lie in it.
#[derive(Debug)]
pub(in crate::config::eval) struct Match {
    pub(super) text: Rc<str>,
    pub(super) pattern: Rc<Pattern>,
    pub(super) places: Places,
}

impl Interpreter {
    /// `match.name(…)`.
    pub(super) fn match_method(
        &mut self,
        found: &Match,
        name: &str,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        match name {
            "group" if arguments.positional.is_empty() => found.group(self, &Object::Int(0)),
            "group" if arguments.positional.len() == 1 => {
                let [group] = arguments.exactly()?;
                found.group(self, &group)
            }
            "group" => {
                let mut groups = Vec::new();
                for slot in std::mem::take(&mut arguments.positional) {
                    groups.push(Slot { object: found.group(self, &slot.object)?, place });
                }
                self.heap.new_tuple(groups, place)
            }
            "groups" => {
                let [default] = arguments.between(0)?;
                let default = default.unwrap_or(Object::None);
                let mut groups = Vec::new();
                for number in 1..found.places.len() {
                    let object = match part(&found.text, &found.places, number) {
                        Some(group) => self.heap.new_text(group)?,
                        None => default.clone(),
                    };
                    groups.push(Slot { object, place });
                }
                self.heap.new_tuple(groups, place)
            }
            "groupdict" => {
                let [default] = arguments.between(0)?;
                let default = default.unwrap_or(Object::None);
                let dict = self.heap.new_dict(place)?;
                for (number, name) in found.pattern.named_groups() {
                    let object = match part(&found.text, &found.places, number) {
                        Some(group) => self.heap.new_text(group)?,
                        None => default.clone(),
                    };
                    self.heap.insert(dict, Object::text(name), Slot { object, place })?;
                }
                Ok(Object::Dict(dict))
            }
            "start" | "end" | "span" => {
                let [group] = arguments.between(0)?;
                let number = found.number(&group.unwrap_or(Object::Int(0)))?;
                let place_of = found.places.get(number).copied().flatten();
                self.heap.limits.reading(found.text.len())?;
                let letters =
                    |end: usize| found.text.get(..end).map_or(0, |before| before.chars().count());
                let (start, end) = match place_of {
                    Some((start, end)) => {
                        (Object::count(letters(start)), Object::count(letters(end)))
                    }
                    None => (Object::Int(-1), Object::Int(-1)),
                };
                match name {
                    "start" => Ok(start),
                    "end" => Ok(end),
                    _ => self.heap.new_tuple(
                        [start, end].map(|object| Slot { object, place }).to_vec(),
                        place,
                    ),
                }
            }
            "expand" => {
                let [template] = arguments.exactly()?;
                let template = text_of(Some(template), "expand()")?;
                let parts = replacement::parsed(
                    &template,
                    found.places.len(),
                    &found.pattern.named_groups(),
                );
                let parts = parts.map_err(|reason| Failure::raised("re.error", reason))?;
                let mut out = String::new();
                replacement::expand(&parts, &found.text, &found.places, &mut out);
                self.heap.new_text(out)
            }
            _ => Err(Failure::unsupported(format_args!("`.{name}` of a match"))),
        }
    }
}

/// The text of a group.
pub(super) fn part<'t>(text: &'t str, places: &Places, number: usize) -> Option<&'t str> {
    let (start, end) = places.get(number).copied().flatten()?;
    text.get(start..end)
}

impl Match {
    /// The number of a group, by number or name.
    fn number(&self, group: &Object) -> Eval<usize> {
        let number = match group {
            Object::Str(name) => {
                let names = self.pattern.named_groups();
                names.iter().find(|(_, known)| **known == **name).map(|(number, _)| *number)
            }
            other => other.as_int().and_then(|number| usize::try_from(number).ok()),
        };
        let number = number.filter(|number| *number < self.places.len());
        number.ok_or_else(|| Failure::raised("IndexError", "no such group"))
    }

    /// `match[group]`.
    pub(super) fn group(&self, it: &Interpreter, group: &Object) -> Eval<Object> {
        match part(&self.text, &self.places, self.number(group)?) {
            Some(text) => it.heap.new_text(text),
            None => Ok(Object::None),
        }
    }

    /// An attribute that is no method.
    pub(super) fn attribute(&self, name: &str) -> Option<Object> {
        match name {
            "string" => Some(Object::Str(Rc::clone(&self.text))),
            "re" => Some(Native::Pattern(Rc::clone(&self.pattern)).object()),
            _ => None,
        }
    }
}
