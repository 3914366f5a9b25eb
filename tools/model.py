"""The language model, by the openai SDK: any server that speaks its protocol.

The only module that knows the SDK. It loads it when it is first needed: that takes a second, which
does not count into the time-out of a request. A request goes to the address in the settings and
nowhere else, no redirection is followed, and every way in which it can go wrong is an answer. What
a server says in its errors is not passed on: it may repeat the key or the words.
"""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import msgspec

from messages.message import Data
from messages.modelling import Answered, AskModel, ModelFailed
from tools.settings import ModelSettings, Secret

if TYPE_CHECKING:
    import openai

SERVER_ERRORS = 500
CONNECT_SECONDS = 5.0
PROBE_SECONDS = 10.0
MAX_BYTES = 1 << 20
NO_KEY = "none"  # the SDK wants one, and does not send it
MILLION = 1_000_000
UNAUTHORISED = frozenset({401, 403})
BAD_REQUESTS = frozenset({400, 422})
# Fields that some servers refuse, and the field that says the same to them, if there is one.
OLDER_FIELDS: Mapping[str, str | None] = {
    "temperature": None,
    "max_completion_tokens": "max_tokens",
}
CORRECTION = (
    "That answer is refused: {reason}. Answer again, in the same form and by the same rules."
)


class Lenient(msgspec.Struct, frozen=True):
    """A part of a server's answer; what else it holds does not matter."""


class Written(Lenient, frozen=True):
    content: str | None = None
    refusal: str | None = None


class Choice(Lenient, frozen=True):
    message: Written
    finish_reason: str | None = None


