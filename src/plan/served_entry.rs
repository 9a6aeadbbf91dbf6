//! An entry of `models` whose class is behind a server.
//!
//! The fields are those of OpenCompass's and AISBench's classes, read as they are written there. What belongs to their
//! way of working and changes no answer is told and left alone; what would change one and cannot be honoured is refused.

mod parameters;

use std::{path::Path, time::Duration};

use serde::Deserialize;

use self::parameters::sampling;
use super::{
    PlanError, ReasoningPlan, RepeatsPlan,
    served_budget::BudgetEntry,
    served_classes::{ServedClass, ServedFamily},
    unread_fields::{Place, settle},
};
use crate::{
    answer::served::{Budget, KeyVariable, Patience, Protocol, ServedSettings, ServerAddress},
    config::{Component, ConfigError, Node, from_node},
    infer::ModelDefaults,
    prompt::{ApiTemplate, Markup, MetaTemplate},
};

/// Requests at once where an entry does not say it.
const CONCURRENCY: usize = 8;

/// Most requests at once: each has a thread and a connection.
const MOST_CONCURRENCY: usize = 1024;

/// What OpenCompass's `OpenAI` sends where an entry has no temperature.
const OPENCOMPASS_TEMPERATURE: f64 = 0.7;

/// The address of OpenCompass's classes where an entry has none.
const OPENAI: &str = "https://api.openai.com/v1";

/// What an entry says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServedEntry {
    #[serde(rename = "type")]
    _type: Node,
    abbr: Option<String>,
    #[serde(default)]
    path: String,
    model: Option<String>,
    openai_api_base: Option<Node>,
    url: Option<String>,
    host_ip: Option<String>,
    host_port: Option<u16>,
    #[serde(default)]
    enable_ssl: bool,
    key: Option<Node>,
    api_key: Option<Node>,
    org: Option<String>,
    max_seq_len: Option<usize>,
    max_out_len: Option<usize>,
    min_out_len: Option<usize>,
    meta_template: Option<Node>,
    temperature: Option<f64>,
    generation_kwargs: Option<Node>,
    extra_body: Option<Node>,
    openai_extra_kwargs: Option<Node>,
    stop_words: Option<Vec<String>>,
    end_str: Option<String>,
    pred_postprocessor: Option<Component>,
    query_per_second: Option<f64>,
    request_rate: Option<f64>,
    max_concurrency: Option<usize>,
    concurrency: Option<usize>,
    max_workers: Option<usize>,
    batch_size: Option<usize>,
    retry: Option<usize>,
    timeout: Option<f64>,
    stream: Option<bool>,
    #[serde(default)]
    send_files: bool,
    budget: Option<BudgetEntry>,
}

/// An entry that is understood, but for the fields that all models have.
pub(super) struct ServedPlan {
    pub(super) abbr: Option<String>,
    /// The model's name at its server, or where that is.
    pub(super) name: String,
    pub(super) settings: ServedSettings,
    pub(super) markup: Markup,
    pub(super) max_seq_len_tokens: Option<usize>,
    pub(super) defaults: ModelDefaults,
    pub(super) repeats: RepeatsPlan,
    pub(super) reasoning: ReasoningPlan,
    pub(super) stop_words: Vec<String>,
    pub(super) pred_postprocessor: Option<Component>,
    pub(super) notes: Vec<String>,
}

