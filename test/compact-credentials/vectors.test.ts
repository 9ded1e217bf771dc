import { readCredentialClaims, readCwt } from '../../protocol/compact-credentials/cwt.ts'
import { fromText, PREFIXES, toText } from '../../protocol/compact-credentials/text.ts'
import { type ErrorType, verifyCompact } from '../../protocol/compact-credentials/verify.ts'
import { HEADER } from '../../protocol/cose/sign1.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'
import type { Json } from '../../protocol/json.ts'
import { vectorJson, vectorText, withVectors } from '../support/credentials/conformance-vectors.ts'

const ISSUER = 'did:web:nzcp.covid19.health.nz'

const passVerdict = (text: string, more: { now?: string; trusted?: string[] } = {}) =>
  verifyCompact(text, {
    profile: 'compact-semantic',
    prefix: 'NZCP:/1/',
    now: new Date(more.now ?? '2022-01-15T00:00:00Z'),
    toleranceMs: 0,
    assertExpiry: true,
    assertNotBefore: true,
    trustedIssuers: more.trusted ?? [ISSUER],
    resolveDid: async () => vectorJson<Json>('nzcp/spec/examples/valid/did.json') as unknown as DidDocument, // biome-ignore format: one line
  })

withVectors('nzcp valid: the pass verifies, and its credential is that of the example', async (t) => {
  const { verified, decoded, error } = await passVerdict(vectorText('nzcp/spec/examples/valid/nzcp.txt'))
  t.deepEqual([verified, error], [true, undefined])
  const { vc, iss, jti } = vectorJson<{ vc: Json; iss: string; jti: string }>('nzcp/spec/examples/valid/nzcp.json')
  const { version, ...rest } = vc
  t.deepEqual(decoded, {
    ...rest,
    version,
    id: jti,
    issuer: { id: iss },
    issuanceDate: '2021-11-02T20:05:30Z',
    expirationDate: '2031-11-02T20:05:30Z',
  })
})

const INVALID: Array<[name: string, type: ErrorType]> = [
  ['bad-public-key', 'SignatureInvalid'],
  ['expired-payload', 'Expired'],
  ['modified-payload', 'SignatureInvalid'],
  ['modified-sig', 'SignatureInvalid'],
  ['not-associated-public-key', 'IssuerPublicKeyInvalid'],
  ['notactive-payload', 'NotActive'],
]

for (const [name, type] of INVALID)
  withVectors(`nzcp invalid/${name} does not verify: ${type}`, async (t) => {
    const text = vectorText(`nzcp/spec/examples/invalid/nzcp-${name}.txt`)
    const { verified, error, decoded } = await passVerdict(text)
    t.deepEqual([verified, error?.type], [false, type])
    t.truthy(decoded)
  })

withVectors(
  'nzcp valid: of an issuer that is not trusted, and after and before its time, it does not verify',
  async (t) => {
    const text = vectorText('nzcp/spec/examples/valid/nzcp.txt')
    t.is((await passVerdict(text, { trusted: ['did:web:example.org'] })).error?.type, 'IssuerNotTrusted')
    t.is((await passVerdict(text, { trusted: [] })).error?.type, 'IssuerNotTrusted')
    t.is((await passVerdict(text, { now: '2031-11-02T20:05:30Z' })).error?.type, 'Expired')
    t.is((await passVerdict(text, { now: '2021-11-02T20:05:29Z' })).error?.type, 'NotActive')
  },
)

const peer = () => vectorJson<{ encoded: string }[]>('peer-mattr/compact-cwt.json')

withVectors('peer-mattr: real compact credentials are read as their claims', (t) => {
  const [first, second] = peer().map(({ encoded }, at) => {
    if (at === 2) return undefined // cut off in its source
    const message = readCwt(fromText(PREFIXES.compact, encoded))
    t.is(toText(PREFIXES.compact, fromText(PREFIXES.compact, encoded)), encoded)
    return { ...readCredentialClaims(message, 'compact'), kid: Buffer.from(Object(message.protected.get(HEADER.kid))) }
  })
  t.is(first?.kid.toString(), 'z12KiqLR')
  t.deepEqual(first?.claims, {
    iss: 'did:web:mattr-university.mattrlabs.co',
    iat: 1730230662,
    exp: 1800000000,
    jti: 'NyaYFQtXSBS5CboFbeclkA',
    property_set: { name: 'Emma Tasman', alumniOf: 'MATTR Labs University' },
    status: {
      index: '0',
      url: 'https://labs-mattr-university.vii.au01.mattr.global/core/v2/credentials/compact/revocation-lists/737c068f-4ec4-43f8-bc89-69e2614a3edf',
    },
  })
  t.deepEqual(first?.status, { kind: 'bit-index', index: 0, url: first?.claims.status?.url })
  t.is(second?.kid.toString(), 'z12KoUed')
  t.deepEqual(second?.claims, {
    iss: 'did:web:0394-125-237-52-110.ngrok.io',
    jti: '7WiR1GhpQU-hvrb5KPyzZw',
    property_set: { name: 'John' },
  })
  t.is(second?.status, undefined)
})

withVectors('peer-mattr: a text that is cut off is refused', async (t) => {
  const [, , cut] = peer()
  const rules = { now: new Date(), toleranceMs: 0, assertExpiry: true, assertNotBefore: true }
  const resolveDid = () => Promise.reject(new Error('nothing is resolved'))
  const { verified, error } = await verifyCompact(cut?.encoded ?? '', {
    profile: 'compact-semantic',
    ...rules,
    resolveDid,
  })
  t.deepEqual([verified, error?.type], [false, 'PayloadInvalid'])
})
