"""The StuckDetector of OpenHands' SDK as a port of its profile."""
import logging

import field
from field import Record


class Event(Record):
    def __init__(self, **members):
        super().__init__(id=next(field.numbers), **{"source": self.source, **members})

    source = "agent"


class ActionEvent(Event):
    pass


class MessageEvent(Event):
    pass


class ObservationBaseEvent(Event):
    source = "environment"


class ObservationEvent(ObservationBaseEvent):
    pass


class AgentErrorEvent(ObservationBaseEvent):
    source = "agent"


class CondensationSummaryEvent(Event):
    pass


class State(Record):
    @classmethod
    def create(cls, **_members):
        return cls(events=[])

    def active_branch(self, limit=None):
        return self.events[-limit:]


class Thresholds(Record):
    action_observation, action_error, monologue, alternating_pattern = 4, 3, 3, 6


class Message(Record):
    pass


class TextContent(Record):
    pass


class TerminalAction(Record):
    pass


class TerminalObservation(Record):
    @classmethod
    def from_text(cls, **members):
        return cls(**members)


field.module("openhands.sdk.conversation.state", ConversationState=State)
field.module("openhands.sdk.conversation.types", StuckDetectionThresholds=Thresholds)
field.module(
    "openhands.sdk.event", Event=Event, ActionEvent=ActionEvent, MessageEvent=MessageEvent, AgentErrorEvent=AgentErrorEvent,
    CondensationSummaryEvent=CondensationSummaryEvent, ObservationBaseEvent=ObservationBaseEvent,
    ObservationEvent=ObservationEvent)
logging.disable()
field.module("openhands.sdk.logger", get_logger=logging.getLogger)
# For the project's own tests:
field.module("openhands.sdk.agent", Agent=Record)
field.module("openhands.sdk.llm", LLM=Record, Message=Message, MessageToolCall=Record, TextContent=TextContent)
field.module("openhands.sdk.workspace", LocalWorkspace=Record)
field.module("openhands.tools.terminal.definition", TerminalAction=TerminalAction, TerminalObservation=TerminalObservation)
original = field.load(
    "openhands.sdk.conversation.stuck_detector", "openhands-sdk/openhands/sdk/conversation/stuck_detector.py")


class OpenHands:
    detector, readings, features = "@openhands", ["code"], ["replies"]
    members, settings = ["rung"], []

    def __init__(self, reading, config):
        self.reset()

    def reset(self):
        self.state, self.called = State.create(), ""
        self.stuck = original.StuckDetector(self.state)

    def observe(self, event):
        added = self.event(event)
        if added is None:
            return {"loop": False}
        self.state.events.append(added)
        del self.state.events[:-100]  # more than it ever looks at
        if event["type"] == "tool_call":
            return {"loop": False}
        if self.stuck.is_stuck():
            return {"loop": True, "rung": "stuck"}
        return {"loop": True, "rung": "nudge"} if self.stuck.get_action_error_nudge() else {"loop": False}

    def event(self, event):
        if event["type"] == "tool_call":
            self.called = event["tool"]
            return ActionEvent(thought=event.get("thought"), action=event["args"], tool_name=self.called)
        if event["type"] == "tool_result" and event["ok"]:
            return ObservationEvent(observation=event["content"], tool_name=self.called)
        if event["type"] in ("tool_result", "error"):
            return AgentErrorEvent(error=event.get("content", event.get("message")), tool_name=self.called)
        if event["type"] == "message" and event["role"] != "system":
            source = "user" if event["role"] == "user" else "agent"
            return MessageEvent(source=source, llm_message=event["content"])
        return None


if __name__ == "__main__":
    import loopstone

    loopstone.serve("openhands", "original", OpenHands)
