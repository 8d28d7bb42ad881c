//! Something failed: what, why, and what can be done. The page stays alive and the work stays as it was.

use std::rc::Rc;

use teeter_scenario::Scenario;
use yew::prelude::*;

use crate::clipboard;
use crate::state::Notice;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub notice: Notice,
    /// Opens a scenario in place of the one on the desk.
    pub open: Callback<(Rc<Scenario>, String)>,
    /// Opens the default preset.
    pub open_default: Callback<()>,
    /// Keeps the work as it is.
    pub dismiss: Callback<()>,
}

/// An inline alert; never a dialog.
#[component]
pub(super) fn NoticeBar(props: &Props) -> Html {
    let copied = use_state(|| false);
    let notice = &props.notice;
    let copy = notice.raw.clone().map(|raw| {
        let copied = copied.clone();
        Callback::from(move |_: MouseEvent| {
            let copied = copied.clone();
            clipboard::copy(&raw, Callback::from(move |done| copied.set(done)));
        })
    });
    let salvage = notice.salvaged.clone().map(|scenario| {
        props.open.reform(move |_: MouseEvent| {
            (Rc::clone(&scenario), "open what could be read".to_owned())
        })
    });
    html! {
        <div class={classes!("alert", notice.calm.then_some("calm"))} role={if notice.calm { "status" } else { "alert" }} data-testid="alert">
            <div class="what">
                <strong>{ &notice.title }</strong>
                if !notice.details.is_empty() {
                    <ul>
                        for (index, line) in notice.details.iter().enumerate() {
                            <li key={index}>{ line }</li>
                        }
                    </ul>
                }
            </div>
            <div class="buttons">
                if let Some(onclick) = salvage {
                    <button type="button" class="button" {onclick} data-testid="alert-salvage">{ "Open what could be read" }</button>
                }
                if !notice.calm {
                    <button type="button" class="button" onclick={props.open_default.reform(|_| ())}
                        data-testid="alert-default">{ "Open the default preset" }</button>
                }
                if let Some(onclick) = copy {
                    <button type="button" class="button" {onclick} data-testid="alert-copy">
                        { if *copied { "Copied" } else { "Copy the raw text" } }
                    </button>
                }
                <button type="button" class="button" onclick={props.dismiss.reform(|_| ())}
                    data-testid="alert-keep">{ if notice.calm { "Close" } else { "Keep mine" } }</button>
            </div>
        </div>
    }
}
