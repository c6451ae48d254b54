//! Any text as a rule file: diagnostics, never a panic or a hang, and every span lies inside the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use verger::engine::source::{FileId, SourceFile};
use verger::engine::syntax::parse;

fuzz_target!(|text: &str| {
    let (_, diagnostics) = parse(&SourceFile::new("fuzz.rule", text), FileId(0));
    for diagnostic in diagnostics {
        let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
        assert!(text.get(start..end).is_some(), "{diagnostic:?}");
        assert!(!diagnostic.message.ends_with('.'), "{diagnostic:?}");
    }
});
