//! Values that a Python module binds at its top, read without running it.
//!
//! Classes of OpenCompass hold prompts as constants of their modules. They are not ours to ship, so they are read in
//! the user's own package. Literals are read, and texts that are put together of other names; whatever else a module
//! does is not looked at.

use std::path::Path;

use ruff_python_ast::{
    Expr, ExprFString, FStringPart, InterpolatedStringElement, ModModule, Number, Stmt,
    statement_visitor::{StatementVisitor, walk_stmt},
};
use ruff_text_size::Ranged as _;
use serde_json::{Map, Value};

use super::source::SourceFile;
use crate::{
    config::error::ConfigError,
    regular_file::{self, MOST_SETTINGS_BYTES},
};

/// How many names may stand for one another.
const MOST_NAMES: usize = 16;

/// A module's constants.
pub(crate) struct ModuleTexts {
    source: SourceFile,
    tree: ModModule,
}

/// A part of an f-string: text, or the expression whose value stands there, as it is written.
pub(crate) enum Piece {
    /// Text.
    Text(String),
    /// An expression.
    Field(String),
}

/// The f-strings that a name is bound to anywhere in a module.
struct Templates<'a> {
    name: &'a str,
    found: Vec<&'a ExprFString>,
}

impl<'a> StatementVisitor<'a> for Templates<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assign(assign) = statement
            && let Expr::FString(template) = &*assign.value
            && assign.targets.iter().any(|target| is_name(target, self.name))
        {
            self.found.push(template);
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

fn is_name(target: &Expr, name: &str) -> bool {
    target.as_name_expr().is_some_and(|own| own.id == *name)
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
        let mut templates = Templates { name, found: Vec::new() };
        templates.visit_body(&self.tree.body);
        templates.found.into_iter().map(|template| self.pieces(template)).collect()
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

    /// The value that a name is bound to last; what is no literal in it is null.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        self.bound(name, 0)
    }

    fn bound(&self, name: &str, depth: usize) -> Option<Value> {
        let assigned = self.tree.body.iter().rev().find_map(|statement| match statement {
            Stmt::Assign(assign) => {
                let is_it = assign.targets.iter().any(|target| is_name(target, name));
                is_it.then_some(&*assign.value)
            }
            _ => None,
        });
        assigned.filter(|_| depth < MOST_NAMES).map(|value| self.literal(value, depth + 1))
    }

    fn literal(&self, value: &Expr, depth: usize) -> Value {
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
        let text = "import os\nA = 'a' 'b'\nB = f'{A}-{{x}}'\nos.remove('x')\nC = {'k': [1, 2.5, True, None, f()], A: B}\nD = E\nE = D\nclass K:\n    def __init__(self):\n        self.own = ['a', A]\n";
        std::fs::write(&path, text).unwrap();
        let module = ModuleTexts::read(&path).unwrap();
        assert_eq!(module.value("B"), Some(json!("ab-{x}")));
        assert_eq!(
            module.value("C"),
            Some(json!({"k": [1, 2.5, true, null, null], "ab": "ab-{x}"}))
        );
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
