//! Comprehensions.

use ruff_python_ast::{Comprehension, Expr, ExprDictComp};
use ruff_text_size::Ranged;

use super::{
    Interpreter,
    failure::{Eval, Failure},
    iterate::Cursor,
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
        let slots = self.comprehend(generators, place, &mut |this| this.evaluate_slot(element))?;
        self.heap.new_list(slots, place)
    }

    /// `{key: value for …}`.
    pub(super) fn dict_comprehension(&mut self, dict: &ExprDictComp) -> Eval<Object> {
        let place = self.place(dict);
        let Some(key_expression) = &dict.key else {
            return Err(Failure::unsupported("`**` in a comprehension"));
        };
        let made = self.heap.new_dict(place)?;
        self.comprehend(&dict.generators, place, &mut |this| {
            let key = this.evaluate(key_expression)?;
            let slot =
                Slot { object: this.evaluate(&dict.value)?, place: this.place(&**key_expression) };
            this.within(key_expression.range(), |this| this.heap.insert(made, key, slot))
        })?;
        Ok(Object::Dict(made))
    }

    /// Runs `element` for every round of the generators, in a scope of its own, and collects what it
    /// gives. The first generator's values come from outside of that scope.
    pub(super) fn comprehend<T>(
        &mut self,
        generators: &[Comprehension],
        place: SourceLine,
        element: &mut dyn FnMut(&mut Self) -> Eval<T>,
    ) -> Eval<Vec<T>> {
        let Some((first, rest)) = generators.split_first() else { return Ok(Vec::new()) };
        let source = self.evaluate(&first.iter)?;
        let cursor = self.within(first.iter.range(), |this| this.heap.cursor(&source, place))?;
        let outer = self.scope;
        self.scope = self.open_scope(Some(outer), true, place)?;
        let mut made = Vec::new();
        let done = self.rounds(first, rest, cursor, element, &mut made);
        self.scope = outer;
        done.map(|()| made)
    }

    fn rounds<T>(
        &mut self,
        generator: &Comprehension,
        rest: &[Comprehension],
        mut cursor: Cursor,
        element: &mut dyn FnMut(&mut Self) -> Eval<T>,
        made: &mut Vec<T>,
    ) -> Eval<()> {
        if generator.is_async {
            return Err(Failure::unsupported("`async`"));
        }
        let place = self.place(&generator.target);
        while let Some(slot) = self.heap.advance(&mut cursor, place) {
            self.heap.limits.steps(1)?;
            self.assign(&generator.target, slot)?;
            let mut passes = true;
            for test in &generator.ifs {
                let test = self.evaluate(test)?;
                passes = self.heap.is_true(&test);
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
                    let cursor =
                        self.within(next.iter.range(), |this| this.heap.cursor(&source, place))?;
                    self.rounds(next, rest, cursor, element, made)?;
                }
            }
        }
        Ok(())
    }
}
