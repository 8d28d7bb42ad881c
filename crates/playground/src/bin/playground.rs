//! The page.

use teeter_playground::components::App;

fn main() {
    console_error_panic_hook::set_once();
    let root = gloo::utils::document().get_element_by_id("app");
    match root {
        Some(root) => drop(yew::Renderer::<App>::with_root(root).render()),
        None => drop(yew::Renderer::<App>::new().render()),
    }
}
