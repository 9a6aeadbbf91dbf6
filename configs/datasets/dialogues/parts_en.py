"""English passages and questions that `make.py` fills. `{x}` is the thing, `{s}` its genitive, other braces facts."""

ONSETS = "b br c d dr f fl g gr h j k l m n p pr r s st t th tr v w".split()
VOWELS = "a e i o u a e o ea au y".split()
CODAS = ["", "", "n", "r", "l", "s", "m", "t", "nd", "ng"]
MATERIALS = "granite;slate;oak planks;copper plates;red brick;limestone;larch boards;basalt;glazed tiles;marble".split(";")
WOODS = "pear wood;walnut;maple;cherry wood;spruce;olive wood;ash;beech;yew;lime wood".split(";")
BOWS = "a bow of horsehair;a goose feather;two small hammers;the bare fingers;a wheel with a crank;a ring of horn".split(";")
FEASTS = "Lantern;Kite;Barrel;Candle;Raft;Drum;Bell;Apple;Straw;Salt".split(";")
DISHES = "smoked trout;plum dumplings;chestnut bread;barley soup;fried cheese;honey cakes;pickled pears;eel pie".split(";")
PLACES = "the granary;the old mill;the fish market;the riding school;the monastery yard;the salt store;the station hall".split(";")
MACHINES = (
    "loom|weaving machine|weaves {n2} metres of cloth;press|printing machine|prints {n2} sheets;"
    "thresher|farm machine|threshes {n2} sacks of grain;pump|mine pump|lifts {n2} barrels of water;"
    "lathe|turning machine|turns {n2} table legs;mill|paper mill|makes {n2} reams of paper;"
    "separator|dairy machine|skims {n2} cans of milk;crane|harbour machine|unloads {n2} crates"
).split(";")
POWERS = "a water wheel;steam;two oxen;a falling weight;a petrol engine;hot air;a treadle;compressed air".split(";")
TRADES = "a baker;a ferryman;a schoolteacher;a bookbinder;a shepherd;a tailor;a miller;a locksmith".split(";")
MONTHS = "January February March April May June July August September October November December".split()
WEATHER = "heavy rain;a cattle fair;repairs in the main street;an early frost;a strike of the carters".split(";")
CONJUNCTION, GENITIVE, MARK, NO_YEAR = " and ", "'s", "?", ""

