import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { fromJwk, type PublicJwk } from '../../../protocol/dids/jwk.ts'
import { didKeyMethodId, didKeyOf } from '../../../protocol/dids/key.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { failedIn, verifyPresentation } from '../../support/credentials/presentations.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { type Json, vcApi, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { asSdJwt } from '../../support/enveloped/credentials.ts'
import { joseHolder } from '../../support/enveloped/holders.ts'
import { type IssuedSdJwt, keyPair } from '../../support/enveloped/sd-jwt.ts'
import { pythonWith } from '../../support/parts/python.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const TERMS = { '@vocab': 'https://e.example/#' }
const holder = keyPair()

const withPython = needs('Python')
/** The library of the authors of the RFC. */
const python = pythonWith('sd-jwt==0.10.4')

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  await vcApiSettings(world, true)
  did = await createDid(world, 'p256')
})
test.after.always(() => world?.close())

const ask = (path: string, body: Json) => world.ask(path, { token: world.token, body })

const SESSION = { nonce: 'the-challenge', audience: 'verifier.example' }
const privateKey = createPrivateKey({ key: holder.privateJwk, format: 'jwk' })

interface Bound {
  header?: Json
  claims?: Json
  key?: KeyObject
}

/** The SD-JWT with a key binding that its holder makes, or somebody else. */
function bind(presented: string, { header = {}, claims = {}, key = privateKey }: Bound = {}): string {
  const { nonce, audience: aud } = SESSION
  const sd_hash = createHash('sha256').update(presented).digest('base64url')
  const said = { iat: Math.floor(Date.now() / 1_000), nonce, aud, sd_hash, ...claims }
  const part = (members: Json) => Buffer.from(JSON.stringify(members)).toString('base64url')
  const input = `${part({ alg: 'ES256', typ: 'kb+jwt', ...header })}.${part(said)}`
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${presented}${input}.${signature.toString('base64url')}`
}

async function issueBound(more: Json = {}, terms: Json = { holderKey: holder.jwk }): Promise<IssuedSdJwt> {
  const body = { payload: payload(did, more), proofType: 'vc+sd-jwt', revocable: false, ...terms }
  const reply = await ask('/v1/credentials/web-semantic/sign', body)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<IssuedSdJwt>()
}

/** Why a credential with a key binding does not verify; empty: it does. */
async function faultsOf(text: string, keyBinding: Json | null = SESSION): Promise<string[]> {
  const reply = await ask('/v1/credentials/web-semantic/verify', { payload: asSdJwt(text), keyBinding })
  if (reply.status !== 200) throw new Error(reply.text)
  const { verified, reason } = reply.json<{ verified: boolean; reason: { code?: string; message: string }[] }>()
  return verified ? [] : reason.map(({ code, message }) => `${code} ${/sd_jwt\.\w+/.exec(message)?.[0] ?? ''}`.trim())
}

const KEY_BINDING = 'envelope.key_binding'

test('a key binding verifies for the nonce and the audience of the request alone (D-839)', async (t) => {
  const { encoded } = await issueBound()
  const bound = bind(encoded)
  t.deepEqual(await faultsOf(bound), [])
  t.deepEqual(await faultsOf(bind(encoded.slice(0, encoded.indexOf('~') + 1))), [], 'with nothing disclosed')
  t.deepEqual(await faultsOf(bound, { ...SESSION, nonce: 'another' }), [`${KEY_BINDING} sd_jwt.key_binding_nonce`])
  t.deepEqual(await faultsOf(bound, { ...SESSION, audience: 'other' }), [`${KEY_BINDING} sd_jwt.key_binding_aud`])
  t.deepEqual(await faultsOf(bound, null), [KEY_BINDING], 'nobody expects it')
  t.deepEqual(await faultsOf(encoded), [KEY_BINDING], 'it is missing')
  const { credential } = await issueBound({}, { proofType: 'vc+jwt' })
  const reply = await ask('/v1/credentials/web-semantic/verify', { payload: credential, keyBinding: SESSION })
  t.like(reply.json(), { verified: false, reason: [{ code: KEY_BINDING }] })
  for (const keyBinding of [{}, { nonce: 'x' }, { nonce: 1, audience: 'x' }, 'x', { ...SESSION, more: 1 }]) {
    const refused = await ask('/v1/credentials/web-semantic/verify', { payload: asSdJwt(bound), keyBinding })
    t.is(refusal(refused, 400), 'request.invalid')
  }
})

test('a verdict warns of a holder’s key whose binding it did not check (D-859)', async (t) => {
  const { encoded } = await issueBound()
  const { encoded: unbound } = await issueBound({}, {})
  const warningOf = async (text: string, keyBinding: Json | null = null) => {
    const reply = await ask('/v1/credentials/web-semantic/verify', { payload: asSdJwt(text), keyBinding })
    const { verified, warnings } = reply.json<{ verified: boolean; warnings: Json[] }>()
    return [verified, warnings.filter(({ type }) => type === 'KeyBindingNotChecked').map(({ path }) => path)]
  }
  t.deepEqual(await warningOf(encoded), [true, ['/cnf']], 'who took the key binding away has a copy')
  t.deepEqual(await warningOf(bind(encoded), SESSION), [true, []])
  t.deepEqual(await warningOf(unbound), [true, []])
  t.deepEqual(await warningOf(encoded, SESSION), [false, []], 'its absence is a reason')
  t.deepEqual(await warningOf(bind(encoded)), [false, []], 'so is one that nobody expects')
  const reply = await vcApi(world, 'credentials/verify', { verifiableCredential: asSdJwt(encoded) })
  t.is(reply.status, 200, reply.text)
  t.regex(String(reply.json<{ warnings: string[] }>().warnings), /no key binding was checked/)
})

const now = () => Math.floor(Date.now() / 1_000)
const WRONG: [what: string, made: () => Bound, code: string][] = [
  ['another key', () => ({ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }), 'signature'],
  ['alg none', () => ({ header: { alg: 'none' } }), 'alg'],
  ['an algorithm of other keys', () => ({ header: { alg: 'EdDSA' } }), 'alg_of_other_key'],
  ['another typ', () => ({ header: { typ: 'JWT' } }), 'typ'],
  ['critical parameters', () => ({ header: { crit: ['x'] } }), 'crit'],
  ['a list of audiences', () => ({ claims: { aud: [SESSION.audience] } }), 'aud'],
  ['no nonce', () => ({ claims: { nonce: undefined } }), 'nonce'],
  ['the hash of something else', () => ({ claims: { sd_hash: 'AAAA' } }), 'sd_hash'],
  ['an age of six minutes', () => ({ claims: { iat: now() - 361 } }), 'iat_old'],
  ['a time to come', () => ({ claims: { iat: now() + 120 } }), 'iat_future'],
  ['no time', () => ({ claims: { iat: undefined } }), 'iat_form'],
  ['an end that has passed', () => ({ claims: { exp: now() - 120 } }), 'expired'],
]

test('a key binding that is none of the holder for this request does not verify, each with its fault', async (t) => {
  const { encoded } = await issueBound()
  for (const [what, made, code] of WRONG)
    t.deepEqual(await faultsOf(bind(encoded, made())), [`${KEY_BINDING} sd_jwt.key_binding_${code}`], what)
  const [jwt, , ...rest] = bind(encoded).split('~')
  t.deepEqual(await faultsOf([jwt, ...rest].join('~')), [`${KEY_BINDING} sd_jwt.key_binding_sd_hash`], 'one less shown')
  const { encoded: unbound } = await issueBound({}, {})
  t.deepEqual(await faultsOf(bind(unbound)), [`${KEY_BINDING} sd_jwt.key_binding_no_key`])
  t.deepEqual(await faultsOf(`${encoded}e30.e30.AAAA.`), ['envelope.malformed sd_jwt.key_binding_parts'])
})

test('in the VC API challenge and domain are those of the key binding', async (t) => {
  const { encoded } = await issueBound()
  const verifiableCredential = asSdJwt(bind(encoded))
  const ask = (options: Json) => vcApi(world, 'credentials/verify', { verifiableCredential, options })
  const expected = { challenge: SESSION.nonce, domain: SESSION.audience }
  t.is((await ask(expected)).status, 200)
  for (const options of [{}, { challenge: SESSION.nonce }, { ...expected, domain: 'other.example' }])
    t.is((await ask(options)).status, 400, JSON.stringify(options))
})

test('in a presentation a key binding is for its challenge and its domain, and binds what names no subject', async (t) => {
  const presenter = await joseHolder('ES256')
  const { encoded } = await issueBound({ credentialSubject: { course: 'CS-101' } })
  const expected = { challenge: SESSION.nonce, domain: SESSION.audience }
  const present = async (credential: string, said: Json = { nonce: SESSION.nonce, aud: SESSION.audience }) => {
    const content = {
      '@context': [CONTEXT.credentialsV2],
      type: ['VerifiablePresentation'],
      holder: presenter.did,
      verifiableCredential: [asSdJwt(credential)],
      ...said,
    }
    const id = `data:application/vp+jwt,${await presenter.sign(content)}`
    return { '@context': CONTEXT.credentialsV2, id, type: 'EnvelopedVerifiablePresentation' }
  }
  const bound = await present(bind(encoded))
  const verdict = await verifyPresentation(world, bound, expected)
  t.true(verdict.verified, verdict.reason)
  t.like(
    verdict.checks.find(({ check }) => check === 'holderBinding'),
    { outcome: 'passed', evidence: 'The key binding of the credential is made with the key of its holder.' },
  )
  const failed = async (presentation: Json, more: Json = expected) =>
    failedIn(await verifyPresentation(world, presentation, more)).map(([check]) => check)
  for (const more of [{}, { challenge: SESSION.nonce }, { domain: SESSION.audience }])
    t.deepEqual(await failed(bound, more), ['holderBinding'], 'another verifier may have asked the holder for it')
  t.deepEqual(await failed(await present(encoded)), ['holderBinding'], 'a copy')
  t.deepEqual(await failed(await present(bind(encoded, { claims: { nonce: 'another' } }))), ['credentialProof'])
  t.deepEqual(await failed(await present(bind(encoded, { claims: { aud: 'other.example' } }))), ['credentialProof'])
  t.deepEqual(
    await failed(await present(bind(encoded), {}), {}),
    ['credentialProof', 'holderBinding'],
    'of no exchange',
  )
  const other = await issueBound()
  t.deepEqual(await failed(await present(bind(other.encoded))), ['holderBinding'], 'about another subject')
})

/** Issues a credential as vc+sd-jwt, and presents it with a key binding. */
const PRESENT = `
import json, sys
from jwcrypto.jwk import JWK
from sd_jwt.common import SDObj
from sd_jwt.issuer import SDJWTIssuer
from sd_jwt.holder import SDJWTHolder
task = json.loads(sys.argv[1])
issuer, holder = JWK(**task["issuer"]), JWK.generate(kty="EC", crv="P-256")
claims = {**task["credential"], "credentialSubject": {"id": "did:example:holder", SDObj("course"): "CS-101", SDObj("grade"): 1}}
header = {"typ": "vc+sd-jwt", "cty": "vc", "kid": task["kid"]}
issued = SDJWTIssuer(claims, issuer, holder, None, True, extra_header_parameters=header).sd_jwt_issuance
presenter = SDJWTHolder(issued)
presenter.create_presentation({"credentialSubject": {"course": True}}, task["nonce"], task["audience"], holder)
print(presenter.sd_jwt_presentation)
`

withPython("a vc+sd-jwt of Python's sd-jwt verifies here with its key binding (RFC 9901)", async (t) => {
  const { jwk, privateJwk } = keyPair()
  const { keyType, publicKey } = fromJwk(jwk as PublicJwk)
  const issuer = didKeyOf(keyType, publicKey)
  const kid = didKeyMethodId(issuer, { keyType, publicKey })
  const credential = { '@context': [CONTEXT.credentialsV2, TERMS], type: ['VerifiableCredential'], issuer }
  const task = JSON.stringify({ issuer: privateJwk, credential, kid, ...SESSION })
  const presented = (await python(PRESENT, task)).trim()
  t.deepEqual(await faultsOf(presented), [])
  t.deepEqual(await faultsOf(presented, { ...SESSION, nonce: 'another' }), [`${KEY_BINDING} sd_jwt.key_binding_nonce`])
})
