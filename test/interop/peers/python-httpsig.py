"""Debian's python3-httpsig: one job a line as JSON, one answer a line."""
import json
import sys

import httpsig
from httpsig.sign import HeaderSigner
from httpsig.verify import HeaderVerifier

for line in sys.stdin:
    job = json.loads(line)
    try:
        if job["do"] == "version":
            answer = {"value": httpsig.__version__}
        elif job["do"] == "sign":
            signer = HeaderSigner(
                job["keyId"], job["key"], algorithm=job["algorithm"], headers=job.get("covered"), sign_header="signature"
            )
            signed = signer.sign(job["headers"], method=job["method"], path=job["target"])
            answer = {"value": signed["signature"]}
        else:
            verifier = HeaderVerifier(
                job["headers"], job["key"], required_headers=job["required"], method=job["method"], path=job["target"],
                sign_header="signature",
            )
            answer = {"value": bool(verifier.verify())}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
