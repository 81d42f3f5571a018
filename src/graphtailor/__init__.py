"""Learn the graph your clusters need."""
