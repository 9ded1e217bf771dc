import { ForeignKeyConstraintViolationException } from '@mikro-orm/core'
import { inTenant } from '../../../entities/orm.ts'
import { PresentationTemplate } from '../../../entities/semantic-credentials.presentations.ts'
import { type FieldError, Refusal } from '../../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../../protocol/names.ts'
import { type PresentationQuery, readQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'
import { type TrustedContexts, trustedContextsErrors } from '../../../protocol/semantic-credentials/warnings.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'

export interface TemplateInput {
  domain: string
  name: string
  query: unknown
  /** Contexts allowed in an answer besides the bundled and the registered ones; undefined or null: any. */
  trustedContexts?: TrustedContexts | null
}

export interface PresentationTemplateRecord {
  id: string
  domain: string
  name: string
  query: object
  /** Absent where none were given. */
  trustedContexts?: TrustedContexts
}

const notFound = () => new Refusal('presentation_template.not_found', 'There is no such presentation template.')

const inUse = () =>
  new Refusal(
    'presentation_template.in_use',
    'A verifier signs people in with this template. Change or delete the verifier first.',
  )

const line = (value: string, maximum: number) =>
  value.length > 0 && value.length <= maximum && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)

/** Throws `Refusal('presentation_template.invalid')` with the path of every invalid member of the request's body. */
export function checkedTemplate({ domain, name, query, trustedContexts }: TemplateInput): {
  query: object
  queries: PresentationQuery[]
  trustedContexts: TrustedContexts | null
} {
  const errors: FieldError[] = []
  if (!isLabel(name)) errors.push({ path: 'name', code: 'text', message: LABEL_EXPECTED })
  if (!line(domain, 2048) || /\s/.test(domain))
    errors.push({ path: 'domain', code: 'text', message: 'expected a domain or a URL, without spaces' })
  const read = readQuery(query)
  errors.push(...read.errors.slice(0, 20))
  if (trustedContexts) errors.push(...trustedContextsErrors(trustedContexts).slice(0, 20))
  if (errors.length > 0)
    throw new Refusal(
      'presentation_template.invalid',
      'The name, domain, query or trusted contexts are not valid; see errors.',
      errors,
    )
  return { query: Object(query), queries: read.queries, trustedContexts: trustedContexts ?? null }
}

const toRecord = ({
  id,
  domain,
  name,
  query,
  trustedContexts,
}: Omit<PresentationTemplateRecord, 'trustedContexts'> & {
  trustedContexts?: TrustedContexts | null
}): PresentationTemplateRecord => ({ id, domain, name, query, ...(trustedContexts && { trustedContexts }) })

/** Presentation templates: what the tenant asks of holders (specification, Presentation template). */
export function createPresentationTemplates({
  database,
  now,
  uuid,
  operations,
}: Pick<Dependencies, 'database' | 'now' | 'uuid'> & { operations: Operations }) {
  return {
    async createTemplate(call: Call, input: TemplateInput): Promise<PresentationTemplateRecord> {
      const { query, trustedContexts } = checkedTemplate(input)
      const row = { id: uuid(), domain: input.domain, name: input.name, query, trustedContexts }
      return operations.change(call, 'createWebSemanticPresentationTemplate', { id: row.id }, async (em) => {
        em.create(PresentationTemplate, { ...row, tenantId: call.tenantId, createdAt: now(), updatedAt: now() })
        return toRecord(row)
      })
    },

    async listTemplates(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(PresentationTemplate, {}, { orderBy, limit, offset })
        return { templates: rows.map(toRecord), total }
      })
    },

    async readTemplate(tenantId: string, id: string): Promise<PresentationTemplateRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(PresentationTemplate, { id }))
      if (!row) throw notFound()
      return toRecord(row)
    },

    /** Requests made from it do not change. The body may repeat the id, which must match. */
    async updateTemplate(
      call: Call,
      id: string,
      { id: repeated, ...input }: TemplateInput & { id?: string | null },
    ): Promise<PresentationTemplateRecord> {
      if (repeated !== undefined && repeated !== null && repeated !== id)
        throw new Refusal('presentation_template.id_differs', 'The id in the body differs from the id in the path.', [
          { path: 'id', code: 'id', message: `expected ${id}, or no id` },
        ])
      const { query, trustedContexts } = checkedTemplate(input)
      return operations.change(call, 'updateWebSemanticPresentationTemplate', { id }, async (em) => {
        const row = await em.findOne(PresentationTemplate, { id })
        if (!row) throw notFound()
        Object.assign(row, { domain: input.domain, name: input.name, query, trustedContexts, updatedAt: now() })
        return toRecord(row)
      })
    },

    async deleteTemplate(call: Call, id: string): Promise<void> {
      await operations
        .change(call, 'deleteWebSemanticPresentationTemplate', { id }, async (em) => {
          if ((await em.nativeDelete(PresentationTemplate, { id })) === 0) throw notFound()
          return null
        })
        .catch((error: unknown) => {
          if (error instanceof ForeignKeyConstraintViolationException) throw inUse()
          throw error
        })
    },
  }
}

export type PresentationTemplates = ReturnType<typeof createPresentationTemplates>
