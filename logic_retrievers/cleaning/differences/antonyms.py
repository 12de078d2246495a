"""Pairs of words of which only one can be true of a thing."""

from __future__ import annotations

from collections.abc import Mapping

from logic_retrievers.cleaning.differences.words import stem

_PAIRS = """
increase/decrease,reduce,lower,fall,drop,decline increases/decreases rise,rose,risen/fall,fell,drop
raise/lower,reduce,cut grow,grew/shrink,shrank gain/lose,loss gained/lost climb/descend
higher/lower highest/lowest high/low more/less,fewer most/least maximum/minimum max/min
above/below,under over/under up/down upper/lower top/bottom upward/downward uphill/downhill
ascending/descending ascend/descend forward/backward forwards/backwards
big,large/small,little larger/smaller largest/smallest bigger/smaller long/short longer/shorter
longest/shortest tall/short wide/narrow wider/narrower thick/thin deep/shallow broad/narrow
heavy/light heavier/lighter heaviest/lightest fast,quick/slow faster,quicker/slower
fastest/slowest strong/weak stronger/weaker strongest/weakest hard/soft rough/smooth
hot,warm/cold,cool hotter,warmer/colder,cooler wet/dry full/empty rich/poor
cheap,inexpensive/expensive,dear cheaper/dearer old/new,young older/newer,younger
oldest/newest,youngest early/late earlier/later earliest/latest first/last before/after
previous/next beginning,start/end begin/end starts,begins/ends,stops,finishes start/stop,finish
open/closed,shut,close opens/closes opened/closed opening/closing on/off enable/disable
enabled/disabled activate/deactivate activated/deactivated active/inactive
allow,permit/forbid,prohibit,ban,prevent allowed,permitted/forbidden,prohibited,banned
admitted/excluded accept/reject,refuse,decline accepted/rejected,refused,declined
approve/reject,refuse approved/rejected,refused include/exclude included/excluded
includes/excludes including/excluding mandatory,compulsory,obligatory,required/optional,voluntary
necessary,needed/unnecessary legal,lawful/illegal,unlawful safe/unsafe,dangerous,hazardous
harmless/harmful,dangerous healthy/unhealthy,sick helpful/useless effective/ineffective
possible/impossible able/unable available/unavailable present/absent presence/absence
visible/hidden,invisible public/private free/paid,chargeable exempt/subject,liable
taxable/exempt deductible/non-deductible refundable/non-refundable
true/false right/wrong correct/incorrect,wrong valid/invalid,void agree/disagree
agreed/disagreed confirm/deny confirmed/denied prove/disprove proven/unproven
support/oppose supports/opposes supported/opposed for/against with/without
success/failure succeed/fail succeeded/failed successful/unsuccessful win/lose won/lost
wins/loses pass/fail passed/failed victory/defeat profit/loss profitable/unprofitable
surplus/deficit income/expense credit/debit asset/liability buy/sell bought/sold buyer/seller
import/export imports/exports lend/borrow give/take enter/leave,exit entry,entrance/exit
arrive/depart arrival/departure arrivals/departures inside/outside indoor/outdoor
indoors/outdoors internal/external inner/outer interior/exterior left/right
north/south east/west northern/southern eastern/western push/pull attach/detach
attached/detached connect/disconnect connected/disconnected lock/unlock locked/unlocked
install/uninstall installed/uninstalled insert/remove add/remove added/removed
keep/delete,discard kept/deleted,discarded save/delete create/destroy created/destroyed
build/demolish built/demolished expand/contract extend/shorten extended/shortened
accelerate/slow improve/worsen improved/worsened improves/worsens better/worse best/worst
benefit/harm advantage/disadvantage strengthen/weaken tighten/loosen
stimulate,activate,promote/inhibit,suppress promotes,stimulates/inhibits,suppresses
cause/prevent causes/prevents toxic/non-toxic acid/alkaline acidic/alkaline positive/negative
permanent/temporary fixed/variable,removable,movable constant/variable static/dynamic
manual/automatic manually/automatically digital/analogue,analog wired/wireless
mutable/immutable synchronous/asynchronous public/internal encrypted/unencrypted
read-only/writable always/never often/rarely,seldom usually/rarely everyone,everybody/nobody
everything/nothing all/none everywhere/nowhere many/few majority/minority both/neither
alive/dead living/dead born/died male/female man/woman men/women natural/artificial,synthetic
raw/cooked fresh/stale sweet/sour,bitter bright/dark,dim light/dark loud/quiet,silent noisy/quiet
busy/idle crowded/empty single/double simple/complex,complicated easy/difficult,hard
easier/harder guilty/innocent formal/informal voluntary/compulsory separately/together
individually/jointly waterproof/permeable vertical/horizontal odd/even summer/winter day/night
clockwise/anticlockwise,counterclockwise morning/evening sunrise/sunset friend/enemy war/peace
attract,attracts/repel,repels shrink,contract/stretch,expand,swell loose/tight tighten/loosen
loosely,gently/tightly,firmly expand/contract,shrink inflate/deflate freeze/melt,thaw heat/cool
warm/chill fasten/unfasten,undo load/unload pack/unpack wrap/unwrap cover/uncover,expose
show/hide reveal/conceal,hide remember/forget teach/learn arrive/leave lift/lower,drop
pull/push sink/float rise/sink,set fill/empty,drain praise/criticise,criticize encourage/discourage
respect/disregard trust/distrust obey/disobey like/dislike mix/separate join,unite/split,separate
merge/split unite/divide combine/separate gather/scatter sow/harvest,reap wake/sleep
stand/sit laugh/cry float/sink dissolve/precipitate absorb/emit,release,reflect
oxidise/reduce ionise/neutralise evaporate/condense hire,recruit/dismiss,fire promote/demote
admit/deny,exclude acquit/convict acquitted/convicted guilty/innocent grant/refuse,deny,withhold
granted/refused,denied,withheld uphold/overturn upheld/overturned,quashed ratify/reject
sweeten/sour sharp/blunt,dull smooth/coarse coarse/fine dense/sparse,thin dry/moist,damp
clean/dirty clear/cloudy,opaque transparent/opaque solid/liquid,hollow stiff,rigid/flexible
brittle/tough elastic/rigid steep/gentle,flat straight/curved,bent,crooked even/uneven
common/rare,scarce frequent/rare,infrequent frequently/rarely,seldom regular/irregular
abundant/scarce plentiful/scarce generous/stingy strict/lenient,lax tame/wild poisonous,toxic/edible
edible/inedible,poisonous deciduous/evergreen annual/perennial nocturnal/diurnal
carnivorous/herbivorous domestic/foreign,wild innate,inborn/learned,acquired dominant/recessive
acute/chronic benign/malignant contagious/harmless conscious/unconscious
partial/full,complete,total partly/fully,wholly,entirely complete/incomplete whole/part
exactly/roughly,approximately precise/vague direct/indirect directly/indirectly
explicit/implicit general/specific,particular universal/local global/local central/peripheral,remote
near/far close/distant,far nearby/distant remote/nearby adjacent/distant parallel/perpendicular
concave/convex front/back,rear ahead/behind overhead/underfoot onshore/offshore upstream/downstream
leeward/windward port/starboard inland/coastal underground/overground,surface
opponent/supporter attacker/defender ally/enemy winner/loser victor/loser employer/employee
landlord/tenant lender/borrower creditor/debtor host/guest teacher/pupil,student
solvent/insolvent,bankrupt thrift/waste scarcity/abundance shortage/surplus,glut
peak/trough,low zenith/nadir ceiling/floor boom/bust,slump growth/decline,contraction
love/hate rural/urban ancient/modern major/minor senior/junior employed/unemployed
"""


def _read(pairs: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in pairs.split():
        left, right = (side.split(",") for side in pair.split("/"))
        for here in left:
            for there in right:
                for one, other in ((here, there), (stem(here), stem(there))):
                    found.setdefault(one, set()).add(other)
                    found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


ANTONYMS = _read(_PAIRS)
"""Word, or its stem -> its opposites."""


def antonyms(word: str) -> frozenset[str]:
    """The opposites of a word, some as they are written and some as stems."""
    return ANTONYMS.get(word, frozenset()) | ANTONYMS.get(stem(word), frozenset())


def forms(word: str) -> tuple[str, str]:
    """What a word is found by among the opposites of another."""
    return word, stem(word)
