"""One module per screen. Sign-in, sign-up and passwords are allauth's views; see `sign_in_urls`."""
