"""A trained judge into a bundle: one more graph over the trunk that the encoders share."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize_scalar
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from logic_export.bundles.compression import STORAGE, Compression, compress_weights
from logic_export.bundles.export import write_graph
from logic_export.bundles.graphs import export_module, split_graph
from logic_export.bundles.integer_graphs import INTEGER_STORAGE, quantise_products
from logic_export.bundles.manifests import checksums, write_manifest
from logic_export.bundles.parity import ParityError
from logic_export.judge.measure import Figures, accuracy, require_gate
from logic_export.judge.rows import JudgeRow
from logic_export.models import find_model
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.manifest import HIDDEN, Judge, TrainingData
from logic_retrievers.encoders.sessions import CPU, Graphs
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import LABELS, OnnxPairJudge
from logic_retrievers.judging.settings import JudgeConstants
from logic_retrievers.settings import merged

JudgeCompression: TypeAlias = Compression | Literal["int4"]

GRAPH = "judge.onnx"
OUTPUT = "logits"
MAX_DIFFERENCE = 0.02
MAX_INT4_DIFFERENCE = 0.08
"""The mean difference of a probability to the original's that compression may cost."""

_MAX_EMBEDDING_DIFFERENCE = 0.1
"""Of a coordinate, to the trunk's; storing embeddings in int8 costs a hundredth."""


@dataclass(frozen=True, slots=True)
class JudgeSource:
    """A judge to export.

    Args:
        model: folder of the trained model, or a hub name.
        max_tokens: longest pair.
        training: the data sets that it was trained on.
        origin: how it was trained, for the manifest.
    """

    model: str
    max_tokens: int
    training: tuple[TrainingData, ...]
    origin: str


