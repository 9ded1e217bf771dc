import type { Schemas } from '../../../client/index.ts'
import { api } from '../../frame/session.ts'
import { type Claim, claimsOf, elementsOf } from './claims.ts'
import { claimsOfSdJwt } from './sd-jwt.rows.ts'

/** Formats whose templates the console edits. */
export type Format = Schemas['BatchFormatName']

export const FORMAT_NAMES = [
  'web-semantic',
  'compact',
  'compact-semantic',
  'mobile',
  'sd-jwt-vc',
] as const satisfies Format[]

export const isFormat = (name: string | undefined): name is Format => FORMAT_NAMES.some((each) => each === name)

/** A template of any format, with what the console shows of all of them. */
export interface Template {
  format: Format
  id: string
  version: number
  /** For people; most formats have none but the type. */
  name: string
  type: string
  revocable: boolean
  claims: Claim[]
  /** Claims that it has no mapping for are in the credential as they are. */
  takesAll: boolean
  /** Claims that it has no mapping for are left out. */
  ignoresOthers: boolean
  display: Display
  /** As the API has it. */
  source:
    | Schemas['TemplateOut']
    | Schemas['CompactTemplateOut']
    | Schemas['MobileTemplateOut']
    | Schemas['SdJwtTemplateOut']
}

/** What a wallet draws. */
export interface Display {
  title: string
  issuer?: string
  description?: string
  colour?: string
  /** Addresses of pictures. */
  logo?: string
  watermark?: string
}

export interface TemplatePage {
  templates: Template[]
  total: number
  pages: number
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function fromSemantic(source: Schemas['TemplateOut']): Template {
  const { id, version, name, type, revocable, claim_mappings: mappings, contexts, issuer, credential_branding } = source
  const claims = claimsOf(mappings, contexts)
  const [description, colour] = [text(source.description), text(credential_branding?.backgroundColor)]
  const [logo, watermark] = [
    text(issuer.logo_url) ?? text(issuer.icon_url),
    text(credential_branding?.watermarkImageUrl),
  ]
  return {
    ...{ format: 'web-semantic', id, version, name, type, revocable, claims, source },
    takesAll: claims.length === 0,
    ignoresOthers: source.ignore_unmapped === true,
    display: {
      ...{ title: name, issuer: issuer.name },
      ...(description && { description }),
      ...(colour && { colour }),
      ...(logo && { logo }),
      ...(watermark && { watermark }),
    },
  }
}

const plain = { takesAll: false, ignoresOthers: false }

const fromCompact = (format: Format, source: Schemas['CompactTemplateOut']): Template => {
  const { id, version, type, revocable, credential_mappings: mappings } = source
  const claims = claimsOf(mappings)
  return { format, id, version, name: type, type, revocable, claims, ...plain, display: { title: type }, source }
}

const fromMobile = (source: Schemas['MobileTemplateOut']): Template => {
  const { id, version, type, revocable, claim_mappings: mappings } = source
  const claims = elementsOf(mappings)
  return {
    format: 'mobile',
    id,
    version,
    name: type,
    type,
    revocable,
    claims,
    ...plain,
    display: { title: type },
    source,
  }
}

function fromSdJwt(source: Schemas['SdJwtTemplateOut']): Template {
  const { id, version, name, vct, revocable, display: [shown] = [] } = source
  const colour = text(shown?.background_color)
  const logo = text(shown?.logo_url)
  const description = text(shown?.description) ?? text(source.description)
  return {
    ...{ format: 'sd-jwt-vc', id, version, name, type: vct, revocable, claims: claimsOfSdJwt(source.claims), ...plain },
    display: {
      title: shown?.name ?? name,
      ...(description && { description }),
      ...(colour && { colour }),
      ...(logo && { logo }),
    },
    source,
  }
}

interface PageQuery {
  page: number
  limit: number
}

interface Templates {
  /** `${scope}:read` and `${scope}:write`. */
  scope: string
  path: string
  list(query: PageQuery): Promise<TemplatePage>
  read(id: string, version?: number): Promise<Template>
}

/** What the formats' templates share, each by its own paths. */
export const TEMPLATES: Record<Format, Templates> = {
  'web-semantic': {
    scope: 'semantic-credentials',
    path: '/v1/credentials/web-semantic/configurations',
    async list(query) {
      const found = await api.get('/v1/credentials/web-semantic/configurations', { params: { query } })
      return { templates: found.data.map(fromSemantic), total: found.total_count, pages: found.total_pages }
    },
    read: async (id, version) =>
      fromSemantic(
        await api.get('/v1/credentials/web-semantic/configurations/{id}', {
          params: { path: { id }, query: version === undefined ? {} : { version } },
        }),
      ),
  },
  compact: {
    scope: 'compact-credentials',
    path: '/v1/credentials/compact/configurations',
    async list(query) {
      const found = await api.get('/v1/credentials/compact/configurations', { params: { query } })
      const templates = found.templates.map((each) => fromCompact('compact', each))
      return { templates, total: found.total_count, pages: found.total_pages }
    },
    read: async (id) =>
      fromCompact(
        'compact',
        await api.get('/v1/credentials/compact/configurations/{id}', { params: { path: { id } } }),
      ),
  },
  'compact-semantic': {
    scope: 'compact-credentials',
    path: '/v1/credentials/compact-semantic/configurations',
    async list(query) {
      const found = await api.get('/v1/credentials/compact-semantic/configurations', { params: { query } })
      const templates = found.templates.map((each) => fromCompact('compact-semantic', each))
      return { templates, total: found.total_count, pages: found.total_pages }
    },
    read: async (id) =>
      fromCompact(
        'compact-semantic',
        await api.get('/v1/credentials/compact-semantic/configurations/{id}', { params: { path: { id } } }),
      ),
  },
  mobile: {
    scope: 'mobile-credentials',
    path: '/v1/credentials/mobile/configurations',
    async list(query) {
      const found = await api.get('/v1/credentials/mobile/configurations', { params: { query } })
      return { templates: found.data.map(fromMobile), total: found.total_count, pages: found.total_pages }
    },
    read: async (id) =>
      fromMobile(await api.get('/v1/credentials/mobile/configurations/{id}', { params: { path: { id } } })),
  },
  'sd-jwt-vc': {
    scope: 'sd-jwt-credentials',
    path: '/v1/credentials/sd-jwt-vc/configurations',
    async list(query) {
      const found = await api.get('/v1/credentials/sd-jwt-vc/configurations', { params: { query } })
      return { templates: found.data.map(fromSdJwt), total: found.total_count, pages: found.total_pages }
    },
    read: async (id) =>
      fromSdJwt(await api.get('/v1/credentials/sd-jwt-vc/configurations/{id}', { params: { path: { id } } })),
  },
}

/** Every template of the format, for a choice: up to 1,000, newest first. */
export async function allTemplates(format: Format): Promise<Template[]> {
  const templates: Template[] = []
  for (let page = 1; page <= 10; page++) {
    const found = await TEMPLATES[format].list({ page, limit: 100 })
    templates.push(...found.templates)
    if (page >= found.pages) break
  }
  return templates
}
