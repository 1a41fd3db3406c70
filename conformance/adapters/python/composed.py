"""The detector `composed` in one file, to be taken into an agent. It needs Python 3.9 and nothing else.

    from composed import LoopDetector

    detector = LoopDetector([{"same": {"results": "text"}, "pattern": {"sort": "streak"}, "rungs": [{"at": 3}]}])
    detector.observe({"type": "tool_call", "id": "1", "tool": "read_file", "args": {"path": "a.py"}})
    verdict = detector.observe({"type": "tool_result", "call": "1", "content": "x = 1"})
    if verdict["loop"]:
        print(verdict["rule"], verdict["rung"], verdict["severity"], verdict["count"], verdict["evidence"])

LoopDetector(rules) takes the `rules` of a profile as plain lists and dicts, and without them counts three equal calls
in a row. What is wrong in them raises ConfigError, whose message begins with the place. observe(event) takes one event
in and returns the verdict after it: {"loop": False}, or `kind`, `count`, `severity`, `rule`, `rung`, of cycle and
periodic `period`, and `evidence`, the numbers of the events that were counted, the first of all being 0. reset()
forgets all events.

An event is a dict with a `type`; all others change nothing. What is in brackets may be missing:

    tool_call      tool, [args, id, thought]        the agent calls a tool
    tool_result    content, [call, ok]              what came of it; `call` is the call's id, `ok` False of a failure
    error          message, [call]                  a failure, too
    message        role, content                    of the "user", the "assistant" or the "system"
    reply                                           the model begins to answer: before its calls; for rules about steps
    delta          text, [channel]                  a piece of the "answer"; of a "thought" or "arguments" it is ignored

Every event may have `at`, its time in milliseconds, which rules with `seconds` need.

An event costs the same however many there were, but that `counts: highest` looks through its window where the most
frequent item leaves it and others are as frequent, and `seconds` always looks through it. Kept is the latest that the
patterns look back at, long texts as digests. spec/clauses/composed.md has the clauses.
"""
import hashlib
import json
from collections import Counter, OrderedDict, deque, namedtuple

WAITING, STEP, NAMED = 100, 100, 100  # CO-2, CO-17, CO-38
LONGEST_PERIOD, MOST_SECONDS = 100, 1_000_000  # CO-6
REVISITED = 50  # CO-44
NO_INDEX = 2**32 - 1  # CO-9: the first number that is no index of an array of JavaScript


class ConfigError(ValueError):
    """What is wrong in the rules; the message begins with the place, such as rules/0/pattern/to (CO-40)."""

    def __init__(self, place, problem):
        super().__init__(f"{place}: {problem}")


# The configuration (CO-3, CO-4). A reader takes a place and a value, and returns the value or raises ConfigError.


def word(*words):
    def read(place, value):
        if value not in words:
            raise ConfigError(place, f"want one of {', '.join(words)}")
        return value

    return read


def name(place, value):
    if type(value) is not str or not value:
        raise ConfigError(place, "want a text that is not empty")
    return value


def truth(place, value):
    if type(value) is not bool:
        raise ConfigError(place, "want true or false")
    return value


def whole(place, value):
    if type(value) is not int or value < 1:
        raise ConfigError(place, "want an integer of at least 1")
    return value


def array(of):
    def read(place, value):
        if type(value) is not list:
            raise ConfigError(place, "want an array")
        return [of(f"{place}/{i}", item) for i, item in enumerate(value)]

    return read


def members(**readers):
    """An object of these members; one that is not there is not in the result either."""

    def read(place, value):
        if type(value) is not dict:
            raise ConfigError(place, "want an object")
        for unknown in value.keys() - readers.keys():
            raise ConfigError(f"{place}/{unknown}", f"want one of {', '.join(readers)}")
        return {each: readers[each](f"{place}/{each}", member) for each, member in value.items()}

    return read


