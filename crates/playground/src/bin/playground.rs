//! The page: the playground, or one figure within another page, as the address says.

use teeter_playground::address;
use teeter_playground::components::{App, Embedded};
use teeter_scenario::link::View;
use yew::{BaseComponent, Renderer};

fn main() {
    console_error_panic_hook::set_once();
    match address::view(&address::fragment()) {
        View::Edit => show::<App>(),
        View::Embed => show::<Embedded>(),
    }
}

fn show<Page: BaseComponent<Properties: Default>>() {
    let root = gloo::utils::document().get_element_by_id("app");
    match root {
        Some(root) => drop(Renderer::<Page>::with_root(root).render()),
        None => drop(Renderer::<Page>::new().render()),
    }
}
