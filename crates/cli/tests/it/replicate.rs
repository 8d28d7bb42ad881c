//! `teeter replicate`

use crate::teeter::refused;

#[test]
fn an_unknown_table_is_refused_with_the_nearest() {
    let said = refused(&["replicate", "--table", "lu-grup"], "");
    assert_eq!(
        said,
        "error: replicate: unknown table `lu-grup` (did you mean `lu-group`?)\n"
    );
    let said = refused(&["replicate", "--repeats", "0"], "");
    assert!(
        said.starts_with("error: invalid value '0' for '--repeats <N>'"),
        "{said}"
    );
}
