import { randomBytes } from 'node:crypto'
import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import { defaultMandatoryPointers, isSelective, type Json, suiteOf } from '../../protocol/data-integrity/index.ts'
import { overDocument, Refusal, withArticle, withPaths } from '../../protocol/errors.ts'
import { confirmationOf } from '../../protocol/sd-jwt-credentials/keys.ts'
import { type DisclosureTerms, disclosurePlan } from '../../protocol/semantic-credentials/enveloped/disclosure.ts'
import {
  type EnvelopeTerms,
  envelopedCredential,
  type PreparedEnvelope,
  prepareEnvelope,
  signEnvelope,
} from '../../protocol/semantic-credentials/enveloped/issue.ts'
import {
  type DataModel,
  type NormalisedCredential,
  normaliseSignPayload,
  withStatus,
} from '../../protocol/semantic-credentials/index.ts'
import {
  CREDENTIAL_PROOF_TYPES,
  type CredentialProofType,
  credentialKeyFor,
  type EnvelopeType,
  isCredentialProofType,
  isEnvelopeType,
  listProofType,
} from '../../protocol/semantic-credentials/proof-types.ts'
import { type StatusExplanation, statusEntry, statusListUrl } from '../../protocol/status-list/credential.ts'
import type { StatusPurpose } from '../../protocol/status-list/index.ts'
import type { SignedRow } from '../credentials/record.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { StatusEntries, StatusEntry } from '../credentials/status-lists/allocation.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { Documents } from '../documents/index.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import type { Settings } from '../frame/tenants/settings.ts'
import type { TenantContexts } from './contexts.ts'

type StatusExplanations = Partial<Record<StatusPurpose, StatusExplanation>>

export interface SignRequest {
  payload: Json
  /** Field of the request that names the issuer, for refusals; by default `payload.issuer.id`. */
  issuerField?: string
  /** Field that names its types; by default `payload.type`. */
  typeField?: string
  proofType: string
  revocable: boolean
  /** Adds a second status entry, for suspension; only in data model 2.0, and only with `revocable`. */
  suspendable?: boolean
  /** Explanations in its status entries; only in data model 2.0. */
  explanations?: StatusExplanations
  tag?: string | null
  /** Only for selective disclosure: what a holder must disclose besides issuer, dates, status and schema. */
  mandatoryPointers?: string[]
  /** Only for vc+sd-jwt. */
  disclosure?: DisclosureTerms
  /** True where the paths of `disclosure` are a template's: a claim of the credential need not be there. */
  areClaimsOptional?: boolean
  /** Field that names the holder's key; by default `holderKey`. */
  holderField?: string
  /** Only for proofs of Data Integrity: values without the form of their type are signed as they are. */
  mayBeIllTyped?: boolean
}

/** A signed credential of the W3C's data models, with the columns of its row. */
export type SignedSemanticRow = SignedRow & { document: Json }

/** The credential as its holder gets it. */
export const credentialOf = ({ document, envelope }: Pick<SignedSemanticRow, 'document' | 'envelope'>): Json =>
  envelope === undefined ? document : envelopedCredential(envelope)

interface Parts extends Pick<Dependencies, 'documents' | 'now'> {
  tenants: Tenants
  contexts: TenantContexts
  entries: StatusEntries
  signers: Signers
  policyGate: Pick<PolicyGate, 'assertMayIssue'>
  settings: Pick<Settings, 'wasOn'>
}

/** Throws `Refusal('credential.proof_type_unsupported')`. */
export function proofTypeOf(name: string): CredentialProofType {
  if (isCredentialProofType(name)) return name
  throw new Refusal('credential.proof_type_unsupported', 'The proof type is not supported; see errors.', [
    { path: 'proofType', code: 'enum', message: `expected one of ${CREDENTIAL_PROOF_TYPES.join(', ')}` },
  ])
}

/** Throws `Refusal` for a credential that cannot be suspended: not revocable, or of data model 1.1. */
export function assertSuspendable(revocable: boolean, dataModel: DataModel): void {
  const refuse = (code: string, message: string, expected: string) =>
    new Refusal(code, message, [{ path: 'suspendable', code: 'suspendable', message: expected }])
  if (!revocable)
    throw refuse(
      'request.invalid',
      'Only a revocable credential can be suspended.',
      'expected false, or revocable true',
    )
  if (dataModel !== '2.0')
    throw refuse(
      'status_list.purpose_unsupported',
      'A credential of data model 1.1 has a RevocationList2020, which cannot suspend.',
      'expected false, or a credential of data model 2.0',
    )
}

