import { deflateSync } from 'node:zlib'
import test from 'ava'
import type { Json } from '../../../protocol/json.ts'
import { keyOfJwk } from '../../../protocol/sd-jwt-credentials/keys.ts'
import { readStatusListJwt } from '../../../protocol/sd-jwt-credentials/status-list.ts'
import { codeOf } from '../../support/parts/keys.ts'
import { issuerKey, jwtOf, NOW, testKey } from '../../support/sd-jwt/tokens.ts'

const URL_OF_LIST = 'https://issuer.example/list'
const HEADER = { alg: 'ES256', typ: 'statuslist+jwt', kid: 'key' }
const now = Math.floor(NOW.getTime() / 1_000)
/** The first example of the draft (section 4.1): sixteen statuses of one bit each. */
const ONE_BIT = { bits: 1, lst: deflateSync(Uint8Array.of(0xb9, 0xa3)).toString('base64url') }

interface Change {
  header?: Json
  payload?: Json
  list?: unknown
  key?: ReturnType<typeof testKey>
}

async function listOf({ header, payload, list = ONE_BIT, key }: Change = {}) {
  const claims = { sub: URL_OF_LIST, iat: now, exp: now + 3_600, status_list: list, ...payload }
  const text = await jwtOf({ ...HEADER, ...header }, claims, key)
  return readList(text)
}

const readList = (text: string) =>
  readStatusListJwt(Buffer.from(text), URL_OF_LIST, async () => keyOfJwk(issuerKey.jwk), { now: NOW })

test('statuses are read by their bits, the first in the lowest ones (draft-ietf-oauth-status-list, section 4.1)', async (t) => {
  const { isSet, expiresAt, bytes } = await listOf()
  t.deepEqual(
    Array.from({ length: 16 }, (_, index) => Number(isSet(index))),
    [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1],
  )
  t.deepEqual([bytes, expiresAt], [2, new Date((now + 3_600) * 1_000)])
  // the second example: twelve statuses of two bits each
  const twoBits = { bits: 2, lst: deflateSync(Uint8Array.of(0xc9, 0x44, 0xf9)).toString('base64url') }
  const two = await listOf({ list: twoBits })
  t.deepEqual(
    Array.from({ length: 12 }, (_, index) => two.isSet(index)),
    [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3].map((status) => status !== 0),
  )
  t.is((await listOf({ payload: { exp: undefined, iat: undefined } })).expiresAt, undefined)
})

test('a list that is not one of this URL and this key, now, is refused, each with its code', async (t) => {
  const cases: [Change, string][] = [
    [{}, 'none'],
    [{ header: { typ: 'JWT' } }, 'status_list.malformed'],
    [{ header: { crit: ['exp'] } }, 'status_list.malformed'],
    [{ header: { alg: 'none' } }, 'status_list.malformed'],
    [{ header: { alg: 'HS256' } }, 'status_list.malformed'],
    [{ header: { alg: 'EdDSA' } }, 'status_list.not_verified'],
    [{ key: testKey() }, 'status_list.not_verified'],
    [{ payload: { sub: 'https://issuer.example/other' } }, 'status_list.mismatch'],
    [{ payload: { sub: undefined } }, 'status_list.mismatch'],
    [{ payload: { iat: now + 1 } }, 'status_list.not_verified'],
    [{ payload: { exp: now } }, 'status_list.not_verified'],
    [{ payload: { iat: 'now' } }, 'status_list.malformed'],
    [{ payload: { exp: null } }, 'status_list.malformed'],
    [{ payload: { status_list: undefined } }, 'status_list.malformed'],
  ]
  for (const [change, code] of cases) t.is(await codeOf(listOf(change)), code, JSON.stringify(change))
})

test('a list without statuses that can be read is malformed, and so is one that unpacks without end', async (t) => {
  const bomb = deflateSync(Buffer.alloc(17 * 1024 * 1024)).toString('base64url')
  const lists = [1, [], {}, { lst: ONE_BIT.lst }, { bits: 1 }, { bits: 1, lst: 5 }, { bits: 1, lst: bomb }]
  const bits = [0, 3, 16, '1'].map((each) => ({ ...ONE_BIT, bits: each }))
  const texts = ['+/==', 'AA', ''].map((lst) => ({ bits: 1, lst }))
  for (const list of [...lists, ...bits, ...texts])
    t.is(await codeOf(listOf({ list })), 'status_list.malformed', JSON.stringify(list).slice(0, 80))
  t.is(await codeOf(readList('no token')), 'status_list.malformed')
  t.is(await codeOf(readList(`${'A'.repeat(4 * 1024 * 1024)}.A.A`)), 'status_list.malformed')
  const token = await jwtOf(HEADER, { sub: URL_OF_LIST, iat: now, status_list: ONE_BIT })
  await t.notThrowsAsync(readList(` ${token}\n`), 'white space around a token is no part of it')
})
