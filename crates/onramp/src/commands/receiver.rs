//! `onramp receiver`: lifts the receive buffers of new connections.

use super::exec::{forward, spawn};
use crate::cli::{ReceiverArguments, ReceiverCommand, ReceiverExecArguments};
use onramp_cli::failure::DONE;
use onramp_cli::signals::{exit_code, exited, Signals};
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{receiver_status, unload_receiver, ExecCgroup, Receiver, ReceiverStatus};

pub fn run(arguments: &ReceiverArguments, json: bool) -> Answer {
    let pins = &arguments.pins;
    match &arguments.command {
        ReceiverCommand::Load(arguments) => {
            let options = arguments.lift.options(arguments.cgroup.as_deref());
            Receiver::new(&options)?.pin(pins)?;
            show(receiver_status(pins)?, json);
            Ok(DONE)
        }
        ReceiverCommand::Exec(arguments) => exec(arguments),
        ReceiverCommand::Unload => {
            let was_loaded = unload_receiver(pins)?;
            match (json, was_loaded) {
                (true, _) => print_json(&serde_json::json!({ "unloaded": was_loaded })),
                (false, true) => say!("New connections begin with the buffer of this host again."),
                (false, false) => say!("Nothing is loaded."),
            }
            Ok(DONE)
        }
        ReceiverCommand::Status => {
            show(receiver_status(pins)?, json);
            Ok(DONE)
        }
    }
}

fn exec(arguments: &ReceiverExecArguments) -> Answer {
    let cgroup = ExecCgroup::create()?;
    let _receiver = Receiver::new(&arguments.lift.options(Some(cgroup.path())))?;
    let mut signals = Signals::block()?;
    let mut child = spawn(&arguments.command, &cgroup)?;
    let status = loop {
        signals.wait(|signal| forward(signal, &cgroup))?;
        if let Some(status) = exited(&mut child)? {
            break status;
        }
    };
    // What it has started goes on, lifted.
    while !cgroup.processes().is_empty() {
        signals.wait(|signal| forward(signal, &cgroup))?;
    }
    Ok(exit_code(status))
}

fn show(status: Option<ReceiverStatus>, json: bool) {
    if json {
        print_json(&status);
        return;
    }
    let Some(status) = status else {
        say!("Nothing is loaded.");
        return;
    };
    let some = match status.is_restricted {
        true => "New connections with some peers or ports",
        false => "New connections",
    };
    say!(
        "{some} offer {}, while all live ones together have gained less than {}.",
        text::bytes(status.window_bytes.into()),
        text::bytes(status.limit_bytes)
    );
    say!(
        "{} lifted so far; {} live now, with {} more buffer; {} began at the limit without it",
        text::count(status.lifted as usize, "connection"),
        status.live,
        text::bytes(status.live_bytes),
        status.beyond_limit
    );
}
