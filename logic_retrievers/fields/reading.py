"""Read from a query what it says of declared fields: "under 200 euros" is ``price < 200``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from logic_retrievers.fields import units
from logic_retrievers.fields.amounts import WORDS, Amount, find_amounts
from logic_retrievers.fields.comparisons import (
    FILLERS,
    NEAR,
    SPACE,
    any_word,
    before_number,
    before_period,
    behind,
    is_negated,
    join_periods,
    join_ranges,
    range_start,
    turned_round,
)
from logic_retrievers.fields.conditions import Bound, Condition, FieldReading
from logic_retrievers.fields.declarations import Date, Declared, Number, Year
from logic_retrievers.fields.periods import Period, back, find_periods
from logic_retrievers.text import comparable, word_forms

# A longer text counts as a document to search with and is not read.
MAX_CHARACTERS = 2_000
# most conditions of a query
_MOST = 8
# most words between a number and what it counts: "500 healthy adult participants"
_MAX_BETWEEN = 2

_LISTS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split()) for name, words in WORDS["words"].items()
}
CURRENCIES: Mapping[str, tuple[str, ...]] = {
    code: tuple(names.split()) for code, names in WORDS["currencies"].items()
}
_MONIES = frozenset(name for names in CURRENCIES.values() for name in names)
_MONEY = re.compile(rf"(?<!\w)(?:{any_word(_LISTS['money'])})(?!\w){FILLERS}$", re.IGNORECASE)
_UNIT = re.compile(rf"{SPACE}?-?(?P<first>[^\W\d_]+[²³23]?)(?:{SPACE}(?P<second>[^\W\d_]+[²³2]?))?")
_WORD = re.compile(rf"{SPACE}?-?([^\W\d_]+)")
_PER = re.compile(
    rf"(?:{SPACE}times(?!\w))?(?:{SPACE}*(?:an?|per|each|every|/){SPACE}*(?:{any_word(_LISTS['per'])}))?(?!\w)",
    re.IGNORECASE,
)
_NEXT_TO = re.compile(r"[\s:=]*(?:of|is|at)?\s*", re.IGNORECASE)
_AGE = re.compile(
    rf"(?<![\w-])(?:(?P<negated>not?|nothing|none){SPACE}+)?"
    rf"(?P<way>older|newer|younger|fresher|less|more|under|over|within|at most|at least|up to)"
    rf"(?:{SPACE}+than)?{SPACE}+$",
    re.IGNORECASE,
)
_DURATION = re.compile(
    rf"{SPACE}*-?(?P<unit>day|week|month|year|decade)s?(?P<old>{SPACE}+(?:old|of age))?"
    rf"(?!\w)(?!{SPACE}+(?:of|in|as))",
    re.IGNORECASE,
)
_AGE_OPERATORS = {"older": "lt", "more": "lt", "over": "lt", "at least": "le"}
_AGE_OPERATORS |= {"within": "ge", "at most": "ge", "up to": "ge"}
_NOT = {"lt": "ge", "gt": "le", "le": "gt", "ge": "lt"}
_WISH = rf"(?:{any_word(_LISTS['wishes'])}|if{SPACE}+possible)"
_WISH_BEFORE = re.compile(rf"(?<!\w){_WISH}(?:[\s,]|(?<!\w)(?:for|a|at)(?!\w))*$", re.IGNORECASE)
_WISH_BEHIND = re.compile(rf"[\s,]*{_WISH}(?=\s*(?:[,.;!?]|$))", re.IGNORECASE)
_AND = re.compile(r"[\s,]*(?:and|but|or)?[\s,]*", re.IGNORECASE)
# what is left hanging where words were taken out
_HANGING = re.compile(
    rf"(?:[\s,;:-]|(?<!\w)(?:{any_word(_LISTS['hanging'])})(?!\w))+$", re.IGNORECASE
)
_RELATIVE = ("rolling", "ago", "relative")
# periods that say nothing without a word before them: "may", "friday", "2021"
_NEEDS_CUE = ("year", "month", "weekday", "named", "part")


@dataclass(frozen=True, slots=True)
class _Claim:
    """A condition and its place in the text."""

    start: int
    end: int
    condition: Condition


class FieldReader:
    """Reads comparisons with declared fields from English queries, without a model.

    A number counts if a field claims it: by its unit ("200 euros"), by the field's name next to it
    ("rent at most 900", "2 bedrooms"), or, for money, by words such as "cheaper". A year without a
    field's name goes to the first declared :class:`Year`, another date to the first :class:`Date`.
    Any other number is left alone. Two conditions joined by "or" become preferences.

    Args:
        fields: checked declarations; see :func:`~logic_retrievers.fields.check_fields`.
    """

    def __init__(self, fields: Mapping[str, Declared]) -> None:
        self._numbers = {n: f for n, f in fields.items() if isinstance(f, Number)}
        self._times = {n: f for n, f in fields.items() if isinstance(f, Year | Date)}
        self._field_of = {
            word: name
            for name, field in reversed([*self._numbers.items(), *self._times.items()])
            for word in _names(name, field.words)
        }
        # name of a unit -> the stored unit that it is or is converted into, and the factor
        self._units = {
            form: (field.unit[0] if field.unit else name, factor)
            for name, field in reversed(self._numbers.items())
            for unit, factor in _factors(field).items()
            for form in word_forms(comparable(unit))
        }
        word, unit = any_word(self._field_of), any_word(self._units)
        self._word = re.compile(rf"(?<![\w-])(?P<word>{word})(?![\w-])", re.IGNORECASE)
        self._word_before = re.compile(rf"(?<![\w-])(?P<word>{word}){FILLERS}$", re.IGNORECASE)
        self._word_behind = re.compile(
            rf"[\s\u00a0-]*(?:(?:of|in|for){SPACE}+)?(?:the{SPACE}+)?(?P<word>{word})(?![\w-])",
            re.IGNORECASE,
        )
        self._unit = re.compile(rf"{SPACE}*-?{SPACE}*(?P<unit>{unit})(?!\w)", re.IGNORECASE)

    def read(self, text: str, today: date) -> FieldReading:
        """Return what the query says of the fields; relative dates count from ``today``."""
        if len(text) > MAX_CHARACTERS or not (self._numbers or self._times):
            return FieldReading(text, text)
        periods = join_periods(text, find_periods(text, today)) if self._times else []
        amounts = join_ranges(
            text,
            [
                amount
                for amount in find_amounts(text)
                if not any(p.start < amount.end and amount.start < p.end for p in periods)
            ],
        )
        found: list[Amount | Period] = sorted([*amounts, *periods], key=lambda each: each.start)
        claims: list[_Claim] = []
        unclaimed: Amount | None = None
        for item in found:
            done = claims[-1].end if claims else 0
            if item.start < done or len(claims) == _MOST:
                continue
            done = max(done, item.start - NEAR)
            if isinstance(item, Period):
                claim = self._claim_period(text, item, done, today)
            else:
                claim = self._claim_amount(text, item, done, today)
            if claim is None:
                unclaimed = item if isinstance(item, Amount) else None
                continue
            if unclaimed is not None and isinstance(item, Amount):
                claims += _sharing(text, unclaimed, item, claim, claims[-1].end if claims else 0)
            claims.append(claim)
            unclaimed = None
        return _reading(text, claims)

    def _claim_amount(self, text: str, amount: Amount, done: int, today: date) -> _Claim | None:
        if self._times and not amount.is_range:
            aged = self._claim_age(text, amount, done, today)
            if aged is not None:
                return aged
        if amount.may_be_year and self._is_named_year(text, amount, done):
            return self._claim_year(text, amount, done, today)
        operator, start = before_number(text, done, amount.start)
        end = amount.end
        if amount.is_range and (begins := range_start(text, done, amount.start)) is not None:
            operator, start = None, begins
        if operator is None:
            operator, end = behind(text, end)
        compares = operator is not None or amount.is_range
        claimed = self._field_of_amount(text, amount, done, (start, end), compares=compares)
        if claimed is None:
            return self._claim_year(text, amount, done, today) if amount.may_be_year else None
        name, factor, begin, end = claimed
        per = _PER.match(text, end)
        end = per.end() if per else end
        if operator is None:
            operator, end = behind(text, end)
        if begin < start and operator is None and not amount.is_range:
            operator, begin = before_number(text, done, begin)  # "max rent 900"
        elif begin < start:
            operator, begin = turned_round(text, done, begin, operator)
        if operator in (None, "eq", "about") and is_negated(text, done, begin):
            return None  # "not size 42" is an exclusion, which the parser reads
        low, high = _rounded(amount.low * factor), _rounded(amount.high * factor)
        condition = _compared(name, operator, low, high)
        if amount.is_choice:
            condition = replace(condition, preferred=True)
        return _claim(text, begin, end, condition)

    def _field_of_amount(
        self, text: str, amount: Amount, done: int, place: tuple[int, int], *, compares: bool
    ) -> tuple[str, float, int, int] | None:
        """Return the field of a number, the factor of its unit, and the place of all its words.

        ``place`` is that of the number with the words that compare.
        """
        start, end = place
        named = None
        before = self._word_before.search(text, done, start)
        if before and (compares or _NEXT_TO.fullmatch(text, before.end("word"), start)):
            named = self._field_of[comparable(before["word"])]
            start = before.start() if named in self._numbers else start
        measured = self._in_own_unit(text, amount, end)
        if measured is None:
            if amount.currency:
                return None  # another currency, which nothing converts
            if counted := self._counted(text, end, compares):
                return counted[0], 1.0, start, counted[1]
            measured = self._in_other_unit(text, end)
        if measured is not None:
            factors, end = measured
            if (match := self._word_behind.match(text, end)) and self._name(match) in factors:
                named, end = self._name(match), match.end()
            said = (named, *map(self._name, self._word.finditer(text)))
            # "2 years" may be said of anything, so a duration counts only if its field is named
            other = (name for name in factors if not self._is_duration(name))
            chosen = next((name for name in (*said, *other) if name in factors), None)
            return None if chosen is None else (chosen, factors[chosen], start, end)
        word = _UNIT.match(text, end)
        if word and comparable(word["first"]) in _MONIES:
            return None
        if named in self._numbers:
            return named, 1.0, start, end
        money = next((name for name, field in self._numbers.items() if field.is_money), None)
        if money is None or not compares:
            return None
        if cue := _MONEY.search(text, done, amount.start):
            return money, 1.0, min(cue.start(), start), end
        # "at least 60k" is money, unless it counts something: "at least 60k followers"
        counts = word and word["first"].lower() not in _LISTS["fillers"]
        counts = counts and not self._word_behind.match(text, end)
        return (money, 1.0, start, end) if amount.magnitude == 1000 and not counts else None

    def _in_own_unit(
        self, text: str, amount: Amount, end: int
    ) -> tuple[dict[str, float], int] | None:
        """Return the fields that have the unit by a number, each with its factor."""
        match = self._unit.match(text, end)
        unit = comparable(match["unit"]) if match else amount.currency
        if unit not in self._units:
            return None
        stored, factor = self._units[unit]
        names = (n for n, f in self._numbers.items() if (f.unit or (n,))[0] == stored)
        return dict.fromkeys(names, factor), match.end() if match else end

    def _in_other_unit(self, text: str, end: int) -> tuple[dict[str, float], int] | None:
        """Return the fields into whose units the one behind a number can be converted."""
        measures = {n: f.unit[0] for n, f in self._numbers.items() if f.unit and not f.is_money}
        word = _UNIT.match(text, end) if measures else None
        if word is None or word["first"].lower() in _LISTS["fillers"]:
            return None
        for groups in (("first", "second"), ("first",)):
            if not all(word[group] for group in groups):
                continue
            unit = " ".join(word[group] for group in groups).replace("sq ", "square ")
            factors = {name: units.conversion(unit, into) for name, into in measures.items()}
            if known := {name: factor for name, factor in factors.items() if factor}:
                return known, word.end(groups[-1])
        return None

    def _counted(self, text: str, end: int, compares: bool) -> tuple[str, int] | None:
        """Return the field whose name follows a number: "2 bedrooms", "500 adult participants"."""
        per = _PER.match(text, end)
        end = per.end() if per else end  # "900 a month rent"
        for _ in range(_MAX_BETWEEN + 1 if compares else 1):
            if match := self._word_behind.match(text, end):
                name = self._name(match)
                return (name, match.end()) if name in self._numbers else None
            word = _WORD.match(text, end)
            if word is None or word[1].lower() in _LISTS["fillers"]:
                return None
            end = word.end()
        return None

    def _claim_age(self, text: str, amount: Amount, done: int, today: date) -> _Claim | None:
        """Read an age: "not older than 5 years", "less than 2 weeks old"."""
        duration = _DURATION.match(text, amount.end)
        way = _AGE.search(text, done, amount.start)
        if duration is None or way is None:
            return None
        said = way["way"].lower()
        if not duration["old"] and said not in ("older", "newer", "younger", "fresher"):
            return None
        operator = _AGE_OPERATORS.get(said, "gt")
        operator = _NOT[operator] if way["negated"] else operator
        name, start = self._field_of_time(text, done, way.start(), None)
        day = back(today, amount.low, duration["unit"].lower())
        return _claim(text, start, duration.end(), self._in_time(name, operator, day, day))

    def _is_named_year(self, text: str, amount: Amount, done: int) -> bool:
        """Whether a year's field is named before it: "released since 2021"."""
        _, start = before_period(text, done, amount.start)
        before = self._word_before.search(text, done, start)
        return before is not None and self._name(before) in self._times

    def _claim_year(self, text: str, amount: Amount, done: int, today: date) -> _Claim | None:
        if not self._times:
            return None
        first, last = date(int(amount.low), 1, 1), date(int(amount.high), 12, 31)
        period = Period(amount.start, amount.end, first, last, "year")
        return self._claim_period(text, period, done, today)

    def _claim_period(self, text: str, period: Period, done: int, today: date) -> _Claim | None:
        operator, start, end = _around_period(text, period, done, today)
        kind = Year if period.is_years else Date
        name, begin = self._field_of_time(text, done, start, kind)
        is_named = begin < start
        match = self._word_behind.match(text, end) if kind is Year and not is_named else None
        if match and self._name(match) in self._times:
            name, end, is_named = self._name(match), match.end(), True
        of_days = isinstance(self._times[name], Date)
        if not is_named and not _counts_unnamed(period, operator, of_days=of_days):
            return None
        if is_named:
            operator, begin = turned_round(text, done, begin, operator)
        cue = text[start : period.start].lower()
        if operator in (None, "eq", "about") and is_negated(text, done, begin):
            return None  # "not in 2022"
        if operator == "lt" and cue.strip().endswith("from"):
            return None  # "not from 2022" may mean that year or all since
        first, last = period.first, period.last
        if "since" in cue and first > today and not period.has_year:
            unit = "week" if period.kind == "weekday" else "year"
            first, last = back(first, 1, unit), back(last, 1, unit)
        if period.kind == "part" and operator == "lt" and "end" in text[period.start : end].lower():
            first = last  # "before the end of June" is before its last day
        return _claim(text, begin, end, self._in_time(name, operator, first, last))

    def _field_of_time(
        self, text: str, done: int, start: int, kind: type[Year | Date] | None
    ) -> tuple[str, int]:
        """Return the field of a date, and where the words about it begin.

        Without its name it is the first field of the kind, or else the first of dates or years.
        """
        before = self._word_before.search(text, done, start)
        if before and self._name(before) in self._times:
            return self._name(before), before.start()
        fitting = (n for n, field in self._times.items() if kind and isinstance(field, kind))
        return next(fitting, next(iter(self._times))), start

    def _in_time(self, name: str, operator: str | None, first: date, last: date) -> Condition:
        if isinstance(self._times[name], Year):
            return replace(_compared(name, operator, first.year, last.year), of_years=True)
        return _compared(name, operator, first, last)

    def _name(self, match: re.Match[str]) -> str:
        return self._field_of[comparable(match["word"])]

    def _is_duration(self, name: str) -> bool:
        unit = self._numbers[name].unit
        return bool(unit) and units.conversion(unit[0], "second") is not None


