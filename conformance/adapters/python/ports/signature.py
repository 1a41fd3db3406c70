"""The detector `signature` in Python, to be read with spec/clauses/signature.md."""
import itertools
import re
import os
import sys
from collections import deque

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports.shared import check_params, check_state, integer, loop

# SG-5, as the insides of character classes. \s would not do: Python's has U+0085 and not U+FEFF.
LINE_END = r"\n\r\u2028\u2029"
BLANK = r"\t\x0b\x0c \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff"
SPACE = LINE_END + BLANK
SPACES = re.compile(f"[{SPACE}]+")


def dashed(text):
    """In lower case (SG-7, as Python's own), with a dash for each run of white space."""
    return SPACES.sub("-", text.lower())


def beginning(output):
    """SG-6. What a cut leaves of a surrogate pair is dropped."""
    units = output[:50].encode("utf-16-le")[:100]
    return dashed(units.decode("utf-16-le", "ignore"))


# The code reading. The patterns are searched with these flags: letters are ASCII and of any case, and so is \w.


def listing(pattern):
    """A pattern of the listing, in which % is optional white space, ~ anything on the line, @ a text (SG-8's terms)."""
    pattern = pattern.replace("%", f"[{SPACE}]*").replace("~", f"[^{LINE_END}]*?").replace("@", f"[^{SPACE}]+")
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


CODE_ERROR = listing(r"error:?%(\w+)~at%(@)")  # SG-9; SG-10 is what a pattern does by itself
CODE_TESTS = listing(r"[0-9]%(?:tests?)?%fail")  # SG-11
CODE_PLACE = listing(r"fail~:%@")  # SG-12
CODE_FILE = listing(rf"(?:modified|changed|updated|fixed)[{SPACE}]+(@\.(?:ts|js|go|py))")  # SG-13
CODE_ACTION = listing(rf"(?:added|removed|fixed|updated|changed)[{SPACE}]+(\w+)")  # SG-14


def extract_code(output):
    """SG-8: the first step that applies."""
    error = CODE_ERROR.search(output)
    if error:
        return f"error:{error[1]}-{error[2]}"
    if CODE_TESTS.search(output):
        places = [place[0] for place in itertools.islice(CODE_PLACE.finditer(output), 2)]
        return "test-fail:" + ",".join(places)
    file = CODE_FILE.search(output)
    if file:
        action = CODE_ACTION.search(output)
        return f"file:{file[1]}-{action[1] if action else 'modified'}"
    return beginning(output)


# The text reading. Here \w is what SG-17 calls a word character, and (?ai:…) matches ASCII letters of any case.


def shape(pattern):
    """A pattern of SG-17's terms: <word> is a whole word, % a blank, @ a piece, ~ the rest of the line."""
    pattern = re.sub("<(.*?)>", r"(?<!\\w)(?ai:\1)(?!\\w)", pattern)
    return re.compile(pattern.replace("%", f"[{BLANK}]+").replace("@", f"[^{SPACE}]+").replace("~", f"[^{LINE_END}]*"))


PIECE = shape("@")
TEXT_ERROR = shape(r"<Error>:(?:%)?([A-Za-z0-9_]+)%((?:-|(?ai:at))(?=[SPACE]|\Z)~)".replace("SPACE", SPACE))  # SG-18
TEXT_TESTS = shape(r"<([1-9][0-9]*)>%(?:<tests?>%)?<failed|failing>")  # SG-21
FILE_AND_NAMES = shape(r":(?:%)?(@)%-%(~)")  # SG-22
NAMES = shape(r"%-%(~)")  # SG-22
TEXT_SEARCH = shape(rf"<Searched>[^'{LINE_END}]*'([^'{LINE_END}]+)'")  # SG-24
TEXT_FILE = shape(r"<Modified|Changed|Updated|Fixed>%(@\.(?ai:ts|js|go|py))(?!\w)")  # SG-25
VERB = shape(r"<added|removed|fixed|updated|changed|refactored>")  # SG-26
PHRASE_WORD = shape(r"%(\w+(?:-\w+)*)")  # SG-27
PREPOSITIONS = ("for", "to", "in", "from", "at", "of", "on", "with")  # SG-27
POSITION = re.compile(r"(?<=.):[0-9]+\Z", re.DOTALL)  # SG-19
TRIM = re.compile(r"\A\W+|\W+\Z")  # SG-20


def extract_text(output):
    """SG-17: the first rule whose shape stands anywhere; SG-28 where none does."""
    for rule in (text_error, text_tests, text_search, text_file):
        signature = rule(output)
        if signature is not None:
            return signature
    return beginning(output)


def text_error(output):
    """SG-18"""
    error = TEXT_ERROR.search(output)
    while error:
        pieces = PIECE.findall(error[2])
        ats = [i for i, piece in enumerate(pieces[:-1]) if piece.lower() == "at"]
        if ats:
            place = POSITION.sub("", POSITION.sub("", pieces[ats[-1] + 1]))  # SG-19
            message = pieces[1 : ats[-1]] if pieces[0] == "-" else []  # SG-20
            words = [word for word in (TRIM.sub("", piece) for piece in message) if word]
            return "-".join([f"error:{error[1]}", *words[-1:], place])
        error = TEXT_ERROR.search(output, error.end())  # what follows on this line has no place either
    return None


def text_tests(output):
    """SG-21, SG-22"""
    tests = TEXT_TESTS.search(output)
    if not tests:
        return None
    with_file, without = FILE_AND_NAMES.match(output, tests.end()), NAMES.match(output, tests.end())
    if with_file and names_of(with_file[2]):
        return f"{with_file[1]}:{names_of(with_file[2])}"
    if without and names_of(without[1]):
        return f"test-fail:{tests[1]}-{names_of(without[1])}"
    return f"test-fail:{tests[1]}"


