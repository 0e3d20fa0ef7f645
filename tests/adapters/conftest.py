from tests.adapters.people_pack import _people, people  # noqa: F401 - fixtures
