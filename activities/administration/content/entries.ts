import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { RENDERING } from '../../../protocol/administration/content/fields.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { readUuid } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import { bundledOnly, type Documents } from '../../documents/index.ts'
import type { Operations } from '../../frame/operations.ts'

/** A page of a list. */
export interface Page {
  limit: number
  offset: number
}

/** Who reads: the platform's operators see what is not published too. */
export interface Reader {
  isOperator: boolean
}

/** An entry is named by its id or by its slug. */
export const named = (name: string): { id: string } | { slug: string } => {
  const id = readUuid(name)
  return id === undefined ? { slug: name } : { id }
}

export const visible = ({ isOperator }: Reader): { isPublished?: true } => (isOperator ? {} : { isPublished: true })

const slugTaken = () =>
  new Refusal('content.slug_taken', 'Another entry has this slug.', [
    { path: 'slug', code: 'taken', message: 'expected a slug that no other entry of this kind has' },
  ])

/** Writes a new row. Throws `content.slug_taken`: of two at once, the second one waits and is refused. */
export async function flushNew(em: SqlEntityManager): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    throw error instanceof UniqueConstraintViolationException ? slugTaken() : error
  }
}

interface Rendered {
  content: string
  html: string
  rendering: number
}

/** HTML of Markdown, made in a thread. */
export const createRendering = (documents: Pick<Documents, 'renderMarkdown'>) => ({
  /** `owner`: the tenant of who writes, for its turn. Throws `content.too_nested`, `content.too_complex`. */
  async render(content: string, owner: string): Promise<Rendered> {
    return { content, html: await documents.renderMarkdown(content, bundledOnly(owner)), rendering: RENDERING }
  },

  /** HTML by the rules of today, whatever release stored the row. */
  htmlOf: async ({ content, html, rendering }: Rendered): Promise<string> =>
    rendering === RENDERING ? html : documents.renderMarkdown(content, bundledOnly('content')),
})

export type Rendering = ReturnType<typeof createRendering>

export interface ContentParts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
  rendering: Rendering
}
