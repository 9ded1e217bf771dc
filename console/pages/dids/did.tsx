import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown, State, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

type Key = Schemas['ResolvedOut']['localMetadata']['keys'][number]

/** A DID with its state, keys and document. */
export function DidPage({ id }: { id: string }) {
  const { dids, credentials, frame } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/dids/{id}', { params: { path: { id } } }))
  const columns: Column<Key>[] = [
    [dids.key, ({ didDocumentKeyId }) => <code class="wrap">{didDocumentKeyId}</code>],
    [dids.custody, ({ custody }) => dids.custodies[custody]],
  ]
  return (
    <>
      <Heading title={id}>
        <span class="wrap">{id}</span>
      </Heading>
      <Shown loaded={loaded}>
        {({ registrationStatus: state, hosting, waiting, warning, failureReason, localMetadata, didDocument }) => (
          <>
            <Facts
              facts={[
                [dids.state, <State name={state}>{dids.states[state]}</State>],
                [dids.hosting, dids.hostings[hosting]],
                [dids.waiting, waiting?.reason],
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
            <h2>{dids.keys}</h2>
            <Table
              label={dids.keys}
              columns={columns}
              rows={localMetadata.keys}
              keyOf={({ didDocumentKeyId }) => didDocumentKeyId}
            />
            <Json value={didDocument} summary={dids.document} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/dids/${encodeURIComponent(id)}`} />
    </>
  )
}
