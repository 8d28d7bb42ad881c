//! Virtual lag and deadlines: the choice of the eligible entity with the earliest deadline.
//!
//! Source: kernel/sched/fair.c `avg_vruntime`, `entity_eligible`, `update_entity_lag`, `update_deadline`,
//! `place_entity`, `pick_eevdf`, `reweight_entity`, `requeue_delayed_entity` (v6.6 to v6.17; SCHED.md 3.3 and
//! 14).

use crate::cfs_rq::before;
use crate::ids::{CfsRqId, EntityId};
use crate::load::Update;
use crate::rules::{Feature, Protection, Reweight};
use crate::sched::Sched;
use crate::weight::{LoadWeight, calc_delta_fair};

/// Sums over entities of a queue: of their unscaled weights, and of these times their keys, which are virtual
/// times relative to `min_vruntime`. They wrap like the kernel's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VirtualSum {
    pub(crate) key_weight: i64,
    pub(crate) weight: i64,
}

impl VirtualSum {
    /// With one more entity (`avg_vruntime_add`).
    #[inline]
    pub(crate) fn with(self, key: i64, weight: u64) -> Self {
        Self {
            key_weight: self
                .key_weight
                .wrapping_add(key.wrapping_mul(weight as i64)),
            weight: self.weight + weight as i64,
        }
    }

    /// With one entity less (`avg_vruntime_sub`).
    #[inline]
    pub(crate) fn without(self, key: i64, weight: u64) -> Self {
        Self {
            key_weight: self
                .key_weight
                .wrapping_sub(key.wrapping_mul(weight as i64)),
            weight: self.weight - weight as i64,
        }
    }

    /// All keys become smaller (`avg_vruntime_update`).
    #[inline]
    pub(crate) fn shift(&mut self, delta: i64) {
        self.key_weight = self
            .key_weight
            .wrapping_sub(self.weight.wrapping_mul(delta));
    }

    /// The weighted average of the keys, rounded down; 0 of nothing (`avg_vruntime`).
    #[inline]
    pub(crate) fn average(self) -> i64 {
        if self.weight == 0 {
            return self.key_weight;
        }
        self.key_weight.div_euclid(self.weight)
    }

    /// Whether an entity of this key is owed time: its key is at most the average, without the rounding of a
    /// division (`entity_eligible`).
    #[inline]
    pub(crate) fn eligible(self, key: i64) -> bool {
        self.key_weight >= key.wrapping_mul(self.weight)
    }
}

/// Lag within its bounds: the virtual time of two slices, or a tick if that is longer (`entity_lag`).
pub(crate) fn entity_lag(lag: i64, slice_ns: u64, tick_ns: u64, load: LoadWeight) -> i64 {
    let limit = calc_delta_fair((2 * slice_ns).max(tick_ns), load) as i64;
    lag.clamp(-limit, limit)
}

/// What lag must be before an entity of `weight` joins entities of `others`, for it to be `vlag` afterwards:
/// its coming moves the average towards it.
pub(crate) fn inflated_lag(vlag: i64, others: i64, weight: u64) -> i64 {
    let inflated = vlag.wrapping_mul(others + weight as i64);
    inflated.checked_div(others).unwrap_or(inflated)
}

/// Virtual time from an entity's place to its first deadline.
pub(crate) fn first_vslice(vslice: u64, halved: bool) -> u64 {
    if halved { vslice / 2 } else { vslice }
}

/// Whether an entity's place may change when it is reweighted. One that keeps its weight keeps its place, but for the
/// order among equals if it waits, and for the bounds that later kernels set to its lag.
pub(crate) fn reweight_moves(rule: Reweight, old: u64, new: u64, waits: bool) -> bool {
    old != new || waits || rule != Reweight::Lag
}

/// How an entity comes to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// As a new task (`ENQUEUE_INITIAL`).
    Initial,
    /// In any other way.
    Again,
}

impl Sched {
    /// Sums over all of a queue, the current entity among them.
    pub(crate) fn virtual_sum(&self, id: CfsRqId) -> VirtualSum {
        let queue = self.cfs(id);
        match queue.curr.map(|curr| self.se(curr)) {
            Some(curr) if curr.on_rq => queue
                .timeline_sum
                .with(queue.key(curr.vruntime), curr.weight()),
            _ => queue.timeline_sum,
        }
    }

