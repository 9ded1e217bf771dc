import { CheckEntry, SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import type { Meaning } from './contexts.ts'
import type { Format } from './formats.ts'
import { emptyRow, type Row, VALUE_TYPES } from './rows.ts'
import { isPart } from './sd-jwt.rows.ts'
import { Term } from './term.tsx'

interface ClaimsProps {
  format: Format
  rows: readonly Row[]
  meanings: ReadonlyMap<string, Meaning>
  onRows: (rows: Row[]) => void
}

const OF_FORMAT = {
  'web-semantic': 'claim_mappings',
  compact: 'credential_mappings',
  'compact-semantic': 'credential_mappings',
  mobile: 'claim_mappings',
} as const satisfies Partial<Record<Format, string>>

/** Where the API has the claim, as it names it in errors. */
export const placeOf = (format: Format, { namespace, name }: Row, index: number): string =>
  format === 'sd-jwt-vc' ? `claims.${index}` : `${OF_FORMAT[format]}.${namespace ? `${namespace}.` : ''}${name}`

interface RowFieldsProps {
  format: Format
  row: Row
  index: number
  /** Says only how a part of another claim is disclosed. */
  isPart: boolean
  meaning: Meaning | undefined
  set: (change: Partial<Row>) => void
  remove: () => void
}

function RowFields({ format, row, index, isPart, meaning, set, remove }: RowFieldsProps) {
  const { templates } = useTexts()
  const say = useSay()
  const { key, name } = row
  const isSemantic = format === 'web-semantic'
  const isSdJwt = format === 'sd-jwt-vc'
  const types =
    VALUE_TYPES.includes(row.valueType) || row.valueType === '' ? VALUE_TYPES : [row.valueType, ...VALUE_TYPES]
  const at = placeOf(format, row, index)
  return (
    <fieldset>
      <legend>{name || templates.newClaim}</legend>
      {format === 'mobile' && (
        <TextEntry
          label={templates.namespace}
          name={`${key} namespace`}
          value={row.namespace}
          required
          onInput={(namespace) => set({ namespace: namespace.trim() })}
        />
      )}
      <TextEntry
        label={isSdJwt ? templates.path : templates.claim}
        name={isSdJwt ? `${at}.path` : at}
        value={name}
        required
        hint={isSdJwt && templates.pathHint}
        onInput={(typed) => {
          const renamed = typed.trim()
          // a source that goes by the name follows it
          set({
            name: renamed,
            ...(row.from === `claims.${name}` && { from: `claims.${renamed}`, renames: row.renames + 1 }),
          })
        }}
      />
      {isSemantic && (
        <>
          <TextEntry
            label={templates.meaning}
            name={`${key} meaning`}
            value={row.meaning}
            hint={templates.meaningHint}
            onInput={(typed) => set({ meaning: typed.trim() })}
          />
          <Term meaning={meaning} />
          {row.meaning !== '' && (
            <SelectEntry
              label={templates.valueType}
              name={`${key} type`}
              value={row.valueType}
              choices={[
                ['', templates.anyType],
                ...types.map((type) => [type, type.split('#').at(-1) ?? type] as const),
              ]}
              onChange={(valueType) => set({ valueType })}
            />
          )}
        </>
      )}
      {!isPart && (
        <CheckEntry
          label={templates.required}
          name={`${key} required`}
          isChecked={row.isRequired}
          onChange={(isRequired) => set({ isRequired })}
        />
      )}
      {isSdJwt && (
        <CheckEntry
          label={templates.always}
          name={`${key} always`}
          isChecked={row.isAlways}
          hint={templates.alwaysHint}
          onChange={(isAlways) => set({ isAlways })}
        />
      )}
      <details>
        <summary>{templates.source}</summary>
        <TextEntry
          key={row.renames}
          label={templates.from}
          name={`${at}.map_from`}
          value={row.from}
          hint={isPart ? templates.partHint : say(templates.fromHint, { name: name || 'course' })}
          onInput={(typed) => set({ from: typed.trim() })}
        />
        <TextEntry
          label={templates.byDefault}
          name={`${at}.default_value`}
          value={row.byDefault}
          hint={templates.byDefaultHint}
          onInput={(typed) => set({ byDefault: typed.trim() })}
        />
      </details>
      <button type="button" class="small" onClick={remove}>
        {say(templates.removeClaim, { name: name || templates.newClaim })}
      </button>
    </fieldset>
  )
}

/** The claims of a template, one after the other. */
export function Claims({ format, rows, meanings, onRows }: ClaimsProps) {
  const { templates } = useTexts()
  return (
    <>
      <h2>{templates.claims}</h2>
      <p>{format === 'web-semantic' ? templates.claimsHint : templates.claimsPlain}</p>
      {rows.map((row, index) => (
        <RowFields
          key={row.key}
          format={format}
          row={row}
          index={index}
          isPart={format === 'sd-jwt-vc' && isPart(row, rows)}
          meaning={meanings.get(row.name)}
          set={(change) => onRows(rows.map((each) => (each.key === row.key ? { ...each, ...change } : each)))}
          remove={() => onRows(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <div class="actions">
        <button type="button" onClick={() => onRows([...rows, emptyRow(rows.at(-1)?.namespace)])}>
          {templates.addClaim}
        </button>
      </div>
    </>
  )
}
