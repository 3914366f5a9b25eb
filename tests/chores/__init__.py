"""Everyday chores in the words of different people, carried out by a real daemon.

The chores are data, one file per group. ``python -m tests.chores`` carries them out and prints what
came of them.
"""
