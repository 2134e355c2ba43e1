//! Policies: which new connections of the host get which start-up, and what both groups of each
//! policy did (`bpf/policy.bpf.c`). `onramp serve` is built on this.
//!
//! [`Policies`] attaches one program to the root cgroup. The program, the start-ups that it chooses
//! and all maps are pinned, so they work on when the process ends without [`Policies::stop`], and
//! the next process takes them over. A change of the policies takes effect at once for the next
//! connection, and misses none. Connections that exist keep what they have.
//!
//! Other processes read a [`Snapshot`].

mod counts;
mod generation;
mod held;
pub(crate) mod pins;
mod program;
mod rule;
mod state;
mod table;

pub use counts::{GroupCounts, PolicyTotals, ReceiverCounts, Snapshot, Times};
pub use pins::PINS;
pub use rule::{Cgroup, Family, Match, Prefix, Rule, Start};
/// The most policies that can be in force.
pub const MAX_POLICIES: usize = POLICIES as usize;
/// The most prefixes that all policies can have together, each counted once. The map
/// (`bpf/policy/maps.h`) has room for twice as many: those in force and those that follow.
pub const MAX_PREFIXES: usize = 32768;
pub use state::{PolicyState, ServiceState, SwitchedOff};

use crate::receive_window::{check_window, DEFAULT_LIMIT_BYTES};
use crate::registration::options_hash;
use crate::{probe, Error, RestoredDefault, Result};
use held::Held;
use onramp_bpf::bindings::{maps, CONFIG_VERSION, POLICIES};
use pins::Pins;
use program::{is_any_attached, is_attached, Maps, Program};
use state::{Slot, STATE_MAP};
use std::collections::BTreeSet;
use std::os::fd::{OwnedFd, RawFd};
use std::path::Path;
use table::{Compiled, Target};

/// Policies that have counts: at least so many find room without new maps.
const MIN_SLOTS: usize = 16;

/// The policies of this host, and what is in the kernel for them.
pub struct Policies {
    pins: Pins,
    /// `None` before the first policies are put into force on this host.
    maps: Option<Maps>,
    /// Loaded, and attached when its maps have the policies.
    program: Option<Program>,
    state: ServiceState,
    /// Bound of what the receive buffers that policies raise have gained together.
    pub receive_limit_bytes: u64,
}

/// What a change of the policies did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// The congestion controls that were registered.
    pub registered: Vec<String>,
    /// Those that are no longer registered. Connections that use them keep them.
    pub retired: Vec<String>,
    /// What was taken over from an earlier service went on without a change.
    pub kept: Vec<String>,
    /// Defaults of network namespaces that were put back.
    pub restored_defaults: Vec<RestoredDefault>,
}

impl Policies {
    /// Locks the pins of this host, and takes over what an earlier service left: it works on.
    /// `lock` is the descriptor that [`Policies::pass_lock`] gave to this program.
    ///
    /// # Errors
    /// [`Error::ServiceRuns`], [`Error::NoBpffs`], [`Error::NotPermitted`], or what the host lacks.
    pub fn open(directory: &Path, lock: Option<OwnedFd>) -> Result<Policies> {
        probe::check_permission()?;
        probe::check_btf()?;
        let pins = Pins::lock(directory, lock).map_err(|error| match error {
            Error::ServiceRuns { .. } => Error::ServiceRuns {
                pid: Snapshot::read(directory)
                    .ok()
                    .map(|snapshot| snapshot.state.pid),
            },
            other => other,
        })?;
        let maps = Maps::pinned(&pins);
        let state = maps
            .as_ref()
            .map(|maps| ServiceState::read(&maps[STATE_MAP]));
        Ok(Policies {
            state: state.transpose()?.unwrap_or_default(),
            pins,
            maps,
            program: None,
            receive_limit_bytes: DEFAULT_LIMIT_BYTES,
        })
    }

    /// Has an earlier service, of any build, left policies in force?
    pub fn follow_others(&self) -> bool {
        is_any_attached(&self.pins)
    }

    /// The service's state. What is changed here is written with [`Policies::write_state`].
    pub fn state(&mut self) -> &mut ServiceState {
        &mut self.state
    }

