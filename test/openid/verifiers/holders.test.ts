import { createPrivateKey, sign as signBytes } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { addKeyBinding } from '../../../protocol/sd-jwt-credentials/key-binding.ts'
import { payload } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { asSdJwt } from '../../support/enveloped/credentials.ts'
import { type IssuedSdJwt, keyPair } from '../../support/enveloped/sd-jwt.ts'
import { presentJsonLd, wallet } from '../../support/openid/presenting.ts'
import { openSignIns, type SignIns } from '../../support/openid/signing-in.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let at: SignIns
test.before(async () => {
  world = await openWorld()
  at = await openSignIns(world)
})
test.after.always(() => world?.close())

type Asked = Awaited<ReturnType<SignIns['asked']>>

async function subOf({ begun }: Asked): Promise<string | undefined> {
  const tokens = await at.party.grant(await at.party.back(begun, begun.page.url), begun)
  return decodeJwt(tokens.id_token ?? '').sub
}

test('a presentation that somebody else has signed as well signs nobody in (D-1202)', async (t) => {
  const asked = await at.asked()
  const [own, made] = [makeHolder(), makeHolder()]
  const { credential } = await at.credentialFor(own)
  const { nonce: challenge, client_id: domain } = asked.request
  const presented = await own.present([credential], { challenge, domain })
  const again = await made.present([credential], { challenge, domain, more: { holder: own.did } })
  for (const proof of [
    [again.proof, presented.proof],
    [presented.proof, again.proof],
  ]) {
    const { status, body } = await wallet.answer(asked.request, { credential_0: [{ ...presented, proof }] })
    t.is(status, 400)
    t.regex(String(body.error_description), /holder: Several have signed/)
  }
  const second = await own.present([credential], { challenge, domain })
  const alone = { ...presented, proof: [presented.proof, second.proof] }
  t.is((await wallet.answer(asked.request, { credential_0: [alone] })).status, 200, 'two proofs of one holder')
  const before = await at.asked()
  await wallet.answer(before.request, await presentJsonLd(own, credential, before.request))
  t.is(await subOf(asked), await subOf(before))
})

test('a credential with a key binding is of its key, whoever signs the presentation around it (D-1202)', async (t) => {
  const { jwk, privateJwk } = keyPair()
  const body = {
    payload: payload(at.issuer, { credentialSubject: { course: 'CS-101' } }),
    ...{ proofType: 'vc+sd-jwt', revocable: false, holderKey: jwk },
  }
  const issued = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  t.is(issued.status, 200, issued.text)
  const { encoded } = issued.json<IssuedSdJwt>()
  const key = createPrivateKey({ key: privateJwk, format: 'jwk' })
  const subs: unknown[] = []
  for (const around of [makeHolder(), makeHolder()]) {
    const asked = await at.asked()
    const { nonce, client_id: audience } = asked.request
    const terms = { alg: 'ES256', nonce, audience, issuedAt: new Date(), algorithm: 'sha-256' } as const
    const bound = await addKeyBinding(encoded, terms, async (data) =>
      signBytes('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
    )
    const { status, body: said } = await wallet.answer(
      asked.request,
      await presentJsonLd(around, asSdJwt(bound), asked.request),
    )
    t.is(status, 200, JSON.stringify(said))
    subs.push(await subOf(asked))
  }
  t.is(typeof subs[0], 'string')
  t.is(subs[0], subs[1])
})