    /// Virtual time at which nobody is owed anything (`avg_vruntime`).
    pub(crate) fn avg_vruntime(&self, id: CfsRqId) -> u64 {
        let average = self.virtual_sum(id).average();
        self.cfs(id).min_vruntime.wrapping_add_signed(average)
    }

    /// Whether the queue owes the entity time.
    pub(crate) fn entity_eligible(&self, id: CfsRqId, se: EntityId) -> bool {
        let key = self.cfs(id).key(self.se(se).vruntime);
        self.virtual_sum(id).eligible(key)
    }

    /// Length of an entity's slices, ns.
    pub(crate) fn slice_of(&self, se: EntityId) -> u64 {
        self.se(se).custom_slice.unwrap_or(self.slices.base_slice)
    }

    /// The shortest slice of what is queued (`cfs_rq_min_slice`).
    fn min_slice(&self, id: CfsRqId) -> Option<u64> {
        let queue = self.cfs(id);
        let curr = queue.curr.filter(|&curr| self.se(curr).on_rq);
        let waiting = queue.timeline.iter().map(|waiting| waiting.se);
        waiting.chain(curr).map(|se| self.slice_of(se)).min()
    }

    /// Gives a group the shortest slice below it, once some task has a slice of its own (v6.12).
    pub(crate) fn update_group_slice(&mut self, se: EntityId) {
        if self.custom_slices
            && self.rules.features.has(Feature::PreemptShort)
            && let Some(my_q) = self.se(se).my_q()
            && let Some(slice) = self.min_slice(my_q)
        {
            self.se_mut(se).custom_slice = Some(slice);
        }
    }

    /// Notes what the queue owes an entity that leaves (`update_entity_lag`).
    pub(crate) fn update_entity_lag(&mut self, id: CfsRqId, se: EntityId) {
        let lag = self.avg_vruntime(id).wrapping_sub(self.se(se).vruntime) as i64;
        self.se_mut(se).vlag = self.bounded_lag(se, lag);
    }

    fn bounded_lag(&self, se: EntityId, lag: i64) -> i64 {
        entity_lag(
            lag,
            self.slice_of(se),
            self.rules.tick_nsec(),
            self.se(se).load,
        )
    }

    /// Gives an entity that comes its place around the average, by the lag it left with.
    pub(crate) fn place_by_lag(&mut self, id: CfsRqId, se: EntityId, place: Place) {
        let features = self.rules.features;
        let vslice = calc_delta_fair(self.slice_of(se), self.se(se).load);
        let sum = self.virtual_sum(id);
        let queue = self.cfs(id);
        let average = queue.min_vruntime.wrapping_add_signed(sum.average());
        let others = queue.nr_running > 0 && features.has(Feature::PlaceLag);
        let halved = place == Place::Initial && features.has(Feature::PlaceDeadlineInitial);
        let entity = self.se_mut(se);
        let lag = if others {
            inflated_lag(entity.vlag, sum.weight, entity.weight())
        } else {
            0
        };
        entity.vruntime = average.wrapping_sub(lag as u64);
        if std::mem::take(&mut entity.rel_deadline) {
            entity.deadline = entity.vruntime.wrapping_add(entity.deadline);
        } else {
            entity.deadline = entity.vruntime.wrapping_add(first_vslice(vslice, halved));
        }
    }

    /// Gives the current entity, which has passed its deadline, the next one (`update_deadline`).
    pub(crate) fn renew_deadline(&mut self, curr: EntityId) {
        let slice = self.slice_of(curr);
        let entity = self.se_mut(curr);
        let vslice = calc_delta_fair(slice, entity.load);
        entity.deadline = entity.vruntime.wrapping_add(vslice);
    }

    /// Whether the current entity, which was charged just now, has lost its protection so that others may be
    /// due (`did_preempt_short`; `protect_slice`).
    pub(crate) fn protection_lost(&self, id: CfsRqId, curr: EntityId) -> bool {
        match self.rules.pick.protection {
            Protection::Deadline => {
                self.rules.features.has(Feature::PreemptShort)
                    && !self.is_protected(curr)
                    && !self.entity_eligible(id, curr)
            }
            Protection::MinSlice => !self.is_protected(curr),
        }
    }

