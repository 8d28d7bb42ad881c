//! How a change by hand reaches the desk.

use std::rc::Rc;

use yew::prelude::*;

use crate::edit::Edit;
use crate::player::Player;
use crate::state::{Action, Desk};

/// Takes changes: as a write at this moment where the run goes on and it can be one, else from the start.
pub(super) fn edits(desk: &UseReducerHandle<Desk>, player: &Player) -> Callback<Edit> {
    let (player, dispatch) = (player.clone(), desk.dispatcher());
    let scenario = Rc::clone(&desk.scenario);
    Callback::from(move |edit: Edit| {
        let live = player.live_at().and_then(|at| edit.live(&scenario, at));
        dispatch.dispatch(Action::Edit(live.unwrap_or(edit), js_sys::Date::now()));
    })
}
