//! `surprisal config`: what a config evaluates to.

use std::process::ExitCode;

use super::{
    args::ConfigArguments,
    output::{print, print_json},
    shipped,
};
use crate::config;

/// Evaluates the config and prints its variables.
pub(super) fn config(arguments: &ConfigArguments) -> anyhow::Result<ExitCode> {
    let config = config::load(&shipped::config(&arguments.config)?)?;
    if arguments.json {
        let variables: serde_json::Map<String, serde_json::Value> =
            config.variables.iter().map(|(name, node)| (name.clone(), node.to_json())).collect();
        print_json(&variables)?;
    } else {
        print(&config.to_python())?;
    }
    Ok(ExitCode::SUCCESS)
}