def _around_period(
    text: str, period: Period, done: int, today: date
) -> tuple[str | None, int, int]:
    """Return the operator of a date, and the place of the date with the words that compare."""
    operator, start = before_period(text, done, period.start)
    begins = range_start(text, done, period.start)
    if begins is not None and (period.kind == "range" or period.first.year != period.last.year):
        operator, start = "eq", begins
    if period.kind == "relative" and period.first <= today and operator == "ge":
        is_from = text[start : period.start].strip().lower() == "from"
        operator = "eq" if is_from else operator  # "from last year" is "in last year"
    after, end = behind(text, period.end)
    operator = after or operator  # "from 2020 or earlier"
    if period.kind == "within":
        operator = "le"
    elif period.open and operator in (None, "eq", "le"):
        operator = "ge"  # "in the last two weeks"
    return operator, start, end


def _counts_unnamed(period: Period, operator: str | None, *, of_days: bool) -> bool:
    """Whether a date counts although no field is named next to it."""
    if period.kind == "within":
        return False  # "delivery within two days" is said of anything
    if of_days and operator == "eq" and period.kind not in _RELATIVE:
        return False  # "in berlin on 9 november 1989" is no date of the passage
    needs_cue = period.kind in _NEEDS_CUE and period.first.year == period.last.year
    return not needs_cue or operator not in (None, "about")


