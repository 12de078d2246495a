"""Builders of the judge's rows, the project's clusters, and the committed recipes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from logic_export.data.triplet_builders import BUILDERS as TRIPLET_BUILDERS
from logic_export.data.triplets import Triplet, write_triplets
from logic_export.judge.builders import (
    BUILDERS,
    JUDGE_ROWS,
    clusters,
    passage_pairs,
    passage_relations,
    triplets,
)
from logic_export.judge.constraint import CONSTRAINT_BUILDERS
from logic_export.judge.rows import OWN, labelled_row, write_judge_rows
from logic_export.recipe import DataSettings, JudgeRecipe, read_judge_recipe
from logic_export.training.training_data import build_set
from small_recipes import json_lines

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import RELATIONS
from logic_retrievers.judging.judge import MAX_WORDS

ROOT = Path(__file__).parents[3]
RECIPES = sorted((ROOT / "export" / "recipes").glob("judge-*.toml"))
SHIPPED = {
    "judge-student",
    "judge-student-queries",
    "judge-verdict",
    "judge-nli-claims",
    "judge-relation",
    "judge-constraint",
}


def cluster(topic: str, domain: str = "food") -> dict[str, Any]:
    """Make a cluster: three passages of a topic and two queries over them."""
    return {
        "domain": domain,
        "topic": topic,
        "passages": [f"{topic} with nuts", f"{topic} without nuts", f"history of {topic}"],
        "queries": [
            {"q": f"{topic}, but no nuts", "kind": "exclusion", "labels": "vsn"},
            {"q": f"{topic} with nuts", "kind": "plain", "labels": "svn"},
        ],
    }


def written(path: Path, rows: list[Any]) -> str:
    return str(json_lines(path, rows))


def dataset(builder: str, most: int | None = None, **options: Any) -> DataSettings:
    return DataSettings(builder=builder, licence="MIT", ships=True, most=most, options=options)


@pytest.fixture
def cluster_file(tmp_path: Path) -> str:
    topics = [cluster(f"cake {number}") for number in range(40)]
    return written(tmp_path / "clusters.jsonl", [*topics, cluster("taxes", "law")])


def test_every_query_meets_every_passage_of_its_cluster(tmp_path: Path):
    path = written(tmp_path / "one.jsonl", [cluster("cake 1")])
    rows = clusters("all", path)
    with_nuts, without, history = cluster("cake 1")["passages"]
    excluding, plain = "cake 1, but no nuts", "cake 1 with nuts"
    assert [(row.premise, row.hypothesis, row.label) for row in rows] == [
        (with_nuts, excluding, "contradiction"),
        (without, excluding, "entailment"),
        (history, excluding, "neutral"),
        (with_nuts, plain, "entailment"),
        (without, plain, "contradiction"),
        (history, plain, "neutral"),
    ]
    # in a cluster, a passage that answers no query is unrelated; others have a different scope
    related = BUILDERS["cluster_relations"]("all", path)
    assert {frozenset((row.premise, row.hypothesis)): row.label for row in related} == {
        frozenset((with_nuts, without)): "scope",
        frozenset((with_nuts, history)): "unrelated",
        frozenset((without, history)): "unrelated",
    }


def test_a_passage_of_another_cluster_is_neutral(cluster_file: str):
    """The neutral passage must be of the same domain; a topic alone in its domain gets none."""
    rows = clusters("train", cluster_file, seed=3)
    strangers = Counter()
    for row in rows:
        topic = row.hypothesis.split(",")[0].split(" with")[0]
        if topic not in row.premise:
            assert row.label == "neutral"
            assert "cake" in row.premise
            strangers[row.hypothesis] += 1
    asked = {row.hypothesis for row in rows if "taxes" not in row.hypothesis}
    # "cake 1" is also in "cake 11", so names distinguish nearly all of them, not all
    assert len(strangers) > 0.8 * len(asked)
    assert set(strangers.values()) == {1}
    assert clusters("train", cluster_file, seed=3) == rows
    assert clusters("train", cluster_file, seed=4) != rows
    # ``near`` adds a second passage, one of the nearest to the query
    near = clusters("train", cluster_file, near=True, seed=3)
    added = near[len(rows) :]
    assert near[: len(rows)] == rows
    assert {row.hypothesis for row in added} == {row.hypothesis for row in rows}
    assert {row.label for row in added} == {"neutral"}
    of_cakes = [row for row in added if "cake" in row.hypothesis]
    assert all("cake" in row.premise for row in of_cakes)
    told = [r for r in of_cakes if "nuts" in r.premise]  # nut passages are nearer than histories
    assert len(told) > 0.9 * len(of_cakes)


def test_some_queries_say_what_they_exclude_once_more(tmp_path: Path):
    """In a search the judge reads restated exclusions; other rows must stay plain queries."""
    rows = [cluster(f"cake {number}") for number in range(40)]
    for row in rows:
        row["queries"][0]["excluded"] = ["nuts"]
    path = written(tmp_path / "marked.jsonl", rows)
    plain = {row.hypothesis for row in clusters("all", path)}
    for share, least, most in ((0.0, 0, 0), (0.5, 10, 30), (1.0, 40, 40)):
        built = clusters("all", path, restated=share, near=True)
        asked = {row.hypothesis for row in built}
        restated = asked - plain
        assert least <= len(restated) <= most
        assert {query.removesuffix(", without nuts") for query in asked} == plain
        assert all(query.endswith(", but no nuts, without nuts") for query in restated)
        assert len(built) == len(clusters("all", path, near=True))


@pytest.mark.parametrize(
    "change",
    [
        {"queries": [{"q": "a", "kind": "plain", "labels": "sv"}]},
        {"queries": [{"q": "a", "kind": "plain", "labels": "svx"}]},
        {"queries": ["a"]},
        {"passages": []},
    ],
)
def test_a_malformed_cluster_is_named(tmp_path: Path, change: dict[str, Any]):
    """A missing letter must be refused, since it would shift the passages' labels."""
    path = written(tmp_path / "bad.jsonl", [cluster("fine"), {**cluster("cake"), **change}])
    with pytest.raises(ReadError, match=r"bad\.jsonl:2"):
        clusters("train", path)


