"""Pages are collected as doctests; the scripts that build them are not."""

collect_ignore_glob = ["conf.py", "_extensions/*", "_build/*", "gallery/*", "generated/*"]
