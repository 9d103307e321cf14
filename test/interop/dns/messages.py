"""Debian's python3-dnspython: writes DNS messages and reads them, one a line as JSON ({"name", "octets", "read"})."""
import base64
import json
import struct

import dns.edns
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

NAME = "key.service.example"
QUERY = dns.message.make_query(NAME, "TXT", id=0)
IN, TXT, CNAME, SOA = 1, 16, 5, 6
CODES = {0: "", 1: "EFORMERR", 2: "ESERVFAIL", 3: "ENOTFOUND", 4: "ENOTIMP", 5: "EREFUSED"}


def read(octets):
    """What a stub resolver gets by dnspython: the strings of each record, or the code of node:dns."""
    try:
        reply = dns.message.from_wire(octets)
    except Exception:
        return "EBADRESP"
    if not QUERY.is_response(reply) or reply.flags & dns.flags.TC or reply.opcode() != dns.opcode.QUERY:
        return "EBADRESP"
    code = CODES.get(reply.rcode(), "EBADRESP")
    if code:
        return code
    try:
        answer = reply.resolve_chaining().answer
    except dns.exception.DNSException:
        return "EBADRESP"
    if answer is None:
        return "ENODATA"
    return [[string.decode("latin-1") for string in record.strings] for record in answer]


def emit(name, octets):
    line = {"name": name, "octets": base64.b64encode(octets).decode(), "read": read(octets)}
    print(json.dumps(line))


def rrset(name, ttl, kind, *values, dclass="IN"):
    return dns.rrset.from_text(dns.name.from_text(name), ttl, dclass, kind, *values)


def reply(answer=(), authority=(), additional=(), rcode=0, flags=0, **edns):
    message = dns.message.make_response(QUERY, recursion_available=True)
    message.answer, message.authority, message.additional = list(answer), list(authority), list(additional)
    message.flags |= flags
    if edns:
        message.use_edns(**edns)
    message.set_rcode(rcode)
    return message


def written(name, *args, **options):
    emit(name, reply(*args, **options).to_wire(max_size=65535))


def txt(*strings, ttl=300, name=NAME, dclass="IN"):
    return rrset(name, ttl, "TXT", *strings, dclass=dclass)


GOOD = txt('"v=DKIM1; k=rsa; p=AB" "CD"')
ZONE = rrset("service.example", 60, "SOA", "ns.service.example. root.service.example. 1 3600 600 86400 60")
NS = rrset("service.example", 60, "NS", "ns.service.example.")
GLUE = rrset("ns.service.example", 60, "A", "192.0.2.53")


def cname(name, target, ttl=60):
    return rrset(name, ttl, "CNAME", target)


# ---- replies that dnspython writes
written("one string", [txt('"v=DKIM1; p=AB"')])
written("several strings", [GOOD])
written("a thousand empty strings", [txt(" ".join(['""'] * 1000))])
written("several records", [txt('"v=DKIM1; p=AB"', '"v=spf1 -all"', '"x"')])
written("a string of 255 octets", [txt('"%s"' % ("x" * 255))])
written("sixty strings of 255 octets", [txt(" ".join(['"%s"' % ("x" * 255)] * 60))])
written("an empty string", [txt('""')])
written("an empty string between two", [txt('"a" "" "b"')])
written("every octet", [txt('"%s"' % "".join("\\%03d" % n for n in range(128)), '"%s"' % "".join("\\%03d" % n for n in range(128, 256)))])
written("quotes, a backslash and a semicolon", [txt('"\\"v=DKIM1\\; p=\\\\\\""')])
for ttl in (0, 1, 2**31 - 1):
    written("a TTL of %d" % ttl, [txt('"a"', ttl=ttl)])
