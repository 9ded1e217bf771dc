import {
  Body,
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { DidRecord, Waiting } from '../../activities/dids/records.ts'
import type { Platform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Count, DateTime, Did, JsonObject, Uuid } from '../frame/wire.ts'

/** KEY or WEB, in upper or lower case. */
export type DidMethod = string

/** KEY: keyType (default: ed25519). WEB: url, a domain or an https URL. */
export type DidOptions = { [name: string]: string }

interface DidIn {
  method: DidMethod
  options: DidOptions
  /**
   * true: the DID becomes the tenant's default issuer, which signs for requests that name no DID. Refused if the tenant
   * has a default issuer; PUT /v1/settings replaces that.
   */
  issuer?: boolean
}

interface KeyOut {
  /** The verification method in the DID document. */
  didDocumentKeyId: string
  /** The key in the key store. */
  kmsKeyId: Uuid
  /** hardened: the key never leaves the key store. software: the key is decrypted in memory when it is used. */
  custody: 'hardened' | 'software'
}

interface MetadataOut {
  keys: KeyOut[]
}

interface WaitingOut {
  /**
   * Stable. did.registration_pending: the platform has not checked the DID yet. did.host_not_public: no verifier
   * outside can reach the host. did.host_unreachable, did.document_missing, did.invalid_document, did.keys_missing,
   * outbound.…: the result of the last check. did.look_postponed: the check was not made, and comes later.
   * key.store_refused, key.envelope_refused: the key store is at fault; the operator repairs it.
   */
  code: string
  /** Says for people what is missing and what to do. */
  reason: string
  lastLookAt?: DateTime
  /** Time of the next check; a time in the past means that no worker runs. */
  nextLookAt?: DateTime
}

interface DidWarningOut {
  /** Stable. did.host_lost: the host of a did:web is no verified domain of the tenant any more, so that it signs nothing. */
  code: string
  /** Says for people what is wrong and what to do. */
  reason: string
}

/** PROCESSING until the document resolves, then COMPLETED; FAILED when it does not resolve in time. */
export type RegistrationStatus = 'PROCESSING' | 'COMPLETED' | 'FAILED'

interface DidOut {
  did: Did
  id: Uuid
  metadata: MetadataOut
  /** true for the tenant's default issuer, which signs for requests that name no DID; absent for every other DID. */
  issuer?: boolean
  registrationStatus: RegistrationStatus
  /** Why the registration FAILED. */
  failureReason?: string
  /** Why a did:web is still PROCESSING, and when the platform checks it again. */
  waiting?: WaitingOut
  /** Why a COMPLETED DID cannot be used at present. */
  warning?: DidWarningOut
}

interface DidPageOut {
  dids: DidOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

/** A DID document (DID Core 1.0). It has only its id while the keys of a did:web are created. */
export type DidDocument = JsonObject

interface ResolvedOut {
  /** Id of the DID's row, as in the list; it finds the log entries and workflows of the DID. */
  id: Uuid
  didDocument: DidDocument
  registrationStatus: RegistrationStatus
  /** Why the registration FAILED. */
  failureReason?: string
  /** Why a did:web is still PROCESSING, and when the platform checks it again. */
  waiting?: WaitingOut
  /** Why a COMPLETED DID cannot be used at present. */
  warning?: DidWarningOut
  localMetadata: MetadataOut
  /** platform: the platform serves the document. caller: publish it at the DID's address. none: it needs no hosting. */
  hosting: 'platform' | 'caller' | 'none'
}

const methodOf = (text: string): 'KEY' | 'WEB' => {
  const method = text.toUpperCase()
  if (method === 'KEY' || method === 'WEB') return method
  throw new Refusal('request.invalid', 'This DID method is not supported. Use KEY or WEB.', [
    { path: 'method', code: 'enum', message: 'expected KEY or WEB' },
  ])
}

const statusToWire = ({ registrationStatus, failureReason, waiting, warning }: DidRecord) => ({
  registrationStatus,
  ...(failureReason ? { failureReason } : {}),
  ...(waiting ? { waiting: waitingToWire(waiting) } : {}),
  ...(warning ? { warning } : {}),
})

const waitingToWire = ({ code, reason, lookedAt, nextLookAt }: Waiting): WaitingOut => ({
  code,
  reason,
  ...(lookedAt ? { lastLookAt: lookedAt } : {}),
  ...(nextLookAt ? { nextLookAt } : {}),
})

const toWire = (record: DidRecord): DidOut => ({
  did: record.did,
  id: record.id,
  metadata: { keys: record.keys },
  ...(record.isDefaultIssuer ? { issuer: true } : {}),
  ...statusToWire(record),
})

@Route('v1/dids')
@Tags('DIDs')
export class DidsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's DIDs, newest first.
   * @summary List DIDs
   */
  @Get()
  @OperationId('getDIDsList')
  @Security('bearerAuth', ['dids:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<DidPageOut> {
    const page = toPage(query.limit, query.page)
    const { dids, total } = await this.platform.dids.listDids(called.user.tenantId, page)
    return { dids: dids.map(toWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a DID with new keys. A did:web is PROCESSING at first: a workflow creates its keys and waits until it
   * resolves.
   * @summary Create a DID
   */
  @Post()
  @OperationId('createDID')
  @Security('bearerAuth', ['dids:write'])
  @SuccessResponse(201)
  @Example<DidOut>({
    did: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    id: '8f6ad0a2-6c1f-4d5b-9c53-2f9d3f0f8c3a',
    metadata: {
      keys: [
        {
          didDocumentKeyId:
            'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK#z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
          kmsKeyId: '0c7f3a1e-52ce-4d5c-8c1f-8d1de3f0a6b1',
          custody: 'software',
        },
      ],
    },
    issuer: true,
    registrationStatus: 'COMPLETED',
  })
  @Response<Problem>(409, 'the tenant has this DID already, or has a default issuer already')
  async create(@Request() called: Called, @Body() body: DidIn): Promise<DidOut> {
    const created = await this.platform.dids.createDid(called.user, {
      method: methodOf(body.method),
      options: body.options,
      isDefaultIssuer: body.issuer ?? false,
    })
    this.setStatus(201)
    this.setHeader('Location', `/v1/dids/${encodeURIComponent(created.did)}`)
    return toWire(created)
  }

  /**
   * Returns a DID of the tenant with its stored document. For a did:web that is PROCESSING, `waiting` says why, and
   * when the platform checks it again.
   * @summary Resolve a DID
   * @param id The DID, URL-encoded.
   */
  @Get('{id}')
  @OperationId('resolveDID')
  @Security('bearerAuth', ['dids:read'])
  async resolve(@Request() called: Called, @Path() id: string): Promise<ResolvedOut> {
    const record = await this.platform.dids.readDid(called.user.tenantId, id)
    called.noted = { objectIds: [record.id] }
    const { document, keys, hosting } = record
    return { id: record.id, didDocument: document, ...statusToWire(record), localMetadata: { keys }, hosting }
  }

  /**
   * Destroys every version of the DID's keys, then its rows. Remove the document of a did:web that you host yourself.
   * The tenant's default issuer cannot be deleted: replace it first, with PUT /v1/settings.
   * @summary Delete a DID
   * @param id The DID, URL-encoded.
   */
  @Delete('{id}')
  @OperationId('deleteDID')
  @Security('bearerAuth', ['dids:write'])
  @SuccessResponse(204)
  @Response<Problem>(409, "the DID is the tenant's default issuer")
  async remove(@Request() called: Called, @Path() id: string): Promise<void> {
    await this.platform.dids.deleteDid(called.user, id)
  }
}
