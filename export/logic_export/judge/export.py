"""Adds a trained cross-encoder to a bundle: a graph over the encoders' trunk, or its changes."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
import torch
from scipy.optimize import minimize_scalar
from transformers import (
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PreTrainedModel,
)

from logic_export.bundles import graphs
from logic_export.bundles.compression import STORAGE, Compression, compress_weights, write_graph
from logic_export.bundles.integer_graphs import INTEGER_STORAGE, quantise_products
from logic_export.bundles.manifests import checksums, new_folder, require_new, write_manifest
from logic_export.bundles.parity import ParityError
from logic_export.judge import low_rank
from logic_export.judge.constraint import ConstraintRow
from logic_export.judge.low_rank import find_changes, with_optional_inputs
from logic_export.judge.measure import Figures, accuracy, require_gate
from logic_export.judge.rows import JudgeRow
from logic_export.models import find_model
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.manifest import HIDDEN, CrossEncoder, Manifest, TrainingData
from logic_retrievers.encoders.sessions import CPU, Graph
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import (
    LABELS,
    PAIR_KINDS,
    OnnxConstraint,
    OnnxNLI,
    OnnxPairJudge,
    OnnxPairKinds,
)
from logic_retrievers.judging.conflict import CONSTANTS
from logic_retrievers.judging.onnx import OnnxCrossEncoder
from logic_retrievers.judging.settings import JudgeSettings

JudgeCompression: TypeAlias = Compression | Literal["int4"]

GRAPH = "judge.onnx"
OUTPUT = "logits"

# largest mean difference of a probability from the original's after compression
MAX_DIFFERENCE = 0.02
MAX_INT4_DIFFERENCE = 0.08

# largest difference of an embedding's coordinate from the trunk's; storage in int8 costs .01
_MAX_EMBEDDING_DIFFERENCE = 0.1


@dataclass(frozen=True, slots=True)
class JudgeSource:
    """A judge, or a model for another question, to export."""

    model: str  # a folder or a hub name
    max_tokens: int  # tokens of the longest pair, or query
    training: tuple[TrainingData, ...]
    origin: str  # how it was trained, for the manifest
    rank: int = 0  # rank of the changes to the bundle's judge; 0 for a judge


class _LogitsModule(torch.nn.Module):
    """Takes two tensors and returns logits; token types are zero, as in the trunk."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def add_judge(
    bundle: Path,
    source: JudgeSource,
    out: Path,
    development: Mapping[str, Sequence[JudgeRow]],
    *,
    constants: Mapping[str, float],
    minimum: Mapping[str, float],
    compression: JudgeCompression = "int4",
) -> Figures:
    """Copy a bundle with a judge, pair kinds or NLI added or replaced.

    Pair kinds and NLI are low-rank changes to the bundle's judge, from which they were trained. The
    judge's own probabilities stay the same. Adding another judge removes pair kinds, NLI and the
    constraint question.

    Nothing is written unless the exported model stays close to the original
    (:data:`MAX_DIFFERENCE`, :data:`MAX_INT4_DIFFERENCE`) and reaches the minimum accuracies.
    Vectors and fingerprints of the encoders do not change.

    Args:
        bundle: a folder whose heads share a trunk below all layers.
        source: the model; its embeddings must be the trunk's.
        out: the new bundle's folder; must not exist.
        development: name -> rows; the temperature is fitted on all rows.
        constants: for a judge, weights of its judgements in a ranking; for pair kinds,
            ``threshold``; for NLI, those of ``ConflictConstants``.
        minimum: development set -> minimum accuracy.
        compression: storage of a judge's weights. ``int4`` also multiplies in int8
            (:func:`quantise_products`), three times as fast on a CPU as the others in float32.

    Returns:
        Development set -> accuracy.

    Raises:
        ConfigurationError: ``out`` exists, or the model does not fit the bundle.
        ParityError: the exported model differs from the original, or misses an accuracy.
    """
    require_new(out)
    _check_sets(minimum, development)
    old = load_bundle(bundle)
    model = _load(source.model)
    form = _form_of(model, source)
    _check_constants(form, constants)
    trunk_file = next(iter(old.manifest.heads.values())).document.trunk
    if trunk_file is None:
        raise ConfigurationError(f"the heads of {bundle} share no trunk that a judge could use")
    _require_trunk(model, old, trunk_file)
    rows = [row for part in development.values() for row in part]
    with new_folder(out) as folder:
        shutil.copytree(old.path, folder, dirs_exist_ok=True)
        if form is _JUDGE:
            files = _write_judge(folder, trunk_file, model, compression)
        else:
            files = _write_changes(folder, old, model, source.rank, form)
        _write_notice(folder / old.manifest.notice, form, source, compression)
        entry = CrossEncoder(
            **files,
            max_tokens=source.max_tokens,
            temperature=1.0,
            constants=dict(constants),
            origin=source.origin,
            training=source.training,
        )
        reader = form.reader(_with_entry(folder, old.manifest, form, entry))
        pairs = [(row.premise, row.hypothesis) for row in rows]
        logits = np.log(np.array(reader.read(pairs)) + 1e-12)
        exact = form is _JUDGE and compression != "int4"
        most = MAX_DIFFERENCE if exact else MAX_INT4_DIFFERENCE
        _require_parity(logits, model, reader, rows, most)
        entry = entry.model_copy(update={"temperature": find_temperature(logits, rows)})
        reader = form.reader(_with_entry(folder, old.manifest, form, entry))
        figures = {name: accuracy(reader.read, part) for name, part in development.items()}
        require_gate(figures, minimum)
    return figures


