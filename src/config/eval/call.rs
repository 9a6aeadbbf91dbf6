//! Calls.

use std::{cell::OnceCell, collections::HashSet, rc::Rc};

use ruff_python_ast::{Expr, ExprCall, Parameters};
use ruff_text_size::{Ranged as _, TextRange};

use super::{
    Interpreter,
    container::{Body, Function},
    dialect::Dialect,
    exception,
    failure::{Eval, Failure},
    library::Native,
    locals::bound_names,
    object::{Object, Slot, SourceLine},
    statement::Flow,
};

/// Places that a message lists at most of the way to a failure.
const SHOWN_CALLS: usize = 8;

/// What a function is called with.
#[derive(Debug)]
pub(super) struct Arguments {
    /// Name of what is called, for messages.
    pub(super) callee: Rc<str>,
    pub(super) positional: Vec<Slot>,
    pub(super) keywords: Vec<(Rc<str>, Slot)>,
    /// The line of the call.
    pub(super) place: SourceLine,
}

impl Arguments {
    /// Exactly `N` positional arguments.
    pub(super) fn exactly<const N: usize>(self) -> Eval<[Object; N]> {
        self.no_keywords()?;
        let found = self.positional.len();
        let objects: Vec<Object> = self.positional.into_iter().map(|slot| slot.object).collect();
        objects.try_into().map_err(|_| count_error(&self.callee, N, N, found))
    }

    /// From `least` to `N` positional arguments.
    pub(super) fn between<const N: usize>(self, least: usize) -> Eval<[Option<Object>; N]> {
        self.no_keywords()?;
        let found = self.positional.len();
        if found < least || found > N {
            return Err(count_error(&self.callee, least, N, found));
        }
        let mut objects = self.positional.into_iter().map(|slot| slot.object);
        Ok(std::array::from_fn(|_| objects.next()))
    }

    /// Takes a keyword argument out.
    pub(super) fn keyword(&mut self, name: &str) -> Option<Object> {
        let index = self.keywords.iter().position(|(keyword, _)| **keyword == *name)?;
        Some(self.keywords.remove(index).1.object)
    }

    fn no_keywords(&self) -> Eval<()> {
        match self.keywords.first() {
            None => Ok(()),
            Some((name, _)) => Err(Failure::type_error(format!(
                "{}() got an unexpected keyword argument '{name}'",
                self.callee
            ))),
        }
    }
}

fn count_error(callee: &str, least: usize, most: usize, found: usize) -> Box<Failure> {
    let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let message = format!("{callee}() takes {expected} positional arguments, {found} given");
    Failure::type_error(message)
}

impl Interpreter {
    /// A call as it is written.
    pub(super) fn call_expression(&mut self, call: &ExprCall) -> Eval<Object> {
        let callee = self.evaluate(&call.func)?;
        let place = self.place(call);
        if self.is_silent(&callee) {
            return Ok(Object::None);
        }
        let callee_text =
            self.files.get(self.file as usize).map_or("", |file| file.text(call.func.range()));
        self.heap.limits.reading(callee_text.len())?;
        let mut arguments = Arguments {
            callee: callee_text.lines().next().unwrap_or("").into(),
            positional: self.items(&call.arguments.args)?,
            keywords: Vec::with_capacity(call.arguments.keywords.len()),
            place,
        };
        for keyword in &call.arguments.keywords {
            let value = self.evaluate(&keyword.value)?;
            if let Some(name) = &keyword.arg {
                // The line of the name, where the entry of a `dict(…)` begins.
                let slot = Slot { object: value, place: self.place(keyword) };
                arguments.keywords.push((name.as_str().into(), slot));
                continue;
            }
            let Object::Dict(dict) = value else {
                let message = format!("argument after ** must be a dict, not {}", value.kind());
                return Err(Failure::type_error(message).located(self.file, keyword.range()));
            };
            for entry in self.heap.dict(dict).entries.values() {
                let Object::Str(name) = &entry.key else {
                    return Err(Failure::type_error("keywords must be strings"));
                };
                arguments.keywords.push((Rc::clone(name), entry.value.clone()));
            }
        }
        self.call(&callee, arguments)
    }

    /// Whether what is called only tells a reader something. Its words are not made up, for they may be of an error
    /// of Python's, which are not known.
    fn is_silent(&self, callee: &Object) -> bool {
        self.dialect == Dialect::Functions
            && match callee {
                Object::Builtin(builtin) => builtin.name == "print",
                Object::Method(method) => {
                    matches!(&method.0, Object::Native(native) if matches!(**native, Native::Logger))
                }
                _ => false,
            }
    }

