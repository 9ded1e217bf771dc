import { CheckEntry, SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'
import { type Json, objectsIn, textIn } from './claims.ts'

/** Name and type of an SD-JWT VC; without a type of its own, the platform hosts one. */
export function SdJwtTypeFields({ source }: { source: Json }) {
  const { templates } = useTexts()
  return (
    <>
      <TextEntry label={templates.name} name="name" value={textIn(source, 'name')} required />
      <TextEntry label={templates.description} name="description" value={textIn(source, 'description')} />
      <TextEntry
        label={templates.vct}
        name="vct"
        value={source.hosted === true ? '' : textIn(source, 'vct')}
        hint={templates.vctHint}
      />
    </>
  )
}

/** How wallets draw it, in its first language. */
export function SdJwtDisplayFields({ source }: { source: Json }) {
  const { templates } = useTexts()
  const [first] = objectsIn(source.display)
  const entry = (label: string, name: string) => ({
    label,
    name: `display.0.${name}`,
    value: textIn(first, name),
  })
  return (
    <>
      <h2>{templates.branding}</h2>
      <TextEntry {...entry(templates.shownName, 'name')} hint={templates.shownNameHint} />
      <TextEntry {...entry(templates.locale, 'locale')} hint={templates.localeHint} />
      <TextEntry {...entry(templates.description, 'description')} />
      <TextEntry {...entry(templates.colour, 'background_color')} hint={templates.hexHint} />
      <TextEntry {...entry(templates.textColour, 'text_color')} hint={templates.hexHint} />
      <TextEntry {...entry(templates.logo, 'logo_url')} />
    </>
  )
}

/** Who signs, and what else an SD-JWT VC has. */
export function SdJwtMoreFields({ source }: { source: Json }) {
  const { templates, batches } = useTexts()
  return (
    <>
      <SelectEntry
        label={templates.issuedAs}
        name="issued_as"
        value={textIn(source, 'issued_as')}
        choices={[
          ['', templates.issuedAsNames.fitting],
          ['did', templates.issuedAsNames.did],
          ['https', templates.issuedAsNames.https],
          ['x5c', templates.issuedAsNames.x5c],
        ]}
      />
      <TextEntry
        label={templates.issuerDid}
        name="issuer_did"
        value={textIn(source, 'issuer_did')}
        hint={templates.issuerHint}
      />
      <TextEntry
        label={batches.documentSigner}
        name="document_signer_id"
        value={textIn(source, 'document_signer_id')}
        hint={batches.documentSignerHint}
      />
      <CheckEntry
        label={templates.keyBinding}
        name="key_binding"
        isChecked={source.key_binding !== false}
        hint={templates.keyBindingHint}
      />
      <TextEntry
        label={templates.decoys}
        name="decoys"
        type="number"
        value={typeof source.decoys === 'number' && source.decoys > 0 ? String(source.decoys) : ''}
        hint={templates.decoysHint}
      />
    </>
  )
}
