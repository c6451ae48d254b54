//! Functions of a rule set, written in Rhai and kept in a sandbox.
//!
//! A script is compiled once and called with typed values. It sees its arguments and nothing else: no clock,
//! file, network, randomness, output or other script. What it may use is what [`sandbox`] registers, one
//! list. Every limit counts steps, bytes or depth, never time, so a verdict does not depend on the machine.
//!
//! How values cross, both ways (written in the manual too):
//!
//! | type | in the script |
//! |---|---|
//! | quantity | decimal in its unit: `56.5bpm` is `56.5`, `97%` is `97` |
//! | duration | decimal minutes: `7h30m` is `450` |
//! | money | decimal in the major unit: `12.50 EUR` is `12.50` |
//! | number | decimal |
//! | text, word | string |
//! | flag | bool |
//!
//! A fraction without an end crosses with 12 decimals. A result with more decimals than its type keeps (the
//! unit's, the currency's, milliseconds, 12 for a number) is rounded half-even.
//!
//! INVARIANT: the same arguments give the same value or the same fault; a call never panics and always ends.

mod crossing;
mod sandbox;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, FnAccess, ParseError, Position, Scope};

use crate::engine::value::{Type, UnitInfo, Value};
use crossing::Crossing;

/// Longest script, in bytes.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// A compiled script; clones share it.
#[derive(Clone)]
pub struct Script {
    /// The definition's name with `_` for `-`, as Rhai has it.
    entry: Arc<str>,
    params: Arc<[(Arc<str>, Crossing)]>,
    returns: Crossing,
    engine: Arc<Engine>,
    ast: Arc<AST>,
}

/// Why a script cannot be used, in the script's own places.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// What was found and what was expected.
    pub message: String,
    /// Line of the script, from 1.
    pub line: Option<u32>,
    /// Column in Unicode scalars, from 1.
    pub column: Option<u32>,
}

/// Why a call gave no value; the caller makes it *missing* with this reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptFault {
    /// Too many operations, or too many bytes of text handled.
    #[error("the function ran out of fuel")]
    Fuel,
    /// Calls or expressions nested too deeply.
    #[error("the function calls itself too deeply")]
    Nesting,
    /// A text, array, map or the number of variables grew beyond its bound.
    #[error("the function made a value that is too large: {0}")]
    TooLarge(String),
    /// A number that does not fit.
    #[error("the function's number does not fit")]
    Overflow,
    /// The result is not what the definition says.
    #[error("the function gave {found}, expected {expected}")]
    WrongResult {
        /// Kind of value that came back.
        found: String,
        /// Kind of value that the definition names.
        expected: &'static str,
    },
    /// The arguments do not fit the definition.
    #[error("the function takes {expected}")]
    WrongArguments {
        /// What it takes.
        expected: String,
    },
    /// Anything else that the script did wrong, with its line.
    #[error("{message}{}", place(*line))]
    Failed {
        /// What happened.
        message: String,
        /// Line of the script, from 1.
        line: Option<u32>,
    },
}

fn place(line: Option<u32>) -> String {
    line.map(|line| format!(" (line {line})")).unwrap_or_default()
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Script")
            .field("entry", &self.entry)
            .field("params", &self.params)
            .field("returns", &self.returns)
            .finish_non_exhaustive()
    }
}

impl Script {
    /// Compiles a script for a definition `function NAME (PARAMS) -> RETURNS`. The script must define a
    /// function of that name, with `_` where the name has `-`, that takes as many values.
    ///
    /// # Errors
    /// Text that is too long or no Rhai, a symbol that the sandbox does not have, a function that is not
    /// defined, and types that cannot cross (instants, dates, clock times).
    pub fn compile(
        name: &str,
        params: &[(Arc<str>, Type)],
        returns: Type,
        text: &str,
        units: &[UnitInfo],
    ) -> Result<Self, ScriptError> {
        if text.len() > TEXT_BYTES_MAX {
            let message = format!("the script has {} bytes, at most {TEXT_BYTES_MAX} are read", text.len());
            return Err(ScriptError::without_place(message));
        }
        let crossing = |what: &str, ty: Type| {
            Crossing::of(ty, units).map_err(|kind| {
                ScriptError::without_place(format!("{what} is {kind}, which a script cannot take or give"))
            })
        };
        let params = params
            .iter()
            .map(|(name, ty)| Ok((name.clone(), crossing(&format!("`{name}`"), *ty)?)))
            .collect::<Result<Arc<[_]>, ScriptError>>()?;
        let returns = crossing("the result", returns)?;
        let engine = sandbox::engine();
        let ast = engine.compile(text).map_err(|error| ScriptError::of_parsing(&error))?;
        let entry = name.replace('-', "_");
        check_defined(&ast, &entry, params.len())?;
        Ok(Self { entry: entry.into(), params, returns, engine: Arc::new(engine), ast: Arc::new(ast) })
    }

