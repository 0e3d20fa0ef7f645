"""The web playground: a platform whose server is ours."""
