//! The figures of tasks and groups together, as lm-eval's `results` hold them.
//!
//! A group's figure is made of those of all tasks within it, however deep: their mean, by their numbers of documents or
//! each counting the same, with an error that fits. Where one of them has no error, the group has none.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::{IndexMap, IndexSet};

use super::{
    Group, Member, TaskError,
    pooling::{filters, pooled},
    scored::{ScoredTask, TaskFigure},
    value::TaskValue,
};

/// What is reported of a task or of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// What tables call it.
    pub alias: String,
    /// How many documents it is made of; a group without figures says nothing of it.
    pub documents: Option<usize>,
    /// Its figures.
    pub figures: Vec<TaskFigure>,
    /// Whether it is a group.
    pub is_group: bool,
}

/// What is reported of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskResults {
    /// Tasks, then groups, inner ones before those that hold them.
    pub reported: IndexMap<String, Reported>,
    /// The members of each group, outer groups first.
    pub members: IndexMap<String, Vec<String>>,
    /// Versions of tasks and groups.
    pub versions: BTreeMap<String, TaskValue>,
    /// How many examples were shown; of a group where its own tasks agree.
    pub shots: BTreeMap<String, usize>,
    /// Of each metric whether more is better; nothing where a group's tasks do not agree.
    pub higher_is_better: BTreeMap<String, IndexMap<String, TaskValue>>,
    /// Of each task how many documents there are, and how many were scored.
    pub documents: IndexMap<String, (usize, usize)>,
    /// What a reader of the figures may not expect.
    pub notes: Vec<String>,
}

impl TaskResults {
    /// The figures of all tasks, and of the groups that were asked for with them. Of two of one name the last counts.
    ///
    /// # Errors
    ///
    /// Where a group holds a task that was not scored, or its figures are no numbers.
    pub fn of(members: &[Member], scored: &[ScoredTask]) -> Result<Self, TaskError> {
        let mut results = Self::default();
        for task in scored {
            let name = &task.name;
            results.notes.extend(task.notes.iter().map(|note| format!("task {name}: {note}")));
            results.reported.insert(
                name.clone(),
                Reported {
                    alias: task.alias.clone(),
                    documents: Some(task.scored),
                    figures: task.figures.clone(),
                    is_group: false,
                },
            );
            results.versions.insert(name.clone(), task.version.clone());
            results.shots.insert(name.clone(), task.shots);
            results.higher_is_better.insert(name.clone(), task.higher_is_better.clone());
            results.documents.insert(name.clone(), (task.documents, task.scored));
        }
        let mut groups = IndexMap::new();
        for member in members {
            outer_first(member, &mut groups);
        }
        for group in inner_first(&groups) {
            let reported = results.grouped(group)?;
            results.reported.insert(group.name.clone(), reported);
            results.versions.insert(group.name.clone(), TaskValue::Text(group.version.clone()));
        }
        for group in groups.values() {
            let names = names(group);
            results.share_shots(group, &names);
            results.share_direction(group, &names);
            results
                .members
                .insert(group.name.clone(), names.into_iter().map(str::to_owned).collect());
        }
        Ok(results)
    }

