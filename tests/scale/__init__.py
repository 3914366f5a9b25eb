"""What a cluster does under load and faults; ``python -m tests.scale`` runs all of it, bounded."""
