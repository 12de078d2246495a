"""The cross-encoders of a bundle, on ONNX Runtime: pair judge, relation, NLI, constraint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from logic_retrievers.checks import check_count
from logic_retrievers.encoders.base import clean_text, one_per_process
from logic_retrievers.encoders.bundle import (
    Bundle,
    default_bundle_manifest,
    default_bundle_path,
    load_bundle,
)
from logic_retrievers.encoders.manifest import HIDDEN, CrossEncoder, Manifest
from logic_retrievers.encoders.onnx import MAX_THREADS
from logic_retrievers.encoders.sessions import (
    CPU,
    Provider,
    count_workers,
    open_graph,
    shared_threads,
)
from logic_retrievers.encoders.tokenization import SharedTokenizer
from logic_retrievers.errors import BundleError
from logic_retrievers.judging.constraint import CONSTRAINTS, ConstraintReading, read_tags
from logic_retrievers.judging.judge import LABELS, TextPair
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.judging.relation import RELATIONS, conflict_share, turned
from logic_retrievers.language import ENGLISH, detect_language
from logic_retrievers.text import visible_text

# If the first order of two passages gives a conflict at least this probability, they are also read
# in the second order. With less, the mean of both stays under .6, the shipped threshold.
DOUBT = 0.2
# fields of a manifest that describe a cross-encoder
Entry: TypeAlias = Literal["judge", "verdict", "relation", "nli", "constraint"]


class OnnxCrossEncoder:
    """Base of the cross-encoders below: reads two texts together, or one alone.

    Each pair is read alone on one core, so its probabilities do not depend on the other pairs. If
    several threads call a cross-encoder at once, their pairs share the cores.

    Args:
        bundle: a bundle with this cross-encoder, or its folder; None means the package's bundle.
        providers: see :class:`logic_retrievers.encoders.OnnxEncoder`.
        threads: number of cores; None uses all.
        shares: a different cross-encoder, whose bundle, sessions and settings serve both.

    Raises:
        BundleError: the bundle is missing or damaged, or has no such cross-encoder.
        ProviderError: a provider is not available or did not load.
    """

    entry_name: ClassVar[Entry]
    title: ClassVar[str]
    labels: ClassVar[tuple[str, ...]]
    bundle: Bundle

    def __init__(
        self,
        bundle: Bundle | str | Path | None = None,
        *,
        providers: Sequence[Provider] | None = None,
        threads: int | None = None,
        shares: OnnxCrossEncoder | None = None,
    ) -> None:
        if shares is not None:
            bundle = shares.bundle
        self.bundle = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
        self.manifest = self.bundle.manifest
        entry = self._find_entry(self.manifest)
        if entry is None:
            raise BundleError(
                f"The bundle {self.manifest.name!r} has no {self.title}. Pass one that has."
            )
        self.entry = entry
        check_count("threads", 1 if threads is None else threads, MAX_THREADS)
        self._settings: dict[str, Any] = {"providers": providers, "threads": threads}
        self._changes = _read_changes(self.bundle, entry.changes)
        if shares is None or shares.entry.graphs != entry.graphs:
            self._tokenizer = SharedTokenizer(self.bundle.read(self.manifest.tokenizer))
            providers = [CPU] if providers is None else providers
            self._graphs = {
                name: open_graph(self.bundle.read(name), name, providers, threads=1)
                for name in entry.graphs
            }
            self._workers = count_workers(providers, threads)
        else:
            self._settings = shares._settings
            self._tokenizer, self._graphs = shares._tokenizer, shares._graphs
            self._workers = shares._workers
        try:
            self._try()
        except Exception as error:
            raise BundleError(f"{entry.graphs[-1]!r} does not run: {error}") from error

    @property
    def constants(self) -> dict[str, float]:
        """Constants from the bundle."""
        return dict(self.entry.constants)

    def read(self, pairs: Sequence[TextPair]) -> list[tuple[float, ...]]:
        """Return the probabilities of the labels for each pair."""
        pool = shared_threads(self._workers, self.entry_name)
        return list(pool.map(self._probabilities, self.token_ids(pairs)))

    def token_ids(self, pairs: Sequence[TextPair]) -> list[list[int]]:
        """Return one row of token ids per pair of texts, cut to the model's limit."""
        cleaned = [(visible_text(clean_text(a)), visible_text(clean_text(b))) for a, b in pairs]
        return self._tokenizer.encode_pairs(cleaned, self.entry.max_tokens)

    def _find_entry(self, manifest: Manifest) -> CrossEncoder | None:
        entry: CrossEncoder | None = getattr(manifest, self.entry_name)
        return entry

    def _try(self) -> None:
        self.read([("a", "b")])

    def _probabilities(self, row: Sequence[int]) -> tuple[float, ...]:
        logits = self.logits(row)
        if logits.shape != (len(self.labels),):
            raise BundleError(f"logits of shape {logits.shape}, not ({len(self.labels)},)")
        return tuple(self._softmax(logits).tolist())

    def _softmax(self, logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        scaled = logits / self.entry.temperature
        exponentials = np.exp(scaled - scaled.max())
        return np.asarray(exponentials / exponentials.sum())

    def logits(self, row: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return the logits for one row of token ids, not yet divided by the temperature."""
        ids = np.array([row], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        *lower, last = self.entry.graphs
        for graph in lower:
            (feed[HIDDEN],) = self._graphs[graph].run(None, feed)
        logits = self._graphs[last].run([self.entry.output], feed | self._changes)[0]
        if not np.isfinite(logits).all():
            raise BundleError("logits that are not finite")
        return np.asarray(logits[0], dtype=np.float64)

    def __reduce__(self) -> tuple[Any, ...]:
        # unpickling opens the bundle's folder again
        return partial(type(self), self.bundle.path, **self._settings), ()


def _read_changes(bundle: Bundle, name: str | None) -> dict[str, npt.NDArray[Any]]:
    """Read arrays for the last graph's optional inputs."""
    if name is None:
        return {}
    try:
        with np.load(BytesIO(bundle.read(name)), allow_pickle=False) as stored:
            return {key: stored[key].astype(np.float32) for key in stored.files}
    except (OSError, ValueError, TypeError, BadZipFile) as error:
        raise BundleError(f"{name!r} holds no arrays: {error}. Export it again.") from error


class OnnxPairJudge(OnnxCrossEncoder, ModelJudge):
    """A :class:`QueryJudge`: reads a passage and an English query.

    Queries in other languages get no judgement (None). The base explains the arguments.

    Examples:
        >>> judge = OnnxPairJudge()                                # doctest: +SKIP
        >>> judge([("Cake without nuts.", "a cake, but no nuts")])  # doctest: +SKIP
    """

    entry_name = "judge"
    title = "pair judge"
    labels = LABELS

    def __call__(self, pairs: Sequence[TextPair], /) -> list[tuple[float, ...] | None]:
        # in the user's words: with "-word" behind it a query may pass for English
        said = {query: getattr(query, "query", query) for _, query in pairs}
        english = {query for query, text in said.items() if detect_language(text) in ENGLISH}
        read = iter(self.read([pair for pair in pairs if pair[1] in english]))
        return [next(read) if query in english else None for _, query in pairs]

    def describe(self) -> dict[str, Any]:
        # another installation has its own default bundle
        own = self.bundle.path != default_bundle_path()
        settings = {"bundle": str(self.bundle.path) if own else None, **self._settings}
        given = {name: value for name, value in settings.items() if value is not None}
        return {"class": "OnnxPairJudge", **given}

    def _find_entry(self, manifest: Manifest) -> CrossEncoder | None:
        return manifest.judge if manifest.verdict is None else manifest.verdict


class OnnxRelation(OnnxCrossEncoder):
    """Tells the :data:`RELATIONS` of two passages. The base explains the arguments.

    Examples:
        >>> ContradictionFilter(judge=OnnxRelation("runs/bundle"))  # doctest: +SKIP
    """

    entry_name: ClassVar[Entry] = "relation"
    title = "relation"
    labels = RELATIONS

    def __call__(self, pairs: Sequence[TextPair], /) -> list[tuple[float, ...]]:
        # sort each pair, so that the caller's order does not change the result
        ordered = [(min(pair), max(pair)) for pair in pairs]
        read = self.read(ordered)
        doubtful = [n for n, row in enumerate(read) if conflict_share(row) >= DOUBT]
        second = self.read([ordered[n][::-1] for n in doubtful])
        for n, row in zip(doubtful, second, strict=True):
            both = zip(read[n], turned(row), strict=True)
            read[n] = tuple((a + b) / 2 for a, b in both)
        return [
            row if pair[0] == way[0] else turned(row)
            for pair, way, row in zip(pairs, ordered, read, strict=True)
        ]


class OnnxNLI(OnnxCrossEncoder):
    """Tells whether both texts can be true of one thing (natural language inference)."""

    entry_name = "nli"
    title = "NLI"
    labels = LABELS

    def __call__(self, pairs: Sequence[TextPair], /) -> list[tuple[float, ...]]:
        # the longer text is the premise
        ordered = [sorted(pair, key=lambda text: (-len(text), text)) for pair in pairs]
        return self.read([(premise, hypothesis) for premise, hypothesis in ordered])


class OnnxConstraint(OnnxCrossEncoder):
    """Reads a query alone and tells whether it rules something out, and in which words.

    The probability of a constraint is a judge's gate: the weight of the judge's verdict in a
    ranking. The base explains the arguments.

    Examples:
        >>> reading = OnnxConstraint()("an account without proof of address")  # doctest: +SKIP
        >>> 1 - reading.none                                       # doctest: +SKIP
    """

    entry_name = "constraint"
    title = "constraint reader"
    labels = CONSTRAINTS

    def __call__(self, text: str, /) -> ConstraintReading:
        """Read one query.

        Raises:
            EmptyTextError: the tokenizer finds nothing to read.
        """
        cleaned = clean_text(text)  # keeps character offsets
        (row,) = self.token_rows([cleaned])
        logits = self.logits(row)
        if logits.shape != (len(row), 2 + len(CONSTRAINTS)):
            raise BundleError(f"logits of shape {logits.shape} for {len(row)} tokens")
        # the first and the last token are special; longer texts are cut
        spans = self._tokenizer.spans(cleaned)[: len(row) - 2]
        return read_tags(text, self._softmax(logits[0, 2:]), logits[1:-1, :2], spans)

    def token_rows(self, texts: Sequence[str]) -> list[list[int]]:
        """Return one row of token ids per text, cut to the model's limit."""
        return self._tokenizer.encode(texts, "", self.entry.max_tokens)[0]

    def _try(self) -> None:
        self("a")


def _ships(entry: Entry) -> bool:
    """Return whether the shipped bundle exists and has this cross-encoder."""
    manifest = default_bundle_manifest()
    return manifest is not None and getattr(manifest, entry) is not None


@one_per_process
def default_judge() -> OnnxPairJudge | None:
    """Return the shipped bundle's judge, if any."""
    return OnnxPairJudge() if _ships("judge") else None


@one_per_process
def default_relation() -> OnnxRelation | None:
    """Return the shipped bundle's relation model, if any."""
    return OnnxRelation(shares=default_judge()) if _ships("relation") else None


@one_per_process
def default_nli() -> OnnxNLI | None:
    """Return the shipped bundle's NLI model, if any."""
    return OnnxNLI(shares=default_judge()) if _ships("nli") else None


@one_per_process
def default_constraint() -> OnnxConstraint | None:
    """Return the shipped bundle's constraint reader, if any."""
    return OnnxConstraint(shares=default_judge()) if _ships("constraint") else None