/** Throws `Refusal('request.invalid')` for pointers with a proof type that discloses everything. */
function mandatoryOf(credential: Json, proofType: CredentialProofType, pointers: string[] | undefined) {
  if (pointers === undefined) return {}
  if (!isEnvelopeType(proofType) && isSelective(suiteOf(proofType)))
    return { mandatoryPointers: [...new Set([...defaultMandatoryPointers(credential), ...pointers])] }
  throw new Refusal('request.invalid', 'Only proofs of bbs-2023 and ecdsa-sd-2023 take mandatory pointers.', [
    {
      path: 'mandatoryPointers',
      code: 'selective',
      message: `expected no pointers: ${withArticle(proofType)} proof discloses everything`,
    },
  ])
}

/** Stands for a status entry in what is only checked. */
const NO_ENTRY: StatusEntry = { listId: '00000000-0000-4000-8000-000000000000', index: 0 }

const kindOf = (dataModel: DataModel) => (dataModel === '2.0' ? 'BitstringStatusList' : 'RevocationList2020')

/** Waits for work on the completed credential; its refusals get the paths of the payload. */
async function inPayload<Result>({ inPayload: pathOf }: NormalisedCredential, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw withPaths(error, pathOf)
  }
}

/** Signs the payload of a request or of a batch row; the caller records the credential. */
export function createSigning({ documents, now, tenants, contexts, entries, signers, policyGate, settings }: Parts) {
  /** Checks a credential that is signed in an envelope: `rehearsed` has a stand-in for the status that `unsigned` lacks. */
  async function prepare(
    tenantId: string,
    proofType: EnvelopeType,
    { rehearsed, unsigned, alike, ...terms }: EnvelopeTerms & { rehearsed: Json; unsigned: Json; alike: boolean },
  ): Promise<PreparedEnvelope> {
    await documents.inspect(rehearsed, contexts.lookupFor(tenantId), alike)
    return overDocument(() => prepareEnvelope(proofType, unsigned, terms))
  }

  /** Adds the proof, or makes the envelope. */
  async function secure(
    tenantId: string,
    { proofType, ...request }: Omit<Parameters<Documents['sign']>[0], 'proofType'> & { proofType: CredentialProofType },
    { alike, holderKey, prepared }: Pick<DisclosureTerms, 'holderKey'> & { alike: boolean; prepared: PreparedEnvelope },
  ): Promise<{ document: Json; envelope?: string }> {
    if (!isEnvelopeType(proofType)) {
      const signing = alike ? documents.signLike : documents.sign
      return { document: await signing({ ...request, proofType }, contexts.lookupFor(tenantId)) }
    }
    const { credential, signer } = request
    const document = holderKey ? { ...credential, cnf: confirmationOf(holderKey) } : credential
    return { document, envelope: await signEnvelope(proofType, document, signer, prepared) }
  }

  return {
    /**
     * Runs the checks of `sign` on a payload, without an issuer of the tenant, a status entry or a signature. Throws
     * `Refusal` with `credential.*` or `context.*`.
     */
    async rehearse(
      tenantId: string,
      { payload, proofType: proofTypeName, revocable }: Pick<SignRequest, 'payload' | 'proofType' | 'revocable'>,
    ): Promise<void> {
      const proofType = proofTypeOf(proofTypeName)
      const time = now()
      const normal = await overDocument(() => normaliseSignPayload(payload, { proofType, revocable, now: time }))
      const unsigned = { id: `urn:uuid:${NO_ENTRY.listId}`, ...normal.credential }
      const entry = async () => {
        const { baseUrl } = await tenants.byId(tenantId)
        const { listId, index } = NO_ENTRY
        const place = { listUrl: statusListUrl(baseUrl, listId), index, purpose: 'revocation' } as const
        return { ...statusEntry({ kind: kindOf(normal.dataModel), ...place }) }
      }
      const credential = revocable ? withStatus(unsigned, await entry()) : unsigned
      const lookup = contexts.lookupFor(tenantId)
      if (isEnvelopeType(proofType)) return inPayload(normal, documents.inspect(credential, lookup))
      const request = { credential, proofType, verificationMethod: `${normal.issuer}#key`, now: time }
      await inPayload(normal, documents.rehearse(request, lookup))
    },

    /**
     * Signs as the payload's issuer. `together`: how many similar credentials the caller is about to sign. Throws
     * `Refusal` with `credential.*` or `context.*`, what the policy of the tenant forbids, and `Unavailable('keys')`.
     */
    async sign(
      tenantId: string,
      id: string,
      {
        payload,
        issuerField = 'payload.issuer.id',
        typeField = 'payload.type',
        proofType: proofTypeName,
        revocable,
        suspendable = false,
        explanations = {},
        tag,
        mandatoryPointers,
        disclosure = {},
        areClaimsOptional = false,
        holderField = 'holderKey',
        mayBeIllTyped = false,
      }: SignRequest,
      together = 1,
    ): Promise<SignedSemanticRow> {
      const proofType = proofTypeOf(proofTypeName)
      const time = now()
      const normal = await overDocument(() => normaliseSignPayload(payload, { proofType, revocable, now: time }))
      if (suspendable) assertSuspendable(revocable, normal.dataModel)
      const terms = { areOptional: areClaimsOptional, holderField }
      const plan = await overDocument(() => disclosurePlan(normal.credential, proofType, disclosure, terms))
      const issuer = await signers.signerOf(tenantId, normal.issuer, refuseIssuer(issuerField))
      const judged = { format: 'semantic', issuer: issuer.did, types: normal.types } as const
      await policyGate.assertMayIssue(tenantId, judged, { issuer: issuerField, type: typeField })
      const signer = issuer.withKey(credentialKeyFor(proofType))
      const { '@context': context, id: ownId, ...rest } = normal.credential
      const unsigned: Json = { '@context': context, id: ownId ?? `urn:uuid:${id}`, ...rest }
      const kind = kindOf(normal.dataModel)
      const baseUrl = revocable ? (await tenants.byId(tenantId)).baseUrl : ''
      const entryOf = ({ listId, index }: StatusEntry, purpose: StatusPurpose): Json => {
        const listUrl = statusListUrl(baseUrl, listId)
        return { ...statusEntry({ kind, listUrl, index, purpose, ...explanations[purpose] }) }
      }
      const withEntries = (first: StatusEntry, second = suspendable ? first : undefined): Json => {
        const revocation = entryOf(first, 'revocation')
        return withStatus(unsigned, second ? [revocation, entryOf(second, 'suspension')] : revocation)
      }
      const rehearsed = revocable ? withEntries(NO_ENTRY) : unsigned
      const mandatory = mandatoryOf(rehearsed, proofType, mandatoryPointers)
      const alike = together > 1
      // an entry of a status list is never given back: what can be known to be refused takes none
      const prepared = isEnvelopeType(proofType)
        ? await inPayload(normal, prepare(tenantId, proofType, { rehearsed, unsigned, alike, plan, randomBytes }))
        : undefined
      let credential = unsigned
      let entry: StatusEntry | undefined
      let suspension: StatusEntry | undefined
      if (revocable) {
        const isEnveloped = kind === 'BitstringStatusList' && (await settings.wasOn(tenantId, 'envelopedStatusLists'))
        const ofList = listProofType(proofType, { keyType: signer.keyType, isEnveloped })
        const owner = { tenantId, issuerId: issuer.didId, kind, purpose: 'revocation', proofType: ofList } as const
        entry = await entries.take(owner, together)
        if (suspendable) suspension = await entries.take({ ...owner, purpose: 'suspension' }, together)
        credential = withEntries(entry, suspension)
      }
      const secured = await inPayload(
        normal,
        secure(
          tenantId,
          { credential, proofType, signer, now: time, mayBeIllTyped, ...mandatory },
          { prepared, holderKey: disclosure.holderKey, alike },
        ),
      )
      return {
        id,
        format: 'semantic',
        ...secured,
        didId: issuer.didId,
        issuer: issuer.did,
        proofType,
        tag: tag ?? null,
        types: normal.types,
        issuanceDate: normal.issuanceDate,
        expirationDate: normal.expirationDate ?? null,
        statusListId: entry?.listId ?? null,
        statusIndex: entry?.index ?? null,
        suspensionListId: suspension?.listId ?? null,
        suspensionIndex: suspension?.index ?? null,
      }
    },
  }
}

export type Signing = ReturnType<typeof createSigning>
