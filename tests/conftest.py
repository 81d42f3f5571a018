"""Settings that all tests share."""

import os

from hypothesis import settings

# Machines are noisy, so no example is held to a time; in CI the same examples are drawn
# each time, so that a run says something about the change and not about its luck.
settings.register_profile(
    "graphtailor", deadline=None, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("graphtailor")
