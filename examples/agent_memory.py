"""An agent's memories in Qdrant change their mind: the old one ends where the new one begins.

python examples/agent_memory.py

The collection is as mem0 makes it: one unnamed vector, the text under "data", and everything else
beside it. It is opened in place. No memory is hidden or deleted; each gets the end of its time, and
a search asks for what was true on a day.
"""

from __future__ import annotations

import hashlib
import tempfile
import uuid
from pathlib import Path

from qdrant_client import QdrantClient, models

from logic_retrievers import CorpusCleaner, Engine, PassageIndex
from logic_retrievers.encoders import default_encoder

VALIDITY = ("created_at", "valid_to")
MEMORIES = {
    "Anna works as a nurse at the city hospital.": "2024-03-05T10:00:00.123456-08:00",
    "Anna is allergic to peanuts.": "2024-03-05T10:02:00.654321-08:00",
    "Anna's phone number is 555-0101.": "2024-04-01T10:00:00.111111-07:00",
    "Anna's new phone number is 555-0188.": "2025-04-01T10:00:00.222222-07:00",
    "Anna works as a teacher now; she has left the hospital.": "2025-09-01T08:00:00.333333-07:00",
}


def main() -> None:
    """The memories, the cleaning, and two searches."""
    client = QdrantClient(":memory:")  # yours: mem0's url=, or its path=
    remember(client, "mem0")
    index = PassageIndex.open("mem0", client=client, text_key="data", metadata_key="")
    with index, tempfile.TemporaryDirectory() as folder:
        cleaner = CorpusCleaner(
            index,
            ledger=Path(folder) / "ledger.sqlite",
            date_key="created_at",
            validity=VALIDITY,
            supersede="close",
            hide_above=0.8,  # a closed memory is not lost, so less certainty will do
        )
        cleaned = cleaner.clean()
        for name, until in cleaned.closed.items():
            print(f"until {until}: {cleaned.passages[name].text}")
        engine = Engine(index, validity=VALIDITY)
        for question in ("What is Anna's job?", "What is Anna's number?"):
            for day in ("2024-12-24", "2025-12-24"):
                [hit] = engine.search(question, k=1, as_of=day, filter={"user_id": "anna"})
                print(f"{day}: {hit.passage.text}")
        restored = cleaner.quarantine.restore(list(cleaned.closed))
        print(f"Opened again by hand: {len(restored.restored)}")
    client.close()


def remember(client: QdrantClient, collection: str) -> None:
    """Store the memories as mem0 does; its embedder stands behind the vectors."""
    vectors = default_encoder().encode_documents(list(MEMORIES), ["topical"])["topical"]
    size = models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)
    client.create_collection(collection, vectors_config=size)
    client.upsert(
        collection,
        [
            models.PointStruct(
                id=str(uuid.uuid4()),
                vector=vector.tolist(),
                payload={
                    "data": text,
                    "hash": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
                    "created_at": created,
                    "updated_at": created,
                    "user_id": "anna",
                },
            )
            for (text, created), vector in zip(MEMORIES.items(), vectors, strict=True)
        ],
    )


if __name__ == "__main__":
    main()
