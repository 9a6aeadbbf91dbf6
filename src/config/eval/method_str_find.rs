//! Where texts are in texts: `find`, `count`, `startswith` and their kin, with the places that they look between.

use std::rc::Rc;

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    method_str::expect_text,
    object::{Object, Slot},
};

impl Interpreter {
    /// `text.name(part, start, end)`.
    pub(super) fn find_in_text(
        &mut self,
        text: &Rc<str>,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        let [part, start, end] = arguments.between(1)?;
        let length = text.chars().count();
        let Some((from, to)) = bounds(length, start, end)? else {
            // A start behind the end finds nothing, not even nothing.
            return match name {
                "index" | "rindex" => Err(Failure::value_error("substring not found")),
                "count" => Ok(Object::Int(0)),
                "startswith" | "endswith" => Ok(Object::Bool(false)),
                _ => Ok(Object::Int(-1)),
            };
        };
        let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
        let (first, last) = (byte(from), byte(to));
        let within = text.get(first..last.max(first)).unwrap_or("");
        if matches!(name, "startswith" | "endswith") {
            let parts = match &part {
                Some(tuple @ Object::Tuple(_)) => self.heap.counted_items(tuple)?,
                _ => vec![Slot { object: part.unwrap_or(Object::None), place }],
            };
            for part in parts {
                let part = expect_text(Some(part.object))?;
                self.heap.limits.reading(part.len().min(text.len()))?;
                let fits = match name {
                    "startswith" => within.starts_with(&*part),
                    _ => within.ends_with(&*part),
                };
                if fits {
                    return Ok(Object::Bool(true));
                }
            }
            return Ok(Object::Bool(false));
        }
        let part = expect_text(part)?;
        if name == "count" {
            let count = if part.is_empty() {
                within.chars().count() + 1
            } else {
                within.matches(&*part).count()
            };
            return Ok(Object::count(count));
        }
        let at = match name {
            "rfind" | "rindex" => within.rfind(&*part),
            _ => within.find(&*part),
        };
        match at {
            Some(at) => {
                let before = within.get(..at).unwrap_or("").chars().count();
                Ok(Object::count(from + before))
            }
            None if matches!(name, "index" | "rindex") => {
                Err(Failure::value_error("substring not found"))
            }
            None => Ok(Object::Int(-1)),
        }
    }
}

/// The letters between which is looked, of a text of so many; nothing where the start lies behind the end.
fn bounds(
    length: usize,
    start: Option<Object>,
    end: Option<Object>,
) -> Eval<Option<(usize, usize)>> {
    let bound = |value: Option<Object>, default: usize| -> Eval<usize> {
        let index = match value {
            None | Some(Object::None) => return Ok(default),
            Some(value) => value
                .as_int()
                .ok_or_else(|| Failure::type_error("slice indices must be integers or None"))?,
        };
        let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        Ok(if index < 0 { length.saturating_sub(distance) } else { distance })
    };
    let (from, to) = (bound(start, 0)?, bound(end, length)?.min(length));
    Ok((from <= to).then_some((from, to)))
}
