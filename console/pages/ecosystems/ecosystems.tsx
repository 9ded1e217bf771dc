import { useQuery } from '../../frame/filters.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

/** As docs/ecosystems.md creates one. */
const EXAMPLE = { name: 'Universities of Example' }

export function EcosystemsPage({ standing }: { standing: Standing }) {
  const { ecosystems } = useTexts()
  const { page, turn } = useQuery(pathOf('ecosystems'))
  const loaded = useLoad(String(page), () =>
    api.get('/v1/ecosystems', { params: { query: { limit: PAGE_SIZE, page } } }),
  )
  const create = async (form: FormData) => {
    const { id } = await api.post('/v1/ecosystems', { body: { name: textOf(form, 'name') ?? '' } })
    go(pathOf('ecosystems', id))
  }
  return (
    <>
      <Heading title={ecosystems.heading}>{ecosystems.heading}</Heading>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty
              title={ecosystems.empty}
              hint={ecosystems.emptyHint}
              mayCreate={standing.scopes.has('platform:write')}
            >
              <Curl open method="POST" path="/v1/ecosystems" body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table
                label={ecosystems.heading}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  [ecosystems.name, ({ id, name }) => <Link href={pathOf('ecosystems', id)}>{name}</Link>],
                  [ecosystems.id, ({ id }) => <code>{id}</code>],
                ]}
              />
              <Paging of={ecosystems.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/ecosystems?limit=${PAGE_SIZE}&page=${page}`} />
      {standing.scopes.has('platform:write') && (
        <>
          <h2>{ecosystems.create}</h2>
          <Form submit={ecosystems.create} onSubmit={create}>
            <TextEntry label={ecosystems.name} name="name" required />
          </Form>
        </>
      )}
    </>
  )
}
