"""Debian's python3-dkim: one job a line as JSON ({"message", "record"}), true or false a line."""
import json
import logging
import sys

import dkim

logging.disable(logging.CRITICAL)
for line in sys.stdin:
    job = json.loads(line)
    try:
        answer = dkim.verify(job["message"].encode("latin-1"), dnsfunc=lambda name, timeout=5: job["record"].encode("latin-1"))
    except Exception:
        answer = False
    print(json.dumps(bool(answer)), flush=True)
