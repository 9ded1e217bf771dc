import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { about, failedIn, VERIFY_PRESENTATION, verifyPresentation } from '../../support/credentials/presentations.ts'
import { placesIn, withText } from '../../support/frame/hostile.bodies.ts'
import { longestTurn } from '../../support/parts/processor-time.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const ask = (presentation: unknown) => world.ask(VERIFY_PRESENTATION, { token: world.token, body: { presentation } })

test.serial('whatever is changed in a presentation, it does not verify, and no check breaks', async (t) => {
  const holder = makeHolder()
  const { credential } = await about(world, holder, { revocable: true })
  const presentation = await holder.present([credential], { challenge: 'the-challenge', domain: 'verifier.example' })
  t.true((await verifyPresentation(world, presentation)).verified)
  const wrong: string[] = []
  for (const { path } of placesIn(presentation)) {
    for (const text of ['"x"', '7', 'null', '[]', '{}', '["did:example:x"]', '{"id":"did:example:x"}']) {
      const raw = `{"presentation":${withText(presentation, path, text)}}`
      const reply = await world.ask(VERIFY_PRESENTATION, { token: world.token, raw })
      const refused = reply.status === 400 || (reply.status === 200 && !reply.json<{ verified: boolean }>().verified)
      if (!refused) wrong.push(`${path.join('.')} = ${text}: ${reply.status} ${reply.text.slice(0, 200)}`)
    }
  }
  t.deepEqual(wrong, [])
})

test.serial('proofs that are none: many, empty, of no type, of a method that is none', async (t) => {
  const holder = makeHolder()
  const presentation = await holder.present(undefined, { challenge: 'the-challenge' })
  const own = presentation.proof as Record<string, unknown>
  const proofs = [
    Array.from({ length: 11 }, () => own),
    [],
    {},
    { ...own, type: 'RsaSignature2018' },
    { ...own, verificationMethod: 7 },
    { ...own, verificationMethod: `did:key:${'z'.repeat(10_000)}#x` },
    { ...own, verificationMethod: holder.did },
    { ...own, cryptosuite: 'bbs-2023' },
    { ...own, proofValue: `z${'1'.repeat(5_000)}` },
    { ...own, previousProof: 'urn:x:none' },
    [own, { ...own, proofPurpose: 'assertionMethod' }],
  ]
  for (const proof of proofs) {
    const verdict = await verifyPresentation(world, { ...presentation, proof })
    t.false(verdict.verified)
    t.deepEqual(
      [...new Set(failedIn(verdict).map(([check]) => check))].includes('holderProof'),
      true,
      JSON.stringify(proof),
    )
  }
})

test.serial('contexts of nobody or of loopback are not fetched, and named', async (t) => {
  const presentation = await makeHolder().present(undefined, { challenge: 'the-challenge' })
  for (const url of ['https://127.0.0.1/context', 'http://localhost/context', 'urn:x:context']) {
    const verdict = await verifyPresentation(world, { ...presentation, '@context': [CONTEXT.credentialsV2, url] })
    t.deepEqual(failedIn(verdict), [['holderProof', '/proof']])
    t.regex(verdict.reason, /Context: /)
  }
})

test.serial('a knotted graph ends with a 400', async (t) => {
  const presentation = await makeHolder().present(undefined, { challenge: 'the-challenge' })
  const nodes = Array.from({ length: 25 }, (_, index) => ({
    id: `_:n${index}`,
    'https://graph.example/link': Array.from({ length: 25 }, (_, other) => ({ id: `_:n${other}` })),
  }))
  const reply = await ask({ ...presentation, 'https://graph.example/has': nodes })
  t.deepEqual([reply.status, reply.json().type], [400, '/problems#credential.too_complex'])
})

test.serial('20 BBS credentials in one presentation verify, and no turn of the event loop takes 50 ms', async (t) => {
  const holder = makeHolder()
  const issuer = await createDid(world, 'bls12381g2')
  const subject = { credentialSubject: { id: holder.did, course: 'CS-101' } }
  const { credential } = await sign(world, issuer, { proofType: 'bbs-2023', more: subject })
  const body = { credential, selectivePointers: ['/credentialSubject/course'] }
  const reply = await world.ask('/v1/credentials/web-semantic/derive', { token: world.token, body })
  const { credential: derived } = reply.json<{ credential: unknown }>()
  const presentation = await holder.present(
    Array.from({ length: 20 }, () => derived),
    { challenge: 'the-challenge' },
  )
  const turn = await longestTurn(t, async () => {
    const { verified, reason } = await verifyPresentation(world, presentation)
    t.true(verified, reason)
  })
  t.true(turn < 50)
})
