"""Wire messages between bytes and plain Python values, strictly.

What the two libraries let pass and a message may not contain is refused here: duplicate keys, numbers
that not every client can hold, NaN, MessagePack's own types, deep nesting, headers that promise more
than was sent. Which fields a message has is not checked here; `server.wire` does that.

Out goes what the server built itself, so `encode` trusts it.
"""

import json
import math
import re
import struct
from collections.abc import Callable
from typing import Final, Literal, NoReturn, TypeGuard

import msgpack
import msgspec

Kind = Literal["json", "msgpack"]

MAX_DEPTH: Final = 32
"""How deep a message may nest; the message object itself is at depth 1."""

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer, either side of zero, that every client can hold exactly."""

MAX_ID_CHARACTERS: Final = 64


class BadFrame(Exception):
    """A frame or body that is no message.

    Attributes:
        code: The code of the wire contract, always `bad_message`.
        message: One sentence for the sender's developer; it repeats no value out of the frame.
        id: The message's own `id`, where the frame could be read that far and the id is a valid
            one, so that the answer can carry it; otherwise None.
    """

    def __init__(self, code: Literal["bad_message"], message: str, id: str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.code: Literal["bad_message"] = code
        self.message = message
        self.id = id


def is_id(value: object) -> TypeGuard[str]:
    """Whether `value` can be the `id` of a message: 1 to 64 printable characters."""
    return isinstance(value, str) and 1 <= len(value) <= MAX_ID_CHARACTERS and value.isprintable()


def decode(kind: Kind, frame: str | bytes) -> object:
    """Read one frame.

    Args:
        kind: The encoding agreed on for the connection.
        frame: The whole frame. Its size must have been checked: decoding takes memory and time in
            proportion to it.

    Returns:
        Dicts with string keys, lists, strings, ints, finite floats, booleans and None. 1 and 1.0 and
        True keep their types.

    Raises:
        BadFrame: The frame is not exactly one value of that kind. Nothing else is ever raised.
    """
    if kind == "json":
        return _decode_json(frame)
    if isinstance(frame, str):
        raise BadFrame("bad_message", "MessagePack is sent in binary frames.")
    return _decode_msgpack(frame)


def parse_body(raw: bytes) -> object:
    """Read the JSON body of an HTTP request by the rules for messages; see `decode`.

    Raises:
        BadFrame: The body is not exactly one JSON value.
    """
    return _decode_json(raw)


def encode(kind: Kind, message: object) -> bytes:
    """Write a message that the server built; JSON as the UTF-8 of its text."""
    return _JSON_ENCODER.encode(message) if kind == "json" else _MSGPACK_ENCODER.encode(message)


def encoder(kind: Kind) -> Callable[[object], bytes]:
    """What `encode` uses, for whoever writes many."""
    return _JSON_ENCODER.encode if kind == "json" else _MSGPACK_ENCODER.encode


_JSON_ENCODER = msgspec.json.Encoder()
_MSGPACK_ENCODER = msgspec.msgpack.Encoder()


class _Refused(ValueError):
    """Raised inside a decoder's hooks; its text becomes the sentence of the BadFrame."""


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Refused(f"The key {_shown(key)} occurs twice in one object.")
            seen.add(key)
    return found


def _shown(key: str) -> str:
    return json.dumps(key if len(key) <= 40 else key[:39] + "…", ensure_ascii=not key.isprintable())


def _only_id(pairs: list[tuple[str, object]]) -> str | None:
    """The id among the pairs of the message object, unless there is none, a bad one or a choice."""
    ids = [value for key, value in pairs if key == "id"]
    return ids[0] if len(ids) == 1 and is_id(ids[0]) else None


# JSON

_INTEGER_SENTENCE = "Integers must lie between -(2^53 - 1) and 2^53 - 1."
_SURROGATE_SENTENCE = "A string contains half of a surrogate pair."
_DEPTH_SENTENCE = f"A message may nest {MAX_DEPTH} deep at most."

