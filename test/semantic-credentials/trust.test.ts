import test from 'ava'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import { createDid, sign, verdictOf } from '../support/credentials/credentials.ts'
import { makeHolder } from '../support/credentials/holders.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import type { World } from '../support/world.ts'

type Json = Record<string, unknown>

const contexts = new Map<string, object>()
const looks = new Map<string, number>()

let world: World
let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('terms.test', ({ url = '' }, response) => {
    looks.set(url, (looks.get(url) ?? 0) + 1)
    response.setHeader('content-type', 'application/ld+json')
    response.statusCode = contexts.has(url) ? 200 : 404
    response.end(JSON.stringify({ '@context': contexts.get(url) }))
  })
  world = beside.world
})
test.after.always(() => beside?.close())

/** The address of a context that is published there. */
function publish(path: string, content: object): string {
  contexts.set(`/${path}`, content)
  return beside.urlOf(path)
}
const fetches = (url: string) => looks.get(new URL(url).pathname) ?? 0

const register = async (url: string) => {
  const reply = await world.ask('/v1/credentials/web-semantic/contexts', { token: world.token, body: { url } })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json()
}

const GRADE = 'https://edu.example/grade'
const FINE = 'https://edu.example/fine'

/** Signed by the tenant itself, whose terms are those of the contexts. */
async function issued(context: unknown, claims: Json): Promise<Json> {
  const more = { '@context': [CONTEXT.credentialsV2, context], credentialSubject: { id: 'did:example:a', ...claims } }
  return (await sign(world, await createDid(world), { more })).credential
}

/** The same statements under other names: what was a fine is called a grade, and the other way round. */
const swapped = (credential: Json, context: unknown): Json => {
  const { id, grade, fine } = credential.credentialSubject as Json
  return {
    ...credential,
    '@context': [CONTEXT.credentialsV2, context],
    credentialSubject: { id, grade: fine, fine: grade },
  }
}

const typesOf = (list: { type: string }[]) => list.map(({ type }) => type)

test('a credential with exchanged terms verifies, for its statements are signed, and the verdict names the context (D-168)', async (t) => {
  const honest = { grade: GRADE, fine: FINE }
  const credential = await issued(honest, { grade: 'A', fine: '200' })
  const changed = swapped(credential, { grade: FINE, fine: GRADE })
  t.deepEqual((changed.credentialSubject as Json).grade, '200')
  const { verified, reason, warnings } = await verdictOf(world, changed)
  t.deepEqual([verified, reason], [true, []])
  t.like(warnings, [{ type: 'UntrustedContext', path: '/@context/1' }])
  t.is(warnings.length, 1)
  t.false('url' in (warnings[0] ?? {}))
})

test('a context from elsewhere is named by its URL until the tenant registers it, also one that was fetched before', async (t) => {
  const url = publish('course/v1', { grade: GRADE })
  const credential = await issued(url, { grade: 'A' })
  t.like((await verdictOf(world, credential)).warnings, [{ type: 'UntrustedContext', path: '/@context/1', url }])
  t.like(await register(url), { url, source: 'registered' })
  t.deepEqual(await verdictOf(world, credential), { verified: true, reason: [], warnings: [] })
  t.like(await register(url), { source: 'registered' }, 'and once more')
  const other = await world.tokenOf(await world.addTenant())
  t.is((await verdictOf(world, credential, { token: other })).warnings.length, 1, 'another tenant did not')
})

test('what a registered context names is not registered by that', async (t) => {
  const inner = publish('inner/v1', { grade: GRADE })
  const outer = publish('outer/v1', [inner, { fine: FINE }])
  const credential = await issued(outer, { grade: 'A', fine: '200' })
  t.deepEqual(
    (await verdictOf(world, credential)).warnings.map(({ url }) => url),
    [outer, inner],
  )
  await register(outer)
  t.deepEqual(
    (await verdictOf(world, credential)).warnings.map(({ url }) => url),
    [inner],
  )
  const { reason } = await verdictOf(world, credential, { trustedContexts: [] })
  t.deepEqual(typesOf(reason), ['UntrustedContext'])
  t.true((await verdictOf(world, credential, { trustedContexts: [inner] })).verified)
})

test('bundled contexts, and what the platform itself puts into a credential, are no news', async (t) => {
  const branded = await sign(world, await createDid(world), {
    more: {
      '@context': [CONTEXT.credentialsV1],
      name: 'Course',
      credentialSubject: { id: 'did:example:a' },
      credentialBranding: { backgroundColor: '#fff' },
    },
  })
  for (const trustedContexts of [undefined, []])
    t.deepEqual(await verdictOf(world, branded.credential, { trustedContexts }), {
      verified: true,
      reason: [],
      warnings: [],
    })
})

test('trustedContexts makes each other context fail by a reason of its own; a listed one is taken (D-168)', async (t) => {
  const [listed, other] = [publish('listed/v1', { grade: GRADE }), publish('other/v1', { fine: FINE })]
  const own = { note: 'https://edu.example/note' }
  const credential = await makeHolderIssue([listed, other, own])
  const verdict = async (trustedContexts: unknown[]) => {
    const { verified, reason, warnings } = await verdictOf(world, credential, { trustedContexts })
    t.deepEqual(warnings, [])
    return verified ? 'verified' : reason.map(({ type, message }) => `${type} ${message.split(' is ')[0]}`)
  }
  const about = {
    listed: `UntrustedContext The context ${listed}`,
    other: `UntrustedContext The context ${other}`,
    own: 'UntrustedContext The inline context at /@context/3',
  }
  t.deepEqual(await verdict([]), [about.listed, about.other, about.own])
  t.deepEqual(await verdict([listed, own]), [about.other])
  t.deepEqual(await verdict([listed, other]), [about.own])
  t.deepEqual(await verdict([listed, other, { note: 'https://edu.example/other' }]), [about.own])
  t.is(await verdict([listed, other, own]), 'verified')
  await register(other)
  t.is(await verdict([listed, own]), 'verified', 'a registered one needs no list')
})

