import test, { type ExecutionContext } from 'ava'
import { createAgreers } from '../../activities/dids/agreers.ts'
import { createPlatform } from '../../activities/index.ts'
import { createMessageEncryption } from '../../activities/messaging/encryption.ts'
import { didKeyOf } from '../../protocol/dids/key.ts'
import { Refusal } from '../../protocol/errors.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { didsOf, withStanding } from '../support/credentials/dids.ts'
import { encryptionOf, foreigner, type Jwe, keyOf, problemOf } from '../support/messaging/encryption.ts'
import { encrypt } from '../support/messaging.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
/** The token of another tenant. */
let other: string
test.before(async () => {
  world = await openWorld() // no worker: a did:web stays PROCESSING
  other = await world.tokenOf(await world.addTenant())
})
test.after.always(() => world?.close())

const ask = (verb: 'encrypt' | 'decrypt', body: unknown, token = world.token) =>
  encryptionOf(world).ask(verb, body, token)

test('each recipient that cannot be encrypted for is named by its place', async (t) => {
  const [good, p256, bls] = [
    await createDid(world),
    await createDid(world, 'p256'),
    await createDid(world, 'bls12381g2'),
  ]
  const weak = didKeyOf('x25519', new Uint8Array(32)) // of small order: agrees on no secret
  const didUrls = Array.from({ length: 101 }, () => didKeyOf('x25519', crypto.getRandomValues(new Uint8Array(32))))
  const cases: [recipients: unknown[], ...errors: [path: string, code: string][]][] = [
    [[], ['recipientDidUrls', 'count']],
    [didUrls, ['recipientDidUrls', 'count']],
    [
      ['', good, 'nobody', `${good}?x=1`, `${good}#`, `did:web:${'x'.repeat(2048)}`],
      ...[0, 2, 3, 4, 5].map((at): [string, string] => [`recipientDidUrls.${at}`, 'did_url']),
    ],
    [
      [good, p256, good],
      ['recipientDidUrls.2', 'repeated'],
    ],
    [
      [good, keyOf(good)],
      ['recipientDidUrls.1', 'repeated'],
    ],
    [
      [good, p256],
      ['recipientDidUrls.1', 'curve'],
    ],
    [
      [bls, good, weak],
      ['recipientDidUrls.0', 'no_key'],
      ['recipientDidUrls.2', 'no_key'],
    ],
    [
      [`${good}#${good.slice('did:key:'.length)}`, `${good}#none`],
      ['recipientDidUrls.0', 'no_key'],
      ['recipientDidUrls.1', 'no_key'],
    ],
    [
      ['did:key:z6MkNoKey', 'did:web:10.0.0.1', 'did:example:123', 'did:web:localhost%3A1', good],
      ...[0, 1, 2, 3].map((at): [string, string] => [`recipientDidUrls.${at}`, 'unresolvable']),
    ],
  ]
  for (const senderDidUrl of [undefined, good])
    for (const [recipientDidUrls, ...errors] of cases) {
      const reply = await ask('encrypt', { payload: 'x', recipientDidUrls, senderDidUrl })
      t.is(reply.status, 400, reply.text)
      t.is(problemOf(reply).type, '/problems#jwe.recipients_invalid')
      t.deepEqual(
        problemOf(reply).errors.map(({ path, code }) => [path, code]),
        errors,
      )
    }
  const curve = problemOf(await ask('encrypt', { payload: 'x', recipientDidUrls: [p256], senderDidUrl: good }))
  t.like(curve.errors, [{ path: 'recipientDidUrls.0', code: 'curve' }])
  t.is((await ask('encrypt', { payload: 'x', recipientDidUrls: didUrls.slice(1), senderDidUrl: good })).status, 200)
  for (const body of [
    {},
    { recipientDidUrls: [good] },
    { payload: 'x' },
    { payload: 'x', recipientDidUrls: good },
    { payload: 'x', recipientDidUrls: [1] },
    { payload: 'x', recipientDidUrls: [good], senderDidUrl: 1 },
    { payload: 'x', recipientDidUrls: [good], more: 1 },
  ])
    t.is((await ask('encrypt', body)).status, 400, JSON.stringify(body))
})

