import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem, type Sql } from '../../../entities/orm.ts'
import {
  afterChanges,
  checkPolicyChanges,
  type PolicyChange,
} from '../../../protocol/administration/ecosystems/changes.ts'
import {
  issuerFault,
  kindsOf,
  type ParticipantFacts,
  type Policy,
  type Profile,
  policyOf,
  verifierFault,
} from '../../../protocol/administration/ecosystems/policy.ts'
import { FORMAT_NAMES, type FormatName, slugOf } from '../../../protocol/credentials/formats.ts'
import { authorityOf } from '../../../protocol/mobile-credentials/authority.ts'
import { parseCertificate } from '../../../protocol/mobile-credentials/certificates.read.ts'
import type { Dependencies } from '../../dependencies.ts'
import {
  BOUND,
  type BoundRow,
  IACAS,
  type IacaRow,
  ISSUERS,
  LIVE,
  type LiveRow,
  MAX_COUNTED,
  MAX_TEMPLATES,
  TEMPLATES,
  type TemplateRow,
} from './dry-run.statements.ts'
import { readPolicyFacts } from './policies.ts'
import { findEcosystem } from './rows.ts'

/** Credentials in force that would verify no more in the ecosystem. */
export interface BrokenCredentials {
  tenantId: string
  profile: Profile
  types: string[]
  count: number
}

/** A template from which nobody in its tenant could sign any more. */
export interface BrokenTemplate {
  tenantId: string
  templateId: string
  profile: Profile
  types: string[]
}

/** A verifier with what it could verify no more. */
export interface BrokenVerifier {
  participantId: string
  name: string
  /** Tenants that verify as it. */
  tenantIds: string[]
  /** Credentials of the ecosystem that it may verify now. */
  credentialIds: string[]
}

export interface DryRun {
  credentials: BrokenCredentials[]
  templates: BrokenTemplate[]
  verifiers: BrokenVerifier[]
  /** Tenants with more credentials or templates than are looked at: their counts are the least that there are. */
  atLeast: string[]
  /** Tenants that were not looked at in time. */
  notCounted: string[]
}

/** For all tenants together; what is not counted by then is named. */
const BUDGET_MS = 4_000
/** The shortest time that is worth a statement. */
const LEAST_MS = 50

const isTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014'

const isFormat = (name: string): name is FormatName => FORMAT_NAMES.some((format) => format === name)

const arrayOf = (texts: readonly string[]): string => `{${texts.map((text) => JSON.stringify(text)).join()}}`

interface Policies {
  before: Policy
  after: Policy
}

/** Allowed before, and not after. */
const breaks = (fault: (policy: Policy) => object | undefined, { before, after }: Policies): boolean =>
  fault(before) === undefined && fault(after) !== undefined

interface Looked extends Pick<DryRun, 'credentials' | 'templates'> {
  isAtLeast: boolean
}

/** Looks at one tenant. */
async function lookAt(
  em: SqlEntityManager,
  tenantId: string,
  policies: Policies,
  dids: string[],
  now: Date,
): Promise<Looked> {
  const iacas = await em.execute<IacaRow[]>(IACAS, [tenantId])
  const keys = new Map(
    iacas.map(({ id, certificate }) => [id, authorityOf(parseCertificate(new Uint8Array(certificate)))]),
  )
  const live = await em.execute<LiveRow[]>(LIVE, [tenantId, now])
  const counts = new Map<string, BrokenCredentials>()
  for (const { format, types, did, iaca, count } of live) {
    if (!isFormat(format)) continue
    const issuer = did ?? (iaca === null ? undefined : keys.get(iaca))
    if (!breaks((policy) => issuerFault(policy, { format, issuer, types }), policies)) continue
    const profile = slugOf(format)
    const name = JSON.stringify([profile, types])
    const counted = counts.get(name)?.count ?? 0
    counts.set(name, { tenantId, profile, types: [...kindsOf(types)], count: counted + count })
  }
  const issuers = (await em.execute<{ did: string }[]>(ISSUERS, [tenantId, arrayOf(dids)])).map(({ did }) => did)
  const authorities = iacas.flatMap(({ id, signs }) => (signs ? (keys.get(id) ?? []) : []))
  const signersOf = (format: FormatName) =>
    format === 'mobile' ? authorities : format === 'sd-jwt-vc' ? [...issuers, ...authorities] : issuers
  const rows = await em.execute<TemplateRow[]>(TEMPLATES, [tenantId])
  const templates = rows.flatMap(({ id: templateId, format, type, more }): BrokenTemplate[] => {
    if (!isFormat(format)) return []
    const types = [type, ...(more ?? [])]
    const signs = (policy: Policy) =>
      signersOf(format).some((issuer) => !issuerFault(policy, { format, issuer, types }))
    const isBroken = signs(policies.before) && !signs(policies.after)
    return isBroken ? [{ tenantId, templateId, profile: slugOf(format), types }] : []
  })
  const counted = live.reduce((sum, { count }) => sum + count, 0)
  return {
    credentials: [...counts.values()],
    templates,
    isAtLeast: counted >= MAX_COUNTED || rows.length >= MAX_TEMPLATES,
  }
}

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  systemSql: Sql
}

