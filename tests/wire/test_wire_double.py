"""The double answers as local mode does, through the real clients, over REST and over gRPC."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from doubles import Wire, WireDouble
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from qdrant_client import QdrantClient
from qdrant_client import models as m

NAMES = ("topical", "compatibility")
DIM = 4
VECTORS = {
    "topical": m.VectorParams(size=DIM, distance=m.Distance.COSINE),
    "compatibility": m.VectorParams(size=DIM, distance=m.Distance.DOT),
}
COUNTER = itertools.count()


def field(key: str, **test: Any) -> m.FieldCondition:
    return m.FieldCondition(key=key, **test)


# Multiples of 1/8 are exact in 32 bits, as vectors and weights are in gRPC messages.
eighths = st.integers(-64, 64).map(lambda n: n / 8)
vectors = st.lists(eighths, min_size=DIM, max_size=DIM)
weights = st.lists(st.integers(1, 16).map(lambda n: n / 8), min_size=2, max_size=2)
scalars = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e6, 1e6) | st.text()
)
payloads = st.fixed_dictionaries(
    {},
    optional={
        "tag": st.sampled_from(["a", "b", "ü"]) | st.lists(st.sampled_from(["a", "b"])),
        "n": st.integers(-3, 3),
        "metadata": st.dictionaries(st.text(), scalars | st.lists(scalars), max_size=3),
    },
)
rows = st.tuples(st.dictionaries(st.sampled_from(NAMES), vectors), payloads)
points = st.lists(rows, min_size=1, max_size=8).map(
    lambda rows: [
        m.PointStruct(id=i, vector=vector, payload=payload)
        for i, (vector, payload) in enumerate(rows)
    ]
)
conditions = st.one_of(
    st.sampled_from(["a", "ü"]).map(lambda v: field("tag", match=m.MatchValue(value=v))),
    st.just(field("tag", match=m.MatchAny(any=["a", "b"]))),
    st.integers(-3, 3).map(lambda n: field("n", match=m.MatchExcept(**{"except": [n]}))),
    st.integers(-3, 3).map(lambda n: field("n", range=m.Range(gte=n, lt=n + 3))),
    st.just(m.IsEmptyCondition(is_empty=m.PayloadField(key="tag"))),
    st.just(m.HasIdCondition(has_id=[0, 2, 3])),
)
clauses = st.none() | st.lists(conditions, max_size=2)
filters = st.builds(m.Filter, must=clauses, should=clauses, must_not=clauses)
wires = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def plain(answer: Any) -> Any:
    """An answer to compare: gRPC scores have 32 bits, and its messages no absent payload."""
    if isinstance(answer, BaseModel):
        empty = {"payload": {}, "vector": {}, "shard_key": None}
        return plain(
            {**dict(answer), **{k: v for k, v in empty.items() if not getattr(answer, k, 1)}}
        )
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items()}
    if isinstance(answer, (list, tuple)):
        return [plain(item) for item in answer]
    if isinstance(answer, float):
        return pytest.approx(answer, rel=1e-6, abs=1e-6)
    return answer


class Pair:
    """The same calls to the double through a real client, and to local mode."""

    def __init__(self, remote: QdrantClient) -> None:
        self.remote = remote
        self.local = QdrantClient(":memory:")
        self.name = ""

    def new_collection(self) -> str:
        """Its name; each generated example gets one."""
        self.name = f"c{next(COUNTER)}"
        self.both(lambda c: c.create_collection(self.name, VECTORS, metadata={"made": "by a test"}))
        return self.name

    def both(self, call: Callable[[QdrantClient], Any]) -> Any:
        """The answer of the double, once it equals the one of local mode."""
        answer = call(self.remote)
        assert plain(answer) == plain(call(self.local))
        return answer


@pytest.fixture
def pair(wire: Wire) -> Pair:
    return Pair(wire.connect())


def fusion_request(
    query: list[list[float]], weight: list[float], chosen: m.Filter
) -> m.QueryRequest:
    """Nested prefetch, each leaf rescored, weighted reciprocal ranks at the root."""
    leaf = m.Prefetch(query=query[0], using="topical", filter=chosen, limit=6)
    prefetch = [
        m.Prefetch(prefetch=[leaf], query=vector, using=name, limit=4)
        for vector, name in zip(query, NAMES, strict=True)
    ]
    root = m.RrfQuery(rrf=m.Rrf(k=1, weights=weight))
    return m.QueryRequest(prefetch=prefetch, query=root, limit=4, with_payload=["n"])


@wires
@given(
    points=points, query=st.lists(vectors, min_size=2, max_size=2), weight=weights, chosen=filters
)
def test_searches_answer_as_local_mode(
    pair: Pair, points: Any, query: Any, weight: Any, chosen: Any
) -> None:
    """A filter, prefetch, weight or vector lost in translation would look like a weak retriever."""
    name = pair.new_collection()
    requests = [
        m.QueryRequest(query=query[0], using="topical", limit=5),
        m.QueryRequest(query=query[1], using="compatibility", filter=chosen, with_payload=True),
        fusion_request(query, weight, chosen),
    ]
    pair.both(lambda c: c.upsert(name, points))
    for call in (
        lambda c: c.query_batch_points(name, requests),
        lambda c: c.query_points(
            name, query[0], using="topical", query_filter=chosen, with_vectors=["compatibility"]
        ),
        lambda c: c.query_points(
            name, query[1], using="compatibility", score_threshold=0.5, offset=1, limit=3
        ),
        lambda c: c.query_points_groups(name, "n", query[0], using="topical", group_size=2),
    ):
        pair.both(call)


@wires
@given(points=points, chosen=filters)
def test_reads_answer_as_local_mode(pair: Pair, points: Any, chosen: Any) -> None:
    """Payloads must survive both encodings: nulls, lists, big integers, any text as a key."""
    name = pair.new_collection()
    pair.both(lambda c: c.upsert(name, points))
    for call in (
        lambda c: c.scroll(name, limit=3, with_vectors=True),
        lambda c: c.scroll(
            name, chosen, offset=2, with_payload=m.PayloadSelectorExclude(exclude=["n"])
        ),
        lambda c: c.retrieve(name, [0, 1, 99], with_vectors=["topical"]),
        lambda c: c.retrieve(name, [0], with_payload=False),
        lambda c: c.count(name, chosen),
        lambda c: c.facet(name, "tag", facet_filter=chosen),
        lambda c: c.get_collection(name).points_count,
        lambda c: c.collection_exists(name),
    ):
        pair.both(call)


@wires
@given(points=points, chosen=filters, vector=vectors, payload=payloads)
def test_writes_leave_what_local_mode_leaves(
    pair: Pair, points: Any, chosen: Any, vector: Any, payload: Any
) -> None:
    """A write that changes more or less than it says corrupts an index without an error."""
    name = pair.new_collection()
    last = m.FilterSelector(filter=chosen)
    batch = m.Batch(ids=[7, 8], vectors={"topical": [vector] * 2}, payloads=[payload] * 2)
    for write in (
        lambda c: c.upsert(name, points),
        lambda c: c.upsert(name, batch),
        lambda c: c.upsert(name, points, update_filter=chosen),
        lambda c: c.upsert(name, points, update_mode=m.UpdateMode.INSERT_ONLY),
        lambda c: c.set_payload(name, payload, [0]),
        lambda c: c.set_payload(name, {"deep": 1}, last, key="metadata"),
        lambda c: c.overwrite_payload(name, payload, [7]),
        lambda c: c.delete_payload(name, ["tag"], chosen),
        lambda c: c.clear_payload(name, [8]),
        lambda c: c.update_vectors(name, [m.PointVectors(id=0, vector={"topical": vector})]),
        lambda c: c.delete_vectors(name, ["compatibility"], [0]),
        lambda c: c.batch_update_points(
            name,
            [
                m.UpsertOperation(upsert=m.PointsList(points=points[:1])),
                m.SetPayloadOperation(set_payload=m.SetPayload(payload=payload, points=[7])),
            ],
        ),
        lambda c: c.delete(name, last),
        lambda c: c.delete(name, [0, 7]),
    ):
        pair.both(write)
        pair.both(lambda c: c.scroll(name, limit=99, with_vectors=True))


def test_collections_live_and_die_as_on_a_server(pair: Pair) -> None:
    """Metadata carries the fingerprints; losing it on the wire would orphan every collection."""
    remote, name = pair.remote, pair.new_collection()
    remote.update_collection(name, metadata={"fingerprints": {"topical": "abc"}})
    info = remote.get_collection(name)
    assert info.config.metadata == {"made": "by a test", "fingerprints": {"topical": "abc"}}
    assert info.config.params.vectors == VECTORS
    remote.create_payload_index(name, "tag", m.PayloadSchemaType.KEYWORD)
    remote.create_payload_index(
        name, "tenant", m.KeywordIndexParams(type="keyword", is_tenant=True)
    )
    schema = remote.get_collection(name).payload_schema
    assert {key: index.data_type for key, index in schema.items()} == dict.fromkeys(
        ["tag", "tenant"], m.PayloadSchemaType.KEYWORD
    )
    assert schema["tenant"].params.is_tenant
    remote.delete_payload_index(name, "tag")
    assert set(remote.get_collection(name).payload_schema) == {"tenant"}
    alias = m.CreateAlias(collection_name=name, alias_name="current")
    remote.update_collection_aliases([m.CreateAliasOperation(create_alias=alias)])
    assert [each.alias_name for each in remote.get_aliases().aliases] == ["current"]
    assert [each.alias_name for each in remote.get_collection_aliases(name).aliases] == ["current"]
    assert set(remote.get_collection("current").payload_schema) == {"tenant"}
    assert [each.name for each in remote.get_collections().collections] == [name]
    assert remote.delete_collection(name) is True
    assert remote.delete_collection(name) is False
    assert remote.collection_exists(name) is False


def test_vectors_of_every_kind(pair: Pair) -> None:
    """Sparse and multi-vectors have messages of their own, also when a name is added later."""
    name = pair.new_collection()
    late = m.DenseVectorConfig(size=2, distance=m.Distance.COSINE)
    lexical = m.SparseVectorConfig(modifier=m.Modifier.IDF)
    multi = m.MultiVectorConfig(comparator=m.MultiVectorComparator.MAX_SIM)
    tokens = m.DenseVectorConfig(size=2, distance=m.Distance.DOT, multivector_config=multi)
    for config, added in (
        (m.DenseVectorNameConfig(dense=late), "contradiction"),
        (m.DenseVectorNameConfig(dense=tokens), "tokens"),
        (m.SparseVectorNameConfig(sparse=lexical), "lexical"),
    ):
        pair.both(lambda c, config=config, added=added: c.create_vector_name(name, added, config))
    sparse = m.SparseVector(indices=[3, 9], values=[1.0, 0.5])
    vector = {"contradiction": [0.5, 1.0], "lexical": sparse, "tokens": [[0.5, 1.0], [1.0, 0.25]]}
    pair.both(lambda c: c.upsert(name, [m.PointStruct(id=i, vector=vector) for i in (1, 2)]))
    pair.both(lambda c: c.upsert(name, [m.PointStruct(id=3, vector={})]))
    for using, query in vector.items():
        found = pair.both(
            lambda c, using=using, query=query: c.query_points(
                name, query, using=using, with_vectors=True
            )
        )
        assert len(found.points) == 2
    pair.remote.delete_vector_name(name, "contradiction")
    assert "contradiction" not in pair.remote.get_collection(name).config.params.vectors


def test_unnamed_vectors(pair: Pair) -> None:
    """Collections of other stores often have one vector without a name."""
    pair.both(lambda c: c.create_collection("u", VECTORS["topical"]))
    found = [m.PointStruct(id=i, vector=[i, 1.0, 0.0, 0.0]) for i in (1, 2)]
    pair.both(lambda c: c.upsert("u", found))
    pair.both(lambda c: c.query_points("u", [1.0, 0.0, 0.0, 0.0], with_vectors=True))


async def test_async_client_answers_as_local_mode(wire: Wire, pair: Pair) -> None:
    """The async client has its own transport and its own copies of every conversion."""
    name, client = pair.new_collection(), wire.aconnect()
    found = [
        m.PointStruct(id=i, vector={"topical": [1.0, i, 0.0, 0.0]}, payload={"n": i})
        for i in (1, 2)
    ]
    await client.upsert(name, found)
    pair.local.upsert(name, found)
    requests = [
        m.QueryRequest(query=[1.0, 2.0, 0.0, 0.0], using="topical", with_payload=True),
        fusion_request(
            [[1.0, 2.0, 0.0, 0.0]] * 2, [0.5, 1.0], m.Filter(must=[field("n", range=m.Range(gt=0))])
        ),
    ]
    answers = [
        await client.query_batch_points(name, requests),
        await client.scroll(name, with_vectors=True),
        await client.count(name),
    ]
    await client.close()
    expected = [
        pair.local.query_batch_points(name, requests),
        pair.local.scroll(name, with_vectors=True),
        pair.local.count(name),
    ]
    assert plain(answers) == plain(expected)


def test_a_server_has_no_size_limit(wire_double: WireDouble) -> None:
    """Local mode warns past 20,000 points; as an error in the server's thread it would be a 500."""
    client = Wire(wire_double, prefer_grpc=True).connect()
    client.create_collection("big", vectors_config={"v": m.VectorParams(size=1, distance="Dot")})
    empty = [m.PointStruct(id=i, vector={}) for i in range(20_001)]
    assert client.upsert("big", empty).status == m.UpdateStatus.COMPLETED
    client.close()
