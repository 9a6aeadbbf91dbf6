//! Values put into texts: f-strings, `str.format` and `%`.

use std::rc::Rc;

use ruff_python_ast::{
    ConversionFlag, ExprFString, FStringPart, InterpolatedStringElement, InterpolatedStringElements,
};

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::Object,
};

impl Interpreter {
    /// `f'…{value}…'`.
    pub(super) fn f_string(&mut self, template: &ExprFString) -> Eval<Object> {
        let mut out = String::new();
        for part in &template.value {
            match part {
                FStringPart::Literal(literal) => out.push_str(&literal.value),
                FStringPart::FString(part) => self.interpolate(&part.elements, &mut out)?,
            }
        }
        self.heap.new_text(out)
    }

    fn interpolate(&mut self, elements: &InterpolatedStringElements, out: &mut String) -> Eval<()> {
        for element in elements {
            let field = match element {
                InterpolatedStringElement::Literal(literal) => {
                    out.push_str(&literal.value);
                    continue;
                }
                InterpolatedStringElement::Interpolation(field) => field,
            };
            let value = self.evaluate(&field.expression)?;
            let mut spec = String::new();
            if let Some(elements) = &field.format_spec {
                self.interpolate(&elements.elements, &mut spec)?;
            }
            let mut conversion = match field.conversion {
                ConversionFlag::None => None,
                ConversionFlag::Str => Some('s'),
                ConversionFlag::Repr => Some('r'),
                ConversionFlag::Ascii => Some('a'),
            };
            if let Some(debug) = &field.debug_text {
                // `f'{x=}'` shows the text and then the repr.
                out.push_str(debug.as_str());
                if conversion.is_none() && spec.is_empty() {
                    conversion = Some('r');
                }
            }
            out.push_str(&self.converted(value, conversion, &spec)?);
        }
        Ok(())
    }

    fn converted(&self, value: Object, conversion: Option<char>, spec: &str) -> Eval<String> {
        let value = match conversion {
            None => value,
            Some('s') => Object::Str(self.heap.str(&value)?.into()),
            Some('r') => Object::Str(self.heap.repr(&value)?.into()),
            Some(other) => {
                return Err(Failure::unsupported(format_args!("the conversion `!{other}`")));
            }
        };
        self.heap.format(&value, spec)
    }

    /// `text.format(…)`.
    pub(super) fn format_method(&mut self, text: &str, arguments: &Arguments) -> Eval<Object> {
        let mut next = 0;
        let filled = self.format_fields(text, arguments, &mut next, true)?;
        self.heap.new_text(filled)
    }

