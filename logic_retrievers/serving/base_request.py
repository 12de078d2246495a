"""The base of all requests, and the limits of their fields."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from logic_retrievers.validation import is_encodable

# maximum characters of a text; encoders read only about the first 256 tokens
MAX_CHARACTERS = 10_000

Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
Probability = Annotated[float, Field(ge=0, le=1, strict=True)]


class BaseRequest(BaseModel):
    """Refuses unknown fields and texts that no engine and no response can hold."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _check_characters(cls, values: Any) -> Any:
        # engines and responses cannot hold lone surrogates
        try:
            text = json.dumps(values, ensure_ascii=False, skipkeys=True, default=str)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        if not is_encodable(text):
            raise ValueError("a text has half a character (a lone surrogate)")
        return values
