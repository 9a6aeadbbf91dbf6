//! A command as it was typed, with some options taken out: other processes are started with what is left.

/// Words of a command line without `valued`, options that have a value, and without `switches`, options that have none.
/// What stands behind `--` is no option.
pub(super) fn without(
    words: impl Iterator<Item = String>,
    valued: &[&str],
    switches: &[&str],
) -> Vec<String> {
    let mut kept = Vec::new();
    let mut is_value = false;
    let mut may_be_option = true;
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        may_be_option &= word != "--";
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if may_be_option && valued.contains(&name) {
            is_value = name == word;
        } else if !(may_be_option && switches.contains(&word.as_str())) {
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::without;

    fn kept(typed: &str) -> String {
        let words = typed.split(' ').map(str::to_owned);
        without(words, &["--shard", "--cpus"], &["--print"]).join(" ")
    }

    #[test]
    fn a_command_is_kept_without_the_options_named() {
        for typed in [
            "surprisal run --shard 3/16 a.py -w out",
            "surprisal run a.py --shard=auto/16 -w out --print",
            "surprisal run --print --cpus 4 a.py --cpus=--print -w out",
            "surprisal run a.py -w out",
        ] {
            assert_eq!(kept(typed), "surprisal run a.py -w out");
        }
        assert_eq!(kept("surprisal run -- --shard --print"), "surprisal run -- --shard --print");
        assert_eq!(kept("surprisal run --shards 3"), "surprisal run --shards 3");
    }
}
