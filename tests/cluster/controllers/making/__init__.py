"""Objects for the tests of the controllers' pure parts."""
