"""Behest on several machines: gateways, brains and executors, joined by a bus.

No actor knows of this: what it sends to is an address, and here are addresses whose owner is
elsewhere. ``docs/scale.md`` tells how the roles work together.
"""
