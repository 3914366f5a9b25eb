"""Who decides: independent actors, each with its own inbox, state and failure."""
