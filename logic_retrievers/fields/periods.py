"""Find dates in a query: "3 March 2021", "2026-03", "last year", "the past two weeks"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from logic_retrievers.fields.amounts import NUMBER_WORD, WORDS, read_number

_MONTHS = WORDS["time"]["months"].split()
_WEEKDAYS = WORDS["time"]["weekdays"].split()
_UNITS = {"day": 1, "week": 7, "fortnight": 14, "month": 0, "quarter": 0, "year": 0, "decade": 0}
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12, "decade": 120}

_MONTH = (
    "(?:" + "|".join(f"{m}|{m[:3]}[.]?" + ("|sept[.]?" * (m[:3] == "sep")) for m in _MONTHS) + ")"
)
_WEEKDAY = "(?:" + "|".join(_WEEKDAYS) + ")"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_UNIT = "(?P<unit>day|week|fortnight|month|quarter|year|decade)s?"
_COUNT = rf"(?P<count>\d{{1,3}}|{NUMBER_WORD}|(?:a )?couple of|few|several)"
_PATTERN = re.compile(
    "|".join(
        [
            rf"(?P<iso>{_YEAR}-(?:0\d|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)",
            rf"(?P<day_month>{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?)",
            rf"(?P<month_day>{_MONTH} {_DAY}(?!\d|:)(?:,? {_YEAR})?)",
            rf"(?P<month_year>{_MONTH},? {_YEAR})",
            rf"(?P<dotted>(?:0?[1-9]|[12]\d|3[01])[.](?:0?[1-9]|1[0-2])[.]{_YEAR})",
            rf"(?P<slashed>(?:0?[1-9]|1[0-2])/{_YEAR})",
            rf"(?P<quarter_year>q[1-4] {_YEAR})",
            rf"(?P<rolling>(?:the )?(?P<way>last|past|previous|next|coming|following) "
            rf"{_COUNT} {_UNIT})",
            rf"(?P<within>within {_COUNT.replace('count', 'days')} {_UNIT.replace('unit', 'of')})",
            rf"(?P<ago>(?P<ago_count>\d{{1,3}}|an?|{NUMBER_WORD}) "
            r"(?P<ago_unit>day|week|month|year)s? ago)",
            rf"(?P<relative>(?P<the>the )?(?P<which>last|past|previous|this|current|next|coming) "
            rf"(?:calendar )?(?P<span>week|month|quarter|year|decade|{_MONTH}|{_WEEKDAY}))",
            r"(?P<named>today|yesterday|tomorrow|now)",
            rf"(?P<decade>(?:the )?(?:{_YEAR[:-2]}0|['\u2019]?[2-9]0)'?s)",
            rf"(?P<part>(?:the )?(?:start|beginning|middle|mid|end) (?:of )?(?:the )?"
            rf"(?P<part_of>{_MONTH}(?: {_YEAR})?|(?:this |next |last )?(?:week|month|year)"
            rf"|{_YEAR})|"
            rf"(?P<mid>mid[- ](?P<mid_of>{_MONTH}(?: {_YEAR})?)))",
            rf"(?P<month>{_MONTH})(?! \d)",
            rf"(?P<weekday>{_WEEKDAY})",
        ]
    ).join((r"(?<![\w/.-])(?:", r")(?![\w/-])")),
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days that a query names.

    Args:
        start, end: its place in the text.
        first, last: its days, both inclusive.
        kind: the form in which it is named; ``month`` and ``weekday`` are names alone.
        open: "past": the period runs from ``first`` until now, so that it has no last day.
        has_year: whether the year is said or follows from "last" or "ago".
    """

    start: int
    end: int
    first: date
    last: date
    kind: str
    open: bool = False
    has_year: bool = True

    @property
    def is_years(self) -> bool:
        """Whether the period is one or more whole years."""
        ends = (self.first.month, self.first.day, self.last.month, self.last.day)
        return ends == (1, 1, 12, 31) and not self.open

    def up_to(self, other: Period) -> Period:
        """Return the range from this period to another; "March" takes the year of "May 2026"."""
        first = self.first
        if not self.has_year:
            first = back(first, first.year - other.first.year, "year")
            first = back(first, 1, "year") if first > other.last else first
        has_year = self.has_year or other.has_year
        return Period(self.start, other.end, first, other.last, "range", False, has_year)


