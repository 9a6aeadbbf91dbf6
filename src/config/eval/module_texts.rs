//! Values that a Python module binds at its top, read without running it.
//!
//! Classes of OpenCompass hold prompts as constants of their modules. They are not ours to ship, so they are read in
//! the user's own package. Literals are read, and texts that are put together of other names; whatever else a module
//! does is not looked at.

use std::path::Path;

use ruff_python_ast::{
    Expr, ExprFString, FStringPart, InterpolatedStringElement, ModModule, Number, Stmt,
    StmtFunctionDef,
    statement_visitor::{StatementVisitor, walk_stmt},
};
use ruff_text_size::Ranged as _;
use serde_json::{Map, Value};

use super::source::SourceFile;
use crate::{
    config::error::ConfigError,
    python::is_blank,
    regular_file::{self, MOST_SETTINGS_BYTES},
};

/// How many names may stand for one another.
const MOST_NAMES: usize = 16;

/// A module's constants.
pub(crate) struct ModuleTexts {
    source: SourceFile,
    pub(super) tree: ModModule,
}

/// A part of an f-string: text, or the expression whose value stands there, as it is written.
pub(crate) enum Piece {
    /// Text.
    Text(String),
    /// An expression.
    Field(String),
}

/// The functions of a name anywhere in a module.
struct Functions<'a, 'n> {
    name: &'n str,
    found: Vec<&'a StmtFunctionDef>,
}

impl<'a> StatementVisitor<'a> for Functions<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::FunctionDef(function) = statement
            && function.name == *self.name
        {
            self.found.push(function);
        }
        walk_stmt(self, statement);
    }
}

/// The f-strings that statements return, those of functions within left out.
#[derive(Default)]
struct Returned<'a>(Vec<&'a ExprFString>);

impl<'a> StatementVisitor<'a> for Returned<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(_) => {}
            Stmt::Return(returned) => {
                self.0.extend(returned.value.as_deref().and_then(Expr::as_f_string_expr));
            }
            statement => walk_stmt(self, statement),
        }
    }
}

/// What a name is bound to anywhere in a module.
pub(super) struct Bindings<'a> {
    pub(super) name: &'a str,
    pub(super) found: Vec<&'a Expr>,
}

impl<'a> StatementVisitor<'a> for Bindings<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assign(assign) = statement
            && assign.targets.iter().any(|target| is_name(target, self.name))
        {
            self.found.push(&assign.value);
        }
        walk_stmt(self, statement);
    }
}

/// The value that an attribute of `self` is bound to anywhere in a module, the last one if there are several.
struct Attribute<'a> {
    name: &'a str,
    found: Option<&'a Expr>,
}

impl<'a> StatementVisitor<'a> for Attribute<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assign(assign) = statement {
            let is_it = |target: &Expr| {
                let attribute = target.as_attribute_expr();
                attribute.is_some_and(|own| own.attr == *self.name && is_name(&own.value, "self"))
            };
            if assign.targets.iter().any(is_it) {
                self.found = Some(&assign.value);
            }
        }
        walk_stmt(self, statement);
    }
}

/// The receiver of a call of one of a text's methods.
fn receiver<'a>(value: &'a Expr, method: &str) -> Option<&'a Expr> {
    let function = value.as_call_expr()?.func.as_attribute_expr()?;
    (function.attr.as_str() == method).then_some(&*function.value)
}

fn is_name(target: &Expr, name: &str) -> bool {
    target.as_name_expr().is_some_and(|own| own.id == *name)
}

/// What a name is bound to last in a body.
fn last_bound<'a>(body: &'a [Stmt], name: &str) -> Option<&'a Expr> {
    body.iter().rev().find_map(|statement| match statement {
        Stmt::Assign(assign) => {
            let is_it = assign.targets.iter().any(|target| is_name(target, name));
            is_it.then_some(&*assign.value)
        }
        _ => None,
    })
}

