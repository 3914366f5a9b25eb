"""What the tools are given. These types are the input schemas, and nothing else gets through."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from messages import wire
from messages.targets import Options
from messages.worlds import World

MAX_WAIT = 300.0
DEFAULT_WAIT = 25.0
DEFAULT_SESSION = "mcp"
MAX_ID_LENGTH = 200

CommandText: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=20_000, description="what is to be done, in plain words")
]
CommandId: TypeAlias = Annotated[wire.Id, Meta(description="the id of a command")]
Session: TypeAlias = Annotated[
    wire.Id, Meta(description="commands of one session run one after another, and share 'it'")
]
OwnId: TypeAlias = Annotated[
    str,
    Meta(
        min_length=8,
        max_length=MAX_ID_LENGTH,
        pattern="^[A-Za-z0-9][A-Za-z0-9._:-]*$(?!\\n)",  # it stands in a line for a shell, too
        description="a new random id (a UUID) for this command: the same id twice runs once, so a "
        "call whose answer was lost can be repeated",
    ),
]
Wait: TypeAlias = Annotated[
    float,
    Meta(
        ge=0,
        le=MAX_WAIT,
        description="seconds to wait for the end; after them the status is `running`",
    ),
]


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The arguments of a tool."""


class PlanText(Arguments, frozen=True):
    text: CommandText
    wait: Wait = DEFAULT_WAIT


class SubmitText(Arguments, frozen=True):
    text: CommandText
    session: Session = DEFAULT_SESSION
    id: OwnId | None = None
    wait: Wait = DEFAULT_WAIT


class AnswerQuestion(Arguments, frozen=True):
    question: Annotated[
        str, Meta(min_length=1, max_length=300, description="the question's id, such as `...:q1`")
    ]
    choice: Annotated[
        int | Annotated[str, Meta(min_length=1, max_length=2_000)],
        Meta(description="the number of an option, its text, or other words for it"),
    ]
    wait: Wait = DEFAULT_WAIT


class RuleOnApproval(Arguments, frozen=True):
    approval: Annotated[
        str, Meta(min_length=1, max_length=300, description="the approval's id, such as `...:a1`")
    ]
    allow: Annotated[bool, Meta(description="whether it may be done: what the person has said")]
    wait: Wait = DEFAULT_WAIT


class ResolveWords(Arguments, frozen=True):
    text: Annotated[str, Meta(min_length=1, max_length=20_000, description="one command")]
    verbs: Annotated[
        Mapping[str, msgspec.Raw],
        Meta(description='declarations by name, as {"take": {"rules": {"direct": {}}}}'),
    ]
    world: World
    options: Options = Options()


class ExplainCommand(Arguments, frozen=True):
    command: Annotated[
        CommandId | None, Meta(description="the command; without it, the last of the session")
    ] = None
    session: Session = DEFAULT_SESSION


class ListHistory(Arguments, frozen=True):
    search: Annotated[
        Annotated[str, Meta(max_length=1_000)] | None, Meta(description="words that stand in it")
    ] = None
    session: Annotated[wire.Id | None, Meta(description="only commands of this session")] = None
    status: Annotated[
        wire.StateStatus | None, Meta(description="only those that ended so, or `running`")
    ] = None
    since: Annotated[float | None, Meta(description="seconds since 1970")] = None
    until: Annotated[float | None, Meta(description="seconds since 1970")] = None
    before: Annotated[
        wire.Id | None, Meta(description="the `next` of the result before: older ones")
    ] = None
    limit: Annotated[int, Meta(ge=1, le=wire.MOST_HISTORY)] = 20


class UndoCommand(Arguments, frozen=True):
    command: Annotated[
        CommandId | None,
        Meta(description="what to undo; without it, the last change of the session"),
    ] = None
    session: Session = DEFAULT_SESSION
    id: OwnId | None = None
    wait: Wait = DEFAULT_WAIT


class ShowStatus(Arguments, frozen=True):
    command: Annotated[
        CommandId | None, Meta(description="the command; without it, the daemon itself")
    ] = None
    wait: Wait = 0.0


class ListRecipes(Arguments, frozen=True):
    pass


class RunRecipe(Arguments, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=80, description="as `recipes` lists it")]
    values: Annotated[
        Mapping[str, str], Meta(description="values of the recipe that are to be others, by name")
    ] = {}
    session: Session = DEFAULT_SESSION
    id: OwnId | None = None
    wait: Wait = DEFAULT_WAIT
