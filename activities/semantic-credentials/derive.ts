import { fromBase64url } from '../../protocol/base64url.ts'
import { isBaseProof, isSelective, type Json, suiteOfProof } from '../../protocol/data-integrity/index.ts'
import { unknownPointers } from '../../protocol/data-integrity/pointers.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import { normaliseForVerify } from '../../protocol/semantic-credentials/index.ts'
import type { Dependencies } from '../dependencies.ts'
import type { TenantContexts } from './contexts.ts'

export interface DeriveInput {
  /** With a base proof of bbs-2023 or ecdsa-sd-2023. */
  credential: unknown
  /** JSON pointers (RFC 6901) to disclose besides those that the issuer made mandatory. */
  selectivePointers: string[] | 'everything'
  /** Base64url, at most 1,024 characters: bound into a bbs-2023 proof, such as a verifier's challenge. */
  presentationHeader?: string
}

const MAX_POINTERS = 200
const MAX_HEADER = 1_024

/** Selective disclosure: derives a credential with some of the claims, which still verifies as the issuer's. */
export const createDerivation = ({
  documents,
  contexts,
}: Pick<Dependencies, 'documents'> & { contexts: TenantContexts }) => ({
  /**
   * Throws `Refusal` with `credential.malformed`, `credential.not_derivable` for any other proof than a base proof of
   * selective disclosure, `credential.pointer_invalid` naming the pointers, `request.invalid`, `context.*`.
   */
  async deriveCredential(
    tenantId: string,
    { credential: payload, selectivePointers, presentationHeader }: DeriveInput,
  ): Promise<Json> {
    const credential = normaliseForVerify(payload)
    const { proof, ...document } = credential
    const suite = isObject(proof) ? suiteOfProof(proof) : undefined
    if (!isObject(proof) || !suite || !isSelective(suite) || !isBaseProof(proof))
      throw new Refusal(
        'credential.not_derivable',
        'A credential can be derived only from one that has a base proof of its issuer (bbs-2023, ecdsa-sd-2023).',
        [{ path: 'credential.proof', code: 'base_proof', message: 'expected a single base proof' }],
      )
    const pointers = selectivePointers === 'everything' ? [] : selectivePointers
    if (pointers.length > MAX_POINTERS)
      throw new Refusal('request.invalid', 'selectivePointers has too many pointers.', [
        { path: 'selectivePointers', code: 'too_many', message: `expected at most ${MAX_POINTERS} pointers` },
      ])
    const unknown = new Set(unknownPointers(document, pointers))
    if (unknown.size > 0)
      throw new Refusal(
        'credential.pointer_invalid',
        'A JSON pointer in selectivePointers does not name a member of the credential.',
        pointers.flatMap((pointer, index) =>
          unknown.has(pointer)
            ? [{ path: `selectivePointers.${index}`, code: 'pointer', message: 'the credential has no such member' }]
            : [],
        ),
      )
    if (presentationHeader !== undefined && suite.signature !== 'bbs')
      throw new Refusal('request.invalid', 'Only a bbs-2023 proof takes a presentationHeader.', [
        { path: 'presentationHeader', code: 'bbs', message: 'expected none: an ecdsa-sd-2023 proof cannot bind it' },
      ])
    const header = fromBase64url(presentationHeader ?? '')
    if ((presentationHeader ?? '').length > MAX_HEADER || header === undefined)
      throw new Refusal('request.invalid', 'presentationHeader is not valid; see errors.', [
        {
          path: 'presentationHeader',
          code: 'base64url',
          message: `expected base64url of at most ${MAX_HEADER} characters`,
        },
      ])
    return documents.derive(
      {
        credential,
        disclose: selectivePointers,
        presentationHeader: new Uint8Array(header),
      },
      contexts.lookupFor(tenantId),
    )
  },
})

export type Derivation = ReturnType<typeof createDerivation>
