//! The canary: both groups, and the switch-off.

use super::service::{wait_until_it_says, with_site};
use crate::common::{machine, wait_until};
use nix::sys::signal::Signal;

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_start_up_beyond_its_retransmission_budget_is_switched_off_and_stays_so() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        let policy = "min_connections = 20\n[[policy]]\nname = \"web\"\nlocal_port = PORT\n\
                      startup = \"paced\"\navoidance = \"cubic\"\ngovernor = \"off\"\n\
                      retransmission_budget = \"0.1 %\"\npercent = 50\n";
        site.write(policy);
        let service = site.start();
        const LOSSY: u32 = 40; // 256ths
        let load = site.load(LOSSY);
        wait_until_it_says(&service, "policy web is switched off: ", 1);
        load.end();
        let counts = site.counts();
        let web = &counts["policies"][0];
        assert_eq!(web["state"]["state"], "switched-off");
        assert!(
            web["state"]["reason"].as_str().unwrap().contains("budget"),
            "{web}"
        );
        assert!(web["control"]["connections"].as_u64().unwrap() > 0);
        assert!((0..20).all(|_| !site.next_control().starts_with("onramp")));
        // A crash and a reload do not switch it on.
        service.signal(Signal::SIGKILL);
        service.wait();
        let service = site.start();
        service.signal(Signal::SIGHUP);
        wait_until_it_says(&service, "in force: web: paced, switched off", 2);
        assert!((0..20).all(|_| !site.next_control().starts_with("onramp")));
        // Another percentage does.
        site.write(&policy.replace("percent = 50", "percent = 100"));
        service.signal(Signal::SIGHUP);
        wait_until_it_says(&service, "in force: web: paced, on", 1);
        wait_until("it is on", || {
            site.next_control().starts_with("onramp_paced.")
        });
    });
}