class Calls:
    """A set of calls, by the name of their tool and perhaps an argument (CO-19)."""

    def __init__(self, place, text):
        tool, mark, rest = name(place, text).partition("?")
        self.argument, equals, self.text = rest.partition("=")
        if not tool or mark and not (self.argument and equals):  # CO-20
            raise ConfigError(place, "want a tool, or tool?argument=text")
        self.pieces = tool.split("*")

    def __contains__(self, call):
        return self.names(call.tool) and (not self.argument or call.args.get(self.argument) == self.text)

    def names(self, tool):
        first, *middle, last = self.pieces if len(self.pieces) > 1 else (*self.pieces, None)
        if last is None:
            return tool == first
        if len(tool) < len(first) + len(last) or not (tool.startswith(first) and tool.endswith(last)):
            return False
        place, end = len(first), len(tool) - len(last)
        for piece in middle:
            found = tool.find(piece, place, end)
            if found < 0:
                return False
            place = found + len(piece)
        return True


DEFAULTS = {
    "name": None,
    "same": {
        **{"by": "call", "results": "none", "prefix": None, "outcome": "any"},
        **{"key_order": "any", "order": "kept", "keep": [], "omit": [], "thought": False},
    },
    "pattern": {
        **{"sort": "run", "last": 20, "from": 2, "to": 5, "varied": False},
        **{"counts": "current", "full": False, "seconds": None},
    },
    "tools": {"only": [], "except": [], "silent": [], "watched": []},
    "fresh": [],
    "changes": [],
    "judged": "after",
    "rungs": [{}],
}
RUNG = {"name": None, "severity": "critical", "at": 3, "speaks": "each"}

read_rules = array(
    members(
        name=name,
        same=members(
            by=word("call", "tool", "step", "speech", "message", "piece"),
            results=word("none", "text", "any"),
            prefix=whole,
            outcome=word("any", "ok", "failed"),
            key_order=word("any", "kept"),
            order=word("kept", "any"),
            keep=array(name),
            omit=array(name),
            thought=truth,
        ),
        pattern=members(
            sort=word("run", "among", "cycle", "periodic", "streak", "revisit"),
            **{"last": whole, "from": whole, "to": whole, "varied": truth},
            counts=word("current", "highest"),
            full=truth,
            seconds=whole,
        ),
        tools=members(**{part: array(Calls) for part in DEFAULTS["tools"]}),
        fresh=array(word("user", "reply", "message", "call", "change")),
        changes=array(Calls),
        judged=word("after", "before"),
        rungs=array(
            members(
                name=name,
                severity=word("critical", "notice", "warning"),
                at=whole,
                speaks=word("each", "once", "restart", "stays"),
            )
        ),
    )
)


def filled(rule):
    """The rule with its defaults."""
    parts = {part: {**DEFAULTS[part], **rule.get(part, {})} for part in ("same", "pattern", "tools")}
    rungs = [{**RUNG, **rung} for rung in rule.get("rungs", DEFAULTS["rungs"])]
    return {**DEFAULTS, **rule, **parts, "rungs": rungs}


SAID = ("speech", "message", "piece")
NOT_FRESH = {"step": ("reply", "call"), "speech": ("message",), "message": ("message",), "piece": ()}  # CO-6


def single(same):
    return same["by"] in ("call", "tool")


def answered(same):
    """Whether an item is a call with its answer (CO-7)."""
    return single(same) and (same["results"] != "none" or same["outcome"] != "any")


