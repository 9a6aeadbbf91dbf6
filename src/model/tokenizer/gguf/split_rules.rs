//! How byte-level tokenizers divide texts into words, by the name that GGUF files have for it.
//!
//! Names and their meaning are those of llama.cpp's `llama-vocab.cpp`, which no document repeats. Where it
//! adapts an expression to its own engine and quotes the original, the original stands here, which the
//! models' own `tokenizer.json` have. Normal forms are no part of a rule: llama.cpp applies none, although
//! some of those files do. A name that is not listed is not known.

/// How words are divided, and what goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SplitRule {
    /// One after the other, each on the pieces of the one before: what matches and what is between matches
    /// are pieces of their own.
    pub(super) patterns: &'static [&'static str],
    /// Whether GPT-2's own words come last.
    pub(super) ends_in_gpt2_words: bool,
    /// Whether a word that is a token is that token, whatever merges would make of it.
    pub(super) takes_whole_words: bool,
    /// Whether a sequence begins with BOS if the file does not say.
    pub(super) adds_bos: bool,
}

/// The rule of a name.
pub(super) fn of(name: &str) -> Option<SplitRule> {
    Some(match name {
        "a.x-4.0" | "exaone4" | "gigachat" | "gpt-2" | "granite-docling" | "jais" | "jina-de"
        | "jina-es" | "jina-v2-de" | "jina-v2-es" | "mellum" | "modern-bert" | "mpt" | "olmo"
        | "phi-2" | "trillion" => gpt2(&[]),
        "codeshell" | "command-r" | "exaone" | "mellum2" | "minerva-7b" | "refact" | "smollm"
        | "starcoder" => gpt2(&[r"\p{N}"]),
        "falcon" => {
            // GPT-2's words without the spaces at the end, which are what is between matches.
            words(&[r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"])
        }
        "default" => words(&[r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"]),
        "falcon-h1" | "falcon3" | "jina-v5-nano" | "lfm2" | "llama-bpe" | "llama-v3" | "llama3"
        | "midm-2.0" | "pixtral" => {
            SplitRule { takes_whole_words: true, adds_bos: true, ..words(&[LLAMA3]) }
        }
        "chatglm-bpe" | "dbrx" | "smaug-bpe" => words(&[LLAMA3]),
        "glm4" | "glm5" => SplitRule { takes_whole_words: true, ..words(&[LLAMA3]) },
        "deepseek-r1-qwen" | "f2llmv2" | "grok-2" | "hunyuan" | "kormo" | "megrez" | "qwen2"
        | "solar-open" | "stablelm2" => words(&[QWEN2]),
        "qwen35" => words(&[QWEN35]),
        "deepseek-coder" => {
            words(&["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}"])
        }
        "deepseek-llm" => words(&[
            "[\r\n]",
            DEEPSEEK_LLM_LETTERS,
            r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
            r"\s+$",
            "[一-龥ࠀ-一가-퟿]+",
            r"\p{N}+",
        ]),
        "deepseek-v3" | "hunyuan-dense" | "hy_v4" | "joyai-llm" => {
            words(&[r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK_V3])
        }
        "tekken" => SplitRule { takes_whole_words: true, adds_bos: true, ..words(&[TEKKEN]) },
        "gpt-4o" | "kanana2" | "llama4" | "minimax-m2" | "talkie" => words(&[O200K]),
        "bloom" | "gpt3-finnish" | "poro-chat" => words(&[BLOOM]),
        "viking" => words(&[BLOOM, r"\p{N}"]),
        "bailingmoe" | "bailingmoe2" | "llada-moe" => words(&[BAILING]),
        "seed-coder" => words(&[SEED_CODER]),
        _ => return None,
    })
}

const fn words(patterns: &'static [&'static str]) -> SplitRule {
    SplitRule { patterns, ends_in_gpt2_words: false, takes_whole_words: false, adds_bos: false }
}

const fn gpt2(patterns: &'static [&'static str]) -> SplitRule {
    SplitRule { ends_in_gpt2_words: true, ..words(patterns) }
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN35: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK_V3: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
const DEEPSEEK_LLM_LETTERS: &str = r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\x{1F7D}ᾀ-ᾴᾶ-ᾼ\x{1FBE}ῂ-ῄῆ-ῌῐ-\x{1FD3}ῖ-\x{1FDB}ῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\x{2126}ℨ\x{212A}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+";
const BLOOM: &str = r" ?[^(\s|.,!?…。，、।۔،)]+";
const BAILING: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+";
const SEED_CODER: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+";
