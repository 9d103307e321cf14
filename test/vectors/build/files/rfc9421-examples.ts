/**
 * The examples of RFC 9421, copied: its keys (appendix B.1), its signature bases and its signatures. Nothing here is
 * made with a key of ours. Lines that the RFC wraps are joined.
 */

type Header = readonly [name: string, value: string]

/** SubjectPublicKeyInfo in base64, by `keyid` (appendix B.1). */
const KEYS = {
  'test-key-rsa':
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAhAKYdtoeoy8zcAcR874L8cnZxKzAGwd7v36APp7Pv6Q2jdsPBRrwWEBnez6d0UDKDwGb' +
    'c6nxfEXAy5mbhgajzrw3MOEt8uA5txSKobBpKDeBLOsdJKFqMGmXCQvEG7YemcxDTRPxAleIAgYYRjTSd/QBwVW9OwNFhekro3RtlinV0a75jfZg' +
    'kne/YiktSvLG34lw2zqXBDTC5NHROUqGTlML4PlNZS5Ri2U4aCNx2rUPRcKIlE0PuKxI4T+HIaFpv8+rdV6eUgOrB2xeI1dSFFn/nnv5OoZJEIB+' +
    'VmuKn3DCUcCZSFlQPSXSfBDiUGhwOw76WuSSsf1D4b/vLoJ10wIDAQAB',
  'test-key-rsa-pss':
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1G' +
    'H45x28Rw3Ry53mm+oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+' +
    'Wokqltd11nqqzi+bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d+nb4bnNkQ' +
    'VklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI2wIDAQAB',
  'test-key-ecc-p256':
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lfw0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkD' +
    'XZCnTNnoXQ==',
  'test-key-ed25519': 'MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs='
}

/** The test-request of appendix B.2; `Content-Digest` is that of its body. */
const DIGEST = 'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:'
const CONTENT_DIGEST: Header = ['Content-Digest', DIGEST]
const DATE: Header = ['Date', 'Tue, 20 Apr 2021 02:07:55 GMT']
const CONTENT: readonly Header[] = [['Content-Type', 'application/json'], CONTENT_DIGEST, ['Content-Length', '18']]
const POST = {
  method: 'POST',
  target: '/foo?param=Value&Pet=dog',
  headers: [['Host', 'example.com'], DATE, ...CONTENT] as readonly Header[],
  body: { utf8: '{"hello": "world"}' },
  https: true
}

interface Example {
  name: string
  source: string
  algorithm: string
  label: string
  signatureParams: string
  signature: string
  /** the lines of the signature base before its last */
  lines: readonly string[]
  request?: typeof POST | { method: string; target: string; headers: readonly Header[]; body: null; https: boolean }
  /** other signatures in the same headers, before this one */
  others?: readonly (readonly [label: string, signatureParams: string, signature: string])[]
}

function vector(example: Example) {
  const { name, source, algorithm, label, signatureParams, signature, lines, request = POST, others = [] } = example
  const all = [...others, [label, signatureParams, signature] as const]
  return {
    name,
    source,
    request: {
      ...request,
      headers: [
        ...request.headers,
        ['Signature-Input', all.map(([each, params]) => `${each}=${params}`).join(', ')],
        ['Signature', all.map(([each, , value]) => `${each}=:${value}:`).join(', ')]
      ]
    },
    label,
    algorithm,
    signatureBase: [...lines, `"@signature-params": ${signatureParams}`].join('\n')
  }
}

const CLIENT_CERT =
  ':MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0' +
  'ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaU' +
  'gmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAW' +
  'gBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1w' +
  'bGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBV' +
  'oU4hBVZ1yhk=:'

const CLIENT_PARAMS =
  '("@method" "@authority" "@path" "content-digest" "content-type" "content-length");created=1618884475;keyid="test-key-ecc-p256"'
const CLIENT_SIGNATURE = 'X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A=='

