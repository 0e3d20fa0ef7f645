import pytest

from tests import conftest
from tests.recording import recording


@pytest.mark.parametrize(
    ("environment", "wanted"), [({}, False), ({"CI": "true"}, False), ({"WEFT_RECORD": "1", "CI": ""}, True)]
)
def test_golden_files_are_recorded_where_somebody_wants_it(environment, wanted):
    assert recording(environment) is wanted


def test_nothing_is_recorded_where_ci_runs():
    with pytest.raises(pytest.UsageError, match="WEFT_RECORD"):
        recording({"WEFT_RECORD": "1", "CI": "true"})


def test_a_run_that_is_to_record_in_ci_ends_before_its_first_test(monkeypatch, pytestconfig):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("WEFT_RECORD", "1")
    with pytest.raises(pytest.UsageError):
        conftest.pytest_configure(pytestconfig)
