"""From deeds on files to drafted goals."""

from collections.abc import Sequence

import msgspec

from actors.language.file_conditions import FileCondition
from actors.language.file_deeds import Request
from actors.language.file_sets import FileSet
from messages.goals import GoalDraft, Scope, scopes
from messages.message import Value

ASKED = {"find": "find", "list": "list", "count": "count", "size": "measure"}
# Deeds that are done to each file of a set; all others are told which files are meant.
EACH = frozenset({"delete", "move", "copy", "replace", "remove_lines", "sort_lines", "extract"})
HERE = frozenset({"", ".", "./", "~"})  # folders that a goal is in without being told
ENDINGS = (".zip", ".tar", ".tgz", ".gz")


def drafts_of(requests: Sequence[Request]) -> tuple[GoalDraft, ...]:
    """Make a goal of each deed; each waits for the one that was said before it."""
    drafts = map(draft_of, requests)
    return tuple(draft if at == 0 else waiting(draft, at - 1) for at, draft in enumerate(drafts))


def waiting(draft: GoalDraft, parent: int) -> GoalDraft:
    """Let a goal wait for an earlier one."""
    after = f"after:g{parent}"
    scope = after if draft.scope == "root" else (*scopes(draft.scope), after)
    return msgspec.structs.replace(draft, scope=scope)


def draft_of(request: Request) -> GoalDraft:
    """Make a goal: what is asked is a goal by itself, what is done binds all that is meant."""
    verb, scope = ASKED.get(request.deed, request.deed), scope_of(request.of)
    params: dict[str, Value] = {**request.of.params, **request.takes}
    if str(params.get("to", "")).casefold().endswith(ENDINGS):
        params.pop("format", None)  # the name of the archive tells
    if request.name:
        params |= {"to": request.to} if request.to else {}
        return GoalDraft("file", verb, {"name": request.name, **params}, scope=scope)
    if request.deed not in EACH:
        return GoalDraft("file", verb, params, scope=scope)
    roles = {"direct": request.words}
    if request.to:
        roles["indirect"] = request.to
    return GoalDraft("file", verb, params, roles, scope=scope)


def condition_draft(found: FileCondition) -> GoalDraft:
    """Make the goal that looks whether a condition on files holds."""
    params: dict[str, Value] = {
        **found.of.params,
        "relation": found.relation,
        "number": found.number,
    }
    return GoalDraft("file", "check", params, scope=scope_of(found.of))


def scope_of(files: FileSet) -> Scope:
    return "root" if files.place in HERE else f"inside:{files.place.rstrip('/') or '/'}"
