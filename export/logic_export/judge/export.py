"""Adds a trained cross-encoder to a bundle: a graph over the trunk, or changes to that graph."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import onnx
import torch
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PreTrainedModel,
)

from logic_export.bundles import graphs
from logic_export.bundles.compression import STORAGE, Compression, compress_weights, write_graph
from logic_export.bundles.integer_graphs import INTEGER_STORAGE, quantise_products
from logic_export.bundles.manifests import checksums, new_folder, require_new, write_manifest
from logic_export.judge import low_rank
from logic_export.judge.constraint_training import CONSTRAINT_LABELS
from logic_export.judge.finished_run import JudgeSource
from logic_export.judge.low_rank import find_changes, with_optional_inputs
from logic_export.judge.measure import (
    Figures,
    accuracy,
    constraint_accuracy,
    find_temperature,
    require_gate,
    require_same_answers,
)
from logic_export.models import find_model
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.manifest import HIDDEN, CrossEncoder
from logic_retrievers.encoders.sessions import CPU, Graph
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import (
    LABELS,
    RELATIONS,
    VERDICTS,
    OnnxConstraint,
    OnnxNLI,
    OnnxPairJudge,
    OnnxRelation,
)
from logic_retrievers.judging.onnx import OnnxCrossEncoder
from logic_retrievers.judging.relation import NLI_CONSTANTS, RELATION_CONSTANTS
from logic_retrievers.judging.settings import JudgeSettings

JudgeCompression: TypeAlias = Compression | Literal["int4"]

GRAPH = "judge.onnx"
OUTPUT = "logits"

# largest mean difference of a probability from the original's after compression
MAX_DIFFERENCE = 0.02
MAX_INT4_DIFFERENCE = 0.08

# largest difference between an embedding's coordinate and the trunk's; int8 storage costs .01
_MAX_EMBEDDING_DIFFERENCE = 0.1


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
    development: Mapping[str, Sequence[Any]],
    *,
    constants: Mapping[str, float],
    minimum: Mapping[str, float],
    compression: JudgeCompression = "int4",
) -> Figures:
    """Copy a bundle with a judge, verdict, relation, NLI or constraint model added or replaced.

    Except for a judge, the model is stored as low-rank changes to the bundle's judge, from which it
    was trained. A verdict answers in the judge's place. Adding a judge removes all such changes.
    Vectors and fingerprints of the encoders do not change.

    Args:
        bundle: a folder whose heads share a trunk below all layers.
        source: the model; its embeddings must be the trunk's.
        out: the new bundle's folder; must not exist. An error leaves nothing written.
        development: name -> rows of the question; rows of pairs also fit a temperature.
        constants: for a judge or a verdict, weights in a ranking; for relation and NLI, thresholds
            and weights of a conflict (``judging.relation``).
        minimum: development set -> lowest figure that passes.
        compression: storage of a judge's weights; see :func:`quantise_products` for ``int4``.

    Returns:
        Development set -> accuracy. A constraint's accuracy is the share of the queries that are
        read (P(none) < .5) if, and only if, they exclude something or ask for a negated fact.

    Raises:
        ConfigurationError: ``out`` exists, or the model does not fit the bundle.
        ParityError: the exported model differs from the original, or misses a minimum.
    """
    model = _load(source.model)
    form = _form_of(model, source)
    _check_constants(form, constants)
    if unknown := sorted(minimum.keys() - development.keys()):
        raise ConfigurationError(
            f"no development set {unknown[0]!r}; there are {', '.join(map(repr, development))}"
        )
    rows = [row for part in development.values() for row in part]
    exact = form is _JUDGE and compression != "int4"
    most = MAX_DIFFERENCE if exact else MAX_INT4_DIFFERENCE
    with _new_bundle(bundle, out, form, source, model, constants, compression) as write_entry:
        reader = form.reader(write_entry(1.0))
        if isinstance(reader, OnnxConstraint):
            require_same_answers(reader, model, reader.token_rows([r.query for r in rows]), most)
            measure = partial(constraint_accuracy, reader)
        else:
            pairs = [(row.premise, row.hypothesis) for row in rows]
            logits = np.log(np.array(reader.read(pairs)) + 1e-12)
            require_same_answers(reader, model, reader.token_ids(pairs), most)
            reader = form.reader(write_entry(find_temperature(logits, rows)))
            measure = partial(accuracy, reader.read)
        figures = {name: measure(part) for name, part in development.items()}
        require_gate(figures, minimum)
    return figures


@dataclass(frozen=True, slots=True)
class _Form:
    """One of a bundle's cross-encoders."""

    entry: str  # its field in the manifest
    file: str
    reader: type[OnnxCrossEncoder]
    title: str  # its heading in the NOTICE
    constants: frozenset[str] = frozenset()
    output: str = low_rank.PAIRS