def add_constraint(
    bundle: Path,
    source: JudgeSource,
    out: Path,
    development: Mapping[str, Sequence[ConstraintRow]],
    minimum: Mapping[str, float],
) -> Figures:
    """Copy a bundle with the constraint question added or replaced, as changes to its judge.

    Args:
        bundle: a folder with the judge that the model was trained from.
        source: the model.
        out: the new bundle's folder; must not exist.
        development: name -> rows.
        minimum: figure -> least value.

    Returns:
        For each development set, the share of queries that are read rightly: with P(none) < .5 if
        something is ruled out or the fact is negated, without it if not.

    Raises:
        ConfigurationError: ``out`` exists, or the model does not fit the bundle.
        ParityError: the exported model differs from the original, or misses a figure.
    """
    require_new(out)
    _check_sets(minimum, development)
    old = load_bundle(bundle)
    model = _load(source.model, AutoModelForTokenClassification)
    with new_folder(out) as folder:
        shutil.copytree(old.path, folder, dirs_exist_ok=True)
        entry = CrossEncoder(
            **_write_changes(folder, old, model, source.rank, _CONSTRAINT),
            max_tokens=source.max_tokens,
            temperature=1.0,
            origin=source.origin,
            training=source.training,
        )
        _write_notice(folder / old.manifest.notice, _CONSTRAINT, source, "int4")
        reader = OnnxConstraint(_with_entry(folder, old.manifest, _CONSTRAINT, entry))
        figures: dict[str, float] = {}
        differences = []
        for name, rows in development.items():
            found = [reader(row.query).none for row in rows]
            right = [(p < 0.5) == (row.kind != "none") for p, row in zip(found, rows, strict=True)]
            figures[name] = float(np.mean(right))
            for probability, row in list(zip(found, rows, strict=True))[:100]:
                (ids,) = reader.token_rows([row.query])
                with torch.no_grad():
                    logits = model(input_ids=torch.tensor([ids])).logits[0, 0, 2:]
                differences.append(abs(float(logits.softmax(-1)[0]) - probability))
        _require_close(float(np.mean(differences)), MAX_INT4_DIFFERENCE)
        require_gate(figures, minimum)
    return figures


