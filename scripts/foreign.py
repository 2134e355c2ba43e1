"""Sources of other projects, which scripts build with Onramp's start-ups."""

import pathlib
import shutil
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


class Missing(Exception):
    """This host lacks something. The message says what, and how to get it."""


class Failed(Exception):
    """The run cannot go on. The message says why."""


class Malformed(Exception):
    """A text is not as expected. The message says what was found."""


def source(option, folder, file, page):
    """The folder of a source, which has this file. The page tells how to get it."""
    if not folder:
        raise Missing(f"{option} names no folder; see {page} for how to get the sources")
    path = pathlib.Path(folder).resolve()
    if not (path / file).is_file():
        raise Missing(f"{path} has no {file}; is it the source that {option} should name?")
    return path


def commit(folder):
    """The commit of a source."""
    git = subprocess.run(["git", "-C", folder, "rev-parse", "--short=7", "HEAD"],
                         capture_output=True, text=True, check=False)
    return git.stdout.strip() or "of an unknown commit"


def require(tools):
    """Check for programs, given with the package that has each."""
    for tool, package in tools.items():
        if not shutil.which(tool):
            raise Missing(f"{tool} is missing: apt-get install {package}")


def call(command, log, folder=REPOSITORY, environment=None):
    """Run a command of a build. Its output goes to the log."""
    with log.open("a") as file:
        status = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=file, stderr=subprocess.STDOUT, check=False).returncode
    if status:
        tail = "".join(f"  {line}\n" for line in log.read_text().splitlines()[-8:])
        raise Failed(f"{command[0]} failed; the end of {log}:\n{tail}")


def output(command, what, timeout_s, folder=None, environment=None):
    """What a program prints. `what` names its task in a message."""
    try:
        done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, capture_output=True,
                              cwd=folder, env=environment, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"{what} did not end within {timeout_s} s") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise Failed(f"{what}: exit {done.returncode}: {last[0]}")
    return done.stdout


def replace_between(text, begin, end, new):
    """The text with what stands between two lines replaced."""
    if text.count(begin) != 1 or text.count(end) != 1:
        raise Malformed(f"expected one line `{begin}` and one `{end}`")
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}\n{new}{end}{tail}"
