//! The texts of a rule set, as they are stored and made into a set again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use crate::engine::check::lint;
use crate::engine::diagnostic::Severity;
use crate::engine::resolve::Inputs;
use crate::engine::rule_set::RuleSet;
use crate::engine::source::{SourceFile, Sources};
use crate::engine::syntax::parse_all;

/// Everything that a rule set is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleFiles {
    /// Texts of rule files by path.
    pub rules: BTreeMap<String, String>,
    /// Texts of scripts by the path that a `function` names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scripts: BTreeMap<String, String>,
}

impl RuleFiles {
    /// The set.
    ///
    /// # Errors
    /// [`StoreError::Rules`] when it has errors.
    pub fn compile(&self) -> Result<RuleSet, StoreError> {
        let mut sources = Sources::default();
        for (path, text) in &self.rules {
            sources.add(SourceFile::new(path, text.as_str()));
        }
        let inputs = Inputs { scripts: self.scripts.clone(), local: sources.local() };
        let (trees, mut findings) = parse_all(&sources);
        // Suppressions that have run out since say nothing about what was in force.
        let (rules, found) = lint(&trees, &sources, &inputs, None);
        findings.extend(found);
        match findings.into_iter().find(|finding| finding.severity == Severity::Error) {
            Some(error) => Err(StoreError::Rules(error.message)),
            None => Ok(rules),
        }
    }
}