const holder = makeHolder()
/** Signed elsewhere, by code that is not ours, with contexts that it does not need. */
async function makeHolderIssue(more: unknown[]): Promise<Json> {
  const document = { type: ['VerifiableCredential'], credentialSubject: { id: holder.did } }
  const signed = await holder.issue({ '@context': [CONTEXT.credentialsV2], ...document })
  return { ...signed, '@context': [CONTEXT.credentialsV2, ...more] }
}

test('a context that is not trusted is not even fetched', async (t) => {
  const url = publish('unasked/v1', { grade: GRADE })
  const credential = await makeHolderIssue([url])
  t.deepEqual(typesOf((await verdictOf(world, credential, { trustedContexts: [] })).reason), ['UntrustedContext'])
  t.is(fetches(url), 0)
  t.true((await verdictOf(world, credential, { trustedContexts: [url] })).verified)
  t.is(fetches(url), 1)
})

test('a document with hundreds of contexts is told by the first ones and a number', async (t) => {
  const subjects = Array.from({ length: 300 }, (_, n) => ({ id: `did:example:${n}`, '@context': { [`t${n}`]: GRADE } }))
  const { warnings } = await verdictOf(world, { ...(await makeHolderIssue([])), credentialSubject: subjects })
  t.is(warnings.length, 21)
  t.regex(warnings[20]?.message ?? '', /^280 more/)
})

test('of a document with too many contexts no more are looked at than one may have, and of what is no credential none (D-1174)', async (t) => {
  const urls = Array.from({ length: 40 }, (_, n) => publish(`many/${n}`, { grade: GRADE }))
  const credential = {
    ...(await makeHolderIssue([])),
    '@context': [CONTEXT.credentialsV2, ...urls.slice(0, 20)],
    credentialSubject: { id: 'did:example:a', '@context': urls.slice(20) },
  }
  const { verified, warnings } = await verdictOf(world, credential)
  t.false(verified)
  t.is(warnings.length, 22)
  t.regex(warnings[20]?.message ?? '', /^12 more contexts are not trusted/)
  t.regex(warnings[21]?.message ?? '', /: 8 more were not looked at\.$/)
  const untrusted = await verdictOf(world, credential, { trustedContexts: urls })
  t.deepEqual(typesOf(untrusted.reason), ['UntrustedContext'])
  t.is(urls.slice(32).filter((url) => fetches(url) > 0).length, 0)
  const malformed = await verdictOf(world, { ...credential, issuer: 'no URI' })
  t.deepEqual([typesOf(malformed.reason), malformed.warnings], [['Syntax'], []])
})

test('a list of trusted contexts that is none is a 400 that names the entry', async (t) => {
  const payload = await makeHolderIssue([])
  for (const [trustedContexts, path] of [
    ['https://terms.test/a', 'trustedContexts'],
    [['https://terms.test/a', 7], 'trustedContexts.1'],
    [['not a url'], 'trustedContexts.0'],
    [Array.from({ length: 101 }, (_, n) => `https://terms.test/${n}`), 'trustedContexts'],
  ] as const) {
    const body = { payload, trustedContexts }
    const reply = await world.ask('/v1/credentials/web-semantic/verify', { token: world.token, body })
    t.is(reply.status, 400, reply.text)
    const [error] = reply.json<{ errors: { path: string }[] }>().errors
    t.is(error?.path, path)
  }
})

test('only credentials of the trusted issuers verify; nothing is fetched for any other (D-313)', async (t) => {
  const issuer = await createDid(world)
  const { credential } = await sign(world, issuer)
  const ask = async (trustedIssuers: unknown, payload: unknown = credential) =>
    (
      await world.ask('/v1/credentials/web-semantic/verify', { token: world.token, body: { payload, trustedIssuers } })
    ).json<{ verified: boolean; reason: { type: string }[] }>()
  for (const trusted of [null, [issuer], ['did:example:other', issuer]]) t.true((await ask(trusted)).verified)
  for (const trusted of [[], ['did:example:other'], [`${issuer}#key`], [issuer.toUpperCase()]])
    t.deepEqual(typesOf((await ask(trusted)).reason), ['IssuerNotTrusted'], trusted.join())
  const url = publish('untrusted/v1', { course: 'https://schema.org/courseCode' })
  const foreign = { ...credential, issuer: 'did:web:terms.test', '@context': [CONTEXT.credentialsV2, url] }
  t.deepEqual(typesOf((await ask([issuer], foreign)).reason), ['IssuerNotTrusted'])
  t.is(fetches(url), 0)
  const many = Array.from({ length: 1_001 }, (_, at) => `did:example:${at}`)
  const body = { payload: credential, trustedIssuers: many }
  t.is((await world.ask('/v1/credentials/web-semantic/verify', { token: world.token, body })).status, 400)
})
