import type { HEALTH_OPERATIONS } from '../../../protocol/administration/health/operations.ts'
import type { AreaDocument } from '../../frame/openapi/document.ts'
import { HEALTH } from './wire.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const HEALTH_DOCUMENT: AreaDocument<keyof typeof HEALTH_OPERATIONS> = {
  examples: {},
  answers: { getHealth: HEALTH },
  problems: [],
}
