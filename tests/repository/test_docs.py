"""The README's and the guide's code runs unchanged, top to bottom."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import pytest_socket
from chat_endpoint import completion, running_endpoint
from commands import call, run_blocks
from qdrant_client import QdrantClient
from query_files import write_noisy
from rerank_server import running_rerank_server
from small_models import write_small_cross_encoder, write_small_model

from benchmarks.report.workbench import ROLES
from logic_retrievers import JudgeSettings, PassageIndex
from logic_retrievers.evaluation.statistics import mcnemar
from logic_retrievers.judging import LABELS
from logic_retrievers.serving.service import REQUESTS

pytestmark = pytest.mark.reader

ROOT = Path(__file__).parents[2]
EXPORT = ROOT / "examples" / "export_cross_encoder.py"


def readme_examples() -> list[tuple[str, str]]:
    """Every example of the README, with its documented output."""
    text = (ROOT / "README.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(examples) == text.count("```python")
    return examples


# the judge's probabilities: it multiplies in int8, and a processor's last digits may differ
PROBABILITY = re.compile(r"(?<=\()0\.\d\d(?=\)$)", re.MULTILINE)


@pytest.mark.parametrize("number", range(len(readme_examples())))
def test_an_example_of_the_readme_prints_what_stands_below_it(number: int, capsys, no_network):
    """Each runs alone: a reader stops after a failing first example."""
    code, printed = readme_examples()[number]
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    out = capsys.readouterr().out
    assert PROBABILITY.sub("", out) == PROBABILITY.sub("", printed)
    now, then = ([float(number) for number in PROBABILITY.findall(each)] for each in (out, printed))
    assert now == pytest.approx(then, abs=0.05)
    for name in {"index", "store"} & names.keys():
        index = names[name] if name == "index" else names[name].index  # type: ignore[attr-defined]
        index.close()  # type: ignore[attr-defined]


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


@pytest.fixture
def no_network():
    """Block the network except sockets within the process, which wake an event loop."""
    pytest_socket.disable_socket(allow_unix_socket=True)
    yield
    pytest_socket.enable_socket()


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a page from first block to last; return its names and printed lines."""
    monkeypatch.chdir(tmp_path)
    opened, really_open = [], PassageIndex.open

    def noted(*arguments, **settings):
        opened.append(really_open(*arguments, **settings))
        return opened[-1]

    def run(page: str, **replaced: str) -> tuple[dict[str, Any], list[str]]:
        names: dict[str, Any] = {"key": "any", "client": QdrantClient(":memory:")}
        run_blocks(f"docs/{page}.md", names, **replaced)
        return names, capsys.readouterr().out.splitlines()

    monkeypatch.setattr(PassageIndex, "open", noted)
    yield run
    for index in opened:
        index.close()


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UntrainedVectorWarning")
@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_the_guide_runs(run, tmp_path, wire_double):
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "leave.md").write_text("# Leave\n\nParental leave is paid.", "utf-8")
    model = str(write_small_model(tmp_path / "small"))
    names, said = run("guide", server=wire_double.url, topical=model, compatibility=model)
    assert said[0].startswith("1 inn nothing ruled out")
    assert "hits" in names
    assert names["report"].collection


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_the_page_on_servers_runs(run, wire_double):
    """It reindexes a collection, and the alias points to the second."""
    names, _ = run("server", server=wire_double.url)
    assert names["live"].count() == 1
    assert names["report"].alias == "stays-live"
    assert wire_double.created["stays-replicated"].replication_factor == 2


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
@pytest.mark.parametrize("page", ["langchain", "llama-index"])
def test_a_frameworks_page_runs(page, run, no_network):
    """Users copy recipes before reading them."""
    names, _ = run(page)
    assert names["store"].index.vectors == ("topical", "compatibility", "lexical")
    assert names["retriever"].index.vectors == ("topical", "compatibility")


# The page's stated outputs are what its examples print.


def test_the_page_on_files_runs(run, tmp_path, no_network):
    """Chunks reach the encoder whole; the warning for a longer text is an error here."""
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "leave.html").write_text("<p>Leave is paid." * 400, "utf-8")
    (tmp_path / "handbook" / "dogs.md").write_text("Dogs are welcome. " * 400, "utf-8")
    (tmp_path / "handbook" / "scan.pdf").write_bytes(b"")
    names, said = run("files")
    assert said == ["handbook/scan.pdf: is empty"]
    texts = [chunk.page_content for chunk in names["chunks"]]
    texts += [node.get_content("embed") for node in names["nodes"]]
    assert len(texts) > 10
    names["encoder"].encode_documents(texts)


def test_the_page_on_judges_runs(run, tmp_path, monkeypatch):
    """Every class, with small models and local servers in the place of a user's."""
    write_small_cross_encoder(tmp_path / "models" / "nli", *LABELS)
    write_small_cross_encoder(tmp_path / "models" / "reranker", "relevance")
    call(sys.executable, EXPORT, tmp_path / "models" / "nli", tmp_path / "exported" / "nli")
    monkeypatch.setenv("CO_API_KEY", "any")
    with running_rerank_server() as service, running_endpoint() as chat:
        chat.will(200, completion("Yes"))
        names, said = run("judges", rerank_service=service.url, chat=chat.url)
    assert {line.split()[0] for line in said[:2]} == {"plain", "nutty"}
    assert names["language_model"].requests > 0
    assert JudgeSettings.load("judge.json").ask == "parts"
    assert len(service.requests) * len(chat.requests) > 0


