"""Something is not to be there: "without a pool", "no nuts", "-word"."""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule, Scope
from logic_retrievers.queries.rules.words import AUXILIARY, FILLER, PEOPLE

_THINGS = (
    r"alcoholic|alcohol|dairy|meat|vegetarian|vegan|spicy|leather|wool|wood|plastic|metal|"
    r"metallic|gluten|chocolate|chlorine|apple|android|windows|google|amazon|microsoft|disney|"
    r"netflix|western|hollywood|touristy|sponsored|electric|chain|citrus|pharmaceutical|academic|"
    r"commercial|surgical|religious|opioid|shedding|toxic|proprietary|drowsy|prescription"
)

_PLACES = (
    r"english|british|american|european|french|german|italian|japanese|chinese|korean|indian|"
    r"spanish|christian|us|uk|eu|asian|african"
)

_TECHNICAL = (
    r"hodgkin|newtonian|euclidean|gaussian|abelian|markovian|cpg|hermitian|archimedean|boolean|"
    r"bayesian|stick|stop|profit|fiction|fungible|linear|farm|conformists?|aligned|proliferation"
)

WITHOUT = Rule(
    "without",
    r"(?:without|w/o|w/out|witout|withuot)(?! (?!parking|swimming|camping|skiing|hunting|wedding|"
    r"pudding|dressing|frosting|seasoning|stuffing|lighting|heating|jumping|flying|anything|"
    r"gaming|styling)\w+ing\b)",
    not_before=(
        r"(?:how long|what would|what happens|can (?:police|you|i|we|people|a)|lets? you|"
        r"where can|is it (?:legal|safe|ok|okay|possible|true))\b.{0,140}|liv(?:e|es|ed|ing)|"
        r"life|surviv(?:e|es|ed|ing)|dies?|dying|cop(?:e|ing)|do|doing|does|did|go|goes|going|"
        r"went|gone|"
        rf"born|sleep|sleeping|{AUXILIARY}|{PEOPLE}|not|left|with(?: \S+)? (?:and|or|vs)|with|"
        r"world|a day|day|"
        r"breath(?:e|ing)|functions?|functioning|fly|flying|manage|managing|happen|happens|"
        r"occurs?|it|he|she|they|a man|girl|boy|rebels?|place|walls|girls|house|city|absence|"
        r"(?!(?:meeting|wedding|building|parking|housing|clothing|painting|pudding|stuffing|"
        r"dressing|training|anything|something|hosting)\b)\w+ing"
    ),
    not_after=(
        r"warning|notice|a trace|a cause|reserve|question|delay|remorse|parole|representation|"
        r"permission|consent|knowing|complications?|replacement|leave|trying|becoming|getting|"
        r"losing|a licen[cs]e|it|you|him|her|me|them|end|pay|papers|merit|walls|limits?|being|"
        r"having|hurting|damaging|breaking|killing|waking|paying|replacing|opening|touching|"
        r"sacrificing|compromising|gaining|ruining|leaving|asking|saying|effort|help|success|"
        r"cause|reason|[.?!]|$"
    ),
    brief=True,
    examples=(
        Example("hotels in Bergen without a pool", ("pool",), "hotels in Bergen"),
        Example("living without a spleen"),
        Example("people without health insurance"),
        Example("Doctors Without Borders"),
        Example("how to lift a car without hurting your back"),
    ),
)

WITHOUT_MENTIONING = Rule(
    "without mentioning",
    rf"(?:without|w/o|not|with no|never)(?= (?:any )?(?:{FILLER})\b)",
    before=r"^\s*|[^\w\s]\s*|\b(?!how\b|cannot\b)\w+\s*",
    not_before=r"how to \w+|did|does|do|it|is|are|was|were|why",
    not_after=(
        r"giving (?:\w+ )?(?:notice|consent|permission|warning|reasons?)|"
        rf"(?:{FILLER})\s*[.?!]*$"
    ),
    examples=(
        Example(
            "Tell me about the band without mentioning any of its singers",
            ("singers",),
            "Tell me about the band",
        ),
        Example(
            "What is he known for, but without including any information about his wife",
            ("wife",),
            "What is he known for",
        ),
        Example("How do tides work without asking which month", ("which month",)),
        Example("how to speak without using filler words"),
        Example("can a firm dismiss me without giving notice"),
    ),
)

