//! Values that a text holds in Python's notation, as `ast.literal_eval` reads them.

use ruff_python_ast::{Expr, Number as PythonNumber, UnaryOp};
use ruff_python_parser::parse_expression;
use serde_json::Value;

/// The value of a literal: a text, a number, `True`, `False`, `None`, a list, a tuple or a dict with texts as
/// keys. Nothing if it is none of them.
pub fn python_literal(text: &str) -> Option<Value> {
    let parsed = parse_expression(text.trim()).ok()?;
    value(parsed.expr())
}

fn value(expression: &Expr) -> Option<Value> {
    match expression {
        Expr::NoneLiteral(_) => Some(Value::Null),
        Expr::BooleanLiteral(literal) => Some(literal.value.into()),
        Expr::StringLiteral(literal) => Some(literal.value.to_str().into()),
        Expr::NumberLiteral(literal) => number(&literal.value),
        Expr::List(list) => list.elts.iter().map(value).collect(),
        Expr::Tuple(tuple) => tuple.elts.iter().map(value).collect(),
        Expr::UnaryOp(negated) if negated.op == UnaryOp::USub => match value(&negated.operand)? {
            Value::Number(number) => match number.as_i64() {
                Some(whole) => Some(whole.checked_neg()?.into()),
                None => Some((-number.as_f64()?).into()),
            },
            _ => None,
        },
        Expr::Dict(dict) => {
            let entry = |item: &ruff_python_ast::DictItem| {
                let Value::String(key) = value(item.key.as_ref()?)? else { return None };
                Some((key, value(&item.value)?))
            };
            dict.items.iter().map(entry).collect::<Option<_>>().map(Value::Object)
        }
        _ => None,
    }
}

fn number(number: &PythonNumber) -> Option<Value> {
    match number {
        PythonNumber::Int(whole) => whole.as_i64().map(Value::from),
        PythonNumber::Float(float) => Some((*float).into()),
        PythonNumber::Complex { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_are_read_and_code_is_not() {
        let text = r#"['a', "it's", 'caf\u00e9' 's', -1, 2.5, (True, None), {'k': []}]"#;
        let expected = json!(["a", "it's", "cafés", -1, 2.5, [true, null], {"k": []}]);
        assert_eq!(python_literal(text), Some(expected));
        for text in ["", "[", "f()", "1 + 1", "{1: 2}", "{1, 2}", "f'{x}'", "__import__('os')"] {
            assert_eq!(python_literal(text), None, "{text}");
        }
    }
}
