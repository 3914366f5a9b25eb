"""The observer: a page on the loopback that shows what the daemon does, and why.

It is a client of the daemon's socket like any other, and keeps nothing: what it shows is asked for
anew. It may answer, approve and cancel only if whoever started it said so.
"""

from tools.observer.server import serve_observer

__all__ = ["serve_observer"]
