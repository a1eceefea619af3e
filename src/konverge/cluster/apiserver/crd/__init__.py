"""CustomResourceDefinitions: their own rules, what they add to the server, and the kinds they define."""
