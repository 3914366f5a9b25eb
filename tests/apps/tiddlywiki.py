"""TiddlyWiki on its node server: the notebook of a cook."""

import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote

from tests.apps.serving import Record, State, WebApp, install_node, read_json

VOLATILE = {"title", "created", "creator", "modified", "modifier", "revision", "bag", "type"}
SETTINGS = ("$:/SiteTitle", "$:/SiteSubtitle", "$:/DefaultTiddlers", "$:/palette", "$:/theme")

TIDDLERS = {
    "Lentil soup": ("Soup Winter", "Red lentils, cumin, one lemon.\n\nSimmer for 25 minutes."),
    "Pumpkin soup": ("Soup Autumn", "Roast the pumpkin first."),
    "Gazpacho": ("Soup Summer", "Tomatoes, cucumber, bread, vinegar. Serve cold."),
    "Sourdough bread": ("Baking", "Feed the starter the evening before."),
    "Lemon cake": ("Baking Dessert", "Three eggs, two lemons, 200 g sugar."),
    "Apple pie": ("Baking Dessert Autumn", "Six apples, cinnamon, butter."),
    "Potato salad": ("Salad Summer", "Waxy potatoes, mustard, chives."),
    "Greek salad": ("Salad Summer", "Feta, olives, tomatoes."),
    "Risotto": ("Main", "Stir all the time. Serve at once."),
    "Mushroom pasta": ("Main Autumn", "Fresh mushrooms, cream, parsley."),
    "Shopping list": ("Todo", "* flour\n* lemons\n* olive oil"),
    "Dinner on Friday": ("Todo", "Risotto, then [[Lemon cake]]."),
    "Kitchen": (
        "",
        "Welcome to the kitchen.\n\n* [[Lentil soup]]\n* [[Lemon cake]]\n* [[Shopping list]]",
    ),
    "$:/SiteTitle": ("", "Kitchen notebook"),
    "$:/SiteSubtitle": ("", "what we cook"),
    "$:/DefaultTiddlers": ("", "[[Kitchen]]"),
}


class App(WebApp):
    """A notebook of recipes that anybody may write in."""

    name = "tiddlywiki"
    ready_path = "/status"
    loaded_text = "Kitchen notebook"

    def install(self) -> None:
        install_node(self.name)

    def seed(self, folder: Path) -> None:
        (folder / "tiddlers").mkdir()
        plugins = ["tiddlywiki/tiddlyweb", "tiddlywiki/filesystem"]
        themes = ["tiddlywiki/vanilla", "tiddlywiki/snowwhite"]
        info = {"description": "Kitchen notebook", "plugins": plugins, "themes": themes}
        (folder / "tiddlywiki.info").write_text(json.dumps(info))
        for number, (title, (tags, text)) in enumerate(TIDDLERS.items()):
            fields = {"title": title, "tags": tags, "created": f"202403{number + 1:02}120000000"}
            head = "".join(f"{key}: {value}\n" for key, value in fields.items() if value)
            (folder / "tiddlers" / f"{number:02}.tid").write_text(f"{head}\n{text}")

    def command(self) -> list[str]:
        script = self.home / "node_modules" / "tiddlywiki" / "tiddlywiki.js"
        options = ["--listen", "host=127.0.0.1", f"port={self.port}", "anon-username=ada"]
        return ["node", str(script), str(self.data), *options]

    def state(self) -> State:
        listed = read_json(self.base + "/recipes/default/tiddlers.json")
        titles = [str(row["title"]) for row in listed]
        tiddlers = {title: self._tiddler(title) for title in titles}
        drafts = {title for title, fields in tiddlers.items() if "draft.of" in fields}
        return {
            "tiddler": {title: tiddlers[title] for title in titles if title not in drafts},
            "draft": {title: tiddlers[title] for title in drafts},
            "setting": {title: {"text": self._tiddler(title).get("text")} for title in SETTINGS},
        }

    def _tiddler(self, title: str) -> Record:
        try:
            whole = read_json(self.base + "/recipes/default/tiddlers/" + quote(title, safe=""))
        except HTTPError:  # it was never set
            return {}
        fields = {**whole, **whole.get("fields", {})}
        fields.pop("fields", None)
        return {key: value for key, value in fields.items() if key not in VOLATILE}
