//! Texts that are typed and not in use yet. They outlive the field they stand in: a panel that is closed, another
//! tab, a page that is loaded again. Pure: no browser here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is typed into one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// The value it stands in place of.
    pub over: String,
    /// Why it was refused, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// All of them, by the name of the field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Drafts(BTreeMap<String, Draft>);

impl Drafts {
    /// What is typed into a field.
    pub fn get(&self, field: &str) -> Option<&Draft> {
        self.0.get(field)
    }

    /// What was typed into a field that shows `value` now; not what belonged to another value, as after another
    /// scenario was opened.
    pub fn found(&self, field: &str, value: &str) -> Option<&Draft> {
        self.get(field).filter(|draft| draft.over == value)
    }

    /// Keeps what is typed; `None`: it is in use, or taken back.
    pub fn set(&mut self, field: &str, draft: Option<Draft>) {
        match draft {
            Some(draft) => {
                self.0.insert(field.to_owned(), draft);
            }
            None => {
                self.0.remove(field);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_comes_back_over_the_value_it_was_typed_over() {
        let mut drafts = Drafts::default();
        let typed = Draft {
            text: "3x".to_owned(),
            over: "3".to_owned(),
            refused: Some("a whole number".to_owned()),
        };
        drafts.set("threads of lu", Some(typed.clone()));
        let kept: Drafts = serde_json::from_str(&serde_json::to_string(&drafts).unwrap()).unwrap();
        assert_eq!(kept.found("threads of lu", "3"), Some(&typed));
        assert_eq!(kept.found("threads of lu", "4"), None);
        assert_eq!(kept.get("threads of lu"), Some(&typed));
        drafts.set("threads of lu", None);
        assert_eq!(drafts, Drafts::default());
    }
}
