//! `MuSR`: stories to be reasoned about, each with questions that number their choices. What the model is told
//! beside the story is part of the benchmark, word for word.

use serde_json::Value;

use super::{
    arguments::{Arguments, unknown},
    class::{ClassForm, Tables, own},
    file::items,
    row::{Fields, Made, Row, is_truthy, object, row},
};
use crate::{dataset::DatasetError, python::python_str};

pub(super) const MUSR: ClassForm = own(
    &[
        "path",
        "name",
        "self_consistency_n?",
        "exclude_contrastive_examples?",
        "reverse_contrastive_sample?",
        "offset?",
        "sample_size?",
        "*",
    ],
    stories,
);

/// A kind of story.
struct Kind {
    name: &'static str,
    hint: &'static str,
    /// Whether the hint stands above the question.
    is_hint_first: bool,
}

const SYSTEM_PROMPT: &str =
    "You are a helpful assistant that will answer the questions given by the user.";

const KINDS: &[Kind] = &[
    Kind {
        name: "murder_mysteries",
        hint: "Before selecting a choice, explain your reasoning step by step. \
               The murderer needs to have a means (access to weapon), motive (reason to kill the victim), \
               and opportunity (access to crime scene) in order to have killed the victim. \
               Innocent suspects may have two of these proven, but not all three. \
               An innocent suspect may be suspicious for some other reason, but they will not have all of motive, \
               means, and opportunity established.\n\n\
               If you believe that both suspects have motive, means, and opportunity, you should make an educated guess \
               and pick the one for whom these are best established. If you believe that neither suspect has all \
               three established, then choose the suspect where these are most clearly established.",
        is_hint_first: false,
    },
    Kind {
        name: "object_placements",
        hint: "Based on this story, we want to identify where someone believes that a certain object is at the end of \
               the story. In order to do that, you need to read the story and keep track of where they think the object \
               is at each point. When an object is moved, the person may observe its new location if they saw it move.\n\n\
               To see where an object ends up, they must be able to see the location that it moves to and not be too \
               distracted by what they are doing. If they do not observe the object moving, then they will still believe \
               it to be in the last location where they observed it.",
        is_hint_first: true,
    },
    Kind {
        name: "team_allocation",
        hint: "The story should allow you to determine how good each person is at a skill. Roughly, each person is \
               either great, acceptable, or bad at a task. We want to find an optimal assignment of people to tasks \
               that uses their skills as well as possible. In addition, one task will have to have two people assigned \
               to it. The effectiveness of their teamwork (great team, acceptable team, or bad team) also impacts the \
               overall quality of the assignment.\n\n\
               When two people need to work on a task and one is bad at it, they don't necessarily benefit from the \
               other person being good, unless they work well together.\n\n\
               With different strengths, weaknesses, and interpersonal dynamics at play, you should allocate your team \
               to find the single assignment to ensure that the tasks overall are completed as effectively as possible.",
        is_hint_first: false,
    },
];

fn stories(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let name = arguments.text("name")?;
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        return arguments.asked(unknown("name", name, &known));
    };
    let times = arguments.whole("self_consistency_n", 1)?;
    let items = items(&arguments.file("{path}/{name}.json")?)?;
    let mut told = Vec::new();
    let mut kept = Vec::new();
    for item in &items {
        let hash = "questions.0.intermediate_data.0.story_hash_id";
        let is_kept = item.make(|story| {
            let hash = story.at(hash).ok().filter(|hash| is_truthy(hash));
            let Some(hash) = hash.filter(|_| arguments.flag("exclude_contrastive_examples", false))
            else {
                return Ok(true);
            };
            let is_told = told.contains(hash);
            told.push(hash.clone());
            // Either the first story of a pair is wanted or those that follow it.
            Ok(is_told == arguments.flag("reverse_contrastive_sample", false))
        })?;
        if is_kept {
            kept.push(item);
        }
    }
    let offset = usize::try_from(arguments.whole("offset", 0)?).unwrap_or(0);
    let size = usize::try_from(arguments.whole("sample_size", 0)?).ok().filter(|size| *size > 0);
    let mut rows = Vec::new();
    for item in kept.into_iter().skip(offset).take(size.unwrap_or(usize::MAX)) {
        rows.extend(item.make(|story| {
            let questions = story.list("questions")?.iter().flat_map(|question| {
                (0..times).map(move |number| question_row(kind, story, question, number, times))
            });
            questions.collect::<Made<Vec<Row>>>()
        })?);
    }
    Ok(Tables::Single(rows))
}

fn question_row(
    kind: &Kind,
    story: &Value,
    question: &Value,
    number: i64,
    times: i64,
) -> Made<Row> {
    let choices = question.list("choices")?;
    let lines = choices
        .iter()
        .zip(1..)
        .map(|(choice, number)| format!("{number} - {}", python_str(choice)));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let (context, text) = (story.at("context")?, question.at("question")?);
    let hint = kind.hint;
    let (above, below) = if kind.is_hint_first {
        (format!("{hint}\n\n"), String::new())
    } else {
        (String::new(), format!("{hint} "))
    };
    let prompt = format!(
        "{}\n\n{above}{}\n\nPick one of the following choices:\n{lines}\n\nYou must pick one option. {below}Explain \
         your reasoning step by step before you answer. Finally, the last thing you generate should be \"ANSWER: (your \
         answer here, including the choice number)\"",
        python_str(context),
        python_str(text),
    );
    let or_none = |field: &str| {
        object(question)
            .map(|own| own.get(field).cloned().unwrap_or_else(|| Value::Array(Vec::new())))
    };
    Ok(row([
        ("context", context.clone()),
        ("question_text", text.clone()),
        ("question", question.clone()),
        ("answer", question.at("answer")?.clone()),
        ("choices", choices.clone().into()),
        ("choices_str", lines.into()),
        ("intermediate_trees", or_none("intermediate_trees")?),
        ("intermediate_data", or_none("intermediate_data")?),
        ("prompt", prompt.into()),
        ("system_prompt", SYSTEM_PROMPT.into()),
        ("gold_answer", (question.whole("answer")? + 1).into()),
        ("scidx", number.into()),
        ("self_consistency_n", times.into()),
        ("ablation_name", "cot+".into()),
    ]))
}
