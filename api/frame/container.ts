import type { Request } from 'express'
import type { Platform } from '../../activities/index.ts'

type ControllerClass<T> = new (platform: Platform) => T

/** tsoa asks here for each request's controller: a plain object over the platform, nothing to configure. */
export const iocContainer = ({ app }: Request) => ({
  get: <T>(controller: ControllerClass<T>): T => new controller(app.locals.platform as Platform),
})
