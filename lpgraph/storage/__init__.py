"""Files of arrays: written atomically, read into memory, and verified by checksums before use."""
