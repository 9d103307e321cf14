"""A verifier for the vectors of draft-cavage-http-signatures-12, written from fixtures/README.md and fixtures/schema.json.

Reads one vector a line from standard input, writes one verdict a line to standard output.
Needs python3-cryptography, for RSA and Ed25519 alone.
"""
import base64
import calendar
import hashlib
import json
import re
import sys
from datetime import datetime, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
WHITE = " \t"
FOLDING = " \t\r\n"
INTEGER = r"0|[1-9][0-9]{0,14}"
DECIMAL = r"[1-9][0-9]*\.[0-9]*[1-9]"
SPECIAL = ("(request-target)", "(created)", "(expires)")
CHECKS = (
    "request https date host account signature-header coverage key-name key signature digest replay".split()
)
UNAVAILABLE = {
    "account-check-failed", "key-lookup-failed", "key-lookup-timeout", "body-unreadable", "replay-store-failed"
}


class Fail(Exception):
    """The code of a check that does not pass."""


class NotRun(Exception):
    pass


def matches(pattern, text, flags=0):
    return re.fullmatch(pattern, text, flags | re.ASCII)


def unbase64(text):
    """The bytes of canonical base64, or None."""
    if not matches(r"[A-Za-z0-9+/]*={0,2}", text):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


class Receiver:
    def __init__(self, vector):
        self.request = vector["request"]
        self.vector = vector
        self.options = {
            "accountHeader": "X-Service-ID", "accountPrefix": "account-", "requireHttps": True, "dateTolerance": 300,
            "algorithms": ["rsa-sha256"], "alsoCovered": [], "minRsaBits": 1024, "maxRsaBits": 8192,
            "maxBodyBytes": 10485760, **vector["options"],
        }
        now = datetime.strptime(vector["now"], "%Y-%m-%dT%H:%M:%SZ")
        self.now = now.replace(tzinfo=timezone.utc).timestamp()
        self.failures = []

    def run(self):
        local = ["https", "date", "host", "account", "signature-header", "coverage", "key-name"]
        if self.check("request", self.check_request):
            for name in local:
                self.check(name, getattr(self, "check_" + name.replace("-", "_")))
            self.check("digest", self.check_digest_header)
            if not self.failures:
                rest = [("key", self.check_key), ("signature", self.check_signature),
                        ("account", self.check_accounts), ("digest", self.check_body), ("replay", self.check_replay)]
                all(self.check(name, function) for name, function in rest)
        self.failures.sort(key=lambda failure: CHECKS.index(failure["check"]))
        if not self.failures:
            return {"status": "verified", "failures": []}
        is_rejected = any(failure["code"] not in UNAVAILABLE for failure in self.failures)
        return {"status": "rejected" if is_rejected else "unavailable", "failures": self.failures}

    def check(self, name, function):
        try:
            function()
        except NotRun:
            return False
        except Fail as failure:
            self.failures.append({"check": name, "code": str(failure)})
            return False
        return True

    # 1 to 5

    def check_request(self):
        lines = self.request["headers"]
        target = self.request["target"]
        method = self.request["method"]
        is_good = matches(TOKEN, method) and not re.search("[a-z]", method) and target != "" and len(lines) <= 500
        texts = [target] + [value for _, value in lines]
        if not is_good or not all(matches(TOKEN, name) for name, _ in lines):
            raise Fail("request-malformed")
        if any(re.search(r"[\r\n\0]", text) for text in texts):
            raise Fail("request-malformed")
        self.fields = header_fields(lines)

    def one(self, header, name):
        values = self.fields.get(header.lower(), [])
        if not values:
            raise Fail(name + "-missing")
        if len(values) > 1:
            raise Fail(name + "-repeated")
        return values[0]

    def check_https(self):
        if self.options["requireHttps"] and not self.request["https"]:
            raise Fail("not-https")

    def check_date(self):
        time = http_date(self.one("date", "date"))
        if time is None:
            raise Fail("date-malformed")
        if time < self.now - self.options["dateTolerance"]:
            raise Fail("date-too-old")
        if time > self.now + self.options["dateTolerance"]:
            raise Fail("date-in-future")

    def check_host(self):
        host = self.one("host", "host")
        ports = ["443"] if self.options["requireHttps"] else ["443", "80"]
        accepted = set()
        for own in self.options["hosts"]:
            name, port = re.fullmatch(r"(.*?)(?::(\d+))?", own.lower()).groups()
            is_default = port is None or port in ports
            accepted |= {name, *(f"{name}:{each}" for each in ports)} if is_default else {own.lower()}
        if not matches(r"[!-~]*", host) or host.lower() not in accepted:
            raise Fail("host-mismatch")

    def check_account(self):
        value = self.one(self.options["accountHeader"], "account")
        prefix = self.options["accountPrefix"]
        if not value.startswith(prefix) or not matches(r"[!-+\--~]{1,255}", value[len(prefix):]):
            raise Fail("account-malformed")
        if not self.vector.get("accountsError") and value[len(prefix):] not in self.options["accounts"]:
            raise Fail("account-mismatch")

    def check_accounts(self):
        if self.vector.get("accountsError"):
            raise Fail("account-check-failed")

    # 6 to 8

    def check_signature_header(self):
        self.parameters = None
        parameters = parse_signature(self.one("signature", "signature"))
        self.parameters = parameters
        named = parameters.get("algorithm")
        if named is not None and lower(named) not in self.options["algorithms"]:
            raise Fail("signature-algorithm-not-allowed")
        tolerance = self.options["dateTolerance"]
        if "created" in parameters and abs(parameters["created"] - self.now) > tolerance:
            raise Fail("signature-created-out-of-range")
        if "expires" in parameters and parameters["expires"] < self.now - tolerance:
            raise Fail("signature-expired")
        covered = parameters["headers"]
        times = [name for name in covered if name in SPECIAL[1:]]
        absent = [name for name in times if name[1:-1] not in parameters]
        if absent and covered != ["(created)"]:
            raise Fail("signature-parameter-missing")
        if times and not absent and matches(r"(?:rsa|hmac|ecdsa).*", lower(named or "")):
            raise Fail("signature-times-not-allowed")

    def check_coverage(self):
        if self.parameters is None:
            raise NotRun
        covered = self.parameters["headers"]
        must = ["(request-target)", "host", "date", self.options["accountHeader"], "digest"]
        if any(name.lower() not in covered for name in must + self.options["alsoCovered"]):
            raise Fail("coverage-insufficient")
        if len(set(covered)) < len(covered):
            raise Fail("coverage-repeated")
        if any(name not in SPECIAL and name not in self.fields for name in covered):
            raise Fail("coverage-absent")

    def check_key_name(self):
        if self.parameters is None:
            raise NotRun
        key_id = self.parameters["keyId"]
        name = key_id.lower()[:-1] if key_id.endswith(".") else key_id.lower()
        labels = name.split(".")
        is_name = matches(r"[!-~]+", key_id) and all(matches(r"[a-z0-9_-]{1,63}", label) for label in labels)
        if not is_name or len(name) > 253:
            raise Fail("key-name-malformed")
        domain = re.sub(r"\.$", "", self.options["serviceDomain"].lower())
        is_inside = name.endswith("." + domain)
        own = name[: -len(domain) - 1].split(".") if is_inside else labels
        if any(label.startswith("xn--") for label in own):
            raise Fail("key-name-malformed")
        if not is_inside:
            raise Fail("key-name-outside-domain")
        self.key_name = name

    # 9 and 10

    def check_key(self):
        answer = self.vector["dns"].get(self.key_name, {"error": "ENOTFOUND"})
        if isinstance(answer, dict):
            codes = {"ENOTFOUND": "key-not-found", "ENODATA": "key-not-found", "ETIMEOUT": "key-lookup-timeout"}
            raise Fail(codes.get(answer["error"], "key-lookup-failed"))
        records = [record for record in map("".join, answer) if is_key_record(record)]
        if not records:
            raise Fail("key-not-found")
        self.keys = []
        failures = []
        for record in records[:4]:
            try:
                self.keys.append(usable_key(record, lower(self.parameters.get("algorithm")), self.options))
            except Fail as failure:
                failures.append(failure)
        if not self.keys:
            raise failures[0]

    def check_signature(self):
        try:
            octets = signing_string(self.request, self.fields, self.parameters).encode("latin-1")
        except UnicodeEncodeError:
            raise Fail("signature-mismatch") from None
        if not any(verifies(key, algorithm, self.parameters["signature"], octets) for key, algorithm in self.keys):
            raise Fail("signature-mismatch")

    # 11 and 12

    def check_digest_header(self):
        values = self.fields.get("digest")
        if values is None:
            raise Fail("digest-missing")
        instances = ", ".join(values).split(",")
        self.digests = []
        for instance in instances:
            name, equals, value = instance.strip(WHITE).partition("=")
            if not matches(TOKEN, name) or equals == "" or len(instances) > 100:
                raise Fail("digest-malformed")
            length = {"sha-256": 32, "sha-512": 64}.get(name.lower())
            if length is None:
                if not matches(r"[!#-+\--~]+", value):
                    raise Fail("digest-malformed")
                continue
            digest = unbase64(value)
            if digest is None or len(digest) != length:
                raise Fail("digest-malformed")
            self.digests.append((hashlib.sha256 if length == 32 else hashlib.sha512, digest))
        if not self.digests:
            raise Fail("digest-unsupported")

    def check_body(self):
        body = self.request["body"] or {"utf8": ""}
        octets = body["utf8"].encode() if "utf8" in body else base64.b64decode(body.get("base64", ""))
        if len(octets) > self.options["maxBodyBytes"]:
            raise Fail("body-too-large")
        if "error" in body:
            raise Fail("body-unreadable")
        if any(function(octets).digest() != digest for function, digest in self.digests):
            raise Fail("digest-mismatch")

    def check_replay(self):
        store = self.vector.get("replayStore")
        if store == "claimed":
            raise Fail("replayed")
        if store == "error":
            raise Fail("replay-store-failed")


