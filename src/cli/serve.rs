//! `surprisal serve`: a model behind HTTP.

use std::process::ExitCode;

use super::args::ServeArguments;

/// Serves until the process is asked to end.
#[cfg(feature = "serve")]
pub(super) fn serve(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    use crate::serve::{Limits, ServeNews, ServeOptions, serve};

    let api_key = api_key(arguments)?;
    super::threads::start(arguments.engine.threads)?;
    let options = ServeOptions {
        address: (arguments.host, arguments.port).into(),
        api_key,
        limits: Limits {
            sequences: arguments.max_sequences,
            body_bytes: arguments.max_body_bytes,
            request_seconds: arguments.max_seconds as u64,
            connections: arguments.max_connections,
        },
        clock: jiff::Zoned::now,
        seed: seed()?,
    };
    options.check()?;
    let model = served_model(arguments)?;
    let name = model.name.clone();
    serve(model, &options, &mut |news| match news {
        ServeNews::Listening(address) => {
            super::output::talk(&format!(
                "{name} is served at http://{address}/v1; Ctrl-C ends it"
            ));
        }
        ServeNews::Ending(open) => {
            super::output::talk(&format!(
                "ending: {open} sequences are answered before, nothing new is taken up"
            ));
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Loads the model and finds its chat template.
#[cfg(feature = "serve")]
fn served_model(arguments: &ServeArguments) -> anyhow::Result<crate::serve::ServedModel> {
    use crate::{
        engine::{Engine, EngineOptions},
        model::Checkpoint,
        prepare::ChatCheckpoint,
        serve::{ServedChat, ServedModel},
    };

    let progress = super::progress::TerminalProgress::new();
    let checkpoint = Checkpoint::open(&arguments.model, &progress)?;
    let name = arguments.device.settle();
    let device = name.open()?;
    let dtype = arguments.dtype.map_or(checkpoint.dtype(), |dtype| dtype.0);
    checkpoint.check_activations(arguments.activations, device.is_cpu())?;
    let conversations = ChatCheckpoint::open(&arguments.model, &progress)?;
    let own = arguments.chat_template.as_deref();
    let chat = match conversations.template(own, None, false) {
        // Without a template of its own, what a model was trained with is anybody's guess.
        Ok(chosen) if chosen.note.is_some() => Err("the model has no chat template".to_owned()),
        Ok(chosen) => {
            let options = conversations.options(super::now());
            Ok(ServedChat { template: chosen.template.reading_texts(&options), options })
        }
        Err(error) if own.is_some() => return Err(error.into()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(reason) = &chat {
        super::output::talk(&format!(
            "conversations are refused: {reason}; --chat-template names one"
        ));
    }
    let model = checkpoint.load_for(&device, dtype, arguments.activations)?;
    let options = EngineOptions {
        kv_bytes: arguments.engine.kv_bytes,
        ..EngineOptions::on(name).with_batch_tokens(arguments.engine.batch_tokens)
    };
    Ok(ServedModel {
        name: arguments.name.clone().unwrap_or_else(|| arguments.model.clone()),
        engine: Engine::new(model, options),
        chat,
    })
}

/// The key in the variable that was named.
#[cfg(feature = "serve")]
fn api_key(arguments: &ServeArguments) -> anyhow::Result<Option<String>> {
    let Some(variable) = &arguments.api_key_env else { return Ok(None) };
    match std::env::var(variable) {
        Ok(key) if !key.is_empty() => Ok(Some(key)),
        _ => anyhow::bail!("--api-key-env {variable}: this variable holds no key"),
    }
}

/// A number that nobody foresees.
#[cfg(feature = "serve")]
fn seed() -> anyhow::Result<u64> {
    Ok(getrandom::u64()?)
}

/// Says what is missing.
#[cfg(not(feature = "serve"))]
pub(super) fn serve(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    anyhow::bail!(
        "`serve --model {}` needs a build with the feature `serve`; this build has none of it: cargo build --release --features serve",
        arguments.model
    );
}
