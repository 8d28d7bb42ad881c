//! All rules with names, by area.

use super::{RuleInfo, choose, name_of, names};

macro_rules! rule {
    ($name:literal, $($field:ident).+, $about:literal) => {
        RuleInfo {
            name: $name,
            field: stringify!($($field).+),
            about: $about,
            values: || names(|rules| rules.$($field).+),
            get: |rules| name_of(rules.$($field).+),
            set: |rules, name| choose(&mut rules.$($field).+, name),
        }
    };
}

/// All of them, by area.
pub(super) const RULES: &[RuleInfo] = &[
    rule!(
        "load.pelt",
        load.pelt,
        "how load is summed, and what is known of tasks that wait"
    ),
    rule!(
        "load.shares_of_load",
        load.shares_of_load,
        "a group weighs on a CPU by the load that sleeps there too"
    ),
    rule!(
        "load.detach_at_once",
        load.detach_at_once,
        "the load of a moved task leaves with it, not at the next update"
    ),
    rule!(
        "load.metric",
        load.metric,
        "which average is the load of a CPU for load balancing"
    ),
    rule!(
        "load.wake_metric",
        load.wake_metric,
        "which average is the load of a CPU for woken and forked tasks"
    ),
    rule!(
        "rework",
        balance.rework,
        "which form of the balancing by group types"
    ),
    rule!(
        "load.util_est",
        load.util_est,
        "what a task's estimated utilization is"
    ),
    rule!(
        "load.window_divider",
        load.window_divider,
        "load from below is measured by the queue's own window"
    ),
    rule!(
        "load.sum_sync",
        load.sum_sync,
        "how the sum of an average goes on when load comes or goes between updates"
    ),
    rule!(
        "load.joins_with_sum",
        load.joins_with_sum,
        "an entity that joins a queue has some load sum, however little its load"
    ),
    rule!(
        "load.ages_movers",
        load.ages_movers,
        "a task that is woken away from an idle CPU is aged to now, though nothing else there was"
    ),
    rule!(
        "load.ages_groups",
        load.ages_groups,
        "the entity of a group is aged, and does not only take what comes from below"
    ),
    rule!(
        "load.capacity_clock",
        load.capacity_clock,
        "load is tracked by a clock that runs slower on a busy CPU of less capacity"
    ),
    rule!(
        "numa.scan_period",
        numa.scan_period,
        "how the scan period follows hinting faults"
    ),
    rule!(
        "numa.moves",
        numa.moves,
        "what is asked before a task moves to another node"
    ),
    rule!(
        "numa.others_regions",
        numa.others_regions,
        "what a scan does with regions that its task has not touched of late"
    ),
    rule!(
        "numa.page_rate_limit",
        numa.page_rate_limit,
        "a node takes 128 MB in 100 ms at most of what follows its tasks"
    ),
    rule!(
        "numa.idle_ignores_locality",
        numa.idle_ignores_locality,
        "an idle CPU's balance pass takes no heed of locality"
    ),
    rule!(
        "numa.staggered_start",
        numa.staggered_start,
        "a new thread's scans begin later than its parent's"
    ),
    rule!(
        "numa.move_resets_scan",
        numa.move_resets_scan,
        "a task that leaves its preferred node scans at its first rate again"
    ),
    rule!(
        "numa.early_pages",
        numa.early_pages,
        "pages follow a task at once in its first scans"
    ),
    rule!(
        "numa.by_destination",
        numa.by_destination,
        "allowed imbalance is judged by the destination's tasks"
    ),
    rule!(
        "numa.cpu_nodes_only",
        numa.cpu_nodes_only,
        "the nearest node with CPUs stands for one without"
    ),
    rule!(
        "numa.no_swap_with_spare",
        numa.no_swap_with_spare,
        "tasks of one group are not swapped with a node that has spare capacity"
    ),
    rule!(
        "decision",
        balance.decision,
        "how the busiest group is chosen, and how much is moved"
    ),
    rule!(
        "numa_imbalance",
        balance.numa_imbalance,
        "imbalance allowed between NUMA nodes"
    ),
    rule!(
        "average_guard",
        balance.average_guard,
        "guard of the averages against a wrap"
    ),
    rule!(
        "util_within_llc",
        balance.util_within_llc,
        "a group with spare capacity pulls utilization within a cache too"
    ),
    rule!(
        "lone_tasks_by_util",
        balance.lone_tasks_by_util,
        "a queue of one task is pulled from by utilization"
    ),
    rule!(
        "detach_load",
        balance.detach_load,
        "which tasks are too heavy for an imbalance of load"
    ),
    rule!(
        "hot_within_core",
        balance.hot_within_core,
        "a task is cache-hot for other threads of its core"
    ),
    rule!(
        "busy_less_one",
        balance.busy_less_one,
        "a busy CPU's intervals are a jiffy shorter"
    ),
    rule!(
        "kick_from_now",
        idle.kick_from_now,
        "a kick puts the next one off from now"
    ),
    rule!(
        "sibling_of_busiest",
        balance.sibling_of_busiest,
        "the busiest group's flags say whether groups are filled evenly"
    ),
    rule!(
        "smt_ties",
        balance.smt_ties,
        "of groups fully busy alike one of threads of a core is busiest"
    ),
    rule!(
        "smt",
        balance.smt,
        "cores with several threads are told from others"
    ),
    rule!(
        "even_idle",
        balance.even_idle,
        "one idle CPU more is enough to pull from an overloaded group"
    ),
    rule!(
        "capacity_test",
        balance.capacity_test,
        "how capacities compare"
    ),
    rule!(
        "reduced_capacity_misfit",
        balance.reduced_capacity_misfit,
        "the only task of a CPU of reduced capacity is misfit"
    ),
    rule!(
        "kthreads_stay",
        balance.kthreads_stay,
        "kernel threads of a CPU are left there before their affinity is looked at"
    ),
    rule!(
        "eligible_first",
        balance.eligible_first,
        "tasks that owe time are left where they are until a pass has failed"
    ),
    rule!(
        "misfit_if_bigger",
        balance.misfit_if_bigger,
        "only a task that may use a bigger CPU is misfit"
    ),
    rule!(
        "misfit_apart",
        balance.misfit_apart,
        "passes for misfit tasks count no failure"
    ),
    rule!(
        "asym_pull",
        balance.asym_pull,
        "when a CPU pulls for its priority"
    ),
    rule!(
        "empty_queues",
        balance.empty_queues,
        "a queue without tasks may be the busiest"
    ),
    rule!(
        "queue_by_runnable",
        balance.queue_by_runnable,
        "tasks that wait count in the utilization of queues"
    ),
    rule!(
        "detach_util_shift",
        balance.detach_util_shift,
        "utilization is halved for each failed pass"
    ),
    rule!(
        "past_pinned",
        balance.past_pinned,
        "a pass looks past its limit while all tasks are pinned"
    ),
    rule!(
        "active_any_type",
        balance.active_any_type,
        "failed passes lead to an active balance whatever is moved"
    ),
    rule!(
        "active_moves_hot",
        balance.active_moves_hot,
        "an active balance takes cache-hot tasks"
    ),
    rule!(
        "assume_pinned",
        balance.assume_pinned,
        "tasks of a queue are pinned until one is met that is not"
    ),
    rule!(
        "detour_balances",
        balance.detour_balances,
        "a task that may not come goes only to a CPU that balances for the group"
    ),
    rule!(
        "newidle_cost_gate",
        idle.cost_gate,
        "a CPU about to idle searches if it idles longer than a pass takes"
    ),
    rule!(
        "newidle_random",
        idle.random,
        "domains are tried at random by their success (NI_RANDOM)"
    ),
    rule!(
        "blocked_after_search",
        idle.blocked_after_search,
        "blocked load is refreshed after a search that found nothing"
    ),
    rule!(
        "ilb_round_from_self",
        idle.round_from_self,
        "the CPU that balances for idle ones comes last and if due"
    ),
    rule!(
        "next_on_idle",
        idle.next_on_idle,
        "a CPU that goes idle has the next balance's date computed anew"
    ),
    rule!(
        "pinned_clears_imbalance",
        balance.pinned_clears_imbalance,
        "a pass that found all tasks pinned clears the level's mark of imbalance"
    ),
    rule!(
        "asym_newly_idle",
        balance.asym_newly_idle,
        "only a CPU about to idle has a running task pushed to it for its priority"
    ),
    rule!(
        "sibling_of_any",
        balance.sibling_of_any,
        "a group with room fills up from any other of several tasks"
    ),
    rule!(
        "pulls_nothing",
        balance.pulls_nothing,
        "a pass that would move nothing fails instead of ending balanced"
    ),
    rule!(
        "newly_idle_backs_off",
        balance.newly_idle_backs_off,
        "passes of CPUs about to idle that find nothing put the next one off"
    ),
    rule!(
        "idle.blocked_kicks",
        idle.blocked_kicks,
        "idle CPUs are kicked to refresh blocked load"
    ),
    rule!(
        "fork.stays_on_node",
        fork.stays_on_node,
        "forks stay on their node unless another is clearly less loaded"
    ),
    rule!(
        "least_recent_first",
        balance.least_recent_first,
        "tasks to move are looked at from the least recently run one on"
    ),
    rule!(
        "forced_newly_idle",
        balance.forced_newly_idle,
        "only CPUs about to idle pull from an overloaded group whatever the loads are"
    ),
    rule!(
        "wake.by_effective_load",
        wake.by_effective_load,
        "a wakeup's two CPUs are compared by what the task adds to their loads"
    ),
    rule!(
        "fork.idlest",
        fork.idlest,
        "which group a forked task goes to"
    ),
    rule!(
        "fork.numa",
        fork.numa,
        "how long a forked task stays on its node while another idles more"
    ),
    rule!(
        "wake.affine_to_any_idle",
        wake.affine_to_any_idle,
        "wake_affine takes an idle waker's CPU, whatever the previous one does and in whatever cache it is"
    ),
    rule!(
        "wake.affine_of_equals",
        wake.affine_of_equals,
        "wake_affine takes the waker's CPU of two that are equally loaded"
    ),
    rule!(
        "wake.affine_keeps_idle_prev",
        wake.affine_keeps_idle_prev,
        "wake_affine keeps to an idle previous CPU in another cache"
    ),
    rule!(
        "wake.recent_used",
        wake.recent_used,
        "what recent_used_cpu of a task is"
    ),
    rule!(
        "wake.kthread_stacking",
        wake.kthread_stacking,
        "when a task stays on the CPU of the per-CPU kernel thread that wakes it"
    ),
    rule!(
        "wake.idle_scan",
        wake.idle_scan,
        "how an idle CPU is searched for in the target's cache"
    ),
    rule!(
        "wake.sis_idle",
        wake.sis_idle,
        "what bounds a search by SIS_PROP"
    ),
    rule!(
        "wake.sis_counts_forbidden",
        wake.sis_counts_forbidden,
        "CPUs the task may not use count among those a search looks at"
    ),
    rule!(
        "wake.smt_leaves_domain",
        wake.smt_leaves_domain,
        "the search for an idle hardware thread takes isolated ones"
    ),
    rule!(
        "wake.core_leaves_domain",
        wake.core_leaves_domain,
        "the search for an idle core takes isolated hardware threads"
    ),
    rule!(
        "wake.asym",
        wake.asym,
        "how a task finds a CPU that is big enough"
    ),
    rule!(
        "wake.util_fits",
        wake.util_fits,
        "form of UTIL_FITS_CAPACITY"
    ),
    rule!(
        "wake.sched_idle_cpus",
        wake.sched_idle_cpus,
        "where a CPU that runs only tasks of idle policy is taken for an idle one"
    ),
    rule!(
        "bandwidth.expiry",
        bandwidth.expiry,
        "what becomes of run time a CPU has drawn when the period ends"
    ),
    rule!(
        "bandwidth.last_throttled_first",
        bandwidth.last_throttled_first,
        "who is throttled last gets run time first"
    ),
    rule!(
        "bandwidth.slack_timer_once",
        bandwidth.slack_timer_once,
        "time that comes back does not put off a slack timer that is set"
    ),
    rule!(
        "bandwidth.last_try",
        bandwidth.last_try,
        "a queue tries once more for run time before it is throttled"
    ),
    rule!(
        "bandwidth.unthrottles_by_interrupt",
        bandwidth.unthrottles_by_interrupt,
        "what another CPU had throttled comes back by an interrupt there, not by the timer itself"
    ),
    rule!(
        "bandwidth.phase",
        bandwidth.phase,
        "where the periods of a group begin, relative to the tick"
    ),
    rule!(
        "bandwidth.burst",
        bandwidth.burst,
        "unused quota may be saved up"
    ),
    rule!(
        "change.spreads_bound_tasks",
        change.spreads_bound_tasks,
        "tasks whose CPU is taken from them are spread"
    ),
    rule!(
        "change.keeps_user_cpus",
        change.keeps_user_cpus,
        "the CPUs a task asked for outlast changes of its cpuset"
    ),
    rule!(
        "change.renice_weighs",
        change.renice_weighs,
        "a reniced task is weighed against the running one"
    ),
    rule!(
        "change.rebuild_keeps_numa",
        change.rebuild_keeps_numa,
        "domains built anew after a CPU went or came have NUMA levels again"
    ),
    rule!(
        "change.moved_task_preempts",
        change.moved_task_preempts,
        "a waiting task that comes to another group is weighed against what runs"
    ),
    rule!(
        "load.new_util",
        load.new_util,
        "by which weight a new task's utilization is guessed"
    ),
    rule!(
        "load.reweights_unchanged",
        load.reweights_unchanged,
        "a group's entity is reweighted at each update, even to the weight it has"
    ),
    rule!("pick.form", pick.form, "by what the next entity is chosen"),
    rule!("pick.idle", pick.idle, "what gives way to everything else"),
    rule!(
        "pick.slice_limit",
        pick.slice_limit,
        "with CFS, no entity runs for longer than a latency at a time"
    ),
    rule!(
        "pick.protection",
        pick.protection,
        "with EEVDF, how long a picked entity is protected"
    ),
    rule!(
        "pick.reweight",
        pick.reweight,
        "with EEVDF, what a queued entity keeps when its weight changes"
    ),
    rule!(
        "pick.enqueue_initial",
        pick.enqueue_initial,
        "with EEVDF, a new task comes to its queue as one"
    ),
    rule!(
        "pick.delayed",
        pick.delayed,
        "whether sleepers that wait to be dequeued count as runnable"
    ),
    rule!(
        "pick.empty_group_keeps_weight",
        pick.empty_group_keeps_weight,
        "a group's weight stays when its last task leaves"
    ),
];
