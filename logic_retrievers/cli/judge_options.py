"""Options that name a judge or a reranker: ``--judge [SPEC]`` and ``--reranker SPEC``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option
from typer.core import TyperCommand

from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.files import is_file, is_folder

if TYPE_CHECKING:
    from logic_retrievers.conflicts.pair_judge import AnyPairJudge
    from logic_retrievers.judging.settings import AnyJudge

_FLAG, _NO_FLAG = "--judge", "--no-judge"
AUTO, NONE = "auto", "none"
_FORMS = (
    "auto (the one that is shipped), none, a JSON file of judge settings, the folder of a model, or"
    " the name of one on the Hugging Face hub"
)
# file in a folder -> the class that reads the folder, the first that fits
_FOLDERS = {
    "manifest.json": "OnnxPairJudge",
    "model.onnx": "OnnxJudge",
    "onnx/model.onnx": "OnnxJudge",
    "config.json": "CrossEncoderJudge",
}
_HUB_NAME = re.compile(r"[\w.-]*\w/\w[\w.-]*", re.ASCII)

# "--judge" alone means auto, and "--no-judge" none: see JudgeCommand
_DECLARATION: Any = (_FLAG, _NO_FLAG)
JUDGE = Option(
    *_DECLARATION,
    metavar="[SPEC]",
    help=f"Have the first candidates of a query judged. SPEC: {_FORMS}.",
    show_default=AUTO,
)
JudgeSpec = Annotated[str, JUDGE]
PairJudgeSpec = Annotated[
    str,
    Option(
        *_DECLARATION,
        metavar="[SPEC]",
        help="Have a model read passages two by two; without it, vectors alone decide: faster, and"
        f" less is found. SPEC: {_FORMS}.",
    ),
]
RerankerSpec = Annotated[
    str,
    Option(
        "--reranker",
        metavar="SPEC",
        help="Order the hits of all queries by a model; what a query rules out stays down. SPEC as"
        " for --judge.",
    ),
]


class JudgeCommand(TyperCommand):
    """A command with an option ``--judge`` whose value may be left out.

    Typer has no such option. A word after ``--judge`` is its value only if it reads as one, so that
    ``contradictions --judge "No pets."`` still judges by default.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        spelled: list[str] = []
        words = iter(enumerate(args[:end]))
        for number, word in words:
            following = args[number + 1] if number + 1 < end else ""
            if word == _FLAG and _is_spec(following):
                next(words)
                spelled.append(f"{_FLAG}={following}")
            elif word in (_FLAG, _NO_FLAG):
                spelled.append(f"{_FLAG}={AUTO if word == _FLAG else NONE}")
            elif word.startswith(f"{_NO_FLAG}="):
                ctx.fail(f"Option '{_NO_FLAG}' does not take a value.")
            else:
                spelled.append(word)
        return super().parse_args(ctx, [*spelled, *args[end:]])


def open_judge(spec: str) -> AnyJudge:
    """Open the judge that an option names.

    Raises:
        ConfigurationError: the name has no such form, or the judge cannot be opened.
        ReadError: the JSON file cannot be read.
        MissingExtraError: the model needs a package that is not installed.
    """
    from logic_retrievers import judging

    if spec == AUTO:
        return "auto"
    if spec == NONE:
        return None
    name = _judge_of_folder(spec)
    if name is None and is_folder(spec):
        raise ConfigurationError(
            f"the folder {shown(spec)} holds no judge: it has none of {', '.join(_FOLDERS)}"
        )
    if is_file(spec) or spec.endswith(".json"):
        return judging.JudgeSettings.load(spec)
    if _HUB_NAME.fullmatch(spec):
        name = "CrossEncoderJudge"
    if name is None:
        raise ConfigurationError(f"no judge is named {shown(spec)}; give {_FORMS}")
    judge: AnyJudge = getattr(judging, name)(spec)
    return judge


def open_pair_judge(spec: str) -> AnyPairJudge:
    """Open a judge that compares passages; of judge settings only the judge counts.

    Raises:
        ConfigurationError: as :func:`open_judge` does. Where the judge is used, one that cannot
            compare passages is refused.
    """
    from logic_retrievers.judging import JudgeSettings, OnnxRelation

    if _judge_of_folder(spec) == "OnnxPairJudge":
        return OnnxRelation(spec)
    judge = open_judge(spec)
    if isinstance(judge, JudgeSettings):
        return "auto" if judge.judge is None else judge.judge  # type: ignore[return-value]
    return judge  # type: ignore[return-value]


def _is_spec(word: str) -> bool:
    """Whether a word after ``--judge`` is its value, and not a query or a folder of documents."""
    if word.startswith("-") or any(character.isspace() for character in word):
        return False
    if is_folder(word):
        return bool(_judge_of_folder(word))
    return word in (AUTO, NONE) or "/" in word or word.endswith(".json")


def _judge_of_folder(path: str) -> str | None:
    """Name the class that reads the model in a folder."""
    if not is_folder(path):
        return None
    return next((name for file, name in _FOLDERS.items() if is_file(Path(path) / file)), None)
