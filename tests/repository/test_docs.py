"""What the README and the guide show is run as it stands, top to bottom."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import pytest_socket
from commands import run_blocks
from query_files import write_noisy
from small_models import write_small_model

from benchmarks.report.workbench import ROLES
from logic_retrievers import PassageIndex
from logic_retrievers.evaluation.statistics import mcnemar
from logic_retrievers.serving.service import REQUESTS

ROOT = Path(__file__).parents[2]


def readme_examples() -> list[tuple[str, str]]:
    """Every example of the README, and what it says that the example prints."""
    text = (ROOT / "README.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(examples) == text.count("```python")
    return examples


PROBABILITY = re.compile(r"(?<=\(0\.)\d\d(?=\)$)", re.MULTILINE)
"""Of the judge: it multiplies in int8, and a processor's last digits may differ."""


@pytest.mark.parametrize("number", range(len(readme_examples())))
def test_an_example_of_the_readme_prints_what_stands_below_it(number: int, capsys, no_network):
    """Each alone: a first example that fails is the last thing that a reader tries."""
    code, printed = readme_examples()[number]
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert PROBABILITY.sub("", capsys.readouterr().out) == PROBABILITY.sub("", printed)
    for name in {"index", "store"} & names.keys():
        index = names[name] if name == "index" else names[name].index  # type: ignore[attr-defined]
        index.close()  # type: ignore[attr-defined]


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UntrainedVectorWarning")
@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_the_guide_runs(tmp_path, monkeypatch, capsys, wire_double):
    """From its first block to its last, in one go."""
    from qdrant_client import QdrantClient

    monkeypatch.chdir(tmp_path)
    opened, really_open = [], PassageIndex.open

    def noted(*arguments, **settings):
        opened.append(really_open(*arguments, **settings))
        return opened[-1]

    monkeypatch.setattr(PassageIndex, "open", noted)
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "leave.md").write_text("# Leave\n\nParental leave is paid.", "utf-8")
    model = str(write_small_model(tmp_path / "small"))
    names: dict[str, object] = {"key": "any", "client": QdrantClient(":memory:")}
    run_blocks("docs/guide.md", names, server=wire_double.url, topical=model, compatibility=model)
    assert capsys.readouterr().out.startswith("1 inn nothing ruled out")
    assert "hits" in names
    assert names["report"].collection  # type: ignore[attr-defined]
    for index in opened:
        index.close()


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_the_page_on_servers_runs(monkeypatch, wire_double):
    """A collection is reindexed, and the alias leads to the second."""
    names: dict[str, object] = {"key": "any"}
    run_blocks("docs/server.md", names, server=wire_double.url)
    assert names["live"].count() == 1  # type: ignore[attr-defined]
    assert names["report"].alias == "stays-live"  # type: ignore[attr-defined]
    assert wire_double.created["stays-replicated"].replication_factor == 2
    for name in ("live", "on_server"):
        names[name].close()  # type: ignore[attr-defined]


@pytest.fixture
def no_network():
    """Sockets within the process stay: an event loop is woken by one."""
    pytest_socket.disable_socket(allow_unix_socket=True)
    yield
    pytest_socket.enable_socket()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
@pytest.mark.parametrize("page", ["docs/langchain.md", "docs/llama-index.md"])
def test_a_frameworks_page_runs(page, tmp_path, monkeypatch, no_network):
    """Recipes are copied before they are read."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    run_blocks(page, names)
    first = names["store"].index  # type: ignore[attr-defined]
    assert first.vectors == ("topical", "compatibility", "lexical")
    over = names["retriever"].index  # type: ignore[attr-defined]
    assert over.vectors == ("topical", "compatibility")
    for index in (first, over):
        index.close()


def test_the_page_on_files_runs(tmp_path, monkeypatch, capsys, no_network):
    """Its chunks go to an encoder whole; a text that is too long would be a warning, an error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "leave.html").write_text("<p>Leave is paid." * 400, "utf-8")
    (tmp_path / "handbook" / "dogs.md").write_text("Dogs are welcome. " * 400, "utf-8")
    (tmp_path / "handbook" / "scan.pdf").write_bytes(b"")
    names: dict[str, object] = {}
    run_blocks("docs/files.md", names)
    assert capsys.readouterr().out == "handbook/scan.pdf: is empty\n"
    texts = [chunk.page_content for chunk in names["chunks"]]  # type: ignore[attr-defined]
    texts += [node.get_content("embed") for node in names["nodes"]]  # type: ignore[attr-defined]
    assert len(texts) > 10
    names["encoder"].encode_documents(texts)  # type: ignore[attr-defined]
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_haystack_runs(tmp_path, monkeypatch, capsys, no_network):
    """What it says of its examples is what they print."""
    monkeypatch.chdir(tmp_path)
    run_blocks("docs/haystack.md", {})
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("inn nothing ruled out")
    assert said[1].startswith("hut nothing ruled out")
    assert said[2:] == ["['inn', 'hut']", "['inn', 'bar']", "inn"]


