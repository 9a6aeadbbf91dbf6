//! Assignment and deletion.

use ruff_python_ast::{Expr, StmtAugAssign};
use ruff_text_size::Ranged as _;

use super::{
    Interpreter,
    failure::{Eval, Failure},
    object::{Object, Slot},
    subscript::position,
};

impl Interpreter {
    /// `target = value`.
    pub(super) fn assign(&mut self, target: &Expr, slot: Slot) -> Eval<()> {
        self.within(target.range(), |this| match target {
            Expr::Name(name) => this.bind(&name.id, slot),
            Expr::Tuple(tuple) => this.unpack(&tuple.elts, &slot),
            Expr::List(list) => this.unpack(&list.elts, &slot),
            Expr::Subscript(subscript) => {
                let container = this.evaluate(&subscript.value)?;
                if let (Expr::Slice(slice), Object::List(list)) = (&*subscript.slice, &container) {
                    let length = this.heap.list(*list).slots.len();
                    let range = this.slice_range(slice, length)?;
                    if range.step != 1 {
                        return Err(Failure::unsupported("assignment to a slice with a step"));
                    }
                    let slots = this.collect(&slot.object, slot.place)?;
                    this.heap.replace_slice(*list, range, slots)?;
                    return Ok(());
                }
                let index = this.evaluate(&subscript.slice)?;
                this.set_item(&container, index, slot)
            }
            Expr::Attribute(attribute) => {
                let container = this.evaluate(&attribute.value)?;
                match container {
                    Object::Instance(instance) => {
                        this.heap.insert(instance.attributes, Object::text(&attribute.attr), slot)
                    }
                    Object::Dict(dict) if this.heap.dict(dict).has_attributes => {
                        this.heap.insert(dict, Object::text(&attribute.attr), slot)
                    }
                    _ => Err(Failure::raised(
                        "AttributeError",
                        format!(
                            "'{}' object has no attribute '{}' to assign to",
                            container.kind(),
                            attribute.attr
                        ),
                    )),
                }
            }
            _ => Err(Failure::unsupported("an assignment to this")),
        })
    }

    fn set_item(&mut self, container: &Object, index: Object, slot: Slot) -> Eval<()> {
        match container {
            Object::Dict(dict) => self.heap.insert(*dict, index, slot),
            Object::List(list) => {
                let at = position(&index, self.heap.list(*list).slots.len(), "list assignment")?;
                self.heap.list_mut(*list)[at] = slot;
                Ok(())
            }
            Object::Native(native) => native.set_item(self, &index, &slot.object),
            _ => Err(Failure::type_error(format!(
                "'{}' object does not support item assignment",
                container.kind()
            ))),
        }
    }

    fn unpack(&mut self, targets: &[Expr], slot: &Slot) -> Eval<()> {
        let mut values = self.collect(&slot.object, slot.place)?;
        let starred = targets.iter().position(Expr::is_starred_expr);
        let fits = match starred {
            Some(_) => values.len() + 1 >= targets.len(),
            None => values.len() == targets.len(),
        };
        if !fits {
            let least = if starred.is_some() { "at least " } else { "" };
            let wanted = targets.len() - usize::from(starred.is_some());
            let message =
                format!("expected {least}{wanted} values to unpack, got {}", values.len());
            return Err(Failure::value_error(message));
        }
        if let Some(at) = starred {
            let end = values.len() + at + 1 - targets.len();
            let inner: Vec<Slot> = values.drain(at..end).collect();
            let object = self.heap.new_list(inner, slot.place)?;
            values.insert(at, Slot { object, place: slot.place });
        }
        for (target, value) in targets.iter().zip(values) {
            match target {
                Expr::Starred(starred) => self.assign(&starred.value, value)?,
                _ => self.assign(target, value)?,
            }
        }
        Ok(())
    }

