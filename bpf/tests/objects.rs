//! What the compiled programs must be, beyond what the kernel's verifier demands.

use std::ops::Range;

/// The symbol table and a function, in `elf.h` and the psABI of 64-bit ELF.
const SECTION_BYTES: usize = 64;
const SYMBOL_TABLE: u32 = 2;
const SYMBOL_BYTES: usize = 24;
/// A call of another function of the program: BPF_JMP | BPF_CALL with BPF_PSEUDO_CALL.
const CALL: u8 = 0x85;
const PSEUDO_CALL: u8 = 1;

fn number(bytes: &[u8], at: usize, width: usize) -> usize {
    let mut value = [0; 8];
    value[..width].copy_from_slice(&bytes[at..][..width]);
    usize::try_from(u64::from_le_bytes(value)).unwrap()
}

/// The place and the size of a section in the file.
fn section(object: &[u8], index: usize) -> Range<usize> {
    let header = number(object, 0x28, 8) + index * SECTION_BYTES;
    let begin = number(object, header + 24, 8);
    begin..begin + number(object, header + 32, 8)
}

/// The instructions of a function.
fn function<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let sections = number(object, 0x28, 8);
    let is_table = |index: &usize| {
        let kind = number(object, sections + index * SECTION_BYTES + 4, 4);
        kind == SYMBOL_TABLE as usize
    };
    let table = (0..number(object, 0x3c, 2)).find(is_table)?;
    let names = number(object, sections + table * SECTION_BYTES + 40, 4);
    let names = &object[section(object, names)];
    let mut symbols = object[section(object, table)].chunks_exact(SYMBOL_BYTES);
    let symbol = symbols.find(|symbol| {
        let found = &names[number(symbol, 0, 4)..];
        found
            .strip_prefix(name.as_bytes())
            .is_some_and(|rest| rest[0] == 0)
    })?;
    let code = &object[section(object, number(symbol, 6, 2))];
    Some(&code[number(symbol, 8, 8)..][..number(symbol, 16, 8)])
}

/// `ARGUMENTS` in `src/compile.rs` says why. On Linux 6.1 `onramp` never paced.
#[test]
fn an_algorithm_calls_no_function_so_that_old_verifiers_keep_its_branches() {
    for startup in onramp_bpf::STARTUPS {
        let code = function(startup.object, "algorithm_ack").expect(startup.name);
        assert!(code.len() > 8, "{}: an algorithm has code", startup.name);
        let calls = code
            .chunks_exact(8)
            .filter(|instruction| instruction[0] == CALL && instruction[1] >> 4 == PSEUDO_CALL);
        assert_eq!(calls.count(), 0, "calls of functions in {}", startup.name);
    }
}
