//! What a function would need that is not known, found before it runs.
//!
//! The walk goes through the function and through all that it names: functions and classes of its file and of files that it
//! imports, and the libraries. What it cannot see, a method of a value whose kind only shows later, it holds against all
//! methods that are known of any kind.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use ruff_python_ast::{
    Expr,
    visitor::{Visitor, walk_expr},
};
use ruff_text_size::TextRange;

use super::{
    Interpreter,
    check_walk::{Walk, own_names, parameter_names},
    class::Class,
    container::{Body, Function},
    failure::{Eval, Failure},
    library::{self, Native},
    object::Object,
};

impl Interpreter {
    /// Looks through what a function or class reaches.
    pub(super) fn check(&mut self, callee: &Object) -> Eval<()> {
        let mut check = Check {
            it: self,
            seen: HashSet::new(),
            waiting: vec![callee.clone()],
            own_attributes: HashSet::new(),
            draw: None,
            seeds: false,
        };
        while let Some(object) = check.waiting.pop() {
            check.object(&object)?;
        }
        let (draw, seeds) = (check.draw, check.seeds);
        match draw {
            Some((file, range)) if !seeds && self.shared_random.is_none() => {
                let what = "random numbers that a whole program shares, without random.seed(…): they depend on all that was drawn before";
                Err(Failure::unsupported(what).located(file, range))
            }
            _ => Ok(()),
        }
    }
}

pub(super) struct Check<'i> {
    pub(super) it: &'i mut Interpreter,
    /// Functions and classes that were looked through, by index or address.
    seen: HashSet<(bool, usize)>,
    pub(super) waiting: Vec<Object>,
    /// Attributes that classes give their objects.
    pub(super) own_attributes: HashSet<String>,
    pub(super) draw: Option<(u32, TextRange)>,
    pub(super) seeds: bool,
}

impl Check<'_> {
    fn object(&mut self, object: &Object) -> Eval<()> {
        match object {
            Object::Function(index) if self.seen.insert((true, *index as usize)) => {
                let function = self.it.heap.function(*index);
                self.function(&function)?;
            }
            Object::Class(class) if self.seen.insert((false, Rc::as_ptr(class) as usize)) => {
                self.collect_attributes(class);
                let entries = self.it.heap.dict(class.namespace).entries.values();
                self.waiting.extend(entries.map(|entry| entry.value.object.clone()));
                // Those that it is made of first: their attributes are its own.
                self.waiting.extend(class.base.clone().map(Object::Class));
            }
            Object::Instance(instance) => {
                self.waiting.push(Object::Class(Rc::clone(&instance.class)));
            }
            Object::Bound(bound) => self.waiting.push(bound.0.clone()),
            Object::Native(native) => match &**native {
                Native::Partial(partial) => self.waiting.push(partial.function().clone()),
                Native::Missing(path) => return Err(library::unknown(path)),
                _ => {}
            },
            Object::List(_) | Object::Tuple(_) => {
                for slot in self.it.heap.items(object).unwrap_or_default() {
                    if is_code(&slot.object) {
                        self.waiting.push(slot.object.clone());
                    }
                }
            }
            Object::Dict(index) => {
                for entry in self.it.heap.dict(*index).entries.values() {
                    if is_code(&entry.value.object) {
                        self.waiting.push(entry.value.object.clone());
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What a class, and those that it is made of, give their objects.
    pub(super) fn collect_attributes(&mut self, class: &Rc<Class>) {
        struct Given<'s>(&'s mut HashSet<String>);
        impl<'a> Visitor<'a> for Given<'_> {
            fn visit_expr(&mut self, expression: &'a Expr) {
                if let Expr::Attribute(attribute) = expression
                    && attribute.ctx.is_store()
                {
                    self.0.insert(attribute.attr.to_string());
                }
                walk_expr(self, expression);
            }
        }
        let entries = self.it.heap.dict(class.namespace).entries.values();
        for entry in entries {
            if let Object::Str(name) = &entry.key {
                self.own_attributes.insert(name.to_string());
            }
            if let Object::Function(index) = entry.value.object
                && let Body::Statements(statements) = &self.it.heap.function(index).body
            {
                let mut given = Given(&mut self.own_attributes);
                for statement in statements {
                    given.visit_stmt(statement);
                }
            }
        }
        if let Some(base) = &class.base {
            self.collect_attributes(base);
        }
    }

    fn function(&mut self, function: &Rc<Function>) -> Eval<()> {
        let mut walk = Walk {
            file: function.file,
            scope: function.scope,
            locals: vec![parameter_names(&function.parameters)],
            imported: HashMap::new(),
            problem: None,
            check: self,
        };
        match &function.body {
            Body::Expression(expression) => walk.visit_expr(expression),
            Body::Statements(statements) => {
                walk.locals.push(own_names(statements));
                for statement in statements {
                    walk.visit_stmt(statement);
                }
            }
        }
        match walk.problem {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}

fn is_code(object: &Object) -> bool {
    matches!(
        object,
        Object::Instance(_)
            | Object::Function(_)
            | Object::Class(_)
            | Object::Bound(_)
            | Object::Native(_)
    )
}