impl ServedPlan {
    /// Understands an entry of a class.
    pub(super) fn from_node(node: &Node, class: ServedClass) -> Result<Self, PlanError> {
        let mut fields = node.clone();
        let repeats = RepeatsPlan::take(&mut fields)?;
        let reasoning = ReasoningPlan::take(&mut fields)?;
        let mut notes = settle(Place::ServedModel, &mut fields)?;
        let entry: ServedEntry = from_node(&fields)?;
        let ServedClass { protocol, family } = class;
        if reasoning.budget_tokens.is_some() {
            let what =
                "reasoning_budget is for models that run here: a server does not stop its thinking";
            return Err(ConfigError::at(&node.origin, what).with_hint("leave it out").into());
        }
        if entry.max_seq_len == Some(0) {
            return Err(ConfigError::at(&node.origin, "max_seq_len is 0: no prompt fits").into());
        }
        let (mut parameters, max_new_tokens) = entry.parameters(node)?;
        if max_new_tokens.is_some() {
            notes.push(
                "max_tokens among the parameters stands for max_out_len: that of a data set comes before it".to_owned(),
            );
        }
        match (parameters.contains_key("temperature"), family) {
            (true, _) => {}
            (false, ServedFamily::OpenAi) => {
                parameters.insert("temperature".to_owned(), OPENCOMPASS_TEMPERATURE.into());
                notes.push(format!(
                    "answers are drawn with a temperature of {OPENCOMPASS_TEMPERATURE}, as OpenCompass's OpenAI does where \
                     none is written; write temperature=0 for the likeliest tokens"
                ));
            }
            (false, _) => notes.push(
                "no temperature is written, so the server's own holds; write temperature=0 for the likeliest tokens"
                    .to_owned(),
            ),
        }
        let settings = ServedSettings {
            address: entry.address(node, class)?,
            model: entry.model_name(family),
            protocol,
            key: entry.key(node)?,
            organization: entry.org.clone(),
            concurrency: entry.concurrency(),
            queries_per_second: entry.rate(node)?,
            patience: entry.patience(node)?,
            budget: entry
                .budget
                .as_ref()
                .map_or_else(|| Ok(Budget::default()), |own| own.settled(node))?,
            streams: match protocol {
                Protocol::Completions | Protocol::Chat => entry.stream.unwrap_or(false),
                Protocol::Generate | Protocol::Infer => false,
            },
            strips_text: family == ServedFamily::OpenAi,
            sends_files: entry.send_files,
            parameters,
        };
        if family == ServedFamily::AisBench && !entry.path.is_empty() {
            notes.push("path is not read: the tokenizer is at the server".to_owned());
        }
        let answers = settings.parameters.get("n").and_then(serde_json::Value::as_u64);
        let mut settings = settings;
        settings.parameters.remove("n");
        let sampling = sampling(&settings);
        let defaults = ModelDefaults {
            max_out_len: entry.max_out_len.or(max_new_tokens),
            min_out_len: entry.min_out_len,
            sampling,
            answers: answers.and_then(|own| usize::try_from(own).ok()),
        };
        let meta = entry.meta_template.as_ref().filter(|node| !node.is_none());
        let markup = match protocol {
            Protocol::Chat => {
                let own = meta.map(ApiTemplate::from_node).transpose()?;
                let own = own.unwrap_or_else(|| match family {
                    ServedFamily::AisBench | ServedFamily::Own => ApiTemplate::spoken_roles(),
                    ServedFamily::OpenAi | ServedFamily::OpenAiSdk => ApiTemplate::lines(),
                });
                Markup::Chat(Box::new(own))
            }
            _ => match meta.map(MetaTemplate::from_node).transpose()? {
                Some(own) => Markup::Meta(Box::new(own)),
                None => Markup::Lines,
            },
        };
        let name = if settings.model.is_empty() {
            settings.address.to_string()
        } else {
            settings.model.clone()
        };
        let stop_words = entry.stop_words.iter().flatten().chain(&entry.end_str);
        Ok(Self {
            stop_words: stop_words.filter(|stop| !stop.is_empty()).cloned().collect(),
            max_seq_len_tokens: entry.max_seq_len,
            abbr: entry.abbr,
            pred_postprocessor: entry.pred_postprocessor,
            name,
            settings,
            markup,
            defaults,
            repeats,
            reasoning,
            notes,
        })
    }
}

