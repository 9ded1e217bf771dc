import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { codesOf, type Json } from '../../support/credentials/vc-api.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

test('envelopes have no more in them together than a presentation without any, and one is not read for nothing', async (t) => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const of = (more: Json) => {
    const content = { '@context': [CONTEXT.credentialsV2], type: ['VerifiableCredential'], ...more }
    const jwt = `${encoded({ alg: 'EdDSA', kid: '#a' })}.${encoded(content)}.AAAA`
    return {
      '@context': CONTEXT.credentialsV2,
      id: `data:application/vc+jwt,${jwt}`,
      type: 'EnvelopedVerifiableCredential',
    }
  }
  const list = (length: number) => ({ x: Array.from({ length }, () => 0) })
  const verified = (credentials: Json[]) => {
    const body = {
      presentation: {
        '@context': [CONTEXT.credentialsV2],
        type: ['VerifiablePresentation'],
        holder: 'did:example:holder',
        verifiableCredential: credentials,
      },
    }
    return world.ask('/v1/credentials/web-semantic/presentations/verify', { token: world.token, body })
  }
  const many = (count: number, more: Json) => Array.from({ length: count }, () => of(more))
  t.is((await verified(many(20, list(900)))).status, 200)
  for (const credentials of [many(20, list(1_000)), many(3, list(9_000)), many(10, { ...list(9_000), vc: 1 })]) {
    const reply = await verified(credentials)
    t.is(reply.status, 400, reply.text)
    t.deepEqual(codesOf(reply.text), ['presentation.malformed', 'credential.too_large'])
  }
  const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`a${at}`, 1]))
  const token = { token: world.token, body: { payload: of(members) } }
  const one = await world.ask('/v1/credentials/web-semantic/verify', token)
  t.regex(one.text, /has more than 25000 values/)
})
