"""The mariadb operator."""
