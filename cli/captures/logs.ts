/** Advice for every proxy, whatever it can log. */
const TCPDUMP = 'tcpdump -A between it and the receiver shows whole requests'

/** Recognises the access logs of proxies by a line of each, and says what to record with that proxy instead. */
export const ACCESS_LOGS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /^(?:https?|h2|grpcs|wss?) \d{4}-\d\d-\d\dT[\d:.]+Z (?:app|net)\/\S+ /m,
    'this is the access log of an Application Load Balancer, which records no headers: log the event in a Lambda ' +
      `target, or ${TCPDUMP}`
  ],
  [
    /^#Version: 1\.0\r?\n#Fields: (?:date|timestamp)[ \t]|^\d{4}-\d\d-\d\d\t\d\d:\d\d:\d\d\t[A-Z]{3}\d+-?\w*\t/m,
    'this is the access log of CloudFront, whose real-time logs have headers (cs-headers) but cut them, and no body: ' +
      'capture at the origin, where tcpdump -A has all of a request'
  ],
  [
    // A receiver chooses the fields: the time in seconds is the first of all, and an edge location is in most.
    /^\d{10}\.\d{3}\t|^(?:[^\t\n]*\t){1,60}[A-Z]{3}\d{1,3}-[A-Z]\d{1,2}\t/m,
    'this is a real-time log of CloudFront, which cuts the headers (cs-headers) and has no body: capture at the ' +
      'origin, where tcpdump -A has all of a request'
  ],
  [
    /\bhaproxy\[\d+\]:|\[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d\.\d{3}\] \S+ \S+\/\S+ (?:-?\d+\/){4}\+?\d+ /m,
    'this is the log of HAProxy, which records headers only with http-request capture req.hdrs len 8192, and no ' +
      `body: ${TCPDUMP}`
  ],
  [
    /"logger":\s*"http\.log\.access|"msg":\s*"handled request"/,
    `this is the access log of Caddy, which has the headers and no body: ${TCPDUMP}`
  ],
  [
    // Traefik writes JSON, or text that ends with router, server and duration.
    /"(?:RequestMethod|RouterName|DownstreamStatus)":|" \d{3} \d+ (?:"[^"\n]*" ){2}\d+ (?:"[^"\n]*" ){2}\d+ms\s*$/m,
    'this is the access log of Traefik, which records headers only with accessLog.fields.headers.defaultMode: ' +
      `keep, and no body: ${TCPDUMP}`
  ],
  [
    /^(?:\S+ ){3,4}\[[^\]\n]+\] "/m,
    'this is an access log, which has no headers: nginx writes JSON that explain reads with a log_format of ' +
      '{ method, url, headers, body } (the page The command line has one), Apache all headers with mod_log_forensic ' +
      `and the body with mod_dumpio; ${TCPDUMP}`
  ]
]