KINDS = {
    "town": dict(
        title="{name}",
        texts=[
            "{X} is a market town on the river {river}. It was granted a charter in {year} and counts {n} inhabitants. "
            "Its town hall is faced with {material}. A bridge, {near}, leads to the far bank.",
            "The market town of {name} lies on the river {river} and counts {n} inhabitants. It was granted a charter "
            "in {year}; its town hall is faced with {material}. People cross the water by {near}.",
        ],
        facts=[
            ("On which river does {x} lie", "{river}", "On the {river}."),
            ("When was {x} granted a charter", "{year}", "In {year}."),
            ("How many inhabitants does {x} count", "{n}", "It counts {n}."),
            ("What is {s} town hall faced with", "{material}", "It is faced with {material}."),
        ],
        more="Which of {x} counts more inhabitants",
        missing=["Which football club plays in {x}", "What is {s} coat of arms like"],
        several="Which market towns are worth a day trip?",
    ),
    "bridge": dict(
        title="{name}",
        texts=[
            "{X} carries the old post road across the river {river}. {person} drew up its plans, and it was opened to "
            "carts in {year}. It measures {n} metres from bank to bank and rests on {n2} piers. Its deck is laid with {material}.",
            "Across the river {river} the post road runs over {name}, which measures {n} metres from bank to bank and "
            "rests on {n2} piers. It was opened to carts in {year}. {person} drew up its plans. Its deck is laid with {material}.",
        ],
        facts=[
            ("When was {x} opened to carts", "{year}", "It was opened to carts in {year}."),
            ("How many metres does {x} measure from bank to bank", "{n}", "{n} metres."),
            ("On how many piers does {x} rest", "{n2}", "On {n2} piers."),
            ("What is {s} deck laid with", "{material}", "With {material}."),
            ("Who drew up the plans of {x}", "{person}", "{person}."),
        ],
        more="Which of {x} measures more metres",
        missing=["What toll did {x} charge in its first week", "Which photographer took the oldest picture of {x}"],
        several="Which bridges does the old post road use?",
    ),
    "engineer": dict(
        title="{name}",
        texts=[
            "{X} was an engineer from {town}. {He} was born in {year}, the child of {trade}, and studied in {place}. "
            "{He} held {n} patents, drew up the plans of {near}, and died in {year2}.",
            "The engineer {name} came from {town}, where {he} was born in {year} as the child of {trade}. {He} studied "
            "in {place}, held {n} patents and drew up the plans of {near}. {He} died in {year2}.",
        ],
        facts=[
            ("In which town did {x} study engineering", "{place}", "In {place}."),
            ("In what year did {x} come into the world", "{year}", "In {year}."),
            ("How many patents did {x} hold", "{n}", "{n} patents."),
            ("In what year did {x} die", "{year2}", "In {year2}."),
        ],
        more="Which of {x} held more patents",
        missing=["How many languages did {x} speak", "What was {s} favourite dish"],
        several="Which engineers should I read about?",
    ),
    "instrument": dict(
        title="{Kind}",
        texts=[
            "{X} is an instrument heard in and around {town}. {person} introduced it in {year}. It carries {n} strings, "
            "its body is cut from {wood}, and it is played with {bow}.",
            "Musicians around {town} play {name}, an instrument with a body cut from {wood}. It carries {n} strings and "
            "is played with {bow}. {person} introduced it in {year}.",
        ],
        facts=[
            ("How many strings does {x} carry", "{n}", "It carries {n} strings."),
            ("From which wood is {s} body cut", "{wood}", "From {wood}."),
            ("Who introduced {x} to the musicians", "{person}", "{person} did."),
            ("With what is {x} played", "{bow}", "With {bow}."),
        ],
        more="Which of {x} carries more strings",
        missing=["How much does a good copy of {x} cost", "Which orchestra was the last to use {x}"],
        several="Which old instruments are still played here?",
    ),
    "festival": dict(
        title="{Kind}",
        texts=[
            "{X} is a feast on the bank of the river {river}. {person} called it into being, and it was first celebrated "
            "in {year}. It falls in {month}, lasts {n} days, and its guests eat {dish}.",
            "On the bank of the river {river} people celebrate {name}. It falls in {month} and lasts {n} days, and its "
            "guests eat {dish}. {person} called it into being; it was first celebrated in {year}.",
        ],
        facts=[
            ("In which month does {x} fall", "{month}", "In {month}."),
            ("How many days does {x} last", "{n}", "{n} days."),
            ("When was {x} celebrated for the first time", "{year}", "In {year}."),
            ("Who called {x} into being", "{person}", "{person}."),
            ("What do {s} guests eat", "{dish}", "They eat {dish}."),
        ],
        more="Which of {x} lasts more days",
        missing=["What does a ticket to {x} cost", "Which bus line goes to {x}"],
        several="Which feasts are held on the river?",
    ),
    "machine": dict(
        title="{Kind}",
        texts=[
            "{X} is a {machine} that {person} patented in {year}. It weighs {n} kilograms, is driven by {power} and {does} "
            "an hour. An early model stands in {place}.",
            "Patented in {year} by {person}, {name} is a {machine} driven by {power}. It weighs {n} kilograms and {does} "
            "an hour. An early model stands in {place}.",
        ],
        facts=[
            ("Who patented {x}", "{person}", "{person}."),
            ("How many kilograms does {x} weigh", "{n}", "It weighs {n} kilograms."),
            ("What is {x} driven by", "{power}", "By {power}."),
            ("In which town does an early model of {x} stand", "{place}", "In {place}."),
        ],
        more="Which of {x} weighs more kilograms",
        missing=["How many copies of {x} were sold abroad", "What colour was {x} painted"],
        several="Which machines made this valley rich?",
    ),
}

EDITION = dict(
    title="{Kind}, {year}",
    texts=[
        "In {year} {name} drew {n} guests. {person} carried off the golden ribbon. Because of {weather} the parade set out "
        "from {place}, and the poster was drawn by {person2}.",
        "{X} of {year} drew {n} guests. The parade set out from {place} because of {weather}. {person} carried off the "
        "golden ribbon. The poster was drawn by {person2}.",
    ],
    facts=[  # with {t} where the year stands
        ("How many guests did {x} draw{t}", "{n}", "When did {x} draw {n} guests?"),
        ("Who carried off the golden ribbon of {x}{t}", "{person}", "When did {person} carry off the golden ribbon of {x}?"),
        ("From where did the parade of {x} set out{t}", "{place}", "In which year did the parade of {x} set out from {place}?"),
        ("By whom was the poster of {x} drawn{t}", "{person2}", "When did {person2} draw the poster of {x}?"),
    ],
    years=["In {year}.", "That was in {year}.", "It was in {year}."],
    leaning=["that year", "in that year", "in the same year"],
    stands=" in {year}",
)

MORE = ["And {x}?", "And how is it with {x}?", "And what can you say of {x}?"]
FORMER, LATTER, BOTH = "the former", "the latter", "the two"
BOTH_NAMED = ["I would name {a} and {b}.", "Above all {a} and {b}.", "{A} and {b}, I think."]
EMPTY = [
    [],
    [("Do you have a minute?", "Certainly.")],
    [("Is the reading room still open?", "Until six.")],
    [("Could you speak up a little?", "Of course.")],
]
UNRESOLVED = [
    "When was it opened to carts?", "How many days does it last?", "In what year did she die?", "How many strings does it carry?",
    "On which river does it lie?", "What is it driven by?", "How many patents did he hold?",
]  # fmt: skip
