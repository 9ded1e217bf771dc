import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { verify } from '../../support/credentials/credentials.ts'
import { ed25519Signer, p256Signer } from '../../support/credentials/signers.ts'
import { asCose, asJwt, bytes, cose, credentialOf, jwt } from '../../support/enveloped/credentials.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'

type Json = Record<string, unknown>

const [issuer, stranger] = [p256Signer(), ed25519Signer()]
const lists = new Map<string, { type: string; body: string | Uint8Array }>()

let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('envelopes.test', ({ url = '' }, response) => {
    const { type, body } = lists.get(url) ?? { type: 'application/vc', body: '{}' }
    response.writeHead(lists.has(url) ? 200 : 404, { 'content-type': type }).end(body)
  })
})
test.after.always(() => beside?.close())

/** A list with the entry 5 set. */
function listAt(id: string, more: Json = {}): Json {
  const bits = Buffer.alloc(16_384)
  bits.writeUInt8(0x80 >> 5, 0)
  return credentialOf(issuer, {
    '@context': [CONTEXT.credentialsV2],
    id,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: `u${gzipSync(bits).toString('base64url')}`,
    },
    ...more,
  })
}

/** Publishes what a form makes of a list; returns its address. */
async function publish(
  form: (list: Json) => Promise<string | Uint8Array>,
  { type = 'application/vc', more = {} }: { type?: string; more?: Json } = {},
): Promise<string> {
  const path = randomUUID()
  const id = beside.urlOf(path)
  lists.set(`/${path}`, { type, body: await form(listAt(id, more)) })
  return id
}

async function verdictWith(statusListCredential: string, index: number) {
  const credentialStatus = {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: `${index}`,
    statusListCredential,
  }
  const payload = credentialOf(issuer, { credentialStatus })
  return verify(beside.world, asJwt(await jwt({ signer: issuer, payload })))
}

async function verdictOf(statusListCredential: string, index: number) {
  const { verified, reason } = await verdictWith(statusListCredential, index)
  return verified ? 'verified' : reason.map(({ type }) => type).join()
}

const asJws = (list: Json, signer = issuer) => jwt({ signer, payload: list })
const asSign1 = (list: Json, signer = issuer) => cose({ signer, payload: bytes(JSON.stringify(list)) })

const FORMS: [what: string, type: string, form: (list: Json) => Promise<string | Uint8Array>][] = [
  ['vc+jwt', 'application/vc+jwt', asJws],
  ['vc+cose', 'application/vc+cose', asSign1],
  ['vc+jwt with white space after it, as text', 'text/plain', async (list) => `${await asJws(list)}\n`],
  ['an object with vc+jwt', 'application/vc', async (list) => JSON.stringify(asJwt(await asJws(list)))],
  ['an object with vc+cose', 'application/json', async (list) => JSON.stringify(asCose(await asSign1(list)))],
]

for (const [what, type, form] of FORMS)
  test.serial(`a list elsewhere is read as ${what} (Bitstring Status List 1.0, section 3.2)`, async (t) => {
    const url = await publish(form, { type })
    t.deepEqual(
      [await verdictOf(url, 5), await verdictOf(url, 4), await verdictOf(url, 6)],
      ['Revoked', 'verified', 'verified'],
    )
  })

type Refused = [what: string, message: RegExp, form: (list: Json) => Promise<string | Uint8Array>]

/** The list with another subject. */
const ofSubject = (list: Json, more: Json) =>
  asJws({ ...list, credentialSubject: { ...Object(list.credentialSubject), ...more } })

const REFUSED: Refused[] = [
  ['a list that another issuer has signed', /not signed by the issuer/, (list) => asJws(list, stranger)],
  ['a list of another issuer', /has another issuer/, (list) => asJws({ ...list, issuer: stranger.did }, stranger)],
  ['the same as COSE', /not signed by the issuer/, (list) => asSign1(list, stranger)],
  ['a list with another signature', /signature/, async (list) => (await asJws(list)).replace(/.{20}$/, 'A'.repeat(20))],
  ['an envelope that has ended', /has expired; see its exp/, (list) => asJws({ ...list, exp: 1 })],
  ['a list that has ended', /expired at 2026-01-02/, (list) => asJws({ ...list, validUntil: '2026-01-02T00:00:00Z' })],
  ['a JWS without a signature', /signature/, async (list) => (await asJws(list)).replace(/[^.]+$/, '')],
  ['half a JWS', /JWS|JWT/, async (list) => (await asJws(list)).replace(/^([^.]+\.[^.]{50}).*$/, '$1')],
  ['less than its header', /not JSON/, async (list) => (await asJws(list)).slice(0, 50)],
  ['bytes of no COSE_Sign1', /COSE|CBOR/, async () => new Uint8Array([0xd2, 0x84, 1])],
  [
    'an object with members beside the envelope',
    /what is not in the envelope is not signed/,
    async (list) => JSON.stringify({ ...asJwt(await asJws(list)), x: 1 }),
  ],
  ['nothing', /JSON/, async () => ''],
  ['an envelope in an envelope', /envelope/, async (list) => asJws(asJwt(await asJws(list)))],
  ['a list of another purpose', /statusPurpose .* differs/, (list) => ofSubject(list, { statusPurpose: 'suspension' })],
  [
    'a list with another id',
    /id of the status list differs/,
    (list) => asJws({ ...list, id: beside.urlOf('another') }),
  ],
]

for (const [what, message, form] of REFUSED)
  test.serial(`${what}: the status is not known`, async (t) => {
    const { reason } = await verdictWith(await publish(form, { type: 'application/vc+jwt' }), 4)
    t.like(reason, [{ type: 'StatusUnavailable' }])
    t.regex(String(Object(reason[0]).message), message)
  })

test.serial(
  'a list that is remembered is read again once its envelope has ended, whatever the list itself says',
  async (t) => {
    const exp = Math.floor(Date.now() / 1_000) + 3
    const url = await publish((list) => asJws({ ...list, exp }))
    t.is(await verdictOf(url, 4), 'verified')
    const bits = Buffer.alloc(16_384, 0xff)
    const encodedList = `u${gzipSync(bits).toString('base64url')}`
    lists.set(new URL(url).pathname, {
      type: 'application/vc+jwt',
      body: await ofSubject(listAt(url), { encodedList }),
    })
    t.is(await verdictOf(url, 4), 'verified', 'from memory')
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, exp * 1_000 - Date.now()) + 50))
    t.is(await verdictOf(url, 4), 'Revoked')
  },
)