def _names(name: str, words: Iterable[str]) -> set[str]:
    """Return the names of a field in queries, singular and plural."""
    said = {comparable(each).strip() for each in (re.sub(r"[_.]+", " ", name), *words)}
    return {form for word in said for form in word_forms(word)}


def _factors(field: Number) -> dict[str, float]:
    """Return the names of a field's units, each with its factor."""
    known = CURRENCIES.get(field.unit[0], ()) if field.unit else ()
    return {**dict.fromkeys((*known, *field.unit), 1.0), **field.factors}


def _rounded(value: float) -> float:
    """Drop what a conversion adds to a round number: 0.30000000000000004 is 0.3."""
    return float(f"{value:.10g}")


def _compared(name: str, operator: str | None, first: Bound, last: Bound) -> Condition:
    """Compare a field with a number, or with the first and last value of a range."""
    match operator:
        case "lt":
            return Condition(name, high=first, high_strict=True)
        case "le":
            return Condition(name, high=last)
        case "gt":
            return Condition(name, low=last, low_strict=True)
        case "ge":
            return Condition(name, low=first)
        case _:
            return Condition(name, low=first, high=last, preferred=operator == "about")


def _sharing(text: str, one: Amount, other: Amount, claim: _Claim, done: int) -> list[_Claim]:
    """Give a number the field of the next one: "100" of "over 100 but under 160 euros"."""
    operator, start = before_number(text, max(done, one.start - NEAR), one.start)
    condition = claim.condition
    bound = condition.high if condition.low is None else condition.low
    if operator is None or condition.of_years or not isinstance(bound, int | float):
        return []
    if not _AND.fullmatch(text, one.end, claim.start):
        return []
    factor = bound / other.low if other.low else 1.0
    low, high = _rounded(one.low * factor), _rounded(one.high * factor)
    return [_claim(text, start, one.end, _compared(claim.condition.field, operator, low, high))]


