import { randomUUID } from 'node:crypto'
import test from 'ava'
import { encodeClaims } from '../../../protocol/compact-credentials/cwt.ts'
import { bitIndexList, kidOf } from '../../../protocol/compact-credentials/status-lists.ts'
import { PREFIXES, toText } from '../../../protocol/compact-credentials/text.ts'
import { HEADER, signCoseSign1 } from '../../../protocol/cose/sign1.ts'
import { setBits } from '../../../protocol/status-list/index.ts'
import { verifyCompact } from '../../support/credentials/compact.ts'
import { p256Signer } from '../../support/credentials/signers.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'

const issuer = p256Signer()
const lists = new Map<string, { status?: number; body: Uint8Array }>()
const asked: { url: string; accept: string | undefined }[] = []

let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('lists.test', ({ url = '', headers }, response) => {
    asked.push({ url, accept: headers.accept })
    const { status = 200, body } = lists.get(url) ?? { status: 404, body: new Uint8Array() }
    response.writeHead(status, { 'content-type': 'application/cwt' }).end(body)
  })
})
test.after.always(() => beside?.close())

interface Listed {
  by?: typeof issuer
  expiresAt?: Date
  change?: (bytes: Uint8Array) => Uint8Array
  status?: number
}

/** A list at an address of its own, in which entry 5 is set. */
async function publish({ by = issuer, expiresAt, change = (bytes) => bytes, status = 200 }: Listed = {}) {
  const path = randomUUID()
  const url = beside.urlOf(path)
  const issuedAt = new Date(Date.now() - 3_600_000)
  const list = { url, issuer: issuer.did, keyUrl: by.verificationMethod, bits: setBits(131_072, [5]), issuedAt, ttlSeconds: 3, expiresAt: expiresAt ?? new Date(Date.now() + 3_600_000) } // biome-ignore format: one list
  lists.set(`/${path}`, { status, body: change(await signCoseSign1(bitIndexList(list), by)) })
  return url
}

/** The type of the error, or that it verifies. */
async function verdictOf(url: string, index = 5) {
  const payload = encodeClaims(
    randomUUID(),
    { iss: issuer.did, type: 'Pass' },
    { status: { index: String(index), url } },
  )
  const kid = kidOf(issuer.verificationMethod)
  const bytes = await signCoseSign1({ protected: new Map([[HEADER.kid, kid]]), payload }, issuer)
  const { verified, error } = await verifyCompact(beside.world, toText(PREFIXES.compact, bytes))
  return verified ? 'verified' : error?.type
}

test.serial('a list elsewhere that a compact credential names is fetched once and verified', async (t) => {
  const url = await publish()
  t.is(await verdictOf(url, 5), 'Revoked')
  t.is(await verdictOf(url, 4), 'verified')
  t.is(await verdictOf(url, 6), 'verified')
  const looks = asked.filter((look) => beside.urlOf(look.url.slice(1)) === url)
  t.is(looks.length, 1)
  t.regex(looks[0]?.accept ?? '', /application\/cwt/)
})

test.serial(
  'a list elsewhere that is not the issuer’s, or is not there, leaves the status open, which is no yes (D-286)',
  async (t) => {
    const turned = (bytes: Uint8Array) => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte))
    const unsupported = {
      'another key': await publish({ by: p256Signer() }),
      'a changed signature': await publish({ change: turned }),
      'an end that is over': await publish({ expiresAt: new Date(Date.now() - 600_000) }),
      'no CBOR': await publish({ change: () => Buffer.from('<html>') }),
    }
    for (const [what, url] of Object.entries(unsupported))
      t.is(await verdictOf(url, 4), 'UnsupportedRevocationType', what)
    t.is(await verdictOf(await publish(), 131_072), 'UnsupportedRevocationType', 'an index outside of it')
    const away = {
      'no list': beside.urlOf('none'),
      'a fault of the server': await publish({ status: 500 }),
      'no such host': 'https://nowhere.test/list',
      'plain http': (await publish()).replace('https:', 'http:'),
    }
    for (const [what, url] of Object.entries(away)) t.is(await verdictOf(url, 4), 'NetworkError', what)
  },
)
