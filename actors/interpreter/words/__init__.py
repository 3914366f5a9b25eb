"""The reading of words for things: tokens, typed phrases, and commands split into roles.

Pure. It knows the little words of English and the verbs it is given; it never sees a world.
"""
