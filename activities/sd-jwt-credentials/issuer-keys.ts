import { LRUCache } from 'lru-cache'
import type { TrustGate } from '../../protocol/credentials/trust.ts'
import { verificationKey } from '../../protocol/data-integrity/keys.ts'
import { usableMethod } from '../../protocol/dids/usable.ts'
import { Refusal } from '../../protocol/errors.ts'
import { parseForeignJson } from '../../protocol/json.depth.ts'
import type { Json } from '../../protocol/json.ts'
import { authorityOf } from '../../protocol/mobile-credentials/authority.ts'
import { type Certificate, keyIn } from '../../protocol/mobile-credentials/certificates.read.ts'
import { readChain } from '../../protocol/mobile-credentials/chains.ts'
import { issuersAmong } from '../../protocol/mobile-credentials/issued.ts'
import { Faulty, faulty } from '../../protocol/sd-jwt-credentials/faults.ts'
import {
  chooseKey,
  type IssuerReference,
  metadataUrlOf,
  readIssuerMetadata,
  readKeySet,
} from '../../protocol/sd-jwt-credentials/issuers.ts'
import { keyOfCertificate, keyOfJwk } from '../../protocol/sd-jwt-credentials/keys.ts'
import type { IssuerKey } from '../../protocol/sd-jwt-credentials/verify.ts'
import {
  type ChainTrust,
  isCertificateOf,
  type TrustedChain,
  verifyChain,
} from '../../protocol/sd-jwt-credentials/x5c.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidResolver } from '../dids/resolver.ts'
import { byClock, singleFlight } from '../frame/caches.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { storedCertificate } from '../mobile-credentials/records.ts'
import type { SdJwtPublished } from './published.ts'

const TRUSTED = `select certificate from mobile_iacas
where tenant_id = $1 and active and deleted_at is null order by created_at desc, id`

/** Keys, not certificates: those have several forms and successors (D-327). */
const REVOKED = `select encode(public_key, 'hex') as key from mobile_document_signers
where tenant_id = $1 and revoked_at is not null`

const MAX_BYTES = 256 * 1024
const MAX_CACHE_CHARACTERS = 8 * 1024 * 1024
/** As long as the document of a DID is remembered, at the most. */
const REMEMBERED_MS = 60_000
/** So long at least between two reads for keys that the known ones lack: whoever presents may name keys that nobody has. */
const READ_ANEW_MS = 10_000
const ACCEPT = 'application/json'

interface Parts extends Pick<Dependencies, 'systemSql' | 'outbound' | 'now' | 'config'> {
  didResolver: DidResolver
  tenants: Pick<Tenants, 'byHost'>
  sdJwtPublished: Pick<SdJwtPublished, 'issuerMetadata'>
  trustGate: TrustGate
}

/** The key, and the certificate that it leads to. */
export interface FoundKey extends IssuerKey {
  iaca?: Certificate
  /** The certificates that lead there, the signer's own first. */
  path?: readonly Certificate[]
  /** Those of who has issued the signer's own, as far as they came along or are IACAs of the tenant. */
  issuers?: readonly Certificate[]
}

const refuse = (code: string, message: string) => faulty('IssuerKey', code, message)

/** A chain that leads to an IACA may lead on to a listed certificate, or the other way round: the listed one counts. */
function leadToListed(
  chain: readonly Uint8Array[],
  listed: readonly Certificate[],
  iacas: readonly Certificate[],
  rules: Omit<ChainTrust, 'trusted'>,
): TrustedChain {
  if (listed.length === 0) return verifyChain(chain, { ...rules, trusted: iacas })
  try {
    return verifyChain(chain, { ...rules, trusted: listed })
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    return verifyChain(chain, { ...rules, trusted: [...iacas, ...listed] })
  }
}