def what_does_not_go_together(written, rule):
    """CO-6: the places of what is written and may not be, each with the reason."""
    same, pattern, sort = rule["same"], rule["pattern"], rule["pattern"]["sort"]
    one_call, with_answer, spoken = single(same), answered(same), same["by"] in SAID

    def each(part, names, fits, reason):
        return [(f"{part}/{each}", reason) for each in names if each in written.get(part, {}) and not fits]

    with_args = same["by"] in ("call", "step")
    yield from each("same", ("key_order", "keep", "omit", "thought"), with_args, "only calls have it")
    yield from each("same", ("order",), same["by"] == "step", "only steps have one")
    yield from each("same", ("results",), not spoken, "texts have none")
    yield from each("same", ("outcome",), one_call, "only single calls have one")
    yield from each("same", ("prefix",), same["results"] == "text", "only of results: text")
    yield from each("pattern", ("last",), sort in WINDOWS, f"{sort} has no window")
    yield from each("pattern", ("from", "to", "varied"), sort in ("cycle", "periodic"), f"{sort} has no period")
    yield from each("pattern", ("varied",), one_call, "only of single calls")
    yield from each("pattern", ("counts", "full", "seconds"), sort == "among", "only of among")
    if pattern["seconds"] and pattern["seconds"] > MOST_SECONDS:
        yield "pattern/seconds", f"want at most {MOST_SECONDS}"
    if same["omit"] and same["keep"]:
        yield "same/omit", "keep omits all others"
    if same["results"] == "any" and not one_call:
        yield "same/results", "only single calls await any"
    if sort in ("cycle", "periodic") and not pattern["from"] <= pattern["to"] <= LONGEST_PERIOD:
        yield "pattern/to", f"want from {pattern['from']} to {LONGEST_PERIOD}"
    if sort == "streak" and not with_answer:
        yield "pattern/sort", "a streak is of single calls with their answers"
    if spoken and "tools" in written:
        yield "tools", "texts have none"
    yield from each("tools", ("silent", "watched"), one_call, "only of single calls")
    itself = NOT_FRESH.get(same["by"], ("call",))
    for i, start in enumerate(rule["fresh"]):
        if start in itself:
            yield f"fresh/{i}", "is what the items themselves are"
    if "changes" in written and "change" not in rule["fresh"] or "change" in rule["fresh"] and not rule["changes"]:
        yield "changes", "goes with fresh: [change]"
    if rule["judged"] == "before":
        if not one_call:
            yield "judged", "only single calls are judged before"
        if sort == "revisit" or sort == "among" and with_answer or pattern["counts"] == "highest":
            yield "judged", "which items count is not known before"
    for i, (lower, higher) in enumerate(zip(rule["rungs"], rule["rungs"][1:])):
        if lower["at"] >= higher["at"]:
            yield f"rungs/{i + 1}/at", f"want more than {lower['at']}"


def give_names(place, things):
    """Numbers for those without a name (CO-3), which must differ (CO-5)."""
    if not things:
        raise ConfigError(place, "want one at least")
    seen = set()
    for number, thing in enumerate(things, 1):
        thing["name"] = thing["name"] or str(number)
        if thing["name"] in seen:
            raise ConfigError(f"{place}/{number - 1}/name", f"{thing['name']} is there twice")
        seen.add(thing["name"])


def read(rules):
    """The rules with their defaults, or ConfigError."""
    written = read_rules("rules", rules)
    complete = [filled(rule) for rule in written]
    give_names("rules", complete)
    for i, rule in enumerate(complete):
        give_names(f"rules/{i}/rungs", rule["rungs"])
        for place, reason in what_does_not_go_together(written[i], rule):
            raise ConfigError(f"rules/{i}/{place}", reason)
    return complete


# What makes items equal. Equal things have equal keys.


def canonical(value, kept):
    """CO-9: all numbers as doubles, members sorted unless their order is kept."""
    if type(value) in (int, float):
        return double(value) + 0.0  # -0.0 + 0.0 is 0.0
    if type(value) is list:
        return [canonical(item, kept) for item in value]
    if type(value) is dict:
        return {each: canonical(value[each], kept) for each in sorted(value, key=place_of if kept else None)}
    return value


def place_of(name):
    """CO-9: whole numbers come first, as JavaScript has them; the others as they stand."""
    index = int(name) if name.isascii() and name.isdigit() and len(name) <= len(str(NO_INDEX)) else NO_INDEX
    return index if str(index) == name and index < NO_INDEX else NO_INDEX


