"""The detector `history` in Python: the example beside the kit, under the name of the ports."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from history import History

if __name__ == "__main__":
    loopstone.serve("loopstone-history-python", "1.0", History)