written("an owner in capitals", [txt('"a"', name=NAME.upper())])
written("an alias", [cname(NAME, "a.example."), txt('"a"', name="a.example")])
chain = [cname(NAME, "a.example.")] + [cname("%s.example" % a, "%s.example." % b) for a, b in zip("abcdefgh", "bcdefghi")]
written("nine aliases", [*chain, txt('"a"', name="i.example")])
written("nine aliases, the last first", [txt('"a"', name="i.example"), *reversed(chain)])
written("an alias in capitals", [cname(NAME.upper(), "A.example."), txt('"a"', name="a.EXAMPLE")])
written("an alias to a name without a record", [cname(NAME, "a.example.")], [ZONE])
written("an alias to a name of no record, NXDOMAIN", [cname(NAME, "a.example.")], [ZONE], rcode=3)
written("an alias to itself", [cname(NAME, NAME + ".")])
written("two aliases in a circle", [cname(NAME, "a.example."), cname("a.example", NAME + ".")])
written("an alias beside a record", [cname(NAME, "a.example."), txt('"a"'), txt('"b"', name="a.example")])
dname = rrset("service.example", 60, "DNAME", "other.example.")
written("a DNAME and the alias made of it", [dname, cname(NAME, "key.other.example."), txt('"a"', name="key.other.example")])
written("a DNAME alone", [dname, txt('"a"', name="key.other.example")])
written("no data", [], [ZONE])
written("no data, without SOA")
written("only an address", [rrset(NAME, 60, "A", "192.0.2.1")])
written("a record of another type beside it", [rrset(NAME, 60, "A", "192.0.2.1"), GOOD])
written("a record of an unknown type beside it", [rrset(NAME, 60, "TYPE65280", "\\# 4 01020304"), GOOD])
for kind, value in {
    "AAAA": "2001:db8::1", "AFSDB": "1 a.example.", "CAA": '0 issue "ca.example"', "CERT": "PKIX 1 8 AQID",
    "CDS": "1 13 2 " + "ab" * 32, "DNSKEY": "256 3 13 AQID", "DS": "1 13 2 " + "ab" * 32, "HINFO": '"a" "b"',
    "HTTPS": "1 . alpn=h2 ipv4hint=192.0.2.1", "LOC": "52 22 23.000 N 4 53 32.000 E -2.00m", "MX": "10 a.example.",
    "NAPTR": '1 1 "S" "SIP" "" _sip._udp.example.', "NSEC": "a.example. TXT RRSIG NSEC", "NSEC3PARAM": "1 0 0 -",
    "NSEC3": "1 0 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr TXT RRSIG", "OPENPGPKEY": "AQID", "PTR": "a.example.",
    "RP": "a.example. b.example.", "SOA": "ns.example. root.example. 1 2 3 4 5", "SPF": '"v=spf1"', "SRV": "1 1 53 a.example.",
    "SSHFP": "1 1 " + "ab" * 20, "SVCB": "1 a.example. port=53", "TLSA": "3 1 1 " + "ab" * 32, "URI": '1 1 "https://a.example/"',
    "EUI48": "01-02-03-04-05-06", "CSYNC": "1 0 A", "DHCID": "AQID", "KX": "1 a.example.", "NSAP": "0x4701",
}.items():
    for place in range(3):
        sections = [[GOOD], [], []]
        sections[place].append(rrset(NAME if kind not in ("SOA", "NSEC3") else "service.example", 60, kind, value))
        written("%s in the %s section" % (kind, ("answer", "authority", "additional")[place]), *sections)
rrsig = "TXT 13 3 300 20261201000000 20261101000000 1 service.example. " + "A" * 86 + "=="
written("its signature beside it", [GOOD, rrset(NAME, 300, "RRSIG", rrsig)], flags=dns.flags.AD)
written("name servers and their addresses", [GOOD], [NS], [GLUE])
written("a text record in the authority section alone", [], [GOOD])
written("a text record in the additional section alone", [], [], [GOOD])
written("a text record of another name in the additional section", [GOOD], [], [txt('"b"', name="b.example")])
written("another class", [txt('"a"', dclass="CH")])
written("another name", [txt('"a"', name="other.example")])
written("another name beside it", [GOOD, txt('"a"', name="other.example")])
for rcode in range(16):
    written("response code %d" % rcode, [], [ZONE] if rcode == 3 else [], rcode=rcode)
written("response code 3 with a record", [GOOD], rcode=3)
written("response code 2 with a record", [GOOD], rcode=2)
for code in (16, 23):
    written("extended response code %d" % code, [GOOD], rcode=code, edns=0)
written("truncated", [GOOD], flags=dns.flags.TC)
for name, flag in (("AA", dns.flags.AA), ("AD", dns.flags.AD), ("CD", dns.flags.CD), ("the reserved bit", 0x40)):
    written("the flag " + name, [GOOD], flags=flag)
written("EDNS", [GOOD], edns=0, payload=1232)
written("EDNS with DO, padding and an error text", [GOOD], edns=0, ednsflags=dns.flags.DO, pad=128,
        options=[dns.edns.EDEOption(3, "stale")])
written("EDNS version 1", [GOOD], edns=1)

# ---- replies that are put together, octet by octet
plain = dns.name.from_text(NAME).to_wire()
question = plain + struct.pack("!HH", TXT, IN)
POINTER = b"\xc0\x0c"


def record(owner, kind, data, ttl=300, dclass=IN, length=None):
    return owner + struct.pack("!HHIH", kind, dclass, ttl, len(data) if length is None else length) + data


def message(*records, asked=question, counts=None, flags=0x8180, ident=0, questions=1):
    counts = counts or (len(records), 0, 0)
    return struct.pack("!HHHHHH", ident, flags, questions, *counts) + asked + b"".join(records)


string = b"\x02hi"
good = message(record(POINTER, TXT, string))
emit("a pointer to the question", good)
emit("no pointer", message(record(plain, TXT, string)))
for ttl in (2**31, 2**32 - 1):
    emit("a TTL of %d" % ttl, message(record(POINTER, TXT, string, ttl)))
