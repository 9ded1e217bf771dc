import type { RequestHandler } from 'express'
import { Refusal } from '../../../protocol/errors.ts'
import type { GeneratedOpenApi } from './generated.ts'

export type OpenApi = GeneratedOpenApi

export interface KnownPath {
  /** As in the document: a path may name a person's DID, its template never does. */
  template: string
  /** operationId by method; HEAD is GET without its body. */
  operations: ReadonlyMap<string, string>
  /** Its GET is for everybody: a document that is published. */
  isPublic: boolean
}

export type FindPath = (path: string) => KnownPath | undefined

const patternOf = (template: string) =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`)

/** Finds a path's place in the document; where two templates fit, the one with fewer parameters (OpenAPI, Paths Object). */
export function createPaths({ paths }: OpenApi): FindPath {
  const known = Object.entries(paths)
    .map(([template, methods]) => {
      const operations = new Map(
        Object.entries(methods).map(([method, { operationId }]) => [method.toUpperCase(), operationId]),
      )
      const get = operations.get('GET')
      if (get) operations.set('HEAD', get)
      const isPublic = methods.get !== undefined && (methods.get.security ?? []).length === 0
      return { template, operations, isPublic, pattern: patternOf(template), parameters: template.split('{').length }
    })
    .sort((a, b) => a.parameters - b.parameters)
  return (path) => known.find(({ pattern }) => pattern.test(path))
}

/** 405 with Allow for a known path (RFC 9110 section 15.5.6), before anything reads the body; OPTIONS is told the same. */
export const checkMethod =
  (find: FindPath): RequestHandler =>
  (request, response, next) => {
    const operations = find(request.path)?.operations
    if (!operations || operations.has(request.method)) return next()
    const methods = [...operations.keys(), 'OPTIONS'].join(', ')
    response.set('Allow', methods)
    if (request.method !== 'OPTIONS') throw new Refusal('request.method_not_allowed', `This path takes ${methods}.`)
    response.status(204).end()
  }
