//! The token at the beginning of a sequence, which must not stand there twice.

/// Whether a rendered conversation would begin with two BOS tokens, because it says one itself and the
/// tokenizer puts another in front. Such a text is to be encoded without special tokens; two of them
/// change every score a little and no result visibly.
pub fn doubles_bos(text: &str, bos_token: Option<&str>, tokenizer_adds_bos: bool) -> bool {
    tokenizer_adds_bos && bos_token.is_some_and(|bos| !bos.is_empty() && text.starts_with(bos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bos_is_doubled_only_if_both_write_it() {
        assert!(doubles_bos("<s>[INST]", Some("<s>"), true));
        assert!(!doubles_bos("<s>[INST]", Some("<s>"), false));
        assert!(!doubles_bos("[INST]", Some("<s>"), true));
        assert!(!doubles_bos("<s>[INST]", None, true));
        assert!(!doubles_bos("[INST]", Some(""), true));
    }
}
