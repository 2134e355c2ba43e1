//! Links libelf and zlib statically where their archives are installed, so that the program needs
//! no library but libc on the machine that runs it.
//!
//! libbpf-sys names both libraries to the linker. A linker takes an archive if the first folder
//! that has the library has no shared one. This script makes such a folder.
//!
//! ONRAMP_SHARED_LIBRARIES=1 links the shared libraries.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ONRAMP_SHARED_LIBRARIES");
    if env::var_os("ONRAMP_SHARED_LIBRARIES").is_some_and(|value| value == "1") {
        return;
    }
    // One of them alone would be of no use.
    let (Some(elf), Some(zlib)) = (archive("libelf.a"), archive("libz.a")) else {
        return;
    };
    let mut archives = vec![elf, zlib];
    // Since elfutils 0.189 libelf may need zstd, which libbpf-sys does not name.
    let needs_zstd = contains(&archives[0], b"ZSTD_");
    if needs_zstd {
        let Some(zstd) = archive("libzstd.a") else {
            return;
        };
        archives.push(zstd);
        println!("cargo::rustc-link-arg=-lzstd");
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("static");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("OUT_DIR can be written");
    for archive in archives {
        println!("cargo::rerun-if-changed={}", archive.display());
        let name = archive.file_name().expect("it is a file");
        std::os::unix::fs::symlink(&archive, folder.join(name)).expect("OUT_DIR can be written");
    }
    println!("cargo::rustc-link-search=native={}", folder.display());
}

/// Where the C compiler of the target has an archive.
fn archive(name: &str) -> Option<PathBuf> {
    let mut compiler = cc::Build::new().try_get_compiler().ok()?.to_command();
    let output = compiler.arg(format!("-print-file-name={name}")).output();
    let path = String::from_utf8(output.ok()?.stdout).ok()?;
    // The compiler prints the bare name if there is none.
    let path = PathBuf::from(path.trim());
    (path.is_absolute() && path.exists()).then_some(path)
}

fn contains(file: &Path, text: &[u8]) -> bool {
    let bytes = fs::read(file).unwrap_or_default();
    bytes.windows(text.len()).any(|window| window == text)
}
