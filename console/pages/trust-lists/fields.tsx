import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { FORMAT_NAMES } from '../templates/formats.ts'
import { ATTESTED } from '../users/wallet-providers.tsx'
import { issuerField } from './read.ts'
import { SourceFields, type Typed } from './source.tsx'

type TrustList = Schemas['TrustListOut']

/** What the list is for. */
export function Roles({ list }: { list?: TrustList }) {
  const { 'trust-lists': texts, templates, users } = useTexts()
  return (
    <>
      <TextEntry label={texts.name} name="name" value={list?.name} required />
      <fieldset>
        <legend>{texts.formats}</legend>
        <p class="quiet">{texts.formatsHint}</p>
        {FORMAT_NAMES.map((each) => (
          <CheckEntry
            key={each}
            label={templates.formats[each]}
            name={`formats.${each}`}
            isChecked={list?.formats.includes(each)}
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>{texts.attests}</legend>
        <p class="quiet">{texts.attestsHint}</p>
        {ATTESTED.map((each) => (
          <CheckEntry
            key={each}
            label={users.attested[each]}
            name={`attests.${each}`}
            isChecked={list?.attests.includes(each)}
          />
        ))}
      </fieldset>
    </>
  )
}

const ORIGINS = ['url', 'file', 'entries'] as const
type From = (typeof ORIGINS)[number]

function originOf(list: TrustList | undefined): From {
  if (!list) return 'url'
  return list.source ? (list.source.url === null ? 'file' : 'url') : 'entries'
}

/** An address or a file, of a list of ETSI, or entries that are typed. */
export function Origin({ list }: { list?: TrustList }) {
  const { 'trust-lists': texts } = useTexts()
  const [from, setFrom] = useState<From>(() => originOf(list))
  const [typed] = useState<Typed>(() => new Map())
  const [rows, setRows] = useState<Row[]>(() => rowsOf(list?.source ? [] : (list?.entries ?? [])))
  return (
    <>
      <SelectEntry
        label={texts.origin}
        name="origin"
        value={from}
        choices={ORIGINS.map((each) => [each, texts.origins[each]] as const)}
        onChange={(chosen) => setFrom(ORIGINS.find((each) => each === chosen) ?? 'url')}
      />
      {from === 'entries' ? (
        <Entries rows={rows} setRows={setRows} />
      ) : (
        <SourceFields from={from} source={list?.source ?? undefined} typed={typed} />
      )}
    </>
  )
}

interface Row {
  key: number
  name: string
  issuer: string
}

const EMPTY: Row = { key: 0, name: '', issuer: '' }

function rowsOf(entries: TrustList['entries']): Row[] {
  const rows = entries.map(({ name, certificate, identifier }, key) => ({
    key,
    name: name ?? '',
    issuer: certificate ?? identifier ?? '',
  }))
  return rows.length > 0 ? rows : [EMPTY]
}

/** Issuers one by one, each by a certificate or an identifier. */
function Entries({ rows, setRows }: { rows: Row[]; setRows: (rows: Row[]) => void }) {
  const { 'trust-lists': texts } = useTexts()
  const say = useSay()
  const add = () => setRows([...rows, { ...EMPTY, key: Math.max(-1, ...rows.map(({ key }) => key)) + 1 }])
  const type = (key: number, typed: Partial<Row>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...typed } : row)))
  return (
    <fieldset>
      <legend>{texts.entries}</legend>
      {rows.map(({ key, name, issuer }, at) => (
        <fieldset key={key}>
          <legend>{say(texts.entry, { number: at + 1 })}</legend>
          <input type="hidden" name="rows" value={key} />
          <TextEntry
            label={texts.entryName}
            name={`entries.${at}.name`}
            value={name}
            onInput={(text) => type(key, { name: text })}
          />
          <TextEntry
            label={texts.issuer}
            name={issuerField(at, issuer)}
            value={issuer}
            hint={texts.issuerHint}
            lines={3}
            required
            onInput={(text) => type(key, { issuer: text })}
          />
          <button type="button" class="small" onClick={() => setRows(rows.filter((row) => row.key !== key))}>
            {say(texts.removeEntry, { number: at + 1 })}
          </button>
        </fieldset>
      ))}
      <button type="button" onClick={add}>
        {texts.addEntry}
      </button>
    </fieldset>
  )
}
