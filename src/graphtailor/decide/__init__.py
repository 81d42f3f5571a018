"""Every choice that is made without labels."""
