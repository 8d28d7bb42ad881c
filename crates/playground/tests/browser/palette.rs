#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use teeter_playground::drawing::palette::Palette;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn tokens_are_read_as_the_page_computes_them() {
    let document = gloo::utils::document();
    let style = document.create_element("style").unwrap();
    style.set_text_content(Some(
        ":root { color-scheme: dark; --ink: light-dark(#000001, #0102ff); --node-1: rgb(9 8 7); }",
    ));
    document.head().unwrap().append_child(&style).unwrap();
    let elements = document.body().unwrap().child_element_count();

    let palette = Palette::read();
    assert_eq!(palette.ink.rgb, [1, 2, 255]);
    assert_eq!(palette.node(1).rgb, [9, 8, 7]);
    assert_eq!(
        palette.node(9).rgb,
        [9, 8, 7],
        "nodes beyond the last colour begin again"
    );
    let left = document.body().unwrap().child_element_count();
    assert_eq!(left, elements, "the probe is gone");
    style.remove();
}