def find_periods(text: str, today: date) -> list[Period]:
    """Find the periods of a query, in order."""
    return [found for match in _PATTERN.finditer(text) if (found := _period(match, today))]


def back(today: date, count: float, unit: str) -> date:
    """Return the day that is some days, weeks, months, ... before ``today``; negative is ahead."""
    if unit in _MONTHS_OF:
        return _add_months(today, -round(count * _MONTHS_OF[unit]))
    return today - timedelta(days=round(count * _UNITS[unit]))


def _period(match: re.Match[str], today: date) -> Period | None:
    kind = match.lastgroup or ""
    kind = next(name for name in _KINDS if match[name])
    try:
        found = _KINDS[kind](match, today)
    except (ValueError, OverflowError):  # the 31st of June
        return None
    if found is None:
        return None
    first, last, *more = found
    return Period(*match.span(), first, last, kind, *more)


_Days = tuple[date, date] | tuple[date, date, bool] | tuple[date, date, bool, bool]


def _iso(match: re.Match[str], _today: date) -> _Days:
    year, month, *day = map(int, match["iso"].split("-"))
    return _day(date(year, month, day[0])) if day else _whole_month(year, month)


def _day_of_month(match: re.Match[str], today: date) -> _Days:
    text = match["day_month"] or match["month_day"]
    month = _month_number(next(iter(re.findall("[a-z]{3,}", re.sub(" of ", " ", text), re.I))))
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    day, year = numbers[0], numbers[1] if len(numbers) > 1 else _nearest_year(month, today)
    return (*_day(date(year, month, day)), False, len(numbers) > 1)


def _month_of_year(match: re.Match[str], _today: date) -> _Days:
    text = match["month_year"]
    return _whole_month(int(text[-4:]), _month_number(text))


def _dotted(match: re.Match[str], _today: date) -> _Days:
    day, month, year = map(int, match["dotted"].split("."))
    return _day(date(year, month, day))


def _slashed(match: re.Match[str], _today: date) -> _Days:
    month, year = map(int, match["slashed"].split("/"))
    return _whole_month(year, month)


def _quarter_year(match: re.Match[str], _today: date) -> _Days:
    quarter, year = int(match["quarter_year"][1]), int(match["quarter_year"][-4:])
    return _months(year, 3 * quarter - 2, 3)


def _rolling(match: re.Match[str], today: date) -> _Days:
    count, unit = _count(match["count"]), match["unit"].lower()
    if match["way"].lower() in ("last", "past", "previous"):
        return back(today, count, unit), today, True
    return today, back(today, -count, unit)


def _within(match: re.Match[str], today: date) -> _Days:
    return today, back(today, -_count(match["days"]), match["of"].lower())


def _count(said: str) -> float:
    few = {"few": 3, "several": 3}
    return 2 if "couple" in said else few.get(said.lower()) or read_number(said) or 1


def _ago(match: re.Match[str], today: date) -> _Days:
    said, unit = match["ago_count"].lower(), match["ago_unit"].lower()
    day = back(today, 1 if said in ("a", "an") else read_number(said) or 1, unit)
    return (date(day.year, 1, 1), date(day.year, 12, 31)) if unit == "year" else _day(day)


def _relative(match: re.Match[str], today: date) -> _Days:
    which, span = match["which"].lower(), match["span"].lower()
    if match["the"] and which in ("last", "past") and span in _UNITS:
        return back(today, 1, span), today, True  # not the calendar's: "in the last month"
    step = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(which, -1)
    return _span(span, step, today)


