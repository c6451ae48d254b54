//! The direction of imports, as `docs/` and `lib.rs` describe it.

use std::collections::BTreeSet;

use super::{Source, all_sources, code, none};

/// Layers from the inside out. A layer may import those of earlier lines, never those of its own line or of
/// later ones.
const ORDER: &[&[&str]] = &[
    &["engine"],
    &["plan", "payment", "wording", "agent", "config"],
    &["connectors", "channels", "render"],
    &["store"],
    &["shell"],
    &["cli"],
];

/// Modules of the root that are no layer, each with the reason.
const NO_LAYER: &[(&str, &str)] = &[("oracles", "finds the shared oracles, only in tests")];

/// Names that may stand behind `verger::` in `main.rs`.
const MAIN: &[&str] = &["cli"];

fn rank(layer: &str) -> Option<usize> {
    ORDER.iter().position(|line| line.contains(&layer))
}

/// What a file of a layer imports and must not.
fn forbidden<'a>(layer: &str, depth: usize, code: &'a str) -> BTreeSet<&'a str> {
    let named = code::names_behind(code, "crate::").into_iter().chain(code::names_at_root(code, depth));
    named
        .filter(|name| *name != layer && rank(name) >= rank(layer))
        .filter(|name| rank(name).is_some())
        .collect()
}

/// The layer of a file in `src`, and how deep its module lies.
fn layer_of(path: &str) -> Option<(&str, usize)> {
    let inner = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let module = inner.strip_suffix("/mod").unwrap_or(inner);
    let layer = module.split('/').next()?;
    (!["lib", "main"].contains(&layer)).then(|| (layer, module.split('/').count()))
}

#[test]
fn imports_point_inwards() {
    let mut findings = Vec::new();
    for Source { path, code, .. } in &all_sources() {
        let Some((layer, depth)) = layer_of(path) else { continue };
        for name in forbidden(layer, depth, code) {
            findings.push(format!("{path}: `{layer}` must not import `{name}`"));
        }
    }
    none(&findings);
}

#[test]
fn every_module_of_the_root_has_its_place() {
    let known = |name: &str| rank(name).is_some() || NO_LAYER.iter().any(|(other, _)| *other == name);
    let mut findings = Vec::new();
    for Source { path, code, .. } in &all_sources() {
        match layer_of(path) {
            Some((layer, _)) if !known(layer) => {
                findings.push(format!("{path}: `{layer}` is in no line of ORDER"))
            }
            _ => {}
        }
        if path == "src/main.rs" {
            let named = code::names_behind(code, "verger::");
            findings.extend(
                named.iter().filter(|name| !MAIN.contains(name)).map(|name| format!("{path}: uses `{name}`")),
            );
        }
    }
    none(&findings);
}

#[test]
fn the_matrix_refuses_what_points_outwards() {
    let refused = |layer, code| forbidden(layer, 2, code).into_iter().collect::<Vec<_>>();
    assert_eq!(refused("engine", "use crate::{cli::X, engine::Y}; use crate::render;"), ["cli", "render"]);
    assert_eq!(refused("render", "use crate::connectors::X; use crate::engine::Y;"), ["connectors"]);
    assert_eq!(refused("engine", "super::super::cli::run()"), ["cli"]);
    assert_eq!(refused("cli", "use crate::{engine, render, shell};"), [""; 0]);
}