def test_the_page_on_contradictions_runs(tmp_path, monkeypatch, capsys, no_network):
    """What it says of its examples is what they print."""
    names: dict[str, object] = {}
    run_blocks("docs/contradictions.md", names)
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("True")
    assert said[1].endswith("False")
    assert said[2] == "['2024', 'how'] ['2021']"
    assert said[3] == "['2021']"
    assert "'The pool is not open to guests of the hotel.'" in said[4]
    assert said[5].startswith("2024 ")
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_cleaning_runs(tmp_path, monkeypatch, capsys, no_network):
    """What it says of its examples is what they print."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    run_blocks("docs/cleaning.md", names)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("2021 2024 ")
    assert said[0].endswith(" annotated")
    assert said[1].startswith("'2021' and '2024' contradict each other")
    assert said[2:4] == ["('2021',)", "('2021',)"]
    assert said[4].startswith("2021 ")
    assert "would be hidden" in said[5]
    assert said[6] == "[('news', True)]"
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_expressions_runs(capsys, no_network):
    """What it says of its examples, and of errors above all, is what they print."""
    names: dict[str, object] = {}
    run_blocks("docs/expressions.md", names)
    said = capsys.readouterr().out
    assert said.splitlines()[:3] == ["both", "malaysia", "thailand"]
    assert "malaysia satisfied: orchids of Malaysia" in said
    page = (ROOT / "docs" / "expressions.md").read_text("utf-8")
    (errors,) = re.findall(r"```\n(AND NOT .*?)```", page, re.DOTALL)
    assert said.endswith(errors)
    assert names["parsed"].kind == "expression"  # type: ignore[attr-defined]
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_query_encoders_runs(tmp_path, monkeypatch, capsys, no_network):
    """What it says of its examples is what they print; the file is of noise, not of a training."""
    from logic_export.data.tiers.examples import read_tiers

    monkeypatch.chdir(tmp_path)
    write_noisy(tmp_path / "ours.query.onnx", noise=1.0)
    names: dict[str, object] = {}
    run_blocks("docs/query-encoder.md", names)
    assert capsys.readouterr().out.splitlines() == ["True", "True"]
    (row,) = read_tiers(tmp_path / "ours.jsonl")
    assert row.positives == (names["documents"]["sick"],)  # type: ignore[index]
    assert row.distractors
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_the_probe_runs(tmp_path, monkeypatch, capsys, no_network):
    """What it says of the example set is what the probe finds."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples" / "allotments", tmp_path / "my-questions")
    names: dict[str, object] = {}
    run_blocks("docs/probe.md", names)
    said = capsys.readouterr().out.splitlines()
    assert said == ["topical 0.35", "auto 0.95", "12 0 0.0005", "fake, temperature 0 5 0"]
    page = (ROOT / "docs" / "probe.md").read_text("utf-8")
    shown = [line.split("│") for line in page.splitlines() if line.startswith("│ ")]
    told = {name.strip(): accuracy.split()[0] for _, name, accuracy, *_ in shown}
    assert told == {"topical": "0.350", "auto": "0.950"}
    assert mcnemar(5, 0) > 0.05 > mcnemar(6, 0) > mcnemar(7, 0) > 0.01 > mcnemar(8, 0)
    assert (tmp_path / "figures.json").is_file()
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_serving_runs(capsys, no_network):
    """Each line of curl is a request that the service takes."""
    names: dict[str, object] = {}
    run_blocks("docs/serving.md", names)
    assert capsys.readouterr().out.splitlines() == ["anchor"]
    page = (ROOT / "docs" / "serving.md").read_text("utf-8")
    sent = re.findall(r"^curl http://localhost:8080/([\w-]+) .* -d '(.*)'$", page, re.MULTILINE)
    asked = {name.replace("-", "_"): REQUESTS[name.replace("-", "_")] for name, _ in sent}
    assert asked == REQUESTS
    for name, body in sent:
        asked[name.replace("-", "_")].model_validate_json(body)
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_settings_runs(capsys, no_network):
    """A setting that is shown has to do what the page says of it."""
    names: dict[str, object] = {}
    run_blocks("docs/settings.md", names)
    said = capsys.readouterr().out.splitlines()
    assert said == ["loud quiet", "loud quiet", "quiet loud"]
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_troubleshooting_runs(capsys, no_network):
    """The evidence that it sends a reader to is there."""
    names: dict[str, object] = {}
    run_blocks("docs/troubleshooting.md", names)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("inn ['bars']")
    assert second.startswith("bar ['bars'] moved down: near to bars")
    names["index"].close()  # type: ignore[attr-defined]


def test_the_page_on_the_report_runs(tmp_path, monkeypatch, capsys, no_network):
    """A study that somebody writes after the page has to run; roles that it names have to be."""
    monkeypatch.chdir(tmp_path)
    run_blocks("docs/report.md", {})
    assert capsys.readouterr().out.splitlines() == ["('topical', 384)"]
    page = (ROOT / "docs" / "report.md").read_text("utf-8")
    assert [role for role in ROLES if f"`{role}`" not in page] == []


def test_links_between_the_docs_lead_somewhere():
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