    /// Shows the state to other processes.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn write_state(&mut self) -> Result<()> {
        self.state.records = CONFIG_VERSION;
        match &self.maps {
            Some(maps) => self.state.write(&maps[STATE_MAP]),
            None => Ok(()),
        }
    }

    /// Puts policies into force, in the place of those before. A policy that the service has
    /// switched off stays so if it has the same name, start-up, avoidance and share.
    ///
    /// # Errors
    /// [`Error::TooManyPolicies`], [`Error::WindowTooLarge`], or why a start-up cannot be
    /// registered. Then the policies from before stay in force.
    pub fn apply(&mut self, rules: &[Rule]) -> Result<Applied> {
        if rules.len() > POLICIES as usize {
            return Err(Error::TooManyPolicies {
                found: rules.len(),
                max: POLICIES as usize,
            });
        }
        let windows = rules.iter().filter_map(|rule| rule.receive_window_bytes);
        if let Some(widest) = windows.max() {
            check_window(widest.into())?;
        }
        let maps_are_new = self.make_room(rules)?;
        let earlier = Held::all(&self.pins);
        let before = self.state.clone();
        let mut wanted = Wanted::default();
        // A registration counts into the maps that it was made with.
        let usable = if maps_are_new {
            &[]
        } else {
            earlier.as_slice()
        };
        match self.try_apply(rules, usable, &mut wanted) {
            Ok(mut applied) => {
                let is_wanted =
                    |held: &Held| wanted.all.iter().any(|other| other.name == held.name);
                let (kept, outdated): (Vec<Held>, Vec<Held>) =
                    earlier.into_iter().partition(is_wanted);
                applied.restored_defaults = Held::retire(&outdated)?;
                applied.kept = kept.into_iter().map(|held| held.name).collect();
                applied.retired = outdated.into_iter().map(|held| held.name).collect();
                applied.registered = wanted.fresh.into_iter().map(|held| held.name).collect();
                Ok(applied)
            }
            Err(error) => {
                self.state = before;
                let _ = self.write_state(); // the first error says more
                let _ = Held::retire(&wanted.fresh); // the first error says more
                Err(error)
            }
        }
    }

    fn try_apply(
        &mut self,
        rules: &[Rule],
        earlier: &[Held],
        wanted: &mut Wanted,
    ) -> Result<Applied> {
        let before = self.state.clone();
        let mut targets = Vec::new();
        let mut states = Vec::new();
        for rule in rules {
            let maps = self.maps.as_ref().expect("make_room() made them");
            let held = match &rule.start {
                Some(start) => {
                    Some(wanted.held(&self.pins, &start.options, maps.shared(), earlier)?)
                }
                None => None,
            };
            let policy = policy_state(rule, held.as_ref(), before.policy(&rule.name));
            targets.push(match rule.start.as_ref().zip(held) {
                Some((start, congestion_control)) => Some(Target {
                    slot: self.slot(&rule.name, start, &before)?,
                    congestion_control,
                    share: share_now(&policy),
                }),
                None => None,
            });
            states.push(policy);
        }
        let maps = self.maps.as_mut().expect("make_room() made them");
        let policies: Vec<_> = rules.iter().zip(targets).collect();
        let compiled = Compiled::new(&policies, self.receive_limit_bytes);
        self.state.policies = states;
        self.state.records = CONFIG_VERSION;
        self.state.write(&maps[STATE_MAP])?;
        if let Some(program) = &mut self.program {
            program.watch_cgroups()?;
        }
        generation::put_into_force(maps, &compiled)?;
        if let Some(program) = self.program.take() {
            program.attach(&self.pins, maps)?;
        }
        Ok(Applied::default())
    }

    /// Sees to it that the program of this build is loaded, with maps that have a slot for each
    /// policy that counts. Returns whether the maps are new.
    fn make_room(&mut self, rules: &[Rule]) -> Result<bool> {
        let counting = || rules.iter().filter(|rule| rule.start.is_some());
        // Twice, because a policy whose start-up changes needs another slot.
        let needed = counting().count() * 2;
        let has_room = self
            .maps
            .as_ref()
            .is_some_and(|maps| maps.slots() >= needed);
        if !has_room {
            let slots = needed.next_power_of_two().max(MIN_SLOTS);
            let (program, maps) = Program::with_new_maps(slots)?;
            (self.program, self.maps) = (Some(program), Some(maps));
            self.state.slots.clear();
        }
        let maps = self.maps.as_mut().expect("they were just made");
        if self.program.is_none() && !is_attached(&self.pins) {
            self.program = Some(Program::with_maps(maps)?);
        }
        Ok(!has_room)
    }

    /// The slot of a policy. A start-up is judged by its own connections: with another start-up or
    /// other options than before the policy gets another slot, and the one from before goes on
    /// counting until the new policies are in force.
    fn slot(&mut self, name: &str, start: &Start, before: &ServiceState) -> Result<Slot> {
        let options = options_hash(&start.options)?;
        let earlier = self.state.slots.get(name);
        if let Some(slot) = earlier.filter(|slot| slot.options == options) {
            return Ok(*slot);
        }
        let maps = self.maps.as_ref().expect("make_room() made them");
        // Those of the policies in force, and those of the policies that follow.
        let in_force = |name: &String| before.policy(name).is_some();
        let given = |name: &String| before.slots.get(name) != self.state.slots.get(name);
        let kept = before.slots.iter().filter(|(name, _)| in_force(name));
        let used = kept.chain(self.state.slots.iter().filter(|(name, _)| given(name)));
        let used: BTreeSet<u32> = used.map(|(_, slot)| slot.number).collect();
        let number = (0..maps.slots() as u32).find(|number| !used.contains(number));
        let number = number.expect("make_room() made twice as many as are needed");
        // It may have the counts of a policy that is no longer in force.
        self.state.slots.retain(|_, slot| slot.number != number);
        self.state.epoch += 1;
        let epoch = self.state.epoch;
        let slot = Slot {
            number,
            epoch,
            options,
        };
        counts::clear(&maps[maps::GROUPS], slot)?;
        self.state.slots.insert(name.to_owned(), slot);
        Ok(slot)
    }

    /// Gives no new connection of a policy its start-up any more, and notes why.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn switch_off(&mut self, name: &str, why: SwitchedOff) -> Result<()> {
        let position = self
            .state
            .policies
            .iter()
            .position(|policy| policy.name == name);
        let (Some(position), Some(maps)) = (position, &self.maps) else {
            return Ok(()); // It is not in force.
        };
        generation::set_share(maps, position, 0.0)?;
        self.state.policies[position].switched_off = Some(why);
        self.state.switched_off += 1;
        self.write_state()
    }

    /// What the kernel counted so far.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let maps = self.maps.as_ref().ok_or(Error::NoService)?;
        Snapshot::of(maps, self.state.clone())
    }

    /// Lets the lock pass to the program that replaces this process: the number of its descriptor.
    ///
    /// # Errors
    /// [`Error::Io`]
    pub fn pass_lock(&self) -> Result<RawFd> {
        self.pins.pass_lock()
    }

    /// Undoes everything: new connections are as without a service, and nothing is pinned. Existing
    /// connections keep their start-up until they end. Returns the defaults that were put back.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn stop(self) -> Result<Vec<RestoredDefault>> {
        drop((self.maps, self.program));
        end(self.pins)
    }
}

