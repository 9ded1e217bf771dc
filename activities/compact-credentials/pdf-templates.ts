import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import { CompactPdfFile, CompactPdfTemplate } from '../../entities/compact-credentials.ts'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import type { TemplateFiles } from '../../protocol/compact-credentials/pdfs/archive.ts'
import type { ReadTemplate } from '../../protocol/compact-credentials/pdfs/read.ts'
import {
  FONT_FOLDER,
  PDF_FILE,
  type PdfFont,
  type PdfTemplate,
} from '../../protocol/compact-credentials/pdfs/template.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'
import type { Call, Operations } from '../frame/operations.ts'

export interface StoredPdfTemplate {
  id: string
  template: PdfTemplate
}

/** What a request brings: an archive, or members with the files that they name; files may be left out of a change. */
export type PdfTemplateUpload =
  | { zip: Uint8Array }
  | { members: unknown; pdf?: Uint8Array | undefined; fonts: Map<string, Uint8Array> }

/** A template with its files as PDFs are made of it. */
export interface LoadedPdfTemplate extends ReadTemplate {
  id: string
}

/** 100 templates of at most 6 MiB. */
export const MAX_PDF_TEMPLATES = 100
const CACHED_BYTES = 48 * 1_024 * 1_024

const notFound = () => new Refusal('pdf_template.not_found', 'There is no such PDF template.')

const withoutPdf = () =>
  new Refusal('request.invalid', 'The body has no PDF.', [
    { path: 'template_file', code: 'required', message: 'expected the PDF in base64' },
  ])

/** A change that does not speak of fonts keeps those that are stored; `[]` takes them away. */
const withFonts = (members: unknown, fonts: readonly PdfFont[]): unknown =>
  isObject(members) && (members.fonts ?? null) === null ? { ...members, fonts } : members

const changedMeanwhile = () =>
  new Refusal('pdf_template.changed', 'Another request changed the template meanwhile. Send the change again.')

const storedOf = ({ id, definition }: CompactPdfTemplate): StoredPdfTemplate => ({ id, template: definition })

const filesOf = (rows: readonly Pick<CompactPdfFile, 'name' | 'content'>[]): TemplateFiles => {
  const files = new Map(rows.map(({ name, content }) => [name, new Uint8Array(content)]))
  const pdf = files.get(PDF_FILE)
  if (!pdf) throw new Error('a stored PDF template has no PDF')
  files.delete(PDF_FILE)
  return { pdf, fonts: new Map([...files].map(([name, bytes]) => [name.slice(FONT_FOLDER.length), bytes])) }
}

async function find(em: SqlEntityManager, id: string, lockMode?: LockMode): Promise<CompactPdfTemplate> {
  const row = await em.findOne(CompactPdfTemplate, { id }, lockMode === undefined ? {} : { lockMode, refresh: true })
  if (!row) throw notFound()
  return row
}

