"""The language package: it reads words for all actors. Pure; it imports ``messages`` at most.

``words`` normalises, splits and inflects words; ``tokens`` splits a phrase into tokens; ``lexicon``
loads the words for kinds, colours, states and relations; ``describing`` and ``reading`` turn a
phrase into every description that it can be.
"""
