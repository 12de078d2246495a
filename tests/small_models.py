"""Sentence-transformers folders of a hundred kilobytes: a real BERT, untrained."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write_small_model(folder: Path) -> Path:
    """BERT with 2 layers and 32 dimensions, mean pooling, 24 tokens; not normalised."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    settings = _write_tokenizer(folder, folder / "bert")
    BertModel(BertConfig(**settings)).save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"), max_seq_length=24)
    model = SentenceTransformer(modules=[transformer, Pooling(32)], device="cpu")
    model.save(str(folder / "model"), create_model_card=False)
    return folder / "model"


def write_small_cross_encoder(folder: Path, *labels: str) -> Path:
    """The same BERT with a head of random weights for the labels; 40 tokens."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    settings = _write_tokenizer(folder, folder)
    config = BertConfig(**settings, id2label=dict(enumerate(labels)))
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def _write_tokenizer(folder: Path, out: Path) -> dict[str, Any]:
    """Write a tokenizer, and return the configuration of a BERT that reads its tokens."""
    from transformers import BertTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = ["no", "noise", "a", "quiet", "room", "find", "hotel", "not", "loud", "without", "q"]
    vocabulary = [*special, *words, *".,:!", "##s"]
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(out)
    return {
        "vocab_size": len(vocabulary),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 256,
        "max_position_embeddings": 40,
        "initializer_range": 0.5,
    }


def retrained(folder: Path, out: Path, *changed: str) -> str:
    """A copy of a model with the named weights changed."""
    import torch
    from logic_export.bundles.graphs import load_model

    model = load_model(str(folder))
    torch.manual_seed(1)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if any(part in name for part in changed):
                weight.add_(0.3 * torch.randn_like(weight))
    model.save(str(out), create_model_card=False)
    return str(out)
