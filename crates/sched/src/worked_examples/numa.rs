//! Worked examples of NUMA balancing.

use serde_json::Value;
use teeter_scenario::{Bytes, Nanos};

use super::{int, uint};
use crate::numa::{Faults, GroupFaults, Loads, PAGE, ScanBounds, weight};
use crate::rules::{NumaMove, NumaTunables, ScanPeriod};

/// Checks an example `numa.FAMILY`. False: there is no such family.
pub(super) fn check(family: &str, id: &str, given: &Value, want: &Value) -> bool {
    match family {
        "scanmin" => {
            let tunables = NumaTunables {
                scan_size: Bytes::from_mb(uint(given, "scan_size_MB")),
                scan_period_min: Nanos::from_millis(uint(given, "scan_period_min_ms")),
                ..NumaTunables::default()
            };
            let bounds = ScanBounds {
                tunables: &tunables,
                rss: (uint(given, "rss_MiB") << 20) / PAGE,
                sharing: None,
            };
            assert_eq!(bounds.min(), uint(want, "ms"), "{id}");
        }
        "scanperiod" => {
            let faults = Faults {
                local: uint(given, "local"),
                remote: uint(given, "remote"),
                private: uint(given, "private"),
                shared: uint(given, "shared"),
                failed: 0,
            };
            let got = faults.next_period(
                uint(given, "period_ms"),
                uint(given, "min"),
                uint(given, "max"),
                ScanPeriod::Sharing,
            );
            assert_eq!(got, uint(want, "period_ms"), "{id}");
        }
        "weight" => {
            let got = weight(uint(given, "faults_on_node"), uint(given, "total_faults"));
            assert_eq!(got, int(want, "weight"), "{id}");
        }
        "too_imbalanced" | "too_imbalanced2" => {
            let loads = Loads {
                src: uint(given, "src_load"),
                dst: uint(given, "dst_load"),
                src_capacity: uint(given, "src_cap"),
                dst_capacity: uint(given, "dst_cap"),
                imbalance_pct: 112,
            };
            let got = loads.too_imbalanced(int(given, "task_load"), NumaMove::Load);
            assert_eq!(got, want["too_imbalanced"].as_bool().unwrap(), "{id}");
        }
        "page_migrate" => {
            let faults = GroupFaults {
                cpu_src: uint(given, "cpu_faults_src"),
                cpu_dst: uint(given, "cpu_faults_dst"),
                mem_src: uint(given, "mem_faults_src"),
                mem_dst: uint(given, "mem_faults_dst"),
            };
            let want = want["migrate"].as_bool().unwrap();
            assert_eq!(faults.wants_page(), want, "{id}");
        }
        _ => return false,
    }
    true
}
