"""From stored runs to the tables of the paper."""
