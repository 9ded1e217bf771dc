import type { Json } from '../../protocol/data-integrity/index.ts'
import { type FieldError, Refusal } from '../../protocol/errors.ts'
import { isKeyBound } from '../../protocol/semantic-credentials/enveloped/sd-jwt.ts'
import type { Check } from '../../protocol/semantic-credentials/presentations/checks.ts'
import { verdictChecks } from '../../protocol/semantic-credentials/presentations/credentials.ts'
import { readStatusUpdate, type StatusUpdate } from '../../protocol/semantic-credentials/vc-api.status.ts'
import { answerErrors, assertWhole, readSkipped, readVcApiOptions } from '../../protocol/semantic-credentials/vc-api.ts'
import type { Warning } from '../../protocol/semantic-credentials/warnings.ts'
import { SCOPES } from '../../protocol/tokens-logs/index.ts'
import { UUID } from '../../protocol/uuid.ts'
import type { CredentialStatus } from '../credentials/status-lists/changes.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call } from '../frame/operations.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import type { Settings } from '../frame/tenants/settings.ts'
import type { Caller } from '../tokens-logs/tokens.ts'
import type { Derivation } from './derive.ts'
import type { SemanticCredentials } from './issue.ts'
import type { Presentations } from './presentations/index.ts'
import type { CredentialVerifier } from './verify.ts'

interface Parts extends Pick<Dependencies, 'config' | 'systemSql'> {
  tenants: Tenants
  settings: Settings
  semanticCredentials: SemanticCredentials
  credentialVerifier: CredentialVerifier
  derivation: Derivation
  credentialStatus: CredentialStatus
  presentations: Presentations
}

interface Verified {
  checks: Check[]
  warnings: Warning[]
}

/** Unchecked `options` of a request. */
type Options = Json | undefined

const DEFAULT_PROOF = 'eddsa-rdfc-2022'
const OWN_LIST = new RegExp(`/v1/revocation-lists/(${UUID})$`)
const OWN_ID = new RegExp(`^(?:urn:uuid:)?(${UUID})$`)

/** By a status entry, for which there is an index. */
export const BY_ENTRY = {
  revocation:
    "select id from credentials where tenant_id = $1 and status_list_id = $2 and status_index = $3 and format = 'semantic'",
  suspension:
    "select id from credentials where tenant_id = $1 and suspension_list_id = $2 and suspension_index = $3 and format = 'semantic'",
}
const BY_OWN_ID = "select id from credentials where tenant_id = $1 and id = $2 and format = 'semantic'"
/** Written like the index credentials_chosen_id, so that PostgreSQL uses it. */
export const BY_GIVEN_ID = `select id from credentials
  where tenant_id = $1 and md5(document ->> 'id') = md5($2) and document ->> 'id' = $2
    and format = 'semantic' and strpos(document::text, '"id":"urn:uuid:' || id::text || '"') = 0 limit 2`

