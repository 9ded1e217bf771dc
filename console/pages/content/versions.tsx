import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Code, Curl, Shown, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

function Version({ slug, version }: { slug: string; version: number }) {
  const loaded = useLoad('', () =>
    api.get('/v1/legal/policies/{slug}/versions/{version}', { params: { path: { slug, version } } }),
  )
  return <Shown loaded={loaded}>{({ title, content }) => <Code text={content} label={title} />}</Shown>
}

function Text({ slug, version }: { slug: string; version: number }) {
  const { frame } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{frame.show}</summary>
      {isOpen && <Version slug={slug} version={version} />}
    </details>
  )
}

/** Every version of a legal policy, as people accepted it. */
export function Versions({ slug, turn }: { slug: string; turn: number }) {
  const { content } = useTexts()
  const [page, setPage] = useState(1)
  const loaded = useLoad(`${turn} ${page}`, () =>
    api.get('/v1/legal/policies/{slug}/versions', {
      params: { path: { slug }, query: { limit: PAGE_SIZE, page } },
    }),
  )
  const columns: Column<Schemas['LegalPolicyLineOut']>[] = [
    [content.version, ({ version }) => version],
    [content.fields.title, ({ title }) => <bdi>{title}</bdi>],
    [content.changed, ({ created_at }) => <Time at={created_at} />],
    [content.fields.content, ({ version }) => <Text slug={slug} version={version} />],
  ]
  return (
    <>
      <h2>{content.versions}</h2>
      <Shown loaded={loaded}>
        {({ data, total_count, total_pages }) => (
          <>
            <Table label={content.versions} columns={columns} rows={data} keyOf={({ version }) => version} />
            <Paging of={content.versions} page={page} pages={total_pages} total={total_count} go={setPage} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/legal/policies/${slug}/versions?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
