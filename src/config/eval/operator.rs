//! `+`, `==`, `in` and the other operators.

use std::{cmp::Ordering, rc::Rc};

use ruff_python_ast::{CmpOp, Operator, UnaryOp};

use super::{
    Interpreter,
    failure::{Eval, Failure},
    heap::{Heap, too_deep},
    limits::VALUE_DEPTH,
    number,
    object::{Object, SourceLine},
};

impl Interpreter {
    /// `left op right`; a container that is made by it gets `place`.
    pub(super) fn binary(
        &mut self,
        op: Operator,
        left: &Object,
        right: &Object,
        place: SourceLine,
    ) -> Eval<Object> {
        if let Some(number) = number::arithmetic(op, left, right) {
            return number;
        }
        if let Some(value) = self.native_operation(op, left, right)? {
            return Ok(value);
        }
        match (op, left, right) {
            (Operator::Add, Object::Str(left), Object::Str(right)) => {
                self.heap.limits.text(left.len() + right.len())?;
                Ok(Object::Str([&**left, &**right].concat().into()))
            }
            (Operator::Add, Object::List(left), Object::List(right)) => {
                let (left, right) = (self.heap.list(*left), self.heap.list(*right));
                let is_unordered = left.is_unordered || right.is_unordered;
                let slots = [&*left.slots, &*right.slots].concat();
                let list = self.heap.new_list(slots, place)?;
                self.heap.set_unordered(&list, is_unordered);
                Ok(list)
            }
            (Operator::Add, Object::Tuple(left), Object::Tuple(right)) => {
                let slots =
                    [&*self.heap.tuple(*left).slots, &*self.heap.tuple(*right).slots].concat();
                self.heap.new_tuple(slots, place)
            }
            (Operator::Mult, sequence, count) if count.as_int().is_some() => {
                self.repeat(sequence, count, place).unwrap_or_else(|| Err(unfit(op, left, right)))
            }
            (Operator::Mult, count, sequence) if count.as_int().is_some() => {
                self.repeat(sequence, count, place).unwrap_or_else(|| Err(unfit(op, left, right)))
            }
            (Operator::Mod, Object::Str(template), _) => self.percent(template, right),
            (Operator::BitOr, Object::Dict(left), Object::Dict(right)) => {
                let merged = self.heap.new_dict(place)?;
                self.merge(merged, *left)?;
                self.merge(merged, *right)?;
                Ok(Object::Dict(merged))
            }
            (
                Operator::BitOr | Operator::BitAnd | Operator::Sub | Operator::BitXor,
                Object::Set(left),
                Object::Set(right),
            ) => self.set_operation(op, *left, *right, place),
            _ => Err(unfit(op, left, right)),
        }
    }

    /// `left op right` of a comparison.
    pub(super) fn compare(&mut self, op: CmpOp, left: &Object, right: &Object) -> Eval<bool> {
        let contained = match (op, right) {
            (CmpOp::In | CmpOp::NotIn, Object::Iterator(_)) => {
                // It is gone through up to the value, and not further.
                let place = SourceLine::default();
                let (mut cursor, _) = self.any_cursor(right, place)?;
                let mut is_found = false;
                while let Some(slot) = self.advance(&mut cursor, place)? {
                    self.heap.limits.steps(1)?;
                    if self.heap.is_equal(&slot.object, left)? {
                        is_found = true;
                        break;
                    }
                }
                is_found
            }
            (CmpOp::In | CmpOp::NotIn, Object::Native(native)) => native.contains(self, left)?,
            _ => return self.heap.compare(op, left, right),
        };
        Ok(contained == (op == CmpOp::In))
    }

    /// Python's truth of a value; some have none.
    pub(super) fn truth(&self, value: &Object) -> Eval<bool> {
        match value {
            Object::Native(native) => native.truth(),
            other => Ok(self.heap.is_true(other)),
        }
    }

    fn repeat(
        &mut self,
        sequence: &Object,
        count: &Object,
        place: SourceLine,
    ) -> Option<Eval<Object>> {
        let count = usize::try_from(count.as_int()?).unwrap_or(0);
        Some(match sequence {
            Object::Str(text) => self
                .heap
                .limits
                .text(text.len().saturating_mul(count))
                .map(|()| Object::Str(text.repeat(count).into())),
            Object::List(_) | Object::Tuple(_) => {
                let slots = self.heap.items(sequence)?.to_vec();
                // Checked before the room is taken.
                if let Err(failure) = self.heap.limits.elements(slots.len().saturating_mul(count)) {
                    return Some(Err(failure));
                }
                let count = if slots.is_empty() { 0 } else { count };
                let repeated = std::iter::repeat_n(slots, count).flatten().collect();
                match sequence {
                    Object::List(_) => self.heap.new_list(repeated, place),
                    _ => self.heap.new_tuple(repeated, place),
                }
            }
            _ => return None,
        })
    }

