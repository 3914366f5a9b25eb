"""The web site of a botanical garden, under Wagtail."""
