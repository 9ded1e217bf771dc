import test from 'ava'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import { derivedWarnings } from '../../protocol/semantic-credentials/warnings.ts'
import { createDid, payload, sign, verdictOf, verify } from '../support/credentials/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let base: Record<string, unknown>
test.before(async () => {
  world = await openWorld()
  const names = ['course', 'grade', 'teacher']
  const terms = Object.fromEntries(names.map((name) => [name, `https://school.example/vocab#${name}`]))
  const { credential } = await sign(world, await createDid(world, 'bls12381g2'), {
    proofType: 'bbs-2023',
    revocable: true,
    more: {
      '@context': [CONTEXT.credentialsV2, terms],
      credentialSubject: { id: 'did:example:holder', course: 'CS-101', grade: 'B', teacher: 'Ada' },
    },
  })
  base = credential
})
test.after.always(() => world?.close())

const derive = (body: unknown) => world.ask('/v1/credentials/web-semantic/derive', { token: world.token, body })

const derived = async (selectivePointers: string[] | 'everything', presentationHeader?: string) => {
  const reply = await derive({ credential: base, selectivePointers, presentationHeader })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<{ credential: Record<string, unknown> }>().credential
}

test.serial('what is named is shown, and what is mandatory; the rest is gone, and it verifies', async (t) => {
  const credential = await derived(['/credentialSubject/course'])
  t.deepEqual(credential.credentialSubject, { id: 'did:example:holder', course: 'CS-101' })
  for (const member of ['issuer', 'validFrom', 'credentialStatus'])
    t.deepEqual(credential[member], base[member], member)
  t.notRegex(JSON.stringify(credential), /Ada/)
  t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
})

test.serial('everything hides nothing; a presentation header is bound into the proof', async (t) => {
  const credential = await derived('everything', Buffer.from('the verifier’s nonce').toString('base64url'))
  t.deepEqual(credential.credentialSubject, base.credentialSubject)
  t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
  const again = await derived('everything')
  t.notDeepEqual(again.proof, credential.proof)
})

test.serial('a verdict on a derived credential without an end tells that it may have one (D-1176)', async (t) => {
  const hidden = async (credential: Record<string, unknown>) =>
    (await verdictOf(world, credential)).warnings.filter(({ type }) => type === 'UndisclosedMembers')
  t.deepEqual(await hidden(base), [], 'a base proof hides nothing')
  const [warning, ...more] = await hidden(await derived(['/credentialSubject/course']))
  t.regex(warning?.message ?? '', /whether it has an end is not known\.$/)
  t.deepEqual(more, [])
  t.deepEqual(
    derivedWarnings({ ...(await derived([])), credentialStatus: undefined }).map(({ message }) => message),
    ['Its holder chose what the credential discloses, so whether it has a status or an end is not known.'],
  )
  t.deepEqual(derivedWarnings({ ...(await derived([])), validUntil: '2030-01-01T00:00:00Z' }), [])
})

test.serial('a derived credential that is changed, or put together from two, does not verify', async (t) => {
  const [one, two] = [await derived(['/credentialSubject/course']), await derived(['/credentialSubject/grade'])]
  for (const forged of [
    { ...one, credentialSubject: { id: 'did:example:holder', course: 'CS-999' } },
    { ...one, credentialSubject: two.credentialSubject },
    { ...one, credentialSubject: { id: 'did:example:other', course: 'CS-101' } },
  ])
    t.deepEqual(
      (await verify(world, forged)).reason.map(({ type }) => type),
      ['Proof'],
    )
})

test.serial('a revoked one is revoked in every derivation', async (t) => {
  const { id, credential } = await sign(world, await createDid(world, 'bls12381g2'), {
    proofType: 'bbs-2023',
    revocable: true,
  })
  const reply = await derive({ credential, selectivePointers: ['/credentialSubject/course'] })
  const body = { is_revoked: true }
  await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, { token: world.token, body })
  t.deepEqual(
    (await verify(world, reply.json<{ credential: unknown }>().credential)).reason.map(({ type }) => type),
    ['Revoked'],
  )
})

test.serial('what cannot be derived is a 400 that says why', async (t) => {
  const { credential: plain } = await sign(world, await createDid(world))
  const once = await derived(['/credentialSubject/course'])
  const pointer = '/credentialSubject/shoeSize'
  const cases: [Record<string, unknown>, string, string[]][] = [
    [{ credential: plain, selectivePointers: [] }, 'credential.not_derivable', ['credential.proof']],
    [{ credential: once, selectivePointers: [] }, 'credential.not_derivable', ['credential.proof']],
    [
      { credential: { ...base, proof: undefined }, selectivePointers: [] },
      'credential.not_derivable',
      ['credential.proof'],
    ],
    [
      { credential: base, selectivePointers: ['/issuer', pointer] },
      'credential.pointer_invalid',
      ['selectivePointers.1'],
    ],
    [{ credential: base, selectivePointers: ['issuer'] }, 'credential.pointer_invalid', ['selectivePointers.0']],
    [{ credential: base, selectivePointers: ['/__proto__'] }, 'credential.pointer_invalid', ['selectivePointers.0']],
    [
      { credential: base, selectivePointers: Array.from({ length: 201 }, () => '/issuer') },
      'request.invalid',
      ['selectivePointers'],
    ],
    [
      { credential: base, selectivePointers: [], presentationHeader: 'not base64url!' },
      'request.invalid',
      ['presentationHeader'],
    ],
    [{ credential: base, selectivePointers: 'some' }, 'request.invalid', ['selectivePointers']],
  ]
  for (const [body, code, paths] of cases) {
    const reply = await derive(body)
    const problem = reply.json<{ type: string; errors?: { path: string }[] }>()
    t.deepEqual(
      [reply.status, problem.type, problem.errors?.map(({ path }) => path)],
      [400, `/problems#${code}`, paths],
    )
  }
  const proof = { ...(base.proof as object), proofValue: `${(base.proof as { proofValue: string }).proofValue}AAAA` }
  const broken = await derive({ credential: { ...base, proof }, selectivePointers: ['/issuer'] })
  t.deepEqual([broken.status, broken.json().type], [400, '/problems#credential.not_derivable'])
})

test.serial('as many claims as bbs-2023 signs are derived and verified too; one more is refused (D-147)', async (t) => {
  const issuer = await createDid(world, 'bls12381g2')
  const signing = (claims: number) => {
    const credentialSubject = Object.fromEntries(Array.from({ length: claims }, (_, n) => [`claim${n}`, `value ${n}`]))
    const terms = { '@vocab': 'https://school.example/vocab#' }
    const more = { '@context': [CONTEXT.credentialsV2, terms], credentialSubject }
    const body = { payload: payload(issuer, more), proofType: 'bbs-2023', revocable: false }
    return world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  }
  const most = await signing(198) // and two statements more
  t.is(most.status, 200, most.text)
  const { credential } = most.json<{ credential: object }>()
  const reply = await derive({ credential, selectivePointers: 'everything' })
  t.is(reply.status, 200, reply.text)
  t.deepEqual(await verify(world, reply.json<{ credential: unknown }>().credential), { verified: true, reason: [] })
  const over = await signing(210)
  t.is(over.status, 400)
  t.is(over.json().type, '/problems#key.too_many_messages')
})