impl ModuleTexts {
    /// Reads a module.
    pub(crate) fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = regular_file::read_text(path, MOST_SETTINGS_BYTES).map_err(|source| {
            ConfigError::Read { path: path.to_owned(), asked_at: None, source }
        })?;
        let source = SourceFile::new(path, text);
        let tree = source.parse()?;
        Ok(Self { source, tree })
    }

    /// The f-strings that a name is bound to anywhere, in their order.
    pub(crate) fn templates(&self, name: &str) -> Vec<Vec<Piece>> {
        let templates = self.bindings(name).into_iter().filter_map(Expr::as_f_string_expr);
        templates.map(|template| self.pieces(template)).collect()
    }

    /// The texts that a name is bound to anywhere, in their order; of `'…'.format(…)` the text that is filled.
    pub(crate) fn inner_texts(&self, name: &str) -> Vec<String> {
        let text = |value: &Expr| {
            let value = receiver(value, "format").unwrap_or(value);
            value.as_string_literal_expr().map(|text| text.value.to_str().to_owned())
        };
        self.bindings(name).into_iter().filter_map(text).collect()
    }

    fn bindings<'a>(&'a self, name: &'a str) -> Vec<&'a Expr> {
        let mut bindings = Bindings { name, found: Vec::new() };
        bindings.visit_body(&self.tree.body);
        bindings.found
    }

    /// The f-strings that a function returns, in their order.
    pub(crate) fn returned(&self, function: &str) -> Vec<Vec<Piece>> {
        let mut returned = Returned::default();
        if let Some(function) = self.function(function) {
            returned.visit_body(&function.body);
        }
        returned.0.into_iter().map(|template| self.pieces(template)).collect()
    }

    /// The text that a function puts together under a name, by binding it and adding to it.
    pub(crate) fn built(&self, function: &str, name: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for statement in self.function(function).map_or(&[][..], |function| &function.body[..]) {
            let value = match statement {
                Stmt::Assign(own) if own.targets.iter().any(|target| is_name(target, name)) => {
                    pieces.clear();
                    &own.value
                }
                Stmt::AugAssign(own) if is_name(&own.target, name) => &own.value,
                _ => continue,
            };
            match &**value {
                Expr::FString(template) => pieces.extend(self.pieces(template)),
                Expr::StringLiteral(text) => pieces.push(Piece::Text(text.value.to_string())),
                _ => {}
            }
        }
        pieces
    }

    fn function(&self, name: &str) -> Option<&StmtFunctionDef> {
        let mut functions = Functions { name, found: Vec::new() };
        functions.visit_body(&self.tree.body);
        functions.found.first().copied()
    }

    fn pieces(&self, template: &ExprFString) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in &template.value {
            match part {
                FStringPart::Literal(literal) => {
                    pieces.push(Piece::Text(literal.value.to_string()));
                }
                FStringPart::FString(part) => {
                    pieces.extend(part.elements.iter().map(|element| match element {
                        InterpolatedStringElement::Literal(literal) => {
                            Piece::Text(literal.value.to_string())
                        }
                        InterpolatedStringElement::Interpolation(field) => {
                            Piece::Field(self.source.text(field.expression.range()).to_owned())
                        }
                    }));
                }
            }
        }
        pieces
    }

    /// The value that `self.name` is bound to anywhere; what is no literal in it is null.
    pub(crate) fn attribute(&self, name: &str) -> Option<Value> {
        let mut attribute = Attribute { name, found: None };
        attribute.visit_body(&self.tree.body);
        attribute.found.map(|value| self.literal(value, 0))
    }

    /// The value that a name, or `Class.name`, is bound to last; what is no literal in it is null.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        let Some((class, name)) = name.split_once('.') else { return self.bound(name, 0) };
        let body = self.tree.body.iter().find_map(|statement| match statement {
            Stmt::ClassDef(own) if own.name == *class => Some(&own.body[..]),
            _ => None,
        });
        last_bound(body?, name).map(|value| self.literal(value, 1))
    }

    fn bound(&self, name: &str, depth: usize) -> Option<Value> {
        last_bound(&self.tree.body, name)
            .filter(|_| depth < MOST_NAMES)
            .map(|value| self.literal(value, depth + 1))
    }

    pub(super) fn literal(&self, value: &Expr, depth: usize) -> Value {
        match value {
            Expr::StringLiteral(text) => text.value.to_str().into(),
            Expr::BooleanLiteral(truth) => truth.value.into(),
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(whole) => whole.as_i64().map_or(Value::Null, Value::from),
                Number::Float(float) => (*float).into(),
                Number::Complex { .. } => Value::Null,
            },
            Expr::List(list) => list.elts.iter().map(|item| self.literal(item, depth)).collect(),
            Expr::Dict(dict) => {
                let mut entries = Map::new();
                for item in &dict.items {
                    let key = item.key.as_ref().map(|key| self.literal(key, depth));
                    if let Some(Value::String(key)) = key {
                        entries.insert(key, self.literal(&item.value, depth));
                    }
                }
                Value::Object(entries)
            }
            Expr::Name(name) => self.bound(&name.id, depth).unwrap_or_default(),
            Expr::FString(template) => {
                let mut text = String::new();
                for piece in self.pieces(template) {
                    match piece {
                        Piece::Text(own) => text.push_str(&own),
                        Piece::Field(name) => match self.bound(&name, depth) {
                            Some(Value::String(own)) => text.push_str(&own),
                            _ => return Value::Null,
                        },
                    }
                }
                text.into()
            }
            Expr::Call(_) => {
                let text = receiver(value, "strip").map(|own| self.literal(own, depth));
                let text = text.as_ref().and_then(Value::as_str);
                text.map_or(Value::Null, |text| text.trim_matches(is_blank).into())
            }
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn constants_are_read_and_code_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prompts.py");
        let text = "import os\nA = 'a' 'b'\nB = f'{A}-{{x}}'\nos.remove('x')\nC = {'k': [1, 2.5, True, None, f()], A: B}\nD = E\nE = D\nS = ' s '.strip()\nclass K:\n    def __init__(self):\n        self.own = ['a', A]\ndef f():\n  T = '{} t'.format(1)\n  T = 'u'\n";
        std::fs::write(&path, text).unwrap();
        let module = ModuleTexts::read(&path).unwrap();
        assert_eq!(module.value("B"), Some(json!("ab-{x}")));
        assert_eq!(
            module.value("C"),
            Some(json!({"k": [1, 2.5, true, null, null], "ab": "ab-{x}"}))
        );
        assert_eq!(module.value("S"), Some(json!("s")));
        assert_eq!(module.inner_texts("T"), ["{} t", "u"]);
        assert_eq!(module.value("D"), Some(Value::Null));
        assert_eq!(module.value("F"), None);
        assert_eq!(module.attribute("own"), Some(json!(["a", "ab"])));
        assert_eq!(module.attribute("other"), None);
        let found = module.templates("B");
        let [template] = &found[..] else { panic!("one template") };
        assert!(
            matches!(&template[..], [Piece::Field(name), Piece::Text(text)] if name == "A" && text == "-{x}")
        );
    }
}
