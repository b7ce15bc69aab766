"""``python -m canopy_tui`` is the ``canopy`` command.

It must not know anything else.
"""

from __future__ import annotations

import sys

from canopy_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
