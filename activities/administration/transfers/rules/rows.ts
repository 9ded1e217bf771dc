import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { choice, type Fields, fieldErrors, flag, time } from '../../../../protocol/administration/transfers/fields.ts'
import { isDid, validateDidDocument } from '../../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../../protocol/dids/key.ts'
import { parseWebDid } from '../../../../protocol/dids/web.ts'
import { type FieldError, within } from '../../../../protocol/errors.ts'
import { isObject, type Json } from '../../../../protocol/json.ts'
import { readMdocs } from '../../../../protocol/mobile-credentials/read.ts'
import { openEnvelope } from '../../../../protocol/semantic-credentials/enveloped/index.ts'
import { envelopedCredential } from '../../../../protocol/semantic-credentials/enveloped/issue.ts'
import { isEnvelopeType } from '../../../../protocol/semantic-credentials/proof-types.ts'
import { checkContext } from '../../../frame/contexts.ts'
import { parseTarget } from '../../../frame/outbound/url.ts'

const STATUS_CHANGE: Fields = { purpose: choice('revocation', 'suspension'), value: flag, changedAt: time }
const MOST_CHANGES = 1_000
/** Clocks of two platforms differ by less. */
export const AHEAD_MS = 86_400_000

export const fault = (path: string, code: string, message: string): FieldError => ({ path, code, message })

export const isGiven = (value: unknown) => value !== null && value !== undefined

/** Exactly one of two members. */
export const oneOf = (row: Json, one: string, other: string): FieldError[] =>
  isGiven(row[one]) === isGiven(row[other]) ? [fault(one, 'one', `expected either ${one} or ${other}`)] : []

/** Both or none. */
const together = (row: Json, one: string, other: string): FieldError[] =>
  isGiven(row[one]) === isGiven(row[other])
    ? []
    : [fault(other, 'together', `expected ${one} and ${other}, or neither`)]

/** What is made after now is passed over by all that ends, erases or exports what was made before. */
export const lateErrors = (row: Json, now: Date): FieldError[] =>
  ['createdAt', 'updatedAt'].flatMap((name) =>
    typeof row[name] === 'string' && Date.parse(row[name]) > now.getTime() + AHEAD_MS
      ? [fault(within('row', name), 'late', 'expected a time that has passed')]
      : [],
  )

/** As one that was fetched: its text is read whenever a document names it. */
export function contextErrors({ url, sha256, document }: Json): FieldError[] {
  const bytes = Buffer.from(String(document))
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    return [fault('sha256', 'digest', 'expected the digest of the document')]
  parseTarget(String(url))
  checkContext(String(url), bytes)
  return []
}

/** Where the platform looks for the document of a DID is in the DID; of a did:key nobody hosts one. */
function placeErrors({ did, method, hosting, host, path }: Json): FieldError[] {
  if (method === 'KEY')
    return hosting === 'none' && !isGiven(host) && !isGiven(path)
      ? []
      : [fault('hosting', 'hosting', 'expected none, without host and path: a did:key has its document in itself')]
  const web = parseWebDid(String(did))
  const authority = web.port === undefined ? web.host : `${web.host}:${web.port}`
  return [
    ...(web.did === did ? [] : [fault('did', 'did', `expected ${web.did}`)]),
    ...(hosting === 'none' ? [fault('hosting', 'hosting', 'expected platform or caller')] : []),
    ...(host === authority ? [] : [fault('host', 'host', `expected ${authority}`)]),
    ...(path === web.path.join('/')
      ? []
      : [fault('path', 'path', `expected ${web.path.join('/') || 'an empty path'}`)]),
  ]
}

export function didErrors(row: Json): FieldError[] {
  const { method, document } = row
  const did = String(row.did)
  if (!isDid(did) || !did.startsWith(method === 'KEY' ? 'did:key:' : 'did:web:'))
    return [fault('did', 'did', 'expected a DID of the method')]
  validateDidDocument(did, document)
  // whatever the form of its keys: the DID itself says which key it is
  if (method === 'KEY') resolveDidKey(did)
  return placeErrors(row)
}

