//! Going through the values of a value.

use super::{
    failure::{Eval, Failure},
    heap::Heap,
    object::{Object, Range, Slot, SourceLine},
};

/// A position in something that is iterated over.
///
/// A list is looked at anew at each step, because a loop may change the list it runs over; all other
/// values are either immutable or may not change meanwhile.
#[derive(Debug)]
pub(super) enum Cursor {
    List { index: u32, next: usize },
    Range { range: Range, next: i64 },
    Items(std::vec::IntoIter<Slot>),
}

impl Heap {
    /// A cursor at the start of a value. Items that are made by iterating get `place`.
    pub(super) fn cursor(&self, object: &Object, place: SourceLine) -> Eval<Cursor> {
        let new = |object: Object| Slot { object, place };
        let items: Vec<Slot> = match object {
            Object::List(index) => return Ok(Cursor::List { index: *index, next: 0 }),
            Object::Range(range) => return Ok(Cursor::Range { range: *range, next: 0 }),
            Object::Tuple(index) => self.tuple(*index).slots.clone(),
            Object::Set(index) => self.set(*index).members.values().cloned().collect(),
            Object::Dict(index) => {
                self.dict(*index).entries.values().map(|entry| new(entry.key.clone())).collect()
            }
            Object::Str(text) => {
                // Checked before the letters are made: each takes far more room than in the text.
                self.limits.elements(text.len())?;
                text.chars()
                    .map(|letter| new(Object::text(letter.encode_utf8(&mut [0; 4]))))
                    .collect()
            }
            Object::File(text) => {
                self.limits.text(text.len())?;
                text.split_inclusive('\n').map(|line| new(Object::text(line))).collect()
            }
            _ => {
                return Err(Failure::type_error(format!(
                    "'{}' object is not iterable",
                    object.kind()
                )));
            }
        };
        self.limits.elements(items.len())?;
        Ok(Cursor::Items(items.into_iter()))
    }

    /// The next value of a cursor.
    pub(super) fn advance(&self, cursor: &mut Cursor, place: SourceLine) -> Option<Slot> {
        match cursor {
            Cursor::Items(items) => items.next(),
            Cursor::List { index, next } => {
                let slot = self.list(*index).slots.get(*next).cloned();
                *next += 1;
                slot
            }
            Cursor::Range { range, next } => {
                let number = (*next < range.length).then(|| range.at(*next))?;
                *next += 1;
                Some(Slot { object: Object::Int(number), place })
            }
        }
    }

    /// All values of a value, at once.
    pub(super) fn collect(&self, object: &Object, place: SourceLine) -> Eval<Vec<Slot>> {
        let mut cursor = self.cursor(object, place)?;
        let mut slots = Vec::new();
        while let Some(slot) = self.advance(&mut cursor, place) {
            self.limits.elements(1)?;
            slots.push(slot);
        }
        Ok(slots)
    }
}
