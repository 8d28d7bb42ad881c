//! The scenario in the address bar.

use std::rc::Rc;

use teeter_scenario::link::{LENGTH_MOST, Link, LinkError, View};
use teeter_scenario::{Scenario, wire};

use crate::state::Notice;

/// The address's fragment now, with its `#`; empty where there is none.
pub fn fragment() -> String {
    gloo::utils::window().location().hash().unwrap_or_default()
}

/// What a fragment holds: nothing, a scenario, or why it cannot be opened.
///
/// # Errors
/// A notice that says what failed, with the raw text and what could be read of it.
pub fn read(fragment: &str) -> Option<Result<Rc<Scenario>, Notice>> {
    let link = link(fragment)?;
    Some(link.map(|link| Rc::new(link.scenario)))
}

/// What a fragment says, its view and the view's parameters among it.
///
/// # Errors
/// As [`read`].
pub fn link(fragment: &str) -> Option<Result<Link, Notice>> {
    let is_empty = fragment.trim_start_matches('#').is_empty();
    (!is_empty).then(|| Link::decode(fragment).map_err(|error| notice(&error, fragment)))
}

/// The view that a fragment asks for, even if nothing else of it can be read.
pub fn view(fragment: &str) -> View {
    let name = fragment.trim_start_matches('#').split('?').next();
    let named = View::ALL.into_iter().find(|view| Some(view.name()) == name);
    named.unwrap_or_default()
}

/// The fragment of a scenario.
pub fn encode(scenario: &Scenario) -> String {
    Link::new(scenario.clone()).encode()
}

/// The whole address of a fragment, under the path the page is at.
pub fn whole(fragment: &str) -> String {
    let location = gloo::utils::window().location();
    let href = location.href().unwrap_or_default();
    let page = href.split('#').next().unwrap_or_default();
    format!("{page}{fragment}")
}

/// Puts a fragment into the address bar without a step of history; too long ones are left out.
pub fn show(fragment: &str) {
    if fragment.len() > LENGTH_MOST || fragment == self::fragment() {
        return;
    }
    if let Ok(history) = gloo::utils::window().history() {
        // Safari refuses more than 100 of these in 30 s: the next edit tries again.
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(fragment));
    }
}

/// What to tell about a link that cannot be opened.
fn notice(error: &LinkError, raw: &str) -> Notice {
    let (salvaged, mut details) = match error {
        LinkError::Field { problems, json } => {
            let lines = problems.0.iter().map(ToString::to_string).collect();
            (wire::read(json).scenario.map(Rc::new), lines)
        }
        other => (None, vec![sentence(&other.to_string())]),
    };
    details.extend(advice(error).map(str::to_owned));
    Notice {
        title: "This link could not be opened. Your own work is as it was.".to_owned(),
        details,
        raw: Some(raw.to_owned()),
        salvaged,
        calm: false,
    }
}

fn advice(error: &LinkError) -> Option<&'static str> {
    Some(match error {
        LinkError::Cut { .. } => {
            "Copy it again from where it was posted, whole: some programs cut long links."
        }
        LinkError::Length { .. }
        | LinkError::Checksum { .. }
        | LinkError::Base64(_)
        | LinkError::Inflate => {
            "Copy it again from where it was posted: some programs change links."
        }
        LinkError::Newer { .. } => "Load this page again to get the newest Teeter.",
        LinkError::NoScenario => "A link to a scenario has `#p=` or `#s=` in it.",
        _ => return None,
    })
}

/// A phrase as a sentence of its own.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::presets;

    #[test]
    fn links_come_back_as_the_same_scenario() {
        for name in presets::names() {
            let scenario = presets::get(name).unwrap();
            let fragment = encode(&scenario);
            assert_eq!(*read(&fragment).unwrap().unwrap(), scenario);
        }
        assert_eq!(read("#"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn a_bad_link_of_an_embed_is_still_one() {
        assert_eq!(view("#embed?p=no-such"), View::Embed);
        assert_eq!(view("#embed"), View::Embed);
        assert_eq!(view("#p=embed"), View::Edit);
        assert_eq!(view(""), View::Edit);
    }

    #[test]
    fn a_cut_link_says_so_and_keeps_the_text() {
        let mut scenario = presets::get("lu-group").unwrap();
        scenario.about =
            "something else than any preset has, word by word, at some length".to_owned();
        scenario.tasks.truncate(1);
        let fragment = Link::new(scenario).encode();
        let cut = &fragment[..fragment.len() - 20];
        let notice = read(cut).unwrap().unwrap_err();
        assert_eq!(notice.raw.as_deref(), Some(cut));
        assert_eq!(notice.details.len(), 2, "{notice:?}");
    }

    #[test]
    fn what_can_be_read_is_kept() {
        let notice = read("#p=lu-group&/run/sed=3").unwrap().unwrap_err();
        assert!(notice.details[0].contains("sed"), "{notice:?}");
        let salvaged = notice.salvaged.unwrap();
        assert_eq!(*salvaged, presets::get("lu-group").unwrap());
    }
}