    fn is_protected(&self, curr: EntityId) -> bool {
        let entity = self.se(curr);
        match self.rules.pick.protection {
            Protection::Deadline => entity.vprot == entity.deadline,
            Protection::MinSlice => before(entity.vruntime, entity.vprot),
        }
    }

    /// Protects an entity that has just been picked (`set_next_entity`; `set_protect_slice`).
    pub(crate) fn protect(&mut self, id: CfsRqId, se: EntityId) {
        let deadline = self.se(se).deadline;
        let vprot = match self.rules.pick.protection {
            Protection::Deadline => deadline,
            Protection::MinSlice => {
                let own = self.slice_of(se);
                let shortest = if !self.rules.features.has(Feature::RunToParity) {
                    self.rules.pick.base_slice_ns
                } else if self.custom_slices {
                    self.min_slice(id).unwrap_or(own)
                } else {
                    own
                };
                if shortest < own {
                    self.vprot_within(se, shortest, deadline)
                } else {
                    deadline
                }
            }
        };
        self.se_mut(se).vprot = vprot;
    }

    /// The earlier of a bound, and the virtual time at which the entity has run for `slice_ns` more.
    fn vprot_within(&self, se: EntityId, slice_ns: u64, bound: u64) -> u64 {
        let entity = self.se(se);
        let end = entity
            .vruntime
            .wrapping_add(calc_delta_fair(slice_ns, entity.load));
        if before(end, bound) { end } else { bound }
    }

    /// The eligible entity with the earliest deadline, unless the current one is protected (`pick_eevdf`). Of
    /// equal deadlines one that waits comes before the current entity. `None` only for an empty queue.
    pub(crate) fn pick_eevdf(&self, id: CfsRqId, protect: bool) -> Option<EntityId> {
        let queue = self.cfs(id);
        let curr = queue.curr.filter(|&curr| self.se(curr).on_rq);
        let leftmost = queue.timeline.leftmost().map(|waiting| waiting.se);
        if queue.nr_running == 1 {
            return curr.or(leftmost);
        }
        let sum = self.virtual_sum(id);
        let eligible = |vruntime| sum.eligible(queue.key(vruntime));
        let eligible_curr = curr.filter(|&curr| eligible(self.se(curr).vruntime));
        let protects = protect
            && match self.rules.pick.protection {
                Protection::Deadline => self.rules.features.has(Feature::RunToParity),
                Protection::MinSlice => true,
            };
        if let Some(curr) = eligible_curr
            && protects
            && self.is_protected(curr)
        {
            return Some(curr);
        }
        let mut best = None;
        for waiting in queue.timeline.iter() {
            if !eligible(waiting.vruntime) {
                break;
            }
            if best.is_none_or(|(deadline, _)| before(waiting.deadline, deadline)) {
                best = Some((waiting.deadline, waiting.se));
            }
        }
        if let Some(curr) = eligible_curr
            && best.is_none_or(|(deadline, _)| before(self.se(curr).deadline, deadline))
        {
            return Some(curr);
        }
        best.map(|(_, se)| se).or(leftmost).or(curr)
    }

    /// Whether a woken sibling preempts the current entity (`check_preempt_wakeup_fair`): if it would be picked
    /// now. A shorter slice overrides protection.
    pub(crate) fn preempts_by_deadline(
        &mut self,
        id: CfsRqId,
        curr: EntityId,
        woken: EntityId,
    ) -> bool {
        let shorter = self.rules.features.has(Feature::PreemptShort)
            && self.slice_of(woken) < self.slice_of(curr);
        match self.rules.pick.protection {
            Protection::Deadline => {
                if shorter && self.is_protected(curr) && self.overtakes(id, curr, woken) {
                    let entity = self.se_mut(curr);
                    entity.vprot = entity.deadline.wrapping_add(1);
                }
                self.pick_eevdf(id, true) == Some(woken)
            }
            Protection::MinSlice => {
                let preempts = self.pick_eevdf(id, !shorter) == Some(woken);
                if shorter && preempts {
                    self.cancel_protection(curr);
                } else if shorter
                    && self.rules.features.has(Feature::RunToParity)
                    && let Some(slice) = self.min_slice(id)
                {
                    let vprot = self.vprot_within(curr, slice, self.se(curr).vprot);
                    self.se_mut(curr).vprot = vprot;
                }
                preempts
            }
        }
    }

