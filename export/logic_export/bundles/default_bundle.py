"""Makes the bundle that comes with the package.

python -m logic_export.bundles.default_bundle --out DIR
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from logic_export.bundles.compression import STORAGE
from logic_export.bundles.export import BundleLabel, export_bundle
from logic_export.bundles.heads import HeadSource, find_head
from logic_export.models import ALL_MINILM_L6_V2
from logic_retrievers.encoders.manifest import Calibration
from logic_retrievers.errors import ConfigurationError, LogicRetrieversError
from logic_retrievers.evaluation import load_dataset

NOTICE = """\
This folder holds a converted copy of all-MiniLM-L6-v2.

Origin     sentence-transformers/all-MiniLM-L6-v2, by the sentence-transformers project and the
           Hugging Face JAX/Flax community event, trained on a billion sentence pairs.
           https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
           Licence: Apache License 2.0 (LICENSE in this folder).
Base       nreimers/MiniLM-L6-H384-uncased, which keeps every second layer of
           microsoft/MiniLM-L12-H384-uncased.
           Licence: MIT License, Copyright (c) Microsoft Corporation:

  Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
  associated documentation files (the "Software"), to deal in the Software without restriction,
  including without limitation the rights to use, copy, modify, merge, publish, distribute,
  sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
  furnished to do so, subject to the following conditions:

  The above copyright notice and this permission notice shall be included in all copies or
  substantial portions of the Software.

  THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
  NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
  NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
  DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
  OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

Changes    Converted from PyTorch to ONNX with mean pooling and normalisation inside the graph;
           weights stored as {storage}; computation is in
           float32. The tokenizer's own truncation was taken out. {trained}
"""
UNTRAINED = "No weight was trained further."
TRAINED = """The topical head's
           weights were not trained further. The others were, above the embeddings, on:

{sets}

           NevIR: Weller, Lawrie and Van Durme 2024. HotpotQA: Yang et al. 2018. SciFact: Wadden
           et al. 2020; its abstracts come from S2ORC. ConflictQA: Xie et al. 2024. CANNOT:
           Anschütz, Lozano and Groh 2023. Films: Wikipedia, by its authors."""
EXCLUSION = Calibration(
    constants={"compatibility_weight": 0.5, "penalty": 0.4},
    origin="development parts of the users' queries, new domains, clusters, ExcluIR and "
    "BoolQuestions NOT",
)


def main() -> None:
    """Export, check and write the default bundle; print its figures as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m logic_export.bundles.default_bundle", description=__doc__
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to make; must not exist")
    parser.add_argument(
        "--licence-text", type=Path, default=Path("LICENSE"), help="Apache-2.0's text"
    )
    parser.add_argument(
        "--compatibility", type=Path, help="folder of a finished run; the base model where left out"
    )
    parser.add_argument(
        "--contradiction", type=Path, help="folder of a finished run; no such head where left out"
    )
    parser.add_argument("--compression", choices=tuple(STORAGE), default="int8")
    parser.add_argument("--min-cosine", type=float, help="by the compression where left out")
    parser.add_argument("--retrieval", help="data set for nDCG@10 (scifact); adds minutes")
    options = parser.parse_args()
    try:
        base = str(ALL_MINILM_L6_V2.path())
        heads = [HeadSource("compatibility", base, trained=False)]
        if options.compatibility:
            heads = [_trained_head(options.compatibility, "compatibility")]
        if options.contradiction:
            heads.append(_trained_head(options.contradiction, "contradiction"))
        lines = []
        for head in heads:
            if head.training:
                lines.append(f"           {head.name}:")
                lines += [
                    f"             {row.name}: {row.rows} rows, {row.licence}"
                    for row in head.training
                ]
        sets = "\n".join(lines)
        notice = NOTICE.format(
            storage=STORAGE[options.compression],
            trained=TRAINED.format(sets=sets) if sets else UNTRAINED,
        )
        figures = export_bundle(
            options.out,
            BundleLabel(
                name=ALL_MINILM_L6_V2.name,
                licence=ALL_MINILM_L6_V2.licence,
                origin=ALL_MINILM_L6_V2.origin,
                documents={"NOTICE": notice, "LICENSE": options.licence_text.read_text("utf-8")},
            ),
            [HeadSource("topical", base, exclusion=EXCLUSION), *heads],
            compression=options.compression,
            min_cosine=options.min_cosine,
            dataset=load_dataset(options.retrieval) if options.retrieval else None,
        )
    except (LogicRetrieversError, OSError) as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(asdict(figures), indent=2) + "\n")


def _trained_head(run: Path, name: str) -> HeadSource:
    head = find_head(name, str(run))
    if not head.training:
        raise ConfigurationError(f"{run} holds no finished run")
    if not head.ships:
        raise ConfigurationError(f"{run} was trained on data whose licence lets no model ship")
    return head


if __name__ == "__main__":
    main()
