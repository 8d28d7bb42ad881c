//! The published schema.

#[test]
fn the_published_schema_is_the_one_of_the_code() {
    let published = include_str!("../../../../static/schema/scenario.v1.json");
    assert_eq!(
        published,
        teeter_scenario::schema::json(),
        "write it anew: cargo run -p teeter-cli -- schema > static/schema/scenario.v1.json"
    );
}
