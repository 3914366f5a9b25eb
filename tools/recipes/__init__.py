"""Recipes that users teach: kept in files, recorded from what was done, exchanged as scripts."""