    /// The figures of a group.
    fn grouped(&mut self, group: &Group) -> Result<Reported, TaskError> {
        let tasks: IndexSet<&str> = leaves(group);
        let mut found = Vec::with_capacity(tasks.len());
        for task in tasks {
            let reported = self.reported.get(task).filter(|reported| !reported.is_group);
            let what = || TaskError::task(&group.name, format!("its task {task} was not scored"));
            found.push((task, reported.ok_or_else(what)?));
        }
        let mut grouped = Reported {
            alias: group
                .alias
                .clone()
                .filter(|alias| !alias.is_empty())
                .unwrap_or_else(|| group.name.clone()),
            documents: None,
            figures: Vec::new(),
            is_group: true,
        };
        if group.aggregates.is_empty() {
            return Ok(grouped);
        }
        grouped.documents = Some(found.iter().filter_map(|(_, reported)| reported.documents).sum());
        let mut notes = Vec::new();
        for aggregate in &group.aggregates {
            for filter in filters(aggregate, &found) {
                let key = format!("{},{filter}", aggregate.metric);
                let is_it = |figure: &&TaskFigure| {
                    figure.metric == aggregate.metric && figure.filter == filter
                };
                let parts = found.iter().filter_map(|(_, reported)| {
                    let figure = reported.figures.iter().find(is_it)?;
                    Some((figure, reported.documents.unwrap_or_default()))
                });
                let parts: Vec<(&TaskFigure, usize)> = parts.collect();
                if parts.len() < found.len() {
                    let count = found.len() - parts.len();
                    notes.push(format!(
                        "group {}: {count} of {} tasks have no {key}",
                        group.name,
                        found.len()
                    ));
                }
                if parts.is_empty() {
                    continue;
                }
                let figure = pooled(aggregate, &filter, &parts);
                let figure = figure
                    .map_err(|what| TaskError::task(&group.name, format!("{key}: {what}")))?;
                // Of two of one key the last counts.
                match grouped.figures.iter_mut().find(|figure| is_it(&&**figure)) {
                    Some(known) => *known = figure,
                    None => grouped.figures.push(figure),
                }
            }
        }
        self.notes.extend(notes);
        Ok(grouped)
    }

    /// The number of examples that all members have which have one by now.
    fn share_shots(&mut self, group: &Group, names: &[&str]) {
        let known: BTreeSet<usize> =
            names.iter().filter_map(|name| self.shots.get(*name).copied()).collect();
        if let [shots] = known.into_iter().collect::<Vec<_>>()[..] {
            self.shots.insert(group.name.clone(), shots);
        }
    }

    /// What its members say of each metric, those that say something by now.
    fn share_direction(&mut self, group: &Group, names: &[&str]) {
        let mut shared: IndexMap<String, TaskValue> = IndexMap::new();
        for own in names.iter().filter_map(|name| self.higher_is_better.get(*name)) {
            for (metric, higher) in own {
                match shared.get_mut(metric) {
                    None => {
                        shared.insert(metric.clone(), higher.clone());
                    }
                    Some(known) if *known != *higher => *known = TaskValue::None,
                    Some(_) => {}
                }
            }
        }
        if !shared.is_empty() {
            self.higher_is_better.insert(group.name.clone(), shared);
        }
    }
}

/// All groups: each before those within it.
fn outer_first<'a>(member: &'a Member, groups: &mut IndexMap<&'a str, &'a Group>) {
    if let Member::Group(group) = member {
        groups.insert(&group.name, group);
        for member in &group.members {
            outer_first(member, groups);
        }
    }
}

/// All groups: each behind those within it.
fn inner_first<'a>(groups: &IndexMap<&'a str, &'a Group>) -> Vec<&'a Group> {
    fn visit<'a>(group: &'a Group, seen: &mut BTreeSet<&'a str>, order: &mut Vec<&'a Group>) {
        if seen.contains(&*group.name) {
            return;
        }
        for member in &group.members {
            if let Member::Group(inner) = member {
                visit(inner, seen, order);
            }
        }
        seen.insert(&group.name);
        order.push(group);
    }
    let inner: BTreeSet<&str> = groups.values().flat_map(|group| names(group)).collect();
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    for (name, group) in groups {
        if !inner.contains(name) {
            visit(group, &mut seen, &mut order);
        }
    }
    order
}

/// The names of a group's members, each once.
fn names(group: &Group) -> Vec<&str> {
    let names: IndexSet<&str> = group.members.iter().map(Member::name).collect();
    names.into_iter().collect()
}

/// The names of all tasks within a group, each once.
fn leaves(group: &Group) -> IndexSet<&str> {
    group.tasks().into_iter().map(|task| &*task.name).collect()
}