    /// Calls a value.
    pub(super) fn call(&mut self, callee: &Object, arguments: Arguments) -> Eval<Object> {
        match callee {
            Object::Builtin(builtin) => {
                self.read_texts(&arguments)?;
                (builtin.call)(self, arguments)
            }
            Object::Function(index) => {
                let function = self.heap.function(*index);
                self.call_function(&function, arguments)
            }
            Object::Method(method) => {
                self.read_texts(&arguments)?;
                self.call_method(&method.0, &method.1, arguments)
            }
            Object::Bound(bound) => {
                let mut arguments = arguments;
                let slot = Slot { object: bound.1.clone(), place: arguments.place };
                arguments.positional.insert(0, slot);
                self.call(&bound.0, arguments)
            }
            Object::Class(class) => self.instantiate(class, arguments),
            Object::Instance(instance) => {
                match self.bound_attribute(&instance.class, callee, "__call__") {
                    Some(function) => self.call(&function, arguments),
                    None => Err(Failure::type_error(format!(
                        "'{}' object is not callable",
                        instance.class.name
                    ))),
                }
            }
            Object::Native(native) => {
                self.read_texts(&arguments)?;
                self.call_native(native, arguments)
            }
            Object::Type(name) if exception::is_known(name) => {
                let [message] = arguments.between(0)?;
                let message = message.map_or(Ok(String::new()), |text| self.heap.str(&text))?;
                Ok(Object::Exception(Rc::new((Rc::clone(name), message.into(), true))))
            }
            Object::Type(path) => {
                let name = path.rsplit('.').next().unwrap_or(path);
                Err(Failure::unsupported(format_args!(
                    "a call of {path}: what is imported is a name here, it is never run"
                ))
                .with_hint(format!("to configure an object, write dict(type={name}, …)")))
            }
            _ => Err(Failure::type_error(format!("'{}' object is not callable", callee.kind()))),
        }
    }

    /// Counts the texts that Python's own functions are given, for they go through them.
    fn read_texts(&self, arguments: &Arguments) -> Eval<()> {
        let keywords = arguments.keywords.iter().map(|(_, slot)| slot);
        let bytes =
            arguments.positional.iter().chain(keywords).map(|slot| slot.object.text_bytes());
        self.heap.limits.reading(bytes.fold(0, usize::saturating_add))
    }

    /// Calls a value with positional arguments only.
    pub(super) fn call_with(
        &mut self,
        callee: &Object,
        positional: Vec<Slot>,
        place: SourceLine,
    ) -> Eval<Object> {
        let callee_name = match callee {
            Object::Function(index) => Rc::clone(&self.heap.function(*index).name),
            Object::Builtin(builtin) => builtin.name.into(),
            _ => callee.kind().into(),
        };
        let arguments = Arguments { callee: callee_name, positional, keywords: Vec::new(), place };
        // A function that is called by a builtin function, by `sorted` for one, is not seen by
        // `evaluate` on its way in.
        self.within(TextRange::default(), |this| this.call(callee, arguments))
    }

    fn call_method(&mut self, receiver: &Object, name: &str, arguments: Arguments) -> Eval<Object> {
        match receiver {
            Object::Str(text) => self.str_method(text, name, arguments),
            Object::List(list) => self.list_method(*list, name, arguments),
            Object::Tuple(_) => self.tuple_method(receiver, name, arguments),
            Object::Dict(dict) => self.dict_method(*dict, name, arguments),
            Object::Set(set) => self.set_method(*set, name, arguments),
            Object::Float(number) if name == "is_integer" => {
                let [] = arguments.exactly()?;
                Ok(Object::Bool(number.is_finite() && number.fract() == 0.0))
            }
            Object::Native(native) => self.native_method(native, name, arguments),
            Object::File(text) => match name {
                "read" => Ok(Object::Str(Rc::clone(text))),
                "readlines" => {
                    let lines = self.collect(receiver, arguments.place)?;
                    self.heap.new_list(lines, arguments.place)
                }
                _ => Ok(Object::None),
            },
            _ => Err(Failure::unsupported(format_args!("the method `{name}`"))),
        }
    }

