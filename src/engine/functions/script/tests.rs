//! What a script may do, and that nothing it does lasts or escapes.

use proptest::prelude::*;

use super::*;
use crate::engine::value::{BUILTIN_UNITS, Currency, Ratio, UnitId};

const BPM: Type = Type::Quantity(UnitId(0));
const MS: Type = Type::Quantity(UnitId(1));

fn compile(params: &[(&str, Type)], returns: Type, text: &str) -> Result<Script, ScriptError> {
    let params: Vec<(Arc<str>, Type)> = params.iter().map(|(name, ty)| (Arc::from(*name), *ty)).collect();
    Script::compile("f", &params, returns, text, BUILTIN_UNITS)
}

/// Calls `fn f(x)` with the number 3, for a number.
fn run(text: &str) -> Result<Value, ScriptFault> {
    compile(&[("x", Type::Number)], Type::Number, text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .call(&[number(3, 1)])
}

fn number(num: i128, den: i128) -> Value {
    Value::Number(Ratio::new(num, den).unwrap())
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// Refused when compiled, or a fault when called; never a value.
fn ends_badly(script: &str) -> String {
    let compiled = match compile(&[("x", Type::Number)], Type::Number, script) {
        Err(error) => return error.to_string(),
        Ok(compiled) => compiled,
    };
    let fault = compiled.call(&[number(3, 1)]).expect_err(script);
    assert_eq!(compiled.call(&[number(3, 1)]), Err(fault.clone()), "the same fault every time");
    fault.to_string()
}

#[test]
fn each_type_crosses_in_its_unit_and_back() {
    let eur = Type::Money(Currency::parse("EUR").unwrap());
    let jpy = Type::Money(Currency::parse("JPY").unwrap());
    let minutes = number(7 * 3_600_000 + 30 * 60_000, 1);
    for (ty, value, seen) in [
        (BPM, number(565, 1), "56.5"),
        (Type::Quantity(UnitId(2)), number(970, 1), "97"),
        (Type::Quantity(UnitId(8)), number(12_345, 1), "12.345"),
        (Type::Duration, minutes, "450"),
        (Type::Duration, number(90_500, 1), "1.508333333333"),
        (eur, number(1250, 1), "12.5"),
        (jpy, number(1250, 1), "1250"),
        (Type::Number, number(1, 3), "0.333333333333"),
        (Type::Number, number(-7, 8), "-0.875"),
        (Type::Text, text("a é"), "a é"),
        (Type::Word, text("open"), "open"),
        (Type::Flag, Value::Flag(true), "true"),
    ] {
        let shown = compile(&[("x", ty)], Type::Text, "fn f(x) { x.to_string() }").unwrap();
        assert_eq!(shown.call(std::slice::from_ref(&value)), Ok(text(seen)), "{ty:?}");
        let same = compile(&[("x", ty)], ty, "fn f(x) { x }").unwrap();
        if value != number(1, 3) {
            assert_eq!(same.call(std::slice::from_ref(&value)), Ok(value), "{ty:?}");
        }
    }
}

#[test]
fn a_result_with_more_decimals_is_rounded_half_even() {
    for (half, kept) in
        [("0.25", 2), ("0.35", 4), ("0.350000001", 4), ("-0.25", -2), ("-0.35", -4), ("7", 70)]
    {
        let script = compile(&[], BPM, &format!("fn f() {{ {half} }}")).unwrap();
        assert_eq!(script.call(&[]), Ok(number(kept, 1)), "{half}");
    }
    let third = compile(&[], Type::Number, "fn f() { 1 / 3 }").unwrap();
    assert_eq!(third.call(&[]), Ok(number(333_333_333_333, 1_000_000_000_000)));
}

#[test]
fn instants_dates_and_clock_times_do_not_cross() {
    for (ty, words) in [
        (Type::Instant, "`x` is an instant, which a script cannot take or give"),
        (Type::Date, "`x` is a date, which a script cannot take or give"),
        (Type::Clock, "`x` is a clock time, which a script cannot take or give"),
    ] {
        let error = compile(&[("x", ty)], Type::Number, "fn f(x) { 1 }").unwrap_err();
        assert_eq!(error.to_string(), words);
        let error = compile(&[], ty, "fn f() { 1 }").unwrap_err();
        assert!(error.message.starts_with("the result is"), "{error}");
    }
}

#[test]
fn the_script_defines_the_function_by_its_name_and_arity() {
    let named = |name: &str, text: &str| Script::compile(name, &[], Type::Number, text, &[]);
    assert!(named("sleep-debt", "fn sleep_debt() { 1 }").is_ok());
    let words = |text: &str| named("debt", text).unwrap_err().to_string();
    assert_eq!(words(""), "the script defines no function, expected `fn debt`");
    assert_eq!(words("fn dept() { 1 }"), "the script defines `dept`, expected `fn debt`");
    assert_eq!(words("fn debt(a) { 1 }"), "the script's `fn debt` takes 1 values, expected 0");
    assert!(named("debt", "private fn debt() { 1 }").is_err());
}

#[test]
fn a_mistake_names_its_place() {
    let error = compile(&[], Type::Number, "fn f() {\n  1 +\n}").unwrap_err();
    assert_eq!((error.line, error.column), (Some(3), Some(1)), "{error}");
    let error = compile(&[("a", Type::Number)], Type::Number, "fn f(a) {\n  a + bb\n}").unwrap_err();
    assert_eq!((error.line, error.column), (Some(2), Some(7)), "{error}");
    assert!(error.message.contains("bb"), "{error}");
    let fault =
        compile(&[], Type::Number, "fn f() {\n  throw \"no data\"\n}").unwrap().call(&[]).unwrap_err();
    assert_eq!(fault.to_string(), "the function says: no data (line 2)");
}

#[test]
fn the_useful_things_work() {
    for (body, value) in [
        ("x / 2", number(3, 2)),
        ("1 / 2", number(1, 2)),
        ("-x + 1", number(-2, 1)),
        ("x % 2", number(1, 1)),
        ("if x > 2.5 && !(x == 4) { 1 } else { 0 }", number(1, 1)),
        ("let sum = 0; for i in 0..4 { sum += i } sum", number(6, 1)),
        ("let sum = 0; for i in 0..=4 { sum += i } sum", number(10, 1)),
        ("let a = [1, 2, 3.5]; a.push(4); let sum = 0; for i in a { sum += i } sum", number(21, 2)),
        ("let a = [1, 2]; a[1] + a.len()", number(4, 1)),
        ("let m = #{ low: 1, high: 2 }; m.high", number(2, 1)),
        ("switch x { 3.0 => 7, _ => 8 }", number(7, 1)),
        ("min(x, 2) + max(1, x) + abs(-4)", number(9, 1)),
        ("round(2.5) + floor(1.9) + ceiling(1.1)", number(5, 1)),
        ("round(2.345, 2)", number(234, 100)),
        ("sqrt(x + 1)", number(2, 1)),
        ("pow(x, 4)", number(81, 1)),
        ("to_int(x / 2)", number(1, 1)),
        ("let n = 0; while n < 10 { n += 1; if n == 7 { break } } n", number(7, 1)),
        ("helper(x) + 1", number(7, 1)),
    ] {
        assert_eq!(run(&format!("fn f(x) {{ {body} }} fn helper(y) {{ y * 2 }}")), Ok(value), "{body}");
    }
    let words = compile(
        &[("t", Type::Text)],
        Type::Text,
        r#"fn f(t) {
            if t.contains("Exam") && t.ends_with("m") {
                return `${t.to_upper()}: ${t.len()} ${1.50} ${true}`;
            }
            t.trim() + 1
        }"#,
    )
    .unwrap();
    assert_eq!(words.call(&[text("Final Exam")]), Ok(text("FINAL EXAM: 10 1.50 true")));
    assert_eq!(words.call(&[text(" é ")]), Ok(text("é1")));
}

#[test]
fn what_would_break_the_sandbox_is_absent() {
    for body in [
        "sleep(3)",
        "timestamp()",
        "rand()",
        "eval(\"1\")",
        "print(1); 1",
        "debug(1); 1",
        "import \"other\" as o; 1",
        "export x; 1",
        "exit(1)",
        "parse_json(\"{}\")",
        "Fn(\"f\")",
        "x ** 2",
        "let g = |y| y; 1",
        "get_fn_metadata_list()",
        "env(\"HOME\")",
        "open_file(\"a\")",
        "this",
    ] {
        ends_badly(&format!("fn f(x) {{ {body} }}"));
    }
}

/// Bodies of functions that want more than they may have.
const GREEDY: &[&str] = &[
    "loop { }",
    "while true { let y = 1; }",
    "let s = \"ab\"; loop { s += s; }",
    "let s = \"ab\"; loop { s = s + s; }",
    "let s = \"ab\"; loop { s = `${s}${s}`; }",
    "let a = [1]; loop { a.push(a); }",
    "let a = [1]; loop { a = [a, a]; }",
    "let a = [1]; loop { a += a; }",
    "let a = [1]; loop { push(a, 1); }",
    "let m = #{ a: 1 }; loop { m.a = m; }",
    "let m = #{}; let i = 0; loop { m[\"\" + i] = 1; i += 1; }",
    "f(x)",
    "f(x) + f(x)",
    "try { loop { } } catch { 1 }",
    "try { let s = \"ab\"; loop { s += s; } } catch { 1 }",
    "try { f(x) } catch { 1 }",
    "let s = \"é\"; for i in 0..8 { s += s; } try { loop { s.to_lower(); } } catch { 1 }",
    "let s = \"ab\"; for i in 0..9 { s += s; } loop { s[1000] = 'x'; }",
    "let a = []; for i in 0..200 { a.push(\"a\" + i); } loop { let b = a; }",
    "1 / 0",
    "x / 0",
    "x % 0",
    "1 % 0",
    "9223372036854775807 + 1",
    "-9223372036854775807 - 2",
    "let y = 79228162514264337593543950335.0; y + y",
    "let y = 79228162514264337593543950335.0; y * y",
    "let y = 79228162514264337593543950335.0; y / 0.0000000000000000000000000001",
    "pow(10, 1000)",
    "pow(2, -1)",
    "sqrt(-1)",
    "round(1.5, 99)",
    "to_int(79228162514264337593543950335.0)",
    "99999999999999999999999999999999999999",
    "1e999999999",
    "1 << 99999999999; \"a\"",
    "\"text\"",
    "true",
    "[1]",
    "#{}",
    "'c'",
    "()",
    "x.missing",
    "x[0]",
    "[1][7]",
    "#{ a: 1 }.b",
    "[1] == [1]",
    "unknown(x)",
    "for i in 0..9223372036854775807 { }",
    "for i in \"text\" { }",
];

fn hostile() -> Vec<String> {
    let deep = |open: &str, close: &str, count: usize| {
        format!("fn f(x) {{ {}1{} }}", open.repeat(count), close.repeat(count))
    };
    let mut scripts: Vec<String> = GREEDY.iter().map(|body| format!("fn f(x) {{ {body} }}")).collect();
    for count in [40, 1_000, 8_000] {
        for (open, close) in [
            ("(", ")"),
            ("{", "}"),
            ("!", ""),
            ("-", ""),
            ("[", "]"),
            ("if true {", "}"),
            ("#{a:", "}"),
            ("`${", "}`"),
        ] {
            scripts.push(deep(open, close, count));
        }
    }
    scripts.push(format!(
        "fn f(x) {{ {} 1 }}",
        (0..100).map(|n| format!("let v{n} = {n};")).collect::<String>()
    ));
    scripts.push((0..100).map(|n| format!("fn f{n}() {{ 1 }} ")).collect::<String>() + "fn f(x) { 1 }");
    scripts.push(format!("fn f(x) {{ \"{}\" }}", "a".repeat(10_000)));
    scripts.push(format!("fn f(x) {{ [{}] }}", "1,".repeat(1_000)));
    scripts.push(format!("fn f(x) {{ 1 {}}}", "+ 1".repeat(30_000)));
    scripts.push("x".repeat(100_000));
    scripts
}

#[test]
fn hostile_scripts_end_as_faults() {
    for script in hostile() {
        ends_badly(&script);
    }
}

#[test]
fn limits_have_their_own_faults() {
    assert_eq!(run("fn f(x) { loop { } }"), Err(ScriptFault::Fuel));
    assert_eq!(run("fn f(x) { try { loop { } } catch { 1 } }"), Err(ScriptFault::Fuel));
    assert_eq!(run("fn f(x) { f(x) }"), Err(ScriptFault::Nesting));
    let bytes = "fn f(x) { let s = \"é\"; for i in 0..8 { s += s; } loop { s.to_lower(); } }";
    assert_eq!(run(bytes), Err(ScriptFault::Fuel));
    assert!(matches!(run("fn f(x) { let s = \"ab\"; loop { s += s; } }"), Err(ScriptFault::TooLarge(_))));
    assert!(matches!(run("fn f(x) { let a = [1]; loop { a += a; } }"), Err(ScriptFault::TooLarge(_))));
    let wrong = ScriptFault::WrongResult { found: "a text".to_owned(), expected: "a number" };
    assert_eq!(run("fn f(x) { \"a\" }"), Err(wrong.clone()));
    assert_eq!(wrong.to_string(), "the function gave a text, expected a number");
    let huge = compile(&[], BPM, "fn f() { 9223372036854775807 }").unwrap();
    assert_eq!(huge.call(&[]), Err(ScriptFault::Overflow));
    let divided = run("fn f(x) {\n x / 0 }").unwrap_err();
    assert_eq!(divided.to_string(), "Division by zero: 3 / 0 (line 2)");
}

#[test]
fn arguments_are_checked() {
    let script = compile(&[("t", Type::Text)], Type::Number, "fn f(t) { t.len() }").unwrap();
    assert_eq!(script.call(&[text(&"a".repeat(1024))]), Ok(number(1024, 1)));
    assert_eq!(script.call(&[text(&"a".repeat(1025))]), Err(ScriptFault::TooLarge("`t`".to_owned())));
    assert!(matches!(script.call(&[]), Err(ScriptFault::WrongArguments { .. })));
    assert!(matches!(script.call(&[number(1, 1)]), Err(ScriptFault::WrongArguments { .. })));
}

#[test]
fn a_call_leaves_nothing_behind() {
    let script =
        compile(&[("x", Type::Number)], Type::Number, "fn f(x) { let y = 0; for i in 0..900 { y += x } y }")
            .unwrap();
    let copy = script.clone();
    for _ in 0..50 {
        assert_eq!(script.call(&[number(2, 1)]), Ok(number(1800, 1)));
        assert_eq!(copy.call(&[number(2, 1)]), Ok(number(1800, 1)));
    }
}

#[test]
fn scripts_can_be_shared_between_threads() {
    fn shared<T: Clone + std::fmt::Debug + Send + Sync>(_: &T) {}
    shared(&compile(&[], Type::Number, "fn f() { 1 }").unwrap());
}

/// Fragments that make scripts both right and wrong.
fn fragment() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "x",
        "1",
        "2.5",
        "\"a\"",
        "[1, 2]",
        "#{a: 1}",
        "+",
        "-",
        "*",
        "/",
        "%",
        "==",
        "<",
        "&&",
        "||",
        "!",
        "(",
        ")",
        "{",
        "}",
        "if ",
        "else ",
        "while ",
        "for i in ",
        "0..9",
        "let y = ",
        ";",
        "y",
        "f(x)",
        "x.len()",
        "sqrt(x)",
        "s.push(1)",
        "return ",
        "`${x}`",
        "loop ",
        "break;",
        "throw ",
        "try ",
        "catch ",
        "switch x ",
        "=> ",
        ",",
    ])
}

