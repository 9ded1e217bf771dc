import {
  type Fields,
  fieldErrors,
  flag,
  json,
  optional,
  text,
  texts,
} from '../../../../protocol/administration/transfers/fields.ts'
import { templateErrors as compactErrors } from '../../../../protocol/compact-credentials/templates.ts'
import { type FieldError, pointerWithin } from '../../../../protocol/errors.ts'
import { isObject } from '../../../../protocol/json.ts'
import { mobileTemplateErrors } from '../../../../protocol/mobile-credentials/templates.ts'
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
    description: optional(text(4_096)),
    expiresIn: duration,
    ignoreUnmapped: optional(flag),
    issuer: json,
    name: text(255),
    proofType: optional(text(255)),
    revocable: flag,
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
  },
}

const ruleErrors: Readonly<Record<string, (definition: never, now: Date) => FieldError[]>> = {
  semantic: (definition, now) => semanticErrors(definition, now),
  compact: (definition, now) => compactErrors(definition, now, 'compact'),
  'compact-semantic': (definition, now) => compactErrors(definition, now, 'compact-semantic'),
  mobile: (definition, now) => mobileTemplateErrors(definition, now),
}

/** The breaches of a definition, with paths below `at`. */
export function definitionErrors(format: string, definition: unknown, at: string, now: Date): FieldError[] {
  if (!isObject(definition)) return [fault(at, 'object', 'expected an object')]
  const { contexts: _any, ...members } = definition
  const shape = DEFINITIONS[format === 'compact-semantic' ? 'compact' : format] ?? {}
  const wrong = fieldErrors(shape, format === 'semantic' ? members : definition)
  const issuer = format === 'semantic' && wrong.length === 0 && !isObject(definition.issuer)
  const errors = issuer
    ? [fault('row.issuer', 'object', 'expected an object')]
    : wrong.length > 0
      ? wrong
      : (ruleErrors[format]?.(definition as never, now) ?? [])
  return errors.map((error) => ({ ...error, path: pointerWithin(at, error.path.replace(/^row/, at)) }))
}
