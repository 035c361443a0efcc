"""Frames from clients as messages, and what is wrong with them in a sentence."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from server.codec import BadFrame, Kind, decode, encode, is_id
from server.wire import Act, AnyToServer, Attach, PlainAct, Say

_read_plain_act = msgspec.msgpack.Decoder(PlainAct).decode


def read(kind: Kind, frame: str | bytes) -> AnyToServer:
    """A frame as its message: `decode` and `parse`, quicker for what players send most.

    Raises:
        BadFrame: with a sentence that says where it is wrong.
    """
    if kind == "msgpack" and isinstance(frame, bytes):
        try:
            act = _read_plain_act(frame)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return parse(decode(kind, frame))
        # A key that occurs twice, or a longer form of a value than the shortest, makes it longer.
        plain = len(encode(kind, act)) == len(frame)
        if plain and act.id.isprintable() and type(act.action.get("type")) is str:
            return act
    return parse(decode(kind, frame))


def parse(raw: object) -> AnyToServer:
    """A decoded message as its type. Raises `BadFrame` with a sentence that says where it is wrong."""
    if not isinstance(raw, dict):
        raise BadFrame("bad_message", "a message is an object with a type")
    given = raw.get("id")
    ident = given if is_id(given) else None
    if "id" in raw and ident is None:
        raise BadFrame("bad_message", "id must be a text of 1 to 64 printable characters")
    try:
        message: AnyToServer = msgspec.convert(raw, AnyToServer)
    except msgspec.ValidationError as error:
        raise BadFrame("bad_message", explain(error), ident) from None
    match message:
        case Attach(from_=start, epoch=epoch, from_ms=since):
            if (start is UNSET) != (epoch is UNSET) or (since is not UNSET and start is UNSET):
                raise BadFrame(
                    "bad_message", "from and epoch (and from_ms) come together or not at all", ident
                )
        case Say(text=text, reaction=reaction) if (text is UNSET) == (reaction is UNSET):
            raise BadFrame("bad_message", "say needs either a text or a reaction", ident)
        case Act(action=action):
            if not isinstance(action.get("type"), str):
                raise BadFrame("bad_message", "action needs a type, a text", ident)
    return message


def explain(error: msgspec.ValidationError) -> str:
    """A validation error as a sentence that names the place first."""
    text, _, path = str(error).partition(" - at `")
    where = path.rstrip("`").removeprefix("$").lstrip(".")
    text = text[0].lower() + text[1:]
    return f"{where}: {text}" if where else text
