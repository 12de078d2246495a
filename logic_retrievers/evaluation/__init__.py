"""Measuring: data sets from folders, metrics with bootstrap intervals, TREC runs.

dataset = load_dataset("nevir")
result = evaluate(dataset, search, policy="union")
result.metrics["V@5"], result.intervals["V@5"]
"""

from logic_retrievers.evaluation.datasets import Dataset, load_dataset
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.queries import Query
from logic_retrievers.evaluation.result import Result, compare
from logic_retrievers.evaluation.runner import Search, evaluate
from logic_retrievers.evaluation.statistics import Estimate, bootstrap

__all__ = [
    "Dataset",
    "Estimate",
    "Query",
    "Result",
    "Search",
    "bootstrap",
    "compare",
    "data_folder",
    "evaluate",
    "load_dataset",
]
