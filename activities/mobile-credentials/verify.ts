import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { fromBase64url, withoutPadding } from '../../protocol/base64url.ts'
import { decodeCbor, isTag } from '../../protocol/cose/cbor.ts'
import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import type { ListedIssuer, TrustGate } from '../../protocol/credentials/trust.ts'
import { Refusal } from '../../protocol/errors.ts'
import { authorityOf } from '../../protocol/mobile-credentials/authority.ts'
import { type Certificate, keyIn } from '../../protocol/mobile-credentials/certificates.read.ts'
import { readChain } from '../../protocol/mobile-credentials/chains.ts'
import { keyOf, type Session } from '../../protocol/mobile-credentials/device-auth.ts'
import { issuersAmong } from '../../protocol/mobile-credentials/issued.ts'
import { MDOC, otherBounds, readMdocs, shownNameSpaces } from '../../protocol/mobile-credentials/read.ts'
import { type ListTrust, readMobileList } from '../../protocol/mobile-credentials/status.ts'
import { type Reason, verifyMdoc } from '../../protocol/mobile-credentials/verify.ts'
import { type StatusState, stateOf, TOKEN_TYPES, type TokenEntry } from '../../protocol/status-list/token.ts'
import { UUID } from '../../protocol/uuid.ts'
import type { NamedLists } from '../credentials/status-lists/named.ts'
import type { Dependencies } from '../dependencies.ts'
import { isOfAuthority, storedCertificate } from './records.ts'
import { LIST_KIND } from './sign.ts'
import { invalidRequest } from './terms.ts'

export interface MobileVerifyRequest {
  /** IssuerSigned or DeviceResponse in base64url. */
  payload: string
  session?: { transcript: string; readerPrivateKey?: Record<string, unknown> | undefined } | undefined
}

