//! The grammar of a fragment: `VIEW?KEY=VALUE&KEY=VALUE…`, where the view may be left out.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but what is safe in a fragment, in Markdown, in HTML attributes and in chat.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'/')
    .remove(b',')
    .remove(b':')
    .remove(b'+');

/// The fragment of a link: what follows the first `#` of a whole address, or the text itself.
/// `None` for an address without a fragment.
pub(super) fn of(link: &str) -> Option<&str> {
    let link = link.trim();
    match link.split_once('#') {
        Some((_, fragment)) => Some(fragment),
        None if link.contains("://") => None,
        None => Some(link),
    }
}

/// Splits a fragment into its view, if it names one, and its parameters, decoded and in order.
pub(super) fn split(fragment: &str) -> (Option<&str>, Vec<(String, String)>) {
    let (view, parameters) = match fragment.split_once('?') {
        Some((view, parameters)) if !view.contains(['=', '&']) => (Some(view), parameters),
        _ if !fragment.contains(['=', '&']) => (Some(fragment), ""),
        _ => (None, fragment),
    };
    let pair = |parameter: &str| {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        (unescape(key), unescape(value))
    };
    let parameters = parameters
        .split('&')
        .filter(|parameter| !parameter.is_empty())
        .map(pair)
        .collect();
    (view.filter(|view| !view.is_empty()), parameters)
}

/// Writes a fragment with its `#`.
pub(super) fn join(view: Option<&str>, parameters: &[(String, String)]) -> String {
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(key, value)| format!("{}={}", escape(key), escape(value)))
        .collect();
    let parameters = parameters.join("&");
    match view {
        Some(view) => format!("#{view}?{parameters}"),
        None => format!("#{parameters}"),
    }
}

fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

fn unescape(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_found_in_addresses() {
        assert_eq!(of("https://x.org/t/#p=a"), Some("p=a"));
        assert_eq!(of(" #p=a\n"), Some("p=a"));
        assert_eq!(of("p=a"), Some("p=a"));
        assert_eq!(of("https://x.org/t/"), None);
    }

    #[test]
    fn views_and_parameters_are_told_apart() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs
                .iter()
                .map(|&(key, value)| (key.to_owned(), value.to_owned()))
                .collect()
        };
        assert_eq!(split("p=a"), (None, pairs(&[("p", "a")])));
        assert_eq!(
            split("embed?theme=dark&run&p=a%20b"),
            (
                Some("embed"),
                pairs(&[("theme", "dark"), ("run", ""), ("p", "a b")])
            )
        );
        assert_eq!(split("embed"), (Some("embed"), Vec::new()));
        assert_eq!(split("p=a?b"), (None, pairs(&[("p", "a?b")])));
        assert_eq!(split(""), (None, Vec::new()));
    }
}
