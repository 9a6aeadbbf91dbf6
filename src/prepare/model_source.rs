//! Where a model's answers come from.

use super::{PrepareError, model_failed};
use crate::{
    model::{Checkpoint, ModelError},
    plan::ModelPlan,
};

/// A checkpoint whose weights are still on disk, or a server.
pub(crate) enum ModelSource {
    /// On this machine.
    Checkpoint(Box<Checkpoint>),
    /// Behind the address that the plan has.
    Server,
}

impl ModelSource {
    /// The checkpoint; nothing of a model behind a server.
    pub(crate) fn checkpoint(&self) -> Option<&Checkpoint> {
        match self {
            Self::Checkpoint(own) => Some(own),
            Self::Server => None,
        }
    }

    /// The checkpoint for what needs one.
    ///
    /// # Errors
    /// The model is behind a server.
    pub(crate) fn needed(&self, plan: &ModelPlan) -> Result<&Checkpoint, PrepareError> {
        self.checkpoint().ok_or_else(|| {
            let name = plan.path.to_string_lossy().into_owned();
            model_failed(plan, ModelError::Served { name })
        })
    }

    /// What people may want to know of the model, as the store keeps it.
    pub(crate) fn facts(&self, plan: &ModelPlan) -> serde_json::Value {
        match (self, &plan.served) {
            (Self::Checkpoint(own), _) => serde_json::json!({
                "abbr": plan.abbr, "path": plan.path, "parameters": own.parameters(),
            }),
            (Self::Server, served) => serde_json::json!({
                "abbr": plan.abbr, "path": plan.path,
                "address": served.as_ref().map(|own| own.address.to_string()),
            }),
        }
    }
}
