import type { Json } from '../../../protocol/data-integrity/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { jwsAlgorithm, signCompactJws } from '../../../protocol/jws.ts'
import {
  type DcqlQuery,
  dcqlOf,
  typesToExpand,
  type Wanted,
  wantedOf,
} from '../../../protocol/openid/verifiers/dcql.ts'
import { requestClaims, requestObjectHeader, type WalletRequest } from '../../../protocol/openid/verifiers/requests.ts'
import { readQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { RefuseSigner, Signers } from '../../dids/signers.ts'
import type { TenantContexts } from '../../semantic-credentials/contexts.ts'

/** Best first: more wallets verify ES256. */
const KEY_TYPES = ['p256', 'ed25519']
const NEEDED_BY = 'the request of a verifier'

const refuseDid: RefuseSigner = ({ expected }) =>
  new Refusal('oidc_verifier.did_unfit', 'The DID of the verifier cannot sign its requests; see errors.', [
    { path: 'verifier_did', code: 'did', message: expected },
  ])

interface Parts extends Pick<Dependencies, 'documents'> {
  signers: Signers
  contexts: TenantContexts
}

/** What a verifier asks wallets for, and the signature under it. */
export function createSignInRequests({ documents, signers, contexts }: Parts) {
  async function signerOf(tenantId: string, did: string) {
    const signer = await signers.signerOf(tenantId, did, refuseDid)
    return signer.withKey({ keyTypes: KEY_TYPES, neededBy: NEEDED_BY })
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

    checkTemplate(query: unknown): void {
      wantedBy(query)
    },

    /** Throws `Refusal('oidc_verifier.did_unfit')`. */
    async checkDid(tenantId: string, did: string): Promise<void> {
      await signerOf(tenantId, did)
    },

    async queryFor(tenantId: string, query: unknown): Promise<DcqlQuery> {
      const wanted = wantedBy(query)
      const types = new Map<string, string[]>()
      for (const each of wanted) types.set(each.id, await typesOf(tenantId, each))
      return dcqlOf(wanted, (id) => types.get(id) ?? [])
    },

    /** The request object, signed by the DID (OpenID4VP 1.0, section 5.9.3). */
    async sign(tenantId: string, did: string, request: WalletRequest): Promise<string> {
      const { verificationMethod, keyType, sign } = await signerOf(tenantId, did)
      return signCompactJws(
        requestObjectHeader(jwsAlgorithm(keyType), verificationMethod),
        requestClaims(request),
        sign,
      )
    },
  }
}

export type SignInRequests = ReturnType<typeof createSignInRequests>
