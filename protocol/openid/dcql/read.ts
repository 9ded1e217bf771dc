import { type FieldError, within } from '../../errors.ts'
import { isObject, type Json } from '../../json.ts'
import { isReservedName } from '../../names.ts'
import type { ClaimPath, DcqlAuthorities, DcqlClaim, DcqlCredential, DcqlFormat, DcqlQuery, DcqlSet } from './query.ts'
import { DCQL_FORMATS } from './query.ts'

const MAX_CREDENTIALS = 20
const MAX_CLAIMS = 100
const MAX_SETS = 20
const MAX_STEPS = 32
const MAX_VALUES = 50
const MAX_NAME = 255
const MAX_TEXT = 2_048
/** Limit of the query's JSON: wallets read it. */
const MAX_CHARACTERS = 32_000

type Report = (path: string, code: string, message: string) => void

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT && !/[\p{Cc}]/u.test(value)

/** Section 6.1: alphanumeric characters, underscores and hyphens. */
const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_-]{1,255}$/.test(value) && !isReservedName(value)

/** Section 6.3: strings, integers and booleans. */
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'boolean' || isText(value)

const isStep = (value: unknown): value is ClaimPath[number] =>
  value === null ||
  (typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME && !isReservedName(value))

function createReader(report: Report) {
  /** A member is refused rather than ignored: the caller may rely on it. */
  const onlyMembers = (entry: Json, known: readonly string[], path: string): void => {
    for (const name of Object.keys(entry))
      if (!known.includes(name)) report(within(path, name), 'unknown', `expected only ${known.join(', ')}`)
  }

  function objectAt(value: unknown, known: readonly string[], path: string): Json {
    if (!isObject(value)) {
      report(path, 'object', `expected an object with ${known.join(', ')}`)
      return {}
    }
    onlyMembers(value, known, path)
    return value
  }

  function listAt(value: unknown, max: number, path: string, what: string): unknown[] {
    if (Array.isArray(value) && value.length > 0 && value.length <= max) return value as unknown[]
    report(path, 'list', `expected a list of 1 to ${max} ${what}`)
    return []
  }

  function flagAt(value: unknown, path: string): boolean | undefined {
    if (value === undefined || typeof value === 'boolean') return value
    report(path, 'boolean', 'expected true or false')
    return undefined
  }

  function idAt(value: unknown, path: string, taken: Set<string>): string {
    if (!isId(value)) report(path, 'id', 'expected 1 to 255 letters, digits, underscores and hyphens')
    else if (taken.has(value)) report(path, 'repeated', 'expected each id once')
    else {
      taken.add(value)
      return value
    }
    return ''
  }

  function textsAt(value: unknown, max: number, path: string, what: string): string[] {
    return listAt(value, max, path, what).flatMap((each, at) => {
      if (isText(each)) return [each]
      report(within(path, at), 'text', `expected a text of at most ${MAX_TEXT} characters`)
      return []
    })
  }

  /** Lists of ids that must be those of `known`. */
  function idListsAt(value: unknown, known: ReadonlySet<string>, path: string, what: string): string[][] {
    return listAt(value, MAX_SETS, path, `lists of ids of ${what}`).map((list, nth) => {
      const at = within(path, nth)
      const ids = listAt(list, MAX_CLAIMS, at, `ids of ${what}`)
      return ids.flatMap((id, place) => {
        if (typeof id !== 'string' || !known.has(id))
          report(within(at, place), 'id', `expected the id of one of ${what}`)
        else if (ids.indexOf(id) < place) report(within(at, place), 'repeated', 'expected each id once')
        else return [id]
        return []
      })
    })
  }

  function metaAt(format: DcqlCredential['format'], value: unknown, path: string) {
    if (format === 'dc+sd-jwt') {
      const { vct_values: types } = objectAt(value, ['vct_values'], path)
      return { format, meta: { vct_values: textsAt(types, MAX_VALUES, within(path, 'vct_values'), 'types') } }
    }
    if (format === 'mso_mdoc') {
      const { doctype_value: docType } = objectAt(value, ['doctype_value'], path)
      if (!isText(docType))
        report(within(path, 'doctype_value'), 'text', 'expected a document type, such as org.iso.18013.5.1.mDL')
      return { format, meta: { doctype_value: String(docType) } }
    }
    const { type_values: types } = objectAt(value, ['type_values'], path)
    const at = within(path, 'type_values')
    const lists = listAt(types, MAX_VALUES, at, 'lists of types').map((list, nth) => {
      const names = textsAt(list, MAX_VALUES, within(at, nth), 'types')
      for (const [place, name] of names.entries())
        if (!name.includes(':'))
          report(within(at, nth, place), 'iri', 'expected a type as an IRI, as its context defines it')
      return names
    })
    return { format, meta: { type_values: lists } }
  }

  function pathAt(value: unknown, format: DcqlFormat, path: string): ClaimPath {
    const steps = listAt(value, MAX_STEPS, path, 'steps: names, indexes and null')
    const wrong = steps.findIndex((step) => !isStep(step))
    const index = format === 'ldp_vc' ? steps.findIndex((step) => typeof step === 'number') : -1
    if (wrong >= 0) report(within(path, wrong), 'step', 'expected a name, an index from 0, or null')
    else if (index >= 0)
      report(within(path, index), 'step', 'expected a name or null: no proof signs the order of values of JSON-LD')
    else if (format === 'mso_mdoc' && !(steps.length === 2 && steps.every((step) => typeof step === 'string')))
      report(path, 'path', 'expected a namespace and an element')
    else if (typeof steps[0] === 'number' || steps[0] === null)
      report(within(path, 0), 'step', 'expected a name first: the root of a credential is an object')
    return steps.filter(isStep)
  }

  function claimAt(value: unknown, format: DcqlFormat, needsId: boolean, taken: Set<string>, path: string): DcqlClaim {
    const known = ['id', 'path', 'values', ...(format === 'mso_mdoc' ? ['intent_to_retain'] : [])]
    const entry = objectAt(value, known, path)
    if (needsId && entry.id === undefined) report(within(path, 'id'), 'required', 'expected an id: claim_sets name it')
    const id = entry.id === undefined ? undefined : idAt(entry.id, within(path, 'id'), taken)
    const retained = flagAt(entry.intent_to_retain, within(path, 'intent_to_retain'))
    const at = within(path, 'values')
    const values = entry.values === undefined ? undefined : listAt(entry.values, MAX_VALUES, at, 'values')
    for (const [place, each] of values?.entries() ?? [])
      if (!isScalar(each)) report(within(at, place), 'value', 'expected a text, a whole number, or true or false')
    return {
      ...(id !== undefined && { id }),
      path: pathAt(entry.path, format, within(path, 'path')),
      ...(values && { values: values.filter(isScalar) }),
      ...(retained !== undefined && { intent_to_retain: retained }),
    }
  }

  function authoritiesAt(value: unknown, format: string, path: string): DcqlAuthorities[] {
    return listAt(value, MAX_SETS, path, 'authorities').flatMap((each, nth): DcqlAuthorities[] => {
      const at = within(path, nth)
      const { type, values } = objectAt(each, ['type', 'values'], at)
      const keys = textsAt(values, MAX_VALUES, within(at, 'values'), 'authorities')
      if (type === 'etsi_tl') {
        for (const [place, url] of keys.entries())
          if (!url.startsWith('https://') || !URL.canParse(url))
            report(within(at, 'values', place), 'url', 'expected the https URL of a trust list of the tenant')
        return [{ type, values: keys }]
      }
      if (type !== 'aki') {
        const message = 'expected aki or etsi_tl: the platform cannot check federations'
        report(within(at, 'type'), 'authority_unsupported', message)
        return []
      }
      if (format === 'ldp_vc')
        report(
          within(at, 'type'),
          'authority_unsupported',
          'expected none: no certificate signs a credential of JSON-LD',
        )
      for (const [place, key] of keys.entries())
        if (!/^[A-Za-z0-9_-]+$/.test(key))
          report(within(at, 'values', place), 'base64url', 'expected a key identifier in base64url')
      return [{ type, values: keys }]
    })
  }

  function credentialAt(value: unknown, taken: Set<string>, path: string): DcqlCredential[] {
    const members = [
      ...['id', 'format', 'multiple', 'meta', 'trusted_authorities', 'require_cryptographic_holder_binding'],
      ...['claims', 'claim_sets'],
    ]
    const entry = objectAt(value, members, path)
    const id = idAt(entry.id, within(path, 'id'), taken)
    const format = DCQL_FORMATS.find((each) => each === entry.format)
    if (!format) {
      report(within(path, 'format'), 'enum', `expected one of ${DCQL_FORMATS.join(', ')}`)
      return []
    }
    const multiple = flagAt(entry.multiple, within(path, 'multiple'))
    const binding = within(path, 'require_cryptographic_holder_binding')
    const isBound = flagAt(entry.require_cryptographic_holder_binding, binding)
    if (isBound === false && format !== 'dc+sd-jwt')
      report(
        binding,
        'binding',
        'expected true, or dc+sd-jwt: the holder signs presentations of this format in any case',
      )
    const authorities = entry.trusted_authorities
    const claimIds = new Set<string>()
    const claimsPath = within(path, 'claims')
    const claims =
      entry.claims === undefined
        ? undefined
        : listAt(entry.claims, MAX_CLAIMS, claimsPath, 'claims').map((each, nth) =>
            claimAt(each, format, entry.claim_sets !== undefined, claimIds, within(claimsPath, nth)),
          )
    const places = claims?.map((each) => JSON.stringify(each.path)) ?? []
    for (const [nth, place] of places.entries())
      if (places.indexOf(place) < nth)
        report(within(claimsPath, nth, 'path'), 'repeated', 'expected each path once in a query (OpenID4VP 1.0, 6.1)')
    if (!claims && entry.claim_sets !== undefined)
      report(within(path, 'claim_sets'), 'unexpected', 'expected claims, from which claim_sets choose')
    return [
      {
        id,
        ...metaAt(format, entry.meta, within(path, 'meta')),
        ...(multiple !== undefined && { multiple }),
        ...(isBound !== undefined && { require_cryptographic_holder_binding: isBound }),
        ...(authorities !== undefined && {
          trusted_authorities: authoritiesAt(authorities, format, within(path, 'trusted_authorities')),
        }),
        ...(claims && { claims }),
        ...(claims &&
          entry.claim_sets !== undefined && {
            claim_sets: idListsAt(entry.claim_sets, claimIds, within(path, 'claim_sets'), 'claims'),
          }),
      },
    ]
  }

  function setAt(value: unknown, ids: ReadonlySet<string>, path: string): DcqlSet {
    const { options, required: needed } = objectAt(value, ['options', 'required'], path)
    const required = flagAt(needed, within(path, 'required'))
    return {
      options: idListsAt(options, ids, within(path, 'options'), 'credentials'),
      ...(required !== undefined && { required }),
    }
  }

  return function queryAt(value: unknown, path: string): DcqlQuery {
    const { credentials, credential_sets: sets } = objectAt(value, ['credentials', 'credential_sets'], path)
    const ids = new Set<string>()
    const at = within(path, 'credentials')
    const read = listAt(credentials, MAX_CREDENTIALS, at, 'queries for credentials').flatMap((each, nth) =>
      credentialAt(each, ids, within(at, nth)),
    )
    if (sets === undefined) return { credentials: read }
    const setsPath = within(path, 'credential_sets')
    const readSets = listAt(sets, MAX_SETS, setsPath, 'sets').map((each, nth) =>
      setAt(each, ids, within(setsPath, nth)),
    )
    const inSets = new Set(readSets.flatMap(({ options }) => options.flat()))
    for (const [nth, { id }] of read.entries())
      if (id !== '' && !inSets.has(id))
        report(within(at, nth), 'not_in_a_set', 'expected the id in credential_sets, or nobody presents the credential')
    if (readSets.every(({ required }) => required === false))
      report(setsPath, 'required', 'expected one set at least that is required')
    return { credentials: read, credential_sets: readSets }
  }
}

/** Reads a query of the caller's. `query` is valid only if `errors` is empty. */
export function readDcqlQuery(value: unknown, path: string): { query: DcqlQuery; errors: FieldError[] } {
  const errors: FieldError[] = []
  const readQuery = createReader((at, code, message) => errors.push({ path: at.slice(0, 300), code, message }))
  if (JSON.stringify(value ?? null).length > MAX_CHARACTERS) {
    errors.push({ path, code: 'too_large', message: `expected at most ${MAX_CHARACTERS} characters of JSON` })
    return { query: { credentials: [] }, errors }
  }
  const query = readQuery(value, path)
  return { query, errors }
}
