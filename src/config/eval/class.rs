//! Classes that files of functions define: one base, functions and values in the body, `super()`.
//!
//! Filters are classes, so this is what they use. Several bases, metaclasses, decorators and Python's own special methods
//! but `__init__` and `__call__` are refused, because much of the language would change with them.

use std::rc::Rc;

use ruff_python_ast::{Stmt, StmtClassDef};
use ruff_text_size::Ranged as _;

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Slot},
    statement::Flow,
};

/// Special methods that are called as Python calls them.
const SPECIAL: [&str; 2] = ["__init__", "__call__"];

/// A class.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) name: Rc<str>,
    pub(super) base: Option<Rc<Class>>,
    /// Index of the dict of what its body binds.
    pub(super) namespace: u32,
}

/// An object of a class.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) class: Rc<Class>,
    /// Index of the dict of its attributes.
    pub(super) attributes: u32,
}

impl Class {
    /// Whether this is `other`, or made of it.
    pub(super) fn is_kind_of(self: &Rc<Self>, other: &Rc<Self>) -> bool {
        Rc::ptr_eq(self, other) || self.base.as_ref().is_some_and(|base| base.is_kind_of(other))
    }
}

/// What of a class's body is not known, if anything is.
pub(super) fn unknown_part(
    class: &StmtClassDef,
) -> Option<(&'static str, ruff_text_size::TextRange)> {
    if let Some(decorator) = class.decorator_list.first() {
        return Some(("a decorated class", decorator.range()));
    }
    let arguments = class.arguments.as_deref();
    if let Some(keyword) = arguments.and_then(|arguments| arguments.keywords.first()) {
        return Some(("a metaclass", keyword.range()));
    }
    if let Some(second) = arguments.and_then(|arguments| arguments.args.get(1)) {
        return Some(("a class of several bases", second.range()));
    }
    class.body.iter().find_map(|statement| match statement {
        Stmt::FunctionDef(function) => {
            let name = function.name.as_str();
            let is_special = name.starts_with("__") && name.ends_with("__");
            (is_special && !SPECIAL.contains(&name))
                .then(|| ("this special method", function.name.range()))
        }
        _ => None,
    })
}

impl Interpreter {
    /// `class Name(Base): …`.
    pub(super) fn define_class(&mut self, class: &StmtClassDef) -> Eval<()> {
        if let Some((what, range)) = unknown_part(class) {
            return Err(Failure::unsupported(what).located(self.file, range));
        }
        let place = self.place(class);
        let mut base = None;
        if let Some(written) = class.arguments.as_deref().and_then(|given| given.args.first()) {
            match self.evaluate(written)? {
                Object::Class(class) => base = Some(class),
                Object::Builtin(builtin) if builtin.name == "object" => {}
                other => {
                    let what = format!("a class made of {}", self.heap.repr(&other)?);
                    return Err(Failure::unsupported(what).located(self.file, written.range()));
                }
            }
        }
        let outer = self.scope;
        let scope = self.open_scope(Some(outer), false, place)?;
        self.scope_at_mut(scope).is_class = true;
        self.scope = scope;
        let done = self.run_block(&class.body);
        self.scope = outer;
        if !matches!(done?, Flow::Next) {
            return Err(Failure::unsupported("a class whose body is left early"));
        }
        let namespace = self.scope_at(scope).variables;
        let name = class.name.as_str().into();
        let made = Rc::new(Class { name, base, namespace });
        self.heap.own_functions(namespace, &made);
        self.bind(&class.name, Slot { object: Object::Class(made), place })
    }

    /// What a class, or one that it is made of, has under a name.
    pub(super) fn class_attribute(&self, class: &Rc<Class>, name: &str) -> Option<Object> {
        match self.heap.named(class.namespace, name) {
            Some(slot) => Some(slot.object.clone()),
            None => self.class_attribute(class.base.as_ref()?, name),
        }
    }

    /// The same seen from an object: a function knows the object.
    pub(super) fn bound_attribute(
        &self,
        class: &Rc<Class>,
        of: &Object,
        name: &str,
    ) -> Option<Object> {
        let found = self.class_attribute(class, name)?;
        Some(match found {
            Object::Function(_) => Object::Bound(Rc::new((found, of.clone()))),
            other => other,
        })
    }

    /// `object.name`.
    pub(super) fn instance_attribute(&self, instance: &Rc<Instance>, name: &str) -> Option<Object> {
        match self.heap.named(instance.attributes, name) {
            Some(slot) => Some(slot.object.clone()),
            None if name == "__class__" => Some(Object::Class(Rc::clone(&instance.class))),
            None => {
                self.bound_attribute(&instance.class, &Object::Instance(Rc::clone(instance)), name)
            }
        }
    }

    /// `Name(…)`.
    pub(super) fn instantiate(&mut self, class: &Rc<Class>, arguments: Arguments) -> Eval<Object> {
        let attributes = self.heap.new_dict(arguments.place)?;
        let made = Object::Instance(Rc::new(Instance { class: Rc::clone(class), attributes }));
        match self.bound_attribute(class, &made, "__init__") {
            Some(initial) => _ = self.call(&initial, arguments)?,
            None => {
                let [] = arguments.exactly()?;
            }
        }
        Ok(made)
    }

    /// `super()`, in a function of a class.
    pub(super) fn superclass(&mut self, arguments: Arguments) -> Eval<Object> {
        let [] = arguments.exactly()?;
        let scope = self.scope_at(self.local_scope());
        let Some((class, object)) = &scope.method_of else {
            return Err(Failure::raised("RuntimeError", "super(): no arguments"));
        };
        let class = class.upgrade().and_then(|class| class.base.clone());
        let base = super::library::Native::Super { base: class, object: object.clone() };
        Ok(Object::Native(Rc::new(base)))
    }
}