export interface VerifiedMdoc {
  docType: string
  verified: boolean
  reason: Reason[]
  /** What was not checked. */
  warnings: string[]
  namespaces: Record<string, Record<string, unknown>>
  /** Fingerprint of the trusted certificate that it leads to. */
  issuerFingerprint?: string
  /** Where a trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuer
  validityInfo: { signed: string; validFrom: string; validUntil: string }
}

export interface MobileVerdict<Document = VerifiedMdoc> {
  verified: boolean
  reason: Reason[]
  documents: Document[]
}

/** With the key that the credential is bound to, where it names one that can be read. */
export interface BoundMdoc {
  document: VerifiedMdoc
  deviceKey: JsonWebKey | undefined
  /** The trusted authority that it leads to, as policies know it. */
  authority: string | undefined
  /** The certificate of its signer: of those that come with it the only one that is verified. */
  signer: Certificate | undefined
}

const TRUSTED = `select id, certificate from mobile_iacas
where tenant_id = $1 and active and deleted_at is null order by created_at desc, id`

/** Keys, not certificates: those have several forms and successors (D-327). */
const REVOKED = `select encode(public_key, 'hex') as key from mobile_document_signers
where tenant_id = $1 and revoked_at is not null`

const bytesOf = (text: string, path: string): Uint8Array => {
  const bytes = fromBase64url(withoutPadding(text))
  if (bytes && bytes.length > 0) return bytes
  throw invalidRequest(path, 'base64url', 'expected base64url', 'The request has no bytes to verify.')
}

function readerKeyOf(jwk: Record<string, unknown> | undefined): KeyObject | undefined {
  if (!jwk) return undefined
  try {
    return createPrivateKey({ key: jwk, format: 'jwk' })
  } catch {
    throw invalidRequest(
      'session.readerPrivateKey',
      'jwk',
      'expected a private JSON Web Key of the curve of the device key',
      'The key of the reader cannot be read.',
    )
  }
}

/** SessionTranscript, also where it comes as SessionTranscriptBytes. */
function sessionOf({ transcript, readerPrivateKey }: NonNullable<MobileVerifyRequest['session']>): Session {
  const bytes = bytesOf(transcript, 'session.transcript')
  const item = decodeCbor(bytes, otherBounds('request.invalid'))
  const inner = isTag(item) && item.contents instanceof Uint8Array ? item.contents : bytes
  return { transcript: inner, readerKey: readerKeyOf(readerPrivateKey) }
}

interface Parts extends Pick<Dependencies, 'systemSql' | 'now' | 'config'> {
  namedLists: NamedLists
  policyGate: Pick<PolicyGate, 'reasonsAgainst'>
  trustGate: TrustGate
}

const OWN_LIST = new RegExp(`^/v1/credentials/mobile/status-lists/(${UUID})$`)

/** Verifies mdocs against the IACAs of the tenant, own and imported ones. */
export function createMobileVerifier({ systemSql, now, config, namedLists, policyGate, trustGate }: Parts) {
  const clock = () => ({ now: now(), toleranceMs: config.clockToleranceMs })

  /** Own lists are read from their rows: current, and without a network call. */
  async function stateIn(
    tenantId: string,
    entry: TokenEntry,
    trust: ListTrust,
    signer: Certificate | undefined,
  ): Promise<StatusState> {
    const isBy = isOfAuthority(trust.iaca, signer)
    const ours = await namedLists.ownState(entry, { path: OWN_LIST, kind: LIST_KIND, isBy })
    if (ours !== undefined) return ours
    const list = await namedLists.foreignList(entry.url, {
      name: `${tenantId} ${trust.iaca.fingerprint} ${entry.url}`,
      readFor: tenantId,
      accept: TOKEN_TYPES.cwt,
      read: (bytes) => readMobileList(bytes, entry.url, trust, clock()),
    })
    return stateOf(list.valueAt(entry.index))
  }

  const verbs = {
    /**
     * Returns a verdict with every failed check; what cannot be read has the reason Syntax. Throws
     * `Refusal('request.invalid')` for a session that cannot be used.
     */
    async verifyBound(tenantId: string, { payload, session }: MobileVerifyRequest): Promise<MobileVerdict<BoundMdoc>> {
      const given = session && sessionOf(session)
      const bytes = bytesOf(payload, 'payload')
      const [trust, trusted, revoked] = await Promise.all([
        trustGate.trustFor(tenantId, 'mobile'),
        systemSql.query<{ certificate: Buffer }>({ name: 'trusted-iacas', text: TRUSTED, values: [tenantId] }),
        systemSql.query<{ key: string }>({ name: 'revoked-signers', text: REVOKED, values: [tenantId] }),
      ])
      const revokedKeys = new Set<string | undefined>(revoked.rows.map(({ key }) => key))
      const isRevoked = (signer: Certificate) => revokedKeys.size > 0 && revokedKeys.has(keyIn(signer))
      const iacas = trusted.rows.map(({ certificate }) => storedCertificate(certificate))
      const rules = {
        now: now(),
        ...(trust && { find: (iaca: Certificate | undefined) => trust.find(iaca && authorityOf(iaca)) }),
        isRevoked,
        session: given,
      }
      try {
        const documents: BoundMdoc[] = []
        for (const mdoc of readMdocs(bytes)) {
          const [leaf, ...above] = await readChain(mdoc.chain)
          // a listed certificate comes first: the credential leads to it, whatever IACAs the tenant has besides
          const trusted = [...(leaf && trust ? trust.anchorsOf([leaf]) : []), ...iacas]
          const known = [...above.filter((each) => each !== undefined), ...iacas]
          const issuers = leaf ? issuersAmong(known, leaf) : []
          const verdict = await verifyMdoc(mdoc, {
            ...rules,
            trusted,
            reasonsAgainst: (docType, iaca) =>
              policyGate.reasonsAgainst(tenantId, {
                format: 'mobile',
                issuer: iaca && authorityOf(iaca),
                ...(iaca && { authorities: issuers.map(authorityOf) }),
                types: [docType],
              }),
            statusOf: (entry, iaca) => stateIn(tenantId, entry, { iaca, issuers, isRevoked }, leaf),
          })
          const { verified, reasons, warnings, signer, iaca, trust: listed } = verdict
          const { docType, signed, validFrom, validUntil } = mdoc.mso
          const [from, until] = [validFrom.toISOString(), validUntil.toISOString()]
          const document = {
            docType,
            verified,
            reason: reasons,
            warnings,
            namespaces: shownNameSpaces(mdoc.nameSpaces),
            ...(iaca && { issuerFingerprint: iaca.fingerprint }),
            ...(listed && { trust: listed }),
            validityInfo: { signed: signed.toISOString(), validFrom: from, validUntil: until },
          }
          const { deviceKey } = mdoc.mso
          const key = deviceKey && keyOf(deviceKey)?.export({ format: 'jwk' })
          documents.push({ document, deviceKey: key, authority: iaca && authorityOf(iaca), signer })
        }
        const reason = documents.flatMap(({ document }) => document.reason)
        return { verified: reason.length === 0, reason, documents }
      } catch (error) {
        if (!(error instanceof Refusal && error.code === MDOC.code)) throw error
        return { verified: false, reason: [{ type: 'Syntax', message: error.message }], documents: [] }
      }
    },

    /** The same, for callers who need no keys. */
    async verifyMobileCredential(tenantId: string, request: MobileVerifyRequest): Promise<MobileVerdict> {
      const { documents, ...verdict } = await verbs.verifyBound(tenantId, request)
      return { ...verdict, documents: documents.map(({ document }) => document) }
    },
  }
  return verbs
}

export type MobileVerifier = ReturnType<typeof createMobileVerifier>