def _claim(text: str, start: int, end: int, condition: Condition) -> _Claim:
    if wish := _WISH_BEFORE.search(text, max(0, start - NEAR), start):
        start, condition = wish.start(), replace(condition, preferred=True)
    elif wish := _WISH_BEHIND.match(text, end):
        end, condition = wish.end(), replace(condition, preferred=True)
    return _Claim(start, end, replace(condition, words=text[start:end].strip(" ,;:-")))


def _reading(text: str, claims: Sequence[_Claim]) -> FieldReading:
    conditions = [claim.condition for claim in claims]
    for number, (one, other) in enumerate(pairwise(claims)):
        if re.search(r"(?<!\w)or(?!\w)", text[one.end : other.start], re.IGNORECASE):
            for each in (number, number + 1):
                conditions[each] = replace(conditions[each], preferred=True)
    rest, done = "", 0
    for claim, condition in zip(claims, conditions, strict=True):
        if not condition.preferred:
            rest = _HANGING.sub("", rest + text[done : claim.start]) + " "
            done = claim.end
    rest = re.sub(r"\s+([,.;:?!])", r"\1", re.sub(r"\s+", " ", rest + text[done:])).strip(" ,;:-")
    return FieldReading(text, rest if re.search(r"\w", rest) else text, tuple(conditions))
