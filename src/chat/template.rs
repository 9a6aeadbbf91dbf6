//! A compiled chat template.

use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
};

use jiff::civil::DateTime;
use minijinja::{Environment, Error, ErrorKind, Value, value::Serde};

use super::{
    ChatError, Message, RenderOptions,
    assistant_text::{AssistantSpans, RenderedBytes},
    continuation, dialect, limits,
};

/// The name under which the engine knows the one template of an environment.
const ENTRY: &str = "chat";

/// A chat template, compiled once and rendered for many conversations.
///
/// ```
/// use surprisal::chat::{ChatTemplate, Message, RenderOptions};
///
/// let template = ChatTemplate::compile("short", "{% for m in messages %}{{ m.role + ': ' + m.content }}
/// {% endfor %}")?;
/// let messages = [Message::new("user", "Hi"), Message::new("assistant", "Hello")];
/// let options = RenderOptions::at(jiff::civil::date(2025, 7, 4).at(9, 5, 6, 0));
/// assert_eq!(template.render(&messages, &options)?.text, "user: Hi\nassistant: Hello\n");
/// # Ok::<(), surprisal::chat::ChatError>(())
/// ```
#[derive(Debug)]
pub struct ChatTemplate {
    name: String,
    source: String,
    environment: Environment<'static>,
    /// Whether texts are given to it as lists of one part.
    pub(super) is_given_parts: bool,
}

/// A conversation as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The text, special tokens included: it is encoded without adding any.
    pub text: String,
    /// Bytes of the text that the assistant wrote, if the template says so with `{% generation %}`.
    pub assistant_spans: Vec<Range<usize>>,
    /// Whether all of what the template marked is in [`Rendered::assistant_spans`]: a block that became
    /// part of a variable, or of what a macro gives, is not.
    pub has_all_spans: bool,
}

impl ChatTemplate {
    /// Compiles a template; the name is for messages about it.
    pub fn compile(name: &str, source: &str) -> Result<Self, ChatError> {
        let environment = compiled(name, source, ENTRY, dialect::environment())?;
        let (name, source) = (name.to_owned(), source.to_owned());
        Ok(Self { name, source, environment, is_given_parts: false })
    }

    /// The template's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The template as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Writes a conversation as text.
    pub fn render(
        &self,
        messages: &[Message],
        options: &RenderOptions,
    ) -> Result<Rendered, ChatError> {
        let mut messages: Vec<Message> =
            messages.iter().map(Message::with_reasoning_aliases).collect();
        let continued = match &options.continue_final_message {
            Some(_) if options.add_generation_prompt => {
                let problem = "a new answer is asked for too; choose one of the two".to_owned();
                return Err(ChatError::Continuation { problem });
            }
            Some(field) => Some(continuation::tag(&mut messages, field, &self.source)?),
            None => None,
        };
        if self.is_given_parts {
            messages.iter_mut().for_each(Message::say_in_parts);
        }
        let mut rendered = self.run(messages, options)?;
        if let Some(continued) = continued {
            rendered.text = continuation::cut(rendered.text, &continued)?;
            let end = rendered.text.len();
            for span in &mut rendered.assistant_spans {
                *span = span.start.min(end)..span.end.min(end);
            }
        }
        Ok(rendered)
    }

    fn run(&self, messages: Vec<Message>, options: &RenderOptions) -> Result<Rendered, ChatError> {
        let spans = Arc::new(AssistantSpans::default());
        let mut rendered = RenderedBytes { bytes: Vec::new(), spans: Arc::clone(&spans) };
        let variables = variables(messages, options, &spans);
        guarded(|| {
            let template = self.environment.get_template(ENTRY)?;
            template.render_captured_to(variables, &mut rendered).map(drop)
        })
        .map_err(|error| match error.kind() {
            ErrorKind::WriteFailure => ChatError::Limit {
                template: self.name.clone(),
                line: error.line(),
                limit: format!("its text is longer than {} MiB", limits::OUTPUT_BYTES >> 20),
            },
            _ => ChatError::from_engine(&self.name, &error),
        })?;
        let (assistant_spans, has_all_spans) = spans.take();
        let text = String::from_utf8_lossy(&rendered.bytes).into_owned();
        Ok(Rendered { text, assistant_spans, has_all_spans })
    }
}

