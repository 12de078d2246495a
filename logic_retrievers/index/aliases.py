"""Aliases: names that lead to a collection of a server, and may lead to another one later."""

from __future__ import annotations

from qdrant_client import models

from logic_retrievers.effects import ClientCall, Operation


def read_aliases() -> Operation[dict[str, str]]:
    """Alias -> the collection that it leads to."""
    answer = yield ClientCall("get_aliases", {})
    return {alias.alias_name: alias.collection_name for alias in answer.aliases}


def switch_alias(alias: str, into: str) -> Operation[None]:
    """Lets an alias lead to a collection, in one step for whoever searches it."""
    create = models.CreateAlias(collection_name=into, alias_name=alias)
    operations: list[models.AliasOperations] = [models.CreateAliasOperation(create_alias=create)]
    if alias in (yield from read_aliases()):
        old = models.DeleteAlias(alias_name=alias)
        operations.insert(0, models.DeleteAliasOperation(delete_alias=old))
    yield ClientCall("update_collection_aliases", {"change_aliases_operations": operations})
