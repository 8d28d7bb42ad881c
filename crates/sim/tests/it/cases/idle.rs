//! CPUs that idle while tasks wait.

use super::preset;

/// wasted-group-imbalance: two loners each weigh as much as a build of 64 jobs, so that their nodes look busy on
/// average. To v4.11 an idle CPU that was never busy may not pull then.
#[test]
fn wasted_group_imbalance() {
    let results = preset("wasted-group-imbalance", 0);
    let cpus = |kernel: &str| {
        let tasks = results[kernel].tasks.iter();
        tasks.map(|task| task.cpu_ns).sum::<u64>() as f64 / 4e9
    };
    for kernel in results.keys() {
        println!("{kernel}: {:.1} of 64 CPUs used", cpus(kernel));
    }
    assert!(results["v4.11"].idle_while_waiting > 0.9 && cpus("v4.11") < 60.0);
    for kernel in ["v5.3", "v5.5"] {
        assert!(cpus(kernel) > 63.5, "{kernel}");
    }
}

/// biglittle-force-balance: five hogs on four big CPUs and three on four little ones.
#[test]
fn biglittle_force_balance() {
    for (kernel, result) in preset("biglittle-force-balance", 0) {
        let idle = result.idle_while_waiting;
        println!(
            "{kernel}: a CPU idles for {:.0} % of the time",
            100.0 * idle
        );
        match kernel.as_str() {
            "v5.5" | "v6.12" => assert!(idle < 0.01, "{kernel}"),
            _ => assert!(idle > 0.99, "{kernel}"),
        }
    }
}
