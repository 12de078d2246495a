"""Constants of a contradiction head: found on pairs of a known distribution, and written."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from known_calibration import BACKGROUND, DIMENSION, Drawn, drawn_groups, own_bundle
from logic_export.bundles import calibration
from logic_export.bundles.calibration import (
    MAX_FALSE_ALARMS,
    calibrate,
    measure_pairs,
    write_constants,
)
from logic_export.bundles.manifests import write_manifest
from logic_export.contradiction_retrieval import build_pool, find_alpha, nearest_candidates
from logic_export.data.contradictions.groups import ContradictionGroup, labelled_pairs

from logic_retrievers.conflicts.settings import ContradictionConstants
from logic_retrievers.encoders import load_bundle
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.scoring import normalise

SETTINGS = ContradictionConstants(
    alpha=3.25,
    null_mean=0.22,
    null_deviation=0.031,
    intercept=-8.5,
    cosine_weight=4.0,
    sparsity_weight=0.6,
    threshold=0.613,
)


@pytest.fixture(scope="module")
def found() -> ContradictionConstants:
    sources = [drawn_groups(0, 200), drawn_groups(1000, 60, right=1)]
    return calibrate(Drawn(), sources[0][:60], sources, BACKGROUND, pairs=500)


def test_the_probability_is_what_it_says(found: ContradictionConstants):
    """Of pairs called 80 % likely, eight in ten must contradict, even in unseen groups."""
    held_out = measure_pairs(Drawn(), labelled_pairs(drawn_groups(2000, 300), seed=5))
    said = found.probability(held_out.cosines, held_out.sparsities)
    bins = np.clip((said * 5).astype(int), 0, 4)
    error = sum(
        abs(said[bins == b].mean() - held_out.contradicts[bins == b].mean()) * (bins == b).mean()
        for b in range(5)
        if (bins == b).any()
    )
    assert error < 0.05
    assert ((said > 0.1) & (said < 0.9)).mean() > 0.02  # some pairs are uncertain by design
    brier = np.mean((said - held_out.contradicts) ** 2)
    assert brier < 0.5 * held_out.contradicts.mean() * (1 - held_out.contradicts.mean())


def test_the_threshold_keeps_its_promise_for_every_source():
    """A quantile rounded down, or a source outweighed by another, would flag too many pairs."""
    for overlap in (0.3, 1.0, 1.9):
        encoder = Drawn(overlap)
        sources = [drawn_groups(0, 30), drawn_groups(1000, 60, right=1), drawn_groups(3000, 20)]
        settings = calibrate(encoder, sources[0], sources, BACKGROUND, pairs=200)
        shares = []
        for groups in sources:
            pairs = measure_pairs(encoder, labelled_pairs(groups))
            said = settings.probability(pairs.cosines, pairs.sparsities)[~pairs.contradicts]
            shares.append(
                [(said >= settings.threshold).mean(), (said >= settings.threshold - 1e-3).mean()]
            )
        assert max(now for now, _ in shares) <= MAX_FALSE_ALARMS
        assert settings.threshold == 0.5 or max(below for _, below in shares) > MAX_FALSE_ALARMS


def test_the_null_is_that_of_unrelated_texts(found: ContradictionConstants):
    """A null distribution other than the corpus's would make every probability wrong."""
    generator = np.random.default_rng(0)
    noise = normalise(generator.normal(size=(2000, DIMENSION)))
    differences = np.abs(noise[::2] - noise[1::2])
    root = np.sqrt(DIMENSION)
    hoyer = (root - differences.sum(1) / np.sqrt((differences**2).sum(1))) / (root - 1)
    assert found.null_mean == pytest.approx(hoyer.mean(), abs=0.02)
    assert found.null_deviation == pytest.approx(hoyer.std(), rel=0.25)
    assert found.sparsity_weight > 0
    assert 0 < found.alpha <= 10


def test_other_texts_move_alpha_alone_and_the_seed_the_null():
    """The best alpha depends on the other texts in the pool; probabilities depend on pairs only."""
    groups = drawn_groups(0, 12)
    more = [ContradictionGroup((f"{g} 0 8", f"{g} 0 9"), (f"{g} 1 8",)) for g in range(12)]
    alone, among = (
        calibrate(Drawn(), groups, [groups], BACKGROUND, others=others, pairs=100)
        for others in ((), more)
    )
    pool = build_pool(groups, more)
    rows = Drawn().encode_documents(list(pool.texts), ["topical", "contradiction"])
    expected = find_alpha(nearest_candidates(pool, rows["topical"], rows["contradiction"]))
    assert among.alpha == pytest.approx(expected, abs=5e-4)
    assert among.alpha != alone.alpha
    assert replace(among, alpha=alone.alpha) == alone
    one, again, other = (
        calibrate(Drawn(), groups, [groups], BACKGROUND, pairs=100, seed=seed) for seed in (0, 0, 2)
    )
    assert one == again == alone != other


