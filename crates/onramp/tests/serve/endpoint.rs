//! Where the service shows its metrics: addresses, the socket, the text file.

use super::service::{wait_until_it_says, with_site, Site};
use crate::common::process::Background;
use crate::common::{machine, wait_until};
use nix::sys::signal::Signal;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};

/// A policy, and metrics on an address.
fn write(site: &Site, address: SocketAddr) {
    let policy = format!(
        "[service]\nmetrics = \"{address}\"\ninterval = \"100 ms\"\n[[policy]]\nname = \"web\"\n\
         local_port = {}\nstartup = \"paced\"\navoidance = \"cubic\"\n",
        site.port
    );
    fs::write(site.config(), policy).unwrap();
}

#[test]
fn a_first_start_without_its_address_changes_nothing() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        write(site, address);
        let names = onramp_kernel::registered_names().unwrap();
        site.run(&[]).code(3).warns(&[&format!(
            "cannot listen on {address}: Address already in use (os error 98); change `metrics`"
        )]);
        assert_eq!(onramp_kernel::registered_names().unwrap(), names);
        assert!(!site.pins().exists());
        assert!(!site.next_control().starts_with("onramp"));
        // A socket that cannot be bound is not a matter of the configuration's addresses.
        drop(taken);
        let nowhere = site.folder.path().join("none/there/socket");
        let mut command = site.command(&[]);
        let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        let arguments = arguments.into_iter().map(|argument| match argument {
            argument if argument == site.socket().as_os_str() => nowhere.clone().into(),
            argument => argument,
        });
        command = std::process::Command::new(&site.program);
        command.args(arguments);
        crate::common::run(command).code(3).warns(&[
            &format!("cannot listen on the socket {}: No such", nowhere.display()),
            "--socket PATH",
        ]);
        assert!(!site.pins().exists());
    });
}

#[test]
fn a_service_that_follows_a_crash_watches_also_without_its_address() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        let address = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        write(site, address);
        let service = site.start();
        service.signal(Signal::SIGKILL);
        service.wait();
        let taken = TcpListener::bind(address).unwrap();
        let service = site.start();
        let failed = format!("cannot listen on {address}: ");
        wait_until_it_says(&service, &failed, 1);
        // It looks, and the commands' socket waits for the address too.
        let looks = || site.counts()["time_s"].as_f64();
        assert!(looks().is_some() && site.next_control().starts_with("onramp_paced."));
        drop(taken);
        wait_until_it_says(&service, "the metrics can be had again", 1);
        wait_until("it answers", || TcpStream::connect(address).is_ok());
        assert_eq!(service.stderr().matches(&failed).count(), 1);
        end(service);
    });
}

#[test]
fn a_text_file_that_cannot_be_written_is_told_once_and_the_end_removes_it() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        let folder = site.folder.path().join("collector");
        let file = folder.join("onramp.prom");
        let policy = format!(
            "policy = []\n[service]\nmetrics = \"off\"\ninterval = \"100 ms\"\n\
             text_file = \"{}\"\n",
            file.display()
        );
        fs::write(site.config(), policy).unwrap();
        let service = Background::spawn(site.command(&[]));
        wait_until_it_says(&service, "cannot write the metrics into ", 1);
        // Ten looks later it has not said it again.
        let answered = || onramp_service::metrics::fetch_counts(&site.socket()).ok();
        let first = answered().unwrap().time_s;
        wait_until("it has looked ten times", || {
            answered().is_some_and(|counts| counts.time_s > first + 1.0)
        });
        fs::create_dir(&folder).unwrap();
        wait_until_it_says(&service, "onramp.prom again", 1);
        wait_until("it writes", || file.exists());
        let said = service.stderr();
        assert_eq!(
            said.matches("cannot write the metrics").count(),
            1,
            "{said}"
        );
        // Another file takes its place.
        let other = folder.join("other.prom");
        let text = fs::read_to_string(site.config()).unwrap();
        fs::write(site.config(), text.replace("onramp.prom", "other.prom")).unwrap();
        service.signal(Signal::SIGHUP);
        wait_until("it writes the other", || other.exists() && !file.exists());
        end(service);
        assert!(!other.exists());
    });
}

fn end(service: Background) {
    service.signal(Signal::SIGTERM);
    service.wait().code(0);
}
