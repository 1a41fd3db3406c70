"""Runs tests of a project without pytest, which they need for its marks at most: own_tests.py PORT FILE…

It prints the names of the tests that fail, one a line. PORT is the module that loads the original.
"""
import importlib
import inspect
import sys
import traceback

import field


class Anything:
    def __getattr__(self, _name):
        return self


def tests(module):
    """The functions to call, with their names; a method gets an instance of its class."""
    for name, value in vars(module).items():
        if name.startswith("test") and inspect.isfunction(value):
            yield name, value
        elif name.startswith("Test") and inspect.isclass(value):
            for method, _ in inspect.getmembers(value, inspect.isfunction):
                if method.startswith("test"):
                    yield f"{name}.{method}", getattr(value(), method)


def fails(test):
    try:
        if inspect.iscoroutinefunction(test) or inspect.signature(test).parameters:
            return True  # it needs what pytest gives
        test()
    except Exception:
        traceback.print_exc()
        return True
    return False


if __name__ == "__main__":
    field.module("pytest", mark=Anything())
    importlib.import_module(sys.argv[1])
    for file in sys.argv[2:]:
        for name, test in tests(field.load("tests.of_the_project", file)):
            print("FAIL" if fails(test) else "ok", name)
