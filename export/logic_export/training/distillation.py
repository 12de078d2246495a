"""Trains the upper layers of a head again, over the lowest layers of the base model.

The head of a bundle is the teacher. The student keeps the base's embeddings and first layers, so
that one run of these layers serves all heads of a text (``add_heads``). It needs no labels.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from sentence_transformers import SentenceTransformer

from logic_export.bundles.compression import expand_weights
from logic_export.bundles.graphs import load_model
from logic_export.bundles.manifests import require_new
from logic_export.training.run_folder import CARD, MODEL, TrainingSet
from logic_retrievers.encoders.bundle import Bundle
from logic_retrievers.encoders.tokenization import token_batches
from logic_retrievers.errors import ConfigurationError

# texts that are not trained on, to follow the cosine
HELD_OUT = 256
BATCH_TOKENS = 2048
LEARNING_RATE = 1e-4
WARMUP = 100
# weight of the vectors in the loss, against the hidden states of the layers
VECTOR_WEIGHT = 5.0
REPORT_EVERY = 200


def unpack_head(bundle: Bundle, head: str, base: str) -> SentenceTransformer:
    """Return the model of a bundle's head, with the embeddings and the settings of ``base``.

    Raises:
        ConfigurationError: the bundle has no such head, or ``base`` has other layers.
    """
    if head not in bundle.manifest.heads:
        names = ", ".join(bundle.manifest.heads)
        raise ConfigurationError(f"{bundle.path} has no head {head!r}, only {names}")
    model = load_model(base)
    found: dict[str, torch.Tensor] = {}
    for file in bundle.manifest.heads[head].document.graphs:
        found |= _layer_weights(expand_weights(onnx.load_from_string(bundle.read(file))))
    transformer: Any = model[0].auto_model
    own = transformer.encoder.state_dict()
    if {name: value.shape for name, value in found.items()} != {
        name: value.shape for name, value in own.items()
    }:
        raise ConfigurationError(f"{base!r} has other layers than the head {head!r}")
    transformer.encoder.load_state_dict(found)
    return model


def distil_head(
    bundle: Bundle,
    head: str,
    base: str,
    texts: Sequence[str],
    out: Path,
    *,
    shared_layers: int,
    licence: str,
    ships: bool = False,
    epochs: float = 1.0,
    seed: int = 0,
) -> dict[str, float]:
    """Distil a head of a bundle onto the first layers of ``base``; return the figures at the end.

    The loss compares hidden states above the shared layers, token by token, vectors, and the
    similarities of the batch's vectors. ``out`` gets ``metrics.jsonl``, ``checkpoint.pt``, and at
    the end ``model`` and ``card.json``, as a finished run has. A run that was cut resumes from its
    checkpoint.

    Args:
        bundle: the bundle of the teacher.
        head: the teacher, a head of the bundle.
        base: the model whose embeddings and first layers the student keeps.
        texts: queries and passages as the head will read them; the order does not matter.
        out: the run's folder.
        shared_layers: number of layers of ``base`` that the student keeps.
        licence: licence of the texts.
        ships: whether it permits handing the model on.
        epochs: passes over the texts; part of one is possible.
        seed: of the held-out texts and the order of the batches.

    Raises:
        ConfigurationError: ``out`` holds a finished run, there are too few texts, or base and head
            do not fit.
    """
    require_new(out / CARD)
    teacher = unpack_head(bundle, head, base)
    student = load_model(base)
    lower: Any = student[0].auto_model
    upper: Any = teacher[0].auto_model
    layers = len(upper.encoder.layer)
    if not 0 < shared_layers < layers or len(texts) <= 2 * HELD_OUT:
        raise ConfigurationError(
            f"{shared_layers} of {layers} layers cannot be shared, or {len(texts)} texts are too "
            f"few: share 1 to {layers - 1}, and pass more than {2 * HELD_OUT} texts"
        )
    for number in range(shared_layers, layers):
        lower.encoder.layer[number].load_state_dict(upper.encoder.layer[number].state_dict())
    for module in (student, teacher):
        module.eval().requires_grad_(False)
    trained = lower.encoder.layer[shared_layers:].requires_grad_(True)
    optimizer = torch.optim.AdamW(trained.parameters(), lr=LEARNING_RATE, weight_decay=0.0)
    shuffled = list(dict.fromkeys(texts))
    Random(seed).shuffle(shuffled)
    held_out, shuffled = shuffled[:HELD_OUT], shuffled[HELD_OUT:]
    tokenizer, length = student.tokenizer, int(student.max_seq_length or 256)
    plan = list(_plan(shuffled, tokenizer, length, Random(seed)))
    steps = math.ceil(epochs * len(plan))
    checkpoint = out / "checkpoint.pt"
    out.mkdir(parents=True, exist_ok=True)
    done = 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        trained.load_state_dict(state["layers"])
        optimizer.load_state_dict(state["optimizer"])
        done = int(state["step"])
    expected = teacher.encode(held_out, normalize_embeddings=True)

    def report(step: int, loss: float) -> dict[str, float]:
        vectors = student.encode(held_out, normalize_embeddings=True)
        cosines = np.einsum("ij,ij->i", vectors, expected)
        low, mean = float(np.percentile(cosines, 5)), float(cosines.mean())
        figures = {"loss": loss, "cosine": mean, "5th percentile": low}
        with (out / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, **figures}) + "\n")
        partial = checkpoint.with_name(checkpoint.name + ".partial")
        state = {"step": step, "layers": trained.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state, partial)
        partial.replace(checkpoint)
        return figures

    passes = (plan[step % len(plan)] for step in count(done))
    loss = 0.0
    for step, rows in enumerate(islice(passes, max(0, steps - done)), done + 1):
        rate = min(1.0, step / WARMUP) * 0.5 * (1 + math.cos(math.pi * step / (steps + 1)))
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * rate
        batch = tokenizer(
            [shuffled[row] for row in rows],
            padding=True, truncation=True, max_length=length, return_tensors="pt",
        )  # fmt: skip
        loss = _step(lower, upper, batch, shared_layers, trained, optimizer)
        if step % REPORT_EVERY == 0:
            report(step, loss)
    figures = report(steps, loss)
    student.save(str(out / MODEL), create_model_card=False)
    taught = bundle.manifest.heads[head].training
    sets = [asdict(TrainingSet(row.name, row.licence, row.rows, ships=True)) for row in taught]
    sets.append(asdict(TrainingSet("texts of its distillation", licence, len(shuffled), ships)))
    card = {
        "name": f"{head}, distilled over {shared_layers} shared layers",
        "ships": ships,
        "sets": sets,
        "recipe": {"model": {"base": base, "shared_layers": shared_layers}},
    }
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return figures


def _layer_weights(graph: onnx.ModelProto) -> dict[str, torch.Tensor]:
    """Map names in the encoder to weights; the bias added to a product names its matrix."""
    stored = {item.name: item for item in graph.graph.initializer}
    products = {n.output[0]: n.input[1] for n in graph.graph.node if n.op_type == "MatMul"}
    sources: dict[str, tuple[str, bool]] = {}
    for node in graph.graph.node:
        for name in node.input:
            if name in stored and name.endswith((".bias", "Norm.weight")):
                sources[name] = (name, False)
        if node.op_type == "Add":
            for product, bias in (node.input, reversed(node.input)):
                if bias.endswith(".bias") and products.get(product) in stored:
                    sources[f"{bias.removesuffix('bias')}weight"] = (products[product], True)
    weights = {}
    for name, (source, is_transposed) in sources.items():
        _, found, key = name.partition("encoder.layer.")
        if found:
            values = numpy_helper.to_array(stored[source])
            weights[f"layer.{key}"] = torch.from_numpy(
                (values.T if is_transposed else values).copy()
            )
    return weights


def _plan(texts: Sequence[str], tokenizer: Any, length: int, random: Random) -> Iterator[list[int]]:
    """Yield batches of texts of similar length, in random order."""
    lengths = [min(length, len(ids)) for ids in tokenizer(list(texts))["input_ids"]]
    batches = [rows.tolist() for rows in token_batches(lengths, 64, BATCH_TOKENS)]
    random.shuffle(batches)
    yield from batches


def _step(
    lower: Any,
    upper: Any,
    batch: Mapping[str, torch.Tensor],
    shared_layers: int,
    trained: torch.nn.ModuleList,
    optimizer: torch.optim.Optimizer,
) -> float:
    mask = batch["attention_mask"]
    with torch.no_grad():
        embedded = lower.embeddings(input_ids=batch["input_ids"])
        shared = _hidden_states(lower.encoder.layer[:shared_layers], embedded, mask)[-1]
        taught = _hidden_states(upper.encoder.layer, embedded, mask)[shared_layers:]
    learnt = _hidden_states(trained, shared, mask)
    vectors, expected = _mean(learnt[-1], mask), _mean(taught[-1], mask)
    is_token = mask.bool()
    loss = VECTOR_WEIGHT * (1 - (vectors * expected).sum(1)).mean()
    loss = loss + VECTOR_WEIGHT * (vectors @ vectors.T - expected @ expected.T).square().mean()
    for found, wanted in zip(learnt, taught, strict=True):
        error = (found - wanted)[is_token].square().mean()
        loss = loss + error / wanted[is_token].square().mean()
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(trained.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def _hidden_states(layers: Any, hidden: torch.Tensor, mask: torch.Tensor) -> list[torch.Tensor]:
    hidden_mask = (1 - mask[:, None, None, :].float()) * torch.finfo(torch.float32).min
    states = []
    for layer in layers:
        output = layer(hidden, hidden_mask)
        hidden = output[0] if isinstance(output, tuple) else output
        states.append(hidden)
    return states


def _mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean of each text's tokens, scaled to length 1."""
    pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return torch.nn.functional.normalize(pooled, dim=-1)
