//! What a template may cost.
//!
//! A chat template is a program that comes with a checkpoint, so it is run as one that nobody has
//! read: it reaches no file and no network, and what it computes ends. Instructions are counted by
//! the engine. Text and lists are counted here, by everything that makes them larger, because a few
//! instructions are enough to double a string until memory is full. The limits are far beyond what
//! honest templates need for the longest conversations.

use minijinja::{Error, ErrorKind, State};

/// Most instructions of one rendering.
const INSTRUCTIONS: u64 = 5_000_000;

/// Most bytes that the tags of a template may add up to in one rendering. The engine goes through a
/// constant text by itself, one per instruction, so this bounds the instructions.
const TAG_BYTES: u64 = 2 << 30;

/// As [`TAG_BYTES`], for text between tags that is written again and again. A block may keep it all in
/// a variable.
const REPEATED_BYTES: u64 = 128 << 20;

/// Most bytes of text and lists made in one rendering, intermediate values included.
const WORK_BYTES: usize = 256 << 20;

/// Most bytes of a rendered conversation.
pub(super) const OUTPUT_BYTES: usize = 64 << 20;

/// Most bytes of a template.
pub(super) const SOURCE_BYTES: usize = 256 << 10;

/// Most bytes of a tag: the engine looks for constants in an expression anew at each of its operators.
pub(super) const TAG_SOURCE_BYTES: usize = 32 << 10;

/// Most lists and mappings within each other.
pub(super) const NESTING: usize = 100;

/// What an entry of a list counts for.
pub(super) const ENTRY_BYTES: usize = 128;

/// Stack of the thread that compiles a template: enough for the longest chain (`x.a.a.a…`) that fits
/// into [`TAG_SOURCE_BYTES`], and for as many `elif` as fit into [`SOURCE_BYTES`].
pub(super) const COMPILER_STACK_BYTES: usize = 256 << 20;

/// Bytes that are read in the time in which one is made.
const READ_BYTES: usize = 16;

/// Instructions that a template may run whose longest tag and whose longest text in a loop, or
/// whatever else is written again, have these lengths.
pub(super) fn instructions(longest_tag_bytes: usize, longest_repeated_bytes: usize) -> u64 {
    INSTRUCTIONS
        .min(TAG_BYTES / longest_tag_bytes.max(1) as u64)
        .min(REPEATED_BYTES / longest_repeated_bytes.max(1) as u64)
}

/// What a rendering has made so far.
#[derive(Default)]
struct WorkDone {
    bytes: usize,
}

/// Counts text or lists that were made, or are about to be.
pub(super) fn charge(state: &mut State, bytes: usize) -> Result<(), Error> {
    let done = state.get_or_insert_extension(WorkDone::default());
    done.bytes = done.bytes.saturating_add(bytes);
    if done.bytes > WORK_BYTES {
        return Err(exceeded(format!("it makes more than {} MiB of text", WORK_BYTES >> 20)));
    }
    Ok(())
}

/// Counts text that is searched or compared, which costs less than text that is made.
pub(super) fn read(state: &mut State, bytes: usize) -> Result<(), Error> {
    charge(state, bytes / READ_BYTES)
}

/// Counts a string and gives it back.
pub(super) fn charged(state: &mut State, text: String) -> Result<String, Error> {
    charge(state, text.len())?;
    Ok(text)
}

/// Refuses what lies within too many lists.
pub(super) fn check_nesting(depth: usize) -> Result<(), Error> {
    if depth > NESTING {
        return Err(exceeded(format!("a value has more than {NESTING} levels of lists")));
    }
    Ok(())
}

