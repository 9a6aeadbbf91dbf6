//! Chat templates: any text as a template, and conversations of any shape.

use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value as Json, json};
use surprisal::chat::{ChatTemplate, Message, RenderOptions};

use crate::{
    explore,
    grammar::{mutated, pieces},
    node::json_value,
    replay,
};

const TEMPLATES: &[&str] = &[
    "{% for m in messages %}{{ '<|' + m['role'] + '|>\n' + m.content|trim + eos_token }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "{%- set ns = namespace(n=0, s='') %}{%- for m in messages[1:] if m.role == 'user' %}{% set ns.n = ns.n + 1 %}{%- set ns.s = ns.s ~ m.content %}{%- endfor %}{{ ns }}",
    "{% macro f(x, y=1) %}{% generation %}{{ x|tojson(indent=2) }}{% endgeneration %}{% endmacro %}{{ f(messages) }}{{ f(tools)[::-1] }}",
    "{% for k, v in messages[0].items() %}{{ loop.index0 }}{{ k.split('o')|join('-') }}{% else %}{{ raise_exception('none') }}{% endfor %}",
    "{% raw %}{{ x }}{% endraw %}{{ strftime_now('%Y') }}{{ '%s' % x if x is defined else '{:>5}'.format('é') }}",
];

const PIECES: &[&str] = &[
    "{{ ",
    " }}",
    "{%- ",
    " -%}",
    "{% ",
    " %}",
    "{# c #}",
    "a",
    "\n",
    "é",
    "{% for m in messages %}",
    "{% for i in range(99999) %}",
    "{% for k, v in m.items() %}",
    "{% endfor %}",
    "{% else %}",
    "{% if x %}",
    "{% elif y %}",
    "{% endif %}",
    "{% set x = ",
    "{% set x %}",
    "{% endset %}",
    "{% set ns = namespace(x=x) %}",
    "{% set ns.x = ",
    "{% macro f(x, y=1) %}",
    "{% endmacro %}",
    "{{ f(x) }}",
    "{% call f(x) %}",
    "{% endcall %}",
    "{% filter upper %}",
    "{% endfilter %}",
    "{% generation %}",
    "{% endgeneration %}",
    "{% raw %}",
    "{% endraw %}",
    "{% break %}",
    "{% include 'chat' %}",
    "{% block a %}",
    "{% endblock %}",
    "x",
    "y",
    "m",
    "ns.x",
    "messages",
    "loop.index0",
    "loop.last",
    "loop(",
    "tools",
    "caller()",
    "0",
    "1",
    "-1",
    "1000000000",
    "1.5",
    "none",
    "true",
    "''",
    "'ab é'",
    "'%s'",
    "'{:>9999999}'",
    "(",
    ")",
    "[",
    "]",
    "{'a': ",
    "}",
    ", ",
    " + ",
    " - ",
    " * ",
    " // ",
    " % ",
    " ** ",
    " ~ ",
    " == ",
    " < ",
    " and ",
    " not ",
    " in ",
    " is ",
    " if ",
    " else ",
    "|",
    ".",
    "[0]",
    "[-1]",
    "[::-1]",
    "[1:]",
    "|tojson",
    "|tojson(indent=1)",
    "|trim",
    "|length",
    "|list",
    "|string",
    "|int",
    "|replace('a', 'bb')",
    "|join(', ')",
    "|first",
    "|reverse|list",
    "|sort",
    "|unique|list",
    "|map(attribute='role')|list",
    "|groupby('role')|list",
    "|selectattr('role', 'equalto', 'user')|list",
    "|batch(2)|list",
    "|indent(4)",
    "|default('x')",
    "|e",
    "|safe",
    "|items|list",
    "|dictsort",
    "|format(x)",
    "|round(2)",
    "|sum",
    "|zip(x)|list",
    " defined",
    " string",
    " mapping",
    " divisibleby(2)",
    ".split('a')",
    ".strip()",
    ".splitlines()",
    ".items()",
    ".get('a')",
    ".format(x)",
    ".join(x)",
    ".find('a')",
    ".rsplit('a', 1)",
    "range(",
    "namespace(",
    "dict(",
    "raise_exception(",
    "strftime_now(",
];

#[test]
fn chat_templates_end_in_text_or_errors() {
    replay("chat", |source| render(source, &[Message::new("user", "Hi")], 0));
    let template = prop_oneof![3 => pieces(PIECES, 40), 2 => mutated(TEMPLATES)];
    let fields = vec((prop_oneof!["role", "content", "tool_calls", ".{0,3}"], json_value()), 0..4);
    let messages = vec(fields, 0..4);
    explore((template, messages, any::<u8>()), |(source, messages, flags)| {
        let object = |fields: &Vec<(String, Json)>| Json::Object(Map::from_iter(fields.clone()));
        let messages = messages.iter().map(object).collect();
        render(source, &Message::list_from_json(messages).unwrap(), *flags);
    });
}

fn render(source: &str, messages: &[Message], flags: u8) {
    let is_set = |bit: u8| flags >> bit & 1 == 1;
    let mut options = RenderOptions::at(jiff::civil::date(2026, 1, 1).at(1, 2, 3, 4))
        .with_special_token("eos_token", Some("</s>"))
        .with_variable("x", json!([1, "a", {"b": [2.5, null]}, -1]))
        .with_variable("y", json!("<b> é\n"));
    options.add_generation_prompt = is_set(0);
    options.tools = is_set(1).then(|| vec![json!({"function": {"name": "f"}})]);
    options.continue_final_message = is_set(2).then(|| "content".to_owned());
    let rendered =
        ChatTemplate::compile("fuzz", source).and_then(|it| it.render(messages, &options));
    match rendered {
        Ok(rendered) => {
            for span in &rendered.assistant_spans {
                assert!(rendered.text.get(span.clone()).is_some());
            }
        }
        Err(error) => assert!(!error.to_string().contains("gave up"), "{error}"),
    }
}
