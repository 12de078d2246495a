"""Export a cross-encoder into a folder that OnnxJudge opens without PyTorch.

python examples/export_cross_encoder.py cross-encoder/nli-deberta-v3-base exported/nli

It needs the extra ``train``. ``optimum-cli export onnx`` writes such a folder too.
"""

from __future__ import annotations

import sys

import torch
from sentence_transformers import CrossEncoder


def main(source: str, folder: str) -> None:
    """Write ``config.json``, the tokenizer's files and ``model.onnx``."""
    model = CrossEncoder(source, device="cpu")
    model.config.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    pairs = model.tokenizer(["a b", "c"], ["d", "e f g"], padding=True, return_tensors="pt")
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    torch.onnx.export(
        model.model.eval(),
        kwargs=dict(pairs),
        f=f"{folder}/model.onnx",
        dynamic_shapes=dict.fromkeys(pairs, free),
        external_data=False,  # weights inside, up to 2 GB
        verbose=False,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
