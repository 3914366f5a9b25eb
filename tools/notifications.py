"""Notifications: shown by whichever service of the desktop does that, on D-Bus."""

from functools import partial
from html import escape

from messages.executing import Done, Outcome, Refused
from tools.dbus import Connection, Remote, has_bus, on_bus, sendable
from tools.tool import AnyTool, Params, Tool

SERVICE = Remote(
    "org.freedesktop.Notifications",
    "/org/freedesktop/Notifications",
    "org.freedesktop.Notifications",
)
HINT = "no notification service runs; run the daemon in a desktop session, or start dunst or mako"
APP = "Behest"
BY_THE_SERVICE = -1  # how long it is shown
LASTING = "a notification that was seen cannot be unseen"


class Notification(Params, frozen=True):
    """What is shown; without a title, the text is one."""

    text: str
    title: str | None = None


def notification_tools() -> tuple[AnyTool, ...]:
    """Declare the tool that shows a notification."""
    return (
        Tool(
            name="notifications.notify",
            intent="notification",
            achieves=frozenset({"system_notify"}),
            params=Notification,
            act=notify,
            check=was_taken,
            is_available=partial(has_bus, "session"),
            hint="run the daemon in a desktop session, with D-Bus and a notification service",
        ),
    )


async def notify(params: Notification) -> Outcome:
    """Show a notification; the service answers with its number."""

    async def show(bus: Connection) -> int:
        (able,) = await bus.call(SERVICE, "GetCapabilities")
        text = sendable(params.text)
        title, body = (sendable(params.title), text) if params.title else (text, "")
        if "body-markup" in able:
            body = escape(body, quote=False)
        no_actions: list[str] = []
        no_hints: dict[str, object] = {}
        shown = (APP, 0, "", title, body, no_actions, no_hints, BY_THE_SERVICE)
        (number,) = await bus.call(SERVICE, "Notify", "susssasa{sv}i", shown)
        return int(number)

    number = await on_bus("session", show, HINT)
    if isinstance(number, Refused):
        return number
    return Done({"text": params.text, "notification": number}, lasting=LASTING)


async def show_notification(title: str, text: str) -> bool:
    """Show a notification, and tell whether a service took it."""
    return isinstance(await notify(Notification(text=text, title=title)), Done)


async def was_taken(_params: Notification, done: Done) -> bool:
    """A service that took a notification gives it a number above zero."""
    output = done.output
    return isinstance(output, dict) and output["notification"] > 0


async def server_name() -> str | Refused:
    """Ask the service who it is."""

    async def ask(bus: Connection) -> str:
        name, *_ = await bus.call(SERVICE, "GetServerInformation")
        return str(name)

    return await on_bus("session", ask, HINT)