def double(number):
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def key_of(*parts):
    """A text that is equal for equal parts alone, and never long."""
    text = json.dumps(parts)
    return text if len(text) <= 64 else hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


class Call:
    """A tool call, and its answer as soon as that is there: whether it is a success, and its text."""

    def __init__(self, event, index):
        self.tool, self.args = event["tool"], event.get("args", {})
        self.thought, self.id, self.index = event.get("thought", ""), event.get("id"), index
        self.answer = None


class Identity:
    """What makes calls equal, and their answers, as `same` says."""

    def __init__(self, same):
        self.by_tool, self.kept, self.thought = same["by"] == "tool", same["key_order"] == "kept", same["thought"]
        self.keep, self.omit, self.any_order = frozenset(same["keep"]), frozenset(same["omit"]), same["order"] == "any"
        self.results, self.prefix, self.outcome = same["results"], same["prefix"], same["outcome"]

    def call(self, call):
        if self.by_tool:
            return key_of(call.tool)  # CO-12
        thought = call.thought if self.thought else ""  # CO-11
        args = {each: value for each, value in call.args.items() if each in self.keep} or call.args  # CO-10
        if self.omit:  # CO-45
            args = {each: value for each, value in args.items() if each not in self.omit}
        return key_of(call.tool, canonical(args, self.kept), thought)

    def answer(self, answer):
        """Equal for equal answers; None where there is none, or none that counts (CO-16)."""
        if answer is None or self.results != "text":
            return None
        ok, text = answer
        return key_of(ok, text[: self.prefix])  # CO-13, CO-14

    def blank(self, answer):
        """CO-15"""
        return self.outcome != "any" and answer[0] != (self.outcome == "ok")


# An item: its key, None of a blank one; that of its call; the event that evidence names; whether it is silent (CO-22);
# when it was completed, or None.
Item = namedtuple("Item", "key call index silent at")

# What a pattern has found: the count; the latest indices of what was counted, and how many of them; the latest lap and
# the period of a cycle.
Found = namedtuple("Found", "count indices named lap period")

NOTHING = Found(0, (), 0, (), None)


class Tally:
    """Items that are counted together: how many, and the latest of them."""

    def __init__(self, key=None):
        self.key, self.count, self.indices = key, 0, deque(maxlen=NAMED)
        self.latest, self.place = None, 0

    def add(self, item, place=0):
        self.count += 1
        self.indices.append(item.index)
        self.latest, self.place = item, place

    def found(self):
        return Found(self.count, self.indices, self.count, (), None)


# Patterns: add(item) records an item, after(item) says what is found then, before(item) what is found before the item
# of a call that is being made is recorded, whose key is that of its call (CO-30).


class Run:
    """CO-25"""

    def __init__(self, pattern):
        self.tally = Tally()

    def add(self, item):
        if item.key is None or item.key != self.tally.key:
            self.tally = Tally(item.key)
        if item.key is not None:
            self.tally.add(item)

    def after(self, item):
        return self.tally.found()

    def before(self, item):
        latest = self.tally.latest
        return self.tally.found() if latest and latest.call == item.call else NOTHING


class Among:
    """CO-26. Items that are counted together share a tally; the window holds the tally of each, or None."""

    def __init__(self, pattern):
        self.last, self.full = pattern["last"], pattern["full"]
        self.window, self.tallies, self.recorded = deque(), {}, 0

    def add(self, item):
        if len(self.window) == self.last:
            self.forget(self.window.popleft())
        tally = self.tally_of(item)
        self.recorded += 1
        if tally:
            tally.add(item, self.recorded)
        self.window.append(tally)

    def forget(self, tally):
        if tally:
            tally.count -= 1
            if not tally.count and self.tallies.get(tally.key) is tally:
                del self.tallies[tally.key]

    def tally_of(self, item):
        """Where the item is counted, None where it is not."""
        if item.key is None:
            return None
        return self.tallies.setdefault(item.key, Tally(item.key))

    def after(self, item):
        tally = self.tallies.get(item.key)
        full = not self.full or len(self.window) == self.last  # CO-27
        return tally.found() if tally and full else NOTHING

    before = after