impl Rendered {
    /// [`Rendered::assistant_spans`] in characters, as transformers counts them.
    pub fn assistant_spans_chars(&self) -> Vec<Range<usize>> {
        let chars =
            |bytes: usize| self.text.get(..bytes).map_or(0, |before| before.chars().count());
        self.assistant_spans.iter().map(|span| chars(span.start)..chars(span.end)).collect()
    }
}

/// An environment with a template compiled in it, within what a template may cost.
pub(super) fn compiled(
    name: &str,
    source: &str,
    entry: &'static str,
    mut environment: Environment<'static>,
) -> Result<Environment<'static>, ChatError> {
    if source.len() > limits::SOURCE_BYTES {
        let limit = format!("it is longer than {} KiB", limits::SOURCE_BYTES >> 10);
        return Err(ChatError::Limit { template: name.to_owned(), line: None, limit });
    }
    let compile = || {
        let rewritten = dialect::rewrite(source);
        if rewritten.longest_tag_bytes > limits::TAG_SOURCE_BYTES {
            let most = limits::TAG_SOURCE_BYTES >> 10;
            return Err(limits::exceeded(format!("a tag is longer than {most} KiB")));
        }
        environment.set_fuel(Some(limits::instructions(
            rewritten.longest_tag_bytes,
            rewritten.longest_repeated_bytes,
        )));
        environment.add_template_owned(entry, rewritten.source)
    };
    with_deep_stack(|| guarded(compile)).map_err(|error| ChatError::from_engine(name, &error))?;
    Ok(environment)
}

/// What a template can see, later entries over earlier ones.
fn variables(
    messages: Vec<Message>,
    options: &RenderOptions,
    spans: &Arc<AssistantSpans>,
) -> Value {
    let messages: Vec<_> = messages.into_iter().map(Message::into_json).collect();
    let named = |(name, value): (&String, &serde_json::Value)| {
        (name.clone(), Value::from(Serde(value.clone())))
    };
    let own = [
        ("strftime_now", clock(options.now)),
        ("messages", Value::from(Serde(messages))),
        ("tools", Value::from(Serde(options.tools.clone()))),
        ("documents", Value::from(Serde(options.documents.clone()))),
        ("add_generation_prompt", Value::from(options.add_generation_prompt)),
    ];
    let entries = options
        .special_tokens
        .iter()
        .map(named)
        .chain(own.map(|(name, value)| (name.to_owned(), value)))
        .chain(options.variables.iter().map(named))
        .chain([("__assistant".to_owned(), Value::from_dyn_object(Arc::clone(spans)))]);
    Value::from_pairs(entries)
}

/// `strftime_now(format)` at a given time.
fn clock(now: DateTime) -> Value {
    Value::from_function(move |format: &str| {
        jiff::fmt::strtime::format(format, now).map_err(|error| {
            let detail = format!("strftime_now cannot write {format:?}: {error}");
            Error::new(ErrorKind::InvalidOperation, detail)
        })
    })
}

/// Runs the compiler where it can go as deep as a template of the permitted length is nested.
fn with_deep_stack(run: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    thread::scope(|scope| {
        thread::Builder::new()
            .name("chat template".to_owned())
            .stack_size(limits::COMPILER_STACK_BYTES)
            .spawn_scoped(scope, run)
            .map_err(|error| {
                let detail = format!("there is no thread to compile it: {error}");
                Error::new(ErrorKind::InvalidOperation, detail)
            })?
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Runs the engine on a template nobody has read: should it panic, that is the template's error.
pub(super) fn guarded<T>(run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::InvalidOperation, "the template engine gave up on it"))
    })
}
