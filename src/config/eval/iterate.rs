//! Going through the values of a value.
//!
//! In configs `zip`, `map` and generators are lists, made at once: a config cannot tell the difference. In functions they
//! are iterators that end, and a set has no order: what would depend on one is refused, because Python's own order changes
//! from run to run.

use std::rc::Rc;

use super::{
    Interpreter,
    dialect::Dialect,
    failure::{Eval, Failure},
    heap::Heap,
    library::{Dataset, Native},
    object::{Object, Range, Slot, SourceLine},
};

/// A position in something that is iterated over.
///
/// A list is looked at anew at each step, because a loop may change the list it runs over; all other
/// values are either immutable or may not change meanwhile.
#[derive(Debug)]
pub(super) enum Cursor {
    List {
        index: u32,
        next: usize,
    },
    Range {
        range: Range,
        next: i64,
    },
    Items(std::vec::IntoIter<Slot>),
    /// Values that stand in no order.
    Unordered(std::vec::IntoIter<Slot>),
    /// What a generator gave, and what it failed with behind that.
    Generated {
        made: std::vec::IntoIter<Slot>,
        failure: Option<Box<Failure>>,
        is_unordered: bool,
    },
    /// An iterator, which others may go on with.
    Shared(u32),
    /// The rows of a data set, each made when it is come to.
    Rows {
        dataset: Rc<Dataset>,
        next: usize,
    },
    Enumerated {
        inner: Box<Cursor>,
        number: i64,
    },
    Zipped(Vec<Cursor>),
    Mapped {
        function: Object,
        inner: Vec<Cursor>,
    },
    Filtered {
        test: Object,
        inner: Box<Cursor>,
    },
}

impl Heap {
    /// A cursor at the start of a value. Items that are made by iterating get `place`.
    fn cursor(&self, object: &Object, place: SourceLine) -> Eval<Cursor> {
        let new = |object: Object| Slot { object, place };
        let items: Vec<Slot> = match object {
            Object::List(index) if self.list(*index).is_unordered => {
                self.limits.elements(self.list(*index).slots.len())?;
                return Ok(Cursor::Unordered(self.list(*index).slots.clone().into_iter()));
            }
            Object::List(index) => return Ok(Cursor::List { index: *index, next: 0 }),
            Object::Range(range) => return Ok(Cursor::Range { range: *range, next: 0 }),
            Object::Iterator(index) => return Ok(Cursor::Shared(*index)),
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
            Object::Native(native) => match &**native {
                Native::Dataset(dataset) => {
                    return Ok(Cursor::Rows { dataset: Rc::clone(dataset), next: 0 });
                }
                native => native.items(self, place)?,
            },
            _ => {
                return Err(Failure::type_error(format!(
                    "'{}' object is not iterable",
                    object.kind()
                )));
            }
        };
        self.limits.elements(items.len())?;
        let has_no_order =
            matches!(object, Object::Set(_)) && self.limits.dialect() == Dialect::Functions;
        Ok(if has_no_order && items.len() > 1 {
            Cursor::Unordered(items.into_iter())
        } else {
            Cursor::Items(items.into_iter())
        })
    }

    /// Whether the order of what a cursor gives means nothing.
    fn is_unordered(&self, cursor: &Cursor) -> bool {
        match cursor {
            Cursor::Unordered(_) | Cursor::Generated { is_unordered: true, .. } => true,
            Cursor::Shared(index) => {
                self.iterator(*index).is_some_and(|cursor| self.is_unordered(cursor))
            }
            Cursor::Enumerated { inner, .. } | Cursor::Filtered { inner, .. } => {
                self.is_unordered(inner)
            }
            Cursor::Zipped(inner) | Cursor::Mapped { inner, .. } => {
                inner.iter().any(|cursor| self.is_unordered(cursor))
            }
            Cursor::List { .. }
            | Cursor::Range { .. }
            | Cursor::Items(_)
            | Cursor::Rows { .. }
            | Cursor::Generated { .. } => false,
        }
    }
}

/// What would depend on the order of a set.
pub(super) fn no_order() -> Box<Failure> {
    Failure::unsupported("the order of a set, which is another one in every run of Python")
        .with_hint("sort it")
}

impl Interpreter {
    /// A cursor at the start of a value.
    pub(super) fn cursor(&mut self, object: &Object, place: SourceLine) -> Eval<Cursor> {
        let cursor = self.heap.cursor(object, place)?;
        if self.heap.is_unordered(&cursor) { Err(no_order()) } else { Ok(cursor) }
    }

    /// The same where the order does not matter, and whether there is one.
    pub(super) fn any_cursor(
        &mut self,
        object: &Object,
        place: SourceLine,
    ) -> Eval<(Cursor, bool)> {
        let cursor = self.heap.cursor(object, place)?;
        let is_unordered = self.heap.is_unordered(&cursor);
        Ok((cursor, is_unordered))
    }

