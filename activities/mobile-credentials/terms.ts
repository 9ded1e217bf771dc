import { randomBytes } from 'node:crypto'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Key } from '../../entities/keys.ts'
import { takeTurn } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Tenants } from '../frame/tenants/index.ts'

/** Times in certificates have no fractions of a second (RFC 5280, 4.1.2.5). */
export const wholeSecond = (date: Date): Date => new Date(Math.floor(date.getTime() / 1000) * 1000)

/** Refusal of a value that the API document allows and a certificate profile does not. */
export const invalidRequest = (path: string, code: string, expected: string, message: string): Refusal =>
  new Refusal('request.invalid', message, [{ path, code, message: expected }])

/** Reads a date of a request to the second. Throws `Refusal('request.invalid')` with the field. */
export function dateOf(text: string, path: string): Date {
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw invalidRequest(path, 'date', 'expected a date and time with its zone (RFC 3339)', 'A date cannot be read.')
  return wholeSecond(new Date(time))
}

/** Characters of a PrintableString (X.680, 41.4), and the longest common name (RFC 5280, ub-common-name). */
const PRINTABLE = /^[A-Za-z0-9 '()+,./:=?-]{1,64}$/

/** Throws `Refusal('request.invalid')` for a name that no PrintableString can have. */
export function commonNameOf(name: string, path: string): string {
  if (PRINTABLE.test(name) && name.trim() === name) return name
  throw invalidRequest(
    path,
    'printable_string',
    "expected 1 to 64 characters of a PrintableString: letters, digits, space and '()+,-./:=?",
    'The common name cannot stand in the certificate.',
  )
}

/** A common name of the tenant's host, shortened to what a certificate takes. */
export const nameFor = (host: string, what: string): string =>
  `${host.slice(0, 64 - what.length - 1)} ${what}`.replaceAll(/[^A-Za-z0-9 '()+,./:=?-]/g, '-')

export const random16 = (): Uint8Array => new Uint8Array(randomBytes(16))

interface Addresses {
  host: string
  contactUrl: string
  crlUrl(iacaId: string): string
}

/** Public addresses of the tenant that its certificates contain. */
export async function addressesOf(tenants: Pick<Tenants, 'byId'>, tenantId: string): Promise<Addresses> {
  const { baseUrl } = await tenants.byId(tenantId)
  return {
    host: new URL(baseUrl).host,
    contactUrl: `${baseUrl}/`,
    crlUrl: (iacaId) => `${baseUrl}/v1/iacas/${iacaId}/crl`,
  }
}

/** Serialises changes that count the tenant's rows of a kind, until the end of the transaction. */
export const lockRows = (em: SqlEntityManager, tenantId: string, what: string) => takeTurn(em, `${what} of ${tenantId}`)

/** Gives a key to its owner; with null it has none any more, and the reaper destroys it. */
export const giveKey = (em: SqlEntityManager, id: string, ownerId: string | null, known: Partial<Key> = {}) =>
  em.nativeUpdate(Key, { id }, { ownerId, ...known })

/** Destroys the key of a deleted owner at once where the store is available; otherwise the reaper does it. */
export const createKeyRelease =
  ({ keys, log }: Pick<Dependencies, 'keys' | 'log'>) =>
  async (tenantId: string, keyId: string): Promise<void> => {
    await keys.delete({ tenantId, keyId, keyType: 'p256' }).catch((error: unknown) => {
      log.warn({ err: error, tenantId, keyId }, 'the key of a deleted IACA or document signer waits for the reaper')
    })
  }