class Highest(Among):
    """CO-27"""

    def __init__(self, pattern):
        super().__init__(pattern)
        self.most, self.reached = Tally(), Counter()  # n: how many tallies count n or more

    def add(self, item):
        super().add(item)
        tally = self.window[-1]
        if tally:
            self.reached[tally.count] += 1
            if tally.count >= self.most.count:
                self.most = tally

    def forget(self, tally):
        super().forget(tally)
        if tally:
            self.reached[tally.count + 1] -= 1
            if tally is self.most and (self.reached[tally.count + 1] or self.reached[tally.count] > 1):
                self.most = max(self.tallies.values(), key=lambda each: (each.count, each.place))

    def after(self, item):
        full = not self.full or len(self.window) == self.last
        return self.most.found() if full and self.most.count else NOTHING


class Recent:
    """CO-48. It looks through its window, since items grow old."""

    def __init__(self, pattern):
        self.window, self.last, self.full = deque(), pattern["last"], pattern["full"]
        self.age, self.highest = 1000 * pattern["seconds"], pattern["counts"] == "highest"

    def add(self, item):
        self.window.append(item)
        if len(self.window) > self.last:
            self.window.popleft()

    def after(self, item):
        if self.full and len(self.window) < self.last:  # CO-28
            return NOTHING
        recent = [each for each in self.window if each.key is not None and not self.too_old(each, item)]
        key = self.most_frequent(recent) if self.highest else item.key
        indices = [each.index for each in recent if each.key == key]
        return Found(len(indices), indices, len(indices), (), None)

    before = after

    def too_old(self, item, current):
        return item.at is not None and current.at is not None and current.at - item.at >= self.age

    @staticmethod
    def most_frequent(items):  # CO-27
        counts, places = Counter(each.key for each in items), {each.key: place for place, each in enumerate(items)}
        return max(counts, key=lambda key: (counts[key], places[key]), default=None)


class Streak(Among):
    """CO-29. A tally here is of a call, and another answer gives the call another tally."""

    def tally_of(self, item):
        tally = self.tallies.get(item.call)
        if item.key is None:
            self.tallies.pop(item.call, None)
            return None
        if not tally or tally.latest.key != item.key:
            tally = self.tallies[item.call] = Tally(item.call)
        return tally

    def after(self, item):
        tally = self.tallies.get(item.call)
        return tally.found() if tally else NOTHING

    before = after


class Cycle:
    """CO-31, CO-47. Of each period it keeps how many items in a row equal the item one period before them."""

    def __init__(self, pattern):
        self.periods, self.varied = range(pattern["from"], pattern["to"] + 1), pattern["varied"]
        self.counts_items = pattern["sort"] == "periodic"  # CO-47
        self.items, self.indices = deque(maxlen=pattern["to"]), deque(maxlen=NAMED)
        self.matches = dict.fromkeys(self.periods, 0)
        self.equal_items, self.equal_calls = 0, 0  # how many of the latest items in a row

    def add(self, item):
        self.matches = {p: self.going_on(p, item, "key") for p in self.periods}
        latest = self.items[-1] if self.items else None
        self.equal_items = self.equal_items + 1 if latest and item.key is not None and latest.key == item.key else 1
        self.equal_calls = self.equal_calls + 1 if latest and latest.call == item.call else 1
        self.items.append(item)
        self.indices.append(item.index)

    def going_on(self, period, item, part):
        """How many items in a row equal the one a period before them when this one is added."""
        before = self.items[-period] if period <= len(self.items) else None
        equal = before and before.key is not None and getattr(before, part) == getattr(item, part)
        return self.matches[period] + 1 if equal else 0

    def after(self, item):
        return self.found(self.matches, [*self.items], self.indices)

    def before(self, item):
        matches = {p: self.going_on(p, item, "call") for p in self.periods}
        return self.found(matches, [*self.items, item], [*self.indices, item.index])

    def found(self, matches, items, indices):
        count, period = max((self.count(p, matches[p]), -p) for p in self.periods)
        if not count:
            return NOTHING
        return Found(count, indices, count if self.counts_items else -count * period, items[period:], -period)

    def count(self, period, matches):
        run = max(self.equal_items, self.equal_calls if self.varied else 0)
        uniform = period > 1 and run >= period
        if uniform or matches < period:
            return 0
        return period + matches if self.counts_items else 1 + matches // period


