import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { saveStream } from '../../frame/download.ts'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Curl, Facts, Failure, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { usePoll } from '../../frame/poll.ts'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useLocale, useSay, useTexts } from '../../texts/index.ts'
import { isFormat, TEMPLATES } from '../templates/formats.ts'
import { RowErrors } from './errors.tsx'
import { isMoving, Progress } from './progress.tsx'

type Batch = Schemas['BatchOut']

const LOOK_MS = 1_000
/** A paused batch continues by itself where it waited for the key store. */
const PAUSED_LOOK_MS = 5_000
/** From here on the results go straight to the disk, where the browser can. */
const MANY_ROWS = 20_000

function About({ batch }: { batch: Batch }) {
  const { batches, templates, credential } = useTexts()
  const [say, locale] = [useSay(), useLocale()]
  const { id, format, source, template_id: templateId, template_version: version, rows_per_second: rate } = batch
  const { status, paused, waiting, revocation, eta_seconds: eta, ended_at: ended } = batch
  const number = (value: number) => value.toLocaleString(locale, { maximumFractionDigits: 1 })
  return (
    <Facts
      facts={[
        [batches.status, <State name={status}>{batches.statuses[status]}</State>],
        [batches.progress, <Progress batch={batch} />],
        [batches.reason, paused && `${paused.message} (${paused.code})`],
        [
          batches.waits,
          waiting && (
            <>
              {waiting.part} <Time at={waiting.since} />
            </>
          ),
        ],
        [batches.pending, number(batch.pending)],
        [
          batches.rate,
          status === 'PROCESSING' && rate !== undefined ? say(batches.perSecond, { rate: number(rate) }) : '',
        ],
        [batches.eta, status === 'PROCESSING' && eta !== undefined ? say(batches.seconds, { seconds: eta }) : ''],
        [batches.revocation, revocation && `${batches.revocations[revocation.status]}: ${number(revocation.revoked)}`],
        [
          batches.template,
          templateId && isFormat(format) && (
            <>
              <Link href={pathOf('templates', format, templateId)}>{templateId}</Link>{' '}
              {version !== undefined && say(credential.version, { version })}
            </>
          ),
        ],
        [templates.format, format],
        [batches.source, source === 'csv' ? 'CSV' : batches.jsonLines],
        [batches.created, <Time at={batch.created_at} />],
        [batches.ended, ended && <Time at={ended} />],
        [batches.id, <code>{id}</code>],
      ]}
    />
  )
}

/** What may be done with it in this state. */
function Steering({ batch, done }: { batch: Batch; done: () => void }) {
  const { batches } = useTexts()
  const { run, error, isBusy } = useDoing()
  const { id, status, revocation, signed } = batch
  const params = { path: { id } }
  const isOpen = status === 'PROCESSING' || status === 'PAUSED'
  const pause = async () => {
    await api.post('/v1/credentials/batches/{id}/pause', { params })
    done()
  }
  const resume = async () => {
    await api.post('/v1/credentials/batches/{id}/resume', { params })
    done()
  }
  return (
    <>
      <div class="actions">
        {status === 'PROCESSING' && (
          <button type="button" aria-disabled={isBusy} onClick={() => void run(pause)}>
            {batches.pause}
          </button>
        )}
        {status === 'PAUSED' && (
          <button type="button" class="primary" aria-disabled={isBusy} onClick={() => void run(resume)}>
            {batches.resume}
          </button>
        )}
        {isOpen && (
          <Confirm
            isDangerous
            action={batches.cancel}
            question={batches.cancelAsk}
            text={batches.cancelText}
            run={async () => {
              await api.post('/v1/credentials/batches/{id}/cancel', { params })
              done()
            }}
          />
        )}
        {!isOpen && signed > 0 && revocation === undefined && (
          <Confirm
            isDangerous
            action={batches.revoke}
            question={batches.revokeAsk}
            text={batches.revokeText}
            run={async () => {
              await api.post('/v1/credentials/batches/{id}/revocation', { params, body: { is_revoked: true } })
              done()
            }}
          />
        )}
      </div>
      <Failure error={error} />
    </>
  )
}

/** Results and errors as files. */
function Downloads({ batch: { id, signed, failed } }: { batch: Batch }) {
  const { batches } = useTexts()
  const { run, error, isBusy } = useDoing()
  const params = { path: { id } }
  const results = () =>
    saveStream(`batch-${id}.jsonl`, signed > MANY_ROWS, () =>
      api.get('/v1/credentials/batches/{id}/results', { params, parseAs: 'stream' }),
    )
  const errors = () =>
    saveStream(`batch-${id}-errors.csv`, failed > MANY_ROWS, () =>
      api.get('/v1/credentials/batches/{id}/errors', {
        params: { ...params, query: { format: 'csv' } },
        parseAs: 'stream',
      }),
    )
  return (
    <>
      <div class="actions">
        {signed > 0 && (
          <button type="button" aria-disabled={isBusy} onClick={() => void run(results)}>
            {batches.results}
          </button>
        )}
        {failed > 0 && (
          <button type="button" aria-disabled={isBusy} onClick={() => void run(errors)}>
            {batches.errorsFile}
          </button>
        )}
        {signed > 0 && <Link href={withQuery(pathOf('credentials'), { batchId: id })}>{batches.credentials}</Link>}
      </div>
      {signed > MANY_ROWS && <p class="quiet">{batches.manyHint}</p>}
      <p role="status">{isBusy && batches.downloading}</p>
      <Failure error={error} />
      <Curl path={`/v1/credentials/batches/${id}/results`} />
    </>
  )
}

/** One batch, as it goes on. */
export function BatchPage({ id, standing }: { id: string; standing: Standing }) {
  const { batches } = useTexts()
  const [turn, setTurn] = useState(0)
  const loaded = useLoad(`${id} ${turn}`, () => api.get('/v1/credentials/batches/{id}', { params: { path: { id } } }))
  const { data } = loaded
  const every = data?.status === 'PAUSED' ? PAUSED_LOOK_MS : LOOK_MS
  usePoll(data !== undefined && (isMoving(data) || data.status === 'PAUSED'), every, loaded.isLoading, loaded.reload)
  const mayWrite = (format: string) =>
    isFormat(format) &&
    standing.scopes.has('semantic-credentials:write') &&
    standing.scopes.has(`${TEMPLATES[format].scope}:write`)
  return (
    <>
      <Heading title={`${batches.batch} ${id}`}>{batches.batch}</Heading>
      <Shown loaded={loaded}>
        {(batch) => (
          <>
            <About batch={batch} />
            {mayWrite(batch.format) && <Steering batch={batch} done={() => setTurn((last) => last + 1)} />}
            <Downloads batch={batch} />
            {batch.failed > 0 && (
              <>
                <h2>{batches.errors}</h2>
                <p>{batches.errorsHint}</p>
                <RowErrors batch={batch} />
              </>
            )}
            <Curl path={`/v1/credentials/batches/${id}`} />
          </>
        )}
      </Shown>
    </>
  )
}
