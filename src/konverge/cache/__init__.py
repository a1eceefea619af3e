"""The cache: what the API server holds, kept in memory by list and watch, and read from there."""
