//! The sandbox: a raw Rhai engine, its limits, and the few functions that a script may call.
//!
//! No package of Rhai is loaded, so `sleep`, `timestamp`, `eval`, `print`, `import`, `parse_json`, closures
//! and whatever a later version adds are absent, not switched off. Decimal powers, logarithms and
//! trigonometry are absent too: they cost far more than an operation, and some of them panic.
//!
//! Fuel is two counts: Rhai's operations, and the bytes that the functions below handle. What Rhai does by
//! itself (copying an array, writing one character of a text) takes one operation whatever it costs, so sizes
//! are bounded such that the costliest scripts found, copies of an array of texts and `s[1000] = 'x'` in a
//! loop, end within 50 ms when built for release.
//!
//! INVARIANT: every function here costs time in proportion to the fuel it takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rhai::{
    Array, Dynamic, Engine, EvalAltResult, INT, ImmutableString, NativeCallContext, OptimizationLevel,
    Position,
};
use rust_decimal::{Decimal, MathematicalOps};

const OPERATIONS_MAX: u64 = 20_000;
const BYTES_MAX: i64 = 128 * 1024;
/// Longest text, in bytes.
pub(super) const STRING_BYTES_MAX: usize = 1024;
const ARRAY_ITEMS_MAX: usize = 256;
const MAP_ITEMS_MAX: usize = 64;
const EXPRESSION_DEPTH_MAX: usize = 32;
const FUNCTION_EXPRESSION_DEPTH_MAX: usize = 16;
const VARIABLES_MAX: usize = 64;
const FUNCTIONS_MAX: usize = 64;
const CALL_LEVELS_MAX: usize = 16;
/// Strings that the engine keeps to share them; the cache is small since each script has its own engine.
const STRINGS_SHARED_MAX: usize = 64;

/// Words of Rhai that would run text, look around, or call by name.
const ABSENT: &[&str] = &[
    "eval",
    "print",
    "debug",
    "Fn",
    "call",
    "curry",
    "is_shared",
    "is_def_var",
    "is_def_fn",
    "this",
    "**",
    "**=",
];

type Answer<T> = Result<T, Box<EvalAltResult>>;

/// Bytes that one call may still handle. Shared, since Rhai hands out copies of a call's tag.
#[derive(Clone, Debug)]
struct Tank(Arc<AtomicI64>);

/// The tag of a new call.
pub(super) fn full_tank() -> Dynamic {
    Dynamic::from(Tank(Arc::new(AtomicI64::new(BYTES_MAX))))
}

/// Takes fuel for that many bytes; without enough the script ends, and cannot catch it.
fn charge(context: &NativeCallContext<'_>, bytes: usize) -> Answer<()> {
    // A call costs something even on empty texts.
    let cost = i64::try_from(bytes).unwrap_or(i64::MAX).saturating_add(16);
    let left = context
        .tag()
        .and_then(|tag| tag.read_lock::<Tank>().map(|tank| tank.0.fetch_sub(cost, Ordering::Relaxed)))
        .unwrap_or(0);
    if left < cost {
        return Err(Box::new(EvalAltResult::ErrorTerminated(Dynamic::UNIT, context.call_position())));
    }
    Ok(())
}

fn failed<T>(words: String) -> Answer<T> {
    Err(Box::new(EvalAltResult::ErrorArithmetic(words, Position::NONE)))
}

/// A new engine.
pub(super) fn engine() -> Engine {
    let mut engine = Engine::new_raw();
    engine
        .set_optimization_level(OptimizationLevel::None)
        .set_max_operations(OPERATIONS_MAX)
        .set_max_call_levels(CALL_LEVELS_MAX)
        .set_max_expr_depths(EXPRESSION_DEPTH_MAX, FUNCTION_EXPRESSION_DEPTH_MAX)
        .set_max_string_size(STRING_BYTES_MAX)
        .set_max_array_size(ARRAY_ITEMS_MAX)
        .set_max_map_size(MAP_ITEMS_MAX)
        .set_max_variables(VARIABLES_MAX)
        .set_max_functions(FUNCTIONS_MAX)
        .set_max_strings_interned(STRINGS_SHARED_MAX)
        .set_strict_variables(true)
        .set_fail_on_invalid_map_property(true)
        .set_allow_anonymous_fn(false)
        // Built-in operators first would make `1 / 2` zero.
        .set_fast_operators(false);
    for word in ABSENT {
        engine.disable_symbol(*word);
    }
    register_numbers(&mut engine);
    register_roots_and_rounding(&mut engine);
    register_texts(&mut engine);
    register_joining(&mut engine);
    register_arrays(&mut engine);
    engine
}

