"""Signatures: SSH's and WebAuthn's forms, Ed25519 (RFC 8032) and ECDSA over P-256 (FIPS 186-5). To check vectors with,
and for nothing else: nothing here is fast, or safe with a secret."""

import base64
import hashlib
import json
import struct


def sha256(data):
    return hashlib.sha256(data).digest()


# SSH's way of writing (RFC 4251, section 5).


class Reader:
    def __init__(self, data):
        self.data = data

    def bytes(self, length):
        if len(self.data) < length:
            raise ValueError("it ends too early")
        taken, self.data = self.data[:length], self.data[length:]
        return taken

    def number(self):
        return struct.unpack(">I", self.bytes(4))[0]

    def string(self, length=None):
        taken = self.bytes(self.number())
        if length not in (None, len(taken)):
            raise ValueError("it has another length")
        return taken

    def end(self):
        if self.data:
            raise ValueError("something is left over")


def put(*strings):
    return b"".join(struct.pack(">I", len(string)) + string for string in strings)


def public_key(wire):
    """The kind of a key, its bytes, and what it was made for."""
    reader = Reader(wire)
    try:
        kind, application = reader.string(), None
        if kind == b"ssh-ed25519":
            key = reader.string(32)
        elif kind == b"sk-ssh-ed25519@openssh.com":
            key, application = reader.string(32), reader.string()
        elif kind == b"sk-ecdsa-sha2-nistp256@openssh.com" and reader.string() == b"nistp256":
            key, application = reader.string(65), reader.string()
        else:
            return None
        reader.end()
        return kind, key, application
    except ValueError:
        return None


def name(wire):
    return "SHA256:" + base64.b64encode(sha256(wire)).decode().rstrip("=")


# Ed25519.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def recover(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - x2) % P or y >= P:
        return None
    return (P - x if x & 1 != sign else x), y


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    k = D * x1 * x2 * y1 * y2 % P
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P


def times(scalar, point, plus, zero):
    result = zero
    while scalar:
        if scalar & 1:
            result = plus(result, point)
        point, scalar = plus(point, point), scalar >> 1
    return result


BASE = recover(4 * pow(5, -1, P) % P, 0)


def decoded(data):
    number = int.from_bytes(data, "little")
    return recover(number & (2**255 - 1), number >> 255)


def ed25519(key, signature, message):
    if len(signature) != 64:
        return False
    a, r, s = decoded(key), decoded(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    return times(s, BASE, add, (0, 1)) == add(r, times(k, a, add, (0, 1)))


# ECDSA over P-256.

Q = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def plus(one, other):
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % Q == 0:
        return None
    slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, Q) if one == other else (y2 - y1) * pow(x2 - x1, -1, Q)
    x = (slope * slope - x1 - x2) % Q
    return x, (slope * (x1 - x) - y1) % Q


def p256(key, r, s, message):
    x, y = int.from_bytes(key[1:33], "big"), int.from_bytes(key[33:], "big")
    if key[0] != 4 or (y * y - x**3 + 3 * x - B) % Q or not (0 < r < N and 0 < s < N):
        return False
    z, w = int.from_bytes(sha256(message), "big"), pow(s, -1, N)
    point = plus(times(z * w % N, G, plus, None), times(r * w % N, (x, y), plus, None))
    return point is not None and point[0] % N == r


def der(signature):
    """Two numbers in DER."""
    if signature[0] != 0x30 or signature[1] != len(signature) - 2:
        raise ValueError("no sequence")
    numbers, rest = [], signature[2:]
    while rest:
        if rest[0] != 2 or rest[1] == 0:
            raise ValueError("no number")
        numbers.append(int.from_bytes(rest[2 : 2 + rest[1]], "big"))
        rest = rest[2 + rest[1] :]
    r, s = numbers
    return r, s


# What a receipt is signed with.


def touched(flags, level):
    return level if flags & 1 else "untouched"


def sshsig(data, public, text):
    reader = Reader(data)
    if reader.bytes(6) != b"SSHSIG" or reader.number() != 1:
        return "unreadable_signature"
    key, namespace, reserved, hashed = (reader.string() for _ in range(4))
    inner = Reader(reader.string())
    reader.end()
    kind, raw, application = public_key(public)
    if key != public or namespace != b"review-gate-receipt" or inner.string() != kind:
        return "wrong_signature"
    digest = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}[hashed](text.encode()).digest()
    message = b"SSHSIG" + put(namespace, reserved, hashed, digest)
    made = inner.string()
    if application is None:
        inner.end()
        return "L1" if ed25519(raw, made, message) else "wrong_signature"
    said = inner.bytes(5)
    inner.end()
    message = sha256(application) + said + sha256(message)
    if kind.startswith(b"sk-ssh"):
        holds = ed25519(raw, made, message)
    else:
        pair = Reader(made)
        r, s = (int.from_bytes(pair.string(), "big") for _ in range(2))
        holds = p256(raw, r, s, message)
    return touched(said[0], "L3") if holds else "wrong_signature"


def webauthn(said, public, origin, text):
    client, authenticator = json.loads(said["client"]), said["authenticator"]
    kind, raw, application = public_key(public)
    if client["origin"] != origin:
        return "other_page"
    challenge = base64.urlsafe_b64encode(sha256(text.encode())).decode().rstrip("=")
    if client["type"] != "webauthn.get" or client["challenge"] != challenge:
        return "wrong_signature"
    if client.get("crossOrigin") or client.get("topOrigin") is not None or authenticator[:32] != sha256(application):
        return "wrong_signature"
    message = authenticator + sha256(said["client"])
    if kind.startswith(b"sk-ssh"):
        holds = ed25519(raw, said["sig"], message)
    else:
        holds = p256(raw, *der(said["sig"]), message)
    return touched(authenticator[32], "L3") if holds else "wrong_signature"


def prove(form, said, public, origin, text):
    """The level that a signature stands for, or the word for why it proves nothing."""
    if form == "ed25519":
        kind, raw, _ = public_key(public)
        holds = kind == b"ssh-ed25519" and ed25519(raw, said["sig"], text.encode())
        return "L2" if holds else "wrong_signature"
    try:
        return sshsig(said["sig"], public, text) if form == "sshsig" else webauthn(said, public, origin, text)
    except (ValueError, KeyError):
        return "unreadable_signature"
