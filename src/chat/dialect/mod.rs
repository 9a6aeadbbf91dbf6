//! The template language as transformers speaks it.
//!
//! Chat templates are written for Jinja2 on Python, in the environment that transformers sets up.
//! minijinja is close to it, and this folder is the distance: what the grammar reads differently is
//! written again before compilation ([`tags`]), and operators, filters, tests, methods and printing
//! that show through in a rendered conversation are Python's here. It was measured row by row against
//! the original on some hundred templates of real models; nothing was added on suspicion.
//!
//! Not here: autoescaping, files, includes and inheritance, which chat templates cannot have.

mod arithmetic;
mod comparison;
mod comparison_chain;
mod counted_filters;
mod dict_member;
mod engine_filters;
mod expression;
mod list_filters;
mod methods;
mod python_str;
mod sequences;
mod tags;
mod text_filters;
mod to_json;
mod tokens;

use std::borrow::Cow;

use minijinja::{Environment, Error, ErrorKind, Output, State, Value, syntax::SyntaxConfig};

pub(super) use python_str::is_python_space;
pub(super) use tags::rewrite;

use super::{
    assistant_text::{self, AssistantText},
    error::Refusal,
    limits::charge,
};

/// An engine that speaks this dialect, without templates.
pub(super) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()
            .expect("the delimiters are the default ones"),
    );
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_unknown_method_callback(methods::call);
    environment.set_formatter(print);

    environment.add_function("__add", arithmetic::add);
    environment.add_function("__cat", arithmetic::cat);
    environment.add_function("__compared", comparison::compared);
    environment.add_function("__member", dict_member::member);
    environment.add_function("__mul", arithmetic::multiply);
    environment.add_function("__slice", sequences::slice);
    environment.add_filter("__generation", assistant_text::mark);
    environment.add_filter("__held", sequences::held);
    environment.add_filter("__iter", sequences::iterate);

    environment.add_function("raise_exception", raise_exception);

    // They print the engine's values, not Python's, and as much as they like.
    environment.remove_filter("pprint");
    environment.remove_global("debug");

    engine_filters::add_to(&mut environment);
    environment.add_filter("batch", counted_filters::batch);
    environment.add_filter("capitalize", text_filters::capitalize);
    environment.add_filter("count", list_filters::length);
    environment.add_filter("e", counted_filters::escape);
    environment.add_filter("escape", counted_filters::escape);
    environment.add_filter("format", counted_filters::format);
    environment.add_filter("indent", text_filters::indent);
    environment.add_filter("items", list_filters::items);
    environment.add_filter("join", text_filters::join);
    environment.add_filter("length", list_filters::length);
    environment.add_filter("lower", text_filters::lower);
    environment.add_filter("map", list_filters::map);
    environment.add_filter("reject", list_filters::reject);
    environment.add_filter("rejectattr", list_filters::rejectattr);
    environment.add_filter("replace", text_filters::replace);
    environment.add_filter("select", list_filters::select);
    environment.add_filter("selectattr", list_filters::selectattr);
    environment.add_filter("slice", counted_filters::slice);
    environment.add_filter("split", text_filters::split);
    environment.add_filter("string", text_filters::string);
    environment.add_filter("sum", counted_filters::sum);
    environment.add_filter("title", text_filters::title);
    environment.add_filter("tojson", to_json::tojson);
    environment.add_filter("trim", text_filters::trim);
    environment.add_filter("upper", text_filters::upper);

    environment.add_test("iterable", list_filters::is_iterable);
    environment.add_test("sequence", list_filters::is_sequence);
    environment
}

/// Writes a value into the text.
fn print(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    if let Some(text) = value.downcast_object_ref::<AssistantText>() {
        return text.write(out);
    }
    match value.as_str() {
        Some(text) => {
            charge(state, text.len())?;
            out.write_str(text)?;
        }
        None => out.write_str(&python_str::python_str(state, value)?)?,
    }
    Ok(())
}

/// `raise_exception(message)`: the template refuses the conversation.
fn raise_exception(state: &mut State, message: &Value) -> Result<Value, Error> {
    let message = python_str::python_str(state, message)?;
    Err(bad(message.clone()).with_source(Refusal(message)))
}

