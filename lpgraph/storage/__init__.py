"""Files of arrays: written atomically, memory-mapped, and verified by checksums before use."""
