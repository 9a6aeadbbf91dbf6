//! Templates of a task's rows: any text as a template, and rows of any shape.

use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value as Json};
use surprisal::chat::RowTemplate;

use crate::{
    explore,
    grammar::{mutated, pieces},
    node::json_value,
    replay,
};

const TEMPLATES: &[&str] = &[
    "Question: {{question.strip()}}\nAnswer:",
    "{% for choice in choices %}{{ 'ABCD'[loop.index0] }}. {{choice}}\n{% endfor %}Answer:",
    "{{['A', 'B', 'C', 'D'].index(answers)}}",
    "{% set x = question.split('_') %}{{x[0]|trim}}{% if choices %} {{choices|join(', ')}}{% endif %}",
    "{{choices.text[answer - 1]|replace('  ', ' ')|lower}}{{ '%s' % answer }}",
];

const PIECES: &[&str] = &[
    "{{",
    "}}",
    "{%- ",
    " -%}",
    "{% ",
    " %}",
    "\n",
    "a",
    "é",
    "question",
    "choices",
    "answer",
    "x",
    "{% for x in choices %}",
    "{% for x in range(99999) %}",
    "{% endfor %}",
    "{% if x %}",
    "{% else %}",
    "{% endif %}",
    "{% set x = ",
    "{% set x %}",
    "{% endset %}",
    "{% macro f(x) %}",
    "{% endmacro %}",
    "{{ f(x) }}",
    "loop.index0",
    "(",
    ")",
    "[",
    "]",
    "{'a': ",
    "}",
    ", ",
    " + ",
    " * ",
    " ~ ",
    " == ",
    " in ",
    " is defined",
    " if ",
    " else ",
    "|",
    ".",
    "[0]",
    "[::-1]",
    "[1:]",
    "0",
    "1",
    "-1",
    "1000000000",
    "1.5",
    "none",
    "''",
    "'ab é'",
    "'%s'",
    "'{:>9999999}'.format(x)",
    "|trim",
    "|length",
    "|list",
    "|int",
    "|replace('a', 'bb')",
    "|join(', ')",
    "|sort",
    "|unique|list",
    "|indent(4)",
    "|tojson",
    "|batch(2)|list",
    "|default('x')",
    "|round(2)",
    "|sum",
    "|regex_replace('a', 'b')",
    ".split('a')",
    ".strip()",
    ".index('a')",
    ".items()",
    ".format(x)",
    ".join(x)",
    ".find('a')",
    ".replace('', question)",
    ".upper()",
    "range(",
    "dict(",
    "namespace(",
];

#[test]
fn row_templates_end_in_text_or_errors() {
    replay("row_template", |source| render(source, &Map::new()));
    let template = prop_oneof![3 => pieces(PIECES, 40), 2 => mutated(TEMPLATES)];
    let column = prop_oneof!["question", "choices", "answer", ".{0,3}"];
    let row = vec((column, json_value()), 0..5);
    explore((template, row), |(source, row)| {
        render(source, &row.iter().cloned().collect());
    });
}

fn render(source: &str, row: &Map<String, Json>) {
    match RowTemplate::compile("fuzz", source).and_then(|template| template.render(row)) {
        Ok(text) => assert!(text.len() < 1 << 28),
        Err(error) => assert!(!error.to_string().contains("gave up"), "{error}"),
    }
}