    /// Calls the script. The values are of the types that the definition names.
    ///
    /// # Errors
    /// Out of fuel or bounds, an error that the script meets or throws, and a result of another type.
    pub fn call(&self, args: &[Value]) -> Result<Value, ScriptFault> {
        if args.len() != self.params.len() {
            return Err(ScriptFault::WrongArguments { expected: format!("{} values", self.params.len()) });
        }
        let args = args
            .iter()
            .zip(self.params.iter())
            .map(|(value, (name, crossing))| crossing.enter(value, name))
            .collect::<Result<Vec<Dynamic>, ScriptFault>>()?;
        let options = CallFnOptions::new().eval_ast(false).with_tag(sandbox::full_tank());
        let result = self
            .engine
            .call_fn_with_options::<Dynamic>(options, &mut Scope::new(), &self.ast, &*self.entry, args)
            .map_err(|error| fault(*error))?;
        self.returns.leave(&result)
    }
}

/// The function that is called must be there, with the right number of parameters.
fn check_defined(ast: &AST, entry: &str, arity: usize) -> Result<(), ScriptError> {
    let mut found: Vec<(&str, usize)> = ast
        .iter_functions()
        .filter(|function| matches!(function.access, FnAccess::Public))
        .map(|function| (function.name, function.params.len()))
        .collect();
    found.sort_unstable();
    if found.iter().any(|(name, params)| *name == entry && *params == arity) {
        return Ok(());
    }
    let message = match found.iter().find(|(name, _)| *name == entry) {
        Some((_, params)) => {
            format!("the script's `fn {entry}` takes {params} values, expected {arity}")
        }
        None if found.is_empty() => format!("the script defines no function, expected `fn {entry}`"),
        None => {
            let names: Vec<String> = found.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("the script defines {}, expected `fn {entry}`", names.join(", "))
        }
    };
    Err(ScriptError::without_place(message))
}

impl ScriptError {
    fn without_place(message: String) -> Self {
        Self { message, line: None, column: None }
    }

    fn of_parsing(error: &ParseError) -> Self {
        let ParseError(kind, position) = error;
        Self {
            message: without_end_stop(&kind.to_string()),
            line: line(*position),
            column: column(*position),
        }
    }
}

/// Limits have their own faults; everything else keeps the script's words.
fn fault(mut error: EvalAltResult) -> ScriptFault {
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
        error = *inner;
    }
    match error {
        EvalAltResult::ErrorTooManyOperations(_) | EvalAltResult::ErrorTerminated(..) => ScriptFault::Fuel,
        EvalAltResult::ErrorStackOverflow(_) => ScriptFault::Nesting,
        EvalAltResult::ErrorTooManyVariables(_) => ScriptFault::TooLarge("Number of variables".to_owned()),
        EvalAltResult::ErrorDataTooLarge(what, _) => ScriptFault::TooLarge(what),
        EvalAltResult::ErrorRuntime(thrown, position) => {
            let words: String = thrown.to_string().chars().take(200).collect();
            ScriptFault::Failed { message: format!("the function says: {words}"), line: line(position) }
        }
        mut other => {
            let position = other.take_position();
            let words: String = other.to_string().chars().take(200).collect();
            ScriptFault::Failed { message: without_end_stop(&words), line: line(position) }
        }
    }
}

fn without_end_stop(words: &str) -> String {
    words.trim_end_matches('.').to_owned()
}

fn line(position: Position) -> Option<u32> {
    position.line().and_then(|line| u32::try_from(line).ok())
}

fn column(position: Position) -> Option<u32> {
    position.position().and_then(|column| u32::try_from(column).ok())
}