@pytest.mark.parametrize("name", OWN)
def test_the_clusters_that_come_along(name: str):
    """The clusters are written by hand; a mistake there would train a wrong label."""
    rows = [row.fields for row in json_rows(OWN[name])]
    names = Counter((row["domain"], row["topic"]) for row in rows)
    assert max(names.values()) == 1
    for row in rows:
        assert row.keys() >= {"domain", "topic", "passages", "queries"}
        assert all(text.strip() == text and text for text in row["passages"])
        assert len(set(row["passages"])) == len(row["passages"]) > 1
        assert all(query["q"].strip() and query["kind"] for query in row["queries"])
    train, dev = clusters("train", name), clusters("dev", name)
    assert {row.label for row in dev} == {"entailment", "neutral", "contradiction"}
    assert 0.03 < len(dev) / (len(train) + len(dev)) < 0.25
    assert not {row.premise for row in dev} & {row.premise for row in train}


def pair(label: str, number: int = 0, **fields: Any) -> dict[str, Any]:
    sides = {
        "one": {"text": f"Inn {number} opens at 9.", "metadata": {"branch": "north", "page": 2}},
        "other": {"text": f"Inn {number} opens at 10.", "metadata": {}},
    }
    return {"id": f"p{number}", "domain": "inns", "label": label, **sides, **fields}


def test_passage_pairs_are_rows_both_ways(tmp_path: Path):
    labels = {
        "contradiction": "contradiction",
        "superseded": "contradiction",
        "scope": "neutral",
        "unrelated": "neutral",
        "paraphrase": "entailment",
    }
    path = written(tmp_path / "pairs.jsonl", [pair(label, newer="one") for label in labels])
    one, other = "Inn 0 opens at 9. (branch: north; page: 2)", "Inn 0 opens at 10."
    assert passage_pairs("all", path) == [
        labelled_row(*texts, label)
        for label in labels.values()
        for texts in ((one, other), (other, one))
    ]


@pytest.mark.parametrize(
    ("newer", "labels"),
    [("other", ["superseded", "supersedes"]), ("one", ["supersedes", "superseded"])],
)
def test_the_older_is_superseded(tmp_path: Path, newer: str, labels: list[str]):
    """Exchanging the two texts must exchange supersedes and superseded."""
    path = written(tmp_path / "pairs.jsonl", [pair("superseded", newer=newer)])
    rows = passage_relations("all", path)
    assert [row.label for row in rows] == labels
    assert (rows[0].premise, rows[0].hypothesis) == (rows[1].hypothesis, rows[1].premise)