/** What stands in an envelope is the document. Throws `envelope.*`. */
function envelopeErrors({ format, proofType, document, envelope }: Json): FieldError[] {
  if (format !== 'semantic' || !isEnvelopeType(proofType))
    return isGiven(envelope) ? [fault('envelope', 'proof_type', 'expected none: the credential has a proof')] : []
  if (!isGiven(envelope))
    return [fault('envelope', 'required', `expected the envelope of a credential as ${proofType}`)]
  const { mediaType, credential, keyBindingFault } = openEnvelope(envelopedCredential(String(envelope)))
  return keyBindingFault === undefined &&
    mediaType === `application/${proofType}` &&
    isDeepStrictEqual(credential, document)
    ? []
    : [fault('envelope', 'content', `expected the document as ${proofType}`)]
}

/** A credential in the form in which its format reads it. Throws `credential.malformed`. */
function documentErrors({ format, erasedAt, document, documentBytes, envelope, tag }: Json): FieldError[] {
  // nobody finds an erased credential, so that nothing in it could be erased
  if (isGiven(erasedAt))
    return isGiven(documentBytes) ||
      isGiven(envelope) ||
      isGiven(tag) ||
      !isObject(document) ||
      Object.keys(document).length > 0
      ? [fault('erasedAt', 'erased', 'expected an empty document and no tag of a credential that was erased')]
      : []
  if (format === 'mobile') {
    if (!isGiven(documentBytes))
      return [fault('documentBytes', 'required', 'expected the bytes of a mobile credential')]
    readMdocs(new Uint8Array(Buffer.from(String(documentBytes), 'base64')))
    return []
  }
  if (!isObject(document)) return [fault('document', 'object', 'expected an object')]
  if (format === 'semantic') return []
  const { encoded, decoded } = document
  if (format === 'sd-jwt-vc')
    return typeof encoded === 'string' && isObject(decoded) && typeof decoded.vct === 'string'
      ? []
      : [fault('document', 'form', 'expected encoded, a text, and decoded, the claims with their vct')]
  const hasIssuer = isObject(decoded) && (format === 'compact' || isObject(decoded.issuer))
  return typeof encoded === 'string' && hasIssuer
    ? []
    : [fault('document', 'form', 'expected encoded, a text, and decoded, the claims with their issuer')]
}

export function credentialErrors(row: Json): FieldError[] {
  const changes = row.statusChanges
  return [
    ...oneOf(row, 'document', 'documentBytes'),
    ...documentErrors(row),
    ...(isGiven(row.erasedAt) ? [] : envelopeErrors(row)),
    ...oneOf(row, 'didId', 'documentSignerId'),
    ...(row.format === 'sd-jwt-vc' || (row.format === 'mobile') === isGiven(row.documentSignerId)
      ? []
      : [
          fault(
            'documentSignerId',
            'format',
            'expected a document signer of a mobile credential, and of no other one but an SD-JWT VC',
          ),
        ]),
    ...together(row, 'statusListId', 'statusIndex'),
    ...together(row, 'suspensionListId', 'suspensionIndex'),
    ...together(row, 'templateId', 'templateVersion'),
    ...((row.revoked === true && !isGiven(row.statusListId)) ||
    (row.suspended === true && !isGiven(row.suspensionListId))
      ? [fault('statusListId', 'required', 'expected the entry of a credential that has a status')]
      : []),
    ...(Array.isArray(changes) && changes.length <= MOST_CHANGES
      ? changes.flatMap((change, at) =>
          fieldErrors(STATUS_CHANGE, change).map((error) => ({
            ...error,
            path: error.path.replace(/^row/, within('statusChanges', at)),
          })),
        )
      : [fault('statusChanges', 'list', `expected a list of at most ${MOST_CHANGES}`)]),
  ]
}
