//! Sequences and materials between tags: proteins, RNA, SMILES, crystals.

use std::sync::LazyLock;

use super::{
    Processed,
    blank::strip,
    model_marks::{without_closed_thoughts, without_thoughts},
    python_regex::PythonRegex,
};

/// The letters of amino acids.
const AMINO_ACIDS: &str = "ACDEFGHIKLMNPQRSTVWY";

/// `material`: what stands between the first `<material>` and its end, or nothing.
pub(super) fn material(text: &str) -> Processed {
    static TAGGED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?is)<material>(.*?)</material>"));
    Ok(TAGGED.first(text)?.map_or("", strip).into())
}

/// `rna`: what stands in the first `<rna>`, with U for T; without the opening tag the last run of bases
/// before the closing one.
pub(super) fn rna(text: &str) -> Processed {
    static TAGGED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?is)<rna>(.*?)</rna>"));
    static UP_TO_END: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?is)^(.*?)</rna>"));
    static BASES: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant("(?i)[ACGU]+"));
    let text = text.replace('T', "U").replace('t', "u");
    if let Some(sequence) = TAGGED.first(&text)? {
        return Ok(strip(sequence).into());
    }
    let before = UP_TO_END.first(&text)?.unwrap_or_default();
    Ok(BASES.last(before)?.unwrap_or_default().to_uppercase().into())
}

/// `upg`: the last `<protein>`, in capitals, its amino acids and gaps alone.
pub(super) fn unconditional_protein(text: &str) -> Processed {
    static TAGGED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)<protein>(.*?)</protein>"));
    let sequence = TAGGED.last(text)?.unwrap_or_default().to_uppercase();
    let is_part = |letter: &char| *letter == '-' || AMINO_ACIDS.contains(*letter);
    Ok(sequence.chars().filter(is_part).collect::<String>().into())
}

/// `mol_instructions_protein_design`: the amino acids of the first `<protein>` on one line.
pub(super) fn designed_protein(text: &str) -> Processed {
    static TAGGED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"<protein>(.*?)</protein>"));
    let text = without_thoughts(strip(text))?;
    let sequence = TAGGED.first(&text)?.unwrap_or_default();
    let is_part = |letter: &char| AMINO_ACIDS.contains(*letter);
    Ok(sequence.chars().filter(is_part).collect::<String>().into())
}

/// `retrosynthesis`: the last `<SMILES>` outside closed thoughts, or nothing.
pub(super) fn retrosynthesis(text: &str) -> Processed {
    static TAGGED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)<SMILES>(.*?)</SMILES>"));
    let text = without_closed_thoughts(text)?;
    Ok(TAGGED.last(&text)?.map_or("", strip).into())
}
