use teeter_scenario::*;
use teeter_sim::*;
fn main() {
    let mut a = std::env::args().skip(1);
    let preset = a.next().unwrap();
    let kernel: usize = a.next().unwrap().parse().unwrap();
    let secs: u64 = a.next().unwrap().parse().unwrap();
    let seed: u64 = a.next().map_or(1, |s| s.parse().unwrap());
    let mut s = teeter_scenario::presets::get(&preset).unwrap();
    s.run.duration = Nanos::from_secs(secs);
    s.run.seed = seed;
    let t = std::time::Instant::now();
    let mut sim = Simulation::new(&s, kernel, 0).unwrap();
    sim.run_until(sim.end());
    let r = sim.result();
    println!(
        "{} wall {:?}",
        serde_json::to_string(&r).unwrap().len(),
        t.elapsed()
    );
    println!(
        "kernel {} events {} digest {} iww {:.4}",
        r.kernel, r.events, r.digest, r.idle_while_waiting
    );
    for k in &r.tasks {
        println!(
            "{} metric {:?} mean_on_node {:?} migr {:?}",
            k.name,
            k.metric.as_ref().map(|m| m.value),
            k.mean_on_node,
            serde_json::to_string(&k.migrations).unwrap()
        );
    }
    println!("balance {}", serde_json::to_string(&r.balance).unwrap());
    println!("switches {} wakeups {}", r.switches, r.wakeups);
}