NO_AFTER_BREAK = Rule(
    "..., no X",
    r"(?:with )?(?:absolutely )?no",
    before=r"\w[)\"']*(?:[,;.!?] | \(|\s-|\splease\s|, (?:and|but)\s)\s*",
    not_before=r"dr\.|mr\.|agent",
    not_after=(
        r"matter|doubt|longer|one|more than|less than|later than|problem|way|wonder|idea|thanks|"
        r"rush|hurry|exceptions?|need|worries|such|\d|kidding|that|it|he|she|i|but|and|or|"
        r"mention|interest|\w+ \w*(?:found|error|detected|helps|message)|[,.!?]"
    ),
    opening=None,
    brief=True,
    examples=(
        Example("pizza for six, no mushrooms or ham please", ("mushrooms", "ham"), "pizza for six"),
        Example(
            "Recommend me some jazz. No saxophones please.",
            ("saxophones",),
            "Recommend me some jazz.",
        ),
        Example("it will come, no doubt"),
    ),
)

NO_PLEASE = Rule(
    "no ... please",
    r"(?:please )?no",
    opening=True,
    not_after=(
        r"(?![^.!?]{1,60}\bplease\b|(?!rush|hurry|worries|problem|offen[cs]e|pressure|woman|need|"
        r"idea|doubt|sound|audio|signal|power)[^.!?,]{1,40}[.!,] \w+ \w+ \w+).{0,200}"
    ),
    examples=(
        Example(
            "No war films please, something for children", ("war films",), "something for children"
        ),
        Example(
            "No package tours. Quiet islands of Greece",
            ("package tours",),
            "Quiet islands of Greece",
        ),
        Example("no hot water in the shower"),
    ),
)

TERSE_NO = Rule(
    "terse no",
    r"(?:with )?(?-i:no|zero)",
    before=(
        r"^(?!.*\b(?:wh\w+|is|are|was|were|has|have|had|there|why|say|says|means|can|do|does|did|"
        r"not|how|when|if|shows?|had|showed|patients|countries|states|people|animals|"
        r"birds)\b)(?:\S+ ){0,9}[\w)'-]+\s*"
    ),
    not_before=(
        r"or|of|to|say|for|in|the|and|on|by|case|vitamin|type|chapter|article|section|house|room|"
        r"route|platform|offers?|plays?|played|a|dr|bears?|bore|yields?|produces?"
    ),
    not_after=(
        r"effect|history|evidence|longer|one|more|symptoms|connections?|relations?|links?|ties|"
        r"difference|change|reason|warning|luck|"
        r"money|interest|experience|credit|mention|\d|access|signal|internet|sound|power|"
        r"association|increase|response|[.?!]|$|show|cost|fee|role|benefit|.{0,200}[.]$|"
        r"\w+ (?:found|error|message)"
    ),
    opening=False,
    brief=True,
    examples=(
        Example("cottages with no stairs", ("stairs",), "cottages"),
        Example("quick fish supper no chips", ("chips",), "quick fish supper"),
        Example("why is there no sound"),
        Example("countries with no army"),
    ),
)

BUT_NO = Rule(
    "but no",
    r"but (?:absolutely )?(?:no|none of|nothing(?: (?:about|on|with))?)",
    before=r"^(?!.*\b(?:what|which|who|whose|where|when|why|how|has|have|had|is|was|were)\b).*",
    not_after=(
        r"one|longer|matter|way|such|more|less|luck|idea|response|answer|\w+ (?:found|response|"
        r"result)"
    ),
    examples=(
        Example("a salad plate but no olives", ("olives",), "a salad plate"),
        Example("what animal has ears but no tail"),
    ),
)

