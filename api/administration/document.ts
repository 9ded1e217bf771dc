import type { ADMINISTRATION_OPERATIONS } from '../../protocol/administration/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'

/** What the generator cannot say of the operations of this area (api/frame/openapi/document.ts). */
export const ADMINISTRATION_DOCUMENT: AreaDocument<keyof typeof ADMINISTRATION_OPERATIONS> = {
  examples: {
    updateTenantSettings: { fetchUnknownContexts: true, vcApi: false },
  },
  problems: {},
}
