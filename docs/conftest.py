"""The pages are doctests; the scripts that build them are none."""

collect_ignore_glob = ["conf.py", "_extensions/*", "_build/*", "gallery/*", "generated/*"]
