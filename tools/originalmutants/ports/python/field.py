"""Loads the file of an original in Python; modules that stand in for those that it imports are made here."""
import ast
import importlib.util
import itertools
import pathlib
import sys
import types


def module(name, **members):
    """Makes a module, and the packages that it lies in."""
    for end, char in enumerate(name + "."):
        if char == "." and name[:end] not in sys.modules:
            sys.modules[name[:end]] = types.ModuleType(name[:end])
            sys.modules[name[:end]].__path__ = []
    vars(sys.modules[name]).update(members)
    return sys.modules[name]


def load(name, file, only=None, **members):
    """Runs the file as the module of this name: all of it, or only the definitions with these names."""
    text = pathlib.Path(file).read_text()
    tree = ast.parse(text, file)
    if only:
        tree.body = [node for node in tree.body if getattr(node, "name", "") in only]
    loaded = module(name, **members)
    exec(compile(tree, file, "exec", dont_inherit=True, flags=annotations), vars(loaded))
    return loaded


annotations = __import__("__future__").annotations.compiler_flag  # what they name need not be there


class Record:
    """A value with the members that it is made with; equal are those of one class with equal members."""

    def __init__(self, **members):
        vars(self).update(members)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)


numbers = itertools.count()
