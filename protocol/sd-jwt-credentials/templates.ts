import { type ClaimRoots, claimPath, valueAt } from '../credentials/claim-paths.ts'
import type { KeyRequirements } from '../credentials/key-attestations.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { ownMember, setOwnMember } from '../names.ts'
import type { Duration } from '../time.ts'
import type { DisclosurePlan } from './build.ts'
import { claimCounter } from './claims.ts'
import { misfitOf } from './plan-fit.ts'

/** How a credential names its issuer and its key. */
export const ISSUED_AS = ['did', 'https', 'x5c'] as const
export type IssuedAs = (typeof ISSUED_AS)[number]

/** Names on the way to a claim; null stands for every element of an array (draft-ietf-oauth-sd-jwt-vc, claim path). */
export type TemplatePath = (string | null)[]

/** A claim of the credentials: where it is, what it is made of, and whether its holder may leave it out. */
export type TemplateClaim = {
  path: TemplatePath
  /** A path such as `claims.family_name`. Without it and a default value the claim says only how it is disclosed and shown. */
  map_from?: string
  /** Any JSON value except null. */
  default_value?: unknown
  /** Without a value nothing is signed. */
  required?: boolean
  disclosure: 'selectively' | 'always'
  display?: { locale: string; label: string; description?: string }[]
}

export interface TemplateDisplay {
  locale: string
  name: string
  description?: string
  backgroundColor?: string
  textColor?: string
  logoUrl?: string
}

/** What a caller says of a template. */
export interface SdJwtTemplateInput {
  name: string
  /** The tenant's own type; absent: a type whose metadata the platform hosts. */
  vct?: string
  /** Of the metadata of the tenant's own type. */
  vctIntegrity?: string
  description?: string
  claims: TemplateClaim[]
  /** Digests that stand for no claim, in the object at the root. */
  decoys: number
  expiration?: Duration
  revocable: boolean
  /** Whether wallets bind the credential to a key. */
  keyBinding: boolean
  /** What the wallet's provider has to attest of that key. */
  keyAttestations?: KeyRequirements
  display: TemplateDisplay[]
  extends?: string
  extendsIntegrity?: string
  claimSourceId?: string
  issuedAs: IssuedAs
  issuerDid?: string
  documentSignerId?: string
}

/** A version of a template as it is stored. */
export interface SdJwtTemplate extends SdJwtTemplateInput {
  vct: string
  /** The hosted metadata of the type, byte for byte, and the version in its address. */
  hosted?: { version: number; document: string }
}

export const templateError = (path: string, code: string, message: string): FieldError => ({
  path,
  code: `credential_template.${code}`,
  message,
})

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

export const isNames = (path: TemplatePath): path is string[] => path.every((step) => step !== null)

export const pathName = (path: TemplatePath): string => path.map((step) => step ?? '*').join('.')

/** Paths in the claims of a request that the template takes. */
export const takenPaths = ({ claims }: Pick<SdJwtTemplate, 'claims'>): string[] =>
  claims.flatMap(({ map_from }) => (map_from === undefined ? [] : (claimPath(map_from) ?? [])))

/** Sets a value at a path, and makes the objects on the way. */
function setAt(root: Json, path: readonly string[], value: unknown): void {
  const [last, way] = [path.at(-1) ?? '', path.slice(0, -1)]
  let current: object = root
  for (const step of way) {
    const next = ownMember(current, step)
    if (isObject(next)) current = next
    else {
      const made = {}
      setOwnMember(current, step, made)
      current = made
    }
  }
  setOwnMember(current, last, value)
}

/** Claims whose values are of another kind than the template's paths into them, which then would hide nothing. */
function misfits({ claims }: Pick<SdJwtTemplate, 'claims'>, made: Json): FieldError[] {
  return claims.flatMap(({ path }): FieldError[] => {
    const message = misfitOf(made, path)
    if (message === undefined) return []
    const source = claims.find(
      ({ path: outer, map_from }) => map_from !== undefined && outer.every((step, index) => path[index] === step),
    )
    return [
      templateError(source?.map_from ?? pathName(path), 'claim_shape', `${message}, for the claim ${pathName(path)}`),
    ]
  })
}

/**
 * The claims of a credential from a template. Throws `Refusal('credential_template.claims_missing')`, which names each
 * claim, and `Refusal('credential.invalid')` for values that the template's paths do not fit, or that are too large together.
 */
export function claimsFromTemplate(template: Pick<SdJwtTemplate, 'claims'>, roots: ClaimRoots): Json {
  const missing: FieldError[] = []
  const made: Json = {}
  const excessWith = claimCounter()
  for (const { path, map_from, default_value, required } of template.claims) {
    if (!isNames(path)) continue
    const value = (map_from === undefined ? undefined : valueAt(map_from, roots)) ?? default_value
    if (isGiven(value)) {
      // before it is copied: many claims may be taken from one
      const excess = excessWith(value, map_from ?? pathName(path))
      if (excess) throw new Refusal('credential.invalid', 'The claims are too large for a credential.', [excess])
      setAt(made, path, structuredClone(value))
    } else if (required)
      missing.push(
        templateError(
          map_from ?? pathName(path),
          'claim_required',
          `the template needs it for the claim ${pathName(path)}`,
        ),
      )
  }
  if (missing.length > 0)
    throw new Refusal('credential_template.claims_missing', 'Claims that the template requires are missing.', missing)
  const unfit = misfits(template, made)
  if (unfit.length > 0)
    throw new Refusal(
      'credential.invalid',
      'Claims have values of another kind than the template has paths for.',
      unfit,
    )
  return made
}

/** The claims that the holder may leave out. */
export const planOf = ({ claims, decoys }: Pick<SdJwtTemplate, 'claims' | 'decoys'>): DisclosurePlan => ({
  selective: claims.flatMap(({ path, disclosure }) => (disclosure === 'selectively' ? [path] : [])),
  decoys,
})
