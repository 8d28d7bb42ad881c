//! `teeter link`

use teeter_scenario::Scenario;

use crate::teeter::{SMALL, printed, refused, teeter_with};

#[test]
fn a_link_and_back() {
    let scenario = Scenario::from_json(SMALL).unwrap();
    let link = printed(&["link", "encode", "-"], SMALL);
    assert!(link.starts_with("#s=z1.") && link.ends_with('\n'), "{link}");
    let document = format!("{}\n", scenario.to_json_pretty());
    assert_eq!(printed(&["link", "decode", link.trim_end()], ""), document);
    assert_eq!(printed(&["link", "decode", "-"], &link), document);
}

#[test]
fn a_link_below_an_address() {
    let base = "https://example.org/teeter/#old";
    assert_eq!(
        printed(&["link", "encode", "preset:lu-group", "--base", base], ""),
        "https://example.org/teeter/#p=lu-group\n"
    );
}

#[test]
fn a_long_link_is_remarked_on_and_a_longer_one_refused() {
    // Text that does not compress.
    let text = |length: usize| {
        let letter =
            |i: usize| char::from(b'a' + (i * i * 7 / 3 + i / 5 * 11 + i * i % 17) as u8 % 26);
        (0..length).map(letter).collect::<String>()
    };
    let scenario = |length: usize| {
        SMALL.replace(
            "\"synthetic\": \"node:2 l3:1 core:2 pu:1\"",
            &format!("\"import\": \"{}\"", text(length)),
        )
    };
    let remarked = teeter_with(&["link", "encode", "-"], &scenario(3_000));
    assert_eq!(remarked.code, 0);
    let length = remarked.stdout.trim_end().len();
    assert!(length > 2_000);
    assert_eq!(
        remarked.stderr,
        format!(
            "note: {length} characters: some chat programs and old tools cut links as long as this\n"
        )
    );
    let said = refused(&["link", "encode", "-"], &scenario(200_000));
    assert!(
        said.ends_with("is too long, at most 32000: share the JSON instead\n"),
        "{said}"
    );
}

#[test]
fn a_bad_link_says_what_is_wrong_with_it() {
    let link = printed(&["link", "encode", "-"], SMALL);
    let whole = link.trim_end().len() - "#s=".len();
    let said = refused(&["link", "decode", &link[..103]], "");
    assert_eq!(
        said,
        format!("error: this link was cut: 100 of {whole} characters arrived\n")
    );
}
