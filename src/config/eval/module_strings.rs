//! Strings deeper inside a Python module than its top: those of a function or class, and what a parameter is by default.
//!
//! Classes of OpenCompass write some of their prompts where they are used. As in [`ModuleTexts`], nothing is run: a
//! body is found by its name, and its literals are read in the order in which they are written.

use ruff_python_ast::{
    Expr, Parameters, Stmt,
    statement_visitor::{StatementVisitor, walk_stmt},
    visitor::{Visitor, walk_expr},
};
use serde_json::Value;

use super::module_texts::{Bindings, ModuleTexts};

/// The first function or class of a name, at any depth.
struct Scope<'a> {
    name: &'a str,
    body: Option<&'a [Stmt]>,
    parameters: Option<&'a Parameters>,
}

impl<'a> StatementVisitor<'a> for Scope<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            _ if self.body.is_some() => {}
            Stmt::FunctionDef(function) if function.name == *self.name => {
                self.body = Some(&function.body);
                self.parameters = Some(&function.parameters);
            }
            Stmt::ClassDef(class) if class.name == *self.name => self.body = Some(&class.body),
            _ => walk_stmt(self, statement),
        }
    }
}

/// The texts among expressions.
#[derive(Default)]
struct Strings {
    found: Vec<String>,
}

impl<'a> Visitor<'a> for Strings {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::StringLiteral(text) => self.found.push(text.value.to_str().to_owned()),
            // Its pieces are no texts of their own.
            Expr::FString(_) => {}
            other => walk_expr(self, other),
        }
    }
}

impl ModuleTexts {
    fn scope<'a>(&'a self, name: &'a str) -> Scope<'a> {
        let mut scope = Scope { name, body: None, parameters: None };
        scope.visit_body(&self.tree.body);
        scope
    }

    /// The texts that a function or class writes, in their order; parts of f-strings are not among them.
    pub(crate) fn strings_of(&self, name: &str) -> Vec<String> {
        let mut strings = Strings::default();
        strings.visit_body(self.scope(name).body.unwrap_or_default());
        strings.found
    }

    /// The values that a name is bound to inside a function or class, in their order; what is no literal is null.
    pub(crate) fn values_within(&self, scope: &str, name: &str) -> Vec<Value> {
        let mut bindings = Bindings { name, found: Vec::new() };
        bindings.visit_body(self.scope(scope).body.unwrap_or_default());
        bindings.found.into_iter().map(|value| self.literal(value, 0)).collect()
    }

    /// What a parameter of a function is when it is not given.
    pub(crate) fn default_of(&self, function: &str, parameter: &str) -> Option<Value> {
        let parameters = self.scope(function).parameters?;
        let mut all = parameters.iter_non_variadic_params();
        let found = all.find(|own| own.parameter.name == *parameter)?;
        found.default.as_deref().map(|value| self.literal(value, 0))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_of_bodies_are_read_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prompts.py");
        let text = "class A:\n    def load(x, y: str = 'a' 'b', *, z=3):\n        if x == 'k':\n            t = ['1', '2']\n        else:\n            t = ['3']\n        t = f(x)\n        return g(f'{x} no') + 'end'\nt = 'outside'\n";
        std::fs::write(&path, text).unwrap();
        let module = ModuleTexts::read(&path).unwrap();
        assert_eq!(module.strings_of("load"), ["k", "1", "2", "3", "end"]);
        assert_eq!(module.values_within("A", "t"), [json!(["1", "2"]), json!(["3"]), json!(null)]);
        assert_eq!(module.default_of("load", "y"), Some(json!("ab")));
        assert_eq!(module.default_of("load", "z"), Some(json!(3)));
        assert_eq!(module.default_of("load", "x"), None);
        assert!(module.strings_of("nowhere").is_empty());
    }
}
