import type { Dependencies } from '../../dependencies.ts'
import type { Frame } from '../../frame/index.ts'
import { createReach } from '../../openid/sessions/reach.ts'
import { createErasing } from './erase.ts'
import { createErasures } from './erasures.ts'
import { createExpiry } from './expiry.ts'
import { createRetentionSettings } from './retention.ts'

/** Erasures of persons, and how long a tenant keeps personal data. */
export const composePrivacy = (frame: Frame) => ({
  erasures: createErasures(frame),
  retentionSettings: createRetentionSettings(frame),
})

type Parts = Dependencies & Omit<Parameters<typeof createErasing>[0], 'wake'>

/** Activities of the workflows that erase personal data. */
export const privacyActivities = (parts: Parts) => ({
  ...createErasing({ ...parts, ...createReach(parts) }),
  ...createExpiry(parts),
})
