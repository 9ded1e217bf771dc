import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { DocumentSigner, type Iaca } from '../../entities/mobile-credentials.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type Certificate, countryOf } from '../../protocol/mobile-credentials/certificates.read.ts'
import {
  createSignerCertificate,
  createSigningRequest,
  MAX_SIGNER_DAYS,
} from '../../protocol/mobile-credentials/certificates.ts'
import { DAY_MS } from '../../protocol/time.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { orLost } from '../keys/lost.ts'
import type { NewKey } from '../keys/rows.ts'
import { storedCertificate } from './records.ts'
import * as terms from './terms.ts'

/** Most live document signers of a tenant: not deleted, not revoked and not expired. */
export const MAX_SIGNERS = 5
/** Life of a certificate without a given end. */
const DEFAULT_DAYS = 365

export interface NewSigner {
  /** By default true, and false where the IACA is imported. */
  active?: boolean | undefined
  commonName?: string | undefined
  notAfter?: string | undefined
  iacaId?: string | undefined
  /** Whether it is renewed before it expires. Default: true where the IACA has its key here. */
  renew?: boolean | undefined
}

export const LIVE = { deletedAt: null } as const

/** Throws `Refusal('document_signer.too_many')` where a tenant has as many live signers as it may have. */
export async function assertRoom(em: SqlEntityManager, now: Date): Promise<void> {
  const lives = { $or: [{ notAfter: null }, { notAfter: { $gt: now } }] }
  const live = await em.count(DocumentSigner, { ...LIVE, revokedAt: null, ...lives })
  if (live >= MAX_SIGNERS)
    throw new Refusal(
      'document_signer.too_many',
      `A tenant has at most ${MAX_SIGNERS} document signers that are neither deleted, revoked nor expired. Delete one first; its credentials stay valid. Revoking one ends them.`,
    )
}

/** Throws `Refusal('request.invalid')` for an end that the certificate cannot have. */
export function validityOf(given: string | undefined, iaca: Iaca, now: Date) {
  const notBefore = terms.wholeSecond(now)
  const after = (days: number) => new Date(notBefore.getTime() + days * DAY_MS)
  if (given === undefined)
    return { notBefore, notAfter: new Date(Math.min(after(DEFAULT_DAYS).getTime(), iaca.notAfter.getTime())) }
  const notAfter = terms.dateOf(given, 'notAfter')
  const refuse = (expected: string) =>
    terms.invalidRequest('notAfter', 'validity', expected, 'The document signer cannot be valid until then.')
  if (notAfter <= notBefore) throw refuse('expected a time in the future')
  if (notAfter > after(MAX_SIGNER_DAYS)) throw refuse(`expected at most ${MAX_SIGNER_DAYS} days from now`)
  if (notAfter > iaca.notAfter) throw refuse(`expected at most the end of the IACA, ${iaca.notAfter.toISOString()}`)
  return { notBefore, notAfter }
}

export const columnsOf = ({ der, fingerprint, serialNumber, notBefore, notAfter }: Certificate) => ({
  certificate: Buffer.from(der),
  fingerprint,
  serialNumber,
  notBefore,
  notAfter,
})

interface Parts extends Pick<Dependencies, 'keys' | 'now'> {
  tenants: Pick<Tenants, 'byId'>
}

/** Certifies new keys of document signers. */
export function createCertification({ keys, now, tenants }: Parts) {
  /** The certificate by an IACA whose key is here, or the request for one. */
  return async (iaca: Iaca, key: NewKey, { commonName, notAfter }: Pick<NewSigner, 'commonName' | 'notAfter'>) => {
    const { tenantId, publicKey } = key
    const { host, contactUrl, crlUrl } = await terms.addressesOf(tenants, tenantId)
    const own = storedCertificate(iaca.certificate)
    const { stateOrProvinceName } = own.subject
    const subject = {
      country: countryOf(own),
      stateOrProvinceName,
      commonName:
        commonName === undefined
          ? terms.nameFor(host, 'Document Signer')
          : terms.commonNameOf(commonName, 'commonName'),
    }
    const { keyId } = iaca
    if (!keyId) {
      const signer = { publicKey, sign: (data: Uint8Array) => keys.sign(key, data) }
      return { csr: Buffer.from(await createSigningRequest(signer, subject)) }
    }
    const ref = { tenantId, keyId, keyType: 'p256' } as const
    const authority = {
      certificate: own.der,
      publicKey: await keys.publicKey(ref).catch(orLost('the key of the IACA')),
      sign: (data: Uint8Array) => keys.sign(ref, data).catch(orLost('the key of the IACA')),
    }
    const places = { crlUrl: crlUrl(iaca.id), contactUrl, random: terms.random16() }
    const validity = validityOf(notAfter, iaca, now())
    return columnsOf(
      storedCertificate(await createSignerCertificate(authority, publicKey, { ...validity, ...places, subject })),
    )
  }
}
