import { textOf } from '../../frame/form.tsx'
import { type Json, named, objectsIn } from './claims.ts'
import { durationIn } from './duration.tsx'
import { keyAttestationsIn } from './key-attestations.tsx'
import type { Edited } from './rows.ts'
import { sdJwtClaimsIn } from './sd-jwt.rows.ts'

/** What wallets show: the form has the first language, and the others stay. */
function displayIn(form: FormData, source: Json): Json[] {
  const [first = {}, ...others] = objectsIn(source.display)
  const name = textOf(form, 'display.0.name')
  if (name === undefined) return others
  const shown = named({
    locale: textOf(form, 'display.0.locale') ?? 'en',
    name,
    description: textOf(form, 'display.0.description'),
    background_color: textOf(form, 'display.0.background_color'),
    text_color: textOf(form, 'display.0.text_color'),
    logo_url: textOf(form, 'display.0.logo_url'),
  })
  return [{ ...(first.locale === shown.locale ? first : {}), ...shown }, ...others]
}

const numberIn = (form: FormData, name: string): number | undefined => {
  const text = textOf(form, name)
  return text === undefined ? undefined : Number(text)
}

/** A template of SD-JWT VCs as the form and the rows have it. */
export function sdJwtBody(form: FormData, { rows, others, source }: Edited): Json {
  const vct = textOf(form, 'vct')
  const display = displayIn(form, source)
  // a digest is of one type's metadata
  const integrity = vct !== undefined && vct === source.vct ? source.vct_integrity : undefined
  return named({
    name: textOf(form, 'name') ?? '',
    description: textOf(form, 'description'),
    vct,
    vct_integrity: integrity,
    claims: sdJwtClaimsIn(rows, others),
    decoys: numberIn(form, 'decoys'),
    claim_source_id: textOf(form, 'claim_source_id'),
    expiration: durationIn(form, 'expiration'),
    revocable: form.has('revocable'),
    key_binding: form.has('key_binding'),
    key_attestations: keyAttestationsIn(form),
    display: display.length > 0 ? display : undefined,
    extends: source.extends,
    extends_integrity: source.extends_integrity,
    issued_as: textOf(form, 'issued_as'),
    issuer_did: textOf(form, 'issuer_did'),
    document_signer_id: textOf(form, 'document_signer_id'),
  })
}