@dataclass(frozen=True, slots=True)
class _Form:
    """One of a bundle's cross-encoders."""

    entry: str  # its field in the manifest
    file: str
    reader: type[OnnxCrossEncoder]
    title: str  # its heading in the NOTICE
    constants: frozenset[str] = frozenset({"threshold"})
    output: str = low_rank.PAIRS


_JUDGE = _Form("judge", GRAPH, OnnxPairJudge, "Pair judge")
_CONSTRAINT = _Form(
    "constraint", "constraint.npz", OnnxConstraint, "Constraint", output=low_rank.TOKENS
)
_CHANGES = (
    _Form("pair_kinds", "pair_kinds.npz", OnnxPairKinds, "Pair kinds"),
    _Form("nli", "nli.npz", OnnxNLI, "NLI", CONSTANTS),
    _CONSTRAINT,
)


def _check_sets(minimum: Mapping[str, float], development: Mapping[str, object]) -> None:
    if unknown := sorted(minimum.keys() - development.keys()):
        raise ConfigurationError(
            f"no development set {unknown[0]!r}; there are {', '.join(map(repr, development))}"
        )


def _check_constants(form: _Form, constants: Mapping[str, float]) -> None:
    """Refuse constants that no ranking, or no classification, could use."""
    if form is _JUDGE:
        JudgeSettings().over(constants)
    elif unknown := sorted(constants.keys() - form.constants):
        raise ConfigurationError(
            f"{form.entry} has no constant {unknown[0]!r}; it has"
            f" {', '.join(sorted(form.constants))}"
        )
    elif not all(
        0 < value < 1
        for name, value in constants.items()
        if name.endswith(("threshold", "drop_above"))
    ):
        raise ConfigurationError("a threshold is between 0 and 1")


def _form_of(model: PreTrainedModel, source: JudgeSource) -> _Form:
    labels = model.config.num_labels
    for form in (_JUDGE, *(each for each in _CHANGES if each is not _CONSTRAINT)):
        if labels == len(form.reader.labels) and (form is _JUDGE) == (source.rank == 0):
            return form
    raise ConfigurationError(
        f"{source.model!r} has {labels} labels in rank {source.rank}: a judge has {len(LABELS)}"
        f" without a rank; NLI has {len(LABELS)} and pair kinds {len(PAIR_KINDS)}, of a recipe"
        " with model.rank"
    )


def _write_judge(
    folder: Path, trunk: str, model: PreTrainedModel, compression: JudgeCompression
) -> dict[str, Any]:
    """Write the graph above the trunk; return the files for the manifest's entry."""
    graph = graphs.export_module(_LogitsModule(model), model.config.max_position_embeddings, OUTPUT)
    _, above = graphs.split_graph(graph, 0)
    small = (
        quantise_products(above) if compression == "int4" else compress_weights(above, compression)
    )
    write_graph(folder / GRAPH, small)
    return {"graphs": (trunk, GRAPH), "output": OUTPUT}


def _write_changes(
    folder: Path, old: Bundle, model: PreTrainedModel, rank: int, form: _Form
) -> dict[str, Any]:
    """Write changes to the judge and its graph with inputs for them; return the entry's files."""
    judge = old.manifest.judge
    if judge is None:
        raise ConfigurationError(f"{old.path} has no judge that changes could apply to")
    last = judge.graphs[-1]
    graph = onnx.load_from_string(old.read(last))
    changes: dict[str, Any] = find_changes(graph, model, rank, form.output)
    write_graph(folder / last, with_optional_inputs(graph, changes, form.output))
    np.savez_compressed(folder / form.file, **changes)
    return {"graphs": judge.graphs, "changes": form.file, "output": form.output}


def find_temperature(logits: npt.NDArray[np.float64], rows: Sequence[JudgeRow]) -> float:
    """Find the temperature of lowest cross entropy (Guo et al. 2017); logits: (rows, labels)."""
    targets = np.array([row.target for row in rows])

    def loss(temperature: float) -> float:
        scaled = logits / temperature
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        logs = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
        return float(-(targets * logs).sum(axis=1).mean())

    return round(float(minimize_scalar(loss, bounds=(0.25, 8), method="bounded").x), 4)


