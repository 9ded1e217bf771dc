import type { PolicyReason } from '../credentials/policy.ts'
import type { ListedIssuer, TrustFinding } from '../credentials/trust.ts'
import type { VerificationKey } from '../data-integrity/keys.ts'
import { isOutboundFault, Refusal } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import type { StatusState, TokenEntry } from '../status-list/token.ts'
import { type Clock, hasCome, isToCome, momentOfSeconds } from '../time.ts'
import { CHECKS, type CheckName, type Fault, Faulty, faulty } from './faults.ts'
import { isIntegrity } from './integrity.ts'
import { OLD_TYPE, TYPE } from './issue.ts'
import { type IssuerReference, issuerReference, listedBy } from './issuers.ts'
import { type KeyBindingRule, verifyKeyBinding } from './key-binding.ts'
import { signatureFault, VERIFIED_ALGORITHMS } from './keys.ts'
import { type ProcessedSdJwt, processSdJwt } from './processed.ts'
import { type ReadSdJwt, readSdJwt } from './read.ts'
import { statusEntryOf } from './status-list.ts'

/** The key of an issuer, and who that is. */
export interface IssuerKey {
  key: VerificationKey
  /** The DID, the https URL, or the name of the certificate's authority (`authorityOf`). */
  issuer: string
}

export interface VerificationRules extends Clock {
  /**
   * Finds the key of an issuer, if the verifier trusts it. Throws `Faulty` of the check `IssuerKey`, or of `Trust` where no
   * key is looked for; `Refusal`, or `Unavailable('outbound')`: all of them are a part of the verdict.
   */
  issuerKey(reference: IssuerReference): Promise<IssuerKey>
  keyBinding: KeyBindingRule
  /** Types that the verifier accepts, as `vct` or one of `aka_vcts`. Absent: every type. */
  types?: readonly string[]
  /** Faults by the type's rules; undefined: its name leads to none. Absent: not checked. Throws as `issuerKey`. */
  typeFaults?(processed: ProcessedSdJwt, vct: string, integrity: string | undefined): Promise<Fault[] | undefined>
  /** Where trust lists have an issuer, or why they do not count it. Absent: none is enforced. */
  find?: ((issuer: string) => TrustFinding) | undefined
  /** Why the verifier may not rely on credentials of this issuer and type. Absent: there is no policy. */
  reasonsAgainst?(issuer: string, types: readonly string[]): Promise<PolicyReason[]>
  /** The state of an entry. Absent: the status is not checked. Throws as `issuerKey`. */
  statusOf?(entry: TokenEntry, issuer: IssuerKey): Promise<StatusState>
}

export interface Check {
  name: CheckName
  /** `skipped`: it needs what another check did not find, or nobody asked for it. */
  result: 'passed' | 'failed' | 'skipped'
}

/** What could be checked only in part, or not at all. */
export type Warning = 'OldType' | 'KeyBindingNotChecked' | 'StatusNotChecked' | 'TypeMetadataNotChecked'

export interface SdJwtVerdict {
  verified: boolean
  checks: Check[]
  /** Every fault that was found. */
  faults: Fault[]
  warnings: Warning[]
  /** What is disclosed, verified or not; absent: it cannot be read. */
  claims?: Json
  /** JSON pointers to the claims that a disclosure shows. */
  selective?: string[]
  header?: Json
  /** Whose key signed; absent where that is not known. */
  issuer?: string
  /** Where a trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuer
  /** The entry of its status list, if it has one. */
  status?: TokenEntry
}

