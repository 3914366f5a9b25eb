"""The shape of the rule table: what a verb needs, may have, and brings about."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from messages.message import Data, Scalar
from messages.plans import ActionClass
from messages.verbs import VerbDeclaration

ParameterType: TypeAlias = Literal["text", "integer", "number", "flag"]

PYTHON_TYPES: Mapping[ParameterType, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "flag": (bool,),
}


class Parameter(Data, frozen=True):
    """One parameter of a verb.

    ``each`` lets a list stand for several actions of the goal; ``place`` marks a file path that
    is resolved against the goal's anchor; ``role`` names the phrase whose binding can supply it;
    ``blank`` lets a text be empty.
    """

    type: ParameterType = "text"
    required: bool = False
    default: Scalar = None
    allowed: tuple[Scalar, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    each: bool = False
    place: bool = False
    blank: bool = False
    role: str | None = None

    def __post_init__(self) -> None:
        if self.required and self.default is not None:
            raise ValueError("a parameter cannot be both required and defaulted")
        if self.default is not None and (problem := self.problem(self.default)):
            raise ValueError(f"the default {problem}")

    def problem(self, value: object) -> str | None:
        """Say what is wrong with ``value``, or None."""
        if not self.accepts_type(value):
            return f"{value!r} is not {article(self.type)}"
        return self.refusal(value)

    def accepts_type(self, value: object) -> bool:
        """Tell whether ``value`` is of the declared type; true and false are never numbers."""
        if isinstance(value, bool):
            return self.type == "flag"
        if self.type == "text":
            return isinstance(value, str) and (self.blank or bool(value.strip()))
        return isinstance(value, PYTHON_TYPES[self.type])

    def refusal(self, value: object) -> str | None:
        """Say why a value of the right type is not allowed, or None."""
        if self.allowed and value not in self.allowed:
            return f"{value!r} is not one of {', '.join(map(str, self.allowed))}"
        if isinstance(value, int | float) and not isinstance(value, bool):
            if self.minimum is not None and not value >= self.minimum:
                return f"{value!r} is below {self.minimum:g}"
            if self.maximum is not None and not value <= self.maximum:
                return f"{value!r} is above {self.maximum:g}"
        return None


class Rule(Data, frozen=True):
    """One row of the rule table, for one ``(domain, verb)``.

    ``description``, ``achieves`` and ``effect`` are templates over the parameters. An alias may
    imply parameters (``mkdir`` creates a folder) and may name a domain of its own
    (``system.launch``). ``shares`` names what goals of this verb act on together, so that their
    order in a sentence matters: fixed words (``page``) or templates (``file:{name}``). ``disturbs``
    if it takes files from where they are: then all goals on files of a text keep their order.
    It is ``idempotent`` if to do it twice comes to the same as to do it once, ``repeatable`` if it
    is safe to do it again after a crash: to scroll down twice is not to scroll down once.
    ``creates`` names the parameter whose value later goals may be ``inside:``. ``absorbs`` lists
    the goals this one makes unnecessary when it follows them; ``derive`` names the function that
    completes the arguments.
    Of the parameters ``needs_one`` names, one at least must be met.
    One that ``asks`` puts this to a person, whose answer is its parameter ``answer``.
    ``approval`` is the kind of approval it needs, ``approval_when`` the parameter that must be set
    for that; ``approval_seen`` if only its tool can tell whether what it would be done to needs it;
    ``approval_words`` are the verbs, by kind of approval, whose deed needs it whatever its tool
    says: "remove Ada" on a page is asked about, "click Remove" is not.
    ``opens`` if it opens a page that has nothing to do with the one before. A verb that ``waits``
    goes on looking for its thing. One that ``pauses`` waits for all goals before it, and all
    after it wait for it. One that ``finds`` only shows its thing: what is done next is
    done there. An ``unspoken`` one is for undo alone: no words mean it, no client can state
    it. ``targets`` declares how the words of its roles are bound: the first role is the direct one,
    the second the indirect one. ``rehearses`` names the parameter that holds a command for later:
    it must be understood and planned now, and what it needs approval for is asked now.
    ``reversed_by`` is a command that takes it back, for what is to last a while. One that
    ``decides`` says whether something ``holds``; if not, what waits for it is not done. What
    ``recipes`` may do in steps is tried so where nothing on the page does it at once. What only
    fills in a field is ``taken_back_by`` these words and its name; by none of its own if it is "-".
    One that ``takes_clause`` leaves it to what is there what a whole clause means: it is done when
    its effect is there, and where nothing does it the words are read without that world.
    """

    intent: str
    action_class: ActionClass
    description: str
    achieves: str
    effect: str
    params: Mapping[str, Parameter] = {}
    aliases: Mapping[str, Mapping[str, Scalar]] = {}
    roles: tuple[str, ...] = ()
    absorbs: tuple[str, ...] = ()
    derive: str | None = None
    creates: str | None = None
    shares: tuple[str, ...] = ()
    disturbs: bool = False
    repeatable: bool = False
    idempotent: bool = False
    asks: str = ""
    approval: str = ""
    approval_when: str = ""
    approval_seen: bool = False
    approval_words: Mapping[str, frozenset[str]] = {}
    waits: bool = False
    pauses: bool = False
    finds: bool = False
    opens: bool = False
    unspoken: bool = False
    rehearses: str = ""
    reversed_by: str = ""
    decides: bool = False
    recipes: bool = False
    takes_clause: bool = False
    taken_back_by: str = ""
    needs_one: tuple[str, ...] = ()
    targets: VerbDeclaration | None = None

    def __post_init__(self) -> None:
        for name, parameter in self.params.items():
            if parameter.role is not None and parameter.role not in self.roles:
                raise ValueError(f"parameter {name} is bound by {parameter.role!r}, no role here")
        if self.creates is not None and self.creates not in self.params:
            raise ValueError(f"creates names {self.creates!r}, which is no parameter")
        if self.rehearses and self.rehearses not in self.params:
            raise ValueError(f"rehearses names {self.rehearses!r}, which is no parameter")
        if unknown := set(self.needs_one) - self.params.keys():
            raise ValueError(f"needs_one names {sorted(unknown)}, which is no parameter")

    @property
    def changes(self) -> bool:
        """Tell whether it may change something, more than where one looks."""
        return self.action_class != "observe" and not (self.opens or self.waits or self.finds)

    def required(self) -> tuple[str, ...]:
        """Give the names of the parameters that must be met."""
        return tuple(name for name, parameter in self.params.items() if parameter.required)

    def defaults(self) -> dict[str, Scalar]:
        """Give the parameters that have a default, with it."""
        return {
            name: parameter.default
            for name, parameter in self.params.items()
            if parameter.default is not None
        }


class SearchEngine(Data, frozen=True):
    """A site with a search address; ``{query}`` in it stands for the encoded words."""

    search: str
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if "{query}" not in self.search:
            raise ValueError("a search template must contain {query}")
        if not self.search.startswith(("https://", "http://")):
            raise ValueError("a search template must be an http or https address")


def article(word: str) -> str:
    """Put the right article before a word."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