emit("two TTLs", message(record(POINTER, TXT, string, 1), record(POINTER, TXT, b"\x02ho", 2)))
emit("a record twice", message(record(POINTER, TXT, string), record(POINTER, TXT, string)))
emit("no string", message(record(POINTER, TXT, b"")))
emit("a string beyond its record", message(record(POINTER, TXT, b"\x03hi")))
emit("a string beyond the message", message(record(POINTER, TXT, b"\x09hi")))
emit("a record beyond the message", message(record(POINTER, TXT, string, length=9)))
emit("a record that is shorter than its string", message(record(POINTER, TXT, string, length=2)))
emit("octets behind the last record", good + b"\0")
emit("the message twice", good + good)
for at in range(len(good)):
    emit("cut at %d" % at, good[:at])
emit("a count of answers that is one too high", message(record(POINTER, TXT, string), counts=(2, 0, 0)))
emit("a count of answers that is one too low", message(record(POINTER, TXT, string), record(POINTER, TXT, string), counts=(1, 0, 0)))
emit("a count of 65,535", message(record(POINTER, TXT, string), counts=(65535, 0, 0)))
emit("a count of additional records that is one too high", message(record(POINTER, TXT, string), counts=(1, 0, 1)))
emit("no question", message(record(plain, TXT, string), asked=b"", questions=0))
emit("two questions", message(record(POINTER, TXT, string), asked=question * 2, questions=2))
emit("a question of another type", message(record(POINTER, TXT, string), asked=plain + b"\0\1\0\1"))
emit("a question of another class", message(record(POINTER, TXT, string), asked=plain + b"\0\x10\0\3"))
emit("a question in capitals", message(record(POINTER, TXT, string), asked=plain.upper() + b"\0\x10\0\1"))
emit("another id", message(record(POINTER, TXT, string), ident=1))
emit("a query", message(record(POINTER, TXT, string), flags=0x0180))
emit("another operation", message(record(POINTER, TXT, string), flags=0xA180))
here = len(message())
emit("a pointer to itself", message(record(struct.pack("!H", 0xC000 | here), TXT, string)))
emit("a pointer forward", message(record(struct.pack("!H", 0xC000 | here + 12), TXT, b"\x01a\0")))
emit("a pointer beyond the message", message(record(b"\xff\xff", TXT, string)))
emit("two pointers that point at each other", message(record(b"\1a" + struct.pack("!H", 0xC000 | here), TXT, string)))
emit("a pointer into the header", message(record(b"\xc0\x04", TXT, string)))
emit("a pointer behind a label", message(record(b"\3key\xc0\x10", TXT, string)))
emit("a pointer to the middle of a label", message(record(b"\xc0\x0d", TXT, string)))
for kind in (0x40, 0x80):
    emit("a label of the type %#x" % kind, message(record(bytes([kind | 3]) + b"key\xc0\x10", TXT, string)))
emit("a name of 256 octets", message(record(POINTER, TXT, string), record(b"\x3f" + b"a" * 63 + (b"\x3f" + b"b" * 63) * 3 + b"\0", TXT, string)))
emit("a label with a dot as the owner", message(record(b"\x0bkey.service\7example\0", TXT, string)))
emit("a label with a dot as the target", message(record(POINTER, CNAME, b"\x09a.example\0"), record(b"\1a\7example\0", TXT, string)))
emit("a label above ASCII as the target", message(record(POINTER, CNAME, b"\1\xff\7example\0"), record(b"\1\xff\7example\0", TXT, string)))
emit("two aliases of one name", message(*(record(POINTER, CNAME, b"\1%c\7example\0" % c) for c in b"ab"), record(b"\1a\7example\0", TXT, string)))
emit("an alias that is longer than its name", message(record(POINTER, CNAME, b"\1a\7example\0\0"), record(b"\1a\7example\0", TXT, string)))
emit("an alias that is shorter than its name", message(record(POINTER, CNAME, b"\1a\7example\0", length=9), record(b"\1a\7example\0", TXT, string)))
emit("an address of 5 octets", message(record(POINTER, 1, b"\xc0\0\2\1\0"), record(POINTER, TXT, string)))
emit("the class with its upper bit", message(record(POINTER, TXT, string, dclass=0x8001)))
opt = b"\0" + struct.pack("!HHIH", 41, 1232, 0, 0)
emit("two OPT records", message(record(POINTER, TXT, string), opt, opt, counts=(1, 0, 2)))
emit("an OPT record among the answers", message(record(POINTER, TXT, string), opt, counts=(2, 0, 0)))
emit("an OPT record with a name", message(record(POINTER, TXT, string), POINTER + opt[1:], counts=(1, 0, 1)))
emit("an option that is longer than its OPT record", message(record(POINTER, TXT, string), b"\0" + struct.pack("!HHIH", 41, 1232, 0, 4) + b"\0\x0c\0\x09", counts=(1, 0, 1)))