    /// Fills `{…}`. Specifications can hold fields in turn, but those none.
    fn format_fields(
        &mut self,
        text: &str,
        arguments: &Arguments,
        next: &mut usize,
        nests: bool,
    ) -> Eval<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            self.heap.limits.text(before.len())?;
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                out.push_str(&from[..1]);
                rest = after;
                continue;
            }
            let Some(length) = field_length(from).filter(|_| nests) else {
                return Err(Failure::value_error("single '{' or '}' in the format string")
                    .with_hint("write {{ or }} for the letter itself"));
            };
            let (field, after) = from.split_at(length);
            rest = after;
            // Without its braces.
            let field = &field[1..field.len() - 1];
            let (field, spec) = field.split_once(':').unwrap_or((field, ""));
            let (name, conversion) = match field.split_once('!') {
                Some((name, conversion)) => (name, conversion.chars().next()),
                None => (field, None),
            };
            let value = self.field(name, arguments, next)?;
            let spec = if spec.contains('{') {
                self.spec_fields(spec, arguments, next)?
            } else {
                spec.to_owned()
            };
            out.push_str(&self.converted(value, conversion, &spec)?);
        }
        Ok(out + rest)
    }

    /// The fields of a specification, which are plain names.
    fn spec_fields(&mut self, spec: &str, arguments: &Arguments, next: &mut usize) -> Eval<String> {
        let mut out = String::new();
        let mut rest = spec;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            let value = self.field(name, arguments, next)?;
            out.push_str(before);
            out.push_str(&self.heap.str(&value)?);
            rest = after;
        }
        Ok(out + rest)
    }

    /// The value of a field such as `0`, `name`, `name.attribute` or `0[key]`.
    fn field(&mut self, field: &str, arguments: &Arguments, next: &mut usize) -> Eval<Object> {
        let end = field.find(['.', '[']).unwrap_or(field.len());
        let (first, mut rest) = field.split_at(end);
        let index = match first {
            "" => {
                *next += 1;
                Some(*next - 1)
            }
            _ => first.parse().ok(),
        };
        let slot = match index {
            Some(index) => arguments.positional.get(index),
            None => {
                arguments.keywords.iter().find(|(name, _)| **name == *first).map(|(_, slot)| slot)
            }
        };
        let Some(slot) = slot else {
            return Err(match index {
                Some(index) => Failure::raised("IndexError", format!("no value for field {index}")),
                None => Failure::raised("KeyError", format!("'{first}'")),
            });
        };
        let mut value = slot.object.clone();
        while !rest.is_empty() {
            if let Some((key, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
            {
                let key = key.parse().map_or_else(|_| Object::text(key), Object::Int);
                value = self.item(&value, &key)?;
                rest = after;
            } else {
                let name = rest.trim_start_matches('.');
                let end = name.find(['.', '[']).unwrap_or(name.len());
                if end == 0 {
                    return Err(Failure::value_error(format!("invalid field '{field}'")));
                }
                value = self.attribute(&value, &name[..end])?;
                rest = &name[end..];
            }
        }
        Ok(value)
    }

    /// `template % values`.
    pub(super) fn percent(&mut self, template: &Rc<str>, values: &Object) -> Eval<Object> {
        let mut given = match values {
            Object::Tuple(_) => self.heap.counted_items(values)?,
            _ => Vec::new(),
        }
        .into_iter()
        .map(|slot| slot.object)
        .collect::<std::collections::VecDeque<_>>();
        let mut is_used = matches!(values, Object::Tuple(_) | Object::Dict(_));
        if !matches!(values, Object::Tuple(_)) {
            given.push_back(values.clone());
        }
        let mut out = String::new();
        let mut rest = &**template;
        while let Some((before, after)) = rest.split_once('%') {
            out.push_str(before);
            self.heap.limits.text(before.len())?;
            if let Some(after) = after.strip_prefix('%') {
                out.push('%');
                rest = after;
                continue;
            }
            let (name, after) = match after.strip_prefix('(').and_then(|rest| rest.split_once(')'))
            {
                Some((name, after)) => (Some(name), after),
                None => (None, after),
            };
            let end =
                after.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(after.len());
            let (flags, after) = after.split_at(end);
            let Some(kind) = after.chars().next() else {
                return Err(Failure::value_error("incomplete format after '%'")
                    .with_hint("write %% for a percent sign"));
            };
            rest = &after[kind.len_utf8()..];
            let value = match name {
                Some(name) => self.item(values, &Object::text(name))?,
                None => given
                    .pop_front()
                    .ok_or_else(|| Failure::type_error("not enough arguments for format string"))?,
            };
            is_used = true;
            out.push_str(&self.percent_field(&value, flags, kind)?);
        }
        let are_left = !given.is_empty() && matches!(values, Object::Tuple(_));
        if !is_used || are_left {
            let message = "not all arguments converted during string formatting";
            return Err(Failure::type_error(message));
        }
        self.heap.new_text(out + rest)
    }

    fn percent_field(&self, value: &Object, flags: &str, kind: char) -> Eval<String> {
        // `-` and `+` of `%` are `<` and `+` of a specification, where texts stand at the left.
        let is_left = flags.contains('-');
        let rest: String = flags.chars().filter(|flag| *flag != '-').collect();
        let text = match kind {
            's' => Some(self.heap.str(value)?),
            'r' => Some(self.heap.repr(value)?),
            _ => None,
        };
        if let Some(text) = text {
            let align = if is_left { '<' } else { '>' };
            return self.heap.format(&Object::Str(text.into()), &format!("{align}{rest}"));
        }
        let align = if is_left { "<" } else { "" };
        match (kind, value) {
            ('d' | 'i' | 'u', Object::Float(number)) => {
                if number.abs() >= 9_223_372_036_854_775_808.0 || number.is_nan() {
                    return Err(Failure::too_big());
                }
                self.heap.format(&Object::Int(number.trunc() as i64), &format!("{align}{rest}d"))
            }
            ('d' | 'i' | 'u', _) => self.heap.format(value, &format!("{align}{rest}d")),
            ('f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'x' | 'X' | 'o', _) => {
                self.heap.format(value, &format!("{align}{rest}{kind}"))
            }
            _ => Err(Failure::value_error(format!("unsupported format character '{kind}'"))),
        }
    }
}

/// The length of the field that starts here with `{`, braces in it included.
fn field_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