/** The W3C's VC API (issuer, verifier and holder services) on the same operations as the rest of the API. */
export function createVcApi(parts: Parts) {
  const { config, systemSql, tenants, settings } = parts
  const { semanticCredentials, credentialVerifier, derivation, credentialStatus, presentations } = parts

  const refuse = (code: string, message: string, errors: FieldError[]): never => {
    throw new Refusal(code, message, errors)
  }

  async function rowsOf(tenantId: string, text: string, values: unknown[]): Promise<string[]> {
    const { rows } = await systemSql.query<{ id: string }>({ text, values: [tenantId, ...values] })
    return rows.map(({ id }) => id)
  }

  /** Finds credentials by the named status entry, else by our id, else by the id that the caller chose. */
  async function findCredential(tenantId: string, credentialId: string, { purpose, listUrl, index }: StatusUpdate) {
    const [, listId] = OWN_LIST.exec(listUrl ?? '') ?? []
    if (listUrl !== undefined) return listId ? rowsOf(tenantId, BY_ENTRY[purpose], [listId, index]) : []
    const [, ownId] = OWN_ID.exec(credentialId) ?? []
    const own = ownId ? await rowsOf(tenantId, BY_OWN_ID, [ownId]) : []
    return own.length > 0 ? own : rowsOf(tenantId, BY_GIVEN_ID, [credentialId])
  }

  return {
    /**
     * Returns the caller of a request without a token, for test suites on the same machine (VC_API). The Host must be
     * the first tenant's, so that no web page reaches it through another host name.
     */
    async openCaller(host: string): Promise<Caller | undefined> {
      if (!config.vcApi) return undefined
      const tenant = await tenants.byHost(host)
      if (!tenant?.isFirst) return undefined
      return { tenantId: tenant.id, clientId: 'vc-api', scopes: SCOPES, expires: Number.MAX_SAFE_INTEGER }
    },

    /** Throws `Refusal('vc_api.off')` unless the tenant's setting, or the variable VC_API, has it on. */
    async assertOn(tenantId: string): Promise<void> {
      if (config.vcApi || (await settings.isOn(tenantId, 'vcApi'))) return
      throw new Refusal('vc_api.off', 'The VC API is off for this tenant; PUT /v1/settings turns it on.')
    },

    /**
     * Signs a whole credential. Throws as `signCredential` does, and `credential.invalid` for one that lacks members.
     */
    async issue(call: Call, credential: Json, options: Options, variant?: string): Promise<Json> {
      const vcApiOptions = readVcApiOptions(options)
      assertWhole(credential)
      const { credential: signed } = await semanticCredentials.signCredential(call, {
        payload: credential,
        issuerField: 'credential.issuer',
        typeField: 'credential.type',
        proofType: variant ?? vcApiOptions.proofType ?? DEFAULT_PROOF,
        disclosure: vcApiOptions.disclosure,
        revocable: vcApiOptions.statuses.length > 0,
        suspendable: vcApiOptions.statuses.some(({ purpose }) => purpose === 'suspension'),
        explanations: Object.fromEntries(
          vcApiOptions.statuses.map(({ purpose, ...explanation }) => [purpose, explanation]),
        ),
        mayBeIllTyped: true, // with a proof, what conforms to the data model is signed as it is (D-1034)
        ...(vcApiOptions.mandatoryPointers && { mandatoryPointers: vcApiOptions.mandatoryPointers }),
      })
      return signed
    },

    /**
     * Returns the checks and warnings. Throws `Refusal('credential.not_verified')` with every failed check: the VC API's test suites
     * expect 400 for a credential that does not verify.
     */
    async verify(tenantId: string, credential: Json, options: Options): Promise<Verified> {
      const vcApiOptions = readVcApiOptions(options)
      const skip = readSkipped(options)
      const trusted = vcApiOptions.trustedContexts ? [vcApiOptions.trustedContexts] : []
      const { challenge, domain } = vcApiOptions
      const binding =
        isKeyBound(credential) && challenge !== undefined && domain !== undefined
          ? { session: { nonce: challenge, audience: domain }, isRequired: true }
          : undefined
      const verifying = credentialVerifier.verifyCredential(tenantId, credential, trusted, skip, undefined, binding)
      const { reason, warnings, trust } = await verifying
      const errors = [
        ...reason.map(({ type, message }) => ({ path: '', code: type, message })),
        // a key binding answers both
        ...(binding ? [] : answerErrors(credential, vcApiOptions)),
      ]
      if (errors.length > 0)
        refuse('credential.not_verified', `The credential does not verify: ${errors[0]?.message}`, errors)
      return { checks: verdictChecks({ credential, reasons: reason, trust, skip }), warnings }
    },

    derive(tenantId: string, credential: Json, options: Options): Promise<Json> {
      const { selectivePointers = [], presentationHeader } = readVcApiOptions(options)
      return derivation.deriveCredential(tenantId, {
        credential,
        selectivePointers,
        ...(presentationHeader !== undefined && { presentationHeader }),
      })
    },

    /**
     * Sets or clears the revocation or suspension of a credential. Throws `credential.not_found`,
     * `credential.id_ambiguous`, `credential.not_revocable`, `credential.not_suspendable`,
     * `status_list.purpose_unsupported`.
     */
    async setStatus(call: Call, credentialId: string, update: Json): Promise<void> {
      const read = readStatusUpdate(update)
      const [id, second] = await findCredential(call.tenantId, credentialId, read)
      if (!id) throw new Refusal('credential.not_found', 'There is no such credential.')
      if (second)
        throw new Refusal(
          'credential.id_ambiguous',
          'Several credentials were signed with this id. Name one by statusListCredential and statusListIndex.',
        )
      await (read.purpose === 'revocation'
        ? credentialStatus.setStatus(call, id, read.value, 'semantic')
        : credentialStatus.setSuspension(call, id, read.value, 'semantic'))
    },

    /**
     * Verifies the presentation's proofs and credentials, not its holder. Throws
     * `Refusal('presentation.not_verified')`.
     */
    async verifyPresentation(tenantId: string, presentation: Json, options: Options): Promise<Verified> {
      const { challenge, domain, trustedContexts } = readVcApiOptions(options)
      const input = {
        presentation,
        ...(challenge !== undefined && { challenge }),
        ...(domain !== undefined && { domain }),
        ...(trustedContexts && { trustedContexts }),
      }
      const verdict = await presentations.checkPresentation(tenantId, input, {
        bindHolder: false,
        skip: readSkipped(options),
      })
      const { verified, reason, checks, warnings } = verdict
      if (!verified)
        refuse(
          'presentation.not_verified',
          `The presentation does not verify: ${reason}`,
          checks.flatMap(({ check, path = '', outcome, evidence }) =>
            outcome === 'failed' ? [{ path, code: check, message: evidence }] : [],
          ),
        )
      return { checks, warnings }
    },

    /** Signs a presentation as the DID of options.verificationMethod, by default as its holder. */
    prove(call: Call, presentation: Json, options: Options): Promise<Json> {
      const { challenge, domain, verificationMethod, proofType = DEFAULT_PROOF } = readVcApiOptions(options)
      const { holder } = presentation
      const holderDid = typeof holder === 'object' && holder !== null ? Reflect.get(holder, 'id') : holder
      return presentations.signPresentation(call, {
        presentation,
        did: (verificationMethod ?? String(holderDid)).split('#', 1)[0] ?? '',
        didField: verificationMethod === undefined ? 'presentation.holder' : 'options.verificationMethod',
        proofType,
        ...(verificationMethod?.includes('#') && { method: verificationMethod }),
        ...(challenge !== undefined && { challenge }),
        ...(domain !== undefined && { domain }),
      })
    },
  }
}

export type VcApi = ReturnType<typeof createVcApi>
