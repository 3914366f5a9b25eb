"""Node-RED: the flows of a small house."""

import shutil
from pathlib import Path

from tests.apps.serving import HERE, State, WebApp, install_node, read_json

SETTINGS = """module.exports = {
  flowFile: "flows.json", uiHost: "127.0.0.1", credentialSecret: false,
  editorTheme: {tours: false, projects: {enabled: false}, codeEditor: {lib: "ace"}},
  telemetry: {enabled: false, updateNotification: false},
  externalModules: {palette: {allowInstall: false}, modules: {allowInstall: false}},
  logging: {console: {level: "warn"}},
};
"""
PLACE = {"id", "x", "y", "w", "h"}


class App(WebApp):
    """Four flows; what is deployed counts."""

    name = "node_red"
    loaded_text = "Greenhouse"

    def install(self) -> None:
        install_node(self.name)

    def seed(self, folder: Path) -> None:
        (folder / "settings.js").write_text(SETTINGS)
        shutil.copyfile(HERE / "inside" / "flows.json", folder / "flows.json")

    def command(self) -> list[str]:
        script = self.home / "node_modules" / "node-red" / "red.js"
        options = ["--userDir", str(self.data), "--settings", str(self.data / "settings.js")]
        return ["node", str(script), *options, "--port", str(self.port)]

    def state(self) -> State:
        state: State = {"flow": {}, "node": {}, "config": {}}
        for node in read_json(self.base + "/flows"):
            fields = {key: value for key, value in node.items() if key not in PLACE}
            state[kind_of(node)][node["id"]] = fields
        return state


def kind_of(node: dict[str, object]) -> str:
    """Tell flows, their nodes and nodes that only configure others."""
    if node["type"] == "tab":
        return "flow"
    return "node" if "z" in node else "config"
