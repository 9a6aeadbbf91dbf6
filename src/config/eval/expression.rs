//! Expressions.

use ruff_python_ast::{BoolOp, DictItem, Expr, Number};
use ruff_text_size::Ranged as _;

use super::{
    Interpreter,
    container::Body,
    failure::{Eval, Failure},
    object::{Object, Slot},
};

impl Interpreter {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expression: &Expr) -> Eval<Object> {
        self.within(expression.range(), |this| this.evaluate_kind(expression))
    }

    /// The value of an expression with its line.
    pub(super) fn evaluate_slot(&mut self, expression: &Expr) -> Eval<Slot> {
        Ok(Slot { object: self.evaluate(expression)?, place: self.place(expression) })
    }

    fn evaluate_kind(&mut self, expression: &Expr) -> Eval<Object> {
        match expression {
            Expr::NoneLiteral(_) => Ok(Object::None),
            Expr::BooleanLiteral(literal) => Ok(Object::Bool(literal.value)),
            Expr::StringLiteral(literal) => self.heap.new_text(literal.value.to_str()),
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(number) => {
                    number.as_i64().map(Object::Int).ok_or_else(Failure::too_big)
                }
                Number::Float(number) => Ok(Object::Float(*number)),
                Number::Complex { .. } => Err(Failure::unsupported("complex numbers")),
            },
            Expr::FString(template) => self.f_string(template),
            Expr::Name(name) => self.lookup(&name.id),
            Expr::List(list) => {
                let place = self.place(list);
                let slots = self.items(&list.elts)?;
                self.heap.new_list(slots, place)
            }
            Expr::Tuple(tuple) => {
                let place = self.place(tuple);
                let slots = self.items(&tuple.elts)?;
                self.heap.new_tuple(slots, place)
            }
            Expr::Set(set) => {
                let place = self.place(set);
                let slots = self.items(&set.elts)?;
                self.heap.new_set(slots, place)
            }
            Expr::Dict(dict) => self.dict(dict),
            Expr::ListComp(list) => self.list_comprehension(&list.elt, &list.generators, list),
            Expr::Generator(list) => self.generator(&list.elt, &list.generators, list),
            Expr::SetComp(set) => {
                let place = self.place(set);
                let mut slots = Vec::new();
                self.comprehend(
                    &set.generators,
                    place,
                    &mut |this| this.evaluate_slot(&set.elt),
                    &mut slots,
                )?;
                self.heap.new_set(slots, place)
            }
            Expr::DictComp(dict) => self.dict_comprehension(dict),
            Expr::BinOp(operation) => {
                let left = self.evaluate(&operation.left)?;
                let right = self.evaluate(&operation.right)?;
                let place = self.place(operation);
                self.binary(operation.op, &left, &right, place)
            }
            Expr::UnaryOp(operation) => {
                let operand = self.evaluate(&operation.operand)?;
                self.unary(operation.op, &operand)
            }
            Expr::BoolOp(operation) => {
                let stops_at = operation.op == BoolOp::Or;
                let mut last = Object::None;
                for value in &operation.values {
                    last = self.evaluate(value)?;
                    if self.truth(&last)? == stops_at {
                        break;
                    }
                }
                Ok(last)
            }
            Expr::Compare(comparison) => {
                let mut left = self.evaluate(&comparison.left)?;
                for (op, right) in comparison.ops.iter().zip(&comparison.comparators) {
                    let right = self.evaluate(right)?;
                    // Of arrays a comparison is an array.
                    if let Some(compared) = self.compare_arrays(*op, &left, &right)? {
                        if comparison.ops.len() > 1 {
                            return Err(Failure::unsupported("a chain of comparisons of arrays"));
                        }
                        return Ok(compared);
                    }
                    if !self.compare(*op, &left, &right)? {
                        return Ok(Object::Bool(false));
                    }
                    left = right;
                }
                Ok(Object::Bool(true))
            }
            Expr::If(choice) => {
                let test = self.evaluate(&choice.test)?;
                let chosen = if self.truth(&test)? { &choice.body } else { &choice.orelse };
                self.evaluate(chosen)
            }
            Expr::Call(call) => self.call_expression(call),
            Expr::Attribute(attribute) => {
                let value = self.evaluate(&attribute.value)?;
                self.attribute(&value, &attribute.attr)
            }
            Expr::Subscript(subscript) => {
                let value = self.evaluate(&subscript.value)?;
                let place = self.place(subscript);
                self.subscript(&value, &subscript.slice, place)
            }
            Expr::Lambda(lambda) => {
                let parameters = lambda.parameters.as_deref().cloned().unwrap_or_default();
                let body = Body::Expression((*lambda.body).clone());
                self.define("<lambda>", parameters, body, lambda.range())
            }
            Expr::Named(named) => {
                let slot = self.evaluate_slot(&named.value)?;
                let object = slot.object.clone();
                match &*named.target {
                    Expr::Name(name) => self.bind_in(self.local_scope(), &name.id, slot)?,
                    _ => return Err(Failure::unsupported("this target of `:=`")),
                }
                Ok(object)
            }
            Expr::Starred(_) => Err(Failure::unsupported("`*` outside of a list or a call")),
            Expr::Slice(_) => Err(Failure::unsupported("a slice outside of `[…]`")),
            Expr::BytesLiteral(_) => Err(Failure::unsupported("bytes")),
            Expr::EllipsisLiteral(_) => Err(Failure::unsupported("`...`")),
            Expr::TString(_) => Err(Failure::unsupported("t-strings")),
            Expr::Await(_) => Err(Failure::unsupported("`await`")),
            Expr::Yield(_) | Expr::YieldFrom(_) => Err(Failure::unsupported("`yield`")
                .with_hint("collect the values in a list and return it")),
            Expr::IpyEscapeCommand(_) => Err(Failure::unsupported("shell commands")),
        }
    }

    /// The items of a display, `*…` taken apart.
    pub(super) fn items(&mut self, expressions: &[Expr]) -> Eval<Vec<Slot>> {
        let mut slots = Vec::with_capacity(expressions.len());
        for expression in expressions {
            if let Expr::Starred(starred) = expression {
                let inner = self.evaluate(&starred.value)?;
                let place = self.place(starred);
                slots.extend(self.collect(&inner, place)?);
            } else {
                slots.push(self.evaluate_slot(expression)?);
            }
        }
        Ok(slots)
    }

    fn dict(&mut self, display: &ruff_python_ast::ExprDict) -> Eval<Object> {
        let dict = self.heap.new_dict(self.place(display))?;
        for DictItem { key, value } in &display.items {
            if let Some(key_expression) = key {
                let key = self.evaluate(key_expression)?;
                let slot =
                    Slot { object: self.evaluate(value)?, place: self.place(key_expression) };
                self.within(key_expression.range(), |this| this.heap.insert(dict, key, slot))?;
            } else {
                let inner = self.evaluate(value)?;
                self.within(value.range(), |this| match inner {
                    Object::Dict(inner) => this.merge(dict, inner),
                    _ => Err(Failure::type_error(format!(
                        "'{}' object is not a mapping",
                        inner.kind()
                    ))),
                })?;
            }
        }
        Ok(Object::Dict(dict))
    }
}
