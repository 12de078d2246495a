"""Evaluation: data sets from folders, metrics with bootstrap intervals, comparisons.

```python
dataset = load_dataset("nevir")
topical = evaluate(dataset, search_topical, policy="topical")
union = evaluate(dataset, search_union, policy="union")
topical.metrics["V@5"], topical.intervals["V@5"]
compare(topical, {"union": union})["union"]["V@5"].p_corrected
compare_queries(dataset, topical, union).worst
fit_judge(dataset, Engine(index), judge).save("judge.json")
```

The labels of a query say which documents satisfy it, violate it (are on its topic but break its
constraint) or are neutral. The depth is the length of a ranking. A set query joins conditions, its
atoms, by AND, OR and NOT.
"""

from logic_retrievers.evaluation.changes import Changes, compare_queries
from logic_retrievers.evaluation.datasets import Dataset, Query, data_folder, load_dataset
from logic_retrievers.evaluation.fitting import Fit, fit_judge
from logic_retrievers.evaluation.result import (
    Comparison,
    EvaluationResult,
    Search,
    compare,
    estimates_by_label,
    evaluate,
)
from logic_retrievers.evaluation.statistics import Estimate, bootstrap

__all__ = [
    "Changes",
    "Comparison",
    "Dataset",
    "Estimate",
    "EvaluationResult",
    "Fit",
    "Query",
    "Search",
    "bootstrap",
    "compare",
    "compare_queries",
    "data_folder",
    "estimates_by_label",
    "evaluate",
    "fit_judge",
    "load_dataset",
]
