import type { Schemas } from '../../../client/index.ts'
import { textOf } from '../../frame/form.tsx'
import { jsonOf } from '../../frame/forms/json.ts'
import { type JsonRules, refusedAt } from '../../frame/forms/typed.ts'
import { api } from '../../frame/session.ts'
import { TEMPLATES, type Template } from '../templates/formats.ts'
import { claimsIn, type ValueRules } from './values.ts'

export type Way = 'sign' | 'offer'

export type Result = { kind: 'signed'; id: string; encoded?: string } | { kind: 'offered'; offer: Schemas['OfferOut'] }

/** What is asked, as the page shows it and sends it. */
export interface Question {
  path: string
  body: Record<string, unknown>
}

/** Of a template without mappings. */
function objectIn(form: FormData, rules: JsonRules): Record<string, unknown> {
  if (textOf(form, 'claims') === undefined) return {}
  const value = jsonOf(form, 'claims', rules)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw refusedAt('claims', 'json', rules.rule)
}

export function questionOf(template: Template, way: Way, form: FormData, rules: JsonRules & ValueRules): Question {
  const { id, format, claims, takesAll } = template
  const subject = textOf(form, 'claims.id')
  const given = {
    ...claimsIn(form, claims, rules),
    ...(takesAll && objectIn(form, rules)),
    ...(subject && { id: subject }),
  }
  const suspendable = form.has('suspendable') && { suspendable: true }
  if (way === 'offer') {
    const body = { credentials: [id], claims: given, ...suspendable, ...(form.has('txCode') && { txCode: true }) }
    return { path: '/v1/openid/sessions', body: { ...body, grantType: 'pre-authorized_code' } }
  }
  const [issuer, tag] = [textOf(form, 'issuer_did'), textOf(form, 'tag')]
  return {
    path: `${TEMPLATES[format].path}/${id}/sign`,
    body: { claims: given, ...suspendable, ...(issuer && { issuer_did: issuer }), ...(tag && { tag }) },
  }
}

/** Signs by the operation of the format, or makes an offer. */
export async function send(
  { id, format }: Template,
  way: Way,
  { body }: Question,
  headers: Record<string, string>,
): Promise<Result> {
  if (way === 'offer') {
    const offer = await api.post('/v1/openid/sessions', { body: body as unknown as Schemas['SessionIn'], headers })
    return { kind: 'offered', offer }
  }
  const params = { path: { id } }
  if (format === 'web-semantic') {
    const asked = { params, headers, body: body as unknown as Schemas['TemplateSignIn'] }
    const signed = await api.post('/v1/credentials/web-semantic/configurations/{id}/sign', asked)
    return { kind: 'signed', id: signed.id }
  }
  if (format === 'sd-jwt-vc') {
    const asked = { params, headers, body: body as unknown as Schemas['SdJwtTemplateSignIn'] }
    const signed = await api.post('/v1/credentials/sd-jwt-vc/configurations/{id}/sign', asked)
    return { kind: 'signed', id: signed.id }
  }
  const asked = { params, headers, body: body as unknown as Schemas['CompactTemplateSignIn'] }
  const signed =
    format === 'compact'
      ? await api.post('/v1/credentials/compact/configurations/{id}/sign', asked)
      : await api.post('/v1/credentials/compact-semantic/configurations/{id}/sign', asked)
  // an id of a compact credential has a prefix: what the page shows is named by the UUID
  return { kind: 'signed', id: signed.id.slice(-36), encoded: signed.encoded }
}
