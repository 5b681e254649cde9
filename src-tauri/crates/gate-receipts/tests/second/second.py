"""A second implementation of the chain of receipts, by its description alone and with Python's own library.

    second.py vectors FOLDER    compares the vectors
    second.py chain FILE        reads a log, and prints where it stands
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

import signatures

LARGEST = 2**53 - 1
SEQ_BOUND = 2**52
LINE_BYTES = 64 * 1024
DAYS_30 = 30 * 24 * 60 * 60 * 1000
SLACK = 2000


class Refused(Exception):
    """Bytes that are no line."""


# RFC 8785, for what lines are made of.

SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def canonical(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise Refused("field", "no integer below 2^53")
        return str(value)
    if isinstance(value, str):
        signs = (SHORT.get(ord(c)) or (f"\\u{ord(c):04x}" if ord(c) < 32 else c) for c in value)
        return '"' + "".join(signs) + '"'
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    raise Refused("field", f"{value!r}")


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


# What a field may be.


def text(value):
    return isinstance(value, str)


def integer(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST


def natural(value):
    return integer(value) and value >= 0


def pattern(form):
    compiled = re.compile(form, re.ASCII)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


digest = pattern(r"[0-9a-f]{64}")
oid = pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
uuid = pattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
fingerprint = pattern(r"SHA256:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]")
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z", re.ASCII)


def millis(value):
    """Milliseconds since 1970, or nothing where it isn't written as a time is."""
    match = TIME.fullmatch(value) if isinstance(value, str) else None
    if not match or (match[7] or "1").endswith("0"):
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if not (1 <= month <= 12 and 1 <= day <= days[month - 1] and hour < 24 and minute < 60 and second < 60):
        return None
    before = year - 1
    total = before * 365 + before // 4 - before // 100 + before // 400 + sum(days[: month - 1]) + day - 1 - 719162
    return ((total * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + int((match[7] or "0").ljust(3, "0"))


def time(value):
    return millis(value) is not None


def coded(value):
    """Bytes in base64, or nothing."""
    try:
        data = base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return None
    return data if base64.b64encode(data).decode() == value else None


def data(value):
    return coded(value) is not None


def one_of(*words):
    return lambda value: isinstance(value, str) and value in words


def fields(needed, optional=None):
    """An object with these fields and no other."""

    def check(value):
        optionally = optional or {}
        if not isinstance(value, dict) or not set(needed) <= set(value):
            return False
        known = {**needed, **optionally}
        return all(name in known and known[name](field) for name, field in value.items())

    return check


def several(check):
    return lambda value: isinstance(value, list) and value != [] and all(map(check, value))


given = one_of("desktop", "browser", "terminal", "script", "form", "notification")
does = one_of("begins", "ends")
head = fields({"seq": natural, "line": digest})
content = fields(
    {},
    {"ask": digest, "diff": digest, "manifest": digest, "git": fields({"base": oid, "tree": oid})},
)
aside = fields({"name": text, "digest": digest, "good": natural, "bad": natural}, {"until": head})
signed = {"key": fingerprint, "sig": data}
PROOFS = {
    "none": fields({"type": text}),
    "ed25519": fields({"type": text, **signed}),
    "sshsig": fields({"type": text, **signed}),
    "webauthn": fields({"type": text, **signed, "authenticator": data, "client": data}),
}


def proof(value):
    return isinstance(value, dict) and PROOFS.get(value.get("type"), lambda _: False)(value)


EVERY = {"v": natural, "kind": text, "home": uuid, "seq": natural, "at": time, "proof": proof}
SOMETIMES = {"prev": digest, "step": integer}
KINDS = {
    "decided": (
        {
            "from": time,
            "request": uuid,
            "reply": digest,
            "about": digest,
            "level": one_of("L0", "L1", "L2", "L3"),
            "given": given,
            "content": content,
        },
        {"expires": time, "decision": one_of("approved", "changes_requested")},
    ),
    "released": ({"receipt": digest}, {}),
    "withdrawn": ({"receipt": digest, "given": given}, {}),
    "sent": ({"receipt": digest, "row": natural, "bytes": digest}, {}),
    "guard": ({"setting": text, "given": given}, {"was": text, "now": text}),
    "sign_in": ({"browser": digest, "does": does, "given": given}, {}),
    "key": ({"key": fingerprint, "does": does, "given": given}, {"public": data, "origin": text}),
    "break": (
        {"reason": one_of("upgrade", "gone", "shorter", "damaged"), "undelivered": natural},
        {"aside": aside, "anchors": several(fields({"by": text, "seq": natural, "line": digest}))},
    ),
}


def once(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise Refused("not_canonical", "a field twice")
    return dict(pairs)


def parse(raw):
    """A line, or why the bytes are none."""
    if len(raw) > LINE_BYTES:
        raise Refused("too_long")
    try:
        line = json.loads(raw.decode(), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Refused("not_json", error) from error
    if not isinstance(line, dict):
        raise Refused("not_json")
    if line.get("v") != 1 or isinstance(line.get("v"), (bool, float)):
        raise Refused("version" if natural(line.get("v")) else "field", "v")
    kind = line.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refused("field", "kind")
    needed, optional = KINDS[kind]
    if not fields({**EVERY, **needed}, {**SOMETIMES, **optional})(line):
        raise Refused("field")
    fit(line)
    if canonical(line).encode() != raw:
        raise Refused("not_canonical")
    return line


def unless(holds, field):
    if not holds:
        raise Refused("unfit", field)


def fit(line):
    """Whether the fields fit together."""
    seq, begins = line["seq"], line["kind"] == "break"
    unless(0 < seq < SEQ_BOUND, "seq")
    unless(("prev" not in line) if seq == 1 or begins else ("prev" in line), "prev")
    unless(line.get("step") != 0, "step")
    if line["kind"] == "decided":
        start, end = millis(line["from"]), millis(line["expires"]) if "expires" in line else None
        decision, level = line.get("decision"), line["level"]
        unless(start >= millis(line["at"]), "from")
        unless(end is None or start < end <= start + DAYS_30, "expires")
        unless(end is not None or decision != "approved", "expires")
        unless("ask" in line["content"] or "manifest" in line["content"], "content")
        unless(line["given"] not in ("form", "notification") or decision is None, "decision")
        unless(line["given"] not in ("script", "form", "notification") or level == "L0", "level")
        unless(level in ("L0", "L1") or level == MOST[line["proof"]["type"]], "level")
    if line["kind"] == "key":
        unless(("public" in line) == (line["does"] == "begins"), "public")
        if "public" in line:
            unless(signatures.public_key(coded(line["public"])) is not None, "public")
            unless(signatures.name(coded(line["public"])) == line["key"], "key")
    if begins:
        name = line.get("aside", {}).get("name")
        unless(name is None or re.fullmatch(r"receipts\.[A-Za-z0-9.-]*", name), "aside.name")
        unless((name is not None) == (line["reason"] in ("shorter", "damaged")), "aside")


MOST = {"none": "L1", "ed25519": "L2", "sshsig": "L3", "webauthn": "L3"}


def of_signature(line):
    """The text that a signature is of."""
    return canonical({name: value for name, value in line.items() if name != "proof"})


def chain(raw, heads=()):
    """The lines of a log, with their digests. An error where it isn't whole."""
    lines, last = [], None
    for row in raw[: raw.rfind(b"\n") + 1].splitlines():
        line, name = parse(row), sha256(row)
        if last is None:
            unless("prev" not in line, "prev")
        else:
            unless(line.get("prev") == last[1] and line["seq"] == last[0]["seq"] + 1, "prev")
        last = (line, name)
        lines.append(last)
    for known in heads:
        unless(any(line["seq"] == known["seq"] and name == known["line"] for line, name in lines), "anchor")
    return lines


def standing(lines, receipt, now, landed):
    line = next(line for line, name in lines if name == receipt)
    start = millis(line["from"])
    after = {}
    for later, _ in lines:
        if later.get("receipt") == receipt and later["kind"] in ("released", "withdrawn"):
            after.setdefault(later["kind"], millis(later["at"]))
    if "withdrawn" in after:
        return "taken_back" if "released" not in after and after["withdrawn"] < start else "revoked"
    if "released" not in after and now < start:
        return "held"
    return "expired" if "expires" in line and millis(line["expires"]) <= now and not landed else "good"


def steps(lines):
    told, before = [], None
    for line, _ in lines:
        at = millis(line["at"])
        back = at - before if before is not None else 0
        step = line.get("step") or (back if back < -SLACK else None)
        if step is not None:
            told.append([line["seq"], step])
        before = at
    return told


LEVELS = ["L0", "L1", "L2", "L3"]


def assured(line, keys):
    """How sure a receipt is, or why its signature proves nothing."""
    if line["proof"]["type"] == "none":
        return min(line["level"], "L1")
    enrolled = [key for key in keys if signatures.name(coded(key["public"])) == line["proof"]["key"]]
    if not enrolled:
        return "unknown_key"
    said = {name: coded(value) for name, value in line["proof"].items() if name not in ("type", "key")}
    public = coded(enrolled[0]["public"])
    outcome = signatures.prove(line["proof"]["type"], said, public, enrolled[0].get("origin"), of_signature(line))
    return min(line["level"], outcome, key=LEVELS.index) if outcome in LEVELS else outcome


# The vectors.


def check(holds, what):
    if not holds:
        sys.exit(f"second.py: {what}")


def compare(folder):
    def of(name):
        return json.loads((folder / f"{name}.json").read_text())

    count = 0
    for case in of("lines"):
        raw, count = case["line"].encode(), count + 1
        line = parse(raw)
        check(sha256(raw) == case["digest"], f"{case['name']}: digest")
        check(of_signature(line) == case["signed"], f"{case['name']}: what is signed")
    for case in of("refused"):
        raw, count = case["line"].encode() if "line" in case else base64.b64decode(case["base64"]), count + 1
        try:
            parse(raw)
            check(False, f"{case['name']} is taken")
        except Refused:
            pass
    for name in ("about", "replies"):
        for case in of(name):
            count += 1
            check(canonical(json.loads(case["text"])) == case["text"], f"{case['name']}: form")
            check(sha256(case["text"]) == case["digest"], f"{case['name']}: digest")
    log = of("chain")
    lines = chain(log["log"].encode(), log["heads"])
    check([[line["seq"], name] for line, name in lines] == log["digests"], "chain: digests")
    check(steps(lines) == log["steps"], "chain: steps")
    for case in log["standings"]:
        count += 1
        found = standing(lines, case["receipt"], millis(case["now"]), case["landed"])
        check(found == case["standing"], f"chain: {case} is {found}")
    for case in log["broken"]:
        count += 1
        try:
            chain(case["log"].encode(), case["heads"])
            check(False, f"chain: {case['name']} is whole")
        except Refused:
            pass
    for case in of("signatures"):
        count += 1
        found = assured(parse(case["line"].encode()), case["keys"])
        check(found == case["outcome"], f"{case['name']}: {found}")
    print(f"{count} vectors")


def main():
    verb, path = sys.argv[1], Path(sys.argv[2])
    if verb == "vectors":
        compare(path)
    else:
        lines = chain(path.read_bytes())
        print(canonical({"lines": len(lines), "head": lines[-1][1]}))


main()