class Usage(Lenient, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(Lenient, frozen=True):
    """What a server answers, as far as it is used."""

    choices: tuple[Choice, ...]
    usage: Usage | None = None


class Probe(Data, frozen=True):
    """Whether a server answers; ``advice`` if not."""

    fine: bool
    advice: str = ""


_decode = msgspec.json.Decoder(Completion).decode


def load_sdk() -> ModuleType:
    """Load the SDK; only those who ask a model pay for it."""
    import openai  # noqa: PLC0415 - it takes a second

    return openai


@dataclass(frozen=True)
class LanguageModel:
    """A model at an address. Requests share nothing but the fields that its server refused."""

    settings: ModelSettings
    key: Secret | None = None
    load: Callable[[], Any] = load_sdk
    _refused: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.settings.name

    async def ask(self, request: AskModel) -> Answered | ModelFailed:
        """Make one request, within the time that the settings allow."""
        timeout = self.settings.timeout
        sdk, client = await anyio.to_thread.run_sync(self.open)
        async with client:
            with anyio.move_on_after(timeout):
                return await self.answer(sdk, client, request)
        return ModelFailed("timed_out", f"no answer within {timeout:g} s")

    async def answer(
        self, sdk: Any, client: "openai.AsyncOpenAI", request: AskModel
    ) -> Answered | ModelFailed:
        """Send a request; what may pass at once is tried once more.

        A request whose field was refused is sent without it, now and from now on.
        """
        retries = 1
        while True:
            refused = len(self._refused)
            answer = await self.attempt(sdk, client, request)
            if isinstance(answer, Answered) or not answer.transient:
                return answer
            if len(self._refused) == refused:
                if not retries:
                    return answer
                retries -= 1

    async def attempt(
        self, sdk: Any, client: "openai.AsyncOpenAI", request: AskModel
    ) -> Answered | ModelFailed:
        """Send the words and read the answer; every failure of the way there has its name."""
        import httpx2  # noqa: PLC0415 - the SDK has loaded it by now

        body = self.body(request)
        try:
            return self.read(await self.received(client, body))
        except sdk.APITimeoutError:
            return ModelFailed("timed_out", "the server did not answer in time")
        except sdk.APIStatusError as error:
            return self.note_refusal(error.status_code, str(error), body) or failed_with(
                error.status_code, error.response.headers.get("retry-after")
            )
        except (sdk.OpenAIError, httpx2.HTTPError):
            missing = f"no connection to {self.settings.base_url}"
            return ModelFailed("unreachable", missing, transient=True)

    def note_refusal(self, status: int, said: str, body: Mapping[str, Any]) -> ModelFailed | None:
        """Remember a field that the server names as the reason for which it refused a request."""
        if status not in BAD_REQUESTS:
            return None
        for name in OLDER_FIELDS:
            if name in body and re.search(rf"\b{name}\b", said):
                self._refused.add(name)
                return ModelFailed("bad_status", f"the server takes no {name}", transient=True)
        return None

    def open(self) -> "tuple[Any, openai.AsyncOpenAI]":
        """Load the SDK and make a client; in a thread, for both take a while."""
        sdk = self.load()
        timeout = sdk.Timeout(
            self.settings.timeout, connect=min(CONNECT_SECONDS, self.settings.timeout)
        )
        client = sdk.AsyncOpenAI(
            base_url=self.settings.base_url,
            api_key=NO_KEY if self.key is None else self.key.reveal(),
            timeout=timeout,
            max_retries=0,  # the SDK would wait as long as a server says; we ask once more at once
            http_client=sdk.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
        )
        return sdk, client

    async def received(self, client: "openai.AsyncOpenAI", body: Mapping[str, Any]) -> bytes | None:
        """Send a request and receive the whole answer; None if it is longer than any could be."""
        received = b""
        streamed = client.chat.completions.with_streaming_response
        headers = self.headers()
        async with streamed.create(**body, extra_headers=headers) as response:
            async for part in chunks(response):
                received += part
                if len(received) > MAX_BYTES:
                    return None
        return received

    def headers(self) -> dict[str, Any]:
        """Leave out the header for a key where there is none."""
        import openai  # noqa: PLC0415 - loaded by now

        return {} if self.key is not None else {"Authorization": openai.Omit()}

    def body(self, request: AskModel) -> dict[str, Any]:
        """Give the request as the protocol wants it, and as this server takes it."""
        body: dict[str, Any] = {
            "model": self.settings.name,
            "messages": messages(request),
            "max_completion_tokens": self.settings.max_tokens,
            "response_format": response_format(request.schema),
        }
        if self.settings.temperature != "default":
            body["temperature"] = self.settings.temperature
        for name in self._refused & body.keys():
            value, older = body.pop(name), OLDER_FIELDS[name]
            if older is not None:
                body[older] = value
        return body

    def read(self, received: bytes | None) -> Answered | ModelFailed:
        """Read what a server answered; nothing about it is taken for granted."""
        try:
            completion = _decode(received or b"")
        except msgspec.DecodeError:
            return ModelFailed("bad_answer", "the server's answer cannot be read")
        if not completion.choices:
            return ModelFailed("bad_answer", "there is no answer in what the server sent")
        return self.judged(completion.choices[0], completion.usage or Usage())

    def judged(self, choice: Choice, usage: Usage) -> Answered | ModelFailed:
        """Take what the model wrote, if it ended as an answer should."""
        written = choice.message
        if written.refusal or choice.finish_reason == "content_filter":
            return ModelFailed("refused", "the model refuses to answer")
        if choice.finish_reason == "length":
            limit = self.settings.max_tokens
            return ModelFailed("truncated", f"its answer was cut off (max_tokens = {limit})")
        if not written.content:
            return ModelFailed("bad_answer", "the model's answer is empty")
        tokens = max(0, usage.prompt_tokens), max(0, usage.completion_tokens)
        return Answered(written.content, *tokens, self.cost(*tokens))

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Say what tokens cost, if their prices are known."""
        price_in, price_out = self.settings.price_in, self.settings.price_out
        if price_in is None and price_out is None:
            return None
        return (tokens_in * (price_in or 0) + tokens_out * (price_out or 0)) / MILLION

    async def probe(self) -> Probe:
        """See whether the server answers, without telling it anything."""
        sdk, client = await anyio.to_thread.run_sync(self.open)
        async with client:
            with anyio.move_on_after(min(PROBE_SECONDS, self.settings.timeout)):
                return await self.list_models(sdk, client)
        return Probe(fine=False, advice="it does not answer in time")

    async def list_models(self, sdk: Any, client: "openai.AsyncOpenAI") -> Probe:
        """Ask for the list of models, which every server of this kind has."""
        import httpx2  # noqa: PLC0415 - the SDK has loaded it by now

        try:
            options: Any = {"headers": self.headers()}
            await client.get("/models", cast_to=httpx2.Response, options=options)
        except sdk.APIStatusError as error:
            if error.status_code in UNAUTHORISED:
                return Probe(fine=False, advice="it does not accept the key")
            return Probe(fine=False, advice=f"it answers with status {error.status_code}")
        except (sdk.OpenAIError, httpx2.HTTPError):
            return Probe(fine=False, advice="it cannot be reached")
        return Probe(fine=True)


def chunks(response: Any) -> AsyncIterator[bytes]:
    """Give the parts of a body as they come."""
    parts: AsyncIterator[bytes] = response.iter_bytes()
    return parts


def messages(request: AskModel) -> list[dict[str, str]]:
    """Put a request into the roles of a conversation: our instructions, the user's words."""
    said = [
        {"role": "system", "content": request.instructions},
        {"role": "user", "content": request.words},
    ]
    if (correction := request.correction) is not None:
        reason = CORRECTION.format(reason=correction.reason)
        said.append({"role": "assistant", "content": correction.answer})
        said.append({"role": "user", "content": reason})
    return said


def response_format(schema: str) -> dict[str, Any]:
    """Ask for an answer of this schema and no other."""
    form = {"name": "answer", "strict": True, "schema": msgspec.json.decode(schema)}
    return {"type": "json_schema", "json_schema": form}


def failed_with(status: int, retry_after: str | None) -> ModelFailed:
    """Word a status that is no success."""
    if status == 429:  # noqa: PLR2004 - Too Many Requests
        seconds = float(retry_after) if retry_after and retry_after.isdecimal() else None
        later = "" if seconds is None else f"; it asks to wait {seconds:g} s"
        return ModelFailed("rate_limited", f"the server has too much to do{later}", seconds)
    if status in UNAUTHORISED:
        return ModelFailed("bad_status", f"the server does not accept the key (status {status})")
    said = f"the server answered with status {status}"
    return ModelFailed("bad_status", said, transient=status >= SERVER_ERRORS)
