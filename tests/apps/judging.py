"""Says a sentence to a daemon and judges what came of it.

| outcome | meaning |
|---|---|
| right | what was asked for was done, shown or told, and nothing else; or refused, as it must be |
| refused | nothing was done, and that was said |
| asked | nothing was done but to ask a question, or for an approval that nobody expected |
| incomplete | part of it was done, and the rest was said to have failed |
| wrong | something else was done, or nobody was asked for an approval that it needs |
| claimed | success was reported, and what was asked for is not so |
"""

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.apps.case import Case
from tests.apps.comparing import Comparison, compare, difference
from tests.apps.serving import Record, State, WebApp
from tests.apps.watching import Watcher
from tests.daemon import Event, Wire

Outcome = Literal["right", "refused", "asked", "incomplete", "wrong", "claimed"]
OUTCOMES: tuple[Outcome, ...] = (
    "right", "refused", "asked", "incomplete", "wrong", "claimed",
)  # fmt: skip
SENTENCE_SECONDS = 40.0
SETTLE_SECONDS = 4.0
LOAD_SECONDS = 15.0


@dataclass
class Reply:
    """How a command ended, and what it asked on the way."""

    status: str = ""
    code: str = ""
    message: str = ""
    outputs: str = ""
    questions: list[str] = field(default_factory=list)
    approvals: list[str] = field(default_factory=list)
    dialog: str = ""
    """What the page itself asks, and waits for."""

    @property
    def is_success(self) -> bool:
        return self.status == "success" and not self.dialog


@dataclass
class Judgement:
    """What came of one sentence."""

    app: str
    number: int
    say: str
    outcome: Outcome
    reason: str
    reply: Reply
    comparison: Comparison
    seconds: float


@dataclass
class Bench:
    """One application, its seeded data, and the ways to speak to Behest and to see the page."""

    app: WebApp
    wire: Wire
    watcher: Watcher
    defaults: dict[str, Record]
    seeded: State
    is_changed: bool = False

    def judge(self, number: int, case: Case) -> Judgement:
        """Say one sentence from a fresh beginning."""
        session = os.urandom(4).hex()
        self.begin(case, session)
        started = time.monotonic()
        reply = self.say(case, session)
        if reply.dialog and case.approve:
            self.accept_dialog(reply, session)
        seconds = time.monotonic() - started
        comparison = self.settle(case, reply)
        self.is_changed = self.app.state() != self.seeded
        outcome = outcome_of(case, reply, comparison)
        reason = reason_for(outcome, reply, comparison)
        name, text = self.app.name, case.say
        return Judgement(name, number, text, outcome, reason, reply, comparison, seconds)

    def begin(self, case: Case, session: str) -> None:
        """Put the data back and open the page that the sentence is said on."""
        if self.is_changed:
            self.app.restore()
        cookies = self.app.cookies() if case.signed_in else {}
        self.watcher.clear(self.app.base, cookies)
        url = self.app.base + case.start
        goal = {"domain": "browser", "verb": "navigate", "params": {"url": url}}
        events = self.wire.run(os.urandom(8).hex(), session=session, goals=[goal])
        if events[-1]["status"] != "success":
            raise RuntimeError(f"{url} does not open: {events[-1]['message']}")
        if case.signed_in and self.app.loaded_text:
            self.watcher.wait_for_text(self.app.loaded_text, LOAD_SECONDS)

    def say(self, case: Case, session: str) -> Reply:
        """Submit the sentence and hear it to its end."""
        name = os.urandom(8).hex()
        self.wire.submit(name, session=session, text=case.say)
        reply = Reply()
        watchdog = threading.Timer(SENTENCE_SECONDS, self.cancel, [name])
        watchdog.start()
        try:
            while not reply.status:
                self.take_event(reply, self.wire.read(), name, approve=case.approve)
        finally:
            watchdog.cancel()
        return reply

    def take_event(self, reply: Reply, event: Event, name: str, *, approve: bool) -> None:
        kind = event["type"]
        if kind == "error":
            reply.status, reply.code = "refused", event["code"]
            reply.message = event["message"]
        elif event.get("command") != name:
            return
        elif kind == "question":
            reply.questions.append(event["message"])
            self.cancel(name)
        elif kind == "approval_needed":
            reply.approvals.append(event["description"])
            ruling = {"type": "approve", "approval": event["approval"], "allow": approve}
            self.wire.send({"id": os.urandom(4).hex(), **ruling})
        elif kind == "finished":
            reply.status, reply.code = event["status"], event["code"] or ""
            reply.message = event["message"] or ""
            outputs = [result["output"] for result in event["results"]]
            reply.outputs = json.dumps(outputs, ensure_ascii=False)
            asks = [each["asks"] for each in outputs if isinstance(each, dict) and "asks" in each]
            reply.dialog = "; ".join(asks)

    def accept_dialog(self, reply: Reply, session: str) -> None:
        """Say yes to what the page asks, as its user has approved."""
        goal = {"domain": "browser", "verb": "accept_dialog"}
        finished = self.wire.run(os.urandom(8).hex(), session=session, goals=[goal])[-1]
        reply.approvals.append(reply.dialog)
        if finished["status"] == "success":
            reply.dialog = ""

    def cancel(self, name: str) -> None:
        self.wire.send({"type": "cancel", "id": os.urandom(4).hex(), "command": name})

    def settle(self, case: Case, reply: Reply) -> Comparison:
        """Compare until all is as expected, or nothing more is to come."""
        late = time.monotonic() + (SETTLE_SECONDS if reply.is_success else 1.0)
        while True:
            comparison = self.compare(case, reply)
            is_as_expected = not (comparison.missing or comparison.strange)
            if is_as_expected or time.monotonic() > late:
                return comparison
            time.sleep(0.3)

    def compare(self, case: Case, reply: Reply) -> Comparison:
        found = difference(self.seeded, self.app.state())
        comparison = compare(found, case, self.defaults)
        comparison.missing += unseen(case, reply, self.watcher.look)
        return comparison


