import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { Table } from '../../frame/table.tsx'
import { useLocale, useSay, useTexts } from '../../texts/index.ts'

type Change = Schemas['PolicyChangeIn']

function Result({ credentials, templates, verifiers, atLeast, notCounted }: Schemas['DryRunOut']) {
  const { ecosystems } = useTexts()
  const [locale, say] = [useLocale(), useSay()]
  const count = credentials.reduce((sum, each) => sum + each.count, 0)
  const isNothing = count + templates.length + verifiers.length === 0
  return (
    <div role="status">
      {isNothing && notCounted.length === 0 && <p class="success">{ecosystems.nothingBreaks}</p>}
      {count > 0 && (
        <>
          <p>
            <strong>{say(ecosystems.credentialsBreak, { count })}</strong>{' '}
            {atLeast.length > 0 && say(ecosystems.atLeast, { count: atLeast.length })}
          </p>
          <Table
            label={ecosystems.brokenCredentials}
            rows={credentials}
            keyOf={(_, at) => at}
            columns={[
              [ecosystems.tenant, ({ tenantId }) => <code>{tenantId}</code>],
              [ecosystems.type, ({ types }) => types.join(', ')],
              [ecosystems.profile, ({ profile }) => profile],
              [ecosystems.count, (each) => each.count.toLocaleString(locale)],
            ]}
          />
        </>
      )}
      {templates.length > 0 && (
        <>
          <p>{say(ecosystems.templatesBreak, { count: templates.length })}</p>
          <ul class="plain">
            {templates.map(({ templateId, tenantId, types }) => (
              <li key={`${tenantId} ${templateId}`}>
                <code>{templateId}</code> {types.join(', ')}
              </li>
            ))}
          </ul>
        </>
      )}
      {verifiers.length > 0 && (
        <>
          <p>{say(ecosystems.verifiersBreak, { count: verifiers.length })}</p>
          <ul class="plain">
            {verifiers.map(({ participantId, name }) => (
              <li key={participantId}>{name}</li>
            ))}
          </ul>
        </>
      )}
      {notCounted.length > 0 && <p>{say(ecosystems.notCounted, { count: notCounted.length })}</p>}
    </div>
  )
}

/** What a change of the policy would break, before it is made. */
export function Broken({ id, change }: { id: string; change: Change }) {
  const body = { changes: [change] }
  const loaded = useLoad(JSON.stringify([id, body]), () =>
    api.post('/v1/ecosystems/{ecosystemId}/policy/dry-run', { params: { path: { ecosystemId: id } }, body }),
  )
  return (
    <>
      <Shown loaded={loaded}>{(answer) => <Result {...answer} />}</Shown>
      <Curl method="POST" path={`/v1/ecosystems/${id}/policy/dry-run`} body={body} />
    </>
  )
}
