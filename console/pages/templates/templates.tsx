import { useQuery } from '../../frame/filters.tsx'
import { SelectEntry } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { go, Link, pathOf, withQuery } from '../../frame/router.tsx'
import type { Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { EXAMPLES } from './examples.ts'
import { FORMAT_NAMES, type Format, isFormat, TEMPLATES, type Template } from './formats.ts'

/** Templates of one format. */
export function TemplatesPage({ standing }: { standing: Standing }) {
  const { templates, frame, credential } = useTexts()
  const say = useSay()
  const { query, page, turn } = useQuery(pathOf('templates'))
  const format: Format = isFormat(query.format) ? query.format : 'web-semantic'
  const { path, scope } = TEMPLATES[format]
  const loaded = useLoad(`${format} ${page}`, () => TEMPLATES[format].list({ page, limit: PAGE_SIZE }))
  const mayWrite = standing.scopes.has(`${scope}:write`)
  const columns: Column<Template>[] = [
    [templates.name, (row) => <Link href={pathOf('templates', row.format, row.id)}>{row.name}</Link>],
    [templates.type, ({ type }) => <bdi>{type}</bdi>],
    [templates.version, ({ version }) => version],
    [templates.claims, ({ claims }) => <bdi>{claims.map(({ name }) => name).join(', ')}</bdi>],
    [credential.revocable, ({ revocable }) => (revocable ? frame.yes : frame.no)],
    ...(mayWrite
      ? [
          [
            templates.issue,
            (row: Template) => (
              <Link href={withQuery(pathOf('issue'), { format: row.format, template: row.id })}>{templates.issue}</Link>
            ),
          ] satisfies Column<Template>,
        ]
      : []),
  ]
  return (
    <>
      <Heading title={templates.heading}>{templates.heading}</Heading>
      <div class="form">
        <SelectEntry
          key={format}
          label={templates.format}
          name="format"
          value={format}
          choices={FORMAT_NAMES.map((name) => [name, templates.formats[name]])}
          onChange={(name) => go(withQuery(pathOf('templates'), { format: name }))}
        />
      </div>
      {mayWrite && (
        <div class="actions">
          <Link href={pathOf('templates', format, 'new')}>{templates.create}</Link>
        </div>
      )}
      <Shown loaded={loaded}>
        {({ templates: rows, total, pages }) =>
          total === 0 ? (
            <Empty
              title={say(templates.empty, { format: templates.formats[format] })}
              hint={templates.emptyHint}
              mayCreate={mayWrite}
            >
              <Curl open method="POST" path={path} body={EXAMPLES[format]} />
            </Empty>
          ) : (
            <>
              <Table label={templates.heading} columns={columns} rows={rows} keyOf={({ id }) => id} />
              <Paging of={templates.heading} page={page} pages={pages} total={total} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`${path}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
