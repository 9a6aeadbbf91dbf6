//! The tasks that names ask for, with the groups that hold them.

use serde_json::{Map, Value};

use super::{
    Kind, TaskError, TaskIndex, TaskPlan,
    index::{Entry, texts},
    yaml::FUNCTION,
};
use crate::{python::python_str, registry::Pattern};

/// Keys that are a group's own; all others of it override those of its tasks.
const OF_GROUPS: &[&str] = &["group", "group_alias", "task", "aggregate_metric_list", "metadata"];

/// Keys that say where a task belongs, and nothing of the task.
const STRUCTURAL: &[&str] = &["tag", "group", "task_list"];

/// How deep groups are nested.
const DEEPEST: usize = 32;

/// A task, or a group with its members.
#[derive(Debug)]
pub enum Member {
    /// A task.
    Task(Box<TaskPlan>),
    /// A group.
    Group(Group),
}

/// Tasks and groups that are one figure, or several, together.
#[derive(Debug)]
pub struct Group {
    /// Its name; `parent::name` if it stands inside another one's file.
    pub name: String,
    /// What tables call it.
    pub alias: Option<String>,
    /// Its version, `N/A` where its file says none.
    pub version: String,
    /// How figures of its members become its own.
    pub aggregates: Vec<Aggregate>,
    /// Its members, in their order.
    pub members: Vec<Member>,
}

/// A figure of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The metric.
    pub metric: String,
    /// The filters whose results count; all of them where none is named.
    pub filters: Option<Vec<String>>,
    /// Whether members count by their numbers of documents.
    pub is_weighted: bool,
}

impl Member {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Task(task) => &task.name,
            Self::Group(group) => &group.name,
        }
    }

    /// The tasks within it, in their order.
    pub fn tasks(&self) -> Vec<&TaskPlan> {
        match self {
            Self::Task(task) => vec![task],
            Self::Group(group) => group.tasks(),
        }
    }
}

impl Group {
    /// All tasks within it, those of inner groups included, in their order.
    pub fn tasks(&self) -> Vec<&TaskPlan> {
        self.members.iter().flat_map(Member::tasks).collect()
    }
}