# An unclosed string runs to the end of the text, so that no text is looked at twice.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def _json_int(digits: str) -> int:
    # The length first: converting a long row of digits is slow, and very long ones raise an error.
    if len(digits) > 17 or not -MAX_INTEGER <= (value := int(digits)) <= MAX_INTEGER:
        raise _Refused(_INTEGER_SENTENCE)
    return value


def _json_float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _Refused("A number is too large.")
    return value


def _json_constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not a JSON value.")


_STRICT_JSON = json.JSONDecoder(
    object_pairs_hook=_refuse_duplicates,
    parse_int=_json_int,
    parse_float=_json_float,
    parse_constant=_json_constant,
)


def _decode_json(frame: str | bytes) -> object:
    text = _json_text(frame)
    try:
        _check_json_depth(text)
        value: object = _STRICT_JSON.decode(text)
        if _SURROGATE_ESCAPE.search(text):
            _refuse_surrogates(value)
    except _Refused as refused:
        raise BadFrame("bad_message", str(refused), _json_id(text)) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        fault = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
        raise BadFrame("bad_message", f"This is not JSON: {fault} at {where}.", _json_id(text)) from None
    except RecursionError:
        raise BadFrame("bad_message", _DEPTH_SENTENCE) from None
    return value


def _json_text(frame: str | bytes) -> str:
    try:
        if isinstance(frame, str):
            frame.encode()
            text = frame
        else:
            text = frame.decode()
    except UnicodeDecodeError as error:
        raise BadFrame("bad_message", f"This is not UTF-8 at byte {error.start}.") from None
    except UnicodeEncodeError:
        raise BadFrame("bad_message", _SURROGATE_SENTENCE) from None
    if not text:
        raise BadFrame("bad_message", "There is nothing here; a message is a JSON object.")
    if text[0] == "\ufeff":
        raise BadFrame("bad_message", "JSON is sent without a byte order mark.")
    return text


def _check_json_depth(text: str) -> None:
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        sign = match[0]
        if sign in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise _Refused(_DEPTH_SENTENCE)
        elif sign in "]}":
            depth -= 1


