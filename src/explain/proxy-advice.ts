import type { Advice, Evidence } from './evidence.ts'

/** RFC 9110 section 5.3: a list, or several lines joined. */
const isList = (value: Evidence[string]): boolean => String(value).includes(',')

const isMissing = (value: Evidence[string]): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)

const REPLACE =
  'Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written ' +
  'a part of a list.'

/** `header` is present when the adapter was told to trust a forwarding header. */
export function httpsAdvice({ header, received }: Evidence): Advice {
  if (header === undefined) {
    return [
      'TLS ends at a proxy, or the sender used http',
      "If your own proxy sets it, give the adapter https: 'x-forwarded-proto'; if the proxy accepts only TLS, " +
        'https: true.'
    ]
  }
  if (isMissing(received)) {
    return [
      'your proxy sends no X-Forwarded-Proto, which the adapter is told to trust',
      'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme), or, if it accepts only TLS, ' +
        'give the adapter https: true.'
    ]
  }
  if (isList(received)) return ['X-Forwarded-Proto came with more than one value', REPLACE]
  return [
    'the sender used http, or a proxy in front of yours ends TLS',
    'Have the sender use https; with two proxies, have the outer one set the header and the inner one keep it.'
  ]
}

/** The same for Host and X-Forwarded-Host. */
export function hostAdvice({ header, received, expected }: Evidence): Advice {
  if (header === undefined) {
    if (isMissing(received)) {
      return ['a proxy dropped it', 'Have the proxy keep it (nginx: proxy_set_header Host $http_host).']
    }
    if (isList(received)) {
      return [
        'a broken sender or proxy, or an attack',
        'Find out who adds the second one; a receiver cannot tell which of them counts.'
      ]
    }
    return [
      'a proxy changed it, or the request is for another receiver',
      "Have the proxy keep it (nginx: proxy_set_header Host $http_host), use the adapter's host option, or add it " +
        'to hosts.'
    ]
  }
  if (isMissing(received)) {
    return [
      'your proxy sends no X-Forwarded-Host, which the adapter is told to trust',
      'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host), or, if it keeps Host, leave the ' +
        'host option out.'
    ]
  }
  if (isList(received)) return ['X-Forwarded-Host came with more than one value', REPLACE]
  return [
    'the request is for another receiver, or the proxy writes another name into X-Forwarded-Host',
    expected === undefined
      ? 'Have the proxy send the name that the sender used.'
      : 'Have the proxy send the name that the sender used, or add it to hosts.'
  ]
}