def names_of(text):
    """SG-23"""
    names = ("-".join(p for p in PIECE.findall(name) if p.lower() != "test") for name in text.split(","))
    return ",".join([name for name in names if name][:2])


def text_search(output):
    """SG-24"""
    search = TEXT_SEARCH.search(output)
    return search and "search:" + dashed(search[1])


def text_file(output):
    """SG-25, SG-26"""
    file = TEXT_FILE.search(output)
    if not file:
        return None
    phrases = (phrase_after(output, verb.end()) for verb in VERB.finditer(output, file.end()))
    return f"{file[1]}:{next(filter(None, phrases), 'modified')}"


def phrase_after(output, position):
    """SG-27"""
    words = []
    word = PHRASE_WORD.match(output, position)
    while word and word[1].lower() not in PREPOSITIONS:
        words.append(word[1])
        word = PHRASE_WORD.match(output, word.end())
    return "-".join(words)


EXTRACT = {"code": extract_code, "text": extract_text}


class RecentSignatures:
    """How the code reading counts: SG-15, SG-16."""

    def __init__(self, threshold, window):
        self.stored = deque(maxlen=min(threshold, window))  # pairs of a signature and its index

    def count(self, signature, index):
        indices = [earlier for stored, earlier in self.stored if stored == signature] + [index]
        self.stored.append((signature, index))
        return len(indices), indices

    def may_follow(self, outputs):
        """Whether this can be what is left of so many outputs."""
        return len(self.stored) == min(outputs, self.stored.maxlen)

    def snapshot(self):
        return {"signatures": [signature for signature, index in self.stored]}

    def restore(self, state):
        check_state(set(state) == {"signatures"} and type(state["signatures"]) is list)
        check_state(len(state["signatures"]) <= self.stored.maxlen)
        check_state(all(type(signature) is str for signature in state["signatures"]))
        self.stored = deque(((signature, None) for signature in state["signatures"]), self.stored.maxlen)


class RunOfSignatures:
    """How the text reading counts: SG-29, SG-30."""

    def __init__(self, threshold, window):
        self.window, self.signature, self.length, self.indices = window, None, 0, deque(maxlen=100)

    def count(self, signature, index):
        if signature != self.signature:
            self.signature, self.length = signature, 0
            self.indices.clear()
        self.length = min(self.length + 1, self.window)
        self.indices.append(index)
        return self.length, list(self.indices)[-self.length :]

    def may_follow(self, outputs):
        """Whether this can be what is left of so many outputs."""
        return min(outputs, 1) <= self.length <= outputs

    def snapshot(self):
        return {"signature": self.signature, "length": self.length}

    def restore(self, state):
        check_state(set(state) == {"signature", "length"})
        signature, length = state["signature"], state["length"]
        check_state(signature is None or type(signature) is str)
        check_state(integer(length, 0) and length <= self.window and (length == 0) == (signature is None))
        self.signature, self.length = signature, length


class Rule:
    """The detector without its events, for `guards` has it too."""

    def __init__(self, reading, threshold, window):
        self.extract, self.threshold, self.window = EXTRACT[reading], threshold, window
        self.counting = RecentSignatures if reading == "code" else RunOfSignatures
        self.reset()

    def reset(self):  # SG-33
        self.counter = self.counting(self.threshold, self.window)

    def observe(self, output, index):
        """SG-4, SG-31, SG-32"""
        signature = self.extract(output)
        count, indices = self.counter.count(signature, index)
        if count < self.threshold:
            return {"loop": False, "signature": signature, "count": count}
        return loop("signature", indices, signature=signature, count=count)

    def snapshot(self):  # SG-34
        return self.counter.snapshot()

    def restore(self, state, outputs=None):
        """Of so many outputs, where the caller knows how many there were."""
        counter = self.counting(self.threshold, self.window)
        counter.restore(state)
        check_state(outputs is None or counter.may_follow(outputs))
        self.counter = counter


def extract_function(reading, args):
    """SG-35"""
    return EXTRACT[reading](*loopstone.take(args, output=str))


def report_function(reading, args):
    """SG-36"""
    signature, threshold, iterations = loopstone.take(args, signature=str, threshold=int, iterations=list)
    check_params(threshold >= 1 and iterations and all(type(iteration) is dict for iteration in iterations))
    pairs = [loopstone.take(iteration, number=int, output=str) for iteration in iterations]
    lines = "\n".join(f"- Iteration {number}: {output}" for number, output in pairs)
    return f"""\
## Loop Detected

**Pattern**: Same output signature repeated {threshold} times
**Signature**: `{signature}`

**Iteration history**:

{lines} ← Loop detected

**Options**:

1. **Continue with different approach** - Agent will be instructed to try new strategy
2. **Review and debug** - Examine why same fix keeps failing
3. **Cancel** - Stop task"""


class Signature:
    detector, readings, features = "signature", ["code", "text"], ["functions", "snapshot", "evidence", "replies"]
    functions = {"signature.extract": extract_function, "signature.report": report_function}

    def __init__(self, reading, config):
        self.rule = Rule(reading, **loopstone.settings(config, threshold=3, window=5))  # SG-2, SG-3
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset, self.snapshot, self.restore = self.rule.reset, self.rule.snapshot, self.rule.restore

    def observe(self, event):
        index = next(self.indices)
        if event["type"] != "output":  # SG-1
            return {"loop": False}
        return self.rule.observe(event["text"], index)


if __name__ == "__main__":
    loopstone.serve("loopstone-signature-python", "1.0", Signature)