def header_fields(lines):
    """The values of each name in lower case, in order."""
    fields = {}
    for name, value in lines:
        fields.setdefault(name.lower(), []).append(value.strip(WHITE))
    return fields


def signing_string(request, fields, parameters):
    lines = []
    for name in parameters["headers"]:
        if name == "(request-target)":
            value = f"{request['method'].lower()} {request['target']}"
        elif name in SPECIAL:
            value = str(parameters[name[1:-1]])
        else:
            value = ", ".join(fields[name])
        lines.append(f"{name}: {value}")
    return "\n".join(lines)


def lower(text):
    """Names of algorithms are ASCII: no other letter may become one."""
    return None if text is None else text.lower() if text.isascii() else text


DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
DAY, MONTH = "|".join(day[:3] for day in DAYS), "|".join(MONTHS)
TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
DATES = [
    rf"(?P<weekday>{DAY}), (?P<day>\d\d) (?P<month>{MONTH}) (?P<year>\d{{4}}) {TIME} GMT",
    rf"(?P<weekday>{'|'.join(DAYS)}), (?P<day>\d\d)-(?P<month>{MONTH})-(?P<year>\d\d) {TIME} GMT",
    rf"(?P<weekday>{DAY}) (?P<month>{MONTH}) (?P<day>[\d ]\d) {TIME} (?P<year>\d{{4}})",
]


