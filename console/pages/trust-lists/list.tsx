import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form } from '../../frame/form.tsx'
import { changesIn } from '../../frame/forms/changes.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown, Time } from '../../frame/parts.tsx'
import { go, Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Origin, Roles } from './fields.tsx'
import { originIn, rolesIn } from './read.ts'
import { ListState, useDecides } from './state.tsx'

type TrustList = Schemas['TrustListOut']

const moment = (at: string | null | undefined) => (at ? <Time at={at} /> : undefined)

function About({ list }: { list: TrustList }) {
  const { 'trust-lists': texts, sessions } = useTexts()
  const decides = useDecides()
  const { id, source, imported, failure } = list
  const [lists, readLists] = [source?.listOfLists, imported?.listOfLists]
  return (
    <Facts
      facts={[
        [texts.state, <ListState list={list} />],
        [texts.decides, decides(list)],
        [
          texts.failure,
          failure && (
            <span class="wrap">
              <code>{failure.code}</code> {failure.message}
            </span>
          ),
        ],
        [texts.failsSince, moment(failure?.since)],
        [texts.source, <bdi class="wrap">{source ? (source.url ?? texts.document) : texts.typed}</bdi>],
        [texts.standard, source ? texts.standards[source.format] : undefined],
        [texts.serviceTypes, source && <code class="wrap">{source.serviceTypes.join(' ')}</code>],
        [texts.signers, source ? (readLists?.signers ?? source.signers.length) : undefined],
        [texts.lists, lists && <bdi class="wrap">{lists.url}</bdi>],
        [texts.location, lists?.location && <bdi class="wrap">{lists.location}</bdi>],
        [texts.pivots, lists?.followPivots && readLists ? readLists.pivots : undefined],
        [texts.listsSequence, readLists ? readLists.sequenceNumber : undefined],
        [texts.listsNextUpdate, readLists && (moment(readLists.nextUpdate) ?? texts.noNextUpdate)],
        [texts.fetched, moment(list.fetchedAt)],
        [texts.nextRefresh, moment(list.nextRefreshAt)],
        [texts.refreshHours, source?.url ? source.refreshHours : undefined],
        [texts.type, imported?.type && <code class="wrap">{imported.type}</code>],
        [texts.sequence, imported ? imported.sequenceNumber : undefined],
        [texts.issued, moment(imported?.issuedAt)],
        [texts.nextUpdate, imported && (moment(imported.nextUpdate) ?? texts.noNextUpdate)],
        [texts.graceHours, source ? source.graceHours : undefined],
        [texts.stale, moment(list.staleAt)],
        [texts.entries, list.entryCount],
        [texts.skipped, imported ? imported.skipped : undefined],
        [texts.id, <code>{id}</code>],
        [texts.created, <Time at={list.createdAt} />],
        [texts.changedAt, <Time at={list.updatedAt} />],
        [sessions.log, <Link href={withQuery(pathOf('log'), { objectId: id })}>{texts.logHint}</Link>],
      ]}
    />
  )
}

/** What to do where the list could not be read again. */
function Remedy({ failure }: Pick<TrustList, 'failure'>) {
  const { 'trust-lists': texts } = useTexts()
  return (
    failure?.remedy && (
      <p>
        <strong>{texts.remedy}:</strong> <span lang="en">{failure.remedy}</span>
      </p>
    )
  )
}

/** Up to 2,000 come with the list: a page of them is drawn. */
function Issuers({ entries }: Pick<TrustList, 'entries'>) {
  const { 'trust-lists': texts } = useTexts()
  const [page, setPage] = useState(1)
  const columns: Column<TrustList['entries'][number]>[] = [
    [texts.entryName, ({ name }) => <bdi class="wrap">{name ?? ''}</bdi>],
    [texts.identifier, ({ identifier }) => identifier && <code>{identifier}</code>],
    [texts.fingerprint, ({ certificateFingerprint: hash }) => hash && <code>{hash}</code>],
    [texts.certificate, ({ certificate }) => certificate && <Json value={certificate} summary={texts.pem} />],
  ]
  const shown = entries.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const keyOf = ({ certificateFingerprint, identifier }: TrustList['entries'][number], at: number) =>
    certificateFingerprint ?? identifier ?? at
  return (
    <>
      <h2>{texts.entries}</h2>
      {entries.length === 0 ? (
        <p class="empty">{texts.noEntries}</p>
      ) : (
        <>
          <Table label={texts.entries} columns={columns} rows={shown} keyOf={keyOf} />
          <Paging
            of={texts.entries}
            page={page}
            pages={Math.ceil(entries.length / PAGE_SIZE)}
            total={entries.length}
            go={setPage}
          />
        </>
      )}
    </>
  )
}

