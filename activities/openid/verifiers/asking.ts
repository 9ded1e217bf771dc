import type { Json } from '../../../protocol/data-integrity/index.ts'
import { toJwk } from '../../../protocol/dids/jwk.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { jwsAlgorithm, signCompactJws } from '../../../protocol/jws.ts'
import type { DcqlQuery } from '../../../protocol/openid/dcql/query.ts'
import { encryptRequest, type WalletAbilities } from '../../../protocol/openid/verifiers/abilities.ts'
import { attestationFaults } from '../../../protocol/openid/verifiers/attestations.ts'
import { certificateRequest, chainFaults } from '../../../protocol/openid/verifiers/certificates.ts'
import { dcqlOf, typesToExpand, type Wanted, wantedOf } from '../../../protocol/openid/verifiers/dcql.ts'
import { fitted } from '../../../protocol/openid/verifiers/fitting.ts'
import {
  type Identified,
  requestClaims,
  requestObjectHeader,
  type WalletRequest,
} from '../../../protocol/openid/verifiers/requests.ts'
import { invalidVerifier } from '../../../protocol/openid/verifiers/values.ts'
import { readQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { RefuseSigner, Signers } from '../../dids/signers.ts'
import type { TenantContexts } from '../../semantic-credentials/contexts.ts'

/** Best first: more wallets verify ES256. */
const KEY_TYPES = ['p256', 'ed25519']
/** What certificates are for. */
const CERTIFIED_KEY_TYPES = ['p256']
/** What a wallet verifies comes first; a DID may have keys of both types. */
const preferred = (algorithms: readonly string[] | undefined): string[] => {
  const isRead = (keyType: string) => algorithms?.includes(jwsAlgorithm(keyType)) ?? true
  return [...KEY_TYPES.filter(isRead), ...KEY_TYPES.filter((keyType) => !isRead(keyType))]
}
const NEEDED_BY = 'the request of a verifier'

const refuseDid: RefuseSigner = ({ expected }) =>
  new Refusal('oidc_verifier.did_unfit', 'The DID of the verifier cannot sign its requests; see errors.', [
    { path: 'verifier_did', code: 'did', message: expected },
  ])

interface Parts extends Pick<Dependencies, 'documents' | 'now'> {
  signers: Signers
  contexts: TenantContexts
}

/** What a verifier asks wallets for, and the signature under it. */
export function createSignInRequests({ documents, now, signers, contexts }: Parts) {
  /** With the signer comes what forbids that it signs with the verifier's certificates. */
  async function signerOf(
    tenantId: string,
    { verifierDid, certificateChain, attestation }: Identified,
    { until = now(), algorithms }: { until?: Date | undefined; algorithms?: readonly string[] | undefined } = {},
  ) {
    const found = await signers.signerOf(tenantId, verifierDid, refuseDid)
    const isFreeToChoose = !certificateChain && attestation === undefined
    const keyTypes = isFreeToChoose ? preferred(algorithms) : certificateChain ? CERTIFIED_KEY_TYPES : KEY_TYPES
    const signer = found.withKey({ keyTypes, neededBy: NEEDED_BY })
    const { keyType, publicKey } = signer
    const jwk = attestation === undefined ? undefined : toJwk({ keyType, publicKey })
    return {
      signer,
      faults: [
        ...(certificateChain ? chainFaults(certificateChain, publicKey, now()) : []),
        ...(attestation !== undefined && jwk ? attestationFaults(attestation, jwk, { now: now(), until }) : []),
      ],
    }
  }

  /** Throws `Refusal('oidc_verifier.template_unsuitable')`. */
  function wantedBy(query: unknown): Wanted[] {
    const wanted = wantedOf(readQuery(query).queries)
    if (wanted.some(({ required }) => required)) return wanted
    throw new Refusal(
      'oidc_verifier.template_unsuitable',
      'The presentation template requires no credential, so that it says nothing about who signs in.',
      [
        {
          path: 'presentation_template_id',
          code: 'unsuitable',
          message: 'expected a template with a required credential, by QueryByExample, QueryByFrame or DCQL',
        },
      ],
    )
  }

  /** The types of a query as IRIs. Names that its contexts do not define are compared when the wallet answers. */
  async function typesOf(tenantId: string, wanted: Wanted): Promise<string[]> {
    if (wanted.format !== 'ldp_vc') return []
    const document = typesToExpand(wanted.query) as Json
    const [expanded] = await documents.expand({ document, safe: false }, contexts.lookupFor(tenantId))
    const types = expanded && '@type' in expanded ? expanded['@type'] : []
    return Array.isArray(types) ? types.filter((type) => typeof type === 'string' && type.includes(':')) : []
  }

  return {
    wantedBy,

    /** Whether a template asks for SD-JWT VCs, whose claims have plain names. */
    asksForClaims: (query: unknown): boolean =>
      wantedOf(readQuery(query).queries).some(({ query: asked }) => 'vcts' in asked),

    checkTemplate(query: unknown): void {
      wantedBy(query)
    },

    /**
     * `until`: when the verifier asks for the last time. Throws `Refusal('oidc_verifier.did_unfit')`, and
     * `'oidc_verifier.invalid'` for certificates or an attestation that do not fit.
     */
    async checkSigner(tenantId: string, verifier: Identified, until?: Date): Promise<void> {
      const { faults } = await signerOf(tenantId, verifier, { until })
      if (faults.length > 0) throw invalidVerifier(faults)
    },

    /** For a certificate of the verifier at this host. Throws `Refusal('oidc_verifier.did_unfit')`. */
    async certificateRequest(tenantId: string, verifierDid: string, host: string): Promise<string> {
      const found = await signers.signerOf(tenantId, verifierDid, refuseDid)
      return certificateRequest(found.withKey({ keyTypes: CERTIFIED_KEY_TYPES, neededBy: NEEDED_BY }), host)
    },

    async queryFor(tenantId: string, query: unknown): Promise<DcqlQuery> {
      const wanted = wantedBy(query)
      const types = new Map<string, string[]>()
      for (const each of wanted) types.set(each.id, await typesOf(tenantId, each))
      return dcqlOf(wanted, (id) => types.get(id) ?? [])
    },

    /**
     * The request object, signed by the key of the DID (OpenID4VP 1.0, section 5.9.3), and encrypted where the wallet wants
     * that. Throws `Refusal('oidc_verifier.certificate_unfit')` where its certificates or its attestation do not fit any
     * more, and `'wallet_request.unsupported'` where the wallet cannot take the request.
     */
    async sign(
      tenantId: string,
      verifier: Identified,
      request: WalletRequest,
      wallet: WalletAbilities = {},
    ): Promise<string> {
      const { signer, faults } = await signerOf(tenantId, verifier, { algorithms: wallet.signingAlgorithms })
      if (faults.length > 0)
        throw new Refusal(
          'oidc_verifier.certificate_unfit',
          'The certificates or the attestation of the verifier do not fit.',
          faults,
        )
      const { verificationMethod, keyType, sign } = signer
      const header = requestObjectHeader(jwsAlgorithm(keyType), verificationMethod, verifier)
      const jwt = await signCompactJws(header, requestClaims(fitted(request, header.alg, wallet)), sign)
      return wallet.encryption ? encryptRequest(jwt, wallet.encryption) : jwt
    },
  }
}

export type SignInRequests = ReturnType<typeof createSignInRequests>