def test_what_cannot_be_calibrated_is_refused(monkeypatch):
    """Constants fitted on insufficient data must not be written."""
    groups, alone = drawn_groups(0, 5), drawn_groups(0, 5, left=1, right=1)
    for sources in ([], [groups, alone], [groups, []]):
        with pytest.raises(ConfigurationError, match="pairs that contradict and pairs that do not"):
            calibrate(Drawn(), groups, sources, BACKGROUND, pairs=100)
    with pytest.raises(ConfigurationError, match="there are none"):
        calibrate(Drawn(), [], [groups], BACKGROUND, pairs=100)
    with pytest.raises(InputError, match="at least 30"):
        calibrate(Drawn(), groups, [groups], BACKGROUND[:3], pairs=100)
    # even the highest possible threshold flags more than 5 %
    monkeypatch.setattr(calibration, "MAX_FALSE_ALARMS", -0.01)
    with pytest.raises(ConfigurationError, match="does not separate them"):
        calibrate(Drawn(), groups, [groups], BACKGROUND, pairs=100)


def test_pairs_cross_the_sides_or_stay_on_one_or_are_strangers():
    """Groups that share a text must not give unrelated pairs, which may contradict."""
    groups = [
        ContradictionGroup(("a", "b"), ("c",)),
        ContradictionGroup(("d",), ("e", "f")),
        ContradictionGroup(("g", "a"), ("h",)),
    ]
    of = {text: n for n, group in reversed(list(enumerate(groups))) for text in group.texts}
    for seed in range(20):
        pairs = labelled_pairs(groups, seed=seed)
        contradict = [one + other for one, other, says in pairs if says]
        assert contradict == ["ac", "bc", "de", "df", "gh", "ah"]
        rest = [one + other for one, other, says in pairs if not says]
        assert rest[::2] == ["ba", "fe", "ag"]
        for one, other in rest[1::2]:
            assert {of[one], of[other]} in ({0, 1}, {1, 2})
    assert labelled_pairs(groups, seed=3) == labelled_pairs(groups, seed=3)
    assert labelled_pairs(groups, seed=3) != labelled_pairs(groups, seed=4)
    assert labelled_pairs(groups[:1]) == [("a", "c", True), ("b", "c", True), ("b", "a", False)]


def test_copies_are_left_out():
    """Copies have no sparsity: NaN would stop the fit, and zero would be a made-up value."""
    rows = [("1 0 0", "1 1 0", True), ("1 0 0", "1 0 0", False), ("1 0 0", "2 0 0", False)]
    found = measure_pairs(Drawn(), rows)
    assert found.contradicts.tolist() == [True, False]
    assert found.cosines.shape == found.sparsities.shape == (2,)
    assert np.isfinite(found.sparsities).all()
    assert found.sparsities[0] > found.sparsities[1]


# --- writing them


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_constants_change_nothing_else(tmp_path: Path):
    """A lost manifest field would change the bundle, or orphan stored vectors."""
    folder = own_bundle(tmp_path / "own")
    before, manifest = contents(folder), load_bundle(folder).manifest
    write_constants(folder, SETTINGS, "development data")
    after, written = contents(folder), load_bundle(folder).manifest
    assert {name for name in after if after[name] != before.get(name)} == {"manifest.json"}
    assert before.keys() == after.keys()
    told = json.loads(after["manifest.json"])
    constants = told["heads"]["contradiction"].pop("contradiction")
    assert constants == {"constants": asdict(SETTINGS), "origin": "development data"}
    expected = json.loads(before["manifest.json"])
    assert expected["heads"]["contradiction"].pop("contradiction") is None
    assert told == expected
    for name in written.heads:
        for role in ("query", "document"):
            assert written.fingerprint(name, role) == manifest.fingerprint(name, role)
    kept = written.heads["contradiction"].contradiction
    assert kept is not None
    assert ContradictionConstants(**kept.constants) == SETTINGS


def test_a_manifest_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch):
    """A process that dies while writing must not leave half a manifest, which nothing opens."""
    folder = own_bundle(tmp_path / "own")
    before = (folder / "manifest.json").read_bytes()

    def dies(path: Path, text: str, **_: str) -> int:
        path.write_bytes(text.encode()[:100])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", dies)
    with pytest.raises(KeyboardInterrupt):
        write_constants(folder, SETTINGS, "development data")
    assert (folder / "manifest.json").read_bytes() == before
    monkeypatch.undo()
    load_bundle(folder)
    write_constants(folder, SETTINGS, "development data")
    assert not list(folder.glob("*.partial"))


def test_a_bundle_without_a_head_is_left_alone(tmp_path: Path):
    folder = own_bundle(tmp_path / "own")
    manifest = load_bundle(folder).manifest
    topical = manifest.model_copy(update={"heads": {"topical": manifest.heads["topical"]}})
    write_manifest(folder, topical)
    before = contents(folder)
    with pytest.raises(ConfigurationError, match="no 'contradiction' head: topical"):
        write_constants(folder, SETTINGS, "x")
    assert contents(folder) == before
