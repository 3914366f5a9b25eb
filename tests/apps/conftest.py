"""What lies in ``inside`` runs in the environments of the applications, not in this one."""

collect_ignore_glob = ["inside/*"]
