import type { Json } from '../protocol/data-integrity.ts'
import { type FieldError, Refusal } from '../protocol/errors.ts'
import {
  answerErrors,
  assertWhole,
  readStatusUpdate,
  readVcApiOptions,
} from '../protocol/semantic-credentials.vc-api.ts'
import { SCOPES } from '../protocol/tokens-logs.ts'
import type { Settings } from './administration.settings.ts'
import type { Administration } from './administration.ts'
import type { Dependencies } from './index.ts'
import type { Call } from './operations.ts'
import type { Derivation } from './semantic-credentials.derive.ts'
import type { Presentations } from './semantic-credentials.presentations.ts'
import type { CredentialStatus } from './semantic-credentials.status.ts'
import type { SemanticCredentials } from './semantic-credentials.ts'
import type { CredentialVerifier } from './semantic-credentials.verify.ts'
import type { Caller } from './tokens-logs.tokens.ts'

interface Parts extends Pick<Dependencies, 'config' | 'systemSql'> {
  administration: Administration
  settings: Settings
  semanticCredentials: SemanticCredentials
  credentialVerifier: CredentialVerifier
  derivation: Derivation
  credentialStatus: CredentialStatus
  presentations: Presentations
}

/** A request's `options`, as they came. */
type Options = Json | undefined

const DEFAULT_PROOF = 'eddsa-rdfc-2022'
const OWN_LIST = /\/v1\/revocation-lists\/([0-9a-f-]{36})$/
const OWN_ID = /^(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const BY_ENTRY = `select id from semantic_credentials where tenant_id = $1 and status_list_id = $2 and status_index = $3`
const BY_ID = 'select id from semantic_credentials where tenant_id = $1 and id = $2'

/** The W3C's common interface (VC API, Issuer, Verifier and Holder services) over the same verbs as everything else. */
export function createVcApi(parts: Parts) {
  const { config, systemSql, administration, settings } = parts
  const { semanticCredentials, credentialVerifier, derivation, credentialStatus, presentations } = parts

  const refuse = (code: string, message: string, errors: FieldError[]): never => {
    throw new Refusal(code, message, errors)
  }

  async function rowOf(tenantId: string, text: string, values: unknown[]): Promise<string | undefined> {
    const { rows } = await systemSql.query<{ id: string }>({ text, values: [tenantId, ...values] })
    return rows[0]?.id
  }

  return {
    /**
     * Who asks without a token: for test suites on the same machine (VC_API). The Host must be the first tenant's own, so
     * that no page elsewhere reaches it through a name of its own.
     */
    async openCaller(host: string): Promise<Caller | undefined> {
      if (!config.vcApi) return undefined
      const tenant = await administration.findTenantByHost(host)
      if (!tenant?.isFirst) return undefined
      return { tenantId: tenant.id, clientId: 'vc-api', scopes: SCOPES, expires: Number.MAX_SAFE_INTEGER }
    },

    /** Throws `Refusal('vc_api.off')` unless the tenant's setting, or the variable VC_API, has it on. */
    async assertOn(tenantId: string): Promise<void> {
      if (config.vcApi || (await settings.settingsOf(tenantId)).vcApi) return
      throw new Refusal('vc_api.off', 'The VC API is off for this tenant; PUT /v1/settings turns it on.')
    },

    /** Signs a whole credential. Throws as `signCredential` does, and `credential.invalid` for one that lacks members. */
    async issue(call: Call, credential: Json, options: Options, variant?: string): Promise<Json> {
      const asked = readVcApiOptions(options)
      assertWhole(credential)
      const { credential: signed } = await semanticCredentials.signCredential(call, {
        payload: credential,
        proofType: variant ?? asked.proofType ?? DEFAULT_PROOF,
        revocable: asked.revocable,
        ...(asked.mandatoryPointers && { mandatoryPointers: asked.mandatoryPointers }),
      })
      return signed
    },

    /** Throws `Refusal('credential.not_verified')` with every failed check: the VC API's suites take a 400 for no. */
    async verify(tenantId: string, credential: Json, options: Options): Promise<void> {
      const { reason } = await credentialVerifier.verifyCredential(tenantId, credential)
      const errors = [
        ...reason.map(({ type, message }) => ({ path: '', code: type, message })),
        ...answerErrors(credential, readVcApiOptions(options)),
      ]
      if (errors.length > 0)
        refuse('credential.not_verified', `The credential does not verify: ${errors[0]?.message}`, errors)
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
     * Revokes a credential, or takes that back. It is found by our own id, or by its entry in a list of ours. Throws
     * `credential.not_found`, `credential.not_revocable`, `status_list.purpose_unsupported`.
     */
    async setStatus(call: Call, credentialId: string, update: Json): Promise<void> {
      const { listUrl = '', index, revoked } = readStatusUpdate(update)
      const [, listId] = OWN_LIST.exec(listUrl) ?? []
      const [, ownId] = OWN_ID.exec(credentialId) ?? []
      const byEntry = listId && index !== undefined ? await rowOf(call.tenantId, BY_ENTRY, [listId, index]) : undefined
      const id = byEntry ?? (ownId && (await rowOf(call.tenantId, BY_ID, [ownId])))
      if (!id)
        throw new Refusal(
          'credential.not_found',
          'There is no such credential. One with an id of its own is found by statusListCredential and statusListIndex.',
        )
      await credentialStatus.setStatus(call, id, revoked)
    },

    /** The presentation's proofs and its credentials, whoever holds. Throws `Refusal('presentation.not_verified')`. */
    async verifyPresentation(tenantId: string, presentation: Json, options: Options) {
      const { challenge, domain } = readVcApiOptions(options)
      const input = {
        presentation,
        ...(challenge !== undefined && { challenge }),
        ...(domain !== undefined && { domain }),
      }
      const { verified, reason, checks } = await presentations.checkPresentation(tenantId, input, { bindHolder: false })
      if (!verified)
        refuse(
          'presentation.not_verified',
          `The presentation does not verify: ${reason}`,
          checks.flatMap(({ check, path = '', outcome, evidence }) =>
            outcome === 'failed' ? [{ path, code: check, message: evidence }] : [],
          ),
        )
      return checks
    },

    /** Signs a presentation as the DID of options.verificationMethod, or else as its holder. */
    prove(call: Call, presentation: Json, options: Options): Promise<Json> {
      const { challenge, domain, verificationMethod, proofType = DEFAULT_PROOF } = readVcApiOptions(options)
      const { holder } = presentation
      const named = typeof holder === 'object' && holder !== null ? Reflect.get(holder, 'id') : holder
      return presentations.signPresentation(call, {
        presentation,
        did: (verificationMethod ?? String(named)).split('#', 1)[0] ?? '',
        proofType,
        ...(challenge !== undefined && { challenge }),
        ...(domain !== undefined && { domain }),
      })
    },
  }
}

export type VcApi = ReturnType<typeof createVcApi>
