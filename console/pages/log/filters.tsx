import type { Schemas } from '../../../client/index.ts'
import { Choice, Field, Filters, type useQuery } from '../../frame/filters.tsx'
import { fieldOf } from '../../frame/moments.ts'
import { useTexts } from '../../texts/index.ts'

export const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

interface LogFiltersProps extends Pick<ReturnType<typeof useQuery>, 'query' | 'filter' | 'reset'> {
  kinds: Schemas['EventTypeOut'][]
}

/** A moment of the address, also as a link of another zone has it; what is none is not there. */
const shown = (text = ''): string => {
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? '' : fieldOf(moment)
}

/** Everything that entries are found by. */
export function LogFilters({ query, filter, reset, kinds }: LogFiltersProps) {
  const { log } = useTexts()
  const categories = [...new Set(kinds.map(({ category }) => category))].sort()
  const ids = { pattern: `${UUID}([\\s,]+${UUID})*`, title: log.uuid }
  return (
    <>
      <Filters state={JSON.stringify([query, categories.length])} onFilter={filter} onReset={reset} search={log.search}>
        <Choice
          label={log.category}
          name="category"
          value={query.category}
          choices={categories.map((name) => [name, name])}
        />
        <Field label={log.entry} name="type" value={query.type} list="log-types" />
        <datalist id="log-types">
          {kinds.map(({ type }) => (
            <option key={type} value={type} />
          ))}
        </datalist>
        <Field label={log.requestId} name="requestId" value={query.requestId} {...ids} />
        <Field label={log.objectId} name="objectId" value={query.objectId} {...ids} />
        <Field label={log.entryId} name="ids" value={query.ids} {...ids} />
        <Field label={log.from} name="from" type="datetime-local" value={shown(query.from)} />
        <Field label={log.to} name="to" type="datetime-local" value={shown(query.to)} />
      </Filters>
      <p class="quiet">
        {log.localTime} {log.withoutFrom} {log.several}
      </p>
    </>
  )
}