def _refuse_surrogates(value: object) -> None:
    """Look for lone surrogates; pairs have become one character. `value` is known not to be deep."""
    if isinstance(value, str):
        if _SURROGATE.search(value):
            raise _Refused(_SURROGATE_SENTENCE)
    elif isinstance(value, list):
        for item in value:
            _refuse_surrogates(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_surrogates(key)
            _refuse_surrogates(item)


class _Pairs:
    """An object read leniently, with its duplicates."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        self.pairs = pairs


_LENIENT_JSON = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=len, parse_float=len)


def _json_id(text: str) -> str | None:
    """The id in a text that begins with an object but is not a message."""
    try:
        value, _ = _LENIENT_JSON.raw_decode(text.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        return None
    return _only_id(value.pairs) if isinstance(value, _Pairs) else None


# MessagePack

_FIXED_SIZES: Final[dict[int, int]] = (
    {0xC0: 0, 0xC2: 0, 0xC3: 0}  # nil, false, true
    | {0xCA: 4, 0xCB: 8}  # floats
    | {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}  # integers
    | {0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}  # extensions
)
"""How many bytes follow a first byte that fixes their number."""

_LENGTH_WIDTHS: Final[dict[int, int]] = (
    {0xC4: 1, 0xC5: 2, 0xC6: 4}  # binary
    | {0xC7: 1, 0xC8: 2, 0xC9: 4}  # extensions
    | {0xD9: 1, 0xDA: 2, 0xDB: 4}  # strings
    | {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}  # arrays, maps
)
"""How many bytes hold the length that follows a first byte."""


def _decode_msgpack(frame: bytes) -> object:
    scan = _Scan(frame)
    scan.run()
    if scan.fault is not None:
        raise BadFrame("bad_message", scan.fault, scan.id)
    try:
        value: object = msgpack.unpackb(
            frame,
            raw=False,
            strict_map_key=True,
            object_pairs_hook=_refuse_duplicates,
            ext_hook=_refuse_extension,
        )
    except _Refused as refused:
        raise BadFrame("bad_message", str(refused), scan.id) from None
    except UnicodeDecodeError:
        raise BadFrame("bad_message", "A string is not UTF-8.", scan.id) from None
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException):
        raise BadFrame("bad_message", "This is not MessagePack.", scan.id) from None
    return value


def _refuse_extension(code: int, data: bytes) -> NoReturn:
    raise _Refused(f"MessagePack extension types (here {code}, {len(data)} bytes) are not used.")


class _Scan:
    """One walk over a frame before the library may build anything from it.

    The library makes room for as many items as a header promises before it reads the first, accepts
    extensions, binary and non-finite numbers, and lets values nest about a thousand deep. The walk goes
    on after a fault, if it can, to find the id.

    Attributes:
        fault: The sentence about the first fault, or None.
        id: The id of the message, as in `BadFrame`.
    """

    def __init__(self, frame: bytes) -> None:
        self.frame = frame
        self.fault: str | None = None
        self.ids: list[tuple[str, object]] = []

    @property
    def id(self) -> str | None:
        return _only_id(self.ids)

    def run(self) -> None:
        frame, end = self.frame, len(self.frame)
        if not frame:
            self.note("There is nothing here; a message is a MessagePack map.")
            return
        pos = 0
        owed = 1  # values that the headers read so far promise and that are still to come
        left, in_map = 1, False  # the part of them that belongs to the innermost open container
        parents: list[tuple[int, bool]] = []
        key = b""
        while owed:
            while not left:
                left, in_map = parents.pop()
            is_key = in_map and left % 2 == 0
            of_message = in_map and len(parents) == 1
            left -= 1
            owed -= 1
            start, tag = pos, frame[pos]
            pos += 1
            size = 0
            if tag < 0x80 or tag >= 0xE0:
                pass
            elif tag < 0xC0:
                size = tag & (0x1F if tag >= 0xA0 else 0x0F)
            elif tag in _FIXED_SIZES:
                size = _FIXED_SIZES[tag]
            elif tag in _LENGTH_WIDTHS:
                width = _LENGTH_WIDTHS[tag]
                size = int.from_bytes(frame[pos : pos + width], "big")
                pos += width
            else:
                self.note(f"0x{tag:02x} at byte {start} begins no MessagePack value.")
                return

            is_string = 0xA0 <= tag <= 0xBF or 0xD9 <= tag <= 0xDB
            body = b""
            if 0x80 <= tag <= 0x9F or 0xDC <= tag <= 0xDF:
                if len(parents) >= MAX_DEPTH:
                    self.note(_DEPTH_SENTENCE)
                parents.append((left, in_map))
                in_map = tag <= 0x8F or tag >= 0xDE
                left = 2 * size if in_map else size
                owed += left
            else:
                size += 0xC7 <= tag <= 0xC9  # the extension's type
                body = frame[pos : pos + size]
                pos += size
            if owed > end - pos:
                self.note("The MessagePack value ends too early.")
                return

            if 0xC4 <= tag <= 0xD8:
                self.check(tag, start, body)
            if is_key:
                if not is_string:
                    self.note(f"Keys must be strings; the one at byte {start} is not.")
                key = body if is_string else b""
            elif of_message and key == b"id":
                self.ids.append(("id", _utf8(body) if is_string else None))
        if pos < end:
            self.note(f"Bytes follow the MessagePack value, from byte {pos} on.")

    def check(self, tag: int, start: int, body: bytes) -> None:
        """Look at one binary, extension or number."""
        if tag <= 0xC6:
            self.note(f"MessagePack binary is not used here; send a string (byte {start}).")
        elif tag <= 0xC9 or tag >= 0xD4:
            self.note(f"MessagePack extension types are not used here (byte {start}).")
        elif tag in (0xCA, 0xCB):
            (number,) = struct.unpack(">f" if tag == 0xCA else ">d", body)
            if not math.isfinite(number):
                self.note(f"Numbers must be finite; the one at byte {start} is not.")
        elif not -MAX_INTEGER <= int.from_bytes(body, "big", signed=tag >= 0xD0) <= MAX_INTEGER:
            self.note(_INTEGER_SENTENCE)

    def note(self, fault: str) -> None:
        """Remember the first fault."""
        if self.fault is None:
            self.fault = fault


def _utf8(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None
