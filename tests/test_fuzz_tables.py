"""A few hundred worn tables of each kind; ``make fuzz`` has thousands of them."""

from tests.fuzz_tables import fuzz


def test_a_worn_table_loads_or_is_refused_by_the_error_that_is_meant_for_it() -> None:
    for name, run in fuzz(seed=3, count=300, seconds=30.0).items():
        assert run.wrong == [], name
        assert 0 < run.loaded < run.tried == 300
