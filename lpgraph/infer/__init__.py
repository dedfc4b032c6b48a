"""What is learnt from an embedding: its dimension, classes and clusters."""
