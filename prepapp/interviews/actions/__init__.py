"""What changes rows of an interview. Each module holds one noun's actions; each action owns its
transaction, takes keywords and `now`, and is harmless when repeated."""