    /// Makes a function in the running scope; defaults are evaluated now.
    pub(super) fn define(
        &mut self,
        name: &str,
        parameters: Parameters,
        body: Body,
        range: TextRange,
    ) -> Eval<Object> {
        // The syntax tree is copied.
        self.heap.limits.syntax(range.len().to_usize())?;
        let mut defaults = Vec::new();
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default() {
                let slot = self.evaluate_slot(default)?;
                defaults.push((parameter.name().as_str().into(), slot));
            }
        }
        let (scope, file) = (self.scope, self.file);
        let name = name.into();
        let locals = match (&body, self.dialect) {
            (Body::Statements(statements), Dialect::Functions) => bound_names(statements),
            _ => HashSet::new(),
        };
        let class = OnceCell::new();
        let function = Function { name, locals, class, parameters, defaults, body, scope, file };
        self.heap.new_function(function)
    }

    fn call_function(&mut self, function: &Rc<Function>, arguments: Arguments) -> Eval<Object> {
        let place = arguments.place;
        let scope = self.open_scope(Some(function.scope), false, place)?;
        if !function.locals.is_empty() {
            self.scope_at_mut(scope).locals = Some(Rc::clone(function));
        }
        if let (Some(class), Some(first)) = (function.class.get(), arguments.positional.first()) {
            self.scope_at_mut(scope).method_of = Some((class.clone(), first.object.clone()));
        }
        self.bind_parameters(function, scope, arguments)?;
        let outer = (self.file, self.scope);
        (self.file, self.scope) = (function.file, scope);
        let done = match &function.body {
            Body::Expression(expression) => self.evaluate(expression),
            Body::Statements(statements) => self.run_block(statements).map(|flow| match flow {
                Flow::Return(value) => value,
                Flow::Next | Flow::Break | Flow::Continue => Object::None,
            }),
        };
        (self.file, self.scope) = outer;
        done.map_err(|mut failure| {
            if failure.trace.len() < SHOWN_CALLS {
                failure.trace.push(place);
            }
            failure
        })
    }

    fn bind_parameters(
        &mut self,
        function: &Function,
        scope: u32,
        arguments: Arguments,
    ) -> Eval<()> {
        let Function { name, parameters, defaults, .. } = function;
        let Arguments { positional, mut keywords, place, .. } = arguments;
        // Every parameter is looked for among the keywords and the defaults.
        let looked_through = (keywords.len() + defaults.len()) / 4;
        self.heap.limits.steps(parameters.len().saturating_mul(looked_through))?;
        let mut positional = positional.into_iter();
        let mut take_keyword = |wanted: &str| {
            let index = keywords.iter().position(|(keyword, _)| **keyword == *wanted)?;
            Some(keywords.remove(index).1)
        };
        let by_position = parameters.posonlyargs.len() + parameters.args.len();
        for (index, parameter) in parameters.iter_non_variadic_params().enumerate() {
            let wanted = parameter.name().as_str();
            let given = if index < by_position { positional.next() } else { None };
            let named = take_keyword(wanted);
            if given.is_some() && named.is_some() {
                let message = format!("{name}() got multiple values for argument '{wanted}'");
                return Err(Failure::type_error(message));
            }
            let default = || defaults.iter().find(|(parameter, _)| **parameter == *wanted);
            let slot = given.or(named).or_else(|| default().map(|(_, slot)| slot.clone()));
            let Some(slot) = slot else {
                let message = format!("{name}() misses the argument '{wanted}'");
                return Err(Failure::type_error(message));
            };
            self.bind_in(scope, wanted, slot)?;
        }
        let rest: Vec<Slot> = positional.collect();
        match &parameters.vararg {
            Some(parameter) => {
                let object = self.heap.new_tuple(rest, place)?;
                self.bind_in(scope, &parameter.name, Slot { object, place })?;
            }
            None if rest.is_empty() => {}
            None => {
                let given = by_position + rest.len();
                return Err(count_error(name, by_position, by_position, given));
            }
        }
        match (&parameters.kwarg, keywords.first()) {
            (Some(parameter), _) => {
                let dict = self.heap.new_dict(place)?;
                for (keyword, slot) in keywords {
                    self.heap.insert(dict, Object::Str(keyword), slot)?;
                }
                let slot = Slot { object: Object::Dict(dict), place };
                self.bind_in(scope, &parameter.name, slot)
            }
            (None, Some((keyword, _))) => Err(Failure::type_error(format!(
                "{name}() got an unexpected keyword argument '{keyword}'"
            ))),
            (None, None) => Ok(()),
        }
    }
}

/// Whether an expression is a call of `read_base`.
pub(super) fn is_read_base(expression: &Expr) -> bool {
    match expression {
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) => name.id == "read_base",
            Expr::Attribute(attribute) => attribute.attr.as_str() == "read_base",
            _ => false,
        },
        _ => false,
    }
}