/// An operation that Python refuses.
fn bad(what: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{ChatError, ChatTemplate, Message, RenderOptions};

    fn render(source: &str) -> Result<String, ChatError> {
        let options = RenderOptions::at(jiff::civil::date(2025, 7, 4).at(9, 5, 6, 0))
            .with_variable("d", json!({"b": 1.0, "a": [null, true, "it's", {"é": 5e-5}]}))
            .with_variable("text", " \u{1c}a b\r\nc \n")
            .with_variable("nothing", json!(null));
        let messages = [Message::new("user", "Hi")];
        ChatTemplate::compile("test", source)?
            .render(&messages, &options)
            .map(|rendered| rendered.text)
    }

    fn assert_renders(cases: &[(&str, &str)]) {
        for (source, expected) in cases {
            match render(source) {
                Ok(text) => assert_eq!(text, *expected, "{source}"),
                Err(error) => panic!("{source}: {error}"),
            }
        }
    }

    #[test]
    fn white_space_around_tags_is_removed_as_in_transformers() {
        assert_renders(&[
            ("  {% if true %}\n  a\n  {% endif %}\nb\n", "  a\nb"),
            ("a\n  {{- ' b ' -}}  \nc", "a b c"),
            ("{%- raw %}\n{{ x }}\n{% endraw %}\nd", "\n{{ x }}\nd"),
            ("a\r\n{# note #}\r\nb", "a\nb"),
        ]);
    }

    #[test]
    fn values_print_as_in_python() {
        assert_renders(&[
            ("{{ d }}", "{'b': 1.0, 'a': [None, True, \"it's\", {'é': 5e-05}]}"),
            (
                "{{ nothing }}|{{ missing }}|{{ 'x' ~ 5e-5 ~ nothing ~ missing }}",
                "None||x5e-05None",
            ),
            ("{{ (1, 2) }}{{ (1,) }}", "(1, 2)(1,)"),
            ("{{ '-' * 3 }}{{ '-' * -1 }}{{ [1] * 2 }}{{ 2 * 3.0 }}", "---[1, 1]6.0"),
            ("{{ d|tojson }}", r#"{"b": 1.0, "a": [null, true, "it's", {"é": 5e-05}]}"#),
            (
                "{{ {'é': [1]}|tojson(ensure_ascii=true, indent=1) }}",
                "{\n \"\\u00e9\": [\n  1\n ]\n}",
            ),
            (
                "{{ {'b': 1, 'a': 2}|tojson(sort_keys=true, separators=(',', ':')) }}",
                r#"{"a":2,"b":1}"#,
            ),
        ]);
    }

    #[test]
    fn methods_and_filters_are_those_of_python() {
        assert_renders(&[
            ("{{ text.strip() }}|{{ text|trim }}", "a b\r\nc|a b\r\nc"),
            (
                "{{ text.splitlines() }}",
                "[' \\x1ca b', 'c ']".replace("' \\x1ca", "' ', 'a").as_str(),
            ),
            (
                "{{ 'a-b-c'.rsplit('-', 1) }}{{ 'a b  c'.rsplit(none, 1) }}",
                "['a-b', 'c']['a b', 'c']",
            ),
            ("{{ 'a=b'.partition('=') }}{{ 'xa'.removeprefix('x') }}", "('a', '=', 'b')a"),
            ("{{ 'l\nm\n'|indent(2) }}|", "l\n  m\n|"),
            ("{{ [][::-1] }}{{ 'abc'[::-1] }}{{ [1, 2, 3][-1:0:-1] }}", "[]cba[3, 2]"),
            ("{{ missing|length }}{{ missing|items|list }}", "0[]"),
            ("{{ none is iterable }}{{ 'x' is sequence }}{{ d is sequence }}", "FalseTrueTrue"),
            ("{{ '<b>'|safe + '<i>' }}{{ '<i>' + '<i>' }}", "<b>&lt;i&gt;<i><i>"),
            (
                "{{ d.items is defined }}{{ {'items': 1}.items()|list }}{{ {'get': 1}.get('get') }}",
                "True[('items', 1)]1",
            ),
            ("{% set ns = namespace(items=2) %}{{ ns.items }}{{ {'items': 3}['items'] }}", "23"),
            ("{{ strftime_now('%d %b %Y %H:%M') }}", "04 Jul 2025 09:05"),
            ("{% for c in 'ab' %}{{ c }}{{ loop.last }}{% endfor %}", "aFalsebTrue"),
        ]);
    }

    #[test]
    fn comparisons_are_those_of_python() {
        assert_renders(&[
            ("{{ 1 < 2.5 < 3 }}{{ 3 > 1 > 2 }}{{ 0 < 5 == 5 }}{{ true < 2 }}", "TrueFalseTrueTrue"),
            (
                "{{ 'a' < 'b' }}{{ 'b' <= 'ab' }}{{ [1, 'a'] < [2, 3] }}{{ [1] < [1, 2] }}",
                "TrueFalseTrueTrue",
            ),
            (
                "{{ 'a' in 'cat' }}{{ 'a' not in d }}{{ 2 in [1, 2] }}{{ 'x' in missing }}",
                "TrueFalseTrueFalse",
            ),
            ("{{ not 'a' in 'cat' }}{{ 1 + 1 in [2] and 2 * 3 >= 6 }}", "FalseTrue"),
            (
                "{{ 'y' if 1 < 2 else 'n' }}{{ [1 < 2, 3 > 4] }}{{ 2 is in [2] }}",
                "y[True, False]True",
            ),
            ("{% for x in [1, 2, 3] if x > 1 and x not in [3] %}{{ x }}{% endfor %}", "2"),
        ]);
    }

    #[test]
    fn what_python_refuses_is_an_error_with_its_line() {
        let cases = [
            (
                "\n{{ raise_exception('no: ' ~ 1) }}",
                "line 2: the template refuses this conversation: no: 1",
            ),
            (
                "{% for x in nothing %}{% endfor %}",
                "line 1: invalid operation: cannot loop over none",
            ),
            ("\n\n{{ 'a' + 1 }}", "line 3: invalid operation: cannot add string and number"),
            (
                "\n{{ 1 < 'a' }}",
                "line 2: invalid operation: '<' not supported between instances of 'int' and 'str'",
            ),
            ("{{ 'a' >= none }}", "'>=' not supported between instances of 'str' and 'NoneType'"),
            (
                "{{ [1, 'a'] > [1, 2.5] }}",
                "'>' not supported between instances of 'str' and 'float'",
            ),
            ("{{ missing <= 1 }}", "undefined value: a side of `<=` is undefined"),
            ("{{ 5 in 'text' }}", "'in <string>' requires string as left operand, not int"),
            ("{{ 'a' not in none }}", "argument of type 'NoneType' is not iterable"),
            ("{{ [1]|map('string')|tojson }}", "is not JSON serializable"),
            ("{{ missing.x }}", "line 1: undefined value"),
            ("a\n{% if %}", "line 2: unexpected"),
        ];
        for (source, expected) in cases {
            let error = render(source).unwrap_err().to_string();
            assert!(error.contains(expected), "{source}: {error}");
        }
    }
}