/// The error of a limit.
pub(super) fn exceeded(what: String) -> Error {
    Error::new(ErrorKind::OutOfFuel, what)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{ChatError, ChatTemplate, Message, RenderOptions},
        TAG_SOURCE_BYTES,
    };

    fn render(source: &str) -> Result<String, ChatError> {
        let options = RenderOptions::at(jiff::civil::date(2025, 1, 1).into());
        let messages = [Message::new("user", "Hi")];
        let template = ChatTemplate::compile("hostile", source)?;
        template.render(&messages, &options).map(|rendered| rendered.text)
    }

    fn assert_stopped(body: &str) {
        let source = format!(
            "{{% set ns = namespace(x='ab', l=['ab']) %}}{{% for i in range(99999) %}}{{% for j in range(99999) %}}{body}{{% endfor %}}{{% endfor %}}"
        );
        let error = render(&source).expect_err(body).to_string();
        assert!(!error.contains("gave up"), "{body}: {error}");
    }

    #[test]
    fn templates_that_do_not_end_are_stopped() {
        assert_stopped("");
        assert_stopped("{{ messages }}");
        assert_stopped("{% set s %}literal text{% endset %}");
        assert_stopped(&format!("{{% set s %}}{}{{% endset %}}", "long ".repeat(20_000)));
        assert_stopped("{{ '%1000000000d'|format(j) }}");
        assert_stopped("{{ '{:1000000000}'.format(j) }}");
        assert_stopped("{{ range(99999)|batch(999999999, 'x')|list }}");
        assert_stopped("{{ [1]|slice(999999999)|list }}");
        assert_stopped("{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}");
    }

    #[test]
    fn values_that_double_are_stopped() {
        for value in [
            "ns.x ~ ns.x",
            "ns.x + ns.x",
            "ns.x * 2",
            "ns.x.replace('a', 'aa')",
            "ns.x|replace('a', 'aa')",
            "ns.x.join(['a', 'b', ns.x])",
            "[ns.x, ns.x]|join(ns.x)",
            "'%s%s'|format(ns.x, ns.x)",
            "ns.x|indent(first=true)",
            "ns.x|tojson|tojson",
        ] {
            assert_stopped(&format!("{{% set ns.x = {value} %}}"));
        }
        for value in ["ns.l + ns.l", "[ns.l, ns.l]", "ns.l * 2", "[ns.l]", "{'l': ns.l}", "ns.l[:]"]
        {
            assert_stopped(&format!("{{% set ns.l = {value} %}}"));
        }
    }

    #[test]
    fn recursion_ends() {
        let recursive = "{% macro f(x) %}{{ f(x ~ x) }}{% endmacro %}{{ f('ab') }}";
        assert!(render(recursive).is_err());
        let printed = "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}{{ ns|tojson }}";
        assert!(render(printed).is_err());
        let brackets = format!("{{{{ {}1{} }}}}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(render(&brackets).is_err());
        let tags = format!("{}x{}", "{% if 1 %}".repeat(9_000), "{% endif %}".repeat(9_000));
        assert!(render(&tags).is_err());
        for chain in [".a", "[0]", "()", "|e", ".get", "[::1]", " - 1", " / x", " and x", " is odd"]
        {
            let within = chain.repeat(TAG_SOURCE_BYTES / chain.len() - 9);
            let _ = render(&format!("{{{{ x{within} }}}}"));
            let beyond = render(&format!("{{{{ x{within}{within} }}}}")).unwrap_err().to_string();
            assert!(beyond.contains("a tag is longer"), "{chain}: {beyond}");
        }
        assert!(render(&format!("{{{{ {}x }}}}", "not ".repeat(60_000))).is_err());
        let clauses = format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(21_000));
        assert_eq!(render(&clauses).unwrap(), "");
        let sums = format!("{{{{ 1{} }}}}", " + 1 - 1".repeat(20_000));
        assert!(render(&sums).is_err());
    }

    #[test]
    fn files_are_out_of_reach() {
        for source in ["{% include '/etc/passwd' %}", "{% import 'x' as x %}", "{{ open('x') }}"] {
            assert!(render(source).is_err(), "{source}");
        }
    }
}