_JUDGE = _Form("judge", GRAPH, OnnxPairJudge, "Pair judge")
_VERDICT = _Form("verdict", "verdict.npz", OnnxPairJudge, "Verdict")
_RELATION = _Form("relation", "relation.npz", OnnxRelation, "Relation", RELATION_CONSTANTS)
_NLI = _Form("nli", "nli.npz", OnnxNLI, "NLI", NLI_CONSTANTS)
_CONSTRAINT = _Form(
    "constraint", "constraint.npz", OnnxConstraint, "Constraint", output=low_rank.TOKENS
)
_CHANGES = (_VERDICT, _RELATION, _NLI, _CONSTRAINT)


@contextmanager
def _new_bundle(
    bundle: Path,
    out: Path,
    form: _Form,
    source: JudgeSource,
    model: PreTrainedModel,
    constants: Mapping[str, float],
    compression: JudgeCompression,
) -> Iterator[Callable[[float], Bundle]]:
    """Copy a bundle with a model; it becomes ``out`` unless the ``with`` block raises.

    Yields a function that writes the model's entry with a temperature, and loads the new bundle.
    """
    require_new(out)
    old = load_bundle(bundle)
    trunk = _require_trunk(model, old)
    with new_folder(out) as folder:
        shutil.copytree(old.path, folder, dirs_exist_ok=True)
        if form is _JUDGE:
            files = _write_judge(folder, trunk, model, compression)
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

        def write_entry(temperature: float) -> Bundle:
            changed = entry.model_copy(update={"temperature": temperature})
            update: dict[str, Any] = {form.entry: changed}
            if form is _JUDGE:  # changes to the old judge's weights do not fit the new judge
                for other in _CHANGES:
                    (folder / other.file).unlink(missing_ok=True)
                    update[other.entry] = None
            update["files"] = checksums(folder)
            write_manifest(folder, old.manifest.model_copy(update=update))
            return load_bundle(folder)

        yield write_entry


def _check_constants(form: _Form, constants: Mapping[str, float]) -> None:
    """Refuse constants that the model's ranking or classification cannot use."""
    if form in (_JUDGE, _VERDICT):
        JudgeSettings().over(constants)
    elif unknown := sorted(constants.keys() - form.constants):
        raise ConfigurationError(
            f"{form.entry} has no constant {unknown[0]!r}; it has"
            f" {', '.join(sorted(form.constants)) or 'none'}"
        )
    elif not all(
        0 < value < 1 for name, value in constants.items() if name in ("threshold", "hide_above")
    ):
        raise ConfigurationError("a threshold is between 0 and 1")


def _form_of(model: PreTrainedModel, source: JudgeSource) -> _Form:
    labels, changes = _labels(model.config), source.rank > 0
    if changes and labels in (VERDICTS, CONSTRAINT_LABELS):
        return _VERDICT if labels == VERDICTS else _CONSTRAINT
    for form in (_JUDGE, _RELATION, _NLI):
        if len(labels) == len(form.reader.labels) and (form is _JUDGE) != changes:
            return form
    raise ConfigurationError(
        f"{source.model!r} has {len(labels)} labels in rank {source.rank}: a judge has"
        f" {len(LABELS)} without a rank; verdict and NLI have {len(LABELS)}, relation"
        f" {len(RELATIONS)} and constraint {len(CONSTRAINT_LABELS)}, of a recipe with model.rank"
    )


def _labels(config: Any) -> tuple[str, ...]:
    return tuple((config.id2label or {}).values())


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
    """Write changes to the judge, and its graph with inputs for these; return the entry's files."""
    judge = old.manifest.judge
    if judge is None:
        raise ConfigurationError(f"{old.path} has no judge that changes could apply to")
    last = judge.graphs[-1]
    graph = onnx.load_from_string(old.read(last))
    changes: dict[str, Any] = find_changes(graph, model, rank, form.output)
    write_graph(folder / last, with_optional_inputs(graph, changes, form.output))
    np.savez_compressed(folder / form.file, **changes)
    return {"graphs": judge.graphs, "changes": form.file, "output": form.output}


def _load(name: str) -> PreTrainedModel:
    folder = find_model(name)
    try:
        of_tokens = _labels(AutoConfig.from_pretrained(folder)) == CONSTRAINT_LABELS
        kind = AutoModelForTokenClassification if of_tokens else AutoModelForSequenceClassification
        model: Any = kind.from_pretrained(folder, attn_implementation="eager")
    except OSError as error:
        raise ConfigurationError(
            f"no judge can be loaded from {name!r}: {str(error).splitlines()[0]}"
        ) from error
    judge: PreTrainedModel = model.eval()
    return judge


def _require_trunk(model: PreTrainedModel, bundle: Bundle) -> str:
    """Refuse a model whose embeddings differ from the bundle's trunk; return the trunk's file."""
    files = next(iter(bundle.manifest.heads.values())).document.trunk
    if not files:
        raise ConfigurationError(f"the heads of {bundle.path} share no trunk for a judge")
    trunk = files[0]
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
    return trunk


def _write_notice(
    path: Path, form: _Form, source: JudgeSource, compression: JudgeCompression
) -> None:
    """Replace a model's paragraph in the notice; a new judge drops the paragraphs of changes."""
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
