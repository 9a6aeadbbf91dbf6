//! What tokens spell, byte by byte.

use super::Tokenizer;

/// The first character that stands for a byte which is no visible character itself.
const FIRST_STAND_IN: u32 = 256;

impl Tokenizer {
    /// What a token adds to a text; of a part of a character its bytes, where the vocabulary tells them.
    pub fn token_bytes(&self, id: u32) -> Vec<u8> {
        let text = self.text_behind_letter(id, |ids| self.library.decode(ids, false).ok());
        if !text.contains(char::REPLACEMENT_CHARACTER) {
            return text.into_bytes();
        }
        let name = self.library.inner().id_to_token(id).unwrap_or_default();
        let spelled = fallback_byte(&name).or_else(|| byte_level(&name));
        spelled
            // The vocabulary may be spelled otherwise: what is decoded decides.
            .filter(|bytes| String::from_utf8_lossy(bytes) == text)
            .unwrap_or_else(|| text.into_bytes())
    }

    /// What `decoded` makes of a token that stands behind a letter: decoders drop the space of a first word.
    pub(super) fn text_behind_letter(
        &self,
        id: u32,
        decoded: impl Fn(&[u32]) -> Option<String>,
    ) -> String {
        let anchor = ["a", "\u{2581}a", "Ġa"].iter().find_map(|letter| self.token_id(letter));
        let decoded = |ids: &[u32]| decoded(ids).unwrap_or_default();
        let behind = anchor.and_then(|anchor| {
            decoded(&[anchor, id]).strip_prefix(&decoded(&[anchor])).map(str::to_owned)
        });
        behind.unwrap_or_else(|| decoded(&[id]))
    }
}

/// The byte that sentencepiece writes as `<0xE6>`.
fn fallback_byte(name: &str) -> Option<Vec<u8>> {
    let digits = name.strip_prefix("<0x")?.strip_suffix('>')?;
    (digits.bytes().all(|digit| digit.is_ascii_hexdigit()) && digits.len() == 2)
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
        .map(|byte| vec![byte])
}

/// The bytes of a token in GPT-2's spelling: visible characters of Latin-1 are themselves, the other bytes are
/// the characters from U+0100 on.
fn byte_level(name: &str) -> Option<Vec<u8>> {
    let is_visible = |byte: &u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    name.chars()
        .map(|letter| match u32::from(letter) {
            own @ 0..FIRST_STAND_IN => u8::try_from(own).ok().filter(is_visible),
            own => {
                let place = (own - FIRST_STAND_IN) as usize;
                (0..=u8::MAX).filter(|byte| !is_visible(byte)).nth(place)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn tokenizer(folder: &str) -> Tokenizer {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
        Tokenizer::read(&fixtures.join(folder)).unwrap()
    }

    #[test]
    fn tokens_of_a_text_spell_it_to_the_byte() {
        let tokenizer = tokenizer("llama");
        let text = "Né 根 😀\r\n\u{7f}\u{a0}ﬁ\u{202e} end";
        let ids = tokenizer.encode(text, false).unwrap();
        let spelled: Vec<u8> = ids.iter().flat_map(|id| tokenizer.token_bytes(*id)).collect();
        assert_eq!(spelled, text.as_bytes());
        // Some of them are parts of characters, which a text cannot hold.
        assert!(ids.iter().any(|id| tokenizer.token_text(*id).contains('\u{fffd}')));
    }

    #[test]
    fn both_spellings_of_bytes_are_read() {
        assert_eq!(fallback_byte("<0xE6>"), Some(vec![0xE6]));
        assert_eq!(fallback_byte("<0xE6"), None);
        assert_eq!(fallback_byte("<0x+6>"), None);
        assert_eq!(byte_level("æł¹"), Some("根".as_bytes().to_vec()));
        assert_eq!(byte_level("ĠĊ"), Some(b" \n".to_vec()));
        assert_eq!(byte_level("根"), None);
    }
}