test('the sender is a DID of the tenant that agrees', async (t) => {
  const { did: processing } = await didsOf(world, world.token).createWeb('sender.example.org')
  const [good, bls, foreign] = [
    await createDid(world),
    await createDid(world, 'bls12381g2'),
    await createDid(world, 'ed25519', other),
  ]
  for (const [senderDidUrl, code] of [
    ['', 'jwe.sender_unknown'],
    ['nobody', 'jwe.sender_unknown'],
    [foreign, 'jwe.sender_unknown'],
    [(await foreigner()).did, 'jwe.sender_unknown'],
    [processing, 'jwe.sender_not_ready'],
    [bls, 'jwe.sender_key_unfit'],
    [`${good}#${good.slice('did:key:'.length)}`, 'jwe.sender_key_unfit'],
  ]) {
    const reply = await ask('encrypt', { payload: 'x', recipientDidUrls: [good], senderDidUrl })
    t.is(reply.status, 400, reply.text)
    t.like(problemOf(reply), { type: `/problems#${code}`, errors: [{ path: 'senderDidUrl' }] }, senderDidUrl)
  }
  const byKey = { payload: 'x', recipientDidUrls: [good], senderDidUrl: keyOf(good) }
  t.is((await ask('encrypt', byKey)).status, 200)
  t.is((await didsOf(world, world.token).remove(good)).status, 204)
  const deleted = { ...byKey, recipientDidUrls: [foreign] }
  t.is(problemOf(await ask('encrypt', deleted)).type, '/problems#jwe.sender_unknown')
})

test('where the key store cannot agree with a key, its DID is refused as the sender (D-380)', async (t) => {
  const { didResolver } = createPlatform(world.dependencies)
  const keys = { ...world.dependencies.keys, agrees: ['x25519'] as const }
  const { encryptMessage } = createMessageEncryption({
    ...world.dependencies,
    agreers: createAgreers({ ...withStanding(world.dependencies), keys }),
    didResolver,
  })
  const { tenantId } = world.first
  const [able, ...unable] = await Promise.all(['x25519', 'ed25519', 'p256'].map((keyType) => createDid(world, keyType)))
  if (able === undefined) return t.fail()
  for (const senderDidUrl of unable)
    await t.throwsAsync(encryptMessage(tenantId, { payload: 'x', recipientDidUrls: [able], senderDidUrl }), {
      instanceOf: Refusal,
      code: 'jwe.sender_key_unfit',
    })
  await t.notThrowsAsync(encryptMessage(tenantId, { payload: 'x', recipientDidUrls: [able], senderDidUrl: able }))
})

/** Sends what does not open, and returns the problem without what is of the request. */
async function unopened(t: ExecutionContext, jwe: unknown, token = other): Promise<string> {
  const reply = await ask('decrypt', { jwe }, token)
  t.is(reply.status, 400, reply.text)
  const { instance: _instance, ...problem } = reply.json<Record<string, unknown>>()
  return JSON.stringify(problem)
}

test('whatever does not open is one and the same problem (D-379)', async (t) => {
  const [from, to] = [await createDid(world), await createDid(world, 'ed25519', other)]
  const text = await encrypt(world, { from, to: [to], token: world.token })
  const jwe = JSON.parse(text) as Jwe
  const [recipient] = jwe.recipients
  if (!recipient) return t.fail()
  const flipped = (value: string) => (value.startsWith('A') ? `B${value.slice(1)}` : `A${value.slice(1)}`)
  const withHeader = (header: object) => ({
    ...jwe,
    recipients: [{ ...recipient, header: { ...recipient.header, ...header } }],
  })
  const anonymous = await encrypt(world, { to: [(await foreigner()).did], token: world.token })
  const hostile: unknown[] = [
    ...(['ciphertext', 'iv', 'protected', 'tag'] as const).map((member) => ({
      ...jwe,
      [member]: flipped(jwe[member]),
    })),
    { ...jwe, recipients: [{ ...recipient, encryptionKey: flipped(recipient.encryptionKey) }] },
    withHeader({ skid: keyOf(to) }),
    withHeader({ kid: keyOf(from) }),
    withHeader({ kid: 'did:web:10.0.0.1#key' }),
    { ...jwe, recipients: [] },
    { ...jwe, recipients: Array.from({ length: 101 }, () => recipient) },
    { ...jwe, recipients: [recipient, recipient] },
    { ...jwe, more: { deep: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]] }, tag: 1 },
    anonymous,
    '',
    '{',
    '{}',
    'a.b.c.d.e',
    'a.b.c',
    '['.repeat(100_000),
    text.slice(0, -1),
    `${text}x`,
    {},
  ]
  const problems = new Set<string>()
  for (const each of hostile) problems.add(await unopened(t, each))
  problems.add(await unopened(t, text, world.token)) // of another tenant
  t.is(problems.size, 1)
  const [problem = ''] = problems
  t.true(problem.includes('/problems#jwe.undecryptable'))
  for (const body of [{}, { jwe: null }, { jwe: 1 }, { jwe: [text] }, { jwe: text, more: 1 }])
    t.is((await ask('decrypt', body, other)).status, 400, JSON.stringify(body).slice(0, 80))
  t.is((await encryptionOf(world).decrypt(text, other)).recipientDidUrl, keyOf(to))
  t.is((await didsOf(world, other).remove(to)).status, 204)
  t.is(await unopened(t, text), problem, 'a DID that was deleted opens nothing')
})