    /// `op operand`.
    pub(super) fn unary(&self, op: UnaryOp, operand: &Object) -> Eval<Object> {
        match (op, operand) {
            (UnaryOp::Not, _) => return Ok(Object::Bool(!self.truth(operand)?)),
            (UnaryOp::USub, Object::Float(number)) => return Ok(Object::Float(-number)),
            (UnaryOp::USub, Object::Native(native)) => return native.negated(),
            (UnaryOp::UAdd, Object::Float(number)) => return Ok(Object::Float(*number)),
            _ => {}
        }
        let Some(number) = operand.as_int() else {
            return Err(Failure::type_error(format!(
                "bad operand type for unary {}: '{}'",
                op.as_str(),
                operand.kind()
            )));
        };
        match op {
            UnaryOp::USub => number.checked_neg().map(Object::Int).ok_or_else(Failure::too_big),
            UnaryOp::Invert => Ok(Object::Int(!number)),
            UnaryOp::UAdd | UnaryOp::Not => Ok(Object::Int(number)),
        }
    }
}

fn unfit(op: Operator, left: &Object, right: &Object) -> Box<Failure> {
    let failure = Failure::type_error(format!(
        "unsupported operand types for {}: '{}' and '{}'",
        op.as_str(),
        left.kind(),
        right.kind()
    ));
    match (left, right) {
        (Object::Str(_), Object::Int(_) | Object::Float(_))
        | (Object::Int(_) | Object::Float(_), Object::Str(_)) => {
            failure.with_hint("turn the number into text with str(…) or an f-string")
        }
        _ => failure,
    }
}

impl Heap {
    /// `left op right` of a comparison.
    pub(super) fn compare(&self, op: CmpOp, left: &Object, right: &Object) -> Eval<bool> {
        self.limits.reading(left.text_bytes().min(right.text_bytes()))?;
        Ok(match op {
            CmpOp::Eq => self.is_equal(left, right)?,
            CmpOp::NotEq => !self.is_equal(left, right)?,
            CmpOp::Is => is_same(left, right),
            CmpOp::IsNot => !is_same(left, right),
            CmpOp::In => self.contains(right, left)?,
            CmpOp::NotIn => !self.contains(right, left)?,
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE
                if let (Object::Set(left), Object::Set(right)) = (left, right) =>
            {
                let (left, right) = match op {
                    CmpOp::Lt | CmpOp::LtE => (*left, *right),
                    _ => (*right, *left),
                };
                let (left, right) = (&self.set(left).members, &self.set(right).members);
                self.limits.steps(left.len())?;
                let is_less = left.len() < right.len() || matches!(op, CmpOp::LtE | CmpOp::GtE);
                is_less && left.keys().all(|key| right.contains_key(key))
            }
            CmpOp::Lt => self.order(left, right)?.is_some_and(Ordering::is_lt),
            CmpOp::LtE => self.order(left, right)?.is_some_and(Ordering::is_le),
            CmpOp::Gt => self.order(left, right)?.is_some_and(Ordering::is_gt),
            CmpOp::GtE => self.order(left, right)?.is_some_and(Ordering::is_ge),
        })
    }

    /// Python's `left == right`.
    pub(super) fn is_equal(&self, left: &Object, right: &Object) -> Eval<bool> {
        self.is_equal_within(left, right, VALUE_DEPTH)
    }

