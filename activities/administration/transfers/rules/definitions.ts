import {
  choice,
  type Fields,
  fieldErrors,
  flag,
  integer,
  json,
  optional,
  text,
  texts,
} from '../../../../protocol/administration/transfers/fields.ts'
import { templateErrors as compactErrors } from '../../../../protocol/compact-credentials/templates.ts'
import { type FieldError, pointerWithin } from '../../../../protocol/errors.ts'
import { isObject } from '../../../../protocol/json.ts'
import { mobileTemplateErrors } from '../../../../protocol/mobile-credentials/templates.ts'
import { sdJwtTemplateErrors } from '../../../../protocol/sd-jwt-credentials/templates.rules.ts'
import type { SdJwtTemplate } from '../../../../protocol/sd-jwt-credentials/templates.ts'
import { templateErrors as semanticErrors } from '../../../../protocol/semantic-credentials/templates/index.ts'

const fault = (path: string, code: string, message: string): FieldError => ({ path, code, message })

/** Members of a definition whose types the request of its creation would have had; the rules look at the rest. */
const duration = optional(json)
const DEFINITIONS: Readonly<Record<string, Fields>> = {
  semantic: {
    additionalTypes: texts(32, 255),
    claimMappings: optional(json),
    claimSourceId: optional({ type: 'reference' }),
    credentialBranding: optional(json),
    decoys: optional(integer(50)),
    description: optional(text(4_096)),
    expiresIn: duration,
    ignoreUnmapped: optional(flag),
    issuer: json,
    name: text(255),
    proofType: optional(text(255)),
    revocable: flag,
    selectively: optional(json),
    type: text(255),
  },
  compact: {
    type: text(1_024),
    claimSourceId: optional({ type: 'reference' }),
    mappings: json,
    expiration: duration,
    revocable: flag,
  },
  mobile: {
    type: text(255),
    claimSourceId: optional({ type: 'reference' }),
    mappings: json,
    expiration: duration,
    revocable: flag,
    keyAttestations: optional(json),
  },
  'sd-jwt-vc': {
    name: text(255),
    vct: text(1_024),
    vctIntegrity: optional(text(1_024)),
    description: optional(text(4_096)),
    claims: json,
    decoys: integer(50),
    expiration: duration,
    revocable: flag,
    keyBinding: flag,
    keyAttestations: optional(json),
    display: json,
    extends: optional(text(1_024)),
    extendsIntegrity: optional(text(1_024)),
    claimSourceId: optional({ type: 'reference' }),
    issuedAs: choice('did', 'https', 'x5c'),
    issuerDid: optional(text(2_048)),
    documentSignerId: optional({ type: 'reference' }),
    hosted: optional(json),
  },
}

/** What the platform serves of a type must be a document, as it would have been made here. */
function hostedErrors(hosted: unknown): FieldError[] {
  if (hosted === undefined || hosted === null) return []
  const { version, document } = isObject(hosted) ? hosted : {}
  const isDocument = typeof document === 'string' && document.length <= 1_048_576 && isJsonObject(document)
  return Number.isSafeInteger(version) && Number(version) > 0 && isDocument
    ? []
    : [fault('hosted', 'hosted', 'expected the version and the document of a type')]
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false // not JSON, so no document
  }
}

const ruleErrors: Readonly<Record<string, (definition: never, now: Date) => FieldError[]>> = {
  semantic: (definition, now) => semanticErrors(definition, now),
  compact: (definition, now) => compactErrors(definition, now, 'compact'),
  'compact-semantic': (definition, now) => compactErrors(definition, now, 'compact-semantic'),
  mobile: (definition, now) => mobileTemplateErrors(definition, now),
  'sd-jwt-vc': (definition, now) => [
    ...sdJwtTemplateErrors(definition, now),
    ...hostedErrors((definition as SdJwtTemplate).hosted),
  ],
}

/** Of the issuer that a semantic template names; its rules look at the texts. */
function issuerErrors(issuer: unknown): FieldError[] {
  if (!isObject(issuer)) return [fault('row.issuer', 'object', 'expected an object')]
  return fieldErrors({ name: text(255), iconUrl: optional(text(65_536)), logoUrl: optional(text(65_536)) }, issuer).map(
    (error) => ({ ...error, path: error.path.replace(/^row/, 'row.issuer') }),
  )
}

/** The breaches of a definition, with paths below `at`. */
export function definitionErrors(format: string, definition: unknown, at: string, now: Date): FieldError[] {
  if (!isObject(definition)) return [fault(at, 'object', 'expected an object')]
  const { contexts: _any, ...members } = definition
  const shape = DEFINITIONS[format === 'compact-semantic' ? 'compact' : format] ?? {}
  const wrong = fieldErrors(shape, format === 'semantic' ? members : definition)
  const shapeless = [...wrong, ...(format === 'semantic' && wrong.length === 0 ? issuerErrors(definition.issuer) : [])]
  const errors = shapeless.length > 0 ? shapeless : (ruleErrors[format]?.(definition as never, now) ?? [])
  return errors.map((error) => ({ ...error, path: pointerWithin(at, error.path.replace(/^row/, at)) }))
}
