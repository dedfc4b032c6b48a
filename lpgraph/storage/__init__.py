"""Arrays in one file: written whole or not at all, mapped into memory, every byte verified before it is used."""
