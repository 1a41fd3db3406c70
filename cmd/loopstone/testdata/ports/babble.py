"""An adapter that prints something else than answers."""
import sys

print("Hello! I am a loop detector.", flush=True)
sys.stdin.read()
