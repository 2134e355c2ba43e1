"""What site.py makes of pages, and which mistakes it finds: pytest scripts/test_site.py."""

import importlib.util
import pathlib
import shutil

import pytest

SCRIPT = pathlib.Path(__file__).parent / "site/site.py"
spec = importlib.util.spec_from_file_location("onramp_site", SCRIPT)
site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site)


@pytest.fixture
def pages(tmp_path):
    for name in ("docs/other.md", "core/x.h", "docs/image.svg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    return site.Pages(tmp_path, tmp_path / "out")


@pytest.mark.parametrize(("text", "wanted"), [
    ("[a](other.md#part)", "[a](other.md#part)"),
    ("[`x.h`](../core/x.h)", "[`x.h`](../core/x.h.md)"),
    ("[two\nlines](../core/x.h)", "[two\nlines](../core/x.h.md)"),
    ("[folder](../core/)", "[folder](../core/index.md)"),
    ("![picture](image.svg)", "![picture](image.svg)"),
    ("[outside](https://example.org/x.h)", "[outside](https://example.org/x.h)"),
    ("- a\n  - b", "- a\n    - b"),
    ("\n```md\n[code](../core/x.h)\n```\n", "\n```md\n[code](../core/x.h)\n```\n"),
])
def test_links_lead_to_pages_of_the_site(pages, text, wanted):
    assert pages.converted("docs/page.md", text) == wanted


def test_a_link_to_no_file_is_an_error(pages):
    with pytest.raises(SystemExit, match="no file docs/missing"):
        pages.converted("docs/page.md", "[a](missing.md)")


@pytest.mark.parametrize(("body", "mistake"), [
    ('<a href="b.html#here">b</a>', None),
    ('<a href="b.html#there">b</a>', "no anchor b.html#there"),
    ('<a href="c.html">c</a>', "no file c.html"),
    ('<a href="https://example.org">outside</a>', None),
    ('<img src="b.html">', "an image without a text"),
    ('<iframe src="b.html#embed/x"></iframe>', "no anchor b.html#embed/x"),
    ('<iframe src="https://example.org/x"></iframe>', "loads https://example.org/x"),
    ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js"),
])
def test_mistakes_of_the_built_site(tmp_path, body, mistake):
    (tmp_path / "a.html").write_text(body)
    (tmp_path / "b.html").write_text('<h2 id="here">Here</h2>')
    found, _ = site.mistakes_in(tmp_path)
    assert [mistake in line for line in found] == ([True] if mistake else [])


def test_the_front_page_has_a_figure_of_the_playground_before_its_first_picture(tmp_path):
    (tmp_path / "web").mkdir()
    (tmp_path / "web/index.html").write_text("the playground")
    (tmp_path / "pages/docs").mkdir(parents=True)
    (tmp_path / "pages/README.md").write_text("# Onramp\n\nText.\n\n![Bars](a.svg)\n\n![](b.svg)\n")
    (tmp_path / "pages/docs/playground.md").write_text("# The playground\n\nText.\n")
    site.add_playground(tmp_path / "pages", tmp_path / "web")
    home = (tmp_path / "pages/README.md").read_text()
    assert home.count("<iframe") == 1
    assert 'src="play/index.html#embed/preset/' in home
    assert home.index("Text.") < home.index("<iframe") < home.index("![Bars]")
    assert 'href="../play/index.html"' in (tmp_path / "pages/docs/playground.md").read_text()
    assert (tmp_path / "pages/play/index.html").is_file()
    (tmp_path / "pages/README.md").write_text("# Onramp\n\nText.\n")
    shutil.rmtree(tmp_path / "pages/play")
    with pytest.raises(SystemExit, match="no picture"):
        site.add_playground(tmp_path / "pages", tmp_path / "web")


def test_the_python_reference_has_every_module_without_the_roles_of_sphinx(tmp_path):
    (tmp_path / "pages/docs/reference").mkdir(parents=True)
    guide = tmp_path / "pages/docs/python.md"
    guide.write_text("# Python\n\nText.\n")
    site.add_python(site.ROOT, tmp_path)
    page = (tmp_path / "pages" / site.PYTHON).read_text()
    for name in site.PYTHON_MODULES:
        assert f"\n::: {name}\n" in page
    source = (tmp_path / "python/onramp/__init__.py").read_text()
    assert "`run` simulates a scenario" in source
    assert 'href="reference/python.html"' in guide.read_text()


def test_the_page_of_crates_leads_to_those_that_rustdoc_has_made(tmp_path):
    pages, doc = tmp_path / "pages", tmp_path / "doc"
    (pages / "docs/reference").mkdir(parents=True)
    (pages / "docs/architecture.md").write_text("# Architecture\n\nText.\n")
    (doc / "onramp_core").mkdir(parents=True)
    (doc / "onramp_core/index.html").write_text("onramp_core")
    for folder, name in (("core", "onramp-core"), ("crates/onramp-net", "onramp-net")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "Cargo.toml").write_text(
            f'[package]\nname = "{name}"\ndescription = "What it is"\n')
    site.add_crates(tmp_path, pages, doc)
    rows = [line for line in (pages / site.CRATES).read_text().split("\n") if "href" in line]
    assert rows == [
        '| <a href="../../rustdoc/onramp_core/index.html">onramp-core</a> | What it is |']
    assert 'href="reference/crates.html"' in (pages / "docs/architecture.md").read_text()


def test_a_page_that_the_navigation_lacks_is_an_error(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/README.md").write_text("## Readers\n\n| [`A`](a.md) | x |\n")
    (tmp_path / "docs/a.md").write_text("# A")
    assert site.navigation(tmp_path)[1] == {"Readers": [{"A": "docs/a.md"}]}
    (tmp_path / "docs/b.md").write_text("# B")
    with pytest.raises(SystemExit, match="does not name docs/b.md"):
        site.navigation(tmp_path)
