"""Many clusterings, and the graph of what they agree on."""