export const RFC9421_EXAMPLES = {
  source: 'RFC 9421, with the keys of appendix B.1',
  keys: KEYS,
  vectors: [
    vector({
      name: 'rfc9421-section-2-5',
      source: 'RFC 9421 sections 2.5 and 3.1',
      algorithm: 'rsa-pss-sha512',
      label: 'sig1',
      signatureParams:
        '("@method" "@authority" "@path" "content-digest" "content-length" "content-type");created=1618884473;keyid="test-key-rsa-pss"',
      signature:
        'HIbjHC5rS0BYaa9v4QfD4193TORw7u9edguPh0AW3dMq9WImrlFrCGUDih47vAxi4L2YRZ3XMJc1uOKk/J0ZmZ+wcta4nKIgBkKq0rM9hs3CQyxX' +
        'GxHLMCy8uqK488o+9jrptQ+xFPHK7a9sRL1IXNaagCNN3ZxJsYapFj+JXbmaI5rtAdSfSvzPuBCh+ARHBmWuNo1UzVVdHXrl8ePL4cccqlazIJdC' +
        '4QEjrF+Sn4IxBQzTZsL9y9TP5FsZYzHvDqbInkTNigBcE9cKOYNFCn4D/WM7F6TNuZO9EgtzepLWcjTymlHzK7aXq6Am6sfOrpIC49yXjj3ae6HR' +
        'alVc/g==',
      lines: [
        '"@method": POST',
        '"@authority": example.com',
        '"@path": /foo',
        `"content-digest": ${DIGEST}`,
        '"content-length": 18',
        '"content-type": application/json'
      ]
    }),
    vector({
      name: 'rfc9421-section-4-3-client',
      source: 'RFC 9421 section 4.3',
      algorithm: 'ecdsa-p256-sha256',
      label: 'sig1',
      signatureParams: CLIENT_PARAMS,
      signature: CLIENT_SIGNATURE,
      lines: [
        '"@method": POST',
        '"@authority": example.com',
        '"@path": /foo',
        `"content-digest": ${DIGEST}`,
        '"content-type": application/json',
        '"content-length": 18'
      ]
    }),
    vector({
      name: 'rfc9421-section-4-3-proxy',
      source: 'RFC 9421 section 4.3',
      algorithm: 'rsa-v1_5-sha256',
      label: 'proxy_sig',
      signatureParams:
        '("@method" "@authority" "@path" "content-digest" "content-type" "content-length" "forwarded");created=1618884480;keyid="test-key-rsa";alg="rsa-v1_5-sha256";expires=1618884540',
      signature:
        'S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRPz+MjniOaYmdkDcnL9cCpXJleXsOckpU' +
        'Rl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7LB5YAv0RAGhB8tmpv7sFnIm9y+7X5kXQfi8NMaZaA8i2' +
        'ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/vfJvye+YuI87HU38lZHowtznbLVdp770I6VHR6WfgS9ddzirrswsE1w5' +
        'o0LV/g==',
      lines: [
        '"@method": POST',
        '"@authority": origin.host.internal.example',
        '"@path": /foo',
        `"content-digest": ${DIGEST}`,
        '"content-type": application/json',
        '"content-length": 18',
        '"forwarded": for=192.0.2.123;host=example.com;proto=https'
      ],
      request: {
        ...POST,
        headers: [
          ['Host', 'origin.host.internal.example'],
          ['Date', 'Tue, 20 Apr 2021 02:07:56 GMT'],
          ...CONTENT,
          ['Forwarded', 'for=192.0.2.123;host=example.com;proto=https']
        ]
      },
      others: [['sig1', CLIENT_PARAMS, CLIENT_SIGNATURE]]
    }),
    vector({
      name: 'rfc9421-appendix-b-2-1',
      source: 'RFC 9421 appendix B.2.1',
      algorithm: 'rsa-pss-sha512',
      label: 'sig-b21',
      signatureParams: '();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"',
      signature:
        'd2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG' +
        '52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVro' +
        'gUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ' +
        '98Xw9Q==',
      lines: []
    }),
    vector({
      name: 'rfc9421-appendix-b-2-2',
      source: 'RFC 9421 appendix B.2.2',
      algorithm: 'rsa-pss-sha512',
      label: 'sig-b22',
      signatureParams:
        '("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"',
      signature:
        'LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT' +
        '8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBS' +
        'pqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTu' +
        'gEjHSw==',
      lines: ['"@authority": example.com', `"content-digest": ${DIGEST}`, '"@query-param";name="Pet": dog']
    }),
    vector({
      name: 'rfc9421-appendix-b-2-3',
      source: 'RFC 9421 appendix B.2.3',
      algorithm: 'rsa-pss-sha512',
      label: 'sig-b23',
      signatureParams:
        '("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"',
      signature:
        'bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fU' +
        'xN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA' +
        '1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKE' +
        'gM4cUA==',
      lines: [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@method": POST',
        '"@path": /foo',
        '"@query": ?param=Value&Pet=dog',
        '"@authority": example.com',
        '"content-type": application/json',
        `"content-digest": ${DIGEST}`,
        '"content-length": 18'
      ]
    }),
    vector({
      name: 'rfc9421-appendix-b-2-6',
      source: 'RFC 9421 appendix B.2.6',
      algorithm: 'ed25519',
      label: 'sig-b26',
      signatureParams:
        '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      signature: 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
      lines: [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@method": POST',
        '"@path": /foo',
        '"@authority": example.com',
        '"content-type": application/json',
        '"content-length": 18'
      ]
    }),
    vector({
      name: 'rfc9421-appendix-b-3',
      source: 'RFC 9421 appendix B.3',
      algorithm: 'ecdsa-p256-sha256',
      label: 'ttrp',
      signatureParams:
        '("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyid="test-key-ecc-p256"',
      signature: 'xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==',
      lines: [
        '"@path": /foo',
        '"@query": ?param=Value&Pet=dog',
        '"@method": POST',
        '"@authority": service.internal.example',
        `"client-cert": ${CLIENT_CERT}`
      ],
      request: {
        ...POST,
        headers: [
          ['Host', 'service.internal.example'],
          DATE,
          ['Content-Type', 'application/json'],
          ['Content-Length', '18'],
          ['Client-Cert', CLIENT_CERT]
        ]
      }
    }),
    vector({
      name: 'rfc9421-appendix-b-4',
      source: 'RFC 9421 appendix B.4',
      algorithm: 'ed25519',
      label: 'transform',
      signatureParams: '("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519"',
      signature: 'ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==',
      lines: ['"@method": GET', '"@path": /demo', '"@authority": example.org', '"accept": application/json, */*'],
      request: {
        method: 'GET',
        target: '/demo?name1=Value1&Name2=value2',
        headers: [
          ['Host', 'example.org'],
          ['Date', 'Fri, 15 Jul 2022 14:24:55 GMT'],
          ['Accept', 'application/json'],
          ['Accept', '*/*']
        ],
        body: null,
        https: true
      }
    })
  ]
}
