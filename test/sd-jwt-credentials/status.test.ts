import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import test from 'ava'
import { createNamedLists } from '../../activities/credentials/status-lists/named.ts'
import { createSdJwtStatus } from '../../activities/sd-jwt-credentials/status.ts'
import { Refusal } from '../../protocol/errors.ts'
import { authorityOf } from '../../protocol/mobile-credentials/authority.ts'
import { parseCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import type { IssuerReference } from '../../protocol/sd-jwt-credentials/issuers.ts'
import { keyOfJwk } from '../../protocol/sd-jwt-credentials/keys.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { issuerKey, jwtOf, NOW } from '../support/sd-jwt/tokens.ts'

const TENANT = 'tenant'
const key = keyOfJwk(issuerKey.jwk)
const config = { clockToleranceMs: 0, publicUrl: new URL('https://platform.example') }

interface Served {
  lst: string
  bits?: number
  /** Finds the key of an issuer's list. */
  find?: (issuer: string) => Promise<void>
}

/** The states of credentials of any DID, whose list is at an address of its own. */
function statusOf({ lst, bits = 1, find = async () => undefined }: Served) {
  const outbound = {
    async fetch({ url }: { url: string }) {
      const issuer = `did:web:${new URL(url).host}`
      const header = { alg: 'ES256', typ: 'statuslist+jwt', kid: `${issuer}#one` }
      const text = await jwtOf(header, { iss: issuer, sub: url, status_list: { bits, lst } })
      return { status: 200, body: Buffer.from(text) }
    },
  }
  const namedLists = createNamedLists({ outbound, config, now: () => NOW } as never)
  const issuerKeys = {
    async find(_: string, { issuer }: Extract<IssuerReference, { by: 'did' }>) {
      await find(issuer)
      return { key, issuer }
    },
  }
  const status = createSdJwtStatus({ now: () => NOW, config, namedLists, issuerKeys } as never)
  return (host: string, index = 0) => {
    const issuer = `did:web:${host}`
    const reference = { by: 'did', issuer, keyUrl: `${issuer}#one` } as const
    return status.stateIn(TENANT, { index, url: `https://${host}/list` }, reference, { key, issuer })
  }
}

const packed = (...bytes: number[]) => deflateSync(Uint8Array.from(bytes)).toString('base64url')

test('an empty list of others has no entry, and is remembered like any other', async (t) => {
  const stateIn = statusOf({ lst: 'eJwDAAAAAAE' })
  for (let time = 0; time < 2; time += 1)
    await t.throwsAsync(stateIn('issuer.example'), { instanceOf: Refusal, code: 'status_list.index_out_of_range' })
})

test('lists whose keys are long in coming do not hold up the list of another issuer', async (t) => {
  const answer = Promise.withResolvers<void>()
  const stateIn = statusOf({
    lst: packed(0),
    find: (issuer) => (issuer.includes('slow') ? answer.promise : Promise.resolve()),
  })
  const slow = ['slow1.example', 'slow2.example', 'slow3.example'].map((host) => stateIn(host))
  await setTimeout(20)
  t.is(await Promise.race([stateIn('quick.example'), setTimeout(5_000, 'it waits')]), 'valid')
  answer.resolve()
  t.deepEqual(await Promise.all(slow), ['valid', 'valid', 'valid'])
})

test('1 is revoked, 2 suspended, and another status is named as one that nobody knows (Token Status List, section 7.1)', async (t) => {
  const stateIn = statusOf({ bits: 2, lst: packed(0b11_10_01_00) })
  t.deepEqual(await Promise.all([0, 1, 2].map((index) => stateIn('issuer.example', index))), [
    'valid',
    'revoked',
    'suspended',
  ])
  const { message } = await t.throwsAsync(stateIn('issuer.example', 3), { code: 'status_list.unknown_status' })
  t.regex(message, /the status 3 /)
})

test('an own list is of the authority by its key, whichever certificate a tenant trusts (D-327, D-644)', async (t) => {
  const [authority, stranger] = [await makeForeignIaca(), await makeForeignIaca()]
  const stored = { tenantId: TENANT, kind: 'TokenStatusList', size: 8, did: null, state: 'valid' }
  const storedEntry = async () => ({ ...stored, iaca: authority.certificate })
  const tenants = { byHost: async () => ({ id: TENANT }) }
  const namedLists = createNamedLists({ config, now: () => NOW, tenants, credentialStatus: { storedEntry } } as never)
  const status = createSdJwtStatus({ now: () => NOW, config, namedLists } as never)
  const url = `https://platform.example/v1/credentials/mobile/status-lists/${randomUUID()}`
  const stateFor = (der: Uint8Array) => {
    const iaca = parseCertificate(new Uint8Array(der))
    const found = { key, issuer: authorityOf(iaca), iaca }
    return status.stateIn(TENANT, { index: 0, url }, { by: 'x5c', chain: [] }, found)
  }
  t.is(await stateFor(authority.certificate), 'valid')
  t.is(await stateFor(await authority.renewed()), 'valid')
  await t.throwsAsync(stateFor(stranger.certificate), { code: 'status_list.mismatch' })
})
