"""The read side: get, list and watch, with the options, selectors and tokens that they share."""