    /// `target op= value`. A list is extended where it is, so that its other names see it too.
    pub(super) fn augment(&mut self, statement: &StmtAugAssign) -> Eval<()> {
        let place = self.place(statement);
        // The parts of the target are evaluated once.
        let (container, index) = match &*statement.target {
            Expr::Subscript(subscript) => {
                let container = self.evaluate(&subscript.value)?;
                (Some(container), Some(self.evaluate(&subscript.slice)?))
            }
            Expr::Name(_) | Expr::Attribute(_) => (None, None),
            _ => return Err(Failure::unsupported("this augmented assignment")),
        };
        let old = match (&container, &index) {
            (Some(container), Some(index)) => self.item_or_made(container, index, place)?,
            _ => self.evaluate(&statement.target)?,
        };
        let value = self.evaluate(&statement.value)?;
        let new = match (&old, statement.op) {
            (Object::List(list), ruff_python_ast::Operator::Add) => {
                let (slots, is_unordered) = self.collect_any(&value, place)?;
                self.heap.limits.elements(slots.len())?;
                self.heap.list_mut(*list).extend(slots);
                if is_unordered {
                    self.heap.set_unordered(&old, true);
                }
                old
            }
            (Object::List(list), ruff_python_ast::Operator::Mult) => {
                let Object::List(repeated) = self.binary(statement.op, &old, &value, place)? else {
                    return Err(Failure::type_error("a list is repeated by a whole number"));
                };
                let slots = self.heap.list(repeated).slots.clone();
                *self.heap.list_mut(*list) = slots;
                old
            }
            (Object::Set(set), op) if matches!(value, Object::Set(_)) => {
                // The set itself is changed.
                let changed = self.binary(op, &old, &value, place)?;
                if let Object::Set(changed) = changed {
                    let members = self.heap.set(changed).members.clone();
                    *self.heap.set_mut(*set) = members;
                }
                old
            }
            (Object::Dict(dict), ruff_python_ast::Operator::BitOr) => {
                let Object::Dict(other) = value else {
                    return Err(Failure::type_error("only a dict can be merged into a dict"));
                };
                self.merge(*dict, other)?;
                old
            }
            (_, op) => self.binary(op, &old, &value, place)?,
        };
        let slot = Slot { object: new, place };
        match (container, index) {
            (Some(container), Some(index)) => self.set_item(&container, index, slot),
            _ => self.assign(&statement.target, slot),
        }
    }

    /// `del target`.
    pub(super) fn delete(&mut self, target: &Expr) -> Eval<()> {
        self.within(target.range(), |this| match target {
            Expr::Name(name) => this.unbind(&name.id),
            Expr::Tuple(tuple) => tuple.elts.iter().try_for_each(|target| this.delete(target)),
            Expr::Subscript(subscript) => {
                let container = this.evaluate(&subscript.value)?;
                if let (Expr::Slice(slice), Object::List(list)) = (&*subscript.slice, &container) {
                    let length = this.heap.list(*list).slots.len();
                    let range = this.slice_range(slice, length)?;
                    if range.step != 1 {
                        return Err(Failure::unsupported("deletion of a slice with a step"));
                    }
                    this.heap.replace_slice(*list, range, Vec::new())?;
                    return Ok(());
                }
                let index = this.evaluate(&subscript.slice)?;
                match container {
                    Object::Dict(dict) => {
                        let key = this.heap.key(&index)?;
                        this.heap.limits.steps(this.heap.dict(dict).entries.len())?;
                        match this.heap.dict_mut(dict).entries.shift_remove(&key) {
                            Some(_) => Ok(()),
                            None => Err(this.missing_key(dict, &index)?),
                        }
                    }
                    Object::List(list) => {
                        let length = this.heap.list(list).slots.len();
                        let at = position(&index, length, "list assignment")?;
                        this.heap.limits.steps(length - at)?;
                        this.heap.list_mut(list).remove(at);
                        Ok(())
                    }
                    _ => Err(Failure::type_error(format!(
                        "'{}' object does not support item deletion",
                        container.kind()
                    ))),
                }
            }
            _ => Err(Failure::unsupported("`del` of this")),
        })
    }
}