def _span(span: str, step: int, today: date) -> _Days:
    """Return the days of this (0), the last (-1) or the next (1) week, month, March, Monday."""
    if span == "week":
        monday = today + timedelta(days=7 * step - today.weekday())
        return monday, monday + timedelta(days=6)
    if span == "month":
        month = _add_months(today.replace(day=1), step)
        return _whole_month(month.year, month.month)
    if span == "quarter":
        month = _add_months(date(today.year, today.month - (today.month - 1) % 3, 1), 3 * step)
        return _months(month.year, month.month, 3)
    if span == "year":
        return _months(today.year + step, 1, 12)
    if span == "decade":
        return _months(today.year // 10 * 10 + 10 * step, 1, 120)
    if span in _WEEKDAYS:
        ahead = (_WEEKDAYS.index(span) - today.weekday()) % 7
        if step < 0:
            ahead = ahead - 7 if ahead else -7
        return _day(today + timedelta(days=ahead or 7 * step))
    month_number = _month_number(span)
    year = today.year
    if step < 0 and month_number >= today.month:
        year -= 1
    if step > 0 and month_number <= today.month:
        year += 1
    return _whole_month(year, month_number)


def _named(match: re.Match[str], today: date) -> _Days:
    step = {"yesterday": -1, "tomorrow": 1}.get(match["named"].lower(), 0)
    return _day(today + timedelta(days=step))


def _decade(match: re.Match[str], _today: date) -> _Days:
    number = int(re.sub(r"\D", "", match["decade"]))
    if number < 100:
        number += 2000 if number <= 20 else 1900
    return _months(number, 1, 120)


def _part(match: re.Match[str], today: date) -> _Days | None:
    """Return the first, middle or last third of a month, a year or a week."""
    said = match["part"].lower()
    of = (match["part_of"] or match["mid_of"]).lower()
    has_year = True
    if re.fullmatch(_YEAR, of):
        first, last = date(int(of), 1, 1), date(int(of), 12, 31)
    elif of.split()[-1] in ("week", "month", "year"):
        step = {"next": 1, "last": -1}.get(of.split()[0], 0)
        first, last, *_ = _span(of.split()[-1], step, today)
    else:
        month, has_year = _month_number(of), of[-4:].isdecimal()
        year = int(of[-4:]) if has_year else _nearest_year(month, today)
        first, last, *_ = _whole_month(year, month)
    third = (last - first) / 3
    if "end" in said.split():
        return last - third + timedelta(days=1), last, False, has_year
    if "start" in said or "beginning" in said:
        return first, first + third - timedelta(days=1), False, has_year
    return first + third, last - third, False, has_year


def _month_alone(match: re.Match[str], today: date) -> _Days:
    month = _month_number(match["month"])
    return (*_whole_month(_nearest_year(month, today), month), False, False)


def _weekday_alone(match: re.Match[str], today: date) -> _Days:
    ahead = (_WEEKDAYS.index(match["weekday"].lower()) - today.weekday()) % 7
    return (*_day(today + timedelta(days=ahead)), False, False)


_KINDS = {
    "iso": _iso,
    "day_month": _day_of_month,
    "month_day": _day_of_month,
    "month_year": _month_of_year,
    "dotted": _dotted,
    "slashed": _slashed,
    "quarter_year": _quarter_year,
    "rolling": _rolling,
    "within": _within,
    "ago": _ago,
    "relative": _relative,
    "named": _named,
    "decade": _decade,
    "part": _part,
    "month": _month_alone,
    "weekday": _weekday_alone,
}


def _day(day: date) -> tuple[date, date]:
    return day, day


def _whole_month(year: int, month: int) -> tuple[date, date]:
    return _months(year, month, 1)


def _months(year: int, month: int, count: int) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, _add_months(first, count) - timedelta(days=1)


def _add_months(day: date, count: int) -> date:
    months = day.year * 12 + day.month - 1 + count
    first = date(months // 12, months % 12 + 1, 1)
    length = (_next_month(first) - first).days
    return first.replace(day=min(day.day, length))


def _next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _month_number(text: str) -> int:
    names = [month[:3] for month in _MONTHS]
    return next(
        names.index(word[:3]) + 1
        for word in re.findall("[a-z]+", text.lower())
        if word[:3] in names
    )


def _nearest_year(month: int, today: date) -> int:
    """Return the year of the occurrence of a month that is nearest to today."""
    ahead = (month - today.month + 6) % 12 - 6
    return today.year + (today.month + ahead - 1) // 12
