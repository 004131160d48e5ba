"""The suite's own arithmetic: a run that broke must not look like one that passed."""

from pathlib import Path

import pytest

from tests.__main__ import NO_TESTS_COLLECTED, Tally, count_outcomes, report_summary

SUITE = '<testsuites><testsuite tests="7" failures="1" errors="1" skipped="2"/></testsuites>'
EMPTY = '<testsuites><testsuite tests="0" failures="0" errors="0" skipped="0"/></testsuites>'


@pytest.mark.parametrize(
    ("report", "status", "expected"),
    [
        pytest.param(SUITE, 1, "3 passed, 2 failed, 2 skipped", id="errors count as failures"),
        pytest.param(EMPTY, NO_TESTS_COLLECTED, "0 passed, 0 failed", id="nothing selected"),
        pytest.param(EMPTY, 2, "0 passed, 1 failed", id="interrupted"),
        pytest.param("", 3, "0 passed, 1 failed", id="crashed without a report"),
    ],
)
def test_a_pass_is_counted(report: str, status: int, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    if report:
        path.write_text(report)

    assert str(count_outcomes("pass", path, status, 1.0)) == expected


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        pytest.param([(3, 0), (1, 0)], 0, id="all passed"),
        pytest.param([(3, 0), (0, 1)], 1, id="one failed"),
        pytest.param([(0, 0)], 1, id="nothing was tested"),
    ],
)
def test_the_last_line_is_the_total_and_the_status_says_the_same(
    counts: list[tuple[int, int]], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tallies = [
        Tally(title="pass", passed=passed, failed=failed, skipped=0, seconds=1.0)
        for passed, failed in counts
    ]

    assert report_summary(tallies, 2.0) == status
    passed, failed = (sum(column) for column in zip(*counts, strict=True))
    assert capsys.readouterr().out.splitlines()[-1] == f"{passed} passed, {failed} failed"