class _LogitsModule(torch.nn.Module):
    """Two tensors in, logits out; token types are zero, as in the trunk."""

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
    """Writes a copy of a bundle with a judge added or replaced.

    Nothing is written unless the judge keeps what the original knows (:data:`MAX_DIFFERENCE`,
    :data:`MAX_INT4_DIFFERENCE`) and reaches the least accuracies. Vectors and
    fingerprints of the encoders do not change.

    Args:
        bundle: a folder whose heads share a trunk below all layers.
        source: the judge; its embeddings must be the trunk's.
        out: the new bundle's folder; must not exist.
        development: name -> rows: the temperature is found on all of them.
        constants: weights of its judgements in a ranking.
        minimum: development set -> least accuracy.
        compression: of the weights. ``int4`` also multiplies in int8 (:func:`quantise_products`):
            on a CPU a third of the time that the others take in float32.

    Returns:
        Development set -> accuracy.

    Raises:
        ConfigurationError: ``out`` exists, or the judge does not fit the bundle.
        ParityError: the exported judge differs from the original, or misses an accuracy.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    if unknown := sorted(minimum.keys() - development.keys()):
        raise ConfigurationError(
            f"no development set {unknown[0]!r}; there are {', '.join(map(repr, development))}"
        )
    old = load_bundle(bundle)
    merged(JudgeConstants, bundle_constants=constants)  # refuses what no ranking could use
    trunk_file = next(iter(old.manifest.heads.values())).document.trunk
    if trunk_file is None:
        raise ConfigurationError(f"the heads of {bundle} share no trunk that a judge could use")
    model = _load(source.model)
    if model.config.num_labels != len(LABELS):
        raise ConfigurationError(f"{source.model!r} has {model.config.num_labels} labels, not 3")
    graph = export_module(_LogitsModule(model), model.config.max_position_embeddings, OUTPUT)
    _, above = split_graph(graph, 0)
    _require_trunk(model, old, trunk_file)
    rows = [row for part in development.values() for row in part]
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
        folder = Path(name) / out.name
        shutil.copytree(old.path, folder)
        small = (
            quantise_products(above)
            if compression == "int4"
            else compress_weights(above, compression)
        )
        write_graph(folder / GRAPH, small)
        _write_notice(folder / old.manifest.notice, source, compression)
        entry = Judge(
            trunk=trunk_file,
            graph=GRAPH,
            output=OUTPUT,
            max_tokens=source.max_tokens,
            temperature=1.0,
            constants=dict(constants),
            origin=source.origin,
            training=source.training,
        )
        judge = OnnxPairJudge(_with_judge(folder, old, entry))
        logits = np.log(np.array(judge([(row.premise, row.hypothesis) for row in rows])) + 1e-12)
        most = MAX_INT4_DIFFERENCE if compression == "int4" else MAX_DIFFERENCE
        _require_parity(logits, model, judge, rows, most)
        entry = entry.model_copy(update={"temperature": find_temperature(logits, rows)})
        judge = OnnxPairJudge(_with_judge(folder, old, entry))
        figures = {name: accuracy(judge, part) for name, part in development.items()}
        require_gate(figures, minimum)
        shutil.move(folder, out)
    return figures


def find_temperature(logits: npt.NDArray[np.float64], rows: Sequence[JudgeRow]) -> float:
    """The temperature of least cross entropy (Guo et al. 2017), for logits of shape (rows, 3)."""
    targets = np.array([row.target for row in rows])

    def loss(temperature: float) -> float:
        scaled = logits / temperature
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        logs = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
        return float(-(targets * logs).sum(axis=1).mean())

    return round(float(minimize_scalar(loss, bounds=(0.25, 8), method="bounded").x), 4)


def _load(name: str) -> PreTrainedModel:
    try:
        model: Any = AutoModelForSequenceClassification.from_pretrained(
            find_model(name), attn_implementation="eager"
        )
    except OSError as error:
        raise ConfigurationError(
            f"no judge can be loaded from {name!r}: {str(error).splitlines()[0]}"
        ) from error
    judge: PreTrainedModel = model.eval()
    return judge


def _require_trunk(model: PreTrainedModel, bundle: Bundle, trunk: str) -> None:
    """Refuses a judge whose embeddings are not those of the bundle's trunk.

    Raises:
        ConfigurationError: the two embed some tokens differently.
    """
    config = model.config
    tokens = min(64, config.max_position_embeddings)
    ids = (torch.arange(4 * tokens) + config.vocab_size // 30).reshape(4, tokens)
    ids %= config.vocab_size
    embeddings: Any = model.base_model.embeddings
    with torch.no_grad():
        own = embeddings(ids).numpy()
    feed = {"input_ids": ids.numpy(), "attention_mask": np.ones((4, tokens), dtype=np.int64)}
    (stored,) = Graphs({trunk: bundle.read(trunk)}, [CPU], None).run(trunk, [HIDDEN], feed)
    if own.shape != stored.shape or np.abs(own - stored).max() > _MAX_EMBEDDING_DIFFERENCE:
        raise ConfigurationError(
            f"the embeddings of {model.name_or_path!r} are not those of {bundle.path}: train it "
            "from the same base with frozen_embeddings = true"
        )


def _with_judge(folder: Path, old: Bundle, entry: Judge) -> Bundle:
    files = [path.name for path in folder.iterdir() if path.name != "manifest.json"]
    update = {"judge": entry, "files": checksums(folder, files)}
    write_manifest(folder, old.manifest.model_copy(update=update))
    return load_bundle(folder)


def _write_notice(path: Path, source: JudgeSource, compression: JudgeCompression) -> None:
    storage = INTEGER_STORAGE if compression == "int4" else STORAGE[compression]
    kept = path.read_text("utf-8").split("\n\nPair judge:")[0].rstrip()
    sets = "\n".join(f"  - {row.name} ({row.licence}), {row.rows} rows" for row in source.training)
    path.write_text(
        f"{kept}\n\nPair judge: {GRAPH}, a cross-encoder over the trunk's embeddings, trained for"
        f" this package; weights stored as {storage}. Trained on:\n{sets}\n",
        encoding="utf-8",
    )


def _require_parity(
    logits: npt.NDArray[np.float64],
    model: PreTrainedModel,
    judge: OnnxPairJudge,
    rows: Sequence[JudgeRow],
    most: float,
) -> None:
    """Compares some probabilities with those of the original, of the same tokens.

    Raises:
        ParityError: the mean difference is over ``most``.
    """
    some = range(0, len(rows), max(1, len(rows) // 200))
    differences = []
    for index in some:
        ids = judge.token_ids([(rows[index].premise, rows[index].hypothesis)])
        with torch.no_grad():
            original = model(input_ids=torch.tensor(ids)).logits.softmax(-1).numpy()[0]
        differences.append(np.abs(original - np.exp(logits[index])).max())
    if (difference := float(np.mean(differences))) > most:
        raise ParityError(
            f"probabilities differ from the original's by {difference:.3f} on average, over "
            f"{most}; export with less compression"
        )
