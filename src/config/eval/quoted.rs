//! `eval`: an expression in a text, evaluated by this same evaluator.

use std::path::Path;

use ruff_python_ast::Stmt;

use super::{
    Interpreter,
    call::Arguments,
    dialect::Dialect,
    failure::{Eval, Failure},
    object::Object,
    source::SourceFile,
};

/// `eval(text)`, with the names that are known where it is called.
pub(super) fn eval(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [Object::Str(text)] = arguments.exactly()? else {
        return Err(Failure::type_error("eval() needs a str"));
    };
    it.heap.limits.source(text.len())?;
    let file = SourceFile::new(Path::new("<eval>"), text.trim().to_owned());
    let tree = file.parse().map_err(Failure::outside)?;
    let [Stmt::Expr(expression)] = &*tree.body else {
        return Err(Failure::value_error("eval() needs one expression"));
    };
    it.heap.limits.elements(1)?;
    let outer = it.file;
    it.file = it.files.len() as u32;
    it.files.push(file);
    let value = it.evaluate(&expression.value);
    it.file = outer;
    if it.dialect == Dialect::Functions {
        // A function evaluates a text for every row.
        it.files.pop();
    }
    value
}
