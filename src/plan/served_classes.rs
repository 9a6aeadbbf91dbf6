//! The classes of models behind a server, and how each is spoken to.
//!
//! OpenCompass and AISBench have a class for each server, and so for the same few protocols. What differs is in this
//! table: the endpoint, the markup, and which field holds the model's name.

use crate::{
    answer::served::Protocol,
    registry::{Registration, Registry},
};

/// What a class says of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedClass {
    /// How it is spoken to.
    pub protocol: Protocol,
    /// Whose class it is.
    pub(super) family: ServedFamily,
}

/// Whose fields an entry has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServedFamily {
    /// Our own names: `path` is the model's name, nothing is sent that is not written.
    Own,
    /// OpenCompass's `OpenAI`: as `Own`, and a temperature of 0.7 where none is written.
    OpenAi,
    /// OpenCompass's classes of OpenAI's own client: as `Own`.
    OpenAiSdk,
    /// AISBench's: `model` is the name, `path` its tokenizer's; `host_ip` and `host_port`, or `url`.
    AisBench,
}

const fn class(protocol: Protocol, family: ServedFamily) -> ServedClass {
    ServedClass { protocol, family }
}

/// All classes.
// A class is a line, however long.
#[rustfmt::skip]
pub const SERVED_CLASSES: Registry<ServedClass> = Registry {
    kind: "class of served models",
    registrations: &[
        Registration::new("served_chat", &[], "behind a server: messages, by /v1/chat/completions", class(Protocol::Chat, ServedFamily::Own)),
        Registration::new("served_chat_ais", &["VLLMCustomAPIChat", "VLLMCustomAPIChatStream", "VllmMultiturnAPIChatStream"], "the same with AISBench's fields", class(Protocol::Chat, ServedFamily::AisBench)),
        Registration::new("served_chat_openai", &["OpenAI"], "the same with OpenCompass's fields, drawn with a temperature of 0.7 where none is written", class(Protocol::Chat, ServedFamily::OpenAi)),
        Registration::new("served_chat_sdk", &["OpenAISDK", "OpenAISDKStreaming"], "the same with OpenCompass's fields", class(Protocol::Chat, ServedFamily::OpenAiSdk)),
        Registration::new("served_generate_ais", &["TGICustomAPI", "TGICustomAPIStream"], "behind text-generation-inference: text, by /generate", class(Protocol::Generate, ServedFamily::AisBench)),
        Registration::new("served_infer_ais", &["MindieStreamApi"], "behind MindIE: text, by /infer", class(Protocol::Infer, ServedFamily::AisBench)),
        Registration::new("served_text", &[], "behind a server: text, by /v1/completions; can be scored where the server does that", class(Protocol::Completions, ServedFamily::Own)),
        Registration::new("served_text_ais", &["VLLMCustomAPI", "VLLMCustomAPIStream"], "the same with AISBench's fields", class(Protocol::Completions, ServedFamily::AisBench)),
    ],
};
