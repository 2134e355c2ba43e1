"""The changes of neqo's sources that put Onramp's start-up beside neqo's slow starts.

Each edit names one place by text that stands there once. An edit whose place is not found, or is
found twice, is an error: neqo has changed since, and the edit needs a look.
"""

import dataclasses
import os
import pathlib


class Changed(Exception):
    """A source is not as an edit expects it. The message says which."""


@dataclasses.dataclass(frozen=True)
class Edit:
    """Put `text` before, behind or in the place of what stands in the file once."""

    file: str
    place: str
    text: str
    how: str = "behind"

    def apply(self, content):
        """The content of the file with this edit."""
        count = content.count(self.place)
        if count != 1:
            line = self.place.strip().splitlines()[0]
            raise Changed(f"{self.file} has `{line}` {count} times instead of once: neqo has "
                          "changed; look at scripts/neqo/edits.py")
        new = {"behind": self.place + self.text, "before": self.text + self.place,
               "instead": self.text}[self.how]
        return content.replace(self.place, new)


CC = "neqo-transport/src/cc/classic_cc.rs"
MOD = "neqo-transport/src/cc/mod.rs"
SENDER = "neqo-transport/src/sender.rs"

# The two further slow starts: with neqo's pacer as it is, and with the start-up's rates.
VARIANTS = {"Onramp": "false", "OnrampPaced": "true"}
CONTROLS = "NewReno", "Cubic"


def variants_of_slow_start():
    """Values of neqo's option for the slow start."""
    return "".join(f'    #[strum(serialize = "{name.lower()}")]\n    {name},\n'
                   for name in VARIANTS)


def senders():
    """What neqo's sender makes for each further pair of congestion control and slow start."""
    return "".join(
        f"                (CongestionControl::{control}, SlowStart::{name}) => {{\n"
        f"                    CongestionControlImplementation::Onramp{control}(\n"
        "                        ClassicCongestionController::new(\n"
        f"                            crate::cc::Onramp::new(pmtud.plpmtu(), {sets_rate}),\n"
        f"                            {control}::default(),\n"
        "                            pmtud,\n"
        "                            spurious_recovery,\n"
        "                        ),\n"
        "                    )\n"
        "                }\n"
        for control in CONTROLS for name, sets_rate in VARIANTS.items())


