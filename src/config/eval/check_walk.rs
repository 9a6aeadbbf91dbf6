//! The walk through one function, for [`super::check`]: names, attributes and statements that are not known.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::{
    Comprehension, Expr, ExprAttribute, ExprCall, Number, Parameters, Stmt,
    visitor::{Visitor, walk_expr, walk_stmt},
};
use ruff_text_size::{Ranged as _, TextRange};

use super::{
    check::Check,
    class::unknown_part,
    failure::Failure,
    library::{self, EMBEDDED, Native},
    locals::{bound_names, is_generator},
    method_dict, method_list, method_set, method_str,
    object::Object,
};

/// Functions of `random` that draw from what all of a program shares.
const DRAWS: [&str; 7] =
    ["choice", "choices", "randint", "random", "randrange", "sample", "shuffle"];

/// Attributes that are known beside methods.
const ATTRIBUTES: [&str; 14] = [
    "__class__",
    "__init__",
    "__name__",
    "args",
    "column_names",
    "from_dict",
    "from_list",
    "is_integer",
    "ndim",
    "num_rows",
    "pattern",
    "read",
    "size",
    "string",
];

/// The walk through one function.
pub(super) struct Walk<'c, 'i> {
    pub(super) check: &'c mut Check<'i>,
    pub(super) file: u32,
    pub(super) scope: u32,
    /// Names of the function, of functions in it and of comprehensions.
    pub(super) locals: Vec<HashSet<String>>,
    /// What imports in the function bind.
    pub(super) imported: HashMap<String, Object>,
    pub(super) problem: Option<Box<Failure>>,
}

impl Walk<'_, '_> {
    fn refuse(&mut self, what: impl std::fmt::Display, range: TextRange) {
        let file = self.file;
        self.problem.get_or_insert_with(|| Failure::unsupported(what).located(file, range));
    }

    /// What a name stands for, if that is settled before the function runs.
    fn known(&mut self, name: &str, range: TextRange) -> Option<Object> {
        if let Some(object) = self.imported.get(name) {
            return Some(object.clone());
        }
        if self.locals.iter().any(|names| names.contains(name)) {
            return None;
        }
        let outer = (self.check.it.scope, self.check.it.file);
        (self.check.it.scope, self.check.it.file) = (self.scope, self.file);
        let found = self.check.it.lookup(name);
        (self.check.it.scope, self.check.it.file) = outer;
        match found {
            Ok(object) => Some(object),
            Err(failure) => {
                let file = self.file;
                self.problem.get_or_insert_with(|| failure.located(file, range));
                None
            }
        }
    }

    /// What an expression of names stands for: `np`, `np.mean`, `utils.f`.
    fn settled(&mut self, expression: &Expr) -> Option<Object> {
        match expression {
            Expr::Name(name) => self.known(&name.id, name.range()),
            Expr::Attribute(attribute) => {
                let value = self.settled(&attribute.value)?;
                let is_module = match &value {
                    Object::Module(_) | Object::Class(_) | Object::Builtin(_) => true,
                    Object::Native(native) => matches!(
                        &**native,
                        Native::Missing(_) | Native::Script { .. } | Native::Kind(_)
                    ),
                    _ => false,
                };
                if !is_module {
                    return None;
                }
                if let Object::Module(module) = &value
                    && module.name == "random"
                {
                    let file = self.file;
                    let name = attribute.attr.as_str();
                    self.check.seeds |= name == "seed";
                    if DRAWS.contains(&name) {
                        self.check.draw.get_or_insert((file, attribute.range()));
                    }
                }
                match self.check.it.attribute(&value, &attribute.attr) {
                    Ok(object) => Some(object),
                    Err(failure) => {
                        let file = self.file;
                        self.problem
                            .get_or_insert_with(|| failure.located(file, attribute.range()));
                        None
                    }
                }
            }
            _ => None,
        }
    }

    /// Goes on with what is settled, or refuses it.
    fn reach(&mut self, object: Object, range: TextRange) {
        if let Object::Native(native) = &object
            && let Native::Missing(path) = &**native
        {
            let file = self.file;
            self.problem.get_or_insert_with(|| library::unknown(path).located(file, range));
            return;
        }
        match &object {
            Object::Class(class) => self.check.collect_attributes(class),
            Object::Instance(instance) => self.check.collect_attributes(&instance.class),
            _ => {}
        }
        self.check.waiting.push(object);
    }

