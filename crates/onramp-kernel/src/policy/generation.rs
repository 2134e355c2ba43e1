//! Writing the policies of the next generation, and putting it into force (`bpf/policy/maps.h`).

use super::program::Maps;
use super::table::{threshold, Compiled};
use crate::cgroup::{all_cgroups, cgroup2_mount};
use crate::object::{only_value, value};
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use onramp_bpf::bindings::{self, maps, CGROUP_LEVELS, MATCH_CGROUP, MATCH_PORT, MATCH_USER};
use std::ffi::c_char;
use std::path::Path;

/// The generation in force; 0: none has been written.
fn active(maps: &Maps) -> u32 {
    only_value(&maps[maps::ACTIVE]).unwrap_or(0)
}

/// Writes the policies beside those in force, and then puts them into force at once.
pub(super) fn put_into_force(maps: &Maps, compiled: &Compiled) -> Result<()> {
    let in_force = active(maps);
    let next = in_force.wrapping_add(1);
    forget_others(maps, in_force)?;
    let mut table = compiled.table;
    table.generation = next;
    write_table(maps, &table)?;
    // Before the names of cgroups: from these on the program adds the levels of new ones.
    for level in 0..CGROUP_LEVELS {
        set_level(maps, next, level, 0)?;
    }
    for (prefix, set) in &compiled.prefixes {
        let key = bindings::Prefix {
            length_bits: 32 + u32::from(prefix.length()),
            generation: next,
            address: prefix.octets(),
        };
        set_element(&maps[maps::PREFIXES], key.as_bytes(), *set)?;
    }
    let ports = compiled
        .ports
        .iter()
        .map(|(port, set)| (MATCH_PORT, u64::from(*port), set));
    let users = compiled
        .users
        .iter()
        .map(|(user, set)| (MATCH_USER, u64::from(*user), set));
    for (kind, value, set) in ports.chain(users) {
        set_match(maps, next, kind, value, *set)?;
    }
    for (name, set) in &compiled.cgroups {
        set_element(
            &maps[maps::CGROUPS],
            cgroup_key(next, name).as_bytes(),
            *set,
        )?;
    }
    // A cgroup that is made from now on is noted by the program.
    note_existing_cgroups(maps, compiled, next)?;
    set(
        &maps[maps::ACTIVE],
        &0u32.to_ne_bytes(),
        &next.to_ne_bytes(),
    )?;
    // One that was being made: the program did not know the names, and it was not listed yet. If
    // this fails, the policies are in force nevertheless.
    let _ = note_existing_cgroups(maps, compiled, next);
    Ok(())
}

/// Changes the share of a policy's connections that get its start-up, for new connections at once.
pub(super) fn set_share(maps: &Maps, position: usize, share: f64) -> Result<()> {
    // Only this word changes, and no program writes the table. One that reads it meanwhile reads
    // the old or the new word.
    let mut table = read_table(maps, active(maps))?;
    table.rules[position].threshold = threshold(share);
    write_table(maps, &table)
}

fn read_table(maps: &Maps, generation: u32) -> Result<bindings::Table> {
    let table = value(&maps[maps::TABLES], &(generation & 1).to_ne_bytes());
    let table = table.map_err(|error| refused(&maps[maps::TABLES], &error))?;
    Ok(table.expect("the map has both elements"))
}

fn write_table(maps: &Maps, table: &bindings::Table) -> Result<()> {
    set(
        &maps[maps::TABLES],
        &(table.generation & 1).to_ne_bytes(),
        table.as_bytes(),
    )
}

/// Removes the entries of all generations but one.
fn forget_others(maps: &Maps, kept: u32) -> Result<()> {
    // Where the generation is in the keys.
    for (map, at) in [
        (&maps[maps::PREFIXES], 4),
        (&maps[maps::MATCHES], 0),
        (&maps[maps::CGROUPS], 0),
    ] {
        let outdated: Vec<Vec<u8>> = map
            .keys()
            .filter(|key| key[at..at + 4] != kept.to_ne_bytes())
            .collect();
        for key in outdated {
            match map.delete(&key) {
                // The program removes cgroups too.
                Err(error) if error.kind() != libbpf_rs::ErrorKind::NotFound => {
                    return Err(refused(map, &error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Notes the ids of cgroups that exist and that policies name, and their levels.
fn note_existing_cgroups(maps: &Maps, compiled: &Compiled, generation: u32) -> Result<()> {
    if compiled.cgroups.is_empty() {
        return Ok(());
    }
    let root = cgroup2_mount()?;
    for (id, path) in all_cgroups()? {
        let below = path.strip_prefix(&root).unwrap_or(&path);
        let policies = policies_of_cgroup(compiled, below);
        let level = below.components().count() as u32;
        if policies != 0 && level < CGROUP_LEVELS {
            set_match(maps, generation, MATCH_CGROUP, id, policies)?;
            set_level(maps, generation, level, 1)?;
        }
    }
    Ok(())
}

/// Notes whether a cgroup of this level is named.
fn set_level(maps: &Maps, generation: u32, level: u32, is_named: u32) -> Result<()> {
    let index = (generation & 1) * CGROUP_LEVELS + level;
    set(
        &maps[maps::LEVELS],
        &index.to_ne_bytes(),
        &is_named.to_ne_bytes(),
    )
}

/// The policies that name a cgroup, by its path below the root.
fn policies_of_cgroup(compiled: &Compiled, below: &Path) -> u64 {
    let by = |name: String| compiled.cgroups.get(&name).copied().unwrap_or(0);
    let last = below.file_name().unwrap_or_default();
    by(format!("/{}", below.display())) | by(last.to_string_lossy().into_owned())
}

fn cgroup_key(generation: u32, name: &str) -> bindings::CgroupName {
    let mut key = bindings::CgroupName {
        generation,
        ..Default::default()
    };
    let last = key.name.len() - 1;
    for (to, from) in key.name[..last].iter_mut().zip(name.bytes()) {
        *to = from as c_char;
    }
    key
}

fn set_match(maps: &Maps, generation: u32, kind: u32, value: u64, set: u64) -> Result<()> {
    let key = bindings::Match {
        generation,
        kind,
        value,
    };
    set_element(&maps[maps::MATCHES], key.as_bytes(), set)
}

fn set_element(map: &MapHandle, key: &[u8], policies: u64) -> Result<()> {
    set(map, key, &policies.to_ne_bytes())
}

fn set(map: &MapHandle, key: &[u8], value: &[u8]) -> Result<()> {
    map.update(key, value, MapFlags::ANY)
        .map_err(|error| refused(map, &error))
}

fn refused(map: &MapHandle, error: &libbpf_rs::Error) -> Error {
    Error::refused(format!("writing {}", map.name().to_string_lossy()), error)
}
