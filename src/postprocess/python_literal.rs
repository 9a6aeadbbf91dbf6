//! Python literals in answers: what `eval` makes of `'quoted'`, `[1, 'a']` or `1+1`.
//!
//! Some rules evaluate an answer as Python, because clients once returned the `repr` of texts. Here
//! literals and arithmetic on numbers are evaluated, and nothing is ever called.

use ruff_python_ast::{Expr, Number, Operator, UnaryOp, token::TokenKind};
use ruff_python_parser::{Mode, lexer, parse_expression};
use serde_json::{Map, Value, json};

/// How deep brackets are nested at most, and how many operators one item has.
const DEEPEST: usize = 64;

/// The value of a literal, or nothing if the text is none. Tuples and sets become lists.
pub(crate) fn evaluate(text: &str) -> Option<Value> {
    let source = text.trim_start_matches([' ', '\t']);
    // A last line of blanks alone is an error of indentation.
    let last_line = source.rsplit('\n').next().unwrap_or_default();
    if last_line.trim().is_empty() && !last_line.is_empty() || !is_shallow_literal(source) {
        return None;
    }
    value(parse_expression(source).ok()?.expr())
}

/// Looks at the tokens before the parser recurses into them: nothing but literals, brackets and
/// arithmetic, and not too deep.
fn is_shallow_literal(source: &str) -> bool {
    let mut tokens = lexer::lex(source, Mode::Expression);
    let (mut brackets, mut operators) = (0_usize, 0_usize);
    loop {
        match tokens.next_token() {
            TokenKind::EndOfFile => return true,
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => brackets += 1,
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => {
                brackets = brackets.saturating_sub(1);
            }
            TokenKind::Comma => operators = 0,
            TokenKind::Plus | TokenKind::Minus | TokenKind::Star | TokenKind::Slash => {
                operators += 1;
            }
            TokenKind::String
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Colon
            | TokenKind::True
            | TokenKind::False
            | TokenKind::None
            | TokenKind::Newline
            | TokenKind::NonLogicalNewline => {}
            _ => return false,
        }
        if brackets > DEEPEST || operators > DEEPEST {
            return false;
        }
    }
}

fn value(expression: &Expr) -> Option<Value> {
    let list =
        |items: &[Expr]| items.iter().map(value).collect::<Option<Vec<_>>>().map(Value::from);
    match expression {
        Expr::StringLiteral(literal) => Some(Value::from(literal.value.to_str())),
        Expr::BooleanLiteral(literal) => Some(Value::from(literal.value)),
        Expr::NoneLiteral(_) => Some(Value::Null),
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(number) => number.as_i64().map(Value::from),
            Number::Float(number) => number.is_finite().then(|| json!(number)),
            Number::Complex { .. } => None,
        },
        Expr::List(list_literal) => list(&list_literal.elts),
        Expr::Tuple(tuple) => list(&tuple.elts),
        Expr::Set(set) => list(&set.elts),
        Expr::Dict(dict) => {
            let entries = dict.items.iter().map(|item| match value(item.key.as_ref()?)? {
                Value::String(key) => Some((key, value(&item.value)?)),
                _ => None,
            });
            entries.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        Expr::UnaryOp(unary) => match (unary.op, value(&unary.operand)?) {
            (UnaryOp::USub, Value::Number(number)) => match number.as_i64() {
                Some(whole) => whole.checked_neg().map(Value::from),
                None => number.as_f64().map(|number| json!(-number)),
            },
            (UnaryOp::UAdd, Value::Number(number)) => Some(Value::Number(number)),
            _ => None,
        },
        Expr::BinOp(binary) => combined(&value(&binary.left)?, binary.op, &value(&binary.right)?),
        _ => None,
    }
}

fn combined(left: &Value, operator: Operator, right: &Value) -> Option<Value> {
    if let (Value::String(left), Operator::Add, Value::String(right)) = (left, operator, right) {
        return Some(Value::String(format!("{left}{right}")));
    }
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64()) {
        match operator {
            Operator::Add => return left.checked_add(right).map(Value::from),
            Operator::Sub => return left.checked_sub(right).map(Value::from),
            Operator::Mult => return left.checked_mul(right).map(Value::from),
            _ => {}
        }
    }
    if !left.is_number() || !right.is_number() {
        return None;
    }
    let (left, right) = (left.as_f64()?, right.as_f64()?);
    let number = match operator {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mult => left * right,
        Operator::Div => left / right,
        _ => return None,
    };
    number.is_finite().then(|| json!(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_values_and_programs_have_none() {
        let rows = [
            ("'a' \"b\"", Some(json!("ab"))),
            ("['a', 1]", Some(json!(["a", 1]))),
            ("(1, -2.5)", Some(json!([1, -2.5]))),
            (" {'k': None}", Some(json!({"k": null}))),
            ("7/2", Some(json!(3.5))),
            ("1+1", Some(json!(2))),
            ("1/0", None),
            ("print(1)", None),
            ("no", None),
            ("x = 1", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(evaluate(text), expected, "{text}");
        }
        assert_eq!(evaluate(&"[".repeat(100_000)), None);
    }
}
