import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Post,
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
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Count, DateTime, HttpsUrl, Uri } from '../frame/wire.ts'

interface ContextIn {
  /**
   * Address of the JSON-LD context: https, of a public host.
   * @maxLength 2048
   */
  url: HttpsUrl
}

interface ContextOut {
  url: Uri
  /**
   * SHA-256 of the pinned content, in hex.
   * @pattern ^[0-9a-f]{64}$
   */
  sha256: string
  /** registered: the tenant registered it. fetched: the platform fetched it for a credential. */
  source: 'registered' | 'fetched'
  created_at: DateTime
}

interface ContextPageOut {
  data: ContextOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

@Route('v1/credentials/web-semantic/contexts')
@Tags('Web semantic credentials')
export class ContextsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Fetches a context once and pins it. Registering it again fails if its content is no longer the pinned one.
   * @summary Register a JSON-LD context
   */
  @Post()
  @OperationId('registerJsonLdContext')
  @Response<Problem>(400, 'the context cannot be fetched, is not valid, or has changed since it was pinned')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(201)
  @Example<ContextOut>({
    url: 'https://issuer.example/contexts/course/v1',
    sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    source: 'registered',
    created_at: '2027-01-01T00:00:00.000Z',
  })
  async register(@Request() called: Called, @Body() body: ContextIn): Promise<ContextOut> {
    this.setStatus(201)
    const { createdAt, ...context } = await this.platform.contexts.register(called.user, body.url)
    return { ...context, created_at: createdAt }
  }

  /**
   * Returns the contexts pinned for the tenant, newest first, without the bundled ones.
   * @summary List JSON-LD contexts
   */
  @Get()
  @OperationId('listJsonLdContexts')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<ContextPageOut> {
    const page = toPage(query.limit, query.page)
    const { contexts, total } = await this.platform.contexts.list(called.user.tenantId, page)
    return {
      data: contexts.map(({ url, sha256, source, createdAt }) => ({
        url,
        sha256,
        source,
        created_at: createdAt.toISOString(),
      })),
      ...snakeTotals(total, page.limit),
    }
  }
}
