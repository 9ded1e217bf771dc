import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { CheckEntry, Form, SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { isInexact, refusedAt } from '../../frame/forms/typed.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Failure } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'
import { Preview } from '../issue/preview.tsx'
import { Claims, placeOf } from './claim-rows.tsx'
import { isObject, type Json, textIn } from './claims.ts'
import { contextsIn, linesOf, type Meaning, meaningsOf } from './contexts.ts'
import { DurationEntries } from './duration.tsx'
import { type Display, type Format, TEMPLATES, type Template } from './formats.ts'
import { KeyAttestationFields } from './key-attestations.tsx'
import { elementRowsOf, emptyRow, ownContext, type Row, rowsOf, termIn } from './rows.ts'
import { bodyOf, saveTemplate } from './save.ts'
import { SdJwtDisplayFields, SdJwtMoreFields, SdJwtTypeFields } from './sd-jwt.fields.tsx'
import { sdJwtRowsOf } from './sd-jwt.rows.ts'
import { Term } from './term.tsx'

const PROOF_TYPES = ['eddsa-rdfc-2022', 'ecdsa-rdfc-2019', 'bbs-2023', 'Ed25519Signature2018', 'BbsSignature2022']

/** How long nothing is typed before the platform is asked what the terms mean. */
const PAUSE_MS = 500

/** The value once it has not changed for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** The last context of the list that is an object is where the rows write their terms. */
function ownIn(contexts: readonly unknown[]): Json {
  return contexts.findLast(isObject) ?? {}
}

function withOwn(contexts: readonly unknown[], own: Json): unknown[] {
  const at = contexts.findLastIndex(isObject)
  if (at < 0) return Object.keys(own).length > 0 ? [...contexts, own] : [...contexts]
  return contexts.with(at, own).filter((each) => !isObject(each) || Object.keys(each).length > 0)
}

/** The type is a term too. */
const typeRowOf = (source: Json): Row => {
  const name = textIn(source, 'type')
  return { ...emptyRow(), name, ...termIn(ownIn([source.contexts].flat()), name) }
}

/** What the text of the contexts says of a row, where it can be read. */
const asWritten = (lines: string) => {
  const contexts = contextsIn(lines)
  const isWhole = contexts.every((each) => typeof each !== 'string' || !each.startsWith('{'))
  const own = ownIn(contexts)
  return (row: Row): Row => (isWhole ? { ...row, ...termIn(own, row.name) } : row)
}

function begin(format: Format, source: Json) {
  if (format === 'mobile') return { rows: elementRowsOf(source.claim_mappings), others: {} }
  if (format === 'sd-jwt-vc') return sdJwtRowsOf(source.claims)
  if (format !== 'web-semantic') return rowsOf(source.credential_mappings)
  return rowsOf(source.claim_mappings, ownIn([source.contexts].flat()))
}

interface EditorProps {
  format: Format
  /** What the fields begin with. */
  source: Json
  /** The current version, where there is one. */
  known?: Template
  onSaved: (saved: { id: string; version: number }) => void
}

const NONE: ReadonlyMap<string, Meaning> = new Map()

/** Asks the platform which terms the contexts define. */
function useMeanings(format: Format, contexts: string, types: string, rows: readonly Row[]) {
  const question = useSettled(
    format === 'web-semantic' ? JSON.stringify([contexts, types, rows.map(({ name }) => name)]) : '',
  )
  return useLoad(question, async () => {
    if (question === '') return NONE
    const [lines, words, names]: [string, string, string[]] = JSON.parse(question)
    const meanings = await meaningsOf(contextsIn(lines), words.split(/[\s,]+/), names)
    return new Map(meanings.map((each) => [each.term, each]))
  })
}

/** A template of any format as a form; the preview beside it changes with it. */
export function Editor({ format, source, known, onSaved }: EditorProps) {
  const { templates, credential, frame } = useTexts()
  const isSemantic = format === 'web-semantic'
  const isSdJwt = format === 'sd-jwt-vc'
  const first = useMemo(() => begin(format, source), [format, source])
  const [rows, setRows] = useState<readonly Row[]>(first.rows)
  /** Of the rows: only they write into the text of the contexts, which keeps the focus while it is typed. */
  const [edits, setEdits] = useState(0)
  const [contexts, setContexts] = useState(() => linesOf(source.contexts).join('\n'))
  const [typeRow, setTypeRow] = useState(() => typeRowOf(source))
  const [types, setTypes] = useState([textIn(source, 'type'), ...[source.additional_types ?? []].flat()].join(' '))
  const [body, setBody] = useState<Json>(source)
  const place = useRef<HTMLDivElement>(null)
  const attempt = useAttempt()
  const meanings = useMeanings(format, contexts, types, rows)

  const look = (next: readonly Row[] = rows, lines = contexts) => {
    const form = place.current?.querySelector('form')
    if (!form) return
    const seen = bodyOf(format, new FormData(form), { rows: next, source, others: first.others, contexts: lines })
    setBody(seen)
    setTypes([textIn(seen, 'type'), ...[seen.additional_types ?? []].flat()].join(' '))
  }
  const change = (next: readonly Row[], nextType = typeRow) => {
    const before = contextsIn(contexts)
    const own = ownContext(ownIn(before), [...rows, typeRow], [nextType, ...next])
    const lines = isSemantic ? linesOf(withOwn(before, own)).join('\n') : contexts
    setRows(next)
    setTypeRow(nextType)
    setContexts(lines)
    setEdits((last) => last + 1)
    look(next, lines)
  }
  const submit = async (form: FormData) => {
    const at = rows.findIndex(({ byDefault }) => isInexact(byDefault))
    const row = rows[at]
    if (row) throw refusedAt(`${placeOf(format, row, at)}.default_value`, 'number', frame.inexact)
    const asked = bodyOf(format, form, { rows, source, others: first.others, contexts })
    setBody(asked)
    onSaved(await attempt(asked, (headers) => saveTemplate(format, asked, known, headers)))
  }
  const [shown] = [body.display ?? []].flat()
  const logo = textIn(shown, 'logo_url') || textIn(body, 'issuer', 'logo_url')
  const display: Display = {
    title: textIn(shown, 'name') || textIn(body, 'name') || textIn(body, 'type'),
    issuer: textIn(body, 'issuer', 'name'),
    description: textIn(shown, 'description') || textIn(body, 'description'),
    colour: textIn(shown, 'background_color') || textIn(body, 'credential_branding', 'backgroundColor'),
    ...(logo && { logo }),
    ...(textIn(body, 'credential_branding', 'watermarkImageUrl') && {
      watermark: textIn(body, 'credential_branding', 'watermarkImageUrl'),
    }),
  }
  const entry = (label: string, ...path: string[]) => ({ label, name: path.join('.'), value: textIn(source, ...path) })
  const lifetime = isSemantic ? 'expires_in' : 'expiration'
  const duration = source[lifetime]
  return (
    <div class="beside">
      <div ref={place} onInput={() => look()} onChange={() => look()}>
        <Form submit={known ? templates.saveNext : templates.create} onSubmit={submit}>
          {isSemantic && (
            <>
              <TextEntry {...entry(templates.name, 'name')} required />
              <TextEntry {...entry(templates.description, 'description')} />
            </>
          )}
          {isSdJwt ? (
            <SdJwtTypeFields source={source} />
          ) : (
            <TextEntry
              {...entry(format === 'mobile' ? templates.docType : templates.type, 'type')}
              required
              onInput={(name) => isSemantic && change(rows, { ...typeRow, name: name.trim() })}
              hint={isSemantic ? templates.typeHint : format === 'mobile' ? templates.docTypeHint : templates.typePlain}
            />
          )}
          {isSemantic && (
            <>
              <TextEntry
                label={templates.typeMeaning}
                name="type meaning"
                value={typeRow.meaning}
                hint={templates.meaningHint}
                onInput={(meaning) => change(rows, { ...typeRow, meaning: meaning.trim() })}
              />
              <Term meaning={meanings.data?.get(typeRow.name)} />
              <TextEntry
                label={templates.additionalTypes}
                name="additional_types"
                value={[source.additional_types ?? []].flat().join(' ')}
                hint={templates.wordsHint}
              />
              <TextEntry {...entry(templates.issuerName, 'issuer', 'name')} required />
            </>
          )}
          <Claims format={format} rows={rows} meanings={meanings.data ?? NONE} onRows={change} />
          {isSemantic && (
            <>
              <h2>{templates.contexts}</h2>
              <p>{templates.contextsHint}</p>
              <TextEntry
                key={edits}
                label={templates.contextLines}
                name="contexts"
                lines={5}
                value={contexts}
                hint={templates.contextLinesHint}
                onInput={(lines) => {
                  setContexts(lines)
                  // the fields keep what is typed there: only what will be written changes
                  const written = asWritten(lines)
                  setRows(rows.map(written))
                  setTypeRow(written(typeRow))
                }}
              />
              <Failure error={meanings.error} />
              <h2>{templates.branding}</h2>
              <TextEntry
                {...entry(templates.colour, 'credential_branding', 'backgroundColor')}
                hint={templates.colourHint}
              />
              <TextEntry {...entry(templates.logo, 'issuer', 'logo_url')} hint={templates.imageHint} />
              <TextEntry {...entry(templates.icon, 'issuer', 'icon_url')} />
              <TextEntry {...entry(templates.watermark, 'credential_branding', 'watermarkImageUrl')} />
            </>
          )}
          {isSdJwt && <SdJwtDisplayFields source={source} />}
          <h2>{templates.more}</h2>
          {isSdJwt && <SdJwtMoreFields source={source} />}
          {(isSdJwt || format === 'mobile') && <KeyAttestationFields source={source} />}
          {isSemantic && (
            <SelectEntry
              label={templates.proofType}
              name="proof_type"
              value={textIn(source, 'proof_type')}
              choices={[['', templates.proofOfKey], ...PROOF_TYPES.map((each) => [each, each] as const)]}
            />
          )}
          <CheckEntry
            label={credential.revocable}
            name="revocable"
            isChecked={source.revocable === true}
            hint={templates.revocableHint}
          />
          {isSemantic && (
            <CheckEntry
              label={templates.ignoreOthers}
              name="ignore_unmapped"
              isChecked={source.ignore_unmapped === true}
              hint={templates.ignoreHint}
            />
          )}
          <DurationEntries name={lifetime} value={isObject(duration) ? duration : {}} />
          <TextEntry {...entry(templates.claimSource, 'claim_source_id')} hint={templates.claimSourceHint} />
        </Form>
        <Curl
          method={known ? 'PUT' : 'POST'}
          path={known ? `${TEMPLATES[format].path}/${known.id}` : TEMPLATES[format].path}
          body={body}
        />
      </div>
      <Preview
        display={display}
        type={textIn(body, isSdJwt ? 'vct' : 'type')}
        values={rows.map(({ name, byDefault }) => [name || templates.newClaim, byDefault || templates.example])}
      />
    </div>
  )
}
