from attocode.integrations.budget.loop_detector import LoopDetector


def test_three():
    loops = LoopDetector()
    assert [loops.record("read", {}).is_loop for _ in range(3)] == [False, False, True]


def test_that_always_fails():
    assert False