    fn is_equal_within(&self, left: &Object, right: &Object, depth: usize) -> Eval<bool> {
        self.limits.steps(1)?;
        self.limits.reading(left.text_bytes().min(right.text_bytes()))?;
        let Some(depth) = depth.checked_sub(1) else { return Err(too_deep()) };
        if let (Some(left), Some(right)) = (left.as_int(), right.as_int()) {
            return Ok(left == right);
        }
        if left.as_float().is_some() && right.as_float().is_some() {
            return Ok(number::compared(left, right).is_some_and(Ordering::is_eq));
        }
        match (left, right) {
            (Object::Str(left), Object::Str(right)) => Ok(left == right),
            (Object::List(_), Object::List(_)) | (Object::Tuple(_), Object::Tuple(_)) => {
                self.ordered(left)?;
                self.ordered(right)?;
                let left = self.items(left).unwrap_or_default();
                let right = self.items(right).unwrap_or_default();
                if left.len() != right.len() {
                    return Ok(false);
                }
                for (left, right) in left.iter().zip(right) {
                    if !self.is_equal_within(&left.object, &right.object, depth)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Object::Dict(left), Object::Dict(right)) => {
                let (left, right) = (&self.dict(*left).entries, &self.dict(*right).entries);
                if left.len() != right.len() {
                    return Ok(false);
                }
                for (key, entry) in left {
                    let Some(other) = right.get(key) else { return Ok(false) };
                    if !self.is_equal_within(&entry.value.object, &other.value.object, depth)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Object::Set(left), Object::Set(right)) => {
                let (left, right) = (&self.set(*left).members, &self.set(*right).members);
                self.limits.steps(left.len())?;
                Ok(left.len() == right.len() && left.keys().all(|key| right.contains_key(key)))
            }
            (Object::Range(left), Object::Range(right)) => Ok(left == right),
            _ => Ok(is_same(left, right)),
        }
    }

    /// Python's `item in container`.
    pub(super) fn contains(&self, container: &Object, item: &Object) -> Eval<bool> {
        match container {
            Object::Str(text) => match item {
                Object::Str(part) => {
                    self.limits.reading(text.len())?;
                    Ok(text.contains(&**part))
                }
                _ => Err(Failure::type_error(format!(
                    "'in <string>' requires string as left operand, not {}",
                    item.kind()
                ))),
            },
            Object::Dict(index) => Ok(self.dict(*index).entries.contains_key(&self.key(item)?)),
            Object::Set(index) => Ok(self.set(*index).members.contains_key(&self.key(item)?)),
            Object::List(_) | Object::Tuple(_) => {
                for slot in self.items(container).unwrap_or_default() {
                    if self.is_equal(&slot.object, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Object::Range(range) => {
                for at in 0..range.length {
                    if self.is_equal(&Object::Int(range.at(at)), item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Err(Failure::type_error(format!(
                "argument of type '{}' is not iterable",
                container.kind()
            ))),
        }
    }

    /// Which of two values is smaller; `None` if a NaN is among them.
    pub(super) fn order(&self, left: &Object, right: &Object) -> Eval<Option<Ordering>> {
        self.order_within(left, right, VALUE_DEPTH)
    }

    fn order_within(&self, left: &Object, right: &Object, depth: usize) -> Eval<Option<Ordering>> {
        self.limits.steps(1)?;
        self.limits.reading(left.text_bytes().min(right.text_bytes()))?;
        let Some(depth) = depth.checked_sub(1) else { return Err(too_deep()) };
        if let (Some(left), Some(right)) = (left.as_int(), right.as_int()) {
            return Ok(Some(left.cmp(&right)));
        }
        if left.as_float().is_some() && right.as_float().is_some() {
            return Ok(number::compared(left, right));
        }
        match (left, right) {
            (Object::Str(left), Object::Str(right)) => Ok(Some(left.cmp(right))),
            (Object::List(_), Object::List(_)) | (Object::Tuple(_), Object::Tuple(_)) => {
                self.ordered(left)?;
                self.ordered(right)?;
                let left = self.items(left).unwrap_or_default();
                let right = self.items(right).unwrap_or_default();
                for (left, right) in left.iter().zip(right) {
                    if !self.is_equal_within(&left.object, &right.object, depth)? {
                        return self.order_within(&left.object, &right.object, depth);
                    }
                }
                Ok(Some(left.len().cmp(&right.len())))
            }
            _ => Err(Failure::type_error(format!(
                "'{}' and '{}' have no order",
                left.kind(),
                right.kind()
            ))),
        }
    }
}

/// Python's `is`, where it can be told.
fn is_same(left: &Object, right: &Object) -> bool {
    match (left, right) {
        (Object::None, Object::None) => true,
        (Object::Bool(left), Object::Bool(right)) => left == right,
        (Object::Int(left), Object::Int(right)) => left == right,
        (Object::Str(left), Object::Str(right)) | (Object::Type(left), Object::Type(right)) => {
            left == right
        }
        (Object::List(left), Object::List(right))
        | (Object::Tuple(left), Object::Tuple(right))
        | (Object::Dict(left), Object::Dict(right))
        | (Object::Set(left), Object::Set(right))
        | (Object::Function(left), Object::Function(right))
        | (Object::Iterator(left), Object::Iterator(right)) => left == right,
        (Object::Class(left), Object::Class(right)) => Rc::ptr_eq(left, right),
        (Object::Instance(left), Object::Instance(right)) => Rc::ptr_eq(left, right),
        (Object::Native(left), Object::Native(right)) => {
            Rc::ptr_eq(left, right) || left.is_same(right)
        }
        (Object::Builtin(left), Object::Builtin(right)) => left.name == right.name,
        (Object::Module(left), Object::Module(right)) => left.name == right.name,
        _ => false,
    }
}
