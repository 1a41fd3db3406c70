"""Declares the detectors that its argument says, and does nothing else."""
import json
import sys

SELF = {"protocol": 1, "name": "declares", "version": "1.0", "language": "Python", "detectors": json.loads(sys.argv[1])}

for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": SELF}), flush=True)