/** Templates of PDFs. Each is checked in a thread before any row is written. */
export function createPdfTemplates({
  database,
  documents,
  now,
  uuid,
  operations,
}: Pick<Dependencies, 'database' | 'documents' | 'now' | 'uuid'> & { operations: Operations }) {
  /** By revision, which is of one tenant's template, and which the row is asked for first. */
  const cache = new LRUCache<string, TemplateFiles>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ pdf, fonts }) => [...fonts.values()].reduce((sum, { length }) => sum + length, pdf.length + 1),
  })

  const load = (tenantId: string, id: string): Promise<LoadedPdfTemplate> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await find(em, id)
      const cached = cache.get(row.revision)
      if (cached) return { id, template: row.definition, ...cached }
      // locked, so that the files that are read are those of the row
      const { definition, revision } = await find(em, id, LockMode.PESSIMISTIC_READ)
      const files = filesOf(await em.find(CompactPdfFile, { templateId: id, revision }))
      cache.set(revision, files)
      return { id, template: definition, ...files }
    })

  /** The files that a change leaves out stay as they are. */
  async function completed(tenantId: string, upload: PdfTemplateUpload, id?: string) {
    if ('zip' in upload) return upload
    const stored = id === undefined ? undefined : await load(tenantId, id)
    const pdf = upload.pdf ?? stored?.pdf
    if (!pdf) throw withoutPdf()
    const members = stored ? withFonts(upload.members, stored.template.fonts) : upload.members
    return { members, pdf, fonts: upload.fonts, keptFonts: stored?.fonts }
  }

  const check = async (tenantId: string, upload: PdfTemplateUpload, id?: string): Promise<ReadTemplate> =>
    documents.readPdfTemplate(await completed(tenantId, upload, id), bundledOnly(tenantId))

  async function store(em: SqlEntityManager, row: CompactPdfTemplate, { pdf, fonts }: TemplateFiles) {
    const { tenantId, id: templateId, revision } = row
    await em.flush()
    const files = [[PDF_FILE, pdf] as const, ...[...fonts].map(([name, bytes]) => [FONT_FOLDER + name, bytes] as const)]
    for (const [name, bytes] of files)
      em.create(CompactPdfFile, { id: uuid(), tenantId, templateId, revision, name, content: Buffer.from(bytes) })
    await em.flush()
    return storedOf(row)
  }

  return {
    loadPdfTemplate: load,

    /** Throws as `readUpload` does, `pdf_template.too_many`, `pdf_template.too_complex`. */
    async createPdfTemplate(call: Call, upload: PdfTemplateUpload): Promise<StoredPdfTemplate> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as StoredPdfTemplate
      const read = await check(tenantId, upload)
      const [id, revision] = [uuid(), uuid()]
      return operations.change(call, 'createCompactCredentialPdfTemplate', { id }, async (em) => {
        await takeTurn(em, `pdf templates of ${tenantId}`)
        if ((await em.count(CompactPdfTemplate)) >= MAX_PDF_TEMPLATES)
          throw new Refusal(
            'pdf_template.too_many',
            `A tenant has at most ${MAX_PDF_TEMPLATES} PDF templates. Delete one first.`,
          )
        const at = now()
        const row = { id, tenantId, revision, definition: read.template, createdAt: at, updatedAt: at }
        return store(em, em.create(CompactPdfTemplate, row), read)
      })
    },

    /** Throws as `createPdfTemplate` does, `pdf_template.not_found`, `pdf_template.changed`. */
    async updatePdfTemplate(call: Call, id: string, upload: PdfTemplateUpload): Promise<StoredPdfTemplate> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as StoredPdfTemplate
      const { revision } = await inTenant(database.tenants, tenantId, (em) => find(em, id))
      const read = await check(tenantId, upload, id)
      return operations.change(call, 'updateCompactCredentialPdfTemplate', { id }, async (em) => {
        const row = await find(em, id, LockMode.PESSIMISTIC_WRITE)
        // files that the request leaves out would be put back as they were
        if (row.revision !== revision && !('zip' in upload)) throw changedMeanwhile()
        await em.nativeDelete(CompactPdfFile, { templateId: id })
        em.assign(row, { definition: read.template, revision: uuid(), updatedAt: now() })
        return store(em, row, read)
      })
    },

    readPdfTemplate: (tenantId: string, id: string): Promise<StoredPdfTemplate> =>
      inTenant(database.tenants, tenantId, async (em) => storedOf(await find(em, id))),

    /** Newest first. */
    listPdfTemplates(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(CompactPdfTemplate, {}, { orderBy, limit, offset })
        return { templates: rows.map(storedOf), total }
      })
    },

    async deletePdfTemplate(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteCompactCredentialPdfTemplate', { id }, async (em) => {
        if ((await em.nativeDelete(CompactPdfTemplate, { id })) === 0) throw notFound()
      })
    },
  }
}

export type PdfTemplates = ReturnType<typeof createPdfTemplates>
