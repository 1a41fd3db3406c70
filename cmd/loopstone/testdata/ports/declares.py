"""Declares the detectors that its argument says, and does nothing else; with "many", one with 300,000 wrong members."""
import json
import sys

MANY = [{"id": "history", "readings": ["code"], "features": [], "members": [f"member_{i}" for i in range(300_000)]}]
DETECTORS = MANY if sys.argv[1] == "many" else json.loads(sys.argv[1])
SELF = {"protocol": 1, "name": "declares", "version": "1.0", "language": "Python", "detectors": DETECTORS}

for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": SELF}), flush=True)
