import { useId } from 'preact/hooks'
import { TextEntry } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

interface IssuerEntryProps {
  name: string
  standing: Standing
  required?: boolean
}

/** The DID that signs: one of the tenant's, typed or chosen; empty for the default issuer. */
export function IssuerEntry({ name, standing, required = false }: IssuerEntryProps) {
  const { templates } = useTexts()
  const list = useId()
  const mayRead = standing.scopes.has('dids:read')
  const { data = [] } = useLoad('dids', async () =>
    mayRead ? (await api.get('/v1/dids', { params: { query: { limit: 100, page: 1 } } })).dids : [],
  )
  const first = data.find(({ issuer }) => issuer) ?? (data.length === 1 ? data[0] : undefined)
  return (
    <>
      <TextEntry
        key={required ? first?.did : undefined}
        label={templates.issuerDid}
        name={name}
        list={list}
        required={required}
        value={required ? first?.did : ''}
        hint={required ? templates.issuerNeeded : templates.issuerHint}
      />
      <datalist id={list}>
        {data.map(({ did }) => (
          <option key={did} value={did} />
        ))}
      </datalist>
    </>
  )
}
