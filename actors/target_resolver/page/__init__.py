"""Binding words on a web page: readings of the words, elements of the page, to exactly one.

Pure, like the engine beside it. ``binding.py`` is the way in; equal things are offered there, with
what tells them apart.
"""
