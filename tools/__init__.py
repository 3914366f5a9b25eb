"""What touches the world: files, programs, sound, sockets, settings and the log."""