def http_date(text):
    """Seconds since 1970, or None."""
    found = next(filter(None, (matches(form, text) for form in DATES)), None)
    if found is None:
        return None
    year, day, hour, minute, second = (int(found[name]) for name in ("year", "day", "hour", "minute", "second"))
    if len(found["year"]) == 2:
        year += 2000 if year < 70 else 1900
    is_leap = (hour, minute, second) == (23, 59, 60)
    try:
        date = datetime(year, MONTHS.index(found["month"]) + 1, day, hour, minute, 59 if is_leap else second)
    except ValueError:
        return None
    if not DAYS[date.weekday()].startswith(found["weekday"]):
        return None
    return calendar.timegm(date.timetuple()) + is_leap


def parse_signature(text):
    name_and_equals = re.compile(rf"({TOKEN})(?:[ \t]*(=))?", re.ASCII)
    value_and_end = re.compile(rf'[ \t]*(?:"((?:[^"\\]|\\.)*)"|({TOKEN}))[ \t]*(?=,|\Z)', re.ASCII | re.DOTALL)
    ignored = re.compile(r'[^",\\\0-\x08\x0a-\x1f\x7f]*(?=,|\Z)')
    known = {name.lower(): name for name in ("keyId", "algorithm", "headers", "signature", "created", "expires")}
    found = {}
    at = count = 0
    while True:
        count += 1
        at = len(text) - len(text[at:].lstrip(WHITE))
        if count > 100:
            raise Fail("signature-malformed")
        match = name_and_equals.match(text, at)
        name = lower(match[1]) if match else ""
        if match and match[2] and name in found:
            raise Fail("signature-parameter-repeated")
        value = value_and_end.match(text, match.end()) if match and match[2] else None
        if value is not None:
            quoted, bare = value.groups()
            if name == "created":
                is_good = bare is not None and matches(INTEGER, bare)
            elif name == "expires":
                is_good = bare is not None and (matches(INTEGER, bare) or matches(DECIMAL, bare) and len(bare) <= 16)
            else:
                is_good = name in known or not re.search(r"[\0-\x08\x0a-\x1f\x7f]", quoted or "")
            if not is_good:
                raise Fail("signature-malformed")
            found[name] = bare if quoted is None else quoted
            at = value.end()
        else:
            # none, or an unknown parameter that is not well-formed; a field of RFC 9421 is told from it
            is_other_standard = at == 0 and match and match[2] and text[match.end():].lstrip(WHITE).startswith(":")
            rest = ignored.match(text, at)
            if rest is None or name in known or is_other_standard:
                raise Fail("signature-malformed")
            if match and match[2]:
                found[name] = ""
            at = rest.end()
        if at == len(text):
            break
        at += 1
    if not found:
        raise Fail("signature-malformed")
    found = {known.get(name, name): value for name, value in found.items()}
    if "keyId" not in found or "signature" not in found:
        raise Fail("signature-parameter-missing")
    names = [lower(name) for name in found.get("headers", "(created)").split(" ")]
    if len(names) > 100 or not all(matches(TOKEN, name) or name in SPECIAL for name in names):
        raise Fail("signature-malformed")
    signature = unbase64(found["signature"])
    if not signature:
        raise Fail("signature-not-base64")
    times = {name: (float if "." in found[name] else int)(found[name]) for name in ("created", "expires") if name in found}
    return {**found, **times, "headers": names, "signature": signature}


