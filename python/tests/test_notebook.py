"""The notebook of the examples runs, and shows what it says."""

import nbclient
import nbformat


def outputs(notebook, kind):
    return [
        output["data"][kind]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


def test_the_notebook_runs(repository):
    file = repository / "examples" / "notebooks" / "start-up.ipynb"
    notebook = nbformat.read(file, as_version=4)
    # No limit of time: a hang is ended by whoever runs the tests.
    nbclient.NotebookClient(
        notebook,
        timeout=None,
        kernel_name="python3",
        # Beside it, so that the installed package is imported.
        resources={"metadata": {"path": str(file.parent)}},
    ).execute()
    assert len(outputs(notebook, "image/png")) == 3
    texts = outputs(notebook, "text/plain")
    gain = next(text for text in texts if "onramp / CUBIC" in text)
    ratios = [float(line.split()[1]) for line in gain.splitlines()[1:-1]]
    assert len(ratios) == 6
    assert ratios[-1] < 0.5 < ratios[0]
    printed = [
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        # The other stream has the bar of progress, on a slow machine.
        if output.get("name") == "stdout"
    ]
    assert printed == ["two slow starts in each cycle: True\n"]
