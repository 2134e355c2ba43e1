"""The list of expected verdicts, verdicts.txt.

A line names a script and its verdict with each congestion control, in the order of the heading.
Indented lines below it give the reason. A script with another verdict than `pass` has one.
"""

PASS, FAIL = "pass", "fail"
# The script passes in some attempts, depending on the phase of the kernel's clock tick.
SOMETIMES = "sometimes"


class Malformed(Exception):
    """The list cannot be read. The message says where and why."""


class Row:
    """A script's verdicts by congestion control, and the lines of their reason."""

    def __init__(self, verdicts, reason):
        self.verdicts = verdicts
        self.reason = reason

    def needs_reason(self):
        return any(verdict != PASS for verdict in self.verdicts.values())


class Verdicts:
    """The list, in memory."""

    def __init__(self, path, controls):
        self.path = path
        self.controls = controls
        self.heading = []
        self.rows = {}
        row = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            words = line.split()
            if not words or line.startswith("#"):
                self.heading.append(line)
            elif line[0].isspace() and row:
                row.reason.append(line.strip())
            elif len(words) == 1 + len(controls) and set(words[1:]) <= {PASS, FAIL, SOMETIMES}:
                row = self.rows[words[0]] = Row(dict(zip(controls, words[1:])), [])
            else:
                raise Malformed(f"{path.name}, line {number}: expected a script and "
                                f"{len(controls)} verdicts, `{PASS}`, `{FAIL}` or `{SOMETIMES}`")
        for script, row in self.rows.items():
            if row.needs_reason() and not row.reason:
                raise Malformed(f"{path.name}: {script} has no reason")

    def wanted(self, script, control):
        return self.rows[script].verdicts[control]

    def update(self, control, verdicts):
        """Take the verdicts of a run."""
        for script, verdict in verdicts.items():
            row = self.rows.setdefault(script, Row(dict.fromkeys(self.controls, PASS), []))
            row.verdicts[control] = verdict

    def write(self):
        lines = list(self.heading)
        width = max(len(script) for script in self.rows)
        for script, row in sorted(self.rows.items()):
            verdicts = "".join(
                f"{row.verdicts[name]:<{max(len(name), len(SOMETIMES)) + 2}}"
                for name in self.controls)
            lines.append(f"{script:<{width}}  {verdicts}".rstrip())
            if row.needs_reason():
                lines += [f"    {line}" for line in row.reason or ["(no reason yet)"]]
        self.path.write_text("\n".join(lines) + "\n")
