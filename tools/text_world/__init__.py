"""A text world as something to act in: holds the world as it is, and a tool for every verb."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from messages.executing import Done, Outcome, Refused
from messages.worlds import World
from tools.text_world.bundle import Bundle, WorldVerb
from tools.text_world.play import Roles, feasible, holds, play, with_scopes
from tools.tool import AnyTool, Params, Tool, self_evident

INTENT = "world"


class BoundRoles(Params, frozen=True):
    """What a verb is done with: ids of things, and the relation by the name rules use."""

    direct: str | None = None
    indirect: str | None = None
    relation: str | None = None


@dataclass
class TextWorld:
    """The world now. Only its tools change it, each in one step."""

    world: World
    verbs: Mapping[str, WorldVerb]

    @classmethod
    def of(cls, bundle: Bundle) -> "TextWorld":
        """Begin a world as its bundle has it."""
        return cls(bundle.world, bundle.verbs)

    async def snapshot(self) -> World:
        """Give the world as it is now, with the scopes that follow from where the actor is."""
        return with_scopes(self.world, self.verbs)

    def tools(self) -> tuple[AnyTool, ...]:
        """Declare a tool for every verb."""
        return tuple(self.tool(name, verb) for name, verb in self.verbs.items())

    def tool(self, name: str, verb: WorldVerb) -> AnyTool:
        def do(params: BoundRoles) -> Outcome:
            return self.do(verb, params)

        return Tool(
            name=f"world.{name}",
            intent=INTENT,
            achieves=frozenset({f"world_{name}"}),
            params=BoundRoles,
            act=awaitable(do),
            check=self_evident if verb.observes else self.check,
            refuses=None if verb.observes else lambda params: self.refuses(name, params),
            look=do if verb.observes else None,
        )

    def feasible(self, name: str, roles: Roles) -> Refused | None:
        """Tell why a verb cannot be done now, or None; nothing is done."""
        return feasible(self.world, self.verbs[name], roles)

    def refuses(self, name: str, params: BoundRoles) -> Refused | None:
        """Tell why a verb cannot be done with these things, before anything is done."""
        return self.feasible(name, Roles(params.direct, params.indirect, params.relation))

    def do(self, verb: WorldVerb, params: BoundRoles) -> Outcome:
        """Play a verb; the world becomes what it is afterwards, unless the verb only observes."""
        roles = Roles(params.direct, params.indirect, params.relation)
        played = play(self.world, verb, roles)
        if isinstance(played, Refused):
            return played
        if not verb.observes:
            self.world = played.world
        return Done(played.output, played.effects)

    async def check(self, _params: BoundRoles, done: Done) -> bool | None:
        """Look whether what the verb brought about is so in the world now."""
        return holds(self.world, done.effects)


def awaitable(do: Callable[[BoundRoles], Outcome]) -> Callable[[BoundRoles], Awaitable[Outcome]]:
    async def act(params: BoundRoles) -> Outcome:
        return do(params)

    return act
