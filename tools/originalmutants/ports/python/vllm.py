"""vLLM's check_sequence_repetition as a port of its profile: each character is a token."""
import field


class Parameters(field.Record):
    max_pattern_size, min_pattern_size, min_count = 0, 0, 0


# The cap is vLLM's own affair: the profile's sizes are far below it.
field.module("vllm.sampling_params", _MAX_ABSOLUTE_PATTERN_SIZE=256, RepetitionDetectionParams=Parameters)
field.module("vllm.v1.request", Request=None, RequestStatus=None)
original = field.load("vllm.v1.core.sched.utils", "vllm/v1/core/sched/utils.py")


class Vllm:
    detector, readings, features = "@vllm-stream", ["code"], ["replies"]
    members, settings = ["loop"], []
    parameters = Parameters(min_pattern_size=20, max_pattern_size=100, min_count=4)

    def __init__(self, reading, config):
        self.reset()

    def reset(self):
        self.tokens = []

    def observe(self, event):
        if event["type"] == "reply":
            self.reset()
        if event["type"] != "delta":
            return {"loop": False}
        loop = False
        for token in event["text"]:
            self.tokens.append(token)
            loop = original.check_sequence_repetition(self.tokens, self.parameters) or loop
        return {"loop": loop}


if __name__ == "__main__":
    import loopstone

    loopstone.serve("vllm", "original", Vllm)
