"""What nobody should do on the way: "how can a town cut traffic without widening roads"."""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule, Scope
from logic_retrievers.queries.rules.words import FILLER

_METHOD = (
    r"(?:\bhow (?:can|could|should|might|would|to|do (?:i|we|you|people|one))|"
    r"(?<!\bthis\s)(?<!\bthat\s)(?<!\bthese\s)(?<!\bthose\s)(?<!\bsuch\s)\b(?:ways?|methods?|"
    r"means (?:of|to)|strateg(?:y|ies)|techniques?|approach(?:es)?|tips|tricks|steps|tactics|ideas|"
    r"policies|measures|practices|exercises|alternatives))\b[^.?!;]{2,140}"
)
"""A way to do something is asked for."""

_MISHAP = (
    r"hurting|harming|injuring|damaging|breaking|killing|ruining|destroying|wrecking|burning|"
    r"scratching|tearing|cracking|bruising|crushing|squeezing|spilling|staining|smearing|"
    r"upsetting|offending|annoying|disturbing|bothering|waking|scaring|alienating|hitting|"
    r"violating|infringing|costing|compromising|sacrificing|jeopardi[sz]ing|risking|endangering|"
    r"exceeding|straining|overloading|shrinking|melting|distorting|corrupting|affecting|impairing|"
    r"interrupting|triggering|deleting|erasing|emitting|releasing|losing|wasting|missing|"
    r"forgetting|leaking|draining|voiding|gaining|falling|slipping|worsening|spending|paying|"
    r"going(?! to\b)"
)
"""What befalls, which no one chooses as a means."""

_STATE = (
    r"being|having|becoming|getting|needing|requiring|causing|producing|containing|leading|"
    r"resulting|making|keeping|knowing|noticing|reali[sz]ing|thinking|feeling|seeing|looking|"
    r"hearing|remembering|understanding|worrying|touching|leaving|asking|telling|saying|giving|"
    r"trying|stopping|ending|closing|waiting|anything|nothing|something"
)

_OUTCOME = (
    r"(?:raising|lowering|increasing|decreasing|reducing|changing|slowing) (?:(?:my|your|his|her|"
    r"their|its|the|any) )?(?:\w+ )?(?:pressure|sugar|temperature|levels?|glucose|cholesterol|"
    r"weight|rate|unemployment|costs?|prices?|risk|quality|performance|volume|inflation|"
    r"suspicion|pain|meaning|heart|synthesis|speed)"
)
"""A measure that changes by itself."""

_NO_OBJECT = (
    r"(?:it|them|him|her|me|us|you|\w+self|\w+selves|anything|anyone|everything|too|so|and|or|"
    r"as|when|while|if|but|its|their|off|out|down|over|against|through|around|across|behind)\b|"
    r"[.?!,]|$"
)

WITHOUT_DOING = Rule(
    "without doing",
    rf"without(?= (?!(?:{_MISHAP}|{_STATE}|{_OUTCOME}|{FILLER})\b)[a-z]{{2,}}ing (?!{_NO_OBJECT})"
    r"\w)",
    before=_METHOD,
    not_before=r"how (?:to|(?:can|could|should|do) (?:i|we|you|people|one)) \w+",
    opening=False,
    examples=(
        Example(
            "How can a town cut traffic without widening the ring road?",
            ("widening the ring road",),
            "How can a town cut traffic?",
        ),
        Example(
            "ways to pay less for power without installing solar panels",
            ("installing solar panels",),
            "ways to pay less for power",
        ),
        Example("how can I remove a tick without squeezing its body"),
        Example("how to eat fruit every day without raising blood sugar"),
        Example("how do fish sleep without folding their fins"),
        Example("how to sing without reading music"),
    ),
)

TAKING_INTO_ACCOUNT = Rule(
    "without taking ... into account",
    r"without taking (?P<trap>[^.?!;:\n]{1,100}?) into (?:account|consideration)",
    scope=Scope.BETWEEN,
    not_before=r"(?:can (?!you\b)|is it |may |do |does )\S+.{0,140}",
    examples=(
        Example(
            "Without taking the rent into account, what does a cafe cost?",
            ("rent",),
            "what does a cafe cost?",
        ),
        Example("can banks lend without taking risk into account"),
    ),
)
