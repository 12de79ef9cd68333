"""What changes rows of reports. Each action owns its transaction, takes keywords and `now`, and is harmless
when repeated."""
