"""Times a listing of the documents: python3 listing.py history|crow LISTING EVENTS NUMBER

Prints how many nanoseconds each of that number of events took, after a quarter more to warm up. The listing is run as it stands; what it imports beyond the standard library
is replaced by nothing.
"""
import asyncio
import json
import sys
import time
import types
from collections import Counter, deque

name, listing, events_file, number = sys.argv[1:]
openai = types.ModuleType("openai")
openai.AsyncOpenAI = object
sys.modules["openai"] = openai

world = {"__name__": "listing", "deque": deque, "Counter": Counter}
exec("import hashlib, json", world)
with open(listing, encoding="utf-8") as f:
    exec(compile(f.read(), listing, "exec"), world)
with open(events_file, encoding="utf-8") as f:
    events = [json.loads(line) for line in f]

CHUNK = 200


def history():
    detector = world["ToolLoopDetector"]()

    async def observe(chunk):
        for event in chunk:
            detector.record(event["tool"], event["args"])
            detector.is_stuck()

    return observe, events


def as_crow(event):
    if event["type"] == "tool_call":
        return {"type": "action", "tool_name": event["tool"], "tool_args": event["args"]}
    return {"type": "observation", "content": event["content"]}


def crow():
    detector = world["LoopDetector"](None)
    recent = deque(maxlen=20)

    async def observe(chunk):
        for event in chunk:
            recent.append(event)
            await detector.detect_loop("s", list(recent))

    return observe, [as_crow(event) for event in events]


async def main():
    observe, trace = {"history": history, "crow": crow}[name]()
    limit = int(number)
    at, spent, done = 0, 0, -(limit // 4)
    while done < limit:
        chunk = trace[at:at + CHUNK]
        at = (at + CHUNK) % len(trace)
        start = time.perf_counter_ns()
        await observe(chunk)
        if done < 0:
            done = min(done + len(chunk), 0)
        else:
            spent += time.perf_counter_ns() - start
            done += len(chunk)
    print(spent / done)


asyncio.run(main())
