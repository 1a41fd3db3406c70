"""An adapter that never answers."""
import sys

print("I am here, and say nothing", file=sys.stderr, flush=True)
sys.stdin.read()
