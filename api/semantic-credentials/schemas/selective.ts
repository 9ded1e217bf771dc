import { ref } from '../../frame/openapi/json.ts'
import type { Schemas } from '../../frame/openapi/schemas.ts'

/** Options of the VC API for credentials as vc+sd-jwt. */
export const SELECTIVE: Schemas = {
  selectively: {
    description: 'For vc+sd-jwt: claims that the holder may leave out. Default: every claim of the subjects.',
    type: 'array',
    items: ref('SdJwtPath'),
    maxItems: 1_000,
  },
  decoys: {
    description: 'For vc+sd-jwt: digests that stand for no claim, in each subject. Default: 0.',
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 50,
  },
  holderKey: { description: 'For vc+sd-jwt: the key of the holder.', allOf: [ref('SdJwtHolderKey')] },
}
