//! The shipped signals and streams, so that the records reader looks into every field that an import writes.

use std::sync::LazyLock;

use verger::engine::resolve::{Inputs, resolve};
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::syntax::parse;

/// The names of `rules/base.rule`.
pub static NAMES: LazyLock<RuleSet> = LazyLock::new(|| {
    let mut sources = Sources::default();
    let source = SourceFile::new("base.rule", include_str!("../rules/base.rule"));
    let file = sources.add(source.clone());
    let (tree, diagnostics) = parse(&source, file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    resolve(&[tree], &sources, &Inputs::default()).rules
});
