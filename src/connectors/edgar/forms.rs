//! Names of forms and of the items of a current report.

/// Forms that are told where the owner does not say, and what they are.
const FORMS: &[(&str, &str)] = &[
    ("8-K", "Current report"),
    ("8-K/A", "Amended current report"),
    ("10-Q", "Quarterly report"),
    ("10-K", "Annual report"),
    ("6-K", "Report of a foreign company"),
    ("20-F", "Annual report of a foreign company"),
    ("S-1", "Registration of securities"),
    ("DEF 14A", "Proxy statement"),
    ("SC 13D", "Holding of more than 5 %"),
];

/// Items of form 8-K. 9.01 only says that there are exhibits.
const ITEMS: &[(&str, &str)] = &[
    ("1.01", "Entry into a material agreement"),
    ("1.02", "Termination of a material agreement"),
    ("1.03", "Bankruptcy or receivership"),
    ("1.04", "Mine safety"),
    ("1.05", "Material cybersecurity incident"),
    ("2.01", "Completion of an acquisition or disposition"),
    ("2.02", "Results of operations and financial condition"),
    ("2.03", "Creation of a financial obligation"),
    ("2.04", "Acceleration of a financial obligation"),
    ("2.05", "Costs of exit or disposal activities"),
    ("2.06", "Material impairments"),
    ("3.01", "Notice of delisting"),
    ("3.02", "Unregistered sale of equity"),
    ("3.03", "Change of holders' rights"),
    ("4.01", "Change of accountant"),
    ("4.02", "Non-reliance on earlier financial statements"),
    ("5.01", "Change in control"),
    ("5.02", "Departure or election of directors or officers"),
    ("5.03", "Amendment of articles or bylaws"),
    ("5.07", "Results of a vote of shareholders"),
    ("7.01", "Regulation FD disclosure"),
    ("8.01", "Other events"),
];

const EXHIBITS: &str = "9.01";
/// Items that a title names.
const ITEMS_MAX: usize = 12;

/// The forms of an owner's list, or the usual ones.
pub(super) fn wanted(written: &[String]) -> Vec<String> {
    if written.is_empty() {
        return FORMS.iter().map(|(form, _)| (*form).to_owned()).collect();
    }
    written.iter().map(|form| canonical(form)).collect()
}

/// A form by the name that it always had: since 2024 `SC 13D` is also written `SCHEDULE 13D`.
pub(super) fn canonical(form: &str) -> String {
    let form = form.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
    match form.strip_prefix("SCHEDULE 13") {
        Some(rest) => format!("SC 13{rest}"),
        None => form,
    }
}

/// What a filing is about, as a title: the items of a current report, the kind of another.
pub(super) fn title(form: &str, items: &str, period: &str) -> String {
    let named: Vec<String> =
        items.split(',').filter_map(|item| item_name(item.trim())).take(ITEMS_MAX).collect();
    if !named.is_empty() && form.starts_with("8-K") {
        return format!("{form}: {}", named.join("; "));
    }
    let of = |form: &str| FORMS.iter().find(|(known, _)| *known == form).map(|(_, kind)| *kind);
    let kind = match (of(form), form.strip_suffix("/A").and_then(of)) {
        (Some(kind), _) => kind.to_owned(),
        (None, Some(kind)) => format!("Amendment: {kind}"),
        (None, None) => "Filing".to_owned(),
    };
    let dated = ["10-Q", "10-K", "20-F"].iter().any(|dated| form.starts_with(dated)) && !period.is_empty();
    if dated { format!("{form}: {kind} to {period}") } else { format!("{form}: {kind}") }
}

/// `None` for the exhibits and for what is no number of an item.
fn item_name(item: &str) -> Option<String> {
    let sound = item.len() == 4
        && item.split_once('.').is_some_and(|(part, number)| {
            part.len() == 1 && part.bytes().chain(number.bytes()).all(|byte| byte.is_ascii_digit())
        });
    if !sound || item == EXHIBITS {
        return None;
    }
    let named = ITEMS.iter().find(|(number, _)| *number == item).map(|(_, name)| (*name).to_owned());
    Some(named.unwrap_or_else(|| format!("item {item}")))
}