class Revisit:
    """CO-44. Of each item of the window it keeps the index if it is a revisit, else None."""

    def __init__(self, pattern):
        self.earlier, self.window = deque(maxlen=REVISITED), deque(maxlen=pattern["last"])
        self.count, self.indices = 0, deque(maxlen=NAMED)

    def add(self, item):
        if len(self.window) == self.window.maxlen:
            self.count -= self.window[0] is not None
        revisit = item.key is not None and item.key in self.earlier
        self.count += revisit
        self.window.append(item.index if revisit else None)
        if revisit:
            self.indices.append(item.index)
        self.earlier.append(item.key)

    def after(self, item):
        return Found(self.count, self.indices, self.count, (), None) if self.window[-1] is not None else NOTHING

    def before(self, item):
        return NOTHING  # CO-6


WINDOWS = {"among": Among, "streak": Streak, "revisit": Revisit}
PATTERNS = {"run": Run, "cycle": Cycle, "periodic": Cycle, **WINDOWS}


class Rule:
    def __init__(self, rule):
        same, tools = rule["same"], rule["tools"]
        self.name, self.by, self.kind, self.rungs = rule["name"], same["by"], rule["pattern"]["sort"], rule["rungs"]
        self.identity, self.answered, self.judges_before = Identity(same), answered(same), rule["judged"] == "before"
        self.only, self.excepted, self.silent, self.watched = (
            tools[part] for part in ("only", "except", "silent", "watched")
        )
        self.fresh, self.changes = frozenset(rule["fresh"]), rule["changes"]
        pattern = Highest if rule["pattern"]["counts"] == "highest" else PATTERNS[self.kind]
        pattern = Recent if rule["pattern"]["seconds"] else pattern
        self.new_pattern = lambda: pattern(rule["pattern"])
        self.start_afresh()

    def start_afresh(self):  # CO-23
        self.pattern, self.count_before, self.stays = self.new_pattern(), 0, None
        self.step = None  # the calls since the last reply; without one there is no step
        self.now = None  # the time of the current event, if it has one

    def observe(self, what, call, message, at):
        """The verdict after a user, a message, a piece, a reply, a call, or an answer, where the rule speaks."""
        change = what == "answer" and call.answer[0] and "change" in self.fresh and among(self.changes, call)  # CO-24
        if what in self.fresh or change:
            self.start_afresh()
        self.now = at
        if what == "reply" and self.by == "step":
            return self.reply()
        if what == "message" and self.by == "speech":  # CO-18
            return self.take(self.item("", "", message["index"]))
        if what == self.by and message:  # CO-46
            key = key_of(message["text"]) if message["text"] else None
            return self.take(self.item(key, "", message["index"]))
        if what in ("call", "answer") and self.sees(call):
            return self.call(call) if what == "call" else self.answer(call)
        return None

    def sees(self, call):  # CO-21
        return (not self.only or among(self.only, call)) and not among(self.excepted, call)

    def call(self, call):
        if self.by == "step" and self.step is not None and len(self.step) < STEP:  # CO-17
            self.step.append(call)
        if self.by not in ("call", "tool") or self.answered and not self.judges_before:
            return None
        key = self.identity.call(call)
        item = self.item(key, key, call.index, call)
        if not self.judges_before:
            return self.take(item)
        verdict = self.stays or self.say(self.pattern.before(item), item)  # CO-30
        if not self.answered and not self.stays:
            self.pattern.add(item)
        return verdict

    def answer(self, call):
        if not self.answered:  # CO-7
            return None
        key, blank = self.identity.call(call), self.identity.blank(call.answer)
        item = self.item(None if blank else (key, self.identity.answer(call.answer)), key, call.index, call)
        if not self.judges_before:
            return self.take(item)
        if not self.stays:
            self.pattern.add(item)
        return None

    def reply(self):  # CO-16
        calls, self.step = self.step, []
        if calls is None:
            return None
        if not calls:
            return self.take(self.item(None, None, None))
        parts = [key_of(self.identity.call(call), self.identity.answer(call.answer)) for call in calls]
        key = key_of(*(sorted(parts) if self.identity.any_order else parts))
        return self.take(self.item(key, key, calls[0].index))

    def item(self, key, call_key, index, call=None):
        silent = call and (among(self.silent, call) or self.watched and not among(self.watched, call))  # CO-22
        return Item(key, call_key, index, bool(silent), self.now)

    def take(self, item):
        if self.stays:  # CO-36
            return self.stays
        self.pattern.add(item)
        return self.say(self.pattern.after(item), item)

    def say(self, found, item):
        """The verdict on what was found, where a rung speaks (CO-32)."""
        before, self.count_before = self.count_before, found.count
        reached = next((rung for rung in reversed(self.rungs) if found.count >= rung["at"]), None)
        if not reached or (all(each.silent for each in found.lap) if found.period else item.silent):  # CO-22
            return None
        if reached["speaks"] == "once" and before >= reached["at"]:  # CO-34
            return None
        verdict = self.verdict(found, reached)
        if reached["speaks"] == "restart":  # CO-35
            self.pattern, self.count_before = self.new_pattern(), 0
        if reached["speaks"] == "stays":
            self.stays = verdict
        return verdict

    def verdict(self, found, rung):  # CO-37, CO-38
        evidence = sorted([*found.indices][-min(found.named, NAMED) :])
        verdict = {"loop": True, "kind": self.kind, "count": found.count, "severity": rung["severity"]}
        verdict.update(rule=self.name, rung=rung["name"], evidence=evidence)
        return {**verdict, "period": found.period} if found.period else verdict


