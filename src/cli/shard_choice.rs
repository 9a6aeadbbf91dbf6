//! Which shard a process asks: typed, or what a scheduler says of the process.

use std::str::FromStr;

use crate::run::Shard;

/// The word for a number that a scheduler gives.
const AUTO: &str = "auto";

/// Variables of a task in a Slurm array: its number, how many there are, the first and the last number, and the step.
const SLURM: [&str; 5] = [
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_MAX",
    "SLURM_ARRAY_TASK_STEP",
];

/// The variable with the number, from 0, of a pod in an indexed job of Kubernetes.
const KUBERNETES: &str = "JOB_COMPLETION_INDEX";

/// What `--shard` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShardChoice {
    /// This one.
    Typed(Shard),
    /// The one that the scheduler says, of so many.
    Auto(Option<usize>),
}

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            None if text == AUTO => Ok(Self::Auto(None)),
            Some((AUTO, count)) => {
                // Whether so many may be is what a shard knows.
                let last: Shard = format!("{count}/{count}").parse()?;
                Ok(Self::Auto(Some(last.count())))
            }
            _ => text.parse().map(Self::Typed),
        }
    }
}

impl ShardChoice {
    /// The shard that is meant. `variable` reads the environment.
    ///
    /// # Errors
    /// No scheduler says one, or what it says does not go with what was typed.
    pub(super) fn settle(self, variable: &dyn Fn(&str) -> Option<String>) -> anyhow::Result<Shard> {
        let asked = match self {
            Self::Typed(shard) => return Ok(shard),
            Self::Auto(asked) => asked,
        };
        let number = |name: &str| -> anyhow::Result<Option<usize>> {
            let Some(text) = variable(name).filter(|text| !text.is_empty()) else {
                return Ok(None);
            };
            let number = text.parse().ok().filter(|number| *number < usize::MAX / 2);
            number
                .map(Some)
                .ok_or_else(|| anyhow::anyhow!("{name} is {text:?}, which is no number"))
        };
        let [task, tasks, first, last, step] = SLURM;
        let (found, count) = match (number(task)?, number(KUBERNETES)?) {
            (Some(_), Some(_)) => anyhow::bail!(
                "--shard auto: {task} and {KUBERNETES} are both set; say which shard this is, as --shard 3/16"
            ),
            (None, None) => anyhow::bail!(
                "--shard auto: neither {task} nor {KUBERNETES} is set, so no scheduler says which shard this is; say it, as \
                 --shard 3/16"
            ),
            (None, Some(index)) => {
                let Some(count) = asked else {
                    anyhow::bail!(
                        "--shard auto: Kubernetes does not say how many shards there are; say it, as --shard auto/16"
                    );
                };
                (index + 1, count)
            }
            (Some(id), None) => {
                let (Some(count), Some(first), Some(last)) =
                    (number(tasks)?, number(first)?, number(last)?)
                else {
                    anyhow::bail!(
                        "--shard auto: {tasks}, {first} and {last} say which shard this is, and not all are set"
                    );
                };
                let step = number(step)?.unwrap_or(1).max(1);
                // An array such as 3,7 says nothing of which shards its tasks are.
                if last < first
                    || (last - first) / step + 1 != count
                    || id < first
                    || (id - first) % step != 0
                {
                    anyhow::bail!(
                        "--shard auto: the tasks of this array are not numbered evenly, so which shard this is cannot be told; \
                         say it, as --shard $SLURM_ARRAY_TASK_ID/16"
                    );
                }
                if let Some(asked) = asked.filter(|asked| *asked != count) {
                    anyhow::bail!(
                        "--shard auto/{asked}: the array has {count} tasks, so which shard this is cannot be told; say it, as \
                         --shard $SLURM_ARRAY_TASK_ID/{asked}"
                    );
                }
                ((id - first) / step + 1, count)
            }
        };
        Shard::new(found, count)
            .ok_or_else(|| anyhow::anyhow!("--shard auto: this would be shard {found} of {count}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(typed: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let read = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let choice: ShardChoice = typed.parse()?;
        choice.settle(&read).map(|shard| shard.to_string()).map_err(|error| error.to_string())
    }

    fn slurm<'a>(numbers: &[&'a str; 5]) -> Vec<(&'static str, &'a str)> {
        SLURM.into_iter().zip(numbers.iter().copied()).collect()
    }

    #[test]
    fn a_scheduler_is_asked_only_where_that_was_typed() {
        let array = slurm(&["7", "16", "1", "16", "1"]);
        assert_eq!(settled("3/16", &array), Ok("3/16".to_owned()));
        assert_eq!(settled("auto/16", &array), Ok("7/16".to_owned()));
        assert_eq!(settled("auto", &array), Ok("7/16".to_owned()));
        assert_eq!(settled("auto", &slurm(&["0", "16", "0", "15", "1"])), Ok("1/16".to_owned()));
        assert_eq!(settled("auto", &slurm(&["30", "4", "0", "30", "10"])), Ok("4/4".to_owned()));
        assert_eq!(settled("auto/16", &[(KUBERNETES, "0")]), Ok("1/16".to_owned()));
        assert_eq!(settled("auto/16", &[(KUBERNETES, "15")]), Ok("16/16".to_owned()));
    }

    #[test]
    fn what_cannot_be_told_is_an_error() {
        let wrong: [(&str, Vec<(&str, &str)>); 9] = [
            ("auto", vec![]),
            ("auto", vec![(KUBERNETES, "3")]),
            ("auto/16", vec![(KUBERNETES, "16")]),
            ("auto/16", vec![(KUBERNETES, "x")]),
            ("auto/16", slurm(&["7", "8", "1", "8", "1"])),
            ("auto/2", slurm(&["7", "2", "3", "7", "1"])),
            ("auto", slurm(&["99999999999999999999", "2", "1", "2", "1"])),
            ("auto", vec![(SLURM[0], "3")]),
            ("auto/16", [slurm(&["7", "16", "1", "16", "1"]), vec![(KUBERNETES, "3")]].concat()),
        ];
        for (typed, variables) in wrong {
            assert!(settled(typed, &variables).is_err(), "{typed} {variables:?}");
        }
        for wrong in ["auto/", "auto/0", "auto/x", "AUTO", "auto/100001"] {
            assert!(wrong.parse::<ShardChoice>().is_err(), "{wrong}");
        }
    }
}
