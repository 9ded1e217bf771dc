import { within } from '../../errors.ts'
import { isObject, type Json, listOf } from '../../json.ts'
import { isReservedName } from '../../names.ts'
import { isUri } from '../checks.ts'
import { type Report, trustedIssuersIn } from './asked.ts'
import { claimsIn, isRequired, onlyMembers, type Scalar, typeIn } from './dcql.parts.ts'

/** The query for one SD-JWT VC, in the words of DCQL (OpenID4VP 1.0, section 6.1 and appendix B.3.5). */
export interface SdJwtQuery {
  format: 'dc+sd-jwt'
  /** Its path in the request's body, such as `query.0.credentialQuery.1`. */
  path: string
  /** false: an answer without such a credential is valid too. */
  required: boolean
  /** The accepted types, of which it has to have one. */
  vcts: string[]
  /** Empty: only what the issuer always discloses. */
  claims: { path: ClaimSteps; values?: Scalar[] }[]
  /** The accepted issuers; an empty list accepts none, undefined accepts all. */
  trustedIssuers?: string[]
}

/** A name, an index, or null for every element of a list (section 7). */
type ClaimSteps = (string | number | null)[]

const MAX_TYPES = 20
const MAX_STEPS = 32
const MAX_NAME = 255
const MAX_TYPE = 2_048

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= max && !/\p{Cc}/u.test(value)

const isStep = (value: unknown): value is ClaimSteps[number] =>
  value === null ||
  (typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : isText(value, MAX_NAME) && !isReservedName(value))

/** The issuer of a verdict: a DID, an https address, or the name of the key of an IACA. */
const isIssuer = (value: unknown): value is string =>
  isUri(value) || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value))

function stepsIn(steps: unknown[], path: string, report: Report): ClaimSteps | undefined {
  if (steps.length === 0 || steps.length > MAX_STEPS)
    report(path, 'path', `must be a list of 1 to ${MAX_STEPS} names, indexes and null`)
  else if (typeof steps[0] !== 'string') report(path, 'path', 'must begin with the name of a claim')
  else if (steps.every(isStep)) return steps
  else
    report(
      within(
        path,
        steps.findIndex((each) => !isStep(each)),
      ),
      'step',
      'must be a name, an index from 0, or null',
    )
  return undefined
}

/** Each entry counts: where none did, everybody would be trusted, and so nobody is (D-834). */
function issuersIn(value: unknown, path: string, report: Report): string[] {
  for (const [index, entry] of listOf(value).entries())
    if (isObject(entry) && entry.required === false)
      report(`${path}.${index}.required`, 'trusted', 'must be true or absent: leave out an issuer that does not count')
  const message = 'must be the DID or the URL of an issuer, or the name of the key of an IACA'
  return trustedIssuersIn(value, path, report, { isIssuer, message }) ?? []
}

/**
 * Reads `{format: 'dc+sd-jwt', meta: {vct_values}, claims, required, trustedIssuer}`. Without `claims` the wallet discloses
 * nothing that it can hide. Unknown members are refused.
 */
export function sdJwtQuery(entry: Json, path: string, report: Report): SdJwtQuery | undefined {
  const { meta, claims, trustedIssuer } = entry
  onlyMembers(entry, ['format', 'meta', 'claims', 'required', 'trustedIssuer'], path, report)
  const required = isRequired(entry.required, path, report)
  const vcts = listOf(typeIn(meta, 'vct_values', path, report))
  if (vcts.length === 0 || vcts.length > MAX_TYPES || !vcts.every((vct) => isText(vct, MAX_TYPE))) {
    report(`${path}.meta.vct_values`, 'required', `must be a list of 1 to ${MAX_TYPES} types, each a vct`)
    return undefined
  }
  const read = claims === undefined ? [] : claimsIn(claims, path, report, (steps, at) => stepsIn(steps, at, report))
  const issuers = trustedIssuer === undefined ? undefined : issuersIn(trustedIssuer, `${path}.trustedIssuer`, report)
  return {
    format: 'dc+sd-jwt',
    path,
    required,
    vcts: vcts.map(String),
    claims: read.map(({ steps, values }) => ({ path: steps, ...(values && { values }) })),
    ...(issuers && { trustedIssuers: issuers }),
  }
}
