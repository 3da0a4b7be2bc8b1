"""Pages on a log for people: HTML without a script, by a server or as files."""