def among(sets, call):
    return any(call in each for each in sets)


class LoopDetector:
    def __init__(self, rules=[{}]):  # which is never changed
        self.rules = [Rule(rule) for rule in read(rules)]
        self.events = 0
        self.reset()

    def reset(self):  # CO-39
        self.waiting = OrderedDict()  # the calls that wait, by their indices, the oldest first
        for rule in self.rules:
            rule.start_afresh()

    def observe(self, event):
        index, self.events = self.events, self.events + 1
        what, call, message = event["type"], None, None
        if what == "tool_call":
            what, call = "call", self.wait(Call(event, index))
        elif what in ("tool_result", "error"):
            what, call = "answer", self.answered(event)
        elif what == "message":
            what = {"assistant": "message"}.get(event["role"], event["role"])
            message = {"text": event["content"], "index": index}
        elif what == "delta" and event.get("channel", "answer") == "answer":
            what, message = "piece", {"text": event["text"], "index": index}
        if what not in ("call", "answer", "user", "message", "reply", "piece") or what == "answer" and not call:  # CO-1
            return {"loop": False}
        at = None if event.get("at") is None else double(event["at"])
        verdicts = [rule.observe(what, call, message, at) for rule in self.rules]  # CO-8
        return next(filter(None, verdicts), {"loop": False})

    def wait(self, call):
        self.waiting[call.index] = call
        if len(self.waiting) > WAITING:
            self.waiting.popitem(last=False)
        return call

    def answered(self, event):
        """The call that the event answers, with the answer; None where there is none (CO-2)."""
        named = (call for call in self.waiting.values() if "call" not in event or call.id == event["call"])
        call = next(named, None)
        if call:
            del self.waiting[call.index]
            error = event["type"] == "error"
            call.answer = (False, event["message"]) if error else (event.get("ok", True), event["content"])
        return call