function Change({ list, done }: { list: TrustList; done: (text: string) => void }) {
  const { 'trust-lists': texts } = useTexts()
  const params = { path: { id: list.id } }
  const change = async (body: Schemas['TrustListChangesIn']) => {
    await api.put('/v1/trust-lists/{id}', { params, body })
    done(texts.changed)
  }
  const replace = async (form: FormData) => {
    const { entries, source } = await originIn(form)
    await change({ ...(entries && { entries }), ...(source && { source }) })
  }
  return (
    <>
      <details>
        <summary>{texts.edit}</summary>
        <Form
          key={JSON.stringify([list.name, list.formats, list.attests])}
          submit={texts.save}
          onSubmit={(form) => change(changesIn(rolesIn(form), list))}
        >
          <Roles list={list} />
        </Form>
      </details>
      <details>
        <summary>{texts.replace}</summary>
        <Form submit={texts.take} onSubmit={replace}>
          <Origin list={list} />
        </Form>
      </details>
    </>
  )
}

interface ActionsProps {
  list: TrustList
  acts: ReturnType<typeof useActs>
  reload: () => void
}

function Actions({ list: { id, source, enforced }, acts, reload }: ActionsProps) {
  const { 'trust-lists': texts } = useTexts()
  const params = { path: { id } }
  const enforce = async (isEnforced: boolean) => {
    await api.put('/v1/trust-lists/{id}', { params, body: { enforced: isEnforced } })
    acts.done(texts.changed)
  }
  const remove = async () => {
    await api.delete('/v1/trust-lists/{id}', { params })
    go(pathOf('trust-lists'))
  }
  const refresh = () =>
    void acts.run(async () => {
      acts.say('')
      try {
        await api.post('/v1/trust-lists/{id}/refresh', { params })
        acts.done(texts.refreshed)
      } catch (error) {
        reload() // what went wrong is one of its facts now
        throw error
      }
    })
  return (
    <>
      <div class="actions">
        {source?.url && (
          <button type="button" class="primary" aria-disabled={acts.isBusy} onClick={refresh}>
            {texts.refresh}
          </button>
        )}
        <Confirm
          isDangerous={!enforced}
          action={enforced ? texts.release : texts.enforce}
          question={enforced ? texts.releaseAsk : texts.enforceAsk}
          text={enforced ? texts.releaseText : texts.enforceText}
          run={() => enforce(!enforced)}
        />
        <Confirm isDangerous action={texts.delete} question={texts.deleteAsk} text={texts.deleteText} run={remove} />
      </div>
      {source?.url && <Curl method="POST" path={`/v1/trust-lists/${id}/refresh`} />}
    </>
  )
}

/** One list: where its entries come from, whether they could be read, and who is on it. */
export function TrustListPage({ id, standing }: { id: string; standing: Standing }) {
  const { 'trust-lists': texts } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/trust-lists/{id}', { params: { path: { id } } }))
  const acts = useActs(loaded.reload)
  const mayWrite = standing.scopes.has('administration:write')
  const heading = loaded.data?.name ?? texts.list
  return (
    <>
      <Heading title={heading}>
        <bdi class="wrap">{heading}</bdi>
      </Heading>
      <Shown loaded={loaded}>
        {(list) => (
          <>
            <About list={list} />
            <Remedy failure={list.failure} />
            {mayWrite && <Actions list={list} acts={acts} reload={loaded.reload} />}
            <Outcome acts={acts} />
            <Issuers key={list.updatedAt} entries={list.entries} />
            {mayWrite && <Change key={`${acts.count} ${list.updatedAt}`} list={list} done={acts.done} />}
          </>
        )}
      </Shown>
      <Curl path={`/v1/trust-lists/${id}`} />
    </>
  )
}
