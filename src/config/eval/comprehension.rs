//! Comprehensions.

use ruff_python_ast::{Comprehension, Expr, ExprDictComp};
use ruff_text_size::Ranged;

use super::{
    Interpreter,
    dialect::Dialect,
    failure::{Eval, Failure, Kind},
    iterate::{Cursor, no_order},
    object::{Object, Slot, SourceLine},
};

impl Interpreter {
    /// `[element for …]`.
    pub(super) fn list_comprehension(
        &mut self,
        element: &Expr,
        generators: &[Comprehension],
        whole: &impl Ranged,
    ) -> Eval<Object> {
        let place = self.place(whole);
        let mut slots = Vec::new();
        let is_unordered = self.comprehend(
            generators,
            place,
            &mut |this| this.evaluate_slot(element),
            &mut slots,
        )?;
        let is_unordered = is_unordered && slots.len() > 1;
        let list = self.heap.new_list(slots, place)?;
        self.heap.set_unordered(&list, is_unordered);
        Ok(list)
    }

    /// `(element for …)`. Its values are made at once, and what fails on the way fails where it is come to.
    pub(super) fn generator(
        &mut self,
        element: &Expr,
        generators: &[Comprehension],
        whole: &impl Ranged,
    ) -> Eval<Object> {
        if self.dialect == Dialect::Config {
            return self.list_comprehension(element, generators, whole);
        }
        let place = self.place(whole);
        let mut slots = Vec::new();
        let done =
            self.comprehend(generators, place, &mut |this| this.evaluate_slot(element), &mut slots);
        let (failure, is_unordered) = match done {
            Ok(is_unordered) => (None, is_unordered && slots.len() > 1),
            Err(failure) if matches!(failure.kind, Kind::Raised(_)) => (Some(failure), false),
            Err(failure) => return Err(failure),
        };
        let made = slots.into_iter();
        self.heap.new_iterator(Cursor::Generated { made, failure, is_unordered })
    }

    /// `{key: value for …}`.
    pub(super) fn dict_comprehension(&mut self, dict: &ExprDictComp) -> Eval<Object> {
        let place = self.place(dict);
        let Some(key_expression) = &dict.key else {
            return Err(Failure::unsupported("`**` in a comprehension"));
        };
        let made = self.heap.new_dict(place)?;
        let mut element = |this: &mut Self| {
            let key = this.evaluate(key_expression)?;
            let slot =
                Slot { object: this.evaluate(&dict.value)?, place: this.place(&**key_expression) };
            this.within(key_expression.range(), |this| this.heap.insert(made, key, slot))
        };
        let is_unordered =
            self.comprehend(&dict.generators, place, &mut element, &mut Vec::new())?;
        if is_unordered && self.heap.dict(made).entries.len() > 1 {
            return Err(no_order());
        }
        Ok(Object::Dict(made))
    }

    /// Runs `element` for every round of the generators, in a scope of its own, and collects what it
    /// gives. The first generator's values come from outside of that scope. Tells whether values stand in no order,
    /// because they come from a set.
    pub(super) fn comprehend<T>(
        &mut self,
        generators: &[Comprehension],
        place: SourceLine,
        element: &mut dyn FnMut(&mut Self) -> Eval<T>,
        made: &mut Vec<T>,
    ) -> Eval<bool> {
        let Some((first, rest)) = generators.split_first() else { return Ok(false) };
        let source = self.evaluate(&first.iter)?;
        let (cursor, mut is_unordered) =
            self.within(first.iter.range(), |this| this.any_cursor(&source, place))?;
        let outer = self.scope;
        self.scope = self.open_scope(Some(outer), true, place)?;
        let done = self.rounds(first, rest, cursor, element, made);
        self.scope = outer;
        is_unordered |= done?;
        Ok(is_unordered)
    }

    fn rounds<T>(
        &mut self,
        generator: &Comprehension,
        rest: &[Comprehension],
        mut cursor: Cursor,
        element: &mut dyn FnMut(&mut Self) -> Eval<T>,
        made: &mut Vec<T>,
    ) -> Eval<bool> {
        if generator.is_async {
            return Err(Failure::unsupported("`async`"));
        }
        let mut is_unordered = false;
        let place = self.place(&generator.target);
        while let Some(slot) = self.advance(&mut cursor, place)? {
            self.heap.limits.steps(1)?;
            self.assign(&generator.target, slot)?;
            let mut passes = true;
            for test in &generator.ifs {
                let test = self.evaluate(test)?;
                passes = self.truth(&test)?;
                if !passes {
                    break;
                }
            }
            if !passes {
                continue;
            }
            match rest.split_first() {
                None => {
                    self.heap.limits.elements(1)?;
                    made.push(element(self)?);
                }
                Some((next, rest)) => {
                    let source = self.evaluate(&next.iter)?;
                    let (cursor, has_no_order) =
                        self.within(next.iter.range(), |this| this.any_cursor(&source, place))?;
                    is_unordered |= has_no_order;
                    is_unordered |= self.rounds(next, rest, cursor, element, made)?;
                }
            }
        }
        Ok(is_unordered)
    }
}