impl TaskIndex {
    /// The names that names and patterns mean, in their order, each once. `*` stands for any letters, `?` for one.
    ///
    /// # Errors
    ///
    /// Where a name is not known, or a pattern means none.
    pub fn meant(&self, written: &[String]) -> Result<Vec<String>, TaskError> {
        let mut found: Vec<String> = Vec::new();
        for one in written {
            let matching: Vec<String> = if one.contains(['*', '?']) {
                let pattern = Pattern::new(one);
                let names = self.iter().map(|(name, _)| name);
                names.filter(|name| pattern.matches(name)).map(str::to_owned).collect()
            } else {
                self.get(one)?;
                vec![one.clone()]
            };
            if matching.is_empty() {
                return Err(TaskError::Unknown {
                    name: one.clone(),
                    near: None,
                    unread: Vec::new(),
                });
            }
            for name in matching {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        Ok(found)
    }

    /// What a name asks for: a task, a group, or the tasks of a tag.
    ///
    /// # Errors
    ///
    /// Where a name is not known, or a task cannot be understood.
    pub fn select(&self, name: &str) -> Result<Vec<Member>, TaskError> {
        self.members(name, &Map::new(), 0)
    }

    fn members(
        &self,
        name: &str,
        overrides: &Map<String, Value>,
        depth: usize,
    ) -> Result<Vec<Member>, TaskError> {
        if depth > DEEPEST {
            return Err(TaskError::task(name, "its groups hold one another, or too many others"));
        }
        let entry = self.get(name)?;
        match entry.kind {
            Kind::Tag => {
                let mut members = Vec::new();
                for task in &entry.members {
                    members.push(self.task_of(self.get(task)?, overrides)?);
                }
                Ok(members)
            }
            Kind::Group => {
                let group = self.group(name, &entry.fields, overrides, depth)?;
                Ok(vec![Member::Group(group)])
            }
            Kind::Task => Ok(vec![self.task_of(entry, overrides)?]),
            Kind::Class => Err(TaskError::task(
                name,
                "it is a class of Python, which is not run; only tasks in YAML are",
            )),
        }
    }

    fn group(
        &self,
        name: &str,
        fields: &Map<String, Value>,
        overrides: &Map<String, Value>,
        depth: usize,
    ) -> Result<Group, TaskError> {
        let mut inner = fields.clone();
        inner.retain(|key, _| !OF_GROUPS.contains(&key.as_str()));
        inner.extend(overrides.clone());
        let mut members = Vec::new();
        // A single name is no list, and the original then builds no member.
        for member in fields.get("task").and_then(Value::as_array).into_iter().flatten() {
            members.extend(self.member(name, member, &inner, depth)?);
        }
        Ok(Group {
            name: name.to_owned(),
            alias: fields.get("group_alias").and_then(Value::as_str).map(str::to_owned),
            version: fields
                .get("metadata")
                .and_then(|metadata| metadata.get("version"))
                .map_or_else(|| "N/A".to_owned(), python_str),
            aggregates: aggregates(name, fields.get("aggregate_metric_list"))?,
            members,
        })
    }

    /// What an item of a group's list stands for.
    fn member(
        &self,
        group: &str,
        item: &Value,
        overrides: &Map<String, Value>,
        depth: usize,
    ) -> Result<Vec<Member>, TaskError> {
        let own = match item {
            Value::String(name) => {
                return if self.contains(name) {
                    self.members(name, overrides, depth + 1)
                } else {
                    Err(self.get(name).err().unwrap_or_else(|| TaskError::task(group, "no member")))
                };
            }
            Value::Object(own) => own,
            _ => return Err(TaskError::task(group, "a member is a name or a mapping")),
        };
        let merged = |skipped: &str| {
            let mut fields = overrides.clone();
            fields.extend(own.clone());
            fields.shift_remove(skipped);
            fields
        };
        if let Some(inner) = own.get("group").and_then(Value::as_str) {
            if self.contains(inner) {
                return self.members(inner, &merged("group"), depth + 1);
            }
            let name = format!("{group}::{inner}");
            return Ok(vec![Member::Group(self.group(&name, own, overrides, depth + 1)?)]);
        }
        let Some(name) = own.get("task").and_then(Value::as_str) else {
            return Err(TaskError::task(group, "a member has neither task nor group"));
        };
        if self.contains(name) {
            return self.members(name, &merged("task"), depth + 1);
        }
        let mut fields = merged("task");
        fields.insert("task".to_owned(), format!("{group}::{name}").into());
        self.planned(fields).map(|task| vec![task])
    }
}

impl TaskIndex {
    /// The task of an entry, with what a group overrides.
    fn task_of(&self, entry: &Entry, overrides: &Map<String, Value>) -> Result<Member, TaskError> {
        let mut fields = entry.fields.clone();
        fields.extend(overrides.clone());
        self.planned(fields)
    }

    fn planned(&self, mut fields: Map<String, Value>) -> Result<Member, TaskError> {
        fields.retain(|key, _| !STRUCTURAL.contains(&key.as_str()));
        let task = TaskPlan::from_fields(&fields, self.functions())?;
        Ok(Member::Task(Box::new(task)))
    }
}

fn last_name(reference: &str) -> &str {
    reference.rsplit('.').next().unwrap_or(reference)
}

fn aggregates(group: &str, value: Option<&Value>) -> Result<Vec<Aggregate>, TaskError> {
    let items = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items.clone(),
        Some(one) => vec![one.clone()],
    };
    let aggregate = |item: &Value| {
        let metric = match item.get("metric") {
            Some(Value::String(name)) => Some(&**name),
            // A function counts under its own name.
            Some(function) => function.get(FUNCTION).and_then(Value::as_str).map(last_name),
            None => None,
        };
        let metric = metric.ok_or_else(|| TaskError::task(group, "a figure has no metric"))?;
        let aggregation = item.get("aggregation").and_then(Value::as_str).unwrap_or("mean");
        if aggregation != "mean" {
            let what = format!("aggregation: {aggregation} is not known; groups have mean");
            return Err(TaskError::task(group, what));
        }
        let filters = item.get("filter_list").filter(|filters| !filters.is_null());
        Ok(Aggregate {
            metric: metric.to_owned(),
            filters: filters
                .map(|filters| texts(Some(filters)).into_iter().map(str::to_owned).collect()),
            is_weighted: item.get("weight_by_size").and_then(Value::as_bool).unwrap_or(true),
        })
    };
    items.iter().map(aggregate).collect()
}
