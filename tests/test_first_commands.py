"""The first commands of the README, through the real socket."""

from tests.daemon import Daemon


def test_a_folder_and_a_file_in_it_are_created_in_order(daemon: Daemon) -> None:
    events = daemon.connect().run(
        "c1", text="create a folder reports and inside it create summary.md"
    )
    meta = next(event["meta"] for event in events if event["type"] == "interpreted")
    assert meta["meta_type"] == "dependent_multi"
    assert meta["dependencies"] == {"1": [0]}
    assert events[-1]["status"] == "success"
    assert (daemon.root / "reports" / "summary.md").is_file()
    assert daemon.stop() == 0