proptest! {
    #[test]
    fn any_script_ends_and_answers_the_same_again(
        fragments in proptest::collection::vec(fragment(), 0..24), given in -1000_i64..1000,
    ) {
        let script = format!("fn f(x) {{ {} }}", fragments.concat());
        if let Ok(script) = compile(&[("x", MS)], Type::Number, &script) {
            let args = [Value::Number(Ratio::whole(given))];
            prop_assert_eq!(script.call(&args), script.call(&args));
        }
    }

    #[test]
    fn whole_steps_cross_without_loss(steps in any::<i64>(), unit in 0_u16..11) {
        let ty = Type::Quantity(UnitId(unit));
        let same = compile(&[("x", ty)], ty, "fn f(x) { x }");
        let value = Value::Number(Ratio::whole(steps));
        prop_assert_eq!(same.unwrap().call(std::slice::from_ref(&value)), Ok(value));
    }

    #[test]
    fn durations_cross_without_loss(ms in -1_000_000_000_000_i64..1_000_000_000_000) {
        let same = compile(&[("x", Type::Duration)], Type::Duration, "fn f(x) { x }");
        let value = Value::Number(Ratio::whole(ms));
        prop_assert_eq!(same.unwrap().call(std::slice::from_ref(&value)), Ok(value));
    }
}