/** True, or it throws `Faulty`: no key is looked for where the header says how to read it in another way. */
function isHeaderFit({ header: { typ, alg, crit } }: ReadSdJwt): true {
  if (typ !== TYPE && typ !== OLD_TYPE) throw faulty('Header', 'typ', `The typ of the header is not ${TYPE}.`)
  if (crit !== undefined) throw faulty('Header', 'crit', 'The header has critical parameters.')
  if (typeof alg !== 'string' || !VERIFIED_ALGORITHMS.includes(alg))
    throw faulty('Header', 'alg', `The alg of the header is none of ${VERIFIED_ALGORITHMS.join(', ')}.`)
  return true
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 2_048 && !/[\s\p{Cc}]/u.test(value)

const typesOf = ({ vct, aka_vcts: others }: Json): string[] =>
  [vct, ...(Array.isArray(others) ? (others as unknown[]) : [])].filter((each) => typeof each === 'string')

const claimFault = (name: string, code: string, message: string): Fault => ({
  check: 'Claims',
  code: `sd_jwt.${code}`,
  message,
  path: `/${name}`,
})

/** The form of the claims that the specification gives a meaning (draft-ietf-oauth-sd-jwt-vc-19, section 2.2.2). */
function claimFaults(claims: Json, { types }: VerificationRules): Fault[] {
  const { vct, 'vct#integrity': integrity, aka_vcts: others, sub, cnf, status } = claims
  const faults: Fault[] = []
  const report = (name: string, code: string, message: string) => faults.push(claimFault(name, code, message))
  if (vct === undefined) report('vct', 'vct_missing', 'The credential has no vct.')
  else if (!isName(vct)) report('vct', 'vct_form', 'The vct is no text without white space.')
  if (integrity !== undefined && !isIntegrity(integrity))
    report('vct#integrity', 'vct_integrity_form', 'The vct#integrity is no list of hashes such as sha256-….')
  if (
    others !== undefined &&
    !(Array.isArray(others) && others.length > 0 && others.every((each) => isName(each) && each !== vct))
  )
    report('aka_vcts', 'aka_vcts_form', 'The aka_vcts is no list of other types.')
  if (sub !== undefined && typeof sub !== 'string') report('sub', 'sub_form', 'The sub is not a text.')
  if (cnf !== undefined && !isObject(cnf)) report('cnf', 'cnf_form', 'The cnf is no object.')
  if (status !== undefined && !isObject(status)) report('status', 'status_form', 'The status is no object.')
  if (types && !typesOf(claims).some((type) => types.includes(type)))
    report('vct', 'type_not_accepted', 'The credential is of none of the types that are asked for.')
  return faults
}

const TIMES = ['iat', 'nbf', 'exp'] as const

function timeFaults(claims: Json, clock: Clock): Fault[] {
  const faults: Fault[] = []
  const report = (name: string, code: string, message: string) =>
    faults.push({ check: 'Validity', code: `sd_jwt.${code}`, message, path: `/${name}` })
  const moment = (name: (typeof TIMES)[number]): Date | undefined => {
    const value = claims[name]
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isFinite(value)) return momentOfSeconds(value)
    report(name, `${name}_form`, `The ${name} is no number of seconds.`)
    return undefined
  }
  const [iat, nbf, exp] = TIMES.map(moment)
  if (iat && isToCome(iat, clock))
    report('iat', 'issued_in_future', 'The credential says that it was issued in the future.')
  if (nbf && isToCome(nbf, clock)) report('nbf', 'not_yet_valid', 'The credential is not valid yet.')
  if (exp && hasCome(exp, clock)) report('exp', 'expired', 'The credential has expired.')
  return faults
}

/** A failure of somebody else, as a fault; other errors are ours, and thrown on. */
function foreseen(error: unknown, check: CheckName, code: string, unavailable: string): Fault {
  if (error instanceof Faulty) return error.fault
  if (isOutboundFault(error)) return { check, code: `sd_jwt.${unavailable}`, message: error.message }
  if (!(error instanceof Refusal)) throw error
  const isOfNetwork = error.code.startsWith('outbound.') || error.code.endsWith('.unavailable')
  return { check, code: `sd_jwt.${isOfNetwork ? unavailable : code}`, message: error.message }
}

/** Checks that a credential must pass to be one of its issuer: only of such a one a list of statuses is fetched. */
const GENUINE: ReadonlySet<CheckName> = new Set([
  'Syntax',
  'Header',
  'Disclosures',
  'IssuerKey',
  'Signature',
  'Trust',
  'Claims',
])

/**
 * Verifies an SD-JWT VC, as issued or presented (RFC 9901, section 7; draft-ietf-oauth-sd-jwt-vc-19, section 2.4). It never
 * throws over what it reads: the verdict says what is wrong. Checks that need what a failed one did not find are skipped.
 */
