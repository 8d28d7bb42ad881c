//! What a figure tells the page around it: changes, figures, height.

use std::rc::Rc;

use teeter_scenario::Scenario;
use yew::prelude::*;

use crate::address;
use crate::embedded::message::{Metrics, Said, VERSION};
use crate::hooks::{Host, use_resize};
use crate::player::Player;

/// Metrics are told no more often than this, ms.
const METRICS_MS: f64 = 250.0;

/// That it hears.
pub(super) fn ready() -> Said {
    Said::Ready {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        apis: vec![VERSION],
    }
}

/// That the run cannot go on.
pub(super) fn tell_failed(host: &Host, why: &str) {
    host.tell(&Said::Error {
        code: "run",
        message: why.to_owned(),
        id: None,
    });
}

/// The link of the scenario in the playground.
pub(super) fn whole_link(scenario: &Scenario) -> String {
    address::whole(&address::encode(scenario))
}

/// Tells the host of changes, figures and height.
#[hook]
pub(super) fn use_told(host: &Rc<Host>, scenario: &Rc<Scenario>, player: &Player, root: &NodeRef) {
    let first = use_mut_ref(|| true);
    {
        let host = Rc::clone(host);
        use_effect_with(Rc::clone(scenario), move |scenario| {
            if !std::mem::replace(&mut *first.borrow_mut(), false) {
                let link = whole_link(scenario);
                host.tell(&Said::Change { link });
            }
        });
    }
    let last = use_mut_ref(|| f64::NEG_INFINITY);
    {
        let (host, player, scenario) = (Rc::clone(host), player.clone(), Rc::clone(scenario));
        use_effect_with(
            (player.pulses(), player.finished()),
            move |(_, finished)| {
                let now = js_sys::Date::now();
                let mut last = last.borrow_mut();
                if *finished || now - *last >= METRICS_MS {
                    *last = now;
                    host.tell(&Said::Metrics(metrics(&scenario, &player)));
                }
            },
        );
    }
    let resized = use_resize(root);
    {
        let (host, root) = (Rc::clone(host), root.clone());
        use_effect_with(resized, move |_| {
            if let Some(root) = root.cast::<web_sys::Element>() {
                let height = root.get_bounding_client_rect().height().ceil() as u32;
                host.tell(&Said::Resize { height });
            }
        });
    }
}

/// How the runs stand.
pub(super) fn metrics(scenario: &Scenario, player: &Player) -> Metrics {
    let kernels = scenario.kernels.iter().enumerate().map(|(slot, kernel)| {
        let recording = player.recording(slot);
        let result = recording
            .as_ref()
            .and_then(|recording| recording.result.as_ref());
        let value = result.and_then(|result| serde_json::to_value(result).ok());
        (kernel.title().to_owned(), value)
    });
    Metrics {
        time_s: player.now_ns() / 1e9,
        finished: player.finished(),
        kernels: kernels.collect(),
    }
}
