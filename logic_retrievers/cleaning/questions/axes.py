"""Words that say of whom or what a sentence is true: on every axis one excludes the others."""

from __future__ import annotations

from collections.abc import Mapping

from logic_retrievers.cleaning.differences.words import vocabulary

_AXES = """
group: adult child infant baby toddler teenager adolescent youth elderly senior pensioner student
pupil teacher employee worker staff contractor freelancer manager director executive trainee intern
apprentice volunteer member guest visitor resident tourist citizen foreigner owner tenant landlord
patient pregnant breastfeeding man woman boy girl men women children married single divorced widowed
couple family individual customer supplier passenger driver rider pedestrian cyclist player coach
beginner expert administrator moderator viewer editor subscriber buyer seller parent mother father
full-time part-time permanent temporary seasonal undergraduate graduate postgraduate newborn adults
taxpayer household company business nonprofit charity nurse doctor surgeon pilot driver captain
crew referee goalkeeper tenant lessee borrower lender donor recipient carer veteran newcomer
bachelor master doctoral phd dog cat horse cow pig sheep rabbit bird puppy kitten foal calf lamb
ewe ram mare stallion hen cockerel duck goose turkey goat donkey pony hamster parrot fish
grown-up youngster schoolchild preschooler retiree widow widower orphan spouse partner spinster
minor juvenile civilian soldier officer sergeant private lieutenant colonel cadet recruit
professor lecturer assistant associate fellow researcher technician librarian dean principal
headteacher tutor examiner candidate applicant examinee alumnus freshman sophomore novice
amateur professional intermediate learner instructor trainer foreman supervisor clerk cashier
analyst consultant engineer developer architect designer programmer operator mechanic electrician
plumber carpenter cleaner cook chef waiter porter receptionist caretaker gardener farmer fisherman
salesperson accountant auditor lawyer solicitor barrister judge juror notary witness defendant
plaintiff claimant prosecutor minister secretary treasurer chairman chairwoman president deputy
dentist midwife physician pharmacist paramedic therapist psychologist vet inpatient outpatient
diabetic smoker non-smoker drinker vegetarian vegan athlete runner swimmer climber skier sailor
walker hiker camper angler hunter anglers motorcyclist motorist trucker lorry truck van taxi bus
tram motorbike motorcycle scooter bicycle moped tractor trailer caravan motorhome barge yacht ferry
importer exporter manufacturer wholesaler retailer trader shopkeeper consumer investor shareholder
creditor debtor policyholder beneficiary insured payer payee depositor saver homeowner occupier
lodger sublet squatter immigrant refugee emigrant expatriate national non-resident commuter
local outsider stranger subscriber nonmember non-member founder director trustee partner
self-employed unemployed employed salaried hourly-paid freelance disabled able-bodied blind deaf
singles groups syndicate team school club association cooperative foundation authority
male female undergraduates twins premature full-term
plan: basic standard premium professional pro enterprise starter plus lite free trial advanced
deluxe economy business classic gold silver bronze platinum personal team ultimate
essential essentials comfort superior executive first-class second-class saver flex flexible
superflex saver anytime off-peak mini maxi max compact entry-level mid-range high-end unlimited
diamond ruby sapphire emerald corporate family student junior senior developer hobby solo duo trio
one-way
region: domestic international national regional local european american asian african northern
southern eastern western north south east west central coastal inland mountain urban rural overseas
mainland island offshore onshore highland lowland harbour downtown suburb suburban city countryside
town village capital province arctic tropical temperate alpine nordic mediterranean baltic
abroad home continental upstream downstream upland valley hillside riverside seaside lakeside
northeast northwest southeast southwest uptown underground surface upper lower inner outer
british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss
austrian polish czech danish swedish norwegian finnish greek turkish russian ukrainian japanese
chinese korean indian australian canadian mexican brazilian argentine egyptian kenyan
season: winter summer spring autumn weekday weekend holiday daytime night morning evening peak
afternoon noon midnight dawn dusk monsoon dry rainy off-season high-season low-season
monday tuesday wednesday thursday friday saturday sunday weekdays weekends
january february march april june july august september october november december
kind: petrol diesel electric hybrid manual automatic hardback paperback ebook wired wireless
indoor outdoor desktop mobile laptop gas oil coal wood solar wind nuclear hydro battery mains
corded cordless analogue digital new used second-hand refurbished raw cooked fresh frozen dried
tinned canned whole skimmed smoked organic conventional wool cotton silk linen leather synthetic
wooden steel aluminium iron copper plastic glass concrete brick stone tablet capsule syrup cream
ointment injection oral topical intravenous intramuscular spray drops liquid powder solid
red white rose sparkling still black green hot cold wet dry light dark online offline paper
printed electronic handwritten cash card cheque transfer letter parcel postcard registered express
airmail sea air rail road inbound outbound arrival departure incoming outgoing upload download
input output read write import export primary secondary tertiary nursery kindergarten
qualifying final semifinal preliminary elementary advanced written practical theory
residential commercial industrial agricultural public private civil criminal
mild moderate severe acute chronic early late
money: net gross
period: hourly daily nightly weekly fortnightly monthly quarterly half-yearly yearly annual annually
"""


def _read(table: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    axis = ""
    for word in table.split():
        if word.endswith(":"):
            axis = word[:-1]
        else:
            found.setdefault(word, set()).add(axis)
    return {word: frozenset(axes) for word, axes in found.items()}


AXES = _read(_AXES)
"""Word -> the axes that it is on."""

HEADS = vocabulary(
    """
    plan tier subscription package edition model version variant series type class grade size
    level line platform branch store shop office site campus plant factory warehouse region state
    province county district canton municipality city town village country market zone area house
    hotel room suite cabin department team division subsidiary school university club league team
    season year quarter census survey tax fiscal policy scheme fund account card phone router
    printer camera car engine tablet capsule dose vaccine course module chapter section article
    flight train bus route station airport port terminal gate
    tariff fare ticket pass membership licence license permit category band group stage phase step
    semester term period wave round cohort generation vintage batch lot collection range product
    device machine appliance unit instance server cluster region language locale currency
    embassy consulate ministry court council authority agency bureau borough parish territory island
    lake river valley coast bay harbour pier dock quay bridge tunnel road street lane avenue square
    park garden reserve forest field farm vineyard estate mine quarry mill depot yard
    building block wing floor hall ward clinic hospital surgery pharmacy practice laboratory lab
    museum gallery theatre cinema library archive church cathedral castle palace tower stadium pool
    gym studio restaurant cafe bar pub bakery kitchen canteen
    line tram metro ferry ship vessel boat aircraft plane helicopter drone truck lorry van tractor
    bike scooter motorcycle trailer
    brand label firm company bank insurer airline operator carrier provider supplier manufacturer
    formula recipe variety breed species strain cultivar crop
    role position job post rank degree subject major faculty institute programme program
    tournament cup championship race event edition heat
    loan mortgage bond share contract insurance cover benefit allowance pension grant bursary
    """
)
"""Nouns whose name or number says which one is meant: the Basic plan, room 12."""


def axes_of(key: str) -> frozenset[str]:
    """The axes that a word is on; most are on none."""
    for form in (key, key.removesuffix("s"), key.removesuffix("es"), f"{key[:-3]}y"):
        if form in AXES:
            return AXES[form]
    return frozenset()
