"""Pages of the bank: the question browser, the desk of its curators, flags, imports and exports."""
