"""The detector `history` in Python: the example beside the kit, under the name of the ports."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import loopstone
from history import History

if __name__ == "__main__":
    loopstone.serve("loopstone-history-python", "1.0", History)
