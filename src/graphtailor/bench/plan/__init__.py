"""What a benchmark is asked to do: a checked plan."""