def test_relations_and_what_follows_from_them(tmp_path: Path):
    """A wrongly derived pair would teach that a paraphrase contradicts its own text."""
    first = pair("paraphrase")
    rows = [
        first,
        {**pair("contradiction", 1), "one": first["one"]},
        {**pair("paraphrase", 2), "one": first["one"]},
        {**pair("superseded", 3, newer="other"), "one": first["one"]},
    ]
    path = written(tmp_path / "pairs.jsonl", [{**row, "topic": "inn"} for row in rows])
    stated, derived = passage_relations("all", path, derived=False), passage_relations("all", path)
    assert {row.labels for row in stated} == {RELATIONS}
    assert [row.label for row in stated] == [
        *("paraphrase", "paraphrase", "contradiction", "contradiction"),
        *("paraphrase", "paraphrase", "superseded", "supersedes"),
    ]
    texts = [row["other"]["text"] for row in rows]
    turned = {"superseded": "supersedes"}
    new = derived[len(stated) :]
    assert derived[: len(stated)] == stated
    assert {(row.premise, row.hypothesis, row.label) for row in new} == {
        way
        for one, other, kind in (
            (texts[0], texts[1], "contradiction"),
            (texts[0], texts[2], "paraphrase"),
            (texts[2], texts[1], "contradiction"),
            (texts[0], texts[3], "superseded"),
            (texts[2], texts[3], "superseded"),
        )
        for way in ((one, other, kind), (other, one, turned.get(kind, kind)))
    }


