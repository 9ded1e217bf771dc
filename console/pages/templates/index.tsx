import type { Area } from '../area.ts'
import { isFormat, TEMPLATES } from './formats.ts'
import { NewTemplatePage, TemplatePage } from './template.tsx'
import { TemplatesPage } from './templates.tsx'

export const templates: Area = {
  needs: [
    'semantic-credentials:read',
    'compact-credentials:read',
    'mobile-credentials:read',
    'sd-jwt-credentials:read',
  ],
  page({ standing, parts: [format, id, ...more] }) {
    if (format === undefined) return <TemplatesPage standing={standing} />
    if (!isFormat(format) || id === undefined || more.length > 0) return undefined
    if (id !== 'new') return <TemplatePage format={format} id={id} standing={standing} />
    return standing.scopes.has(`${TEMPLATES[format].scope}:write`) ? <NewTemplatePage format={format} /> : undefined
  },
}
