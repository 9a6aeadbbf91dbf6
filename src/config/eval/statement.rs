//! Statements.

use ruff_python_ast::{ExceptHandler, Expr, Stmt, StmtFor, StmtTry, StmtWith};
use ruff_text_size::Ranged as _;

use super::{
    Interpreter,
    call::is_read_base,
    container::Body,
    dialect::Dialect,
    exception,
    failure::{Eval, Failure, Kind},
    library::Native,
    locals::{bound_names, is_generator},
    object::{Object, Slot},
};

/// Where to go on after a statement.
#[derive(Debug)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Object),
}

impl Interpreter {
    /// Runs statements one after another.
    pub(super) fn run_block(&mut self, statements: &[Stmt]) -> Eval<Flow> {
        for statement in statements {
            let done = self.within(statement.range(), |this| this.run_statement(statement));
            let done = match done {
                Err(failure) if self.may_pass_over(statement, &failure) => {
                    self.bind_unknown(statement, &failure)?;
                    continue;
                }
                done => done,
            };
            match done? {
                Flow::Next => {}
                leave => return Ok(leave),
            }
        }
        Ok(Flow::Next)
    }

    /// Whether a statement that is not all known only binds names, while a file is evaluated: then these names are
    /// unknown, and what needs them is refused.
    fn may_pass_over(&self, statement: &Stmt, failure: &Failure) -> bool {
        let names_only = |targets: &[Expr]| targets.iter().all(Expr::is_name_expr);
        self.is_loading()
            && self.scope_at(self.scope).parent.is_none()
            && matches!(failure.kind, Kind::Unsupported)
            && match statement {
                Stmt::Assign(assignment) => names_only(&assignment.targets),
                Stmt::AnnAssign(assignment) => assignment.target.is_name_expr(),
                Stmt::AugAssign(assignment) => assignment.target.is_name_expr(),
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) => true,
                _ => false,
            }
    }

    fn bind_unknown(&mut self, statement: &Stmt, failure: &Failure) -> Eval<()> {
        let mut names = Vec::from_iter(bound_names(std::slice::from_ref(statement)));
        names.sort();
        for name in names {
            let place = self.place(statement);
            let what = format!("{name} ({})", failure.message.replace('`', ""));
            self.bind(&name, Slot { object: Native::Missing(what.into()).object(), place })?;
        }
        Ok(())
    }

    fn run_statement(&mut self, statement: &Stmt) -> Eval<Flow> {
        match statement {
            Stmt::Pass(_) => {}
            Stmt::Break(_) => return Ok(Flow::Break),
            Stmt::Continue(_) => return Ok(Flow::Continue),
            Stmt::Return(done) => {
                return match &done.value {
                    Some(value) => self.evaluate(value).map(Flow::Return),
                    None => Ok(Flow::Return(Object::None)),
                };
            }
            Stmt::Expr(expression) => _ = self.evaluate(&expression.value)?,
            Stmt::Assign(assignment) => {
                let slot = self.evaluate_slot(&assignment.value)?;
                for target in &assignment.targets {
                    self.assign(target, slot.clone())?;
                }
            }
            Stmt::AnnAssign(assignment) => {
                if let Some(value) = &assignment.value {
                    let slot = self.evaluate_slot(value)?;
                    self.assign(&assignment.target, slot)?;
                }
            }
            Stmt::AugAssign(assignment) => self.augment(assignment)?,
            Stmt::Delete(deletion) => {
                for target in &deletion.targets {
                    self.delete(target)?;
                }
            }
            Stmt::If(choice) => {
                let test = self.evaluate(&choice.test)?;
                if self.truth(&test)? {
                    return self.run_block(&choice.body);
                }
                for clause in &choice.elif_else_clauses {
                    let passes = match &clause.test {
                        Some(test) => {
                            let test = self.evaluate(test)?;
                            self.truth(&test)?
                        }
                        None => true,
                    };
                    if passes {
                        return self.run_block(&clause.body);
                    }
                }
            }
            Stmt::For(repetition) => return self.run_for(repetition),
            Stmt::While(repetition) => loop {
                let test = self.evaluate(&repetition.test)?;
                if !self.truth(&test)? {
                    return self.run_block(&repetition.orelse);
                }
                match self.run_block(&repetition.body)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => break,
                    leave @ Flow::Return(_) => return Ok(leave),
                }
            },
            Stmt::FunctionDef(function) => {
                if function.is_async || !function.decorator_list.is_empty() {
                    return Err(Failure::unsupported("decorators or `async`"));
                }
                if self.dialect == Dialect::Functions && is_generator(&function.body) {
                    return Err(Failure::unsupported("`yield`")
                        .with_hint("collect the values in a list and return it"));
                }
                let parameters = (*function.parameters).clone();
                let body = Body::Statements(function.body.to_vec());
                let object = self.define(&function.name, parameters, body, function.range())?;
                let place = self.place(function);
                self.bind(&function.name, Slot { object, place })?;
            }
            Stmt::ClassDef(class) if self.dialect == Dialect::Functions => {
                self.define_class(class)?;
            }
            Stmt::ClassDef(class) => {
                // As every class, one defined here is a name that is never looked into.
                let object = self.heap.new_text(format!("{}.{}", self.stem(), class.name))?;
                let object = match object {
                    Object::Str(path) => Object::Type(path),
                    other => other,
                };
                let place = self.place(class);
                self.bind(&class.name, Slot { object, place })?;
            }
            Stmt::Import(import) => match self.dialect {
                Dialect::Config => self.import(import)?,
                Dialect::Functions => self.import_library(import)?,
            },
            Stmt::ImportFrom(import) => match self.dialect {
                Dialect::Config => self.import_from(import)?,
                Dialect::Functions => self.import_library_from(import)?,
            },
            Stmt::With(block) => return self.run_with(block),
            Stmt::Try(attempt) => return self.run_try(attempt),
            Stmt::Raise(raise) => return Err(self.raise(raise.exc.as_deref())?),
            Stmt::Assert(assertion) => {
                let test = self.evaluate(&assertion.test)?;
                if self.is_loading()
                    && matches!(&test, Object::Native(native) if matches!(**native, Native::Missing(_)))
                {
                    // Of what is installed; what a function needs of it is refused anyway.
                    return Ok(Flow::Next);
                }
                if !self.truth(&test)? {
                    let message = match &assertion.msg {
                        Some(message) => {
                            let message = self.evaluate(message)?;
                            self.heap.str(&message)?
                        }
                        None => String::new(),
                    };
                    return Err(Failure::raised("AssertionError", message));
                }
            }
            Stmt::Global(declaration) => {
                let module = self.module_scope();
                self.declare(&declaration.names, module);
            }
            Stmt::Nonlocal(declaration) => {
                for name in &declaration.names {
                    if let Some(scope) = self.binding_scope(name) {
                        self.declare(std::slice::from_ref(name), scope);
                    }
                }
            }
            Stmt::Match(_) => return Err(Failure::unsupported("`match`")),
            Stmt::TypeAlias(_) => return Err(Failure::unsupported("`type`")),
            Stmt::IpyEscapeCommand(_) => return Err(Failure::unsupported("shell commands")),
        }
        Ok(Flow::Next)
    }

    /// The nearest function's scope around the running one that binds a name.
    fn binding_scope(&self, name: &str) -> Option<u32> {
        let mut next = self.scope_at(self.scope).parent;
        let nearest = next;
        while let Some(index) = next {
            let scope = self.scope_at(index);
            let binds = scope.locals.as_ref().is_some_and(|own| own.locals.contains(name));
            if binds || (scope.parent.is_some() && self.heap.named(scope.variables, name).is_some())
            {
                return Some(index);
            }
            next = scope.parent;
        }
        nearest
    }

    /// Gives names of the running scope to another scope.
    fn declare(&mut self, names: &[ruff_python_ast::Identifier], scope: u32) {
        if scope != self.scope {
            let running = self.scope;
            let elsewhere = &mut self.scope_at_mut(running).elsewhere;
            for name in names {
                elsewhere.entry(name.as_str().into()).or_insert(scope);
            }
        }
    }

    fn run_for(&mut self, repetition: &StmtFor) -> Eval<Flow> {
        if repetition.is_async {
            return Err(Failure::unsupported("`async`"));
        }
        let source = self.evaluate(&repetition.iter)?;
        let place = self.place(&*repetition.target);
        let range = repetition.iter.range();
        let mut cursor = self.within(range, |this| this.cursor(&source, place))?;
        while let Some(slot) = self.advance(&mut cursor, place)? {
            self.heap.limits.steps(1)?;
            self.assign(&repetition.target, slot)?;
            match self.run_block(&repetition.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                leave @ Flow::Return(_) => return Ok(leave),
            }
        }
        self.run_block(&repetition.orelse)
    }

    fn run_with(&mut self, block: &StmtWith) -> Eval<Flow> {
        if let [item] = &*block.items
            && is_read_base(&item.context_expr)
        {
            self.read_base(&block.body)?;
            return Ok(Flow::Next);
        }
        for item in &block.items {
            let slot = self.evaluate_slot(&item.context_expr)?;
            if !matches!(slot.object, Object::File(_)) {
                return Err(Failure::unsupported("`with` but for read_base() and open(…)")
                    .located(self.file, item.context_expr.range()));
            }
            if let Some(target) = &item.optional_vars {
                self.assign(target, slot)?;
            }
        }
        self.run_block(&block.body)
    }

    fn run_try(&mut self, attempt: &StmtTry) -> Eval<Flow> {
        let mut done = self.run_block(&attempt.body);
        match done {
            Ok(Flow::Next) => done = self.run_block(&attempt.orelse),
            Ok(_) => {}
            Err(failure) => done = self.handle(&attempt.handlers, failure),
        }
        match self.run_block(&attempt.finalbody)? {
            Flow::Next => done,
            leave => Ok(leave),
        }
    }

    /// Runs the first handler that fits, or passes the failure on.
    fn handle(&mut self, handlers: &[ExceptHandler], failure: Box<Failure>) -> Eval<Flow> {
        let Kind::Raised(name) = &failure.kind else { return Err(failure) };
        for ExceptHandler::ExceptHandler(handler) in handlers {
            if let Some(caught) = &handler.type_ {
                let caught = self.evaluate(caught)?;
                let caught = match &caught {
                    Object::Tuple(_) => self.heap.counted_items(&caught)?,
                    _ => vec![Slot { object: caught, place: self.place(handler) }],
                };
                let is_caught = |slot: &Slot| matches!(&slot.object, Object::Type(caught) if exception::is_kind_of(name, caught));
                if !caught.iter().any(is_caught) {
                    continue;
                }
            }
            if let Some(variable) = &handler.name {
                self.heap.limits.text(failure.message.len())?;
                let is_own = failure.is_own || self.dialect == Dialect::Config;
                let exception = (name.clone(), failure.message.as_str().into(), is_own);
                let object = Object::Exception(std::rc::Rc::new(exception));
                let place = self.place(handler);
                self.bind(variable, Slot { object, place })?;
            }
            self.handled.push(*failure);
            let done = self.run_block(&handler.body);
            let failure = self.handled.pop();
            let done = match done {
                // `raise` without an exception: the one that is handled goes on.
                Err(again) if matches!(again.kind, Kind::Again) => match failure {
                    Some(failure) => Err(Box::new(failure)),
                    None => Err(again),
                },
                done => done,
            };
            if let Some(variable) = &handler.name {
                // Python unbinds it too; it may be gone already.
                let _ = self.unbind(variable);
            }
            return done;
        }
        Err(failure)
    }

    /// The failure that a `raise` statement stands for.
    fn raise(&mut self, exception: Option<&Expr>) -> Eval<Box<Failure>> {
        let Some(exception) = exception else {
            return Ok(if self.handled.is_empty() {
                Failure::raised("RuntimeError", "No active exception to reraise")
            } else {
                Failure::again()
            });
        };
        Ok(match self.evaluate(exception)? {
            Object::Exception(exception) => {
                let mut failure = Failure::raised(&exception.0, &*exception.1);
                failure.is_own = exception.2;
                failure
            }
            Object::Type(name) => Failure::raised(&name, ""),
            other => Failure::type_error(format!("exceptions, not '{}', are raised", other.kind())),
        })
    }
}
