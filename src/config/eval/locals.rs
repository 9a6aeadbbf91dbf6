//! Which names a function's body binds.
//!
//! Python settles that before the function runs: such a name is never looked for further out, and it is an error where it
//! is read before it is bound.

use std::{collections::HashSet, rc::Rc};

use ruff_python_ast::{
    ExceptHandler, Expr, Stmt,
    visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt},
};

/// The names that statements bind in the scope that they stand in.
pub(super) fn bound_names(body: &[Stmt]) -> HashSet<Rc<str>> {
    let mut found = Found::default();
    for statement in body {
        found.visit_stmt(statement);
    }
    let Found { mut bound, declared } = found;
    bound.retain(|name| !declared.contains(name));
    bound
}

#[derive(Default)]
struct Found {
    bound: HashSet<Rc<str>>,
    /// Names that `global` and `nonlocal` give to a scope further out.
    declared: HashSet<Rc<str>>,
}

impl Found {
    fn bind(&mut self, name: &str) {
        self.bound.insert(name.into());
    }

    fn bind_targets(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) => self.bind(&name.id),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.bind_targets(target)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.bind_targets(target)),
            Expr::Starred(starred) => self.bind_targets(&starred.value),
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for Found {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assignment) => {
                assignment.targets.iter().for_each(|target| self.bind_targets(target));
            }
            Stmt::AnnAssign(assignment) => self.bind_targets(&assignment.target),
            Stmt::AugAssign(assignment) => self.bind_targets(&assignment.target),
            Stmt::For(repetition) => self.bind_targets(&repetition.target),
            Stmt::Delete(deletion) => {
                deletion.targets.iter().for_each(|target| self.bind_targets(target));
            }
            Stmt::With(block) => {
                let targets = block.items.iter().filter_map(|item| item.optional_vars.as_deref());
                targets.for_each(|target| self.bind_targets(target));
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let whole = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    self.bind(whole.split('.').next().unwrap_or_default());
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    self.bind(alias.asname.as_ref().unwrap_or(&alias.name));
                }
            }
            Stmt::FunctionDef(function) => return self.bind(&function.name),
            Stmt::ClassDef(class) => return self.bind(&class.name),
            Stmt::Global(declaration) => {
                self.declared.extend(declaration.names.iter().map(|name| name.as_str().into()));
            }
            Stmt::Nonlocal(declaration) => {
                self.declared.extend(declaration.names.iter().map(|name| name.as_str().into()));
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Named(named) => self.bind_targets(&named.target),
            Expr::Lambda(_) => return,
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(own) = handler;
        if let Some(name) = &own.name {
            self.bind(name);
        }
        walk_except_handler(self, handler);
    }
}

/// Whether a body makes its function a generator.
pub(super) fn is_generator(body: &[Stmt]) -> bool {
    struct Yields(bool);
    impl<'a> Visitor<'a> for Yields {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                walk_stmt(self, statement);
            }
        }

        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
                Expr::Lambda(_) => {}
                _ => walk_expr(self, expression),
            }
        }
    }
    let mut yields = Yields(false);
    for statement in body {
        yields.visit_stmt(statement);
    }
    yields.0
}
