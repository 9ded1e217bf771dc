import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, Time } from '../../frame/parts.tsx'
import { go, Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

export function EndReissuance({ id, done }: { id: string; done: () => void }) {
  const { reissuances: texts } = useTexts()
  const end = async () => {
    await api.delete('/v1/openid/reissuances/{id}', { params: { path: { id } } })
    done()
  }
  return <Confirm isDangerous action={texts.end} question={texts.endAsk} text={texts.endText} run={end} />
}

function Ids({ ids, hrefOf }: { ids: readonly string[]; hrefOf: (id: string) => string }) {
  return (
    <ul class="plain">
      {ids.map((id) => (
        <li key={id}>
          <Link href={hrefOf(id)}>{id}</Link>
        </li>
      ))}
    </ul>
  )
}

/** What one wallet may get anew, how often it did, and until when. */
export function ReissuancePage({ id, standing }: { id: string; standing: Standing }) {
  const { reissuances: texts, sessions } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/openid/reissuances/{id}', { params: { path: { id } } }))
  return (
    <>
      <Heading title={`${texts.reissuance} ${id}`}>{texts.reissuance}</Heading>
      <Shown loaded={loaded}>
        {(reissuance) => (
          <>
            <Facts
              facts={[
                [texts.id, <code>{id}</code>],
                [texts.wallet, <bdi class="wrap">{reissuance.walletClientId ?? texts.nameless}</bdi>],
                [texts.boundTo, texts.bonds[reissuance.boundTo]],
                [
                  texts.templates,
                  <Ids
                    ids={reissuance.templateIds}
                    hrefOf={(templateId) => withQuery(pathOf('credentials'), { templateId })}
                  />,
                ],
                [
                  texts.newest,
                  <Ids ids={reissuance.credentialIds} hrefOf={(credentialId) => pathOf('credentials', credentialId)} />,
                ],
                [texts.uses, reissuance.uses],
                [texts.used, reissuance.usedAt ? <Time at={reissuance.usedAt} /> : undefined],
                [sessions.created, <Time at={reissuance.createdAt} />],
                [texts.ends, <Time at={reissuance.endsAt} />],
                [texts.session, <Link href={pathOf('sessions', reissuance.sessionId)}>{reissuance.sessionId}</Link>],
                [texts.userId, reissuance.userId && <code>{reissuance.userId}</code>],
                [sessions.log, <Link href={withQuery(pathOf('log'), { objectId: id })}>{texts.logHint}</Link>],
              ]}
            />
            {standing.scopes.has('openid:write') && (
              <>
                <div class="actions">
                  <EndReissuance id={id} done={() => go(pathOf('sessions', 'reissuances'))} />
                </div>
                <Curl method="DELETE" path={`/v1/openid/reissuances/${id}`} />
              </>
            )}
          </>
        )}
      </Shown>
      <Curl path={`/v1/openid/reissuances/${id}`} />
    </>
  )
}
