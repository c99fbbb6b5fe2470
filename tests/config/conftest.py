"""Tables and sockets in this process, for what the house counts of them and how it sends them away."""

from tests.sockets.conftest import door, empty_memory, story, untold  # noqa: F401
