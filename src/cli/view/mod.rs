//! `surprisal view`: the Prompt Viewer.
//!
//! The library gives values; here they become a picture for a terminal or JSON, written sample by sample, or a
//! page, so that a whole data set can be looked through.

mod interlinear;
mod margin;
mod page;
mod paint;
mod stretch;
mod terminal;
mod words;
mod wrap;

use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::ExitCode,
};

use self::{page::PromptPage, terminal::Terminal};
use super::{
    args::ViewArguments, output::talk, progress::TerminalProgress, shipped, visible::visible_json,
};
use crate::{
    hub::HubName,
    model::{Checkpoint, Tokenizer},
    plan::{PlanSources, RunPlan},
    registry::Pattern,
    store::write_atomically,
    view::{PromptView, ViewPicks, view as prompt_views},
};

/// A way to show views, one after another.
trait Show {
    /// Writes what comes before the first.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Writes one.
    fn view(
        &mut self,
        view: &PromptView,
        tokenizer: Option<&Tokenizer>,
        out: &mut dyn Write,
    ) -> io::Result<()>;
    /// Writes what comes after the last.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// Shows the prompts that were picked.
pub(super) fn view(arguments: &ViewArguments) -> anyhow::Result<ExitCode> {
    let (folders, patterns): (Vec<PathBuf>, Vec<PathBuf>) = arguments
        .model
        .iter()
        .cloned()
        .partition(|model| model.is_dir() || Checkpoint::is_gguf(model) || is_on_hub(model));
    let sources = PlanSources {
        configs: shipped::configs(arguments.config.as_slice())?,
        models: folders,
        about_files: None,
        tasks: arguments.tasks.choice(arguments.shots),
        requests: None,
    };
    let names = sources.names();
    let plan = RunPlan::load_to_view(&sources)?;
    let picks = ViewPicks {
        dataset: arguments.dataset.as_deref().map(Pattern::new),
        model: patterns.first().map(|pattern| Pattern::new(&pattern.to_string_lossy())),
        sample: (!arguments.all).then_some(arguments.sample),
        label: arguments.label.clone(),
    };
    let Some(path) = &arguments.html else {
        let mut show: Box<dyn Show> = if arguments.json {
            Box::new(Json { is_first: true })
        } else {
            Box::new(Terminal::of_stdout(arguments.tokens, arguments.full))
        };
        let out = &mut anstream::stdout().lock();
        write_all(&plan, &picks, &arguments.work_dir, show.as_mut(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut page = PromptPage::new(&names);
    // Views are checked before a page that may stand there already is written over.
    write_all(&plan, &picks, &arguments.work_dir, &mut page, &mut io::sink())?;
    let (html, samples) = page.html();
    write_atomically(path, &html)?;
    let count = if samples == 1 { "1 sample".to_owned() } else { format!("{samples} samples") };
    talk(&format!("{}: {count}, {} KiB", path.display(), html.len().div_ceil(1024)));
    Ok(ExitCode::SUCCESS)
}

fn write_all(
    plan: &RunPlan,
    picks: &ViewPicks,
    folder: &Path,
    show: &mut dyn Show,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut written = Ok(());
    let mut is_first = true;
    let progress = TerminalProgress::new();
    prompt_views(plan, picks, folder, super::now(), &progress, &mut |view, tokenizer| {
        let begun = if std::mem::take(&mut is_first) { show.begin(out) } else { Ok(()) };
        written = begun.and_then(|()| show.view(&view, tokenizer, out));
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    show.end(out)?;
    out.flush()?;
    Ok(())
}

/// Whether the text is rather the name of a checkpoint on the hub than part of a model's name.
fn is_on_hub(model: &Path) -> bool {
    let written = model.to_string_lossy();
    written.contains('/') && HubName::parse(&written).is_some()
}

/// An array of views.
struct Json {
    is_first: bool,
}

impl Show for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")
    }

    fn view(
        &mut self,
        view: &PromptView,
        _: Option<&Tokenizer>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.is_first) { "\n" } else { ",\n" };
        out.write_all(separator.as_bytes())?;
        let json = serde_json::to_string_pretty(view).map_err(io::Error::from)?;
        out.write_all(visible_json(&json).as_bytes())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"\n]\n")
    }
}
