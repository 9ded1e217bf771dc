import type { ComponentChild } from 'preact'
import type { Standing } from '../frame/session.ts'

export interface AreaProps {
  standing: Standing
  /** Of the address, below the area's own name: [] is its first page. */
  parts: string[]
}

/** An area of the console, below `/console/<its name in areas.ts>`. */
export interface Area {
  /** The role needs one of these scopes; none: every role opens it. */
  needs: readonly string[]
  /** Of the platform or an organization: also for those who are in no tenant yet. */
  isOfPlatform?: boolean
  /** Undefined: there is no such page. */
  page(props: AreaProps): ComponentChild | undefined
}
