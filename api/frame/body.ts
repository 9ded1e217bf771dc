import type { Request, RequestHandler } from 'express'
import express from 'express'
import { Refusal } from '../../protocol/errors.ts'
import { assertUsable, parseJson } from '../../protocol/json.strict.ts'
import { FORMS, JWTS } from './openapi/areas.ts'
import { MULTIPART_BYTES, readForm, takesFile } from './openapi/forms.ts'
import type { FindPath, OpenApi } from './openapi/paths.ts'

const LIMIT_BYTES = 1024 * 1024
const TOKEN_LIMIT_BYTES = 16 * 1024
/**
 * A larger body closes the connection; one that is only too large is read to its end, so that its sender sees the 413.
 */
const DRAINED_BYTES = 16 * LIMIT_BYTES

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const decode = (raw: Buffer): string => {
  try {
    return utf8.decode(raw)
  } catch {
    throw new Refusal('request.not_utf8', 'The body is not valid UTF-8; send it in that encoding.')
  }
}

/** A form that repeats a name is refused: parsers differ in which value they take. */
const parseForm = (text: string): Record<string, string> => {
  const form = new URLSearchParams(text)
  const names = [...form.keys()]
  if (new Set(names).size !== names.length)
    throw new Refusal('request.duplicate_member', 'The form repeats a parameter; send each one once.')
  for (const [name, value] of form) for (const text of [name, value]) assertUsable(text, name)
  return Object.fromEntries(form)
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;\s*charset="?utf-8"?\s*)?$/i
const JWT_TYPE = /^application\/jwt\s*(;\s*charset="?utf-8"?\s*)?$/i
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i

/** The second name is what browsers of Windows send. */
const ZIP_TYPE = /^application\/(zip|x-zip-compressed)\s*$/i

const readRaw = express.raw({ type: () => true, limit: LIMIT_BYTES })
const readSmall = express.raw({ type: () => true, limit: TOKEN_LIMIT_BYTES })
const readMultipart = express.raw({ type: () => true, limit: MULTIPART_BYTES })

/** Whether the operation takes its body as a form as well. */
const takesForm = ({ path, method }: Request, find: FindPath): boolean =>
  FORMS.has(find(path)?.operations.get(method) ?? '')

/** Whether the operation takes a JWT in place of its JSON body. */
const takesJwt = ({ path, method }: Request, find: FindPath): boolean =>
  Object.hasOwn(JWTS, find(path)?.operations.get(method) ?? '')

export interface BodyParts {
  asksForToken(request: Request): boolean
  takesArchive(request: Request): boolean
  openApi: OpenApi
  find: FindPath
}

/** Reads the text of a body as its media type says; undefined for an archive, and without members for a JWT. */
function textBody(
  request: Request,
  { mayBeForm, mayBeArchive, mayBeJwt }: { mayBeForm: boolean; mayBeArchive: boolean; mayBeJwt: boolean },
): unknown {
  const type = request.headers['content-type'] ?? ''
  if (JSON_TYPE.test(type)) return parseJson(decode(request.rawBody))
  if (FORM_TYPE.test(type) && mayBeForm) return parseForm(decode(request.rawBody))
  if (mayBeJwt && JWT_TYPE.test(type)) {
    request.sentJwt = decode(request.rawBody).trim()
    return {}
  }
  if (mayBeArchive && ZIP_TYPE.test(type)) return undefined
  throw new Refusal(
    'request.unsupported_media_type',
    `The operation does not accept this Content-Type. Send the body as application/json, or as a type that ends in +json, in UTF-8${mayBeArchive ? ', or as application/zip' : ''}.`,
  )
}

/**
 * Reads the whole body and checks it as text before it becomes a tree. Token requests may be forms; strangers send them
 * as often as they like (D-199), so they must be small. A ZIP archive stays as bytes, which a thread reads.
 */
export const readBody =
  ({ asksForToken, takesArchive, openApi, find }: BodyParts): RequestHandler =>
  (request, response, next) => {
    if (Number(request.headers['content-length']) > DRAINED_BYTES) {
      response.set('Connection', 'close')
      throw new Refusal('request.too_large', 'The body is larger than 1 MiB.')
    }
    const isToken = asksForToken(request)
    const hasFile = takesFile(request, find)
    const read = isToken ? readSmall : hasFile ? readMultipart : readRaw
    read(request, response, (failure?: unknown) => {
      if (failure) return next(failure)
      const raw: unknown = request.body
      request.rawBody = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0)
      request.body = undefined
      if (request.rawBody.length === 0) return next()
      if (hasFile) return void readForm(request, openApi, find).then(() => next(), next)
      try {
        request.body = textBody(request, {
          mayBeForm: isToken || takesForm(request, find),
          mayBeArchive: takesArchive(request),
          mayBeJwt: takesJwt(request, find),
        })
        next()
      } catch (error) {
        next(error)
      }
    })
  }
