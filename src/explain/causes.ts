/**
 * What a failure most likely means, and what to do. The first row counts that has its code or its check, and whose
 * conditions hold: `similar` there is such evidence, `received=,` it matches. In cause and fix `{received}` is evidence,
 * `{name:hosts}` the name of a setting, `{set:hosts:received}` a setting with evidence as its value; of
 * `[[options||flags]]` the reader sees the half in their language.
 */
export const CAUSES = `
request part=^method$ | there is no method, or it is not a token[[||: with --from x-forwarded it is that of X-Forwarded-Method, which the proxy does not send once]] | [[Pass the method as received: let an adapter do it||Start authorize with --from as-is, or have the proxy send X-Forwarded-Method, -Uri, -Host and -Proto]].
request part=^target$ | there is no target, or it has a line break or NUL[[||: with --from x-forwarded it is that of X-Forwarded-Uri, which the proxy does not send once]] | [[Pass the target as received: let an adapter do it||Start authorize with --from as-is, or have the proxy send X-Forwarded-Method, -Uri, -Host and -Proto]].
request part=^header-count$ | there are too many header lines: a proxy adds one again and again, or it is an attack | Look for the one that repeats; a request has at most 500.
request part=^header-name$ | [[the header-name {name} was decoded or rebuilt on the way, or||a line of the capture was wrapped when it was copied ({name} is not the name of a header), or]] it is a broken sender, or an attack | [[Pass method, target and headers as received, undecoded: let an adapter do it||Save the capture to a file; what a terminal shows has other lines]].
request | the {part} {name} was decoded or rebuilt on the way, or it is a broken sender, or an attack | Pass method, target and headers as received, undecoded[[: let an adapter do it||]].
https,host header received=, | {header} came with more than one value | Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written a part of a list.
https header received=^https$ | TLS ends at a proxy: X-Forwarded-Proto: https is there, and is not trusted | If your own proxy sets that header itself (anyone can send it)[[, give the adapter||:]] {set:https:x-forwarded-proto}; if the proxy accepts only TLS, [[https: true||--https always]].
https header received=^(?!http$). | {header} says {received}, which is neither http nor https | Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme).
https header received | the sender used http, or a proxy in front of yours ends TLS | Have the sender use https; with two proxies, have the outer one set the header and the inner one keep it.
https header | your proxy sends no {header}, which is to be trusted | Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme), or, if it accepts only TLS, [[https: true||--https always; with --from x-forwarded it must be sent]].
https | TLS ends at a proxy, or the sender used http | If your own proxy sets X-Forwarded-Proto[[, give the adapter||:]] {set:https:x-forwarded-proto}; if it accepts only TLS, [[https: true||--https always; with explain, leave --http out]].
date-missing | a proxy or CDN dropped it, or the sender did not write it | Have proxies pass Date on unchanged; if the sender has none in its log, have it add one.
date-too-old,signature-expired,signature-created-out-of-range offsetSeconds=^- | {clock}: the request was delayed or replayed, or this clock is fast | Run date -u on this machine: if it differs from the true time, mend this machine's clock (NTP); if not, the request is old (or the clock of the sender is slow), and a retry needs a fresh signature.
date-in-future,signature-created-out-of-range clock=2\\d.Jan.1970 | {clock}: [[now() returns seconds, not milliseconds||that clock is not set]] | [[Return milliseconds since 1970, as Date.now does||Set this machine's clock (NTP)]].
date-in-future,signature-created-out-of-range | {clock}: the sender's clock is fast, or this one is slow | Run date -u on this machine: if it differs from the true time, mend this machine's clock (NTP); if not, have the sender mend its clock.
host-missing header | your proxy sends no X-Forwarded-Host, which is to be trusted | Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host)[[, or, if it keeps Host, leave the host option out||]].
host-missing | a proxy dropped it | Have the proxy keep Host (nginx: proxy_set_header Host $http_host).
host received=, | a broken sender or proxy, or an attack[[; or the platform changes request.url, whose host fromFetchRequest adds||]] | Find out who adds the second one; a receiver cannot tell which of them counts.[[ If it is the host of request.url: fromFetchRequest(request, { host: 'header' }).||]]
host similar | a proxy replaced Host with {received}: {similar} is there, and is not trusted | [[If your own proxy sets that header itself (anyone can send it), give the adapter host: 'x-forwarded-host'; or have||Have]] the proxy keep Host (nginx: proxy_set_header Host $http_host)[[||; for authorize behind Traefik: --from x-forwarded]].
host sameName=true | the port differs: {received} was received and {expected} is configured | If the URL that you gave to the service has that port: {set:hosts:received}. If not, a proxy changed it: have it keep Host (nginx: proxy_set_header Host $http_host).
host header | the request is for another receiver, or the proxy writes another name into X-Forwarded-Host | Have the proxy send the name that the sender used; add it, {set:hosts:received}, only if the URL that you gave to the service has it.
host received=^_$ | a proxy replaced Host with _, as nginx does with proxy_set_header Host $server_name (or _) | Have the proxy keep Host (nginx: proxy_set_header Host $http_host).
host received=^(?:\\[[\\da-f:.]+]|[\\d.]+|[^.:]+|.+\\.(?:internal|local|localhost|lan|svc|cluster\\.local))(?::\\d+)?$ | a proxy replaced Host with the address that it forwards to ({received}) | Have the proxy keep Host (nginx: proxy_set_header Host $http_host)[[, or, if it sends X-Forwarded-Host, give the adapter host: 'x-forwarded-host'||]]. Add it, {set:hosts:received}, only if the service calls you by that name: a name that was not signed gives signature-mismatch.
host | the request is for another receiver, or a proxy replaced Host, or it is a name of yours that is not configured | Compare it with the URL that you gave to the service. Have the proxy keep Host (nginx: proxy_set_header Host $http_host)[[, or give the adapter host: 'x-forwarded-host'||]]; add it, {set:hosts:received}, only if that URL has it.
account-missing,account-malformed similar | {name:accountHeader} is not the header that the service uses: {similar} is there: is that it? | If so: {set:accountHeader:similarName}.
account-missing isSigned=true | a proxy removed {header}, which is signed | Have the proxy pass it on unchanged.
account-missing | the service sends it in another header than {header}, or a proxy dropped it | Set {name:accountHeader} to what the service documents; if that is {header}, have proxies pass it on.
account-repeated | a proxy or the sender wrote it twice | Have proxies pass every header on unchanged.
account-mismatch received=^(?:account)?- expected=^(?!account-|-) | a part of the prefix is left in {received}: is {name:accountPrefix} too short? | Set {name:accountPrefix} to all that the service writes before the id, or leave it out for account-, the default.
account-mismatch expected | the request is for another customer of the service, or for an account of yours that is not configured, or {header} was changed: the signature is not checked until the account fits | If {received} is yours: {set:accounts:received} (now {expected}). If not, look at what the sender sent: have proxies pass {header} on unchanged.
account-mismatch | your accounts function returned false | If {received} is yours, have the function return true for it.
account-check-failed error=^it.returned | your accounts function does not return a boolean | Return true or false: async id => (await find(id)) !== undefined.
account-check-failed | your accounts function threw {error} | Mend it; the sender may try again.
account | the service uses another header or prefix | Set {name:accountHeader} and {name:accountPrefix} to what the service sends.
signature-missing header | the signature is in {header}, the other form of the draft, which is not read here | Have the sender write the same parameters in a Signature header.
signature-missing unsigned=true | this request is not signed, so it is not from the service: a scanner, a health check, a browser | Nothing to mend. If the service did send it, a proxy drops Signature and Digest: have it pass every header on.
signature-missing standard | it is signed by the draft, not by RFC 9421, or a proxy dropped Signature-Input | If the service says so, allow it: [[schemes: [draftCavage, rfc9421]||--scheme draft-cavage --scheme rfc9421]]; if not, have proxies pass Signature-Input on unchanged.
signature-missing | a proxy dropped it: the rest of a signed request is there | Have proxies pass Signature on unchanged.
signature-malformed standard | it is signed by RFC 9421, not by the draft; or a proxy dropped Signature-Input, where both are allowed | If the service says so, allow it: [[schemes: [draftCavage, rfc9421]||--scheme draft-cavage --scheme rfc9421]]; if it is allowed, have proxies pass Signature-Input on unchanged.
signature-algorithm-not-allowed algorithm | the sender uses another algorithm | If the service says so, [[add it:||give it beside what is to stay ({allowed}):]] {set:algorithms:algorithm}.
signature-algorithm-not-allowed | the sender uses another algorithm | Have the sender sign with an allowed one: this library has no such algorithm.
signature-times-not-allowed | the sender covers a time that the draft forbids with this algorithm | Have the sender leave (created) and (expires) out of headers, or sign with hs2019.
coverage-insufficient missing=^(?:(?:\\(request-target\\)|host|date|digest)(?:,.|$))+$ covered=^[^@]*$ | the sender signs less than the service does | Have the sender sign {missing}, or anyone can change it.
coverage-insufficient | the sender signs less than the service does, or a name is configured that the service does not sign | Have the sender sign {missing}, or anyone can change it; if the service does not sign it, check {name:accountHeader}[[ and alsoCovered||]].
coverage-repeated | a broken sender, or an attack | Have the sender list each name once.
coverage-absent reason | {absent}: {reason} | Have the sender sign it in that form.
coverage-absent absent=content-encoding | a proxy removed Content-Encoding: it decompressed the body | Have the proxy pass the body on compressed (nginx: gunzip off).
coverage-absent absent=content-length | a proxy removed Content-Length, which is signed: it dropped the body or sends it in chunks; or a redirect turned POST into GET | Have the proxy pass the body on as it was sent, with its length; give the service the URL to which a redirect leads.
coverage-absent absent=_ | a proxy dropped {absent}: many drop names with an underscore | Have the proxy pass them on (nginx: underscores_in_headers on).
coverage-absent | a proxy removed {absent}, which is signed | Have the proxy pass it on unchanged.
key-name-malformed | the sender uses another kind of key id, or it is an attack on the resolver | Nothing to mend here: this receiver verifies keys in DNS only.
key-name-outside-domain itself=true above=[.] | {name:serviceDomain} is the name of the key itself; keys are under it, never at it | Set {name:serviceDomain} to the service's own domain{above}.
key-name-outside-domain itself=true | the sender names {name:serviceDomain} itself as its key; keys are under it, never at it | Have the sender use the name of its key in DNS, which is under {domain}.
key-name-outside-domain | somebody else's key, or a wrong {name:serviceDomain} | Set {name:serviceDomain} to the domain that the service documents for its keys (it is now {domain}).
key-type-mismatch | the key and the algorithm do not fit: {name:algorithms} lacks one, or the record is bad | Look at it with: {command}; if the service documents such keys, add their algorithm to {name:algorithms}.
key-too-short isLong=true | the key has {bits} bits, and minRsaBits is {limit}: is that above what the service uses? | If the service documents keys of {bits} bits, set minRsaBits to {bits}.
key-too-short | the key has {bits} bits, fewer than the RFC allows | Have the service publish a longer key: RFC 8301 forbids fewer than 1024 bits[[ (minRsaBits is {limit})||]].
key-too-long | the key has {bits} bits, and [[maxRsaBits is {limit}||at most {limit} are accepted]] | [[If the service documents keys of {bits} bits, set maxRsaBits to {bits}; if not, have||Have]] the service publish another key.
key-not-found reason=^no.key | DNS has the name, and no key record there: the key is not published yet, or a wildcard or another TXT record is in its place | Look at it with: {command}; the service must publish the key.
key-not-found reason=^ENODATA | DNS has the name, and no TXT record there: the key was withdrawn, is not published yet, or your DNS server cannot see it | Ask again with: {command}; if others see it, it is your DNS server.
key-not-found | it was withdrawn, is not published yet, or your DNS server cannot see it | Ask again with: {command}; if others see it, it is your DNS server.
key-revoked | it was replaced: the request was signed with an old key | Have the request signed with the new key.
key-lookup-failed error=^the.answer | your lookupTxt function does not return what DNS does: {error} | Return an array of strings for each record, as dns.promises.resolveTxt does.
key-lookup-failed error=^(?:Type|Reference|Range|Syntax)Error$ | your lookupTxt function threw {error} | Mend it; the sender may try again.
key-lookup-failed,key-lookup-timeout servers=[^\\d.:[\\]a-f,\\s] | DNS over HTTPS at {servers}, or the network path to it: {error} | Check its URL, its certificate and HTTPS from here to {servers}; the sender may try again.
key-lookup-failed,key-lookup-timeout | your DNS server, or the network path to it: {error} | Check the resolver and the firewall (UDP and TCP 53; long answers need TCP), with: {command}; the sender may try again.
key-malformed reason=quote|escaped | the record has the quotes or backslashes of a zone file in its text | Look at it with: {command}; the service must publish the text without them, its strings joined.
key-malformed,key-unreadable record=^.{255}$ record=p\\W[\\w+/\\s]*$ | the record was cut at 255 characters: only its first string is there | Look at it with: {command}; if it is cut there too, the service must publish the rest as further strings[[; if not, have lookupTxt return all strings of a record||]].
key | the service published a bad record, or it was changed on the way into DNS | Look at it with: {command}; the service must mend it.
signature change=prefix | a proxy or router took {detail} off the path | Put it back: {set:prefix:detail}[[ in the adapter||]].
signature change=slash | a proxy[[ or router||]] took {detail} off the path and added a slash, so that a prefix does not restore it | Have the path passed on as received (nginx: proxy_pass without a path[[; Express: req.originalUrl||]]).
signature change=url | the target is a whole URL, and the sender signed path and query | [[Pass path and query as received, or let an adapter do it (fromFetchRequest)||Have proxies pass on path and query]].
signature change=added | a proxy or router put something in front of the path, or {name:prefix} is set and nothing was taken off | Have the path passed on as received (nginx: proxy_pass without a path), and leave {name:prefix} out if nothing is taken off.
signature change=rewritten | a proxy or router rewrote the target; {detail} has the one that was signed | Have it pass the target on as received[[, and give the adapter the original, such as req.originalUrl||]].
signature change=query | the query was dropped or added on the way | Have path and query passed on as received[[, such as req.originalUrl||]].
signature change=encoding | the target was decoded or encoded again, or slashes were merged or removed | Have it passed on as received, never rebuilt[[ through URL||]].
signature change=case | capital letters were put in lower case | Have path and Host passed on as received; or give the service a URL in lower case.
signature change=order | the parameters of the query were put in another order | Have the query passed on as received: no proxy or cache that sorts it.
signature change=method | the method was changed: a redirect turned POST into GET, or a header overrode it | Give the service the URL to which the redirect leads, and have no middleware change the method.
signature change=host | a proxy replaced Host | Have the proxy keep Host (nginx: proxy_set_header Host $http_host).
signature change=port | a proxy changed the port in Host | Have the proxy keep Host (nginx: proxy_set_header Host $http_host; $host leaves the port out).
signature change=protocol | TLS ends at a proxy, and the sender signed https | Have the proxy say so: {set:https:x-forwarded-proto}.
signature change=length | Content-Length was rewritten: something decoded, decompressed or re-serialized the body | Have proxies and parsers leave the body as it was sent.
signature change=type | Content-Type was rewritten: the type, or its charset | Have proxies and middleware pass Content-Type on unchanged.
signature change=list | the lines of a header were joined, split or repeated | Have proxies pass every header line on unchanged.
signature change=character | a part of it was changed | Find what changes it, and have it passed on as received.
signature isByKey=true | the key did make this signature, so a signed line was changed on the way, or more than one | Compare the lines below with those that the sender signed. Proxies often change the target (a part of the path stripped, which {name:prefix} puts back; a query dropped, a path rewritten), Host and what describes the body[[: pass the target as received, such as req.originalUrl||]].
signature isByKey=false | another key made it: it was replaced under the same name, or this is a forgery | If the service has rotated its key, have the request signed with the new one: {command}. Nothing that a proxy changes looks like this.
signature | another key made it (was it replaced?), or a signed line was changed on the way: such a signature does not tell which | Compare the lines below with those that the sender signed: if they are equal, it was the key. Proxies often change the target (a query dropped, a path rewritten), Host and what describes the body.
digest-missing | a proxy dropped it, or the sender signs no body | Have proxies pass it on; if the sender has none in its log, have it add one.
digest-malformed | a broken sender, or a header that was cut | Have the sender write SHA-256= and base64.
digest-unsupported | an old sender | Have the sender add SHA-256: MD5 and SHA-1 never count.
digest-mismatch bodyLength=^0$ | the body is empty, and was not when it was signed: something else had already read it, or dropped it | [[Verify the raw bytes, before any body parser||Have the body passed on]]; a capture may not have the body at all.
digest-mismatch expected=^47DEQpj8HBSa[+]|^z4PhNX7vuL3xVChQ1m2A | the sender signed an empty body: it hashed before it wrote the body, or a proxy added one | Compare with the log of the sender.
digest-mismatch decompressed | something decompressed it (it came with Content-Encoding: {decompressed}) | [[Give the adapter the request itself, with no parser in front: express.raw() and express.json() decompress too||Have the proxy pass it on compressed (nginx: gunzip off)]].
digest-mismatch change=cut-short | the body was cut short after it was signed: {bodyLength} of {contentLength} bytes | Look for a limit on the size of bodies in proxies and parsers, and for connections that break.
digest-mismatch bodyChange | {how} after it was signed ({bodyChange}) | [[Verify the raw bytes, before any body parser or proxy that re-encodes them||Have the bytes passed on as they were sent: no parser and no proxy that re-encodes them in front]].
digest-mismatch size=shorter | the body was changed after it was signed: parsed and serialized again, cut short, or replaced; it is {size} | If its end is missing, look for a limit on the size of bodies; if not, [[verify the raw bytes, before any parser||have the bytes passed on as they were sent]].
digest-mismatch size=longer | the body was changed after it was signed: decompressed, parsed and serialized again, or replaced; it is {size} | If the sender compresses (Content-Encoding in its log), something in front decompresses; if not, [[verify the raw bytes, before any parser||have the bytes passed on as they were sent]].
digest-mismatch | the body was changed after it was signed | [[Verify the raw bytes, before any body parser or proxy that re-encodes them||Have the bytes passed on as they were sent: no parser and no proxy that re-encodes them in front]].
body-too-large | a large body, or a flood | Raise {name:maxBodyBytes} if the service sends such bodies (it is now {limit} bytes).
body-unreadable | the connection broke, or the sender was too slow[[, or your own code answered before the body was read||]]: {error} | Nothing to mend if it is rare: the sender may try again.[[ If it is always so, verify before next() and before any response, or pass the bytes.||]]
replay-store-failed error=^not.a.boolean | claim() of {store} resolved to something else than true or false | Have it resolve to true when the id is new, and to false when it is held.
replay-store-failed | the replay store failed: {error} | Check that {store} runs, takes writes, answers in time and is reached from here; the sender may try again.
replayed | the same bytes came again: a retry of the sender (was the answer late?), or an attack | Nothing to mend if the first one was handled: this is what a replay store is for. If handling it failed, [[have your handler call verify.release(verdict), so that a retry is let in||the sender needs to sign a retry afresh]].
* | the sender wrote it so, or a proxy changed it: the log of the sender tells which | Have proxies pass every header on unchanged.
`
