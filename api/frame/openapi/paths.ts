import express, { type RequestHandler, type Router } from 'express'
import { Refusal } from '../../../protocol/errors.ts'
import type { GeneratedOpenApi } from './generated.ts'

export type OpenApi = GeneratedOpenApi

export interface KnownPath {
  /** As in the document. For logs: a path may contain a person's DID, its template never does. */
  template: string
  /** operationId by method; HEAD is GET without its body. */
  operations: ReadonlyMap<string, string>
  /** Its GET needs no token: a published document. */
  isPublic: boolean
}

export type FindPath = (path: string) => KnownPath | undefined

const patternOf = (template: string) =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`)

/** Finds a path in the document; if two templates match, the one with fewer parameters (OpenAPI, Paths Object). */
export function createPaths({ paths }: OpenApi): FindPath {
  const known = new Map<string, KnownPath>()
  for (const [template, methods] of Object.entries(paths)) {
    const operations = new Map(
      Object.entries(methods).map(([method, { operationId }]) => [method.toUpperCase(), operationId]),
    )
    const get = operations.get('GET')
    if (get) operations.set('HEAD', get)
    const isPublic = methods.get !== undefined && (methods.get.security ?? []).length === 0
    known.set(template, { template, operations, isPublic })
  }
  const patterns = [...known.values()]
    .filter(({ template }) => template.includes('{'))
    .map((path) => ({ path, pattern: patternOf(path.template), parameters: path.template.split('{').length }))
    .sort((a, b) => a.parameters - b.parameters)
  return (path) => known.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.path
}

/** Sends a request to the routes of its path in the document, without trying those of all others. */
export function routeByPath(find: FindPath, register: (router: Router) => void): RequestHandler {
  const options = { caseSensitive: true, strict: true }
  const all = express.Router(options)
  register(all)
  const byPath = new Map<string, Router>()
  for (const layer of all.stack) {
    const template = (layer.route?.path ?? '').replace(/:(\w+)/g, '{$1}')
    const router = byPath.get(template) ?? express.Router(options)
    router.stack.push(layer)
    byPath.set(template, router)
  }
  return (request, response, next) => {
    const router = byPath.get(find(request.path)?.template ?? '')
    if (!router) return next()
    router(request, response, next)
  }
}

/**
 * 405 with Allow for a known path (RFC 9110 section 15.5.6), before anything reads the body; OPTIONS gets the same
 * header.
 */
export const checkMethod =
  (find: FindPath): RequestHandler =>
  (request, response, next) => {
    const operations = find(request.path)?.operations
    if (!operations || operations.has(request.method)) return next()
    const methods = [...operations.keys(), 'OPTIONS'].join(', ')
    response.set('Allow', methods)
    if (request.method !== 'OPTIONS')
      throw new Refusal(
        'request.method_not_allowed',
        `This path does not support ${request.method.slice(0, 20)}. Use ${methods}.`,
      )
    response.status(204).end()
  }