def test_pairs_of_one_topic_are_in_one_part(tmp_path: Path):
    """Pairs of one topic share passages, so training and development must not share topics."""
    rows = [pair("scope", n, topic=f"topic {n // 4}") for n in range(400)]
    path = written(tmp_path / "pairs.jsonl", rows)
    parts = {part: passage_pairs(part, path) for part in ("train", "dev", "all")}
    topics = {
        part: {int(row.premise.split()[1]) // 4 for row in rows} for part, rows in parts.items()
    }
    assert not topics["train"] & topics["dev"]
    assert topics["train"] | topics["dev"] == topics["all"] == set(range(100))
    assert 2 <= len(topics["dev"]) <= 25


@pytest.mark.parametrize(
    "change",
    [
        {"label": "nearly"},
        {"label": "superseded"},
        {"other": {"text": "a"}},
        {"domain": None},
    ],
)
def test_a_pair_that_is_none(tmp_path: Path, change: dict[str, Any]):
    row = {key: value for key, value in {**pair("scope"), **change}.items() if value is not None}
    path = written(tmp_path / "bad.jsonl", [pair("scope"), row])
    with pytest.raises(ReadError, match=r"bad\.jsonl:2"):
        passage_pairs("all", path)


def test_the_pairs_that_come_along():
    train, dev = passage_pairs("train"), passage_pairs("dev")
    counts = Counter(row.label for row in train)
    assert min(counts.values()) > 0.1 * len(train)
    assert 0.05 < len(dev) / (len(train) + len(dev)) < 0.15
    assert all(row.premise != row.hypothesis for row in train)


def test_triplets_say_what_satisfies_and_what_violates(tmp_path: Path):
    made = [
        Triplet(f"cake {n}, no nuts", f"cake {n} plain", f"cake {n} with nuts" if n else None, "s")
        for n in range(6)
    ]
    write_triplets(tmp_path / "rows.jsonl", made)
    options = {"path": str(tmp_path / "rows.jsonl")}
    rows = triplets("file", options, unrelated=0.0)
    assert rows[:3] == [
        labelled_row("cake 0 plain", "cake 0, no nuts", "entailment"),
        labelled_row("cake 1 plain", "cake 1, no nuts", "entailment"),
        labelled_row("cake 1 with nuts", "cake 1, no nuts", "contradiction"),
    ]
    assert len(rows) == 11
    more = triplets("file", options, unrelated=1.0)
    neutral = [row for row in more if row.label == "neutral"]
    assert 1 <= len(neutral) <= 6
    assert all(row.premise.split()[1] != row.hypothesis.split()[1].strip(",") for row in neutral)
    with pytest.raises(ConfigurationError, match="no builder 'none'"):
        triplets("none", options)


def test_long_passages_are_cut_as_the_judge_will_read_them(tmp_path: Path):
    """Training on whole articles would not match the excerpts that the judge reads in use."""
    filler = " ".join(f"Sentence {n} speaks of boats and harbours." for n in range(40))
    long = f"{filler} The cake has no nuts at all. {filler}"
    write_triplets(tmp_path / "rows.jsonl", [Triplet("a cake without nuts", long, None, "s")])
    (row,) = triplets("file", {"path": str(tmp_path / "rows.jsonl")}, unrelated=0.0)
    assert len(row.premise.split()) <= MAX_WORDS
    assert "The cake has no nuts at all." in row.premise


INN = ["The inn is quiet. It has ten rooms.", "At night the inn is quiet."]
LOUD = "The inn is loud. It has ten rooms."


@pytest.fixture
def groups(tmp_path: Path) -> dict[str, Any]:
    rows = [{"left": INN, "right": [LOUD]}, {"left": ["Milk is white."], "right": ["It is black."]}]
    path = written(tmp_path / "groups.jsonl", rows)
    return {"builder": "file", "options": {"path": path}}


def test_opposite_sides_contradict_and_one_side_agrees(groups: dict[str, Any]):
    """Confused sides would teach the opposite labels."""
    built = BUILDERS["group_pairs"](**groups, seed=3)
    by_texts = {frozenset((row.premise, row.hypothesis)): row.label for row in built}
    one, again = INN
    assert by_texts[frozenset((one, LOUD))] == by_texts[frozenset((again, LOUD))] == "contradiction"
    assert by_texts[frozenset((one, again))] == "entailment"
    strangers = [row.premise + row.hypothesis for row in built if row.label == "neutral"]
    assert all("inn" in text and "Milk" in text for text in strangers)


def test_the_sentence_that_differs_is_the_claim_and_the_longer_text_the_premise(
    groups: dict[str, Any],
):
    """A sentence in both texts contradicts neither; evidence must be longer than its claim."""
    built = BUILDERS["group_pairs"](**groups, cut=1.0, seed=3)
    contradicting = [row for row in built if row.label == "contradiction"]
    claims = {text for row in contradicting for text in (row.premise, row.hypothesis)}
    assert "The inn is loud." in claims
    assert "It has ten rooms." not in claims
    assert all(len(row.premise) >= len(row.hypothesis) for row in built)


def test_sets_of_a_recipe_are_unique_and_sampled(tmp_path: Path):
    rows = [labelled_row(f"p {n // 2}", "h", "neutral") for n in range(40)]
    write_judge_rows(tmp_path / "rows.jsonl", rows)
    path = str(tmp_path / "rows.jsonl")
    assert build_set(dataset("pairs", path=path), 0, JUDGE_ROWS) == (rows[::2], 0)
    some, again, other = (
        build_set(dataset("pairs", 5, path=path), seed, JUDGE_ROWS)[0] for seed in (0, 0, 1)
    )
    assert len(set(some)) == 5
    assert some == again != other


def test_labels_of_inner_builders_are_plain():
    """Users read the labels in the bundle's NOTICE and type them after ``--minimum``."""
    options = {"builder": "labelled", "options": {"folder": "nevir", "split": "dev"}}
    inner = DataSettings(builder="triplets", licence="MIT", ships=True, options=options)
    assert inner.label == "triplets labelled nevir dev"


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_committed_recipes_are_valid(path: Path):
    """A renamed builder must fail here, not in a user's run."""
    assert {one.stem for one in RECIPES} >= SHIPPED
    recipe = read_judge_recipe(path)
    assert isinstance(recipe, JudgeRecipe)
    assert recipe.ships or path.stem not in SHIPPED
    builders = CONSTRAINT_BUILDERS if recipe.model.labels == "constraint" else BUILDERS
    for settings in (*recipe.data, *recipe.evaluation.sets):
        assert settings.builder in builders
        if settings.builder == "triplets":
            assert settings.options["builder"] in TRIPLET_BUILDERS
    labels = [settings.label for settings in recipe.evaluation.sets]
    assert len(set(labels)) == len(labels)
