//! Sections of manual pages that clap does not know: files, signals and exit status.

/// A heading and its entries: a term, and what it means.
pub struct Section(
    pub &'static str,
    pub &'static [(&'static str, &'static str)],
);

const FILES: &str = "FILES";
const SIGNALS: &str = "SIGNALS";
const EXIT_STATUS: &str = "EXIT STATUS";

const LACKS: (&str, &str) = (
    "3",
    "this host lacks something: the message says what, and how to get it",
);

/// What most commands return.
const USUAL: Section = Section(
    EXIT_STATUS,
    &[
        ("0", "done"),
        ("1", "a result missed its expectation"),
        (
            "2",
            "bad input: the message says where, what was expected and what was found",
        ),
        LACKS,
        ("130", "interrupted"),
    ],
);

const PINS: (&str, &str) = (
    "/sys/fs/bpf/onramp",
    "programs and maps of the service; they work on while it does not run",
);
const SOCKET: (&str, &str) = (
    "/run/onramp/onramp.sock",
    "where the service answers `onramp top` and `onramp metrics`",
);

const SERVE: &[Section] = &[
    Section(FILES, &[
        ("/etc/onramp/config.toml", "the policies"),
        PINS,
        SOCKET,
    ]),
    Section(SIGNALS, &[
        (
            "SIGHUP",
            "reads the configuration again; a wrong one is refused, and the one from before stays. \
             If the program was replaced, the new one continues",
        ),
        ("SIGTERM, SIGINT", "end the service; new connections start as without Onramp"),
        ("SIGKILL", "ends the process alone: the policies stay in force. `--undo` ends them"),
    ]),
    Section(EXIT_STATUS, &[
        ("0", "the service was stopped, or the configuration is right"),
        ("2", "the configuration is wrong, or another service runs"),
        LACKS,
    ]),
];

const EXEC: &[Section] = &[
    Section(
        SIGNALS,
        &[(
            "SIGTERM, SIGINT, SIGHUP, SIGQUIT",
            "go to the program and its descendants; `onramp` ends after the last of them",
        )],
    ),
    Section(
        EXIT_STATUS,
        &[
            ("N", "what the program returned"),
            ("128 + N", "signal N ended the program"),
            ("127", "there is no such program"),
            ("126", "the program may not be run"),
            (
                "2, 3",
                "the program was not started: bad input, or this host lacks something",
            ),
        ],
    ),
];

const OFF: &[Section] = &[
    Section(FILES, &[PINS]),
    Section(
        EXIT_STATUS,
        &[
            ("0", "nothing of Onramp is left in the kernel"),
            (
                "1",
                "something is left; a sentence on standard error names each thing",
            ),
            LACKS,
        ],
    ),
];

const UNLOAD: &[Section] = &[Section(
    EXIT_STATUS,
    &[
        ("0", "done"),
        (
            "1",
            "only start-ups of others have live connections; they are named",
        ),
        (
            "2",
            "there is no such start-up, or it belongs to a process or to the service",
        ),
        (
            "3",
            "a default could not be put back, or this host lacks something",
        ),
    ],
)];

const READERS: &[Section] = &[Section(FILES, &[SOCKET]), USUAL];

const RECEIVER: &[Section] = &[
    Section(
        FILES,
        &[(
            "/sys/fs/bpf/onramp-receiver",
            "the program and its counts, until `receiver unload` or `onramp off`",
        )],
    ),
    USUAL,
];

/// The sections of a page, by the name of its command without `onramp-`.
pub fn of(command: &str) -> &'static [Section] {
    match command {
        "serve" => SERVE,
        "exec" | "receiver-exec" => EXEC,
        "off" => OFF,
        "unload" => UNLOAD,
        "top" | "metrics" => READERS,
        "receiver" | "receiver-load" | "receiver-unload" | "receiver-status" => RECEIVER,
        _ => &[USUAL],
    }
}
