"""The prompt: a template with the rule table rendered into it. Nothing else can get in.

It is made once, from the tables that the daemon was started with. No page, file, tool or earlier
command is at hand here, so none can be in it.
"""

from collections.abc import Iterable
from importlib.resources import files

from actors.interpreter.model.answer import WHYS
from actors.interpreter.model.schema import Rules, offered, takeable
from messages.rules import Parameter, Rule


def instructions(rules: Rules, sites: Iterable[str]) -> str:
    """Render the prompt for these rules."""
    template = files(__package__).joinpath("prompt.md").read_text(encoding="utf-8")
    table = "\n".join(line_of(".".join(key), rule) for key, rule in rules.items())
    parts = {"{whys}": ", ".join(WHYS), "{sites}": ", ".join(sites), "{table}": table}
    for place, text in parts.items():
        template = template.replace(place, text)
    return template


def line_of(name: str, rule: Rule) -> str:
    """Render one row of the table."""
    params = ", ".join(shown(param, each) for param, each in offered(rule).items())
    facts = [
        ("also", ", ".join(rule.aliases)),
        ("params", params),
        ("roles", ", ".join(rule.roles)),
        ("takes", ", ".join(takeable(rule))),
    ]
    return "; ".join([name, *(f"{what}: {said}" for what, said in facts if said)])


def shown(name: str, parameter: Parameter) -> str:
    """Render one parameter.

    >>> shown("level", Parameter("integer", required=True, minimum=0, maximum=150))
    'level! integer 0..150'
    """
    text = f"{name}!" if parameter.required else name
    if parameter.role is not None:
        text += f" (or role {parameter.role})"
    if parameter.allowed:
        return f"{text} = {'|'.join(map(str, parameter.allowed))}"
    if parameter.type != "text":
        text += f" {parameter.type}"
    if isinstance(parameter.default, str):
        text += f" (else {parameter.default})"
    if parameter.minimum is not None and parameter.maximum is not None:
        text += f" {parameter.minimum:g}..{parameter.maximum:g}"
    return text