NEQO = [
    # The module, and what a slow start may do beyond neqo's trait.
    Edit(CC, "pub const CWND_INITIAL_PKTS: usize = 10;\n",
         '#[path = "onramp.rs"]\npub mod onramp;\n\n', "before"),
    Edit(CC, "    /// Resets slow start state. Is used after persistent congestion",
         "    /// Takes any event. A slow start that controls cwnd by itself answers with it.\n"
         "    fn on_event(\n        &mut self,\n        _event: &onramp::Event,\n"
         "        _host: onramp::Host,\n    ) -> Option<onramp::Window> {\n        None\n    }\n\n"
         "    /// The window by which the pacer paces; `None`: cwnd.\n"
         "    fn pacer_window(&self, _rtt: Duration) -> Option<usize> {\n        None\n    }\n\n",
         "before"),
    # The events.
    Edit(CC, "            self.slow_start.record_acked_bytes(new_acked);\n        }\n",
         "        if self.report(&onramp::Event::Acked {\n            packets: acked_pkts,\n"
         "            rtt: rtt_est,\n            is_app_limited,\n            now,\n        }) {\n"
         "            return;\n        }\n"),
    Edit(CC, "        let lost_packets_count = self.maybe_lost_packets.len() - maybe_lost_before;"
         "\n", "        self.report(&onramp::Event::Lost(lost_packets));\n"),
    Edit(CC, "        self.bytes_in_flight += pkt.len();\n",
         "        self.report(&onramp::Event::Sent(pkt));\n"),
    Edit(CC, "        self.current = stored;\n",
         "        self.report(&onramp::Event::Spurious);\n"),
    Edit(CC, "                    self.slow_start.reset();\n",
         "                    self.report(&onramp::Event::PersistentCongestion(now));\n"),
    Edit(CC, "        self.current.ssthresh = Some(self.current.congestion_window);\n",
         "        self.report(&onramp::Event::Congestion {\n            newest: last_packet,\n"
         "            trigger: congestion_trigger,\n"
         "            reduced_from_bytes: detection_cwnd,\n            now,\n        });\n"),
    # The pacer.
    Edit(CC, "    fn bytes_in_flight(&self) -> usize {\n        self.bytes_in_flight\n    }\n",
         "\n    fn pacer_window(&self, rtt: Duration) -> usize {\n"
         "        Self::pacer_window(self, rtt)\n    }\n"),
    Edit(MOD, "pub trait CongestionController: Display + Debug {\n",
         "    fn pacer_window(&self, _rtt: Duration) -> usize {\n        self.cwnd()\n    }\n\n"),
    Edit(MOD, "impl CongestionController for CongestionControlImplementation {\n",
         "    fn pacer_window(&self, rtt: Duration) -> usize {\n"
         "        dispatch!(self.pacer_window(rtt))\n    }\n\n"),
    Edit(SENDER, "            .spend(pkt.time_sent(), rtt, self.cc.cwnd(), pkt.len());\n",
         "            .spend(pkt.time_sent(), rtt, self.cc.pacer_window(rtt), pkt.len());\n",
         "instead"),
    Edit(SENDER, "(self.cc.bytes_in_flight() > 0).then(|| self.pacer.next(rtt, self.cc.cwnd()))",
         "(self.cc.bytes_in_flight() > 0)"
         ".then(|| self.pacer.next(rtt, self.cc.pacer_window(rtt)))", "instead"),
    # The choice.
    Edit(MOD, "pub use cubic::Cubic;\n", "pub use classic_cc::onramp::Onramp;\n"),
    Edit(MOD, '    #[strum(serialize = "search")]\n    Search,\n', variants_of_slow_start()),
    Edit(MOD, "    SearchCubic(ClassicCongestionController<Search, Cubic>),\n",
         "".join(f'    #[strum(to_string = "{{0}}")]\n    Onramp{control}'
                 f"(ClassicCongestionController<Onramp, {control}>),\n" for control in CONTROLS)),
    Edit(MOD, "HyStartCubic, SearchCubic",
         "".join(f", Onramp{control}" for control in CONTROLS)),
    Edit(SENDER, "                (CongestionControl::NewReno, SlowStart::Classic) => {\n",
         senders(), "before"),
]


def dependency(folder):
    """The edit that makes neqo-transport depend on the crate onramp-quic in this folder."""
    return Edit("neqo-transport/Cargo.toml", "[dependencies]\n",
                f'onramp-quic = {{ path = "{folder}", default-features = false }}\n')


def copy(source, target, edits=(), added=()):
    """Copy the files of a folder with these edits, and add files: pairs of a name and a content.

    A file whose content is there already is not written again, so nothing is compiled twice."""
    source, target = pathlib.Path(source), pathlib.Path(target)
    edited = {}
    for edit in edits:
        if edit.file not in edited:
            if not (source / edit.file).is_file():
                raise Changed(f"{source} has no {edit.file}")
            edited[edit.file] = (source / edit.file).read_text()
        edited[edit.file] = edit.apply(edited[edit.file])
    contents = {name: text.encode() for name, text in {**edited, **dict(added)}.items()}
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name not in (".git", "target")]
        for file in files:
            path = pathlib.Path(folder, file)
            name = path.relative_to(source).as_posix()
            if path.is_file():
                contents.setdefault(name, path.read_bytes())
    for name, content in contents.items():
        path = target / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if (source / name).is_file():
                path.chmod((source / name).stat().st_mode)
