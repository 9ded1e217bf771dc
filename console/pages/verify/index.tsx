import type { Area } from '../area.ts'
import { READ_SCOPES } from '../credentials/formats.ts'
import { VerifyPage } from './verify.tsx'

export const verify: Area = {
  needs: READ_SCOPES,
  page: ({ standing, parts }) => (parts.length === 0 ? <VerifyPage standing={standing} /> : undefined),
}
