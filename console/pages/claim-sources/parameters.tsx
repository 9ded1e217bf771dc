import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { TextEntry } from '../../frame/form.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { shownDefault } from './read.ts'

type Given = Schemas['ClaimSourceOut']['request_parameters']

interface Row {
  at: number
  name: string
  from: string
  instead: string
}

const rowsOf = (given: Given): Row[] =>
  Object.entries(given).map(([name, { map_from: from = '', default_value: instead }], at) => ({
    at,
    name,
    from,
    instead: shownDefault(instead),
  }))

/** What is asked of the server: each parameter by its name, with where its value comes from. */
export function Parameters({ given }: { given: Given }) {
  const { 'claim-sources': texts } = useTexts()
  const say = useSay()
  const [rows, setRows] = useState<Row[]>(() => rowsOf(given))
  const add = () =>
    setRows([...rows, { at: Math.max(-1, ...rows.map(({ at }) => at)) + 1, name: '', from: '', instead: '' }])
  return (
    <fieldset>
      <legend>{texts.parameters}</legend>
      <p class="quiet">{texts.parametersHint}</p>
      {rows.map(({ at, name, from, instead }, nth) => (
        <fieldset key={at}>
          <legend>{say(texts.parameter, { number: nth + 1 })}</legend>
          <input type="hidden" name="rows" value={at} />
          <TextEntry label={texts.parameterName} name={`name.${at}`} value={name} required />
          <TextEntry label={texts.from} name={`from.${at}`} value={from} hint={texts.fromHint} />
          <TextEntry label={texts.instead} name={`instead.${at}`} value={instead} hint={texts.insteadHint} />
          <button type="button" class="small" onClick={() => setRows(rows.filter((row) => row.at !== at))}>
            {say(texts.remove, { number: nth + 1 })}
          </button>
        </fieldset>
      ))}
      <button type="button" onClick={add}>
        {texts.add}
      </button>
    </fieldset>
  )
}
