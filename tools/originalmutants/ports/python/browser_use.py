"""browser-use's ActionLoopDetector as a port of its profile."""
import copy
import hashlib
import json
import re

import field


class Default:
    def __init__(self, default_factory):
        self.make = default_factory


class BaseModel:
    """Stands in for pydantic's: members with defaults, equality by members; nothing is checked."""

    def __init__(self, **members):
        for name in type(self).__annotations__:
            default = getattr(type(self), name, None)
            vars(self)[name] = default.make() if isinstance(default, Default) else copy.copy(default)
        vars(self).update(members)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash(tuple(vars(self).values()))


original = field.load(
    "browser_use.agent.views", "browser_use/agent/views.py",
    only=["PageFingerprint", "_normalize_action_for_hash", "compute_action_hash", "ActionLoopDetector"],
    BaseModel=BaseModel, ConfigDict=dict, Field=Default, hashlib=hashlib, json=json, re=re)
field.module("browser_use.agent.service", Agent=None)  # for the project's own tests, like these
field.module("browser_use.llm.messages", UserMessage=None)
field.module("tests.ci.conftest", create_mock_llm=None)


class BrowserUse:
    detector, readings, features = "@browser-use", ["code"], []
    members, settings = ["rung"], []

    def __init__(self, reading, config):
        self.reset()

    def reset(self):
        self.loops = original.ActionLoopDetector()

    def observe(self, event):
        if event["type"] != "tool_call" or event["tool"] in ("wait", "done", "go_back"):  # the agent records none of these
            return {"loop": False}
        self.loops.record_action(event["tool"], event["args"])
        nudge = self.loops.get_nudge_message()
        if nudge is None:
            return {"loop": False}
        return {"loop": True, "rung": "mild" if "intentional" in nudge else "medium" if "still" in nudge else "strong"}


if __name__ == "__main__":
    import loopstone

    loopstone.serve("browser-use", "original", BrowserUse)
