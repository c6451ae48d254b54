//! Texts and numbers that the benches make up: rules, and a heart rate a minute.

/// 2016-01-01T00:00:00Z.
pub(crate) const START: i64 = 1_451_606_400_000;
pub(crate) const MINUTE: i64 = 60_000;

/// A heart rate a minute, in tenths of a beat: a daily wave with noise from a fixed seed.
pub(crate) fn minute_values() -> impl Iterator<Item = i64> {
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    (0_i64..).map(move |minute| {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        let wave = (minute % 1440 - 720).abs() / 4;
        550 + wave + i64::try_from(noise % 60).unwrap_or(0)
    })
}

/// Limits that the wave, which reaches 79 bpm, passes on every day: half of the rules waver around theirs.
pub(crate) const WAVERING: usize = 66;
/// Limits that it never reaches.
pub(crate) const CALM: usize = 150;

/// Twenty rules over minute samples: thresholds from a lowest limit in bpm on, a 24 h maximum, 14- and 60-day
/// medians, holds and clears.
pub(crate) fn twenty_rules(lowest: usize) -> String {
    let mut text = String::from(
        "zone home = \"America/Toronto\"\nbudget some = 3 per day in home\n\
         signal health.heart bpm sampled fresh 10min range 25bpm to 230bpm\n",
    );
    for place in 0..20 {
        let level = lowest + place;
        let body = match place % 5 {
            0 => format!("  when health.heart > {level}bpm\n"),
            1 => format!(
                "  let usual = median of health.heart over 14 days, needs 7\n  when health.heart > usual + {}bpm\n",
                level - 50
            ),
            2 => format!(
                "  let usual = median of health.heart over 60 days, needs 20\n  when health.heart > 120% of usual\n  \
                and health.heart > {level}bpm\n"
            ),
            3 => format!("  when max of health.heart within last 24h, needs 10 > {level}bpm\n"),
            _ => {
                format!("  when health.heart > {level}bpm\n  for 30min\n  clear when health.heart < 60bpm\n")
            }
        };
        text.push_str(&format!("rule r{place}\n{body}  then tell within some\n  once per day\n"));
    }
    text
}

/// A thousand rules, each over its own signal or all over few.
pub(crate) fn thousand_rules(signals: usize) -> String {
    let mut text = String::from("zone home = \"America/Toronto\"\n");
    for signal in 0..signals {
        text.push_str(&format!("signal health.s{signal} bpm sampled fresh 10min range 0bpm to 500bpm\n"));
    }
    for rule in 0..1000 {
        let signal = rule % signals;
        text.push_str(&format!(
            "rule r{rule}\n  let usual = median of health.s{signal} over 14 days, needs 3, else 60bpm\n  \
             when health.s{signal} > usual + {}bpm\n  and health.s{signal} < 400bpm\n  then tell\n",
            100 + rule % 50
        ));
    }
    text
}

/// Ten files of a thousand rules each over the same fifty signals, which the first file declares.
pub(crate) fn ten_thousand_rules() -> Vec<String> {
    let whole = thousand_rules(50);
    let first = whole.find("rule ").unwrap_or(0);
    let (_, rules) = whole.split_at(first);
    let copies = (1..10).map(|copy| rules.replace("rule r", &format!("rule c{copy}-r")));
    std::iter::once(whole.clone()).chain(copies).collect()
}
