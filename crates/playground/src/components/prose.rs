//! A sentence whose kernel terms explain themselves.

use yew::prelude::*;

use super::term::Term;
use crate::glossary;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub text: AttrValue,
}

/// The sentence.
#[component]
pub(super) fn Prose(props: &Props) -> Html {
    let pieces = glossary::cut(&props.text);
    pieces
        .into_iter()
        .map(|(piece, entry)| match entry {
            Some(entry) => html! { <Term term={entry.term}>{ piece.to_owned() }</Term> },
            None => html! { { piece.to_owned() } },
        })
        .collect()
}
