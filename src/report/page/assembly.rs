//! The file put together: style, script and data, and the policy that lets nothing else run.

use std::borrow::Cow;

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// The scripts in the order of `scripts.txt`: later ones use what earlier ones define.
const SCRIPTS: [&str; 31] = [
    include_str!("element.js"),
    include_str!("number.js"),
    include_str!("visible.js"),
    include_str!("digits.js"),
    include_str!("numbers_coded.js"),
    include_str!("blocks.js"),
    include_str!("columns.js"),
    include_str!("pictures.js"),
    include_str!("segments.js"),
    include_str!("address.js"),
    include_str!("selection.js"),
    include_str!("theme.js"),
    include_str!("tint.js"),
    include_str!("forest.js"),
    include_str!("table.js"),
    include_str!("overview.js"),
    include_str!("comparison.js"),
    include_str!("pairs.js"),
    include_str!("pager.js"),
    include_str!("list.js"),
    include_str!("toolbar.js"),
    include_str!("token_stretch.js"),
    include_str!("heat_map.js"),
    include_str!("facts.js"),
    include_str!("candidates.js"),
    include_str!("texts.js"),
    include_str!("stages.js"),
    include_str!("sample.js"),
    include_str!("samples.js"),
    include_str!("keyboard.js"),
    include_str!("page.js"),
];

/// What differs from page to page.
pub(super) struct Parts<'p> {
    pub(super) title: &'p str,
    pub(super) summary: &'p Json,
    /// Letters of the columns, a line each.
    pub(super) index: &'p str,
    /// The elements with the blocks.
    pub(super) blocks: &'p str,
}

/// The bytes of the file.
pub(super) fn assembled(parts: &Parts<'_>) -> Vec<u8> {
    let script = script();
    let title = escaped(parts.title);
    // What ends a script's element must not stand in data; JSON can say it otherwise.
    let summary = parts.summary.to_string().replace('<', "\\u003c");
    let value = |name: &str| -> Cow<'_, str> {
        match name {
            "title" => Cow::Borrowed(&title),
            "style" => Cow::Borrowed(STYLE),
            "script" => Cow::Borrowed(&script),
            "style_sha256" => Cow::Owned(sha256(STYLE)),
            "script_sha256" => Cow::Owned(sha256(&script)),
            "summary" => Cow::Borrowed(&summary),
            "index" => Cow::Borrowed(parts.index),
            "blocks" => Cow::Borrowed(parts.blocks),
            _ => Cow::Borrowed(""),
        }
    };
    // In one pass: data may hold what looks like a placeholder.
    let mut out = String::new();
    for (number, piece) in TEMPLATE.split("{{").enumerate() {
        match piece.split_once("}}") {
            Some((name, rest)) if number > 0 => {
                out += &value(name);
                out += rest;
            }
            _ => out += piece,
        }
    }
    out.into_bytes()
}

fn script() -> String {
    format!("'use strict';\n{{\n{}}}\n", SCRIPTS.concat())
}

/// SHA-256 in base 64, as a policy names what may run.
pub(crate) fn sha256(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut whole = [0; 4];
        whole[1..=group.len()].copy_from_slice(group);
        let number = u32::from_be_bytes(whole);
        for place in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#x27;",
            control if control < ' ' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_in_the_page_in_the_order_of_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/page/");
        let names = include_str!("scripts.txt").split_whitespace();
        let listed: Vec<String> =
            names.map(|name| std::fs::read_to_string(format!("{folder}{name}")).unwrap()).collect();
        assert_eq!(listed, SCRIPTS);
    }

    #[test]
    fn hashes_are_written_as_policies_write_them() {
        // printf '' | openssl dgst -sha256 -binary | base64
        assert_eq!(sha256(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(
            ["f", "fo", "foo", "foob"].map(|own| base64(own.as_bytes())),
            ["Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }

    #[test]
    fn data_are_neither_markup_nor_placeholders() {
        let summary = serde_json::json!({"title": "</script>{{script}}"});
        let parts = Parts { title: "<\n\"'&", summary: &summary, index: "{{title}}", blocks: "" };
        let html = String::from_utf8(assembled(&parts)).unwrap();
        assert!(html.contains("<title>&lt; &quot;&#x27;&amp;</title>"));
        assert!(html.contains(r#"{"title":"\u003c/script>{{script}}"}"#));
        assert!(html.contains(r#"id="index">{{title}}</script>"#));
        assert_eq!(html.matches("'use strict'").count(), 1);
    }
}
