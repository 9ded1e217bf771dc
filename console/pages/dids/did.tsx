import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Copy, Curl, Facts, Heading, Json, Shown, State, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { DidActions } from './actions.tsx'
import { publishedAt } from './published.ts'

type Key = Schemas['ResolvedOut']['localMetadata']['keys'][number]

/** A DID with its state, keys and document. */
export function DidPage({ id, standing }: { id: string; standing: Standing }) {
  const { dids, credentials, frame } = useTexts()
  const loaded = useLoad(id, async () => {
    const [resolved, settings] = await Promise.all([
      api.get('/v1/dids/{id}', { params: { path: { id } } }),
      standing.scopes.has('administration:read') ? api.get('/v1/settings') : undefined,
    ])
    return { resolved, isDefaultIssuer: settings && settings.defaultIssuer === id }
  })
  const columns: Column<Key>[] = [
    [
      dids.key,
      ({ didDocumentKeyId }) => (
        <>
          <code class="wrap">{didDocumentKeyId}</code> <Copy text={didDocumentKeyId} />
        </>
      ),
    ],
    [dids.custody, ({ custody }) => dids.custodies[custody]],
  ]
  const address = publishedAt(id)
  return (
    <>
      <Heading title={id}>
        <span class="wrap">{id}</span>
      </Heading>
      <Shown loaded={loaded}>
        {({ resolved, isDefaultIssuer }) => {
          const { registrationStatus: state, hosting, waiting, warning, failureReason } = resolved
          return (
            <>
              <Facts
                facts={[
                  [dids.state, <State name={state}>{dids.states[state]}</State>],
                  [dids.issuer, isDefaultIssuer === undefined ? undefined : isDefaultIssuer ? frame.yes : frame.no],
                  [dids.hosting, dids.hostings[hosting]],
                  [dids.address, address && <code>{address}</code>],
                  [
                    dids.waiting,
                    waiting && (
                      <>
                        {waiting.reason} <code>{waiting.code}</code>
                      </>
                    ),
                  ],
                  [dids.lastLook, waiting?.lastLookAt && <Time at={waiting.lastLookAt} />],
                  [dids.nextLook, waiting?.nextLookAt && <Time at={waiting.nextLookAt} />],
                  [dids.failure, failureReason],
                  [dids.warning, warning?.reason],
                  [
                    credentials.heading,
                    <Link href={withQuery(pathOf('credentials'), { issuer: id })}>{frame.show}</Link>,
                  ],
                ]}
              />
              <DidActions id={id} isDefaultIssuer={isDefaultIssuer} standing={standing} done={loaded.reload} />
              {state === 'PROCESSING' && (
                <button type="button" onClick={loaded.reload}>
                  {frame.reload}
                </button>
              )}
              {hosting === 'caller' && <p>{dids.publish}</p>}
              <h2>{dids.keys}</h2>
              <Table
                label={dids.keys}
                columns={columns}
                rows={resolved.localMetadata.keys}
                keyOf={({ didDocumentKeyId }) => didDocumentKeyId}
              />
              <Json value={resolved.didDocument} summary={dids.document} />
            </>
          )
        }}
      </Shown>
      <Curl path={`/v1/dids/${encodeURIComponent(id)}`} />
    </>
  )
}
