"""Every command of the demo is explained truly: by what the daemon said while it carried it out."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from messages.explaining import BindingReport, Explanation
from tests.daemon import Daemon, Event, running_daemon
from tools.browser.finding import is_found
from tools.demo import site
from tools.demo_scenes import BROWSED, PLAYED, SCENES, Scene
from tools.demo_story import STORY
from tools.settings import BrowserSettings

ASKS = '[approval]\n[browser]\nmode = "headless"\n'
pytestmark = [
    pytest.mark.skipif(not is_found(BrowserSettings()), reason="needs a browser"),
    pytest.mark.time_limit(240),
]


@dataclass(frozen=True)
class Shown:
    """A scene that was played: its words, what was said of it, and why it was so."""

    scene: Scene
    text: str
    events: Sequence[Event]
    why: Explanation

    def all(self, kind: str) -> list[Event]:
        return [event for event in self.events if event["type"] == kind]


def play(daemon: Daemon, scene: Scene, address: str = "") -> Shown:
    """Carry out a scene as the demo does, and ask for its explanation."""
    wire, text = daemon.connect(90.0), scene.text.replace("{site}", address)
    request = json.loads(msgspec.json.encode(scene.request(text)))
    wire.send(request)
    events = [wire.read()]
    while events[-1]["type"] != "finished":
        if scene.answer is not None and events[-1]["type"] == "question":
            asked = {"question": events[-1]["question"], "choice": scene.answer}
            wire.send({"type": "answer", "id": "a", **asked})
        if scene.answer is not None and events[-1]["type"] == "approval_needed":
            ruled = {"approval": events[-1]["approval"], "allow": scene.answer == "yes"}
            wire.send({"type": "approve", "id": "a", **ruled})
        events.append(wire.read())
    reply = wire.ask(type="explain", id="why", command=request["id"])
    return Shown(scene, text, events, msgspec.convert(reply["explanation"], Explanation))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Shown]:
    """Play the story and every other scene of the demo."""
    folders = [tmp_path_factory.mktemp(name) for name in ("story", "all", "played")]
    return [*on_pages(folders[0], STORY), *on_pages(folders[1], (*SCENES, *BROWSED)), *in_manor(
        folders[2]
    )]  # fmt: skip


def on_pages(folder: Path, scenes: Sequence[Scene]) -> Iterator[Shown]:
    with running_daemon(folder, settings=ASKS) as daemon, site() as address:
        for scene in scenes:
            yield play(daemon, scene, address.removeprefix("http://"))


def in_manor(folder: Path) -> Iterator[Shown]:
    with running_daemon(folder, settings=ASKS, arguments=("--world", "manor")) as daemon:
        for scene in PLAYED:
            yield play(daemon, scene)


def last_bindings(why: Explanation) -> dict[tuple[str, str], BindingReport]:
    """Give for each role of a goal what it came to at last."""
    return {(each.goal, each.role): each for each in why.bindings}


def test_every_scene_ends_as_the_demo_says(played: Sequence[Shown]) -> None:
    assert len(played) >= 30
    for shown in played:
        assert shown.why.status == shown.all("finished")[0]["status"] == shown.scene.ends


def test_every_goal_names_the_words_that_it_came_from(played: Sequence[Shown]) -> None:
    for shown in played:
        understood = [event["meta"]["goals"] for event in shown.all("interpreted")]
        goals = (
            [f"{goal['domain']}.{goal['verb']}" for goal in understood[-1]] if understood else []
        )
        assert [goal.does for goal in shown.why.understood] == goals, shown.text
        for goal in shown.why.understood if shown.scene.undo is None else ():
            assert goal.words, (shown.text, goal)
            assert goal.words in shown.text


def test_what_was_bound_is_what_the_explanation_says(played: Sequence[Shown]) -> None:
    count = 0
    for shown in played:
        bound: dict[str, set[str]] = {}
        for event in shown.all("resolved"):
            bound.setdefault(event["goal"], set()).add(event["target"])
        for goal, targets in bound.items():
            told = [each for (of, _), each in last_bindings(shown.why).items() if of == goal]
            assert {each.id for report in told for each in report.chosen} == targets, shown.text
            assert all(report.words for report in told)
            count += len(targets)
    assert count >= 20


def test_every_runner_up_comes_with_why_it_was_not_that(played: Sequence[Shown]) -> None:
    count = 0
    for shown in played:
        for bound in shown.why.bindings:
            chosen = {each.id for each in bound.chosen}
            assert not chosen & {each.id for each in bound.dropped}
            assert all(each.dropped for each in bound.dropped)
            if bound.dropped and bound.chosen:
                assert bound.runner_up in bound.dropped
                assert bound.why_not, (shown.text, bound.runner_up)
                count += 1
    assert count >= 5


def test_what_failed_is_told_with_its_reason_and_what_is_near(played: Sequence[Shown]) -> None:
    for shown in played:
        finished = shown.all("finished")[0]
        assert shown.why.message == finished["message"]
        assert list(shown.why.suggestions) == finished["suggestions"]
        reasons = {each["goal"]: each["message"] for each in finished["results"]}
        for goal in shown.why.understood:
            if reasons.get(goal.goal) and finished["status"] != "success":
                assert goal.message == reasons[goal.goal], shown.text


def test_questions_and_approvals_are_told_with_what_was_said(played: Sequence[Shown]) -> None:
    for shown in played:
        asked = [event["message"] for event in shown.all("question")]
        assert [each.message for each in shown.why.questions] == asked
        assert all(each.answer for each in shown.why.questions)
        needed = [event["description"] for event in shown.all("approval_needed")]
        assert [each.description for each in shown.why.approvals] == needed
        assert all(each.allowed is (shown.scene.answer == "yes") for each in shown.why.approvals)


def test_every_action_is_told_with_how_it_ended_and_whether_its_effect_was_seen(
    played: Sequence[Shown],
) -> None:
    for shown in played:
        begun = {event["action"] for event in shown.all("action_started")}
        ended = {event["action"]: event for event in shown.all("action_finished")}
        said = {action: event for action, event in ended.items() if action in begun}
        told = {each.action: each for each in shown.why.actions}
        assert set(told) == set(said), shown.text
        for action, report in told.items():
            assert report.status == said[action]["status"]
            assert report.verified is said[action]["verified"]
