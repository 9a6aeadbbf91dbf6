//! Sentencepiece's compiled table of characters.
//!
//! Four bytes of length, a double-array trie of so many bytes (units of four), and texts that end with
//! a zero byte, to which the values of the trie point. The crate that reads it follows whatever the trie
//! says, so every place it could be led to is looked at here first.

use tokenizers::normalizers::Precompiled;

/// The place of a unit's children is within the block of 256 units that it points to.
const BLOCK_UNITS: usize = 256;
/// Marks a unit that holds a value instead of children …
const VALUE: u32 = 1 << 31;
/// … and a unit whose first child is one.
const HAS_VALUE: u32 = 1 << 8;

/// Reads a table that leads nowhere outside itself.
pub(super) fn parse(bytes: &[u8]) -> Result<Precompiled, String> {
    if !holds_together(bytes) {
        return Err("its table of characters is damaged".to_owned());
    }
    Precompiled::from(bytes).map_err(|error| error.to_string())
}

/// The most bytes by which a table in base64, as it stands in a `tokenizer.json`, replaces anything. The
/// error says why it is refused.
pub(in super::super) fn most_bytes(table: &str) -> Result<usize, String> {
    let bytes = from_base64(table).ok_or("its table of characters is not in base64")?;
    if !holds_together(&bytes) {
        return Err("its table of characters is damaged".to_owned());
    }
    let trie_bytes = bytes.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize);
    let texts = bytes.get(4 + trie_bytes..).unwrap_or_default();
    Ok(texts.split(|byte| *byte == 0).map(<[u8]>::len).max().unwrap_or(0))
}

/// The bytes of a text in base64 with its padding.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let unpadded = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for letters in unpadded.as_bytes().chunks(4) {
        let mut group = 0_u32;
        for letter in letters {
            let digit = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            group = group << 6 | u32::from(digit);
        }
        let group = (group << (6 * (4 - letters.len()))).to_be_bytes();
        bytes.extend_from_slice(&group[1..letters.len()]);
    }
    Some(bytes)
}

/// Whether lengths, places and values of a table stay within it.
fn holds_together(bytes: &[u8]) -> bool {
    let parts = bytes.split_first_chunk().and_then(|(length, rest)| {
        let (trie, texts) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((trie, std::str::from_utf8(texts).ok()?))
    });
    let Some((trie, texts)) = parts else { return false };
    let (units, rest) = trie.as_chunks();
    let units: Vec<u32> = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
    if units.is_empty() || !rest.is_empty() || !units.len().is_multiple_of(BLOCK_UNITS) {
        return false;
    }
    let leads_inside = |(place, unit): (usize, &u32)| {
        let offset = (unit >> 10) << ((unit & (1 << 9)) >> 6);
        let children = units.get(place ^ offset as usize);
        // A value is read only where a unit says that its first child is one.
        let value = |child: &u32| (child & !VALUE) as usize;
        unit & VALUE != 0
            || children
                .is_some_and(|child| unit & HAS_VALUE == 0 || texts.is_char_boundary(value(child)))
    };
    units.iter().enumerate().all(leads_inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_base64_tells_its_longest_replacement() {
        assert_eq!(from_base64("AAECAw==").unwrap(), [0, 1, 2, 3]);
        assert_eq!(from_base64("+/8A").unwrap(), [0xfb, 0xff, 0]);
        assert!(from_base64("a b").is_none());
        assert!(most_bytes("AAECAw==").is_err());
        let library =
            parse(&[1024_u32.to_le_bytes().as_slice(), &[0; 1024], b"four\0no\0"].concat());
        let written = serde_json::to_value(library.unwrap()).unwrap();
        assert_eq!(most_bytes(written["precompiled_charsmap"].as_str().unwrap()), Ok(4));
    }

    #[test]
    fn tables_that_lead_outside_are_refused() {
        let table = |bytes: u32, units: [u32; 2], texts: &[u8]| {
            let mut table = bytes.to_le_bytes().to_vec();
            table.extend(units.map(u32::to_le_bytes).concat());
            table.extend([0; 1016]);
            table.extend(texts);
            parse(&table).is_ok()
        };
        // The first child of the first unit is the second.
        let value_next = HAS_VALUE | 1 << 10;
        let texts = "é\0".as_bytes();
        assert!(table(1024, [0, 0], texts));
        assert!(table(1024, [value_next, VALUE | 2], texts));
        assert!(!table(1024, [value_next, VALUE | 1], texts), "within a character");
        assert!(!table(1024, [value_next, VALUE | 9], texts), "behind the texts");
        assert!(!table(1024, [value_next, 9 << 10], texts), "no value");
        assert!(!table(1024, [1 << 20, 0], texts), "behind the trie");
        assert!(!table(u32::MAX, [0, 0], texts), "longer than the file");
        assert!(!table(1020, [0, 0], texts), "not in blocks");
        assert!(!table(1024, [0, 0], b"\xff"), "no text");
        assert!(parse(&[0, 0]).is_err());
    }
}
