"""Text from outside becomes typed values here, or a sentence that says why not: `sign_in` for allauth's
pages, `preferences` for our own."""
