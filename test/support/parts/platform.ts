import { createPlatform, type Platform } from '../../../activities/index.ts'
import type { World } from '../world.ts'

/** The platform's verbs over the world's own connections, to call them as a process does that died or was too slow. */
export const platformOf = (world: World): Platform => createPlatform(world.dependencies)
