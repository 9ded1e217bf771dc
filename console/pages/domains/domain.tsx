import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, Time } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { DnsRecord } from './record.tsx'
import { DomainState } from './state.tsx'

type Domain = Schemas['DomainOut']

function About({ domain: { name, status, verifiedAt, failureReason, waiting, recheck } }: { domain: Domain }) {
  const { domains } = useTexts()
  const last = waiting?.lastLookAt ?? recheck?.lastLookAt
  const next = waiting?.nextLookAt ?? recheck?.nextLookAt
  return (
    <Facts
      facts={[
        [domains.state, <DomainState status={status} />],
        [domains.name, <bdi>{name}</bdi>],
        [domains.verifiedAt, verifiedAt ? <Time at={verifiedAt} /> : undefined],
        [
          domains.reason,
          waiting && (
            <>
              {waiting.reason} <code>{waiting.code}</code>
            </>
          ),
        ],
        [domains.givenUp, failureReason],
        [domains.lastLook, last && <Time at={last} />],
        [domains.nextLook, next && <Time at={next} />],
        [domains.until, waiting?.until && <Time at={waiting.until} />],
      ]}
    />
  )
}

/** Looks now, takes the verification back, renames and deletes; `reload` when the domain is another one now. */
function Actions({ domain: { id, name, status }, reload }: { domain: Domain; reload: () => void }) {
  const { domains } = useTexts()
  const acts = useActs(reload)
  const { run, isBusy, say, done } = acts
  const path = { params: { path: { id } } }
  const look = () =>
    void run(async () => {
      say('')
      try {
        await api.post('/v1/config/domain/{id}/verify', path)
        say(domains.found)
      } finally {
        reload() // also what was not found is a look
      }
    })
  const invalidate = async () => {
    await api.post('/v1/config/domain/{id}/invalidate', path)
    done(domains.invalidated)
  }
  const rename = async (form: FormData) => {
    await api.put('/v1/config/domain/{id}', { ...path, body: { name: textOf(form, 'name') ?? '' } })
    done(domains.renamed)
  }
  const remove = async () => {
    await api.delete('/v1/config/domain/{id}', path)
    go(pathOf('domains'))
  }
  return (
    <>
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={look}>
          {isBusy ? domains.looking : domains.look}
        </button>
        {status === 'VERIFIED' && (
          <Confirm
            isDangerous
            action={domains.invalidate}
            question={domains.invalidateAsk}
            text={domains.invalidateText}
            run={invalidate}
          />
        )}
        <Confirm
          isDangerous
          action={domains.delete}
          question={domains.deleteAsk}
          text={domains.deleteText}
          run={remove}
        />
      </div>
      <Outcome acts={acts} />
      <details>
        <summary>{domains.rename}</summary>
        <Form submit={domains.save} onSubmit={rename}>
          <TextEntry label={domains.name} name="name" value={name} hint={domains.nameHint} required />
        </Form>
      </details>
      <Curl method="POST" path={`/v1/config/domain/${id}/verify`} />
    </>
  )
}

/** One domain: its record for DNS, what the platform saw, and when it looks again. */
export function DomainPage({ id, standing }: { id: string; standing: Standing }) {
  const { domains } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/config/domain/{id}', { params: { path: { id } } }))
  const heading = loaded.data?.domain ?? domains.domain
  return (
    <>
      <Heading title={heading}>
        <span class="wrap">{heading}</span>
      </Heading>
      <Shown loaded={loaded}>
        {(domain) => (
          <>
            <About domain={domain} />
            {standing.scopes.has('domains:write') && <Actions domain={domain} reload={loaded.reload} />}
            <h2>{domains.record}</h2>
            <DnsRecord domain={domain} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/config/domain/${id}`} />
    </>
  )
}
