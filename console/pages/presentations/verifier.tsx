import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Clients } from './clients.tsx'
import { VerifierForm } from './verifier-form.tsx'

type Verifier = Schemas['OidcVerifierOut']

const pathTo = (id: string) => `/v1/oidc/verifiers/${id}`

function Change({ verifier, done }: { verifier: Verifier; done: () => void }) {
  const { presentations } = useTexts()
  const { id } = verifier
  const attempt = useAttempt()
  const params = { path: { id } }
  const rotate = async () => {
    await attempt(id, (headers) => api.post('/v1/oidc/verifiers/{id}/rotate-keys', { params, headers }))
    done()
  }
  const remove = async () => {
    await api.delete('/v1/oidc/verifiers/{id}', { params })
    go(pathOf('presentations'))
  }
  return (
    <>
      <details>
        <summary>{presentations.change}</summary>
        <VerifierForm
          value={verifier}
          submit={presentations.save}
          send={async (body) => {
            await api.put('/v1/oidc/verifiers/{id}', { params, body })
            done()
          }}
        />
      </details>
      <div class="actions">
        <Confirm
          action={presentations.rotate}
          question={presentations.rotateAsk}
          text={presentations.rotateText}
          run={rotate}
        />
        <Confirm
          isDangerous
          action={presentations.remove}
          question={presentations.removeVerifierAsk}
          text={presentations.removeVerifierText}
          run={remove}
        />
      </div>
      <Curl method="POST" path={`${pathTo(id)}/rotate-keys`} />
      <Curl method="DELETE" path={pathTo(id)} />
    </>
  )
}

/** One OpenID provider: what it asks for, which claims it makes of it, and its applications. */
export function VerifierPage({ id, standing: { scopes } }: { id: string; standing: Standing }) {
  const { presentations, frame } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/oidc/verifiers/{id}', { params: { path: { id } } }))
  const acts = useActs(loaded.reload)
  const mayWrite = scopes.has('openid:write')
  return (
    <>
      <Heading title={`${presentations.verifier} ${id}`}>{presentations.verifier}</Heading>
      <Shown loaded={loaded}>
        {(verifier) => (
          <>
            <Facts
              facts={[
                [presentations.address, <code>{verifier.issuer}</code>],
                [presentations.did, <code>{verifier.verifierDid}</code>],
                [
                  presentations.template,
                  <Link href={pathOf('presentations', 'templates', verifier.presentationTemplateId)}>
                    {verifier.presentationTemplateId}
                  </Link>,
                ],
                [presentations.include, verifier.includePresentation ? frame.yes : frame.no],
                [presentations.posted, verifier.requestUriMethod === 'post' ? frame.yes : frame.no],
              ]}
            />
            <Json value={verifier.claimMappings} summary={presentations.mappings} />
            {mayWrite && <Change key={acts.count} verifier={verifier} done={() => acts.done(presentations.saved)} />}
            <Outcome acts={acts} />
            <Curl path={pathTo(id)} />
            <h2>{presentations.clients}</h2>
            <Clients verifier={verifier} mayWrite={mayWrite} />
          </>
        )}
      </Shown>
    </>
  )
}