/// The process of the service that has its pins in this directory, by its lock; `None`: none runs.
pub fn service_pid(directory: &Path) -> Option<u32> {
    pins::lock_owner(directory)
}

/// Takes the policies of a service of any version out of force, also while a process that does not
/// answer holds the lock.
///
/// # Errors
/// [`Error::ForeignPins`], or the kernel's refusal.
pub(crate) fn detach(directory: &Path) -> Result<()> {
    match Pins::open(directory) {
        Err(Error::NoService) => Ok(()),
        pins => program::detach(&pins?),
    }
}

/// Removes all pins of a service of any version. What they alone kept ends.
///
/// # Errors
/// [`Error::ForeignPins`] or [`Error::Io`].
pub(crate) fn unpin(directory: &Path) -> Result<()> {
    match Pins::open(directory) {
        Err(Error::NoService) => Ok(()),
        pins => {
            let pins = pins?;
            let all = Held::all(&pins);
            let unpinned = all.iter().map(Held::unpin).fold(Ok(()), Result::and);
            pins.remove().and(unpinned)
        }
    }
}

/// Ends what is pinned. A part that does not end keeps none of the others.
fn end(pins: Pins) -> Result<Vec<RestoredDefault>> {
    let detached = program::detach(&pins);
    let restored = Held::retire(&Held::all(&pins));
    let removed = pins.remove();
    detached
        .and(restored)
        .and_then(|restored| removed.map(|()| restored))
}

/// The registrations that the policies need.
#[derive(Default)]
struct Wanted {
    all: Vec<Held>,
    /// Those of them that were registered just now.
    fresh: Vec<Held>,
}

impl Wanted {
    /// The name of a registration with these options: one that policies need already, one of
    /// before, or a new one.
    fn held(
        &mut self,
        pins: &Pins,
        options: &crate::Options,
        shared: &crate::registration::Shared,
        earlier: &[Held],
    ) -> Result<String> {
        let mut known = self.all.iter().chain(earlier);
        let held = match known.find(|held| held.serves(options)) {
            Some(held) => held.clone(),
            None => {
                let held = Held::register(pins, options, shared)?;
                self.fresh.push(held.clone());
                held
            }
        };
        let name = held.name.clone();
        self.all.push(held);
        Ok(name)
    }
}

/// A policy's state with this rule. What the service has switched off stays off.
fn policy_state(
    rule: &Rule,
    congestion_control: Option<&String>,
    before: Option<&PolicyState>,
) -> PolicyState {
    let start = rule.start.as_ref();
    let state = PolicyState {
        name: rule.name.clone(),
        startup: start.map(|start| start.options.startup.clone()),
        avoidance: start.map_or(String::new(), |start| {
            start.options.avoidance.name().to_owned()
        }),
        congestion_control: congestion_control.cloned(),
        share: start.map_or(0.0, |start| start.share),
        switched_off: None,
        memo: before.map_or(serde_json::Value::Null, |before| before.memo.clone()),
    };
    let is_same = |before: &&PolicyState| {
        (&before.startup, &before.avoidance, before.share)
            == (&state.startup, &state.avoidance, state.share)
    };
    let switched_off = before
        .filter(is_same)
        .and_then(|before| before.switched_off.clone());
    PolicyState {
        switched_off,
        ..state
    }
}

/// The share of a policy's connections that get the start-up now.
fn share_now(policy: &PolicyState) -> f64 {
    match policy.switched_off {
        None => policy.share,
        Some(_) => 0.0,
    }
}
