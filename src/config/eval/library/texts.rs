//! `string` and `unicodedata`: letters.

use std::sync::LazyLock;

use fancy_regex::Regex;
use unicode_normalization::UnicodeNormalization as _;

use crate::config::eval::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::Object,
};

use super::{Native, text_of};

/// Constants of `string`.
pub(super) static CONSTANTS: &[(&str, &str)] = &[
    ("ascii_letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ("ascii_lowercase", "abcdefghijklmnopqrstuvwxyz"),
    ("ascii_uppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ("digits", "0123456789"),
    ("hexdigits", "0123456789abcdefABCDEF"),
    ("octdigits", "01234567"),
    ("punctuation", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    ("whitespace", " \t\n\r\u{b}\u{c}"),
];

/// `unicodedata.normalize(form, text)`.
pub(super) fn normalize(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [form, text] = arguments.exactly()?;
    let (form, text) = (text_of(Some(form), "normalize()")?, text_of(Some(text), "normalize()")?);
    it.heap.limits.text(text.len().saturating_mul(4))?;
    let normal: String = match &*form {
        "NFC" => text.nfc().collect(),
        "NFD" => text.nfd().collect(),
        "NFKC" => text.nfkc().collect(),
        "NFKD" => text.nfkd().collect(),
        _ => return Err(Failure::value_error("invalid normalization form")),
    };
    it.heap.new_text(normal)
}

/// Unicode's categories; those that most codes have stand first.
const CATEGORIES: &[&str] = &[
    "Cn", "Co", "Lo", "Lu", "Ll", "Lt", "Lm", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps",
    "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf",
];

/// `unicodedata.category(letter)`.
pub(super) fn category(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    static PATTERNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
        let pattern =
            |name: &&'static str| Some((*name, Regex::new(&format!(r"\A\p{{{name}}}\z")).ok()?));
        CATEGORIES.iter().filter_map(pattern).collect()
    });
    let [letter] = arguments.exactly()?;
    if let Object::Native(native) = &letter
        && matches!(**native, Native::Surrogate)
    {
        return Ok(Object::text("Cs"));
    }
    let letter = text_of(Some(letter), "category()")?;
    if letter.chars().count() != 1 {
        return Err(Failure::type_error("category() argument must be a unicode character"));
    }
    it.heap.limits.steps(4)?;
    let found = PATTERNS.iter().find(|(_, pattern)| pattern.is_match(&*letter).unwrap_or(false));
    match found {
        Some((name, _)) => Ok(Object::text(name)),
        None => Err(Failure::unsupported("the category of this letter")),
    }
}
