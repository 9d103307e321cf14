"""Puts the examples of draft-cavage-http-signatures-12 appendix C through the functions of verifier.py.

Reads draft-cavage-appendix-c.json from standard input, writes what it makes of each vector to standard output.
"""
import base64
import hashlib
import json
import sys

import verifier

document = json.load(sys.stdin)
request = document["request"]
fields = verifier.header_fields(request["headers"])
key = verifier.rsa_key(base64.b64decode(document["publicKey"]), {"minRsaBits": 1024, "maxRsaBits": 8192})

for vector in document["vectors"]:
    parameters = verifier.parse_signature(vector["signatureHeader"])
    string = verifier.signing_string(request, fields, {**parameters, "headers": vector["covered"]})
    octets = string.encode("latin-1")
    print(json.dumps({
        "name": vector["name"],
        "parameters": {**parameters, "signature": base64.b64encode(parameters["signature"]).decode()},
        "signingString": string,
        "sha256": hashlib.sha256(octets).hexdigest(),
        "verifies": verifier.verifies(key, "rsa-sha256", parameters["signature"], octets),
    }))