def _load(name: str, kind: Any = AutoModelForSequenceClassification) -> PreTrainedModel:
    try:
        model: Any = kind.from_pretrained(find_model(name), attn_implementation="eager")
    except OSError as error:
        raise ConfigurationError(
            f"no judge can be loaded from {name!r}: {str(error).splitlines()[0]}"
        ) from error
    judge: PreTrainedModel = model.eval()
    return judge


def _require_trunk(model: PreTrainedModel, bundle: Bundle, trunk: str) -> None:
    """Refuse a judge whose embeddings are not those of the bundle's trunk."""
    config = model.config
    tokens = min(64, config.max_position_embeddings)
    ids = (torch.arange(4 * tokens) + config.vocab_size // 30).reshape(4, tokens)
    ids %= config.vocab_size
    embeddings: Any = model.base_model.embeddings
    with torch.no_grad():
        own = embeddings(ids).numpy()
    feed = {"input_ids": ids.numpy(), "attention_mask": np.ones((4, tokens), dtype=np.int64)}
    (stored,) = Graph(bundle.read(trunk), trunk, [CPU], None).run([HIDDEN], feed)
    if own.shape != stored.shape or np.abs(own - stored).max() > _MAX_EMBEDDING_DIFFERENCE:
        raise ConfigurationError(
            f"the embeddings of {model.name_or_path!r} are not those of {bundle.path}: train it "
            "from the same base with frozen_embeddings = true"
        )


def _with_entry(folder: Path, manifest: Manifest, form: _Form, entry: CrossEncoder) -> Bundle:
    update: dict[str, Any] = {form.entry: entry}
    if form is _JUDGE:  # changes to the old judge's weights do not fit the new one
        for other in _CHANGES:
            (folder / other.file).unlink(missing_ok=True)
            update[other.entry] = None
    update["files"] = checksums(folder)
    write_manifest(folder, manifest.model_copy(update=update))
    return load_bundle(folder)


def _write_notice(
    path: Path, form: _Form, source: JudgeSource, compression: JudgeCompression
) -> None:
    """Replace a cross-encoder's paragraph in the notice; a judge drops all others'."""
    storage = INTEGER_STORAGE if compression == "int4" else STORAGE[compression]
    if form is not _JUDGE:
        storage = "low-rank changes to the judge's, in half precision"
    paragraphs = path.read_text("utf-8").rstrip().split("\n\n")
    gone = _CHANGES if form is _JUDGE else ()
    replaced = tuple(f"{other.title}:" for other in (form, *gone))
    kept = [text for text in paragraphs if not text.startswith(replaced)]
    sets = "\n".join(f"  - {row.name} ({row.licence}), {row.rows} rows" for row in source.training)
    own = (
        f"{form.title}: {form.file}, a cross-encoder over the trunk's embeddings, trained for this"
        f" package; weights stored as {storage}. Trained on:\n{sets}"
    )
    path.write_text("\n\n".join([*kept, own]) + "\n", encoding="utf-8")


def _require_parity(
    logits: npt.NDArray[np.float64],
    model: PreTrainedModel,
    reader: OnnxCrossEncoder,
    rows: Sequence[JudgeRow],
    most: float,
) -> None:
    """Refuse an export whose probabilities differ from the original's by more than ``most``."""
    some = range(0, len(rows), max(1, len(rows) // 200))
    differences = []
    for index in some:
        ids = reader.token_ids([(rows[index].premise, rows[index].hypothesis)])
        with torch.no_grad():
            original = model(input_ids=torch.tensor(ids)).logits.softmax(-1).numpy()[0]
        differences.append(np.abs(original - np.exp(logits[index])).max())
    _require_close(float(np.mean(differences)), most)


def _require_close(difference: float, most: float) -> None:
    if difference > most:
        raise ParityError(
            f"probabilities differ from the original's by {difference:.3f} on average, over "
            f"{most}; export with less compression"
        )
