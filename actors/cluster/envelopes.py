"""Envelopes to bytes and back, and which shard a session belongs to."""

from hashlib import blake2b

import msgspec

from messages import cluster


class Versioned(msgspec.Struct):
    """What can be read of an envelope of any version."""

    version: int = 0


read_version = msgspec.msgpack.Decoder(Versioned).decode
encode = msgspec.msgpack.Encoder().encode
read_to_brain = msgspec.msgpack.Decoder(cluster.ToBrain).decode
read_to_gateway = msgspec.msgpack.Decoder(cluster.ToGateway).decode
read_to_executor = msgspec.msgpack.Decoder(cluster.ToExecutor).decode
read_reported = msgspec.msgpack.Decoder(cluster.Reported).decode
read_beat = msgspec.msgpack.Decoder(cluster.Beat).decode
read_able = msgspec.msgpack.Decoder(cluster.Able).decode
read_owner = msgspec.msgpack.Decoder(cluster.Owner).decode
read_place = msgspec.msgpack.Decoder(cluster.Place).decode

BEATS, LEASES, PLACES, ABILITIES = "beats", "leases", "places", "abilities"


def is_of_later_version(body: bytes) -> bool:
    """Tell whether an envelope is of a version that is not known here yet: others may know it."""
    try:
        return read_version(body).version > cluster.VERSION
    except msgspec.DecodeError:
        return False


def shard_of(session: str, shards: int) -> int:
    """Give the shard of a session: the same on every machine."""
    digest = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % shards


def key_of(name: str) -> str:
    """Give a name that a key of the state can be, whatever a session is called."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def brain_address(shard: int) -> str:
    return f"brain.{shard}"


def executor_address(name: str) -> str:
    return f"executor.{name}"


def lease_key(shard: int) -> str:
    return f"shard.{shard}"
