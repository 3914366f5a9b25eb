"""What the demo shows: every scene is one command, and how it is to end."""

from dataclasses import dataclass

from messages import wire
from tools.client import new_id


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing to show: what is said, what a question is answered, and how it is to end.

    ``id`` names the command, so that another can ``undo`` it, whose words are then only shown.
    The story of the demo ``explains`` it.
    """

    title: str
    text: str
    ends: str = "success"
    plan: bool = False
    answer: str | None = None
    id: str | None = None
    undo: str | None = None
    explains: bool = False

    def request(self, text: str) -> wire.Submit | wire.Undo:
        if self.undo is not None:
            return wire.Undo(new_id(), self.undo)
        mode: wire.Mode = "plan" if self.plan else "run"
        return wire.Submit(self.id or new_id(), text=text, mode=mode)


SCENES = (
    Scene("A folder, and a file in it: the second waits for the first",
          "create a folder reports and inside it create summary.md"),
    Scene("Independent goals run at the same time",
          "create folder photos, create folder music and tell me the time"),
    Scene("Words with quotes, a file written and read back",
          "write 'milk, bread and tea' to shopping.txt, then read it"),
    Scene("Said as people say it",
          "hey, could you make a folder called after party and put a file notes.md in it? thanks"),
    Scene("What one goal gives, another takes",
          "tell me the time and save it to now.txt"),
    Scene("Two readings of different effect: it asks before it does anything",
          "don't open firefox and delete now.txt", answer="2", ends="cancelled"),
    Scene("Two goals, one address, one action",
          "open youtube and search nvidia", plan=True),
    Scene("A plan runs nothing",
          "rename shopping.txt to list.txt and delete the folder music", plan=True),
    Scene("Nothing is overwritten by accident",
          "write 'something else' to shopping.txt", ends="failed"),
    Scene("What is not there is never replaced by its neighbour",
          "read shoping.txt", ends="failed"),
    Scene("One goal cannot be done, so nothing is",
          "create folder plans and close firefox", ends="failed"),
    Scene("What is not understood is said",
          "make me a sandwich every day", ends="failed"),
    Scene("A thing told by its age", "read the newest file"),
    Scene("What is hard to make good again is shown first, and waits for a yes",
          "delete the folder photos", answer="yes", id="deleted"),
    Scene("A no is a no", "delete shopping.txt", answer="no", ends="failed"),
    Scene("What was done is put back", "(undo)", undo="deleted"),
)  # fmt: skip
BROWSED = (
    Scene("A form, filled in and sent: every word is bound to exactly one field",
          "go to {site}/order.html, enter Ada Lovelace in Your name, set Delivery day to 5 March "
          "2027, choose Evening as the basket, tick Wrap it as a gift and press Send order"),
    Scene("The next command goes on in the page where the last one ended", "read the status"),
    Scene("A table, read into a file",
          "go to {site}/index.html, read the table and save it to prices.csv"),
    Scene("Two that fit equally well: it asks, and goes on where it stood",
          "click Add to cart", answer="2"),
    Scene("What is told by its place needs no question",
          "click Add to cart next to Morning basket and read the paragraph"),
    Scene("Two branches at the same time, each in a page of its own",
          "go to {site}/news.html and read the heading, "
          "go to {site}/index.html and read the title"),
    Scene("What is not on the page is never replaced by its neighbour",
          "click Pay now", ends="failed"),
    Scene("A picture of the page", "take a screenshot and save it as shop.png"),
)  # fmt: skip
PLAYED = (
    Scene("Two things of one name: it asks, and goes on where it stood",
          "take the envelope", answer="the green one"),
    Scene("Words bind to the thing that was spoken of", "examine it"),
    Scene("Near misses are named, never taken", "take the note to sef", ends="failed"),
    Scene("What is bound may still not be possible, and says why", "go west", ends="failed"),
)  # fmt: skip
