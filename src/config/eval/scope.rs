//! Names: where they are looked up and where they are set.

use std::{
    collections::{HashMap, HashSet},
    rc::{Rc, Weak},
};

use super::{
    Interpreter, builtin,
    class::Class,
    container::Function,
    dialect::Dialect,
    exception,
    failure::{Eval, Failure},
    object::{Name, Object, Slot, SourceLine},
};
use crate::config::did_you_mean::nearest;

/// A scope: a module's, a function call's or a comprehension's. Its variables are a dict of the heap,
/// so that `globals()` and `locals()` can be the real thing.
#[derive(Debug)]
pub(super) struct Scope {
    /// Index of the dict that holds the variables.
    pub(super) variables: u32,
    /// The scope around this one; a module has none.
    pub(super) parent: Option<u32>,
    /// Whether this is a comprehension's scope, which `:=` passes by.
    pub(super) is_comprehension: bool,
    /// Whether this is the body of a class, which is not seen from the functions in it.
    pub(super) is_class: bool,
    /// Names that the function binds.
    pub(super) locals: Option<Rc<Function>>,
    /// The class whose function is running, and the object that it was called of.
    pub(super) method_of: Option<(Weak<Class>, Object)>,
    /// Names that `global` or `nonlocal` gave to a scope further out, with that scope.
    pub(super) elsewhere: HashMap<Rc<str>, u32>,
    /// Names of classes and modules that were imported, which are no variables of a config. What
    /// comes through `read_base` is one.
    pub(super) imported: HashSet<Rc<str>>,
}

impl Interpreter {
    /// Opens a scope, without entering it.
    pub(super) fn open_scope(
        &mut self,
        parent: Option<u32>,
        is_comprehension: bool,
        place: SourceLine,
    ) -> Eval<u32> {
        // A scope takes the room of some values.
        self.heap.limits.elements(8)?;
        let variables = self.heap.new_dict(place)?;
        let index = self.scopes.len() as u32;
        self.scopes.push(Scope {
            variables,
            parent,
            is_comprehension,
            is_class: false,
            locals: None,
            method_of: None,
            elsewhere: HashMap::new(),
            imported: HashSet::new(),
        });
        Ok(index)
    }

    /// A scope by its index, which `open_scope` gave.
    pub(super) fn scope_at(&self, index: u32) -> &Scope {
        &self.scopes[index as usize]
    }

    /// As [`Self::scope_at`].
    pub(super) fn scope_at_mut(&mut self, index: u32) -> &mut Scope {
        &mut self.scopes[index as usize]
    }

    /// The module's scope around the running code.
    pub(super) fn module_scope(&self) -> u32 {
        let mut index = self.scope;
        while let Some(parent) = self.scope_at(index).parent {
            index = parent;
        }
        index
    }

    /// The function's or module's scope around the running code.
    pub(super) fn local_scope(&self) -> u32 {
        let mut index = self.scope;
        while let Scope { is_comprehension: true, parent: Some(parent), .. } = self.scope_at(index)
        {
            index = *parent;
        }
        index
    }

    /// The value of a name.
    pub(super) fn lookup(&self, name: &str) -> Eval<Object> {
        self.heap.limits.reading(name.len())?;
        let mut next = Some(self.scope);
        while let Some(index) = next {
            let scope = self.scope_at(index);
            if !scope.is_class || index == self.scope {
                if let Some(slot) = self.heap.named(scope.variables, name) {
                    return Ok(slot.object.clone());
                }
                if scope.locals.as_ref().is_some_and(|function| function.locals.contains(name)) {
                    let message = format!(
                        "cannot access local variable '{name}' where it is not associated with a value"
                    );
                    return Err(Failure::raised("UnboundLocalError", message));
                }
            }
            next = scope.parent;
        }
        match builtin::find(name, self.dialect) {
            Some(builtin) => Ok(Object::Builtin(builtin)),
            None if exception::is_known(name) => Ok(Object::Type(name.into())),
            None if self.dialect == Dialect::Functions && name == "NotImplemented" => {
                Err(Failure::unsupported("`NotImplemented`"))
            }
            None => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> Box<Failure> {
        let failure = Failure::raised("NameError", format!("name '{name}' is not defined"));
        if builtin::is_unsupported(name, self.dialect) {
            return Failure::unsupported(format_args!("`{name}`"));
        }
        let mut known: Vec<Rc<str>> = Vec::new();
        let mut next = Some(self.scope);
        while let Some(index) = next {
            let scope = self.scope_at(index);
            for entry in self.heap.dict(scope.variables).entries.values() {
                if let Object::Str(name) = &entry.key {
                    known.push(Rc::clone(name));
                }
            }
            next = scope.parent;
        }
        if let Err(failure) = self.heap.limits.steps(known.len()) {
            return failure;
        }
        let known = known.iter().map(|name| -> &str { name }).chain(builtin::names(self.dialect));
        let hint = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        match hint {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    }

    /// Binds a name in the running scope.
    pub(super) fn bind(&mut self, name: &str, slot: Slot) -> Eval<()> {
        self.bind_in(self.scope, name, slot)
    }

    /// Binds a name in a scope.
    pub(super) fn bind_in(&mut self, scope: u32, name: &str, slot: Slot) -> Eval<()> {
        self.heap.limits.reading(name.len())?;
        let scope = self.scope_at(scope);
        let dict = match scope.elsewhere.get(name) {
            Some(other) => self.scope_at(*other).variables,
            None => scope.variables,
        };
        if let Some(entry) = self.heap.dict_mut(dict).entries.get_mut(&Name(name)) {
            entry.value = slot;
            return Ok(());
        }
        self.heap.insert(dict, Object::text(name), slot)
    }

    /// Removes a name from the running scope.
    pub(super) fn unbind(&mut self, name: &str) -> Eval<()> {
        let dict = self.scope_at(self.scope).variables;
        self.heap.limits.steps(self.heap.dict(dict).entries.len())?;
        match self.heap.dict_mut(dict).entries.shift_remove(&Name(name)) {
            Some(_) => Ok(()),
            None => Err(self.unknown(name)),
        }
    }
}
