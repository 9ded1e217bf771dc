import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import type { Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { ContentForm } from './form.tsx'
import { CONTENT, KINDS, type KindName, type Row } from './kinds.ts'

/** What the platform publishes, one kind at a time. */
export function ContentPage({ kind, standing }: { kind: KindName; standing: Standing }) {
  const { content } = useTexts()
  const { path, fields, list, create } = CONTENT[kind]
  const { page, turn } = useQuery(pathOf('content', kind))
  const loaded = useLoad(`${kind} ${page}`, () => list(page, PAGE_SIZE))
  const title = content.kinds[kind]
  const columns: Column<Row>[] = [
    [content.fields.title, ({ key, title: its }) => <Link href={pathOf('content', kind, key)}>{its}</Link>],
    [content.fields.slug, ({ slug }) => <code>{slug}</code>],
    ...(fields.create.includes('is_published')
      ? [
          [
            content.state,
            ({ isPublished }: Row) => (
              <State name={isPublished ? 'active' : 'draft'}>{isPublished ? content.published : content.draft}</State>
            ),
          ] satisfies Column<Row>,
        ]
      : []),
    [content.changed, ({ changed }) => <Time at={changed} />],
  ]
  return (
    <>
      <Heading title={title}>{title}</Heading>
      <nav class="actions" aria-label={content.heading}>
        {KINDS.map((each) => (
          <Link key={each} href={pathOf('content', each)} current={each === kind}>
            {content.kinds[each]}
          </Link>
        ))}
      </nav>
      <Shown loaded={loaded}>
        {({ rows, total, pages }) =>
          total === 0 ? (
            <Empty title={content.empty} hint={content.emptyHint} />
          ) : (
            <>
              <Table label={title} columns={columns} rows={rows} keyOf={({ key }) => key} />
              <Paging of={title} page={page} pages={pages} total={total} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`${path}?limit=${PAGE_SIZE}&page=${page}`} />
      {standing.scopes.has('platform:write') && (
        <>
          <h2>{content.create}</h2>
          <ContentForm
            fields={fields.create}
            entry={{}}
            submit={content.create}
            onSubmit={async (form) => go(pathOf('content', kind, await create(form)))}
          />
        </>
      )}
    </>
  )
}
