"""`python -m lanescope` is the `lanescope` command."""

import sys

from lanescope.cli import main

sys.exit(main())
