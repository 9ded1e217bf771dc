import type { CompactClaims, StatusReference, UnsignedClaims } from '../../protocol/compact-credentials/claims.ts'
import { readClaims } from '../../protocol/compact-credentials/claims.ts'
import { encodeClaims, jtiOfUuid } from '../../protocol/compact-credentials/cwt.ts'
import { readablePayload } from '../../protocol/compact-credentials/readable.ts'
import { credentialOf, readSemanticPayload } from '../../protocol/compact-credentials/semantic.ts'
import { kidOf } from '../../protocol/compact-credentials/status-lists.ts'
import { PREFIXES, type Profile, toText } from '../../protocol/compact-credentials/text.ts'
import { coseAlgorithm, HEADER, signCoseSign1 } from '../../protocol/cose/sign1.ts'
import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import { type FieldError, overDocument, Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import { statusListUrl } from '../../protocol/status-list/credential.ts'
import type { SignedRow } from '../credentials/record.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { StatusEntries } from '../credentials/status-lists/allocation.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { Tenants } from '../frame/tenants/index.ts'

/** Key types that sign, best first: readers elsewhere know ES256, not all know EdDSA. */
export const KEY_TYPES = ['p256', 'ed25519'] as const

/** Kind of the lists of both profiles. */
export const LIST_KIND = 'BitIndexRevocationList'

export interface CompactSignRequest {
  payload: Json
  revocable: boolean
  tag?: string | null
  /** Field of the request that names the issuer, for refusals. */
  issuerField?: string
  /** Field that names its types. */
  typeField?: string
}

/** As the API returns it. */
export interface SignedCompact extends Json {
  encoded: string
  decoded: CompactClaims | Json
}

export type SignedCompactRow = SignedRow & { document: SignedCompact }

interface Parts extends Pick<Dependencies, 'now'> {
  tenants: Tenants
  entries: StatusEntries
  signers: Signers
  policyGate: Pick<PolicyGate, 'assertMayIssue'>
}

interface Unsigned {
  claims: UnsignedClaims
  vc?: Json
  types: string[]
  errors: FieldError[]
}

const readPayload = (profile: Profile, payload: Json): Unsigned => {
  if (profile === 'compact-semantic') return readSemanticPayload(payload)
  const { claims, errors } = readClaims(payload)
  return { claims, errors, types: claims.type === undefined ? [] : [claims.type] }
}

/** Where a payload of the profile names its issuer. */
const ISSUER_FIELDS: Record<Profile, string> = { compact: 'payload.iss', 'compact-semantic': 'payload.issuer.id' }

/** Dates of rows in the database; `nbf` and `exp` are whole seconds up to the year 9999. */
const dateOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** Signs the payload of a request or of a batch row; the caller records the credential. */
export function createCompactSigning({ now, tenants, entries, signers, policyGate }: Parts) {
  /** Throws `credential.issuer_*` where the request names none and the tenant has none to choose. */
  async function chosenIssuer(tenantId: string, field: string): Promise<string> {
    const did = await signers.chosen(tenantId, KEY_TYPES, refuseIssuer(field))
    if (did !== undefined) return did
    throw new Refusal('credential.issuer_unknown', 'The tenant has no DID that can sign compact credentials.', [
      { path: field, code: 'issuer', message: 'expected a DID with a p256 or ed25519 key' },
    ])
  }

  /** Checks a payload without an issuer or a signature. Throws `Refusal('credential.invalid')`. */
  function check(profile: Profile, payload: Json): Unsigned {
    const unsigned = readPayload(profile, payload)
    if (unsigned.errors.length > 0)
      throw new Refusal('credential.invalid', 'The credential is not valid; see errors.', unsigned.errors)
    return unsigned
  }

  /** Returns the signer of a DID of the tenant, by default of the chosen one. Throws `credential.issuer_*`. */
  async function signerOf(tenantId: string, did: string | undefined, field: string) {
    const issuer = await signers.signerOf(tenantId, did ?? (await chosenIssuer(tenantId, field)), refuseIssuer(field))
    const signer = issuer.withKey({ keyTypes: KEY_TYPES, neededBy: 'a compact credential' })
    return { didId: issuer.didId, did: issuer.did, signer }
  }

  return {
    check,
    signerOf,

    /**
     * Signs as the payload's issuer, or as the one that the tenant chose (D-246). `together`: how many credentials the
     * caller signs in a row. Throws `Refusal` with `credential.*`, what the policy of the tenant forbids,
     * `Unavailable('keys')`.
     */
    async sign(
      profile: Profile,
      tenantId: string,
      id: string,
      {
        payload: given,
        revocable,
        tag,
        issuerField = ISSUER_FIELDS[profile],
        typeField = 'payload.type',
      }: CompactSignRequest,
      together = 1,
    ): Promise<SignedCompactRow> {
      const { claims: unsigned, vc, types } = await overDocument(() => check(profile, given))
      const { didId, did, signer } = await signerOf(tenantId, unsigned.iss, issuerField)
      const judged = { format: profile, issuer: did, types }
      await policyGate.assertMayIssue(tenantId, judged, { issuer: issuerField, type: typeField })
      const iat = unsigned.iat ?? Math.floor(now().getTime() / 1_000)
      const claims = { ...unsigned, iss: did, iat }
      const proofType = coseAlgorithm(signer.keyType)
      const owner = { tenantId, issuerId: didId, kind: LIST_KIND, purpose: 'revocation', proofType } as const
      const keyId = kidOf(signer.verificationMethod)
      const { baseUrl } = await tenants.byId(tenantId)
      const urlOf = (listId: string) => statusListUrl(baseUrl, listId, LIST_KIND)
      const planned = { id, keyType: signer.keyType, keyId, claims, vc, listUrl: revocable ? urlOf(id) : undefined }
      const readable = await overDocument(() => readablePayload(profile, planned))
      const entry = revocable ? await entries.take(owner, together) : undefined
      const status: StatusReference | undefined = entry && { index: String(entry.index), url: urlOf(entry.listId) }
      const payload = status ? encodeClaims(id, claims, { vc, status }) : readable
      const bytes = await signCoseSign1({ protected: new Map([[HEADER.kid, keyId]]), payload }, signer)
      const shown = { ...claims, jti: jtiOfUuid(id, profile), ...(status && { status }) }
      return {
        id,
        format: profile,
        document: {
          encoded: toText(PREFIXES[profile], bytes),
          decoded: vc ? credentialOf({ claims: shown, vc }) : { ...shown },
        },
        didId,
        issuer: did,
        proofType,
        tag: tag ?? null,
        types,
        issuanceDate: dateOf(claims.nbf ?? iat),
        expirationDate: claims.exp === undefined ? null : dateOf(claims.exp),
        statusListId: entry?.listId ?? null,
        statusIndex: entry?.index ?? null,
        suspensionListId: null,
        suspensionIndex: null,
      }
    },
  }
}

export type CompactSigning = ReturnType<typeof createCompactSigning>