    /// Takes an entity's protection away (`cancel_protect_slice`, v6.17).
    pub(crate) fn cancel_protection(&mut self, curr: EntityId) {
        if self.rules.pick.protection == Protection::MinSlice && self.is_protected(curr) {
            let entity = self.se_mut(curr);
            entity.vprot = entity.vruntime;
        }
    }

    /// Whether a woken entity is due before the current one (`do_preempt_short`).
    fn overtakes(&self, id: CfsRqId, curr: EntityId, woken: EntityId) -> bool {
        self.entity_eligible(id, woken)
            && (before(self.se(woken).deadline, self.se(curr).deadline)
                || !self.entity_eligible(id, curr))
    }

    /// Takes a queued entity out before its weight changes. Gives the average it is placed around; `None` if
    /// it is not queued.
    pub(crate) fn before_reweight(&mut self, se: EntityId) -> Option<u64> {
        let entity = self.se(se);
        let (id, on_rq) = (entity.cfs_rq, entity.on_rq);
        if !on_rq {
            return None;
        }
        let waits = self.cfs(id).curr != Some(se);
        match self.rules.pick.reweight {
            Reweight::Lag => {
                if waits {
                    self.timeline_remove(se);
                } else {
                    self.update_curr(id);
                }
                return Some(self.avg_vruntime(id));
            }
            Reweight::BoundedLag => self.update_curr(id),
            Reweight::Replace => {
                self.update_curr(id);
                self.update_entity_lag(id, se);
                let entity = self.se_mut(se);
                entity.deadline = entity.deadline.wrapping_sub(entity.vruntime);
                entity.rel_deadline = true;
                self.cfs_mut(id).nr_running -= 1;
            }
        }
        let average = self.avg_vruntime(id);
        if waits {
            self.timeline_remove(se);
        }
        Some(average)
    }

    /// Scales what an entity keeps from its old weight to its new one, both scaled. `average` is that of
    /// [`Sched::before_reweight`].
    pub(crate) fn reweight_eevdf(
        &mut self,
        se: EntityId,
        average: Option<u64>,
        old: u64,
        new: u64,
    ) {
        let rescale = |value: i64| value.wrapping_mul(old as i64) / new.max(1) as i64;
        let around = average.filter(|_| self.rules.pick.reweight != Reweight::Replace);
        let Some(average) = around else {
            let entity = self.se_mut(se);
            entity.vlag = rescale(entity.vlag);
            if entity.rel_deadline {
                entity.deadline = rescale(entity.deadline as i64) as u64;
            }
            return;
        };
        let mut lag = average.wrapping_sub(self.se(se).vruntime) as i64;
        if self.rules.pick.reweight == Reweight::BoundedLag {
            lag = self.bounded_lag(se, lag);
        }
        let entity = self.se_mut(se);
        let vslice = entity.deadline.wrapping_sub(average) as i64;
        entity.vruntime = average.wrapping_sub(rescale(lag) as u64);
        entity.deadline = average.wrapping_add(rescale(vslice) as u64);
    }

    /// Puts a queued entity back after its weight changed, before its new weight counts.
    pub(crate) fn after_reweight(&mut self, se: EntityId) {
        let id = self.se(se).cfs_rq;
        if self.rules.pick.reweight == Reweight::Replace {
            self.place_by_lag(id, se, Place::Again);
            self.cfs_mut(id).nr_running += 1;
        }
        if self.cfs(id).curr != Some(se) {
            self.timeline_insert(se);
        }
    }

    /// A task that sleeps, but is still queued, wakes: it stays where it is, without lag it gained meanwhile
    /// (`requeue_delayed_entity`).
    pub(crate) fn requeue_delayed_entity(&mut self, se: EntityId) {
        let id = self.se(se).cfs_rq;
        if self.rules.features.has(Feature::DelayZero) {
            self.update_entity_lag(id, se);
            if self.se(se).vlag > 0 {
                let waits = self.cfs(id).curr != Some(se);
                self.cfs_mut(id).nr_running -= 1;
                if waits {
                    self.timeline_remove(se);
                }
                self.se_mut(se).vlag = 0;
                self.place_by_lag(id, se, Place::Again);
                if waits {
                    self.timeline_insert(se);
                }
                self.cfs_mut(id).nr_running += 1;
            }
        }
        self.update_load_avg(se, Update::Age);
        self.clear_delayed(se);
    }
}
