//! How much longer the stages of a tokenizer can make a text.
//!
//! A `tokenizer.json` is somebody else's program. Forty stages that replace `a` by `aa` make a letter a
//! terabyte, so what a stage may do is read off the file before any text is given to it. Bounds are of
//! bytes and never too small; those of Unicode's forms are its own (UAX 15, “Stability and growth”).

use serde_json::Value;

use super::pieces;

/// Most stages of one kind: a real tokenizer has up to ten.
const MOST_STAGES: usize = 64;

/// Most bytes that a stage may put in front of a piece of text; real ones put one character.
const MOST_PREPENDED_BYTES: usize = 64;

/// A text of n bytes becomes one of at most `factor` · n + `added_bytes`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    pub(super) factor: f64,
    pub(super) added_bytes: f64,
}

impl Default for Growth {
    fn default() -> Self {
        Self::NONE
    }
}

impl Growth {
    /// A text does not grow.
    pub(super) const NONE: Self = Self::by(1.0);

    const fn by(factor: f64) -> Self {
        Self { factor, added_bytes: 0.0 }
    }

    /// The growth by this stage and then by `next`.
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            factor: self.factor * next.factor,
            added_bytes: self.added_bytes * next.factor + next.added_bytes,
        }
    }

    /// What a text of so many bytes becomes.
    pub(super) fn of(self, bytes: usize) -> f64 {
        bytes as f64 * self.factor + self.added_bytes
    }

    /// The most that a byte becomes, if every piece of a text is only one.
    pub(super) fn per_byte(self) -> f64 {
        self.factor + self.added_bytes
    }
}

/// The single stages of a component, in order. `part` is its name in the file.
pub(super) fn stages<'v>(component: &'v Value, part: &str) -> Result<Vec<&'v Value>, String> {
    let mut found = Vec::new();
    let mut open = vec![component];
    while let Some(stage) = open.pop() {
        match list(stage) {
            Some(inner) => open.extend(inner.iter().rev()),
            None if stage.is_null() => {}
            None => found.push(stage),
        }
        if found.len() + open.len() > MOST_STAGES {
            return Err(format!("`{part}` has more than {MOST_STAGES} stages"));
        }
    }
    Ok(found)
}

/// The stages of a stage that is a sequence of them.
fn list(stage: &Value) -> Option<&Vec<Value>> {
    ["normalizers", "pretokenizers", "processors", "decoders"]
        .iter()
        .find_map(|field| stage.get(field)?.as_array())
}

/// The growth by one stage of a normalizer or a decoder. `part` is its name in the file.
pub(super) fn of_text(stage: &Value, part: &str) -> Result<Growth, String> {
    Ok(match kind(stage) {
        "NFKC" | "NFKD" => Growth::by(11.0),
        "Lowercase" => Growth::by(1.5),
        // Decomposes, lowers, and puts spaces around ideographs.
        "BertNormalizer" => Growth::by(8.0),
        // As a normalizer a byte of `ByteLevel` becomes a letter of two; as a decoder, which gives bytes back,
        // one that is no text becomes U+FFFD.
        "NFC" | "NFD" | "ByteLevel" | "ByteFallback" => Growth::by(3.0),
        "WordPiece" => Growth { factor: 1.0, added_bytes: 1.0 },
        "Prepend" => Growth { factor: 1.0, added_bytes: prepended(stage, part)? as f64 },
        "Replace" => replaced(stage, part)?,
        "Precompiled" => {
            let table = stage["precompiled_charsmap"].as_str().unwrap_or_default();
            let bytes = pieces::charsmap::most_bytes(table)
                .map_err(|problem| format!("`{part}` has a Precompiled stage: {problem}"))?;
            Growth::by(bytes.max(1) as f64)
        }
        _ => Growth::NONE,
    })
}

/// The growth by one stage of a pre-tokenizer.
pub(super) fn of_words(stage: &Value) -> Result<Growth, String> {
    let part = "pre_tokenizer";
    Ok(match kind(stage) {
        "ByteLevel" => {
            let prefix = if stage["add_prefix_space"] == true { 2.0 } else { 0.0 };
            Growth { factor: 2.0, added_bytes: prefix }
        }
        "Metaspace" => {
            let bytes = stage["replacement"].as_str().map_or(4, str::len).max(1) as f64;
            let prefix = if stage["prepend_scheme"] == "never" { 0.0 } else { bytes };
            Growth { factor: bytes, added_bytes: prefix }
        }
        "Split" if stage["pattern"]["String"] == "" => return Err(empty("Split", part)),
        "FixedLength" if stage["length"] == 0 => {
            return Err(format!("`{part}` has a FixedLength of 0"));
        }
        _ => Growth::NONE,
    })
}