/// Signs, quotients, extremes. The other operators on numbers are Rhai's own, all checked.
fn register_numbers(engine: &mut Engine) {
    engine
        .register_fn("!", |a: bool| !a)
        .register_fn("-", |a: Decimal| -a)
        .register_fn("-", |a: INT| a.checked_neg().map_or_else(|| failed(format!("Overflow: -({a})")), Ok))
        .register_fn("+", |a: Decimal| a)
        .register_fn("+", |a: INT| a)
        .register_fn("/", |a: INT, b: INT| quotient(a.into(), b.into()))
        .register_fn("/", quotient)
        .register_fn("/", |a: INT, b: Decimal| quotient(a.into(), b))
        .register_fn("/", |a: Decimal, b: INT| quotient(a, b.into()))
        .register_fn("abs", |a: Decimal| a.abs())
        .register_fn("abs", |a: INT| {
            a.checked_abs().map_or_else(|| failed(format!("Overflow: abs({a})")), Ok)
        })
        .register_fn("min", |a: Decimal, b: Decimal| a.min(b))
        .register_fn("min", |a: INT, b: INT| a.min(b))
        .register_fn("min", |a: INT, b: Decimal| b.min(a.into()))
        .register_fn("min", |a: Decimal, b: INT| a.min(b.into()))
        .register_fn("max", |a: Decimal, b: Decimal| a.max(b))
        .register_fn("max", |a: INT, b: INT| a.max(b))
        .register_fn("max", |a: INT, b: Decimal| b.max(a.into()))
        .register_fn("max", |a: Decimal, b: INT| a.max(b.into()));
}

/// Whole numbers divide to a decimal too: the language has one kind of number.
fn quotient(a: Decimal, b: Decimal) -> Answer<Decimal> {
    if b.is_zero() {
        return failed(format!("Division by zero: {a} / {b}"));
    }
    a.checked_div(b).map_or_else(|| failed(format!("Overflow: {a} / {b}")), Ok)
}