NON = Rule(
    "non-X",
    rf"non[- ](?P<trap>(?!(?:{_TECHNICAL})\b)(?:{_THINGS}|"
    rf"{_PLACES}|(?-i:[A-Z][a-z]{{3,}}[a-z-]*)))",
    scope=Scope.BETWEEN,
    not_before=r"or|versus|vs|is|are|that|it",
    not_after=(
        r"fatty|lymphoma|fluids?|fiction|mice|patients|cells|primates?|disease|rats|subjects|"
        r"speakers|steatohepatitis|beverages?"
    ),
    examples=(
        Example("non-dairy ice cream", ("dairy",), "ice cream"),
        Example("best non-Nintendo platform games", ("Nintendo",), "best platform games"),
        Example("non-Hodgkin lymphoma survival"),
        Example("non-alcoholic fatty liver disease"),
        Example("non-stick pan"),
    ),
)

WHO_ARE_NON = Rule(
    "who are non-X",
    r"(?:that|who|which) (?:is|are|was|were) non[- ](?P<trap>\w+)",
    scope=Scope.BETWEEN,
    examples=(
        Example("novelists who are non-Russian", ("Russian",), "novelists"),
        Example("functions that are nonlinear"),
    ),
)

FREE = Rule(
    "X-free",
    r"(?P<trap>gluten|dairy|sugar|nut|nuts|peanut|egg|lactose|soy|alcohol|caffeine|meat|wheat|"
    r"fragrance|paraben|sulfate|chlorine|latex|grain|salt|oil|plastic|chemical|nickel|pork|"
    r"cookie|gore|spoiler|car|crowd|child|kid|traffic)[- ]free",
    scope=Scope.BETWEEN,
    not_after=r"diets?|radicals?|range|meaning|definition|[.?!]|$",
    examples=(
        Example("sugar-free lemonade for children", ("sugar",), "lemonade for children"),
        Example("tax-free savings"),
    ),
)

FREE_OF = Rule(
    "free of",
    r"(?:that (?:is|are) )?(?:(?:completely |totally )?free (?:of|from)|exclusive of|devoid of)",
    not_before=(
        rf"{AUXILIARY}|it|become|break|set|get|got|for|stay|keep|someone|you|"
        rf"(?:how to )?keep(?: \S+){1, 2}"
    ),
    brief=True,
    not_after=r"charge|cost|tax|errors?|debt|fear|sin|bugs|the|cancer|pain|rent",
    examples=(
        Example("crackers free of sesame", ("sesame",), "crackers"),
        Example("museums free of charge"),
    ),
)

MINUS = Rule(
    "minus",
    r"minus|sans|(?<=,\s)less(?= the )",
    before=r"\w{2,}\)?,?\s*|[(]\s*",
    not_before=(
        r"plus|surplus|degrees?|is|are|of|equals|times|and|or|blood type|type|ab|the|a|comic|"
        r"font|serif|une|jour|vie"
    ),
    not_after=(
        r"\d|ten|five|fifteen|twenty|thirty|forty|sign|times|equals|and|or|serif|font|comic|a|"
        r"one|two|three|half|the square|degrees|vs|souci|frontieres|fronti\w+"
    ),
    brief=True,
    examples=(
        Example("the tasting menu minus the wine", ("wine",), "the tasting menu"),
        Example("comic sans font"),
        Example("five minus two"),
    ),
)

MINUS_WORD = Rule(
    "-word",
    r"-(?P<trap>[^\W\d]{3,})",
    scope=Scope.BETWEEN,
    before=r"\s|^",
    not_before=(
        r"-|\d|(?:^|sudo )(?:git|ls|tar|pip|docker|curl|grep|ssh|apt|npm|rm|cp|kubectl|ps|"
        r"chmod)\b.{0,150}"
    ),
    not_after=r".*[.?]\s*$",
    examples=(
        Example("jaguar speed -car", ("car",), "jaguar speed"),
        Example("tar -xzf archive"),
        Example("how does high -dash speed flow behave ."),
        Example("how cold is -40 degrees"),
    ),
)