    /// The next value of a cursor.
    pub(super) fn advance(&mut self, cursor: &mut Cursor, place: SourceLine) -> Eval<Option<Slot>> {
        Ok(match cursor {
            Cursor::Items(items) | Cursor::Unordered(items) => items.next(),
            Cursor::List { index, next } => {
                let slot = self.heap.list(*index).slots.get(*next).cloned();
                *next += 1;
                slot
            }
            Cursor::Range { range, next } => {
                if *next >= range.length {
                    return Ok(None);
                }
                let number = range.at(*next);
                *next += 1;
                Some(Slot { object: Object::Int(number), place })
            }
            Cursor::Generated { made, failure, .. } => match (made.next(), failure.take()) {
                (Some(slot), rest) => {
                    *failure = rest;
                    Some(slot)
                }
                (None, Some(failure)) => return Err(failure),
                (None, None) => None,
            },
            Cursor::Shared(index) => {
                let index = *index;
                let Some(mut inner) = self.heap.take_iterator(index) else {
                    return Err(Failure::value_error("generator already executing"));
                };
                let next = self.within(ruff_text_size::TextRange::default(), |this| {
                    this.advance(&mut inner, place)
                });
                self.heap.put_iterator(index, inner);
                next?
            }
            Cursor::Rows { dataset, next } => {
                let (dataset, at) = (Rc::clone(dataset), *next);
                *next += 1;
                let Some(row) = dataset.rows.get(at) else { return Ok(None) };
                Some(Slot { object: self.row_object(row, place)?, place })
            }
            Cursor::Enumerated { inner, number } => {
                let Some(slot) = self.advance(inner, place)? else { return Ok(None) };
                let at = Slot { object: Object::Int(*number), place };
                *number = number.checked_add(1).ok_or_else(Failure::too_big)?;
                Some(Slot { object: self.heap.new_tuple(vec![at, slot], place)?, place })
            }
            Cursor::Zipped(columns) => {
                let Some(row) = self.row(columns, place)? else { return Ok(None) };
                Some(Slot { object: self.heap.new_tuple(row, place)?, place })
            }
            Cursor::Mapped { function, inner } => {
                let Some(row) = self.row(inner, place)? else { return Ok(None) };
                let function = function.clone();
                Some(Slot { object: self.call_with(&function, row, place)?, place })
            }
            Cursor::Filtered { test, inner } => {
                let test = test.clone();
                loop {
                    let Some(slot) = self.advance(inner, place)? else { return Ok(None) };
                    self.heap.limits.steps(1)?;
                    let passes = match &test {
                        Object::None => slot.object.clone(),
                        test => self.call_with(test, vec![slot.clone()], place)?,
                    };
                    if self.truth(&passes)? {
                        return Ok(Some(slot));
                    }
                }
            }
        })
    }

    /// The next value of every column, as long as each has one.
    fn row(&mut self, columns: &mut [Cursor], place: SourceLine) -> Eval<Option<Vec<Slot>>> {
        if columns.is_empty() {
            return Ok(None);
        }
        self.heap.limits.elements(columns.len())?;
        let mut row = Vec::with_capacity(columns.len());
        for column in columns {
            match self.advance(column, place)? {
                Some(slot) => row.push(slot),
                None => return Ok(None),
            }
        }
        Ok(Some(row))
    }

    /// All values of a value, at once.
    pub(super) fn collect(&mut self, object: &Object, place: SourceLine) -> Eval<Vec<Slot>> {
        let cursor = self.cursor(object, place)?;
        self.drain(cursor, place)
    }

    /// The same where the order does not matter, and whether there is none.
    pub(super) fn collect_any(
        &mut self,
        object: &Object,
        place: SourceLine,
    ) -> Eval<(Vec<Slot>, bool)> {
        let (cursor, is_unordered) = self.any_cursor(object, place)?;
        Ok((self.drain(cursor, place)?, is_unordered))
    }

    fn drain(&mut self, mut cursor: Cursor, place: SourceLine) -> Eval<Vec<Slot>> {
        let mut slots = Vec::new();
        while let Some(slot) = self.advance(&mut cursor, place)? {
            self.heap.limits.elements(1)?;
            slots.push(slot);
        }
        Ok(slots)
    }

    /// What gives values one by one: an iterator, or in a config the list of them.
    pub(super) fn lazily(&mut self, cursor: Cursor, place: SourceLine) -> Eval<Object> {
        match self.dialect {
            Dialect::Functions => self.heap.new_iterator(cursor),
            Dialect::Config => {
                let slots = self.drain(cursor, place)?;
                self.heap.new_list(slots, place)
            }
        }
    }
}