def is_key_record(record):
    loose = [[part.strip().strip("\"'\\").strip() for part in tag.split("=", 1)] for tag in record.split(";")]
    tags = [tag for tag in loose if len(tag) == 2]
    versions = [value for name, value in tags if name == "v"]
    if versions:
        return any(value == "" or value[:4].upper() == "DKIM" for value in versions)
    return any(name == "p" for name, _ in tags)


def usable_key(record, algorithm, options):
    """The key, and the algorithm to verify with."""
    tags = {}
    specs = record.split(";")
    if len(specs) > 1 and specs[-1].strip(FOLDING) == "":
        specs.pop()
    for spec in specs:
        name, equals, value = spec.partition("=")
        name = name.strip(FOLDING)
        if not equals or not matches(r"[A-Za-z][A-Za-z0-9_]*", name) or name in tags:
            raise Fail("key-malformed")
        tags[name] = value.strip(FOLDING)
    is_text = matches(r"[\t\r\n -~]*", record) and "\\;" not in record
    if not is_text or any(re.search(r'["\\]', tags.get(name, "")) for name in "vkhstp"):
        raise Fail("key-malformed")
    if "v" in tags and next(iter(tags)) != "v":
        raise Fail("key-malformed")
    if tags.get("v", "DKIM1") != "DKIM1":
        raise Fail("key-version-unsupported")
    kind = tags.get("k", "rsa")
    if kind not in ("rsa", "ed25519"):
        raise Fail("key-type-mismatch")

    def items(name):
        return [item.strip(FOLDING) for item in tags[name].split(":")] if name in tags else None

    allowed = items("h")
    if allowed is not None and not {"sha256", "sha512"} & set(allowed):
        raise Fail("key-hash-not-allowed")
    if not {"*", "email"} & set(items("s") or ["*"]):
        raise Fail("key-service-mismatch")
    if "y" in (items("t") or []):
        raise Fail("key-test-only")
    if "p" not in tags:
        raise Fail("key-malformed")
    text = re.sub(r"[ \t\r\n]+", "", tags["p"])
    if text == "":
        raise Fail("key-revoked")
    octets = unbase64(text)
    if octets is None:
        raise Fail("key-unreadable")
    key = rsa_key(octets, options) if kind == "rsa" else ed25519_key(octets)

    algorithm = algorithm or ("rsa-sha256" if kind == "rsa" else "ed25519")
    fits = {"rsa-sha256": ["rsa"], "rsa-sha512": ["rsa"], "ed25519": ["ed25519"], "hs2019": ["rsa", "ed25519"]}
    if kind not in fits[algorithm] or algorithm not in options["algorithms"]:
        raise Fail("key-type-mismatch")
    is_long = algorithm == "rsa-sha512" or (algorithm == "hs2019" and kind == "rsa")
    if allowed is not None and ("sha512" if is_long else "sha256") not in allowed:
        raise Fail("key-hash-not-allowed")
    return key, algorithm


