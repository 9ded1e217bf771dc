import type { Request } from 'express'
import type { Platform } from '../../activities/index.ts'

type ControllerClass<T> = new (platform: Platform) => T

/** tsoa gets the controller of each request here: a plain object with the platform. */
export const iocContainer = ({ app }: Request) => ({
  get: <T>(controller: ControllerClass<T>): T => new controller(app.locals.platform as Platform),
})
