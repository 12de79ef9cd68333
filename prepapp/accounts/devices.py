"""A browser's self-description in words a person knows."""

# First match wins: most browsers also name the ones they descend from.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def describe_device(user_agent: str) -> str:
    """'Firefox on Windows'; 'Unknown browser' where neither is known."""
    browser = next((name for sign, name in _BROWSERS if sign in user_agent), "Unknown browser")
    system = next((name for sign, name in _SYSTEMS if sign in user_agent), "")
    return f"{browser} on {system}" if system else browser
