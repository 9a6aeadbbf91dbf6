//! Values of configs and of samples, with the words that templates know among them.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value as Json};
use surprisal::config::{Node, Value};

const WORDS: &[&str] = &[
    "",
    "template",
    "begin",
    "round",
    "end",
    "role",
    "prompt",
    "HUMAN",
    "BOT",
    "SYSTEM",
    "fallback_role",
    "generate",
    "api_role",
    "prompt_mm",
    "reserved_roles",
    "text",
    "image",
    "type",
    "image_url",
    "url",
    "question",
    "answer",
    "content",
    "user",
    "assistant",
    "expand_column",
    "A",
    "{question}",
    "{answer}",
    "</E>{question}</E>",
    "</S>",
    "{",
    "}",
    "{{question}}",
    "{}",
    "\n",
    "<AIS_TEXT_START>a<AIS_CONTENT_TAG><AIS_IMAGE_START>b.jpg<AIS_CONTENT_TAG>",
    "<AIS_CONTENT_TAG>",
];

/// A word that means something somewhere, or any text.
pub(crate) fn word() -> impl Strategy<Value = String> {
    prop_oneof![9 => select(WORDS).prop_map(str::to_owned), 1 => ".{0,8}"]
}

/// A value of a sample.
pub(crate) fn json_value() -> impl Strategy<Value = Json> {
    let plain = prop_oneof![
        1 => Just(Json::Null),
        1 => any::<bool>().prop_map(Json::from),
        1 => any::<i64>().prop_map(Json::from),
        1 => any::<f64>().prop_map(Json::from),
        4 => word().prop_map(Json::from),
    ];
    plain.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::from),
            vec((word(), inner), 0..4).prop_map(|entries| Json::Object(Map::from_iter(entries))),
        ]
    })
}

/// A value of a config.
pub(crate) fn node() -> impl Strategy<Value = Node> {
    let text = || word().prop_map(Value::Str);
    let plain = prop_oneof![
        1 => Just(Value::None),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => any::<i64>().prop_map(Value::Int),
        1 => any::<f64>().prop_map(Value::Float),
        4 => text(),
        1 => word().prop_map(Value::Type),
    ];
    plain.prop_map(Node::from).prop_recursive(4, 24, 4, move |inner| {
        let named = (text().prop_map(Node::from), inner.clone());
        prop_oneof![
            2 => vec(inner.clone(), 0..4).prop_map(|items| Value::List(items).into()),
            1 => vec(inner.clone(), 0..3).prop_map(|items| Value::Tuple(items).into()),
            1 => vec((inner.clone(), inner), 0..3).prop_map(|entries| Value::Dict(entries).into()),
            3 => vec(named, 0..4).prop_map(|entries| Value::Dict(entries).into()),
        ]
    })
}

/// A list of turns, texts and whatever else.
fn turns() -> impl Strategy<Value = Node> {
    let turn = (select(&["HUMAN", "BOT", "SYSTEM", "JUDGE"]), word(), vec((word(), node()), 0..2));
    let turn = turn.prop_map(|(role, prompt, more)| {
        let more = more.into_iter().map(|(key, value)| (key, value.value));
        dict([("role", Value::Str(role.to_owned())), ("prompt", Value::Str(prompt))], more)
    });
    let item =
        prop_oneof![6 => turn, 1 => word().prop_map(|text| Value::Str(text).into()), 1 => node()];
    vec(item, 0..5).prop_map(|items| Value::List(items).into())
}

/// What a template or a meta template may be: sections of turns, a text, or whatever else.
pub(crate) fn template() -> impl Strategy<Value = Node> {
    let sections = vec((select(&["begin", "round", "end", "reserved_roles", "A"]), turns()), 0..4);
    let sections = sections.prop_map(|sections| {
        dict([], sections.into_iter().map(|(name, turns)| (name.to_owned(), turns.value)))
    });
    let round = turns().prop_map(|turns| dict([("round", turns.value)], []));
    prop_oneof![3 => sections, 3 => round, 1 => turns(), 2 => word().prop_map(|text| Value::Str(text).into()), 1 => node()]
}

/// A dict of named values; of several with one name the last stays.
pub(crate) fn dict<const N: usize>(
    entries: [(&str, Value); N],
    more: impl IntoIterator<Item = (String, Value)>,
) -> Node {
    let mut node = Node::from(Value::Dict(Vec::new()));
    for (name, value) in entries {
        node.set(name, value.into());
    }
    for (name, value) in more {
        node.set(&name, value.into());
    }
    node
}
