//! The steps taken, by name: any of them is one click away.

use yew::prelude::*;

use crate::state::{Action, Desk};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub desk: UseReducerHandle<Desk>,
    pub act: Callback<Action>,
}

/// Steps in sight at most.
const SHOWN: usize = 30;

/// The list, newest first, with what was undone above it.
#[component]
pub(super) fn Steps(props: &Props) -> Html {
    let (done, undone) = props.desk.steps();
    let go = |action: Action| props.act.reform(move |_: MouseEvent| action.clone());
    html! {
        <details class="fold" data-testid="steps">
            <summary>{ format!("Steps ({})", done.len() + undone.len()) }</summary>
            <div class="inside">
                if done.is_empty() && undone.is_empty() { <p class="note">{ "None yet. Every change is a step that can be taken back." }</p> }
                <ol class="steps-taken">
                    for (index, label) in undone.iter().enumerate().take(SHOWN) {
                        <li key={format!("undone {index}")}><button type="button" class="undone" onclick={go(Action::Forward(undone.len() - index))}
                            title="Go forward to this step">{ *label }</button></li>
                    }
                    for (index, label) in done.iter().enumerate().take(SHOWN) {
                        <li key={format!("done {index}")} aria-current={(index == 0).then_some("step")}>
                            if index == 0 {
                                <span>{ *label }</span>
                            } else {
                                <button type="button" onclick={go(Action::Back(index))} title="Go back to after this step">{ *label }</button>
                            }
                        </li>
                    }
                    if !done.is_empty() {
                        <li key="start"><button type="button" onclick={go(Action::Back(done.len()))}>{ "as it was opened" }</button></li>
                    }
                </ol>
            </div>
        </details>
    }
}
