import test from 'ava'
import fc from 'fast-check'
import { parse } from 'tldts'
import { parseTarget } from '../../../../activities/frame/outbound/url.ts'
import { SCHEMAS } from '../../../../api/frame/openapi/areas.ts'
import { checkContent } from '../../../../protocol/administration/content/fields.ts'
import { Refusal } from '../../../../protocol/errors.ts'
import { readCalledUrl } from '../../../../protocol/hosts/urls.ts'
import { readIssuer } from '../../../../protocol/openid/providers.ts'
import { type ClientValues, checkClient } from '../../../../protocol/openid/verifiers/clients.ts'
import { checkRequest } from '../../../../protocol/semantic-credentials/presentations/requests.ts'
import { document, operations } from '../../../support/frame/openapi.ts'

const CLIENT: ClientValues = {
  name: 'Portal',
  applicationType: 'web',
  redirectUris: ['https://portal.example.edu/cb'],
  grantTypes: ['authorization_code'],
  responseTypes: ['code'],
  tokenEndpointAuthMethod: 'client_secret_basic',
  idTokenSignedResponseAlg: 'ES256',
  logoUri: null,
}

/** Whether the platform takes a URL, by the rules of the operations that have one. */
const takes = (check: (url: string) => unknown) => (url: string) => {
  try {
    check(url)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

const called = (url: string) => {
  const read = readCalledUrl(url)
  if ('fault' in read) throw new Refusal('outbound.invalid_url', read.fault.message)
  parseTarget(read.url)
}

const SERVER: Record<string, (url: string) => boolean> = {
  PictureUrl: takes((image) => checkContent({ image })),
  IssuerUrl: takes((url) => parseTarget(readIssuer(url).href)),
  HookUrl: takes(called),
  LogoUri: takes((logoUri) => checkClient({ ...CLIENT, logoUri })),
  RedirectUris: takes((uri) => checkClient({ ...CLIENT, redirectUris: [uri] })),
}

const patternOf = (name: string): RegExp => {
  const schema = (SCHEMAS as Record<string, { pattern?: string; items?: { pattern?: string } } | undefined>)[name]
  const { pattern } = schema?.items ?? schema ?? {}
  if (pattern === undefined) throw new Error(`${name} has no pattern`)
  return new RegExp(pattern)
}

/** Hosts of a registry, such as those of one label below `.jm`, which no pattern can name. */
const isSuffix = (url: string): boolean => {
  const { hostname, publicSuffix } = parse(url, { allowPrivateDomains: true })
  return hostname === publicSuffix
}

/** Hosts and paths as universities and firms have them. */
const REAL = [
  'https://www.example-university.edu',
  'https://tu-berlin.de/Studium/Ordnung_2026.pdf',
  'https://login.ox.ac.uk:8443/oauth2/~tenant/v2.0',
  'https://Portal.Uni-Wien.ac.at/a;b=1/c,d/%C3%A4',
  'https://xn--universitt-z5a.example.museum/x',
  'https://a.b.c.d.e.example.co.jp/index.php',
]

for (const [name, isTaken] of Object.entries(SERVER)) {
  test(`${name}: the document takes URLs of every top-level domain, as the platform does`, (t) => {
    for (const url of REAL) t.deepEqual([patternOf(name).test(url), isTaken(url)], [true, true], url)
    for (const url of [
      'http://a.example.edu/',
      'https://u@a.example/',
      'https://a b.example/',
      'https://x.example/"onerror=1',
    ])
      t.false(patternOf(name).test(url), url)
  })

  test(`${name}: what a generator makes of the pattern, the platform takes`, (t) => {
    fc.assert(
      fc.property(fc.stringMatching(patternOf(name)), (url) => isTaken(url) || isSuffix(url)),
      { numRuns: 500, seed: 20261124 },
    )
    t.pass()
  })
}

test('a picture and a logo may have a query, an issuer and a redirect URI none', (t) => {
  const url = 'https://cdn.example.edu/picture.png?size=2&v=a/b'
  for (const [name, isTaken] of Object.entries(SERVER)) {
    const expected = ['PictureUrl', 'LogoUri'].includes(name)
    t.deepEqual([patternOf(name).test(url), isTaken(url)], [expected, expected], name)
  }
})

test('the document has each pattern, and no list of top-level domains', (t) => {
  const text = JSON.stringify(document)
  for (const name of Object.keys(SERVER))
    t.true(text.includes(JSON.stringify(patternOf(name).source.replaceAll('\\/', '/'))), name)
  t.false(/com\|example|com\|org/.test(text))
})

test('a redirect URI may be on this machine, with a port', (t) => {
  for (const uri of ['http://localhost/', 'http://localhost:3000/callback', 'http://localhost:8080'])
    t.true(patternOf('RedirectUris').test(uri) && SERVER.RedirectUris?.(uri), uri)
})

test('characters that no URL is written with are refused, and what they are encoded as is taken (RFC 3986, section 2)', (t) => {
  const callback = takes((callbackUrl) => checkRequest({ callbackUrl }, new Date()))
  for (const character of ' "<>\\^`{|}') {
    const [url, encoded] = ['', encodeURIComponent(character)].map(
      (end) => `https://x.example.edu/a${end || character}b`,
    )
    for (const [name, isTaken] of [...Object.entries(SERVER), ['callbackUrl', callback] as const]) {
      if (name === 'IssuerUrl' || name === 'HookUrl') continue // stored as the parser writes them
      t.deepEqual([isTaken(url ?? ''), isTaken(encoded ?? '')], [false, true], `${name} ${url}`)
    }
  }
})

test('what answers 304 says what to send for it, and what it is known by (RFC 9110, section 13)', (t) => {
  const dated: string[] = []
  let count = 0
  for (const { operationId, parameters = [], responses } of operations) {
    const sent = parameters.flatMap(({ $ref = '' }) => /\/(If\w+)$/.exec($ref)?.[1] ?? [])
    const has304 = '304' in responses
    t.is(sent.includes('IfNoneMatch'), has304, operationId)
    for (const status of ['200', '304']) {
      const headers = Object.keys((responses[status] as { headers?: object } | undefined)?.headers ?? {})
      t.is(headers.includes('ETag'), has304, `${operationId} ${status}`)
      t.is(headers.includes('Last-Modified'), sent.includes('IfModifiedSince'), `${operationId} ${status}`)
    }
    if (sent.includes('IfModifiedSince')) dated.push(operationId)
    if (has304) count += 1
  }
  t.deepEqual(dated.sort(), ['getEcosystemIssuer', 'getEcosystemPolicy', 'getEcosystemVerifier'])
  t.true(count >= 15, `${count}`)
})
