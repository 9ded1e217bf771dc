import test from 'ava'
import { assertCallable, parseTarget } from '../../../activities/frame/outbound/url.ts'
import { Refusal } from '../../../protocol/errors.ts'

const label = 'a'.repeat(50)
const name = (length: number) => `${`${label}.`.repeat(5)}${'b'.repeat(length)}`.slice(-length)

const REFUSED: [text: string, code: string, why: RegExp][] = [
  [`https://issuer.org/${'a'.repeat(2_030)}`, 'outbound.invalid_url', /longer than 2048/],
  ['https://issuer.org/a b', 'outbound.invalid_url', /a space, a control character or a backslash/],
  ['https://issuer.org/a\tb', 'outbound.invalid_url', /a space, a control character or a backslash/],
  ['https://issuer.org/\u00a0', 'outbound.invalid_url', /a space, a control character or a backslash/],
  ['https:\\\\issuer.org/', 'outbound.invalid_url', /a space, a control character or a backslash/],
  ['issuer.org', 'outbound.invalid_url', /not valid/],
  ['https://issuer.org:99999/', 'outbound.invalid_url', /not valid/],
  ['http://issuer.org/', 'outbound.not_https', /not an https URL/],
  ['ftp://issuer.org/https://issuer.org', 'outbound.not_https', /not an https URL/],
  ['https:issuer.org/', 'outbound.invalid_url', /has no host/],
  ['https:/issuer.org/', 'outbound.invalid_url', /has no host/],
  ['https:///issuer.org/', 'outbound.invalid_url', /has no host/],
  ['https:/issuer.org/https://a', 'outbound.invalid_url', /has no host/],
  ['https://user@issuer.org/', 'outbound.invalid_url', /user info/],
  ['https://:secret@issuer.org/', 'outbound.invalid_url', /user info/],
  ['https://user:secret@issuer.org/', 'outbound.invalid_url', /user info/],
  ['https://@issuer.org/', 'outbound.invalid_url', /user info/],
  ['https://:@issuer.org/', 'outbound.invalid_url', /user info/],
  ['HTTPS://@issuer.org/', 'outbound.invalid_url', /user info/],
  ['https://issuer.org./', 'outbound.invalid_url', /host of the URL is not valid/],
  [`https://${name(250)}.org/`, 'outbound.invalid_url', /host of the URL is not valid/],
  ['https://issuer.org:80/', 'outbound.port', /Port 80 /],
  ['https://issuer.org:1023/', 'outbound.port', /Port 1023 /],
  ['https://issuer.org:5432/', 'outbound.port', /Port 5432 /],
  ['https://issuer.org:8200/', 'outbound.port', /Port 8200 /],
]

for (const [text, code, why] of REFUSED)
  test(`${encodeURI(text).slice(0, 60)} (${text.length}) is refused: ${code}`, (t) => {
    const error = t.throws(() => parseTarget(text), { instanceOf: Refusal })
    t.is(error?.code, code)
    t.regex(error?.message ?? '', why)
  })

const TAKEN: [text: string, host: string, port: number, isAddress?: boolean][] = [
  ['https://issuer.org', 'issuer.org', 443],
  ['https://issuer.org:443/a?b=c@d', 'issuer.org', 443],
  ['https://issuer.org/@alice', 'issuer.org', 443],
  ['https://issuer.org?at=https://@x', 'issuer.org', 443],
  ['https://issuer.org:1024/', 'issuer.org', 1024],
  ['https://issuer.org:8443/', 'issuer.org', 8443],
  ['HTTPS://ISSUER.ORG/', 'issuer.org', 443],
  [`https://issuer.org/${'a'.repeat(2_029)}`, 'issuer.org', 443],
  [`https://${name(249)}.org/`, `${name(249)}.org`, 443],
  ['https://192.0.2.1/', '192.0.2.1', 443, true],
  ['https://[2001:db8::1]:8443/', '2001:db8::1', 8443, true],
]

for (const [text, host, port, isAddress = false] of TAKEN)
  test(`${text.slice(0, 60)} (${text.length}) is called at ${host.slice(0, 30)}, port ${port}`, (t) => {
    const { url, ...target } = parseTarget(text)
    t.deepEqual(target, { host, port, isAddress, isSecure: true })
    t.is(url.href, new URL(text).href)
  })

test('a name of documentation or tests, and one below a public suffix, is a public name; an address is none', (t) => {
  const alone = { dnsServer: undefined, allowedRanges: [] }
  for (const host of ['a.example', 'a.test', 'issuer.org', 'a.b.co.uk'])
    t.notThrows(() => assertCallable(`https://${host}/`, alone), host)
  for (const host of ['example', 'test', 'a.notatld', 'a.onion', 'home.arpa', '192.0.2.1']) {
    const error = t.throws(() => assertCallable(`https://${host}/`, alone), { instanceOf: Refusal }, host)
    t.is(error?.code, 'outbound.blocked')
    t.is(error?.message, `${host} is not a public host name.`)
  }
})