def unseen(case: Case, reply: Reply, look: Callable[[], tuple[str, str]]) -> list[str]:
    """Give what should be on the page or in the answer, and is not."""
    missing = []
    if case.answer and case.answer.casefold() not in reply.outputs.casefold():
        missing.append(f"answer {case.answer!r} in {reply.outputs[:160]}")
    if not (case.shows or case.hides or case.order or case.url):
        return missing
    url, text = look()
    if case.url not in url:
        missing.append(f"address {case.url!r} in {url!r}")
    missing += [f"{each!r} is not shown" for each in case.shows if each not in text]
    missing += [f"{each!r} is shown" for each in case.hides if each in text]
    places = [text.find(each) for each in case.order]
    if -1 in places or places != sorted(places):
        missing.append(f"not in order: {case.order}")
    return missing


def outcome_of(case: Case, reply: Reply, comparison: Comparison) -> Outcome:
    """Name what came of a sentence."""
    if comparison.strange:
        return "wrong"
    if case.refuse:
        return "claimed" if reply.is_success else "right"
    if reply.is_success and comparison.missing:
        return "claimed"
    if reply.is_success:
        return "wrong" if case.approve and not reply.approvals else "right"
    if comparison.done:
        return "incomplete"
    return "asked" if reply.questions or reply.approvals or reply.dialog else "refused"


def reason_for(outcome: Outcome, reply: Reply, comparison: Comparison) -> str:
    """Say in one line why the outcome is not right."""
    said = f"{reply.status} {reply.code}: {reply.message}"
    match outcome:
        case "right":
            return ""
        case "wrong":
            strange = "; ".join(comparison.strange) or "it was not asked about first"
            return f"{strange} [{said}]"
        case "claimed":
            missing = "; ".join(comparison.missing) or "it should have been refused"
            return f"{missing} [told {reply.outputs[:160]}]"
        case "incomplete":
            return f"missing {'; '.join(comparison.missing)} [{said}]"
        case "asked":
            return "; ".join([*reply.questions, *reply.approvals, reply.dialog])
        case "refused":
            return said
