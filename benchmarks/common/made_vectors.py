"""Encoders that make up vectors at the speed of a hash, so that only an index is measured."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from benchmarks.common.output import OUT, cached_encoder
from benchmarks.common.timing import film_passages
from logic_retrievers.encoders.base import Vectors, VectorSpec

DIMENSION = 384
NAMES = ("topical", "compatibility")
SEEDS = OUT / "growth_seeds.npy"
FILMS = 5_000
HELD_OUT = 500
NEAREST = 16
NOISE = 0.4


class RandomEncoder:
    """A random vector for each text, the same at every call; ``seconds`` is the time it took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.specs: Mapping[str, VectorSpec] = {
            name: VectorSpec(name, DIMENSION, 256, f"{type(self).__name__}-{name}")
            for name in NAMES
        }

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Shape (texts, 384) for each name."""
        return self._timed(texts, names, query=False)

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Shape (texts, 384) for each name."""
        return self._timed(texts, names, query=True)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """The text is one span; nothing here is split."""
        return [(0, len(text))]

    def _timed(
        self, texts: Sequence[str], names: Sequence[str] | None, *, query: bool
    ) -> dict[str, Vectors]:
        begun = time.perf_counter()
        vectors = {name: self._encode(texts, name, query) for name in names or self.specs}
        self.seconds += time.perf_counter() - begun
        return vectors

    def _encode(self, texts: Sequence[str], name: str, query: bool) -> Vectors:
        del query
        rows = [_generator(f"{name} {text}").standard_normal(DIMENSION) for text in texts]
        return _unit(np.array(rows, dtype=np.float32).reshape(-1, DIMENSION))


class FilmLikeEncoder(RandomEncoder):
    """Vectors with the local structure of real ones, which uniformly random vectors lack.

    The seeds are vectors of 5,000 film descriptions by the shipped encoder. A passage lies at
    random between a seed and one of the 16 nearest to it, with noise of .4 of their distance;
    a query lies likewise between a film that is held out and the nearest seed. Both named vectors
    of a text take the same films.
    """

    def __init__(self) -> None:
        super().__init__()
        vectors = _film_vectors()
        self._queries, self._seeds = vectors[:, :HELD_OUT], vectors[:, HELD_OUT:]
        near = self._seeds[0] @ self._seeds[0].T
        np.fill_diagonal(near, -1)
        self._near = np.argsort(-near, axis=1)[:, :NEAREST]
        self._nearest_seed = np.argmax(self._queries[0] @ self._seeds[0].T, axis=1)

    def _encode(self, texts: Sequence[str], name: str, query: bool) -> Vectors:
        generators = [_generator(text) for text in texts]
        draws = np.array([random.random(3) for random in generators])
        seeds, column = self._seeds[NAMES.index(name)], (draws[:, 0] * 1e9).astype(int)
        if query:
            first = column % HELD_OUT
            one, other = self._queries[NAMES.index(name)][first], seeds[self._nearest_seed[first]]
        else:
            first = column % len(seeds)
            second = self._near[first, (draws[:, 1] * NEAREST).astype(int)]
            one, other = seeds[first], seeds[second]
        share = draws[:, 2:].astype(np.float32) / 2
        noise = [_generator(f"{name} {text}").standard_normal(DIMENSION) for text in texts]
        spread = np.linalg.norm(one - other, axis=1, keepdims=True)  # small of compatibility
        offset = NOISE * spread * _unit(np.array(noise, dtype=np.float32))
        return _unit(_unit((1 - share) * one + share * other) + offset)


def _film_vectors() -> Vectors:
    """Shape (2, films, 384); encoded at the first call, which takes minutes."""
    if not SEEDS.exists():
        texts = [film.text for film in film_passages(FILMS)]
        made = cached_encoder().encode_documents(texts, NAMES)
        OUT.mkdir(exist_ok=True)
        np.save(SEEDS, np.stack([made[name] for name in NAMES]))
    return np.asarray(np.load(SEEDS), dtype=np.float32)


def _generator(text: str) -> np.random.Generator:
    seed = blake2b(text.encode(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(seed, "little"))


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / lengths, dtype=np.float32)