/** What a change of a policy would break, over what the bound tenants have. It changes nothing. */
export function createPolicyDryRuns({ database, systemSql, now }: Parts) {
  /** Undefined where the time ran out. */
  async function inTime<Result>(
    until: number,
    work: (em: SqlEntityManager) => Promise<Result>,
  ): Promise<Result | undefined> {
    const left = Math.floor(until - performance.now())
    if (left < LEAST_MS) return undefined
    try {
      return await asSystem(database.system, async (em) => {
        await em.execute(`set local statement_timeout = ${left}`)
        return work(em)
      })
    } catch (error) {
      if (isTimeout(error)) return undefined
      throw error
    }
  }

  return {
    /**
     * Throws `request.invalid`, `ecosystem.not_found`, `ecosystem_participant.not_found`,
     * `ecosystem_credential.not_found`.
     */
    async dryRun(ecosystemId: string, changes: readonly PolicyChange[]): Promise<DryRun> {
      checkPolicyChanges(changes)
      const until = performance.now() + BUDGET_MS
      const bound = await asSystem(database.system, async (em) => {
        await findEcosystem(em, ecosystemId)
        return em.execute<BoundRow[]>(BOUND, [ecosystemId])
      })
      const facts = await readPolicyFacts(systemSql, ecosystemId)
      const changed = afterChanges(facts, changes)
      const policies = {
        before: policyOf(ecosystemId, facts.participants, facts.credentials),
        after: policyOf(ecosystemId, changed.participants, changed.credentials),
      }
      const named = ({ identifiers }: ParticipantFacts) =>
        [...identifiers].flatMap(([profile, names]) => (profile === 'mobile' ? [] : names))
      const dids = [...new Set(facts.participants.flatMap(named))]
      const result: DryRun = { credentials: [], templates: [], verifiers: [], atLeast: [], notCounted: [] }
      for (const { id: tenantId } of bound) {
        const looked = await inTime(until, (em) => lookAt(em, tenantId, policies, dids, now()))
        if (!looked) {
          result.notCounted.push(tenantId)
          continue
        }
        result.credentials.push(...looked.credentials)
        result.templates.push(...looked.templates)
        if (looked.isAtLeast) result.atLeast.push(tenantId)
      }
      for (const { id: participantId, name } of facts.participants) {
        const credentialIds = facts.credentials
          .filter(({ profile, type }) => {
            const format = FORMAT_NAMES.find((each) => slugOf(each) === profile)
            const judged = format && { format, types: [type] }
            return judged && breaks((policy) => verifierFault(policy, participantId, judged), policies)
          })
          .map(({ id }) => id)
        const tenantIds = bound.filter(({ participant }) => participant === participantId).map(({ id }) => id)
        if (credentialIds.length > 0) result.verifiers.push({ participantId, name, tenantIds, credentialIds })
      }
      return result
    },
  }
}
