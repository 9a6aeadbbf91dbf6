//! `ast.literal_eval`: a value in Python's notation.

use std::path::Path;

use ruff_python_ast::{Expr, Number, Stmt, UnaryOp};

use crate::config::eval::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::Object,
    source::SourceFile,
};

use super::text_of;

/// `ast.literal_eval(text)`.
pub(super) fn literal_eval(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [text] = arguments.exactly()?;
    let text = text_of(Some(text), "literal_eval()")?;
    it.heap.limits.text(text.len().saturating_mul(8))?;
    let text = text.trim_start_matches([' ', '\t']);
    let file = SourceFile::new(Path::new("<literal>"), text.to_owned());
    let tree = file.parse().map_err(|_| Failure::raised("SyntaxError", "this is no Python"))?;
    let [Stmt::Expr(expression)] = &*tree.body else {
        return Err(Failure::raised("SyntaxError", "one value is expected"));
    };
    if !is_literal(&expression.value) {
        return Err(Failure::value_error("malformed node or string"));
    }
    let outer = it.file;
    it.file = it.files.len() as u32;
    it.files.push(file);
    let value = it.evaluate(&expression.value);
    it.files.pop();
    it.file = outer;
    value
}

fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::NoneLiteral(_) | Expr::BooleanLiteral(_) | Expr::StringLiteral(_) => true,
        Expr::NumberLiteral(literal) => !matches!(literal.value, Number::Complex { .. }),
        Expr::UnaryOp(operation) => {
            matches!(operation.op, UnaryOp::USub | UnaryOp::UAdd)
                && matches!(&*operation.operand, Expr::NumberLiteral(_))
        }
        Expr::List(list) => list.elts.iter().all(is_literal),
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_literal),
        Expr::Set(set) => set.elts.iter().all(is_literal),
        Expr::Dict(dict) => dict
            .items
            .iter()
            .all(|item| item.key.as_ref().is_some_and(is_literal) && is_literal(&item.value)),
        _ => false,
    }
}
