"""The scripts here need other environments."""

collect_ignore_glob = ["*_values.py"]
