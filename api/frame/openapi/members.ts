import type { Request, RequestHandler } from 'express'
import { type FieldError, Refusal, within } from '../../../protocol/errors.ts'
import { isObject } from '../../../protocol/json.ts'
import type { Described } from './generated.ts'
import type { FindPath, OpenApi } from './paths.ts'
import type { Schema, Schemas } from './schemas.ts'

export type Place = 'body' | 'query'

/** Returns the names that an object of a request may have; none where the document does not say. */
export type FindMembers = (request: Request, place: Place, steps: readonly string[]) => string[]

const operationOf = ({ paths }: OpenApi, find: FindPath, { path, method }: Request): Described | undefined =>
  paths[find(path)?.template ?? '']?.[method.toLowerCase()]

/** The schemas that a value may have, without references and choices. */
function formsOf(schema: unknown, all: Schemas, seen = new Set<unknown>()): Schema[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => {
    const list = schema[name]
    return Array.isArray(list) ? list : []
  })
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined
  const target = name === undefined ? [] : [all[name]]
  return [schema, ...[...parts, ...target].flatMap((each) => formsOf(each, all, seen))]
}

const inside = ({ properties, items, additionalProperties }: Schema, step: string): unknown =>
  /^\d+$/.test(step) && items !== undefined
    ? items
    : isObject(properties) && Object.hasOwn(properties, step)
      ? properties[step]
      : additionalProperties

/** Finds names in the API document, for messages about a name that is none of them. */
export function createMembers(openApi: OpenApi, find: FindPath): FindMembers {
  const all = openApi.components?.schemas ?? {}
  return (request, place, steps) => {
    const { parameters = [], requestBody } = operationOf(openApi, find, request) ?? {}
    if (place === 'query')
      return parameters.flatMap(({ in: where, name }) => (where === 'query' && name !== undefined ? [name] : []))
    const body = formsOf(requestBody?.content['application/json']?.schema, all)
    const forms = steps.reduce((outer, step) => outer.flatMap((form) => formsOf(inside(form, step), all)), body)
    const names = forms.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
    return [...new Set(names)]
  }
}

/**
 * Refuses what an operation without a body is sent as one: it would be ignored, whatever the sender meant by it. An
 * empty object says nothing, and clients send it.
 */
export const refuseBody =
  (openApi: OpenApi, find: FindPath): RequestHandler =>
  (request, _response, next) => {
    const body: unknown = request.body
    const operation = body === undefined ? undefined : operationOf(openApi, find, request)
    const isEmpty = isObject(body) && Object.keys(body).length === 0
    if (!operation || operation.requestBody || isEmpty) return next()
    const names = isObject(body) ? Object.keys(body).slice(0, 50) : []
    const errors = (names.length > 0 ? names.map((name) => within('', name).slice(0, 200)) : ['']).map(
      (path): FieldError => ({ path, code: 'schema', message: 'expected no body: the operation takes none' }),
    )
    throw new Refusal('request.invalid', 'The operation takes no body: send none, or {}.', errors)
  }
