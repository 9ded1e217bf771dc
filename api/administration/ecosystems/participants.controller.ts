import {
  Body,
  Controller,
  Delete,
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
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { readerOf } from './reader.ts'
import {
  type ParticipantIn,
  type ParticipantOut,
  type ParticipantPageOut,
  participantToInput,
  participantToWire,
} from './wire.ts'

@Route('v1/ecosystems/{ecosystemId}/participants')
@Tags('Ecosystems')
export class EcosystemParticipantsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the participants of an ecosystem, newest first, to an operator (`platform:read`) or to a tenant that is bound
   * to it (`administration:read`).
   * @summary List participants of an ecosystem
   */
  @Get()
  @OperationId('getListOfEcosystemParticipants')
  @Security('bearerAuth')
  async list(
    @Request() request: HttpRequest,
    @Path() ecosystemId: Uuid,
    @Queries() query: PageQuery,
  ): Promise<ParticipantPageOut> {
    const page = toPage(query.limit, query.page)
    const { ecosystemParticipants } = this.platform
    const { participants, total } = await ecosystemParticipants.listParticipants(readerOf(request), ecosystemId, page)
    return { data: participants.map(participantToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a participant: an issuer, a verifier, or both, with the DIDs and IACAs by which credentials name it. An
   * identifier is of one participant of the ecosystem.
   * @summary Create a participant of an ecosystem
   */
  @Post()
  @OperationId('createEcosystemParticipant')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Response<Problem>(409, 'an identifier is that of another participant')
  async create(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Body() body: ParticipantIn,
  ): Promise<ParticipantOut> {
    const { ecosystemParticipants } = this.platform
    const created = await ecosystemParticipants.createParticipant(called.user, ecosystemId, participantToInput(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/ecosystems/${ecosystemId}/participants/${created.id}`)
    return participantToWire(created)
  }

  /**
   * Returns a participant, in a list that has it alone.
   * @summary Read a participant of an ecosystem
   */
  @Get('{participantId}')
  @OperationId('getEcosystemParticipant')
  @Security('bearerAuth')
  async read(
    @Request() request: HttpRequest,
    @Path() ecosystemId: Uuid,
    @Path() participantId: Uuid,
  ): Promise<ParticipantPageOut> {
    const { ecosystemParticipants } = this.platform
    const read = await ecosystemParticipants.readParticipant(readerOf(request), ecosystemId, participantId)
    return { data: [participantToWire(read)], ...camelTotals(1, toPage(undefined, undefined).limit) }
  }

  /**
   * Replaces name, identifiers and roles of a participant. What it is allowed stays.
   * @summary Update a participant of an ecosystem
   */
  @Put('{participantId}')
  @OperationId('updateEcosystemParticipant')
  @Security('bearerAuth', ['platform:write'])
  @Response<Problem>(409, 'an identifier is that of another participant')
  async update(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Path() participantId: Uuid,
    @Body() body: ParticipantIn,
  ): Promise<ParticipantOut> {
    const input = participantToInput(body)
    const { ecosystemParticipants } = this.platform
    return participantToWire(
      await ecosystemParticipants.updateParticipant(called.user, ecosystemId, participantId, input),
    )
  }

  /**
   * Deletes a participant with what it is allowed, unless a tenant verifies as it.
   * @summary Delete a participant of an ecosystem
   */
  @Delete('{participantId}')
  @OperationId('deleteEcosystemParticipant')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  @Response<Problem>(409, 'a tenant verifies as it')
  async remove(@Request() called: Called, @Path() ecosystemId: Uuid, @Path() participantId: Uuid): Promise<void> {
    await this.platform.ecosystemParticipants.deleteParticipant(called.user, ecosystemId, participantId)
  }
}