    fn attribute(&mut self, attribute: &ExprAttribute) {
        let name = attribute.attr.as_str();
        let methods: [&[&str]; 6] = [
            method_str::NAMES,
            method_list::NAMES,
            method_dict::NAMES,
            method_dict::COUNTER_NAMES,
            method_set::NAMES,
            library::METHODS,
        ];
        let is_known = methods.iter().any(|names| names.contains(&name))
            || ATTRIBUTES.contains(&name)
            || library::of_natives(name)
            || self.check.own_attributes.contains(name);
        if !is_known {
            self.refuse(format_args!("`.{name}`, which is not known here"), attribute.attr.range());
        }
    }

    fn import(&mut self, statement: &Stmt) {
        let missing = |path: String| Native::Missing(path.into()).object();
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let path = alias.name.as_str();
                    let (name, path) = match &alias.asname {
                        Some(name) => (name.as_str(), path),
                        None => (
                            path.split('.').next().unwrap_or(path),
                            path.split('.').next().unwrap_or(path),
                        ),
                    };
                    let object = match library::find(path) {
                        Some(module) => Object::Module(module),
                        None if path.starts_with("lm_eval") => continue,
                        None => missing(path.to_owned()),
                    };
                    self.imported.insert(name.to_owned(), object);
                }
            }
            Stmt::ImportFrom(import) if import.level == 0 => {
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                let is_file = module.starts_with("lm_eval.tasks")
                    || EMBEDDED.iter().any(|(name, _)| *name == module);
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).to_string();
                    let whole = format!("{module}.{}", alias.name);
                    let object = match (library::find(&whole), library::find(module)) {
                        (Some(found), _) => Object::Module(found),
                        (None, Some(found)) => found.attribute(&alias.name, self.check.it.dialect),
                        (None, None) if is_file => continue,
                        (None, None) => missing(whole),
                    };
                    self.imported.insert(name, object);
                }
            }
            _ => {}
        }
    }

    fn comprehension(&mut self, generators: &[Comprehension], elements: &[&Expr]) {
        let mut names = HashSet::new();
        for generator in generators {
            targets(&generator.target, &mut names);
        }
        self.locals.push(names);
        for generator in generators {
            self.visit_expr(&generator.iter);
            generator.ifs.iter().for_each(|test| self.visit_expr(test));
        }
        for element in elements {
            self.visit_expr(element);
        }
        self.locals.pop();
    }

    fn defaults(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    fn call(&mut self, call: &ExprCall) {
        // What is told to a reader is not made up, so nothing in it has to be known.
        let is_print = matches!(&*call.func, Expr::Name(name) if name.id == "print");
        let is_log = match &*call.func {
            Expr::Attribute(attribute) => match self.settled(&attribute.value) {
                Some(Object::Native(native)) => matches!(*native, Native::Logger),
                _ => false,
            },
            _ => false,
        };
        if !is_print && !is_log {
            self.visit_expr(&call.func);
            call.arguments.args.iter().for_each(|argument| self.consumed(argument));
            let keywords = call.arguments.keywords.iter();
            keywords.for_each(|keyword| self.visit_expr(&keyword.value));
        }
    }
}

impl Walk<'_, '_> {
    /// What is gone through where it stands may be a generator: it is made at once, and nothing can tell. One that is kept
    /// could see what changes before it is gone through.
    fn consumed(&mut self, expression: &Expr) {
        match expression {
            Expr::Generator(list) => self.comprehension(&list.generators, &[&list.elt]),
            Expr::Starred(starred) => self.consumed(&starred.value),
            other => self.visit_expr(other),
        }
    }
}

fn targets(target: &Expr, names: &mut HashSet<String>) {
    match target {
        Expr::Name(name) => _ = names.insert(name.id.to_string()),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| targets(target, names)),
        Expr::List(list) => list.elts.iter().for_each(|target| targets(target, names)),
        Expr::Starred(starred) => targets(&starred.value, names),
        _ => {}
    }
}