def test_the_page_on_haystack_runs(run, no_network):
    _, said = run("haystack")
    assert said[0].startswith("inn nothing ruled out")
    assert said[1].startswith(("hut nothing ruled out", "bar moved down"))
    assert sorted(re.findall(r"\w+", said[2])) == ["hut", "inn"]
    assert said[3].startswith("['inn'")
    assert said[4].startswith("['inn'")
    assert said[5:] == ["inn"]


def test_the_page_on_contradictions_runs(run, no_network):
    _, said = run("contradictions")
    assert said[0].endswith("True")
    assert said[1].endswith("False")
    assert said[2:4] == ["['2024', 'how'] ['2021']", "['2021']"]
    assert "'The pool is for club members only.'" in said[4]
    assert said[5].startswith("2024 ")


def test_the_page_on_cleaning_runs(run, no_network):
    _, said = run("cleaning")
    assert re.fullmatch("2021 2024 .* annotated", said[0])
    assert said[1].startswith("'2021' and '2024' contradict each other")
    assert said[2:4] == ["('2021',)", "('2021',)"]
    assert said[4].startswith("2021 ")
    assert said[5] == "{'old': '2025-04-01T10:00:00-07:00'}"
    assert "would be hidden" in said[6]
    assert said[7] == "[('news', True)]"


def test_the_page_on_expressions_runs(run, no_network):
    """Above all, its statements about errors hold."""
    names, said = run("expressions")
    assert said[:3] == ["both", "malaysia", "thailand"]
    assert any("malaysia satisfied: orchids of Malaysia" in line for line in said)
    page = (ROOT / "docs" / "expressions.md").read_text("utf-8")
    (errors,) = re.findall(r"```\n(AND NOT .*?)\n```", page, re.DOTALL)
    assert "\n".join(said).endswith(errors)
    assert names["parsed"].kind == "expression"


def test_the_page_on_query_encoders_runs(run, tmp_path, no_network):
    """Its file has noise instead of training."""
    from logic_export.data.tiers.examples import read_tiers

    write_noisy(tmp_path / "ours.query.onnx", noise=1.0)
    names, said = run("query-encoder")
    assert said == ["True", "True"]
    (row,) = read_tiers(tmp_path / "ours.jsonl")
    assert row.positives == (names["documents"]["sick"],)
    assert row.distractors


def test_the_page_on_the_probe_runs(run, tmp_path, no_network):
    shutil.copytree(ROOT / "examples" / "allotments", tmp_path / "my-questions")
    _, said = run("probe")
    accuracy = {name: float(printed) for name, printed in map(str.split, said[:2])}
    gained, lost, _ = map(float, said[2].split())
    assert gained - lost == pytest.approx(20 * (accuracy["auto"] - accuracy["topical"]))
    assert said[3:] == ["fake, temperature 0 5 0"]
    page = (ROOT / "docs" / "probe.md").read_text("utf-8")
    shown = [line.split("│") for line in page.splitlines() if line.startswith("│ ")]
    told = {name.strip(): float(cell.split()[0]) for _, name, cell, *_ in shown}
    assert accuracy == pytest.approx(told, abs=0.051)  # give or take one question
    assert mcnemar(5, 0) > 0.05 > mcnemar(6, 0) > mcnemar(7, 0) > 0.01 > mcnemar(8, 0)
    assert (tmp_path / "figures.json").is_file()


def test_the_page_on_serving_runs(run, no_network):
    """The service accepts each curl request."""
    _, said = run("serving")
    assert said == ["anchor"]
    page = (ROOT / "docs" / "serving.md").read_text("utf-8")
    sent = re.findall(r"^curl http://localhost:8080/([\w-]+) .* -d '(.*)'$", page, re.MULTILINE)
    assert {name.replace("-", "_") for name, _ in sent} == REQUESTS.keys()
    for name, body in sent:
        REQUESTS[name.replace("-", "_")].model_validate_json(body)


def test_the_page_on_settings_runs(run, no_network):
    _, said = run("settings")
    assert said == ["loud quiet", "loud quiet", "quiet loud"]


def test_the_page_on_troubleshooting_runs(run, no_network):
    _, (first, second) = run("troubleshooting")
    assert first.startswith("inn ['bars']")
    assert second.startswith("bar ['bars'] moved down: near to bars")


def test_the_page_on_the_report_runs(run, no_network):
    """A study written by the page must run, and its named roles must exist."""
    _, said = run("report")
    assert said == ["('topical', 384)"]
    page = (ROOT / "docs" / "report.md").read_text("utf-8")
    assert [role for role in ROLES if f"`{role}`" not in page] == []


def test_links_between_the_docs_lead_somewhere():
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
