"""One module per screen. A view reads the request, asks, acts once and replies."""
