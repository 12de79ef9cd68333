"""Names of the cookies that hold a visitor's preferences. They carry nothing secret: every value is
checked when read, and a forged one changes only how the page looks to its owner."""

TIME_ZONE_COOKIE = "time_zone"
THEME_COOKIE = "theme"
