import {
  issuerFault,
  type Policy,
  type PolicyFault,
  policyOf,
  verifierFault,
} from '../../../protocol/administration/ecosystems/policy.ts'
import type { PolicyGate, PolicyReason } from '../../../protocol/credentials/policy.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { singleFlight } from '../../frame/caches.ts'
import { readPolicyFacts } from './policies.ts'

/** A process looks for changes this often at most while it works, beside the signatures. */
const LOOK_AGAIN_MS = 200
/** What is older is not relied on: with the time that a look takes, a change has effect within a second. */
const TRUSTED_MS = 500

/** Another text when a tenant is bound in another way, or a policy that a tenant is bound to has changed. */
const VERSION = `select count(*) || ' ' || coalesce(sum(hashtextextended(
  concat_ws(' ', t.id, t.ecosystem_id, t.ecosystem_participant_id, e.policy_version), 0)), 0) as version
from tenants t join ecosystems e on e.id = t.ecosystem_id where t.ecosystem_id is not null`
const BINDINGS = `select t.id, t.ecosystem_id, t.ecosystem_participant_id, e.policy_version
from tenants t join ecosystems e on e.id = t.ecosystem_id where t.ecosystem_id is not null`

interface BindingRow {
  id: string
  ecosystem_id: string
  ecosystem_participant_id: string | null
  policy_version: number
}

interface Binding {
  policy: Policy
  participantId: string | null
}

/** What is enforced, with the version of all of it. */
interface Enforced {
  version: string
  bindings: ReadonlyMap<string, Binding>
  /** By ecosystem, with the version of the policy. */
  policies: ReadonlyMap<string, { version: number; policy: Policy }>
}

const NOTHING: Enforced = { version: '', bindings: new Map(), policies: new Map() }

/** The field of the request that is at fault. */
const refusalOf = ({ rule, message }: PolicyFault, fields: { issuer: string; type: string }): Refusal =>
  new Refusal(
    'ecosystem.issuer_not_allowed',
    `The policy of the tenant's ecosystem does not allow this credential. ${message}`,
    [
      rule === 'issuer_constrained'
        ? { path: fields.type, code: rule, message: 'expected a type that the issuer is allowed in its ecosystem' }
        : { path: fields.issuer, code: rule, message: 'expected an issuer of the ecosystem' },
    ],
  )

interface Parts extends Pick<Dependencies, 'systemSql'> {
  /** Milliseconds of a clock that nobody sets. */
  elapsedMs?(): number
}

/**
 * Enforces the policies of ecosystems on the tenants that are bound to them. One look for all tenants of a process says
 * whether anything changed; what changed is read again, and the rest is remembered (D-641). Where the look fails, what
 * depends on it fails too: nobody signs under a policy that may have ended.
 */
export function createPolicyGate({ systemSql, elapsedMs = () => performance.now() }: Parts) {
  let enforced = NOTHING
  let lookedAt = Number.NEGATIVE_INFINITY
  /** Of the flights that count: one that began before a change of this process may have seen the rows before it. */
  let round = 0
  const flight = singleFlight<void>()

  async function readEnforced(version: string): Promise<Enforced> {
    const { rows } = await systemSql.query<BindingRow>({ name: 'policy-bindings', text: BINDINGS, values: [] })
    const policies = new Map<string, { version: number; policy: Policy }>()
    for (const { ecosystem_id: id, policy_version } of rows) {
      if (policies.has(id)) continue
      const known = enforced.policies.get(id)
      if (known?.version === policy_version) {
        policies.set(id, known)
        continue
      }
      const { participants, credentials } = await readPolicyFacts(systemSql, id)
      policies.set(id, { version: policy_version, policy: policyOf(id, participants, credentials) })
    }
    const bindings = new Map<string, Binding>()
    for (const { id, ecosystem_id, ecosystem_participant_id: participantId } of rows) {
      const known = policies.get(ecosystem_id)
      if (known) bindings.set(id, { policy: known.policy, participantId })
    }
    return { version, bindings, policies }
  }

  /** The version is read before what it stands for: a change in between is found at the next look. */
  async function look(): Promise<void> {
    const [since, of] = [elapsedMs(), round]
    const { rows } = await systemSql.query<{ version: string }>({ name: 'policy-version', text: VERSION, values: [] })
    const version = rows[0]?.version
    if (version === undefined) throw new Error('the look at the policies had no answer')
    const next = version === enforced.version ? enforced : await readEnforced(version)
    if (of !== round) return
    enforced = next
    lookedAt = since
  }

  /** What is enforced now: without waiting, but where nobody has looked for a while. */
  async function current(): Promise<Enforced> {
    for (;;) {
      const age = elapsedMs() - lookedAt
      if (age < LOOK_AGAIN_MS) return enforced
      const looking = flight(String(round), look)
      if (age < TRUSTED_MS) {
        looking.catch(() => undefined) // thrown at whoever has to wait for the next one
        return enforced
      }
      const before = round
      await looking
      // a look that took long is the newest there is; one that a change overtook is not
      if (before === round) return enforced
    }
  }

  const bindingOf = async (tenantId: string): Promise<Binding | undefined> => (await current()).bindings.get(tenantId)

  const gate: PolicyGate & { forget(): void } = {
    /** Throws `Refusal('ecosystem.issuer_not_allowed')` that names the rule. */
    async assertMayIssue(tenantId, credential, fields) {
      const binding = await bindingOf(tenantId)
      const fault = binding && issuerFault(binding.policy, credential)
      if (fault) throw refusalOf(fault, fields)
    },

    async reasonsAgainst(tenantId, credential) {
      const binding = await bindingOf(tenantId)
      if (!binding) return []
      const issuer = issuerFault(binding.policy, credential)
      const verifier = verifierFault(binding.policy, binding.participantId, credential)
      const reason = (type: PolicyReason['type'], fault: PolicyFault | undefined): PolicyReason[] =>
        fault ? [{ type, message: fault.message }] : []
      return [...reason('IssuerNotAllowed', issuer), ...reason('VerifierNotAllowed', verifier)]
    },

    /** This process sees its own changes at once. */
    forget() {
      round += 1
      lookedAt = Number.NEGATIVE_INFINITY
    },
  }
  return gate
}

export type EcosystemGate = ReturnType<typeof createPolicyGate>