export async function verifySdJwt(text: string, rules: VerificationRules): Promise<SdJwtVerdict> {
  const faults: Fault[] = []
  const made = new Set<CheckName>()
  const warnings: Warning[] = []
  const attempt = async <Result>(
    check: CheckName,
    work: () => Result | Promise<Result>,
  ): Promise<Result | undefined> => {
    made.add(check)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Faulty)) throw error
      faults.push(error.fault)
      return undefined
    }
  }
  const read = await attempt('Syntax', () => readSdJwt(text))
  if (!read) return verdict({})
  const isFit = await attempt('Header', () => isHeaderFit(read))
  if (read.header.typ === OLD_TYPE) warnings.push('OldType')
  const processed = await attempt('Disclosures', () => processSdJwt(read))
  const issuer = isFit && (await issuerOf(read))
  if (issuer) await attempt('Signature', () => checkSignature(read, issuer))
  const { find } = rules
  const trust = issuer && find && (await attempt('Trust', () => listedBy(find(issuer.issuer))))
  if (!processed) return verdict({ header: read.header, ...(issuer && { issuer: issuer.issuer }) })
  const { claims, selective } = processed
  made.add('Claims').add('Validity')
  faults.push(...claimFaults(claims, rules), ...timeFaults(claims, rules))
  await keyBindingOf(read, claims)
  await typeOf(processed)
  if (rules.reasonsAgainst && issuer) {
    made.add('Policy')
    for (const { type, message } of await rules.reasonsAgainst(issuer.issuer, typesOf(claims)))
      faults.push({
        check: 'Policy',
        code: `sd_jwt.${type === 'IssuerNotAllowed' ? 'issuer_not_allowed' : 'verifier_not_allowed'}`,
        message,
      })
  }
  const status = statusEntryOf(claims.status)
  await checkStatus(claims, status, issuer)
  return verdict({
    claims,
    selective,
    header: read.header,
    ...(issuer && { issuer: issuer.issuer }),
    ...(trust && { trust }),
    ...(status && { status }),
  })

  async function issuerOf(read: ReadSdJwt): Promise<IssuerKey | undefined> {
    made.add('IssuerKey')
    try {
      return await rules.issuerKey(issuerReference(read))
    } catch (error) {
      const fault = foreseen(error, 'IssuerKey', 'issuer_key', 'issuer_unavailable')
      if (fault.check !== 'IssuerKey') made.delete('IssuerKey')
      faults.push(fault)
      return undefined
    }
  }

  async function keyBindingOf(read: ReadSdJwt, claims: Json): Promise<void> {
    const { keyBinding: rule } = rules
    if (rule === 'unchecked') {
      if (read.keyBinding || claims.cnf !== undefined) warnings.push('KeyBindingNotChecked')
      return
    }
    await attempt('KeyBinding', () => {
      if (rule !== 'refused') verifyKeyBinding(read, claims, rule, rules)
      else if (read.keyBinding)
        throw faulty('KeyBinding', 'key_binding_unexpected', 'There is a key binding, and none is asked for.')
    })
  }

  async function typeOf(processed: ProcessedSdJwt): Promise<void> {
    const { vct, 'vct#integrity': integrity } = processed.claims
    // only of a credential of its issuer: nobody else makes the platform fetch documents
    if (!rules.typeFaults || typeof vct !== 'string' || faults.some(({ check }) => GENUINE.has(check))) return
    made.add('TypeMetadata')
    try {
      const found = await rules.typeFaults(processed, vct, typeof integrity === 'string' ? integrity : undefined)
      faults.push(...(found ?? []))
      if (!found && made.delete('TypeMetadata')) warnings.push('TypeMetadataNotChecked')
    } catch (error) {
      const fault = foreseen(error, 'TypeMetadata', 'type_metadata', 'type_metadata_unavailable')
      faults.push({ ...fault, check: 'TypeMetadata' })
    }
  }

  async function checkStatus(
    claims: Json,
    entry: TokenEntry | undefined,
    issuer: IssuerKey | undefined,
  ): Promise<void> {
    if (!isObject(claims.status)) return
    if (!rules.statusOf) {
      warnings.push('StatusNotChecked')
      return
    }
    const report = (code: string, message: string) => faults.push({ check: 'Status', code: `sd_jwt.${code}`, message })
    if (!entry) {
      made.add('Status')
      report('status_unsupported', 'The status of the credential is of a kind that is not supported.')
      return
    }
    if (!issuer || faults.some(({ check }) => GENUINE.has(check))) return
    made.add('Status')
    try {
      const state = await rules.statusOf(entry, issuer)
      if (state !== 'valid') report(state, `The issuer has ${state} the credential.`)
    } catch (error) {
      // also where the key of the list is at fault: that of the credential has passed
      faults.push({ ...foreseen(error, 'Status', 'status_list', 'status_unavailable'), check: 'Status' })
    }
  }

  function verdict(found: Omit<SdJwtVerdict, 'verified' | 'checks' | 'faults' | 'warnings'>): SdJwtVerdict {
    const failed = new Set(faults.map(({ check }) => check))
    return {
      verified: faults.length === 0,
      checks: CHECKS.map((name) => ({
        name,
        result: failed.has(name) ? 'failed' : made.has(name) ? 'passed' : 'skipped',
      })),
      faults,
      warnings,
      ...found,
    }
  }
}

function checkSignature(read: ReadSdJwt, { key }: IssuerKey): void {
  const fault = signatureFault(read, key)
  if (fault === 'key_unfit')
    throw faulty('Signature', 'key_unfit', "The alg of the header is not that of the issuer's key.")
  if (fault) throw faulty('Signature', 'signature', 'The signature is not one of the issuer over this credential.')
}
