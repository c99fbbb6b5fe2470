"""What a browser may say: exactly one flat object of a known type, and nothing that only looks like one."""

import json

import msgspec
import pytest

from games import protocol
from games.protocol import BadMessage, decode

SAID = [
    ('{"type":"act","id":"a-1","turn":17,"action":"play 3d 3h"}', protocol.Act("a-1", 17, "play 3d 3h")),
    ('{"type":"ready","id":"a","nonce":"00ff"}', protocol.Ready("a", "00ff")),
    ('{"type":"ready","id":"a"}', protocol.Ready("a", "")),
    ('{"type":"stand","id":"a"}', protocol.Stand("a")),
    ('{"type":"trustee","id":"a","on":true}', protocol.Trustee("a", True)),
    ('{"type":"leave","id":"a"}', protocol.Leave("a")),
    ('{"type":"ask_leave","id":"a"}', protocol.AskLeave("a")),
    ('{"type":"answer_leave","id":"a","agree":false}', protocol.AnswerLeave("a", False)),
    ('{"type":"say","id":"a","text":"早上好 👍"}', protocol.Say("a", text="早上好 👍")),
    ('{"type":"say","id":"a","phrase":"hurry"}', protocol.Say("a", phrase="hurry")),
    ('{"type":"hint","id":"h"}', protocol.Hint("h")),
    ('{"type":"resync","seq":0}', protocol.Resync(0)),
    ('{"seq":9007199254740992,"type":"pong"}', protocol.Pong(2**53)),
]


@pytest.mark.parametrize(("text", "message"), SAID)
def test_each_message_has_one_form(text: str, message: protocol.ClientMessage) -> None:
    assert decode(text) == message


REFUSED = {
    "nothing": "",
    "not json": "{",
    "two objects": '{"type":"pong","seq":1}{"type":"pong","seq":1}',
    "an array": '[{"type":"pong","seq":1}]',
    "null": "null",
    "text": '"pong"',
    "a number": "17",
    "no type": '{"seq":1}',
    "a type that is no text": '{"type":["pong"],"seq":1}',
    "an unknown type": '{"type":"win","id":"a"}',
    "a server's type": '{"type":"ack","id":"a","seq":1}',
    "an extra field": '{"type":"pong","seq":1,"seat":2}',
    "somebody's seat": '{"type":"ready","id":"a","seat":2}',
    "a field short": '{"type":"act","id":"a","turn":1}',
    "no id": '{"type":"leave"}',
    "an empty id": '{"type":"leave","id":""}',
    "an id that is a number": '{"type":"leave","id":7}',
    "a long id": json.dumps({"type": "leave", "id": "a" * 41}),
    "markup in an id": '{"type":"leave","id":"<b>"}',
    "a line break after an id": '{"type":"leave","id":"a\\n"}',
    "a repeated key": '{"type":"pong","seq":1,"seq":2}',
    "a repeated type": '{"type":"pong","type":"pong","seq":1}',
    "a key repeated in other letters": '{"type":"pong","seq":1,"s\\u0065q":2}',
    "NaN": '{"type":"pong","seq":NaN}',
    "infinity": '{"type":"pong","seq":1e999}',
    "a fraction": '{"type":"pong","seq":1.5}',
    "a whole fraction": '{"type":"pong","seq":1.0}',
    "a truth as a number": '{"type":"pong","seq":true}',
    "a number as a truth": '{"type":"trustee","id":"a","on":1}',
    "a number as text": '{"type":"pong","seq":"1"}',
    "a negative number": '{"type":"pong","seq":-1}',
    "past 2^53": '{"type":"pong","seq":9007199254740993}',
    "a huge number": '{"type":"pong","seq":' + "9" * 6000 + "}",
    "NUL in a text": '{"type":"say","id":"a","text":"a\\u0000b"}',
    "a control character": '{"type":"say","id":"a","text":"a\\u001bb"}',
    "turned text": '{"type":"say","id":"a","text":"\\u202eabc"}',
    "half a character": '{"type":"say","id":"a","text":"\\ud800"}',
    "an empty text": '{"type":"say","id":"a","text":""}',
    "a long text": json.dumps({"type": "say", "id": "a", "text": "x" * 201}),
    "text and phrase": '{"type":"say","id":"a","text":"x","phrase":"y"}',
    "neither text nor phrase": '{"type":"say","id":"a"}',
    "a phrase that is null": '{"type":"say","id":"a","phrase":null}',
    "a long action": json.dumps({"type": "act", "id": "a", "turn": 1, "action": "p" * 201}),
    "an action with NUL": '{"type":"act","id":"a","turn":1,"action":"pass\\u0000"}',
    "an action that is a list": '{"type":"act","id":"a","turn":1,"action":["3d"]}',
    "a nonce in capitals": '{"type":"ready","id":"a","nonce":"FF"}',
    "a long nonce": json.dumps({"type": "ready", "id": "a", "nonce": "0" * 65}),
    "deep arrays": "[" * 4000 + "]" * 4000,
    "deep objects": '{"type":' * 900 + "1" + "}" * 900,
    "deep in a field": '{"type":"pong","seq":' + "[" * 3000 + "]" * 3000 + "}",
    "deep in an extra field": '{"type":"pong","seq":1,"x":' + "[" * 3000 + "]" * 3000 + "}",
    "a byte order mark": '\ufeff{"type":"pong","seq":1}',
    "a comment": '{"type":"pong","seq":1}//',
    "half a character in the frame": '{"type":"pong","seq":1}\ud800',
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_anything_else_is_a_bad_message(text: str) -> None:
    with pytest.raises(BadMessage):
        decode(text)


def test_a_bad_message_is_known_by_its_id() -> None:
    with pytest.raises(BadMessage) as refused:
        decode('{"type":"act","id":"mine","turn":-1,"action":"pass"}')
    assert refused.value.id == "mine"
    with pytest.raises(BadMessage) as refused:
        decode('{"type":"act","id":"<mine>","turn":-1,"action":"pass"}')
    assert refused.value.id == ""


def test_what_the_server_says_is_json() -> None:
    assert json.loads(protocol.ack("a-1", 41)) == {"type": "ack", "id": "a-1", "seq": 41}
    assert json.loads(protocol.head(41)) == {"type": "head", "seq": 41}
    assert json.loads(protocol.refused("", "bad_message", 'not "this"')) == {
        "type": "refused",
        "id": "",
        "code": "bad_message",
        "detail": 'not "this"',
    }
    events = [msgspec.json.encode({"seq": 41, "kind": "said", "text": "早"})]
    assert json.loads(protocol.view(41, events, {"seq": 41}, [None])) == {
        "type": "view",
        "seq": 41,
        "events": [{"seq": 41, "kind": "said", "text": "早"}],
        "view": {"seq": 41},
        "people": [None],
    }
