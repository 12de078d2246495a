"""Published figures of the papers; each row's note names the set-up, which differs from ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.report.artefacts import Row
from benchmarks.report.cells import published_row

# --- CoDeR (Yin et al. 2026)

_BGE = "BGE-large-en-v1.5 and encoders trained from it (335M parameters; ours 22.7M)"
_CUT = (
    f"Yin et al. 2026 (CoDeR), table of V@k and FVR; {_BGE}. The paper's own cut: about 1,000 "
    "queries over their pooled documents, NevIR and ExcluIR both in training. Lists are cut at the "
    "filter, not back-filled, which lowers V@k."
)
_NEVIR = (
    "Yin et al. 2026 (CoDeR): V@2, V@5, V@10 and FVR from the table of violations, R@5 and V@1 "
    f"from that of recall, {_BGE}, on the paper's own cut of about 1,000 queries. Lists are cut at "
    "the filter."
)
_NEGCONSTRAINT = (
    f"Yin et al. 2026 (CoDeR), table of NegConstraint; {_BGE}; lists cut at the filter."
)
_ANTONYM = (
    "Yin et al. 2026 (CoDeR), antonym diagnostic from SciFact: 102 queries over 306 documents, "
    "of which 90 queries are public; BGE-large-en-v1.5 and encoders trained from it. With about "
    "100 queries ten points either way are noise."
)
_BEIR = (
    "Yin et al. 2026 (CoDeR), table of BEIR; BGE-large-en-v1.5 and encoders trained from it; "
    "Seq with alpha .5 and tau .9, Union with alpha .8 and keep .8."
)
_RERANKER = (
    "Yin et al. 2026 (CoDeR): a BGE reranker on ExcluIR, on the paper's own cut of about 1,000 "
    "queries. It is a model of relevance, ours one of contradiction."
)
_VIOLATIONS = ("V@2", "V@5", "V@10", "FVR")
_NEVIR_METRICS = ("R@5", "V@1", *_VIOLATIONS)
_NEGCONSTRAINT_METRICS = ("R@5", "nDCG@5", "MAP@10")

System = tuple[str, Mapping[str, float]]


def _system(note: str, metrics: Sequence[str], *values: float) -> System:
    return note, dict(zip(metrics, values, strict=True))


# Data set -> system -> note and figures.
CODER: Mapping[str, Mapping[str, System]] = {
    "nevir": {
        "BGE-large": _system(_NEVIR, _NEVIR_METRICS, 0.8585, 0.196, 0.368, 0.856, 0.903, 3.70),
        "DEO (LLM)": _system(_CUT, _VIOLATIONS, 0.311, 0.819, 0.886, 4.02),
        "CoDeR's encoder alone": _system(_NEVIR, ("R@5", "V@1"), 0.792, 0.142),
        "CoDeR-Seq": _system(_NEVIR, _NEVIR_METRICS, 0.8165, 0.154, 0.285, 0.794, 0.862, 4.26),
        "CoDeR-Union": _system(_NEVIR, _NEVIR_METRICS, 0.817, 0.139, 0.302, 0.788, 0.860, 4.28),
    },
    "excluir": {
        "BGE-large": _system(_CUT, _VIOLATIONS, 0.961, 0.982, 0.991, 1.75),
        "DEO (LLM)": _system(_CUT, _VIOLATIONS, 0.511, 0.661, 0.743, 4.93),
        "CoDeR-Seq": _system(_CUT, _VIOLATIONS, 0.477, 0.644, 0.737, 5.06),
        "CoDeR-Union": _system(_CUT, _VIOLATIONS, 0.450, 0.653, 0.657, 5.33),
    },
    "negconstraint": {
        "CoDeR-Seq": _system(_NEGCONSTRAINT, _NEGCONSTRAINT_METRICS, 0.9646, 0.8120, 0.76),
        "CoDeR-Union": _system(_NEGCONSTRAINT, _NEGCONSTRAINT_METRICS, 0.9697, 0.8161, 0.7638),
    },
    "coder_antonym": {
        "BGE-large": _system(_ANTONYM, ("V@2", "FVR"), 0.814, 2.30),
        "CoDeR-Seq": _system(_ANTONYM, ("V@2", "FVR"), 0.598, 2.95),
        "CoDeR-Union": _system(_ANTONYM, ("V@2", "FVR"), 0.529, 3.00),
    },
    "scifact": {
        "BGE-large": _system(_BEIR, ("nDCG@10",), 0.7477),
        "CoDeR-Seq": _system(_BEIR, ("nDCG@10",), 0.7477),
        "CoDeR-Union": _system(_BEIR, ("nDCG@10",), 0.7491),
    },
}
# Rerankers on ExcluIR.
CODER_RERANKERS: Mapping[str, System] = {
    "BGE-large, then BGE reranker": _system(_RERANKER, ("FVR",), 1.79),
    "CoDeR-Union, then BGE reranker": _system(_RERANKER, ("FVR",), 4.84),
}

_PROBE = (
    "CoDeR (Yin et al. 2026), appendix: 20 questions of NevIR, one passage, another reader. "
    "With 20 questions an interval spans some 40 points."
)


def probe_rows(columns: int) -> list[Row]:
    """Return rows (configuration, share of right answers, dashes)."""
    shares = {"BM25": 0.15, "BGE-large": 0.30, "CoDeR-Seq": 0.40, "CoDeR-Union": 0.35}
    blank = [None] * (columns - 2)
    return [published_row(_PROBE, name, share, *blank) for name, share in shares.items()]


# --- SparseCL (Xu et al. 2024)

_SPARSECL = "Xu et al. 2024, SparseCL"
# Encoder -> corpus -> nDCG@10 of cosine, and of cosine + alpha * Hoyer.
_RETRIEVAL: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "BGE-base": {"ArguAna": (0.658, 0.704), "MSMARCO": (0.600, 0.909), "HotpotQA": (0.595, 0.967)},
    "BGE-base, contrastively trained": {
        "ArguAna": (0.687, 0.722),
        "MSMARCO": (0.564, 0.883),
        "HotpotQA": (0.562, 0.965),
    },
    "GTE-large": {"ArguAna": (0.725, 0.797), "MSMARCO": (0.603, 0.953), "HotpotQA": (0.597, 0.977)},
}
_MEASURES = {"cosine": 0.657, "+ l2/l1": 0.675, "+ kappa4": 0.684, "+ Hoyer": 0.704}
_PARAPHRASES = {
    "cosine": (0.561, 0.355, 0.267),
    "cosine + alpha * Hoyer": (0.682, 0.679, 0.675),
}
_MEDIANS: Mapping[str, Mapping[str, float]] = {
    "before training": {"random": 0.212, "agreeing": 0.211, "contradicting": 0.211},
    "after training": {"random": 0.212, "agreeing": 0.281, "contradicting": 0.632},
}
# Corpus -> nDCG@10 (C+, C-, cleaned), corruption before and after, share recovered.
_CLEANING: Mapping[str, tuple[float, float, float, float, float, str]] = {
    "HotpotQA": (0.676, 0.567, 0.652, 0.443, 0.020, "78 %"),
    "MSMARCO": (0.435, 0.381, 0.414, 0.413, 0.040, "61 %"),
}


def retrieval_rows(corpora: Sequence[str]) -> list[Row]:
    """Return rows (scored by, alpha, nDCG@10, gain)."""
    rows = []
    for corpus in corpora:
        for encoder, figures in _RETRIEVAL.items():
            plain, score = figures[corpus]
            note = (
                f"{_SPARSECL}, main table, {corpus}, {encoder}; their queries and pools "
                "(paraphrases and contradictions by a language model), heads trained on data of "
                "their own; the gain is the difference of the two printed figures"
            )
            own, other = f"{encoder}: cosine", f"{encoder}: cosine + alpha * Hoyer"
            rows.append(published_row(note, f"{own} ({corpus})", None, plain, None))
            gain = round(score - plain, 3)
            rows.append(published_row(note, f"{other} ({corpus})", None, score, gain))
    return rows


def measure_rows() -> list[Row]:
    """Return rows (scored by, alpha, nDCG@10, gain) per measure of sparsity, on ArguAna."""
    note = f"{_SPARSECL}, table of sparsity measures, ArguAna, BGE-base; another cut of ArguAna"
    return [
        published_row(
            note,
            f"BGE-base: {name} (ArguAna, by measure)",
            None,
            value,
            None if name == "cosine" else round(value - _MEASURES["cosine"], 3),
        )
        for name, value in _MEASURES.items()
    ]


def paraphrase_rows() -> list[Row]:
    """Return rows (scored by, 0 to 3 paraphrases); the paper has no figure for 0."""
    note = (
        f"{_SPARSECL}, table of paraphrases in ArguAna's pool; paraphrases of the query alone, by "
        "a language model"
    )
    return [
        published_row(note, f"{label} (ArguAna)", None, *values)
        for label, values in _PARAPHRASES.items()
    ]


def median_rows() -> list[Row]:
    """Return rows (head, pairs, count, median, middle half)."""
    note = (
        f"{_SPARSECL}, medians before and after training; 768 dimensions; what agrees are "
        "paraphrases by a language model there"
    )
    return [
        published_row(note, title, kind, None, median, None)
        for title, medians in _MEDIANS.items()
        for kind, median in medians.items()
    ]


def cleaning_rows() -> list[Row]:
    """Return rows (corpus, nDCG@10, corruption, share of the ten, recovered, three dashes)."""
    rows = []
    for corpus, (whole, corrupt, cleaned, before, after, recovered) in _CLEANING.items():
        note = (
            f"{_SPARSECL}, table of corpus cleaning, {corpus}; one paraphrase of each passage "
            "trusted and its top 3 removed; the paper calls the corruption Recall@10 in one place "
            "and share of the top 10 in another, and it stands under Recall@10 here"
        )
        cells: tuple[tuple[str, float, float | None, str | None], ...] = (
            (f"clean ({corpus})", whole, None, None),
            (f"corrupted ({corpus})", corrupt, before, None),
            (f"SparseCL, top 3 of each trusted ({corpus})", cleaned, after, recovered),
        )
        rows += [
            published_row(note, label, value, corruption, None, share, None, None, None)
            for label, value, corruption, share in cells
        ]
    return rows


# --- LogiCoL (Shen et al. 2025)

_LOGICOL = (
    "LogiCoL (Shen et al. 2025): QUEST over Wikipedia, 1,727 test queries (11,854 with variants), "
    "E5 (BM25 where it is named); other queries, documents and encoders than ours"
)
# R@5, R@20, R@100, R@1000, violation rate, and R@100 with variants.
LOGICOL_SYSTEMS = (
    published_row(_LOGICOL, "BM25", None, None, 0.197, None, None, 0.093),
    published_row(_LOGICOL, "E5, zero-shot", None, None, 0.310, None, None, 0.150),
    published_row(_LOGICOL, "E5, supervised contrastive", 0.112, 0.225, 0.400, 0.703, None, 0.198),
    published_row(_LOGICOL, "E5, contrastive, all groups", None, None, 0.405, None, None, None),
    published_row(_LOGICOL, "E5, contrastive, mixed groups", None, None, 0.417, None, None, None),
    published_row(_LOGICOL, "E5, LogiCoL", None, None, 0.421, None, None, 0.219),
    published_row(_LOGICOL, "E5, decompose-then-ensemble", 0.095, 0.189, 0.314, 0.523, None, None),
)
# R@100 with variants, by operator: none, AND, NOT, OR.
LOGICOL_KINDS = (
    published_row(_LOGICOL, "E5, supervised contrastive", 0.269, 0.229, 0.189, 0.139),
    published_row(_LOGICOL, "E5, LogiCoL", 0.290, 0.272, 0.215, 0.139),
)
# Coherence; Pearson's r of complementary queries with two atoms, with three atoms.
LOGICOL_CORRELATIONS = (
    published_row(_LOGICOL, "before LogiCoL", None, 0.88, 0.64),
    published_row(_LOGICOL, "LogiCoL", None, 0.13, -0.29),
)

# --- BoolQuestions (Zhang et al. 2024)

_BOOLQUESTIONS = (
    "BoolQuestions (Zhang et al. 2024), NOT questions on MS MARCO: distilbert-dot-v5 over a corpus "
    "of millions of passages; ours over the passages that the questions label"
)
# MRR@10, R@1 and NegRecall@10.
BOOLQUESTIONS = (
    published_row(_BOOLQUESTIONS, "distilbert-dot-v5", 0.1304, None, 0.5462),
    published_row(_BOOLQUESTIONS, "distilbert-dot-v5, decomposed", 0.1093, None, 0.0385),
    published_row(_BOOLQUESTIONS, "distilbert-dot-v5, trained on NOT", 0.1371, None, 0.3872),
)

# --- LORE (Zhang et al.)

_LORE = (
    "LORE (Zhang et al.), recall at 3 in each question's own candidates: Qwen3-0.6B, questions "
    "rewritten by a language model where ours are joined by templates, trained on MS MARCO"
)
# Undisturbed P, disturbed P and disturbed N1, first on HotpotQA, then on MS MARCO.
_LORE_FIGURES = {
    "Qwen3-0.6B, base": (0.564, 0.338, 0.700, 0.626, 0.470, 0.843),
    "Qwen3-0.6B, InfoNCE": (0.709, 0.597, 0.505, 0.684, 0.516, 0.820),
    "Qwen3-0.6B, LORE": (0.707, 0.655, 0.238, 0.684, 0.693, 0.202),
}


def lore_rows() -> list[Row]:
    """Return rows (encoder, then per set P and N1, each undisturbed and disturbed)."""
    return [
        published_row(_LORE, name, *figures[:2], None, *figures[2:5], None, figures[5])
        for name, figures in _LORE_FIGURES.items()
    ]
