"""The application: command line, settings, composition root, intake, the life of a turn."""
