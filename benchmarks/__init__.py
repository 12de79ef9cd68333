"""Measurements of the product over real HTTP. They print figures; nothing here judges the build by time."""