impl ServedEntry {
    /// Where the server is.
    fn address(
        &self,
        node: &Node,
        ServedClass { protocol, family }: ServedClass,
    ) -> Result<ServerAddress, ConfigError> {
        let bases = match &self.openai_api_base {
            None => Vec::new(),
            Some(own) => match own.as_list() {
                Some(several) => several.iter().filter_map(Node::as_str).collect(),
                None => own.as_str().into_iter().collect(),
            },
        };
        let (field, written) = match (bases.as_slice(), self.url.as_deref()) {
            ([only], None | Some("")) => ("openai_api_base", (*only).to_owned()),
            ([], Some(url)) if !url.is_empty() => ("url", url.to_owned()),
            ([], _) if self.host_ip.is_some() || self.host_port.is_some() => {
                let scheme = if self.enable_ssl { "https" } else { "http" };
                let host = self.host_ip.as_deref().unwrap_or("localhost");
                let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
                ("host_ip", format!("{scheme}://{host}:{}", self.host_port.unwrap_or(8080)))
            }
            ([], _) if matches!(family, ServedFamily::OpenAi | ServedFamily::OpenAiSdk) => {
                ("openai_api_base", OPENAI.to_owned())
            }
            ([], _) => {
                let what = "there is no address of a server";
                return Err(ConfigError::at(&node.origin, what)
                    .with_hint("write openai_api_base='http://127.0.0.1:8000/v1'"));
            }
            _ => {
                let what = "several addresses: one server is asked";
                return Err(ConfigError::at(&node.origin, what)
                    .with_hint("write one of openai_api_base and url, with one address"));
            }
        };
        let refused = |what: String| ConfigError::at(&node.origin, what).under(field);
        let address = ServerAddress::parse(&written).map_err(refused)?;
        // The endpoints of text-generation-inference and MindIE have no version.
        let is_plain = matches!(protocol, Protocol::Generate | Protocol::Infer);
        Ok(if is_plain { address } else { address.versioned() })
    }

    /// The model's name; empty where the server is asked for it.
    fn model_name(&self, family: ServedFamily) -> String {
        match (family, &self.model) {
            (_, Some(model)) if !model.is_empty() => model.clone(),
            (ServedFamily::AisBench, _) => String::new(),
            _ => self.path.clone(),
        }
    }

    fn key(&self, node: &Node) -> Result<Option<KeyVariable>, ConfigError> {
        let (field, own) = match (&self.key, &self.api_key) {
            (Some(own), _) => ("key", own),
            (None, Some(own)) => ("api_key", own),
            (None, None) => return Ok(None),
        };
        let first = own.as_list().map_or(Some(own), <[_]>::first);
        let Some(written) = first.filter(|own| !own.is_none()) else { return Ok(None) };
        // The value itself is in no message.
        let refused = |what: String| {
            ConfigError::at(&node.origin, what).under(field).with_hint(format!(
                "write {field}='ENV' and put the key into OPENAI_API_KEY, or {field}='ENV:NAME' for another variable"
            ))
        };
        let Some(written) = written.as_str() else {
            return Err(refused("it is no text".to_owned()));
        };
        KeyVariable::parse(written).map_err(refused)
    }

    /// Most requests at once: the least of what is written.
    fn concurrency(&self) -> usize {
        let written = [self.max_concurrency, self.concurrency, self.max_workers, self.batch_size];
        let least = written.into_iter().flatten().min();
        least.unwrap_or(CONCURRENCY).clamp(1, MOST_CONCURRENCY)
    }

    /// Most requests a second; AISBench writes 0 for any number.
    fn rate(&self, node: &Node) -> Result<Option<f64>, ConfigError> {
        for (field, rate) in
            [("query_per_second", self.query_per_second), ("request_rate", self.request_rate)]
        {
            match rate {
                Some(rate) if rate.is_finite() && rate > 0.0 => return Ok(Some(rate)),
                Some(rate) if field == "request_rate" && rate.abs() <= 0.0 => {}
                Some(rate) => {
                    let what = format!("{rate} is no number of requests");
                    return Err(ConfigError::at(&node.origin, what)
                        .under(field)
                        .with_hint("write a number above 0, or leave it out"));
                }
                None => {}
            }
        }
        Ok(None)
    }

    fn patience(&self, node: &Node) -> Result<Patience, ConfigError> {
        let mut patience = Patience::default();
        if let Some(retries) = self.retry {
            patience.retries = retries;
        }
        match self.timeout {
            Some(seconds) if seconds.is_finite() && seconds > 0.0 => {
                patience.timeout = Duration::from_secs_f64(seconds.min(1e6));
            }
            Some(seconds) => {
                let what = format!("{seconds} is no number of seconds");
                return Err(ConfigError::at(&node.origin, what).under("timeout"));
            }
            None => {}
        }
        Ok(patience)
    }
}

/// The fallback for a name of a model.
pub(super) fn abbr(class: &str, settings: &ServedSettings) -> String {
    let name = Path::new(&settings.model).file_name().map(|own| own.to_string_lossy().into_owned());
    match name {
        Some(name) => format!("{class}_{name}"),
        None => class.to_owned(),
    }
}