impl<'a> Visitor<'a> for Walk<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.problem.is_some() {
            return;
        }
        match statement {
            Stmt::FunctionDef(function) => {
                if function.is_async || !function.decorator_list.is_empty() {
                    return self.refuse("decorators or `async`", function.name.range());
                }
                if is_generator(&function.body) {
                    return self.refuse("`yield`", function.name.range());
                }
                self.defaults(&function.parameters);
                self.locals.push(parameter_names(&function.parameters));
                self.locals.push(own_names(&function.body));
                function.body.iter().for_each(|statement| self.visit_stmt(statement));
                self.locals.pop();
                self.locals.pop();
            }
            Stmt::ClassDef(class) => match unknown_part(class) {
                Some((what, range)) => self.refuse(what, range),
                None => walk_stmt(self, statement),
            },
            Stmt::AnnAssign(assignment) => {
                if let Some(value) = &assignment.value {
                    self.visit_expr(value);
                }
                self.visit_expr(&assignment.target);
            }
            Stmt::Return(done) => {
                if let Some(value) = &done.value {
                    self.consumed(value);
                }
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.import(statement),
            Stmt::With(block) => {
                let is_open = |expression: &Expr| matches!(expression, Expr::Call(call) if matches!(&*call.func, Expr::Name(name) if name.id == "open"));
                match block.items.iter().find(|item| !is_open(&item.context_expr)) {
                    Some(item) => self.refuse("`with` but for open(…)", item.context_expr.range()),
                    None => walk_stmt(self, statement),
                }
            }
            Stmt::Match(_) => self.refuse("`match`", statement.range()),
            Stmt::TypeAlias(_) => self.refuse("`type`", statement.range()),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if self.problem.is_some() {
            return;
        }
        match expression {
            Expr::Name(name) => {
                if name.ctx.is_load()
                    && let Some(object) = self.known(&name.id, name.range())
                {
                    self.reach(object, name.range());
                }
            }
            Expr::Attribute(attribute) if attribute.ctx.is_load() => {
                if let Some(object) = self.settled(expression) {
                    self.reach(object, attribute.range());
                } else if self.problem.is_none() {
                    self.attribute(attribute);
                    self.visit_expr(&attribute.value);
                }
            }
            Expr::Attribute(attribute) => {
                // Objects of classes are given this.
                self.check.own_attributes.insert(attribute.attr.to_string());
                self.visit_expr(&attribute.value);
            }
            Expr::Call(call) => self.call(call),
            Expr::Compare(comparison) => {
                self.visit_expr(&comparison.left);
                comparison.comparators.iter().for_each(|right| self.consumed(right));
            }
            Expr::Lambda(lambda) => {
                let names = lambda.parameters.as_deref().map(parameter_names).unwrap_or_default();
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                self.locals.push(names);
                self.visit_expr(&lambda.body);
                self.locals.pop();
            }
            Expr::ListComp(list) => self.comprehension(&list.generators, &[&list.elt]),
            Expr::SetComp(set) => self.comprehension(&set.generators, &[&set.elt]),
            Expr::Generator(_) => self.refuse("a generator that is kept", expression.range()),
            Expr::DictComp(dict) => match &dict.key {
                Some(key) => self.comprehension(&dict.generators, &[key, &dict.value]),
                None => self.refuse("`**` in a comprehension", dict.range()),
            },
            Expr::BytesLiteral(_) => self.refuse("bytes", expression.range()),
            Expr::EllipsisLiteral(_) => self.refuse("`...`", expression.range()),
            Expr::TString(_) => self.refuse("t-strings", expression.range()),
            Expr::Await(_) => self.refuse("`await`", expression.range()),
            Expr::Yield(_) | Expr::YieldFrom(_) => self.refuse("`yield`", expression.range()),
            Expr::NumberLiteral(literal) => {
                let is_known = match &literal.value {
                    Number::Int(number) => number.as_i64().is_some(),
                    Number::Float(_) => true,
                    Number::Complex { .. } => false,
                };
                if !is_known {
                    self.refuse("this number", expression.range());
                }
            }
            _ => walk_expr(self, expression),
        }
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}
}

pub(super) fn own_names(statements: &[Stmt]) -> HashSet<String> {
    bound_names(statements).iter().map(ToString::to_string).collect()
}

pub(super) fn parameter_names(parameters: &Parameters) -> HashSet<String> {
    parameters.iter().map(|parameter| parameter.name().to_string()).collect()
}
