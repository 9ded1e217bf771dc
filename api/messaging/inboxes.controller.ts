import {
  Body,
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Put,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import { INBOX } from './examples.ts'
import type {
  InboxDidIn,
  InboxDidOut,
  InboxDidPageOut,
  InboxIn,
  InboxOut,
  InboxPageOut,
  MessageOut,
  MessagePageOut,
} from './wire.ts'

@Route('v1/messaging/inboxes')
@Tags('Messaging')
export class InboxesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's inboxes, newest first.
   * @summary List inboxes
   */
  @Get()
  @OperationId('getListOfInboxes')
  @Security('bearerAuth', ['messaging:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<InboxPageOut> {
    const page = toPage(query.limit, query.page)
    const { inboxes, total } = await this.platform.inboxes.listInboxes(called.user.tenantId, page)
    return { inboxes, ...camelTotals(total, page.limit) }
  }

  /**
   * Creates an inbox. It gets the messages to the DIDs that are registered with it.
   * @summary Create an inbox
   */
  @Post()
  @OperationId('createInbox')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(201)
  @Example<InboxOut>(INBOX)
  @Response<Problem>(409, 'the tenant has too many inboxes')
  async create(@Request() called: Called, @Body() body: InboxIn): Promise<InboxOut> {
    const created = await this.platform.inboxes.createInbox(called.user, body)
    this.setStatus(201)
    this.setHeader('Location', `/v1/messaging/inboxes/${created.id}`)
    return created
  }

  /**
   * @summary Read an inbox
   */
  @Get('{id}')
  @OperationId('getInbox')
  @Security('bearerAuth', ['messaging:read'])
  @Example<InboxOut>(INBOX)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<InboxOut> {
    return this.platform.inboxes.readInbox(called.user.tenantId, id)
  }

  /**
   * Changes the name.
   * @summary Update an inbox
   */
  @Put('{id}')
  @OperationId('updateInbox')
  @Security('bearerAuth', ['messaging:write'])
  @Example<InboxOut>(INBOX)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: InboxIn): Promise<InboxOut> {
    return this.platform.inboxes.updateInbox(called.user, id, body)
  }

  /**
   * Deletes an inbox with its messages, and ends the registrations of its DIDs.
   * @summary Delete an inbox
   */
  @Delete('{id}')
  @OperationId('deleteInbox')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.inboxes.deleteInbox(called.user, id)
  }

  /**
   * Returns the DIDs that are registered with an inbox, newest first.
   * @summary List the DIDs of an inbox
   */
  @Get('{id}/dids')
  @OperationId('getInboxDIDs')
  @Security('bearerAuth', ['messaging:read'])
  async listDids(@Request() called: Called, @Path() id: Uuid, @Queries() query: PageQuery): Promise<InboxDidPageOut> {
    const page = toPage(query.limit, query.page)
    const { dids, total } = await this.platform.inboxDids.listDids(called.user.tenantId, id, page)
    return { dids, ...camelTotals(total, page.limit) }
  }

  /**
   * Registers a DID with an inbox, which then gets the messages to it. The DID is one of the tenant, or `jwt` proves the
   * control of it. A DID is registered with one inbox of a tenant; repeating the request changes nothing.
   * @summary Register a DID with an inbox
   */
  @Post('{id}/dids')
  @OperationId('registerDID')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(201)
  @Response<Problem>(409, 'the DID is registered with another inbox of the tenant, or the inbox has too many DIDs')
  async register(@Request() called: Called, @Path() id: Uuid, @Body() body: InboxDidIn): Promise<InboxDidOut> {
    const { did, jwt } = body
    const registered = await this.platform.inboxDids.registerDid(called.user, id, { did, jwt: jwt ?? undefined })
    this.setStatus(201)
    return { did: registered.did }
  }

  /**
   * Ends the registration of a DID. The messages that came stay in the inbox.
   * @summary Remove a DID from an inbox
   * @param did The DID, URL-encoded.
   */
  @Delete('{id}/dids/{did}')
  @OperationId('unregisterDID')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(204)
  async unregister(@Request() called: Called, @Path() id: Uuid, @Path() did: string): Promise<void> {
    await this.platform.inboxDids.unregisterDid(called.user, id, did)
  }

  /**
   * Returns the messages of an inbox, newest first.
   * @summary List the messages of an inbox
   */
  @Get('{id}/messages')
  @OperationId('getListOfMessages')
  @Security('bearerAuth', ['messaging:read'])
  async listMessages(
    @Request() called: Called,
    @Path() id: Uuid,
    @Queries() query: PageQuery,
  ): Promise<MessagePageOut> {
    const page = toPage(query.limit, query.page)
    const { messages, total } = await this.platform.messages.listMessages(called.user.tenantId, id, page)
    return { messages, ...camelTotals(total, page.limit) }
  }

  /**
   * @summary Read a message
   */
  @Get('{id}/messages/{messageId}')
  @OperationId('getMessage')
  @Security('bearerAuth', ['messaging:read'])
  async readMessage(@Request() called: Called, @Path() id: Uuid, @Path() messageId: Uuid): Promise<MessageOut> {
    return this.platform.messages.readMessage(called.user.tenantId, id, messageId)
  }

  /**
   * Deletes a message. Should its sender send it again, it comes again, under the same id.
   * @summary Delete a message
   */
  @Delete('{id}/messages/{messageId}')
  @OperationId('deleteMessage')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(204)
  async removeMessage(@Request() called: Called, @Path() id: Uuid, @Path() messageId: Uuid): Promise<void> {
    await this.platform.messages.deleteMessage(called.user, id, messageId)
  }
}