fn register_roots_and_rounding(engine: &mut Engine) {
    engine
        .register_fn("floor", |a: Decimal| a.floor())
        .register_fn("floor", |a: INT| a)
        .register_fn("ceiling", |a: Decimal| a.ceil())
        .register_fn("ceiling", |a: INT| a)
        .register_fn("round", |a: Decimal| a.round())
        .register_fn("round", |a: INT| a)
        .register_fn("round", |a: Decimal, digits: INT| match u32::try_from(digits) {
            Ok(digits) if digits <= 28 => Ok(a.round_dp(digits)),
            _ => failed(format!("round takes 0 to 28 digits, found {digits}")),
        })
        .register_fn("to_int", |a: Decimal| match INT::try_from(a.trunc()) {
            Ok(whole) => Ok(whole),
            Err(_) => failed(format!("Overflow: to_int({a})")),
        })
        .register_fn("to_int", |a: INT| a)
        .register_fn("sqrt", |context: NativeCallContext<'_>, a: Decimal| root(&context, a))
        .register_fn("sqrt", |context: NativeCallContext<'_>, a: INT| root(&context, a.into()))
        .register_fn("pow", |context: NativeCallContext<'_>, a: Decimal, n: INT| power(&context, a, n))
        .register_fn("pow", |context: NativeCallContext<'_>, a: INT, n: INT| power(&context, a.into(), n));
}

/// A root takes some twenty divisions.
fn root(context: &NativeCallContext<'_>, a: Decimal) -> Answer<Decimal> {
    charge(context, 256)?;
    a.sqrt().map_or_else(|| failed(format!("No square root of {a}")), Ok)
}

fn power(context: &NativeCallContext<'_>, a: Decimal, n: INT) -> Answer<Decimal> {
    charge(context, 256)?;
    match u64::try_from(n) {
        Ok(n) if n <= 1024 => {
            a.checked_powu(n).map_or_else(|| failed(format!("Overflow: pow({a}, {n})")), Ok)
        }
        _ => failed(format!("pow takes a whole exponent from 0 to 1024, found {n}")),
    }
}

fn register_texts(engine: &mut Engine) {
    engine
        .register_fn("len", |context: NativeCallContext<'_>, text: ImmutableString| -> Answer<INT> {
            charge(&context, text.len())?;
            Ok(INT::try_from(text.chars().count()).unwrap_or(INT::MAX))
        })
        .register_fn(
            "contains",
            |context: NativeCallContext<'_>, text: ImmutableString, part: ImmutableString| {
                about_parts(&context, &text, &part, |text, part| text.contains(part))
            },
        )
        .register_fn(
            "starts_with",
            |context: NativeCallContext<'_>, text: ImmutableString, part: ImmutableString| {
                about_parts(&context, &text, &part, |text, part| text.starts_with(part))
            },
        )
        .register_fn(
            "ends_with",
            |context: NativeCallContext<'_>, text: ImmutableString, part: ImmutableString| {
                about_parts(&context, &text, &part, |text, part| text.ends_with(part))
            },
        )
        .register_fn("to_lower", |context: NativeCallContext<'_>, text: ImmutableString| {
            changed(&context, &text, |text| text.to_lowercase())
        })
        .register_fn("to_upper", |context: NativeCallContext<'_>, text: ImmutableString| {
            changed(&context, &text, |text| text.to_uppercase())
        })
        .register_fn("trim", |context: NativeCallContext<'_>, text: ImmutableString| {
            changed(&context, &text, |text| text.trim().to_owned())
        });
}

fn about_parts(
    context: &NativeCallContext<'_>,
    text: &str,
    part: &str,
    answer: impl Fn(&str, &str) -> bool,
) -> Answer<bool> {
    charge(context, text.len().saturating_add(part.len()))?;
    Ok(answer(text, part))
}

/// Case mapping costs several times a copy.
fn changed(
    context: &NativeCallContext<'_>,
    text: &str,
    change: impl Fn(&str) -> String,
) -> Answer<ImmutableString> {
    charge(context, text.len().saturating_mul(4))?;
    Ok(change(text).into())
}

/// `"a" + b` and `` `${b}` `` for texts, numbers and flags.
fn register_joining(engine: &mut Engine) {
    engine
        .register_fn("+", |context: NativeCallContext<'_>, a: ImmutableString, b: ImmutableString| {
            joined(&context, &a, &*b)
        })
        .register_fn("+", |context: NativeCallContext<'_>, a: ImmutableString, b: INT| {
            joined(&context, &a, b)
        })
        .register_fn("+", |context: NativeCallContext<'_>, a: ImmutableString, b: Decimal| {
            joined(&context, &a, b)
        })
        .register_fn("+", |context: NativeCallContext<'_>, a: ImmutableString, b: bool| {
            joined(&context, &a, b)
        })
        .register_fn("to_string", |context: NativeCallContext<'_>, a: INT| joined(&context, "", a))
        .register_fn("to_string", |context: NativeCallContext<'_>, a: Decimal| joined(&context, "", a))
        .register_fn("to_string", |context: NativeCallContext<'_>, a: bool| joined(&context, "", a))
        .register_fn("to_string", |text: ImmutableString| text);
}

fn joined(context: &NativeCallContext<'_>, a: &str, b: impl std::fmt::Display) -> Answer<ImmutableString> {
    let text = format!("{a}{b}");
    charge(context, text.len())?;
    Ok(text.into())
}

/// Reading, growing and walking arrays; indexing and literals are part of the language itself.
fn register_arrays(engine: &mut Engine) {
    engine
        .register_fn("len", |array: &mut Array| INT::try_from(array.len()).unwrap_or(INT::MAX))
        .register_fn("push", |array: &mut Array, item: Dynamic| array.push(item))
        .register_iterator::<Array>()
        .register_iterator::<std::ops::Range<INT>>()
        .register_iterator::<std::ops::RangeInclusive<INT>>();
}