def der(octets, tag):
    """The content of the first element, and what follows it."""
    if len(octets) < 2 or octets[0] != tag:
        raise Fail("key-unreadable")
    start, length = 2, octets[1]
    if length >= 0x80:
        start += length - 0x80
        length = int.from_bytes(octets[2:start], "big")
        if length < 0x80 or octets[2] == 0:
            raise Fail("key-unreadable")
    if start + length > len(octets):
        raise Fail("key-unreadable")
    return octets[start:start + length], octets[start + length:]


def last(octets, tag):
    content, rest = der(octets, tag)
    if rest:
        raise Fail("key-unreadable")
    return content


def natural(octets):
    is_shortest = octets and octets[0] < 0x80 and (octets[0] != 0 or len(octets) == 1 or octets[1] >= 0x80)
    if not is_shortest:
        raise Fail("key-unreadable")
    return int.from_bytes(octets, "big")


def rsa_key(octets, options):
    content = last(octets, 0x30)
    if content[:1] != b"\x02":
        algorithm, rest = der(content, 0x30)
        oid, null = der(algorithm, 0x06)
        bits = last(rest, 0x03)
        if bits[:1] != b"\0":
            raise Fail("key-unreadable")
        if oid != bytes.fromhex("2a864886f70d010101"):
            raise Fail("key-type-mismatch")
        if null != b"\x05\0":
            raise Fail("key-unreadable")
        content = last(bits[1:], 0x30)
    modulus, rest = der(content, 0x02)
    n, e = natural(modulus), natural(last(rest, 0x02))
    if n.bit_length() < options["minRsaBits"]:
        raise Fail("key-too-short")
    if n.bit_length() > options["maxRsaBits"]:
        raise Fail("key-too-long")
    if e % 2 == 0 or e < 3 or e.bit_length() > 33:
        raise Fail("key-weak")
    return RSAPublicNumbers(e, n)


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def ed25519_key(octets):
    if len(octets) != 32:
        raise Fail("key-unreadable")
    # A point of small order: eight times it is the identity, whose y is 1. Doubling y needs x^2 alone.
    y = (int.from_bytes(octets, "little") & (2**255 - 1)) % P
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    for _ in range(3):
        y2 = y * y % P
        y = (y2 + x2) * pow(1 - D * x2 * y2, -1, P) % P
        x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    if y == 1:
        raise Fail("key-weak")
    return octets


def verifies(key, algorithm, signature, octets):
    try:
        if isinstance(key, bytes):
            Ed25519PublicKey.from_public_bytes(key).verify(signature, octets)
            return True
        is_representative = len(signature) == (key.n.bit_length() + 7) // 8
        if not is_representative or int.from_bytes(signature, "big") >= key.n:
            return False
        digest = hashes.SHA256() if algorithm == "rsa-sha256" else hashes.SHA512()
        pss = padding.PSS(padding.MGF1(digest), padding.PSS.AUTO)
        scheme = pss if algorithm == "hs2019" else padding.PKCS1v15()
        key.public_key().verify(signature, octets, scheme, digest)
        return True
    except (InvalidSignature, ValueError):
        return False


if __name__ == "__main__":
    # Bytes: JSON is UTF-8, whatever the locale says.
    for line in sys.stdin.buffer:
        print(json.dumps(Receiver(json.loads(line)).run()), flush=True)
