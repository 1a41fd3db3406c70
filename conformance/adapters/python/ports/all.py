"""All nine detectors in one adapter:  loopstone test -- python3 ports/all.py"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from history import History
from ports.composed import Composed
from ports.crow import Crow
from ports.fingerprint import Fingerprint
from ports.guards import Guards
from ports.ralph import Ralph
from ports.signature import Signature
from ports.stream import Stream
from ports.swarm import Swarm

if __name__ == "__main__":
    detectors = Fingerprint, Signature, History, Crow, Swarm, Ralph, Guards, Composed, Stream
    loopstone.serve("loopstone-python", "1.0", *detectors)
