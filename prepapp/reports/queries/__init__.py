"""What pages and reports read. Each module answers one question; none writes."""