/** Finds the keys of issuers: by DID, by JWT VC Issuer Metadata, and by certificates of the tenant's IACAs. */
export function createIssuerKeys(parts: Parts) {
  const { systemSql, outbound, now, config, didResolver, tenants, sdJwtPublished, trustGate } = parts
  const { clockToleranceMs: toleranceMs, publicUrl } = config
  const sets = new LRUCache<string, { keys: Json[]; readAt: number }>({
    max: 500,
    maxSize: MAX_CACHE_CHARACTERS,
    sizeCalculation: ({ keys }, name) => JSON.stringify(keys).length + name.length + 512,
    ttl: REMEMBERED_MS,
    ...byClock(now),
  })
  const reading = singleFlight<Json[]>()

  async function read(tenantId: string, url: string, code: string): Promise<unknown> {
    const { status, body } = await outbound.fetch({ url, accept: ACCEPT, maxBytes: MAX_BYTES, readFor: tenantId })
    if (status !== 200) throw new Refusal('issuer_metadata.unavailable', `The issuer answered with status ${status}.`)
    return parseForeignJson(body, { code })
  }

  /** Metadata of the platform's own tenants is read without a network call. */
  async function metadataOf(tenantId: string, issuer: string): Promise<unknown> {
    const { host, protocol } = new URL(issuer)
    const isOurs = protocol === publicUrl.protocol && (host === publicUrl.host || host.endsWith(`.${publicUrl.host}`))
    const tenant = isOurs ? await tenants.byHost(host) : undefined
    if (tenant?.baseUrl === issuer) return JSON.parse(await sdJwtPublished.issuerMetadata(host))
    const url = metadataUrlOf(issuer)
    if (url === undefined) throw refuse('issuer_unsupported', 'The issuer has no address of metadata.')
    return read(tenantId, url, 'issuer_metadata.invalid')
  }

  async function readKeys(tenantId: string, issuer: string): Promise<Json[]> {
    const source = readIssuerMetadata(await metadataOf(tenantId, issuer), issuer)
    const keys =
      'keys' in source ? source.keys : readKeySet(await read(tenantId, source.jwksUri, 'issuer_metadata.invalid'))
    sets.set(`${tenantId} ${issuer}`, { keys, readAt: now().getTime() })
    return keys
  }

  async function byMetadata(tenantId: string, { issuer, kid }: Extract<IssuerReference, { by: 'metadata' }>) {
    const name = `${tenantId} ${issuer}`
    const readAnew = () => reading(name, () => readKeys(tenantId, issuer))
    const known = sets.get(name)
    const found = (keys: Json[]) => ({ key: keyOfJwk(chooseKey(keys, kid)), issuer })
    if (!known) return found(await readAnew())
    try {
      return found(known.keys)
    } catch (error) {
      // the issuer may have a new key since
      const isMissing = error instanceof Refusal && error.code === 'issuer_metadata.key_missing'
      if (!isMissing || now().getTime() - known.readAt < READ_ANEW_MS) throw error
      return found(await readAnew())
    }
  }

  async function byDid(tenantId: string, { issuer, keyUrl }: Extract<IssuerReference, { by: 'did' }>) {
    const document = await didResolver.documentFor(tenantId, issuer)
    const { method, fault } = usableMethod(document, keyUrl, 'assertionMethod', { now: now(), toleranceMs })
    if (fault) throw refuse(fault.code === 'key_ended' ? fault.code : 'key_not_authorized', fault.message)
    return { key: verificationKey(method), issuer }
  }

  async function byCertificate(
    tenantId: string,
    { chain, issuer }: Extract<IssuerReference, { by: 'x5c' }>,
    { path: [signer] = [], issuers: known = [] }: Pick<FoundKey, 'path' | 'issuers'> = {},
  ) {
    const [trust, trusted, revoked] = await Promise.all([
      trustGate.trustFor(tenantId, 'sd-jwt-vc'),
      systemSql.query<{ certificate: Buffer }>({ name: 'sd-jwt-iacas', text: TRUSTED, values: [tenantId] }),
      systemSql.query<{ key: string }>({ name: 'sd-jwt-revoked-signers', text: REVOKED, values: [tenantId] }),
    ])
    const revokedKeys = new Set(revoked.rows.map(({ key }) => key))
    const given = (await readChain(chain)).filter((each) => each !== undefined)
    const listed = trust?.anchorsOf(given) ?? []
    const iacas = trusted.rows.map(({ certificate }) => storedCertificate(certificate))
    // who has issued the certificate of a credential's signer may also issue that of its list's
    const beside = signer ? [...known, ...issuersAmong(given, signer)] : []
    const { leaf, anchor, path } = leadToListed(chain, listed, [...iacas, ...beside], {
      now: now(),
      toleranceMs,
      isRevoked: (certificate) => revokedKeys.size > 0 && revokedKeys.has(keyIn(certificate) ?? ''),
    })
    if (issuer !== undefined && !isCertificateOf(leaf, issuer))
      throw refuse('certificate_of_other', 'The certificate in the x5c of the header does not name the iss.')
    const direct = path[1] ?? anchor
    const issuers = [
      ...(direct.fingerprint === leaf.fingerprint ? [] : [direct]),
      ...issuersAmong([...given, ...iacas, ...beside], leaf),
    ]
    return { key: keyOfCertificate(leaf.publicKey), issuer: authorityOf(anchor), iaca: anchor, path, issuers }
  }

  return {
    /** `of`: the key of the credential whose status list it is. Throws `Faulty`, `Refusal`, `Unavailable('outbound')`. */
    find(tenantId: string, reference: IssuerReference, of?: FoundKey): Promise<FoundKey> {
      if (reference.by === 'did') return byDid(tenantId, reference)
      return reference.by === 'x5c' ? byCertificate(tenantId, reference, of) : byMetadata(tenantId, reference)
    },
  }
}

/** The names of an issuer: of the trusted authority, and of those that have issued its certificate. */
export const namesOf = ({ issuer, issuers = [] }: FoundKey): string[] => [
  ...new Set([issuer, ...issuers.map(authorityOf)]),
]

export type IssuerKeys = ReturnType<typeof createIssuerKeys>
