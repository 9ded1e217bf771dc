import type { Schemas } from '../../../client/index.ts'
import { textOf, wordsOf } from '../../frame/form.tsx'
import { api } from '../../frame/session.ts'
import { type Json, named } from './claims.ts'
import { contextsIn } from './contexts.ts'
import { durationIn } from './duration.tsx'
import type { Format, Template } from './formats.ts'
import { keyAttestationsIn } from './key-attestations.tsx'
import { type Edited, elementsIn, mappingsOf } from './rows.ts'
import { sdJwtBody } from './sd-jwt.ts'

function semanticBody(form: FormData, { rows, others, contexts }: Edited): Json {
  const [colour, watermark] = [
    textOf(form, 'credential_branding.backgroundColor'),
    textOf(form, 'credential_branding.watermarkImageUrl'),
  ]
  const branding = named({ backgroundColor: colour, watermarkImageUrl: watermark })
  const mappings = mappingsOf(rows, others)
  return named({
    name: textOf(form, 'name') ?? '',
    description: textOf(form, 'description'),
    type: textOf(form, 'type') ?? '',
    additional_types: wordsOf(textOf(form, 'additional_types')),
    contexts: contextsIn(contexts),
    issuer: named({
      name: textOf(form, 'issuer.name'),
      logo_url: textOf(form, 'issuer.logo_url'),
      icon_url: textOf(form, 'issuer.icon_url'),
    }),
    credential_branding: Object.keys(branding).length > 0 ? branding : undefined,
    proof_type: textOf(form, 'proof_type'),
    revocable: form.has('revocable'),
    expires_in: durationIn(form, 'expires_in'),
    claim_source_id: textOf(form, 'claim_source_id'),
    claim_mappings: Object.keys(mappings).length > 0 ? mappings : undefined,
    ignore_unmapped: form.has('ignore_unmapped') ? true : undefined,
  })
}

/** The template as the form and the rows have it. */
export function bodyOf(format: Format, form: FormData, edited: Edited): Json {
  if (format === 'web-semantic') return semanticBody(form, edited)
  if (format === 'sd-jwt-vc') return sdJwtBody(form, edited)
  const mappings =
    format === 'mobile'
      ? { claim_mappings: elementsIn(edited.rows) }
      : { credential_mappings: mappingsOf(edited.rows, edited.others) }
  return named({
    type: textOf(form, 'type') ?? '',
    ...mappings,
    claim_source_id: textOf(form, 'claim_source_id'),
    expiration: durationIn(form, 'expiration'),
    revocable: form.has('revocable'),
    key_attestations: format === 'mobile' ? keyAttestationsIn(form) : undefined,
  })
}

interface Kept {
  id: string
  version: number
}

/** Creates a template, or makes the next version of one that is known. */
export async function saveTemplate(
  format: Format,
  body: Json,
  known: Template | undefined,
  headers: Record<string, string>,
): Promise<Kept> {
  const params = { path: { id: known?.id ?? '' } }
  if (format === 'web-semantic') {
    const sent = body as unknown as Schemas['TemplateIn']
    return known
      ? api.put('/v1/credentials/web-semantic/configurations/{id}', {
          params,
          body: { ...sent, version: known.version },
        })
      : api.post('/v1/credentials/web-semantic/configurations', { headers, body: sent })
  }
  if (format === 'mobile') {
    const sent = body as unknown as Schemas['MobileTemplateIn']
    return known
      ? api.put('/v1/credentials/mobile/configurations/{id}', { params, body: sent })
      : api.post('/v1/credentials/mobile/configurations', { headers, body: sent })
  }
  if (format === 'sd-jwt-vc') {
    const sent = body as unknown as Schemas['SdJwtTemplateIn']
    return known
      ? api.put('/v1/credentials/sd-jwt-vc/configurations/{id}', { params, body: sent })
      : api.post('/v1/credentials/sd-jwt-vc/configurations', { headers, body: sent })
  }
  const sent = body as unknown as Schemas['CompactTemplateIn']
  if (format === 'compact')
    return known
      ? api.put('/v1/credentials/compact/configurations/{id}', { params, body: sent })
      : api.post('/v1/credentials/compact/configurations', { headers, body: sent })
  return known
    ? api.put('/v1/credentials/compact-semantic/configurations/{id}', { params, body: sent })
    : api.post('/v1/credentials/compact-semantic/configurations', { headers, body: sent })
}
