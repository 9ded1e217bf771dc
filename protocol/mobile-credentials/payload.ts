import type { PublicJwk } from '../dids/jwk.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { isObject } from '../json.ts'

export interface Branding {
  backgroundColor?: string
  description?: string
  issuerIcon?: string
  issuerLogo?: string
  name?: string
  watermarkImage?: string
}

/** The payload of a sign request. */
export interface MobilePayload {
  docType: string
  /** Elements by namespace. */
  itemsToSign: Record<string, unknown>
  branding?: Branding | undefined
  deviceKeyInfo?: { deviceKey: PublicJwk } | undefined
  validityInfo?: { validFrom?: string; validUntil?: string; expectedUpdate?: string } | undefined
}

type Kind = 'text' | 'object'
/** A member: its kind, or its own members; `*` stands for members of any name. */
interface Shape {
  required?: readonly string[]
  members: Readonly<Record<string, Kind | Shape>>
}

const SHAPE: Shape = {
  required: ['docType', 'itemsToSign'],
  members: {
    docType: 'text',
    itemsToSign: 'object',
    branding: {
      members: {
        backgroundColor: 'text',
        description: 'text',
        issuerIcon: 'text',
        issuerLogo: 'text',
        name: 'text',
        watermarkImage: 'text',
      },
    },
    deviceKeyInfo: { required: ['deviceKey'], members: { deviceKey: 'object' } },
    validityInfo: { members: { validFrom: 'text', validUntil: 'text', expectedUpdate: 'text' } },
  },
}

function faultsOf(value: unknown, shape: Kind | Shape, path: string): FieldError[] {
  if (shape === 'text') return typeof value === 'string' ? [] : [{ path, code: 'type', message: 'expected a string' }]
  if (!isObject(value)) return [{ path, code: 'type', message: 'expected a JSON object' }]
  if (shape === 'object') return []
  const { members, required = [] } = shape
  return [
    ...required
      .filter((name) => value[name] === undefined)
      .map((name) => ({ path: within(path, name), code: 'required', message: `expected ${name}` })),
    ...Object.entries(value).flatMap(([name, member]) => {
      const at = within(path, name)
      const known = Object.hasOwn(members, name) ? members[name] : undefined
      if (known !== undefined) return member === undefined ? [] : faultsOf(member, known, at)
      const message = `expected no member of this name; known are ${Object.keys(members).join(', ')}`
      return [{ path: at.slice(0, 200), code: 'unknown_member', message }]
    }),
  ]
}

/** Reads a payload that the API document did not check. Throws `Refusal('credential.invalid')` with each field. */
export function readMobilePayload(value: unknown, path: string): MobilePayload {
  const errors = faultsOf(value, SHAPE, path)
  if (errors.length === 0) return value as MobilePayload
  throw new Refusal('credential.invalid', 'The payload is not that of a mobile credential; see errors.', errors)
}
