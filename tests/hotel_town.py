"""A small town of hotels, and tests without a network, for all frameworks' adapters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_socket import disable_socket, enable_socket, socket_allow_hosts

TEXTS = {
    "inn": "The Harbour Inn is a quiet hotel with a garden near the sea.",
    "club": "The Anchor is a hotel by the sea, right above a loud nightclub.",
    "disco": "Hotel Disco has a nightclub of its own, and music until five.",
    "farm": "The farm rents rooms far from the town, among cows and orchards.",
    "spa": "A spa hotel with warm pools and a restaurant, in the hills.",
    "hostel": "The hostel in the old town has cheap beds and a shared kitchen.",
    "villa": "Villa Rosa is a calm guest house with a view of the harbour.",
    "motel": "A motel by the motorway, with parking for lorries.",
}
QUERY = "a hotel by the sea, but no nightclub"


@pytest.fixture
def no_network(request: pytest.FixtureRequest) -> Iterator[None]:
    """Block the network; a test with a wire double reaches this machine only."""
    if "wire_double" in request.fixturenames:
        socket_allow_hosts(["127.0.0.1", "localhost"], allow_unix_socket=True)
    else:
        disable_socket(allow_unix_socket=True)  # an event loop has its own pair
    yield
    enable_socket()
    socket_allow_hosts(None)


@pytest.fixture
def query() -> str:
    return QUERY
