import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { NextFunction, Request, RequestHandler, Response } from 'express'

/**
 * Handlers one after the other as one, without the router's search of its layers between any two of them; errors go on as in
 * express 5, thrown, rejected or passed to `next`.
 */
export const inTurn =
  (...handlers: RequestHandler[]): RequestHandler =>
  (request, response, done) => {
    const from = (place: number): void => {
      const handler = handlers[place]
      if (!handler) return void done()
      const next: NextFunction = (error?: unknown) => (error ? done(error) : from(place + 1))
      try {
        const returned: unknown = handler(request, response, next)
        if (returned instanceof Promise)
          returned.catch((error: unknown) => done(error ?? new Error('no reason was given')))
      } catch (error) {
        done(error)
      }
    }
    from(0)
  }

/**
 * Sets what a handler, such as helmet with its dozen of parts, sets on every response alike: it runs once, and its headers
 * are kept. Throws for a handler that answers, fails or ends later.
 */
export function sameHeaders(handler: RequestHandler): RequestHandler {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  let outcome: { error?: unknown } | undefined
  void handler(request as Request, response as Response, (error?: unknown) => {
    outcome = { error }
  })
  if (!outcome || outcome.error)
    throw new Error('the handler does not set its headers at once', { cause: outcome?.error })
  const headers = Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return (_request, answer, next) => {
    for (const [name, value] of headers) answer.setHeader(name, value)
    next()
  }
}