/// What a stage is. The oldest files do not say it, but have fields that do.
fn kind(stage: &Value) -> &str {
    let fields = [
        ("precompiled_charsmap", "Precompiled"),
        ("prepend", "Prepend"),
        ("content", "Replace"),
        ("replacement", "Metaspace"),
        ("clean_text", "BertNormalizer"),
    ];
    let by_field = || fields.iter().find(|(field, _)| stage.get(field).is_some());
    stage["type"].as_str().or_else(|| by_field().map(|(_, kind)| *kind)).unwrap_or_default()
}

fn prepended(stage: &Value, part: &str) -> Result<usize, String> {
    match stage["prepend"].as_str().map_or(0, str::len) {
        bytes if bytes > MOST_PREPENDED_BYTES => Err(format!(
            "`{part}` has a Prepend of {bytes} bytes, more than the {MOST_PREPENDED_BYTES} that are allowed"
        )),
        bytes => Ok(bytes),
    }
}

fn replaced(stage: &Value, part: &str) -> Result<Growth, String> {
    let content = stage["content"].as_str().map_or(0, str::len) as f64;
    match stage["pattern"]["String"].as_str() {
        Some("") => Err(empty("Replace", part)),
        Some(pattern) => Ok(Growth::by((content / pattern.len() as f64).max(1.0))),
        // A regular expression may match a single byte, and nothing beside each.
        None => Ok(Growth { factor: content + 1.0, added_bytes: content }),
    }
}

fn empty(stage: &str, part: &str) -> String {
    format!("`{part}` has a {stage} with an empty pattern, which stands everywhere and nowhere")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_hold_for_what_the_library_does() {
        use tokenizers::{NormalizedString, Normalizer as _, NormalizerWrapper};
        let texts = ["a", "aaaa", "ﷺ", "ΐ", "Ⱥİ", "字 x", "\u{1}é", " a b", "\u{fb2c}"];
        for stage in [
            json!({"type": "NFC"}),
            json!({"type": "NFD"}),
            json!({"type": "NFKC"}),
            json!({"type": "NFKD"}),
            json!({"type": "Lowercase"}),
            json!({"type": "ByteLevel"}),
            json!({"type": "Nmt"}),
            json!({"type": "StripAccents"}),
            json!({"type": "Strip", "strip_left": true, "strip_right": true}),
            json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": false, "lowercase": true}),
            json!({"type": "Prepend", "prepend": "▁"}),
            json!({"type": "Replace", "pattern": {"String": "a"}, "content": "bcd"}),
            json!({"type": "Replace", "pattern": {"String": "aa"}, "content": "b"}),
            json!({"type": "Replace", "pattern": {"Regex": "a+"}, "content": "bcd"}),
        ] {
            let growth = of_text(&stage, "normalizer").unwrap();
            let normalizer: NormalizerWrapper = serde_json::from_value(stage.clone()).unwrap();
            for text in texts {
                let mut written = NormalizedString::from(text);
                normalizer.normalize(&mut written).unwrap();
                assert!(written.get().len() as f64 <= growth.of(text.len()), "{stage} {text}");
            }
        }
    }

    #[test]
    fn stages_multiply_and_what_cannot_work_is_refused() {
        let double = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
        let nested = json!({"type": "Sequence", "normalizers": [
            double, {"type": "Sequence", "normalizers": [double, {"type": "Prepend", "prepend": "b"}]}]});
        let growth = stages(&nested, "normalizer")
            .unwrap()
            .into_iter()
            .fold(Growth::NONE, |growth, stage| growth.then(of_text(stage, "normalizer").unwrap()));
        assert_eq!(growth, Growth { factor: 4.0, added_bytes: 1.0 });
        let many = json!({"type": "Sequence", "normalizers": vec![double; 65]});
        assert!(stages(&many, "normalizer").unwrap_err().contains("more than 64 stages"));
        let nothing = json!({"type": "Replace", "pattern": {"String": ""}, "content": "x"});
        assert!(of_text(&nothing, "decoder").unwrap_err().contains("`decoder` has a Replace"));
        let long = json!({"type": "Prepend", "prepend": "x".repeat(1 << 20)});
        assert!(of_text(&long, "normalizer").unwrap_err().contains("Prepend of 1048576 bytes"));
        assert!(of_words(&json!({"type": "FixedLength", "length": 0})).is_err());
        assert!(of_words(&json!({"type": "Split", "pattern": {"String": ""}})).is_err());
    }
}
