/** Maps sections to the words of people who do not know ours: synonyms, products, and the symptoms that they see. */
export const KEYWORDS: Readonly<Record<string, string>> = {
  'overview.html':
    'overview introduction getting started quick start install npm tutorial hello world begin first steps which ' +
    'package license licence MIT',
  'account.html': 'tenant customer organization org client user number identifier id whoami',
  'account.html#find-your-account-id': 'which account number id tenant customer organization api access token lookup',
  'account.html#which-header': 'X-Service-ID brand header name custom header',
  'account.html#call-the-services-api': 'authorization bearer token REST SOAP api client refresh',
  'behind-a-proxy.html':
    'reverse proxy load balancer ingress CDN edge TLS SSL termination terminates offloading X-Forwarded-For Forwarded ' +
    'header',
  'behind-a-proxy.html#refused-uploads': 'broken pipe connection reset 502 bad gateway large upload',
  'behind-a-proxy.html#aws-load-balancer-and-api-gateway': 'ALB ELB NLB CloudFront amazon',
  'behind-a-proxy.html#behind-a-tunnel':
    'ngrok cloudflared localtunnel tailscale smee development laptop localhost public URL expose',
  'behind-a-proxy.html#cloudflare': 'CDN WAF',
  'changelog.html': 'release notes version history new changed last latest upgrade breaking changes',
  'checks-and-codes.html': 'error codes list meaning reasons refusal catalogue reference runbook',
  'codes/date-too-old.html': 'clock skew wrong time late delayed expired stale NTP drift',
  'codes/date-in-future.html': 'clock skew wrong time ahead NTP drift',
  'codes/digest-mismatch.html':
    'body changed modified tampered hash checksum SHA-256 JSON.stringify reserialized parsed',
  'codes/signature-mismatch.html': 'invalid bad wrong signature verification failed does not match',
  'codes/host-mismatch.html': 'wrong domain hostname server name',
  'codes/not-https.html': 'plain http TLS SSL insecure',
  'codes/body-too-large.html': '413 payload too large size limit maximum',
  'codes/signature-missing.html': 'unsigned no signature header',
  'codes/key-not-found.html': 'NXDOMAIN no record DNS',
  'codes/key-lookup-timeout.html': 'DNS slow resolver timed out',
  'codes/key-lookup-failed.html': 'DNS SERVFAIL resolver down',
  'codes/replayed.html': 'duplicate already seen twice repeated',
  'command-line.html': 'CLI terminal shell commands flags tool npx',
  'command-line.html#explain': 'debug diagnose analyse captured request dump HAR log paste',
  'command-line.html#curl-commands': 'curl paste copy as cURL',
  'command-line.html#key': 'dig nslookup check DNS record published key',
  'command-line.html#send': 'sign a request test webhook simulate forge forged tampered fake',
  'command-line.html#probe':
    'reachable from outside internet endpoint reachability healthcheck connectivity certificate redirect firewall',
  'deploy.html': 'deployment production install run service container orchestration',
  'deploy.html#systemd': 'unit service linux daemon',
  'deploy.html#docker': 'container image compose podman',
  'deploy.html#kubernetes': 'k8s pod cluster helm manifest deployment ingress',
  'design.html': 'architecture rationale why decisions internals how it works pipeline',
  'dns-over-https.html':
    'DoH RFC 8484 resolver Workers edge 1.1.1.1 8.8.8.8 Google Cloudflare quad9 spoofing cache poisoning',
  'engines.html':
    'ext_authz external authorization forward auth forwardAuth auth_request subrequest sidecar Istio Kong middleware',
  'explain/': 'explain browser online tool paste debug request web page curl HAR decode without installation',
  'for-agents.html': 'AI LLM assistant copilot claude cursor chatgpt prompt code generation summary',
  'frameworks.html': 'integration middleware web framework server example how to use with',
  'frameworks.html#read-the-body': 'raw body bytes buffer stream body parser bodyParser',
  'frameworks.html#behind-expressjson': 'body-parser req.body parsed JSON breaks rawBody verify option',
  'frameworks.html#nextjs': 'app router route handler vercel react',
  'frameworks.html#aws-lambda': 'serverless amazon API Gateway function URL',
  'gateway.html':
    'reverse proxy sidecar other language PHP Laravel Symfony Python Django Flask FastAPI Ruby Rails Go golang Java ' +
    'Spring C# .NET Rust Perl Elixir',
  'gateway.html#php': 'Laravel Symfony WordPress',
  'gateway.html#python': 'Django Flask FastAPI gunicorn uvicorn WSGI ASGI',
  'gateway.html#ruby': 'Rails Sinatra Rack Puma',
  'gateway.html#observe-first': 'dry run shadow mode report only log only not block',
  'gateway.html#the-log': 'logging log lines JSON access log',
  'gateway.html#options': 'configuration flags environment variables settings configure',
  'gateway.html#metrics-and-health': 'prometheus healthz liveness readiness probe monitoring',
  'gateway.html#the-page': 'dashboard admin UI web interface inspect requests',
  'interop.html': 'compatible compatibility other libraries implementations conformance standard',
  'introduce.html':
    'roll out rollout gradually migrate migration adopt enable deploy staged dry run shadow mode existing webhook go ' +
    'live production',
  'introduce.html#1-observe': 'dry run shadow mode report only log only without blocking do not block monitor first',
  'introduce.html#2-ask-for-retries': '503 Retry-After redeliver',
  'keys-and-dns.html': 'public key TXT record DKIM selector resolver nameserver cache TTL',
  'keys-and-dns.html#rotate-a-key': 'rotate rotated rotation new key expired month changed',
  'keys-and-dns.html#publish-a-key': 'publish generate create key pair openssl record zone',
  'keys-and-dns.html#docker': 'container resolve resolv.conf alpine',
  'keys-and-dns.html#kubernetes': 'cluster pod CoreDNS ndots',
  'middleware.html': 'write own middleware plugin adapter framework author wrapper Elysia AdonisJS tRPC',
  'operations.html': 'production monitoring observability run',
  'operations.html#what-to-log': 'logging logs audit pino winston',
  'operations.html#metrics': 'monitor monitoring observability counters statistics datadog',
  'operations.html#alerts': 'alertmanager pager notify monitor monitoring prometheus rules grafana dashboard',
  'operations.html#capacity':
    'performance throughput requests per second benchmark latency speed fast enough slow how fast CPU scale sizing ' +
    'load',
  'operations.html#memory': 'RAM heap leak usage',
  'operations.html#checklist-before-the-first-request': 'go live production readiness',
  'options.html': 'configuration settings configure parameters defaults limits maximum size timeout',
  'reference/': 'API reference documentation all functions types exports TypeDoc',
  'replay-and-retries.html':
    'duplicate duplicates twice repeated again resend redelivery idempotent deduplicate dedupe nonce',
  'replay-and-retries.html#idempotency': 'exactly once duplicate deduplicate idempotency key',
  'replay-and-retries.html#answer-fast-work-later': 'queue background job async worker timeout slow handler outbox',
  'replay-and-retries.html#when-the-handler-fails':
    'crash crashed exception error throws 500 rollback release retry duplicate',
  'replay-and-retries.html#when-the-store-does-not-answer': 'redis down outage unavailable fail open closed',
  'replay-stores.html':
    'replay attack prevent database persistence store seen ids cluster several instances dedupe nonce',
  'write-a-store.html#dynamodb': 'AWS amazon',
  'write-a-store.html#cloudflare-durable-objects': 'Workers KV',
  'write-a-store.html': 'custom MySQL MongoDB memcached valkey adapter interface',
  'rfc9421.html': 'HTTP message signatures Signature-Input Content-Digest ed25519 new standard migrate successor',
  'security.html': 'vulnerability report disclosure CVE threat model attack bug bounty advisory contact',
  'security.html#reporting': 'vulnerability report disclosure CVE contact',
  'several-services.html':
    'multiple several two services senders domains accounts tenants hosts one process server multi-tenant',
  'testing.html':
    'unit test integration test end to end mock stub fake signer simulate jest vitest mocha node:test CI endpoint',
  'testing.html#in-a-test': 'jest vitest mocha mock stub signed request CI unit',
  'testing.html#try-it-with-one-command': 'simulate send a signed request forged fake manual local postman',
  'testing.html#record-refused-requests': 'record capture reproduce production failure debug later recorder',
  'testing.html#from-a-refusal-to-a-test': 'reproduce production failure regression',
  'threat-model.html':
    'threats attack flood denial of service DoS cost limits memory runtime differences dependencies audit',
  'troubleshooting.html': 'help problem error debug broken does not work fails failing wrong FAQ',
  'troubleshooting.html#401-since-this-morning-for-every-request':
    'unauthorized all suddenly stopped working refused rejected denied webhook',
  'troubleshooting.html#401-for-some-requests-only':
    'unauthorized sometimes intermittent random flaky refused rejected',
  'troubleshooting.html#works-locally-not-behind-the-proxy': 'production staging deployed only',
  'troubleshooting.html#503-and-the-sender-keeps-retrying': 'service unavailable outage retry loop DNS down',
  'troubleshooting.html#every-request-is-accepted-even-a-forged-one': 'insecure not rejected always true bypass',
  'troubleshooting.html#digest-mismatch-for-every-request': 'express.json body parser raw body',
  'vectors.html': 'test vectors conformance suite fixtures',
  'writing-a-verifier.html': 'implement own verifier another language Go Rust Java Python port implementation'
}
