import { useState } from 'preact/hooks'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { ClaimSourceFields } from './fields.tsx'
import { readClaimSource } from './read.ts'

/** A claim source, with its secrets masked as the platform shows them. */
export function ClaimSourcePage({ id, standing }: { id: string; standing: Standing }) {
  const { 'claim-sources': texts, frame } = useTexts()
  const [turn, setTurn] = useState(0)
  const path = { params: { path: { id } } }
  // the form begins anew with each answer
  const loaded = useLoad(`${id} ${turn}`, async () => ({
    turn,
    source: await api.get('/v1/claim-sources/{id}', path),
  }))
  const change = async (form: FormData) => {
    await api.put('/v1/claim-sources/{id}', {
      ...path,
      body: readClaimSource(form, { repeated: texts.repeated, inexact: frame.inexact }),
    })
    setTurn(turn + 1)
  }
  const remove = async () => {
    await api.delete('/v1/claim-sources/{id}', path)
    go(pathOf('claim-sources'))
  }
  const heading = loaded.data?.source.name ?? texts.source
  return (
    <>
      <Heading title={heading}>
        <bdi class="wrap">{heading}</bdi>
      </Heading>
      <Shown loaded={loaded}>
        {({ source, turn: answered }) => (
          <>
            <Facts
              facts={[
                [texts.url, <bdi>{source.url}</bdi>],
                [texts.id, <code>{id}</code>],
                [texts.method, source.request_method],
                [
                  texts.authorization,
                  source.authorization?.ApiKey
                    ? texts.ways.ApiKey
                    : source.authorization?.OAuthClientCredentials
                      ? texts.ways.OAuthClientCredentials
                      : texts.ways.none,
                ],
              ]}
            />
            <p role="status">{answered > 0 && texts.changed}</p>
            {standing.scopes.has('administration:write') && (
              <>
                <div class="actions">
                  <Confirm
                    isDangerous
                    action={texts.delete}
                    question={texts.deleteAsk}
                    text={texts.deleteText}
                    run={remove}
                  />
                </div>
                <details key={answered}>
                  <summary>{texts.edit}</summary>
                  <Form submit={texts.save} onSubmit={change}>
                    <ClaimSourceFields source={source} />
                  </Form>
                </details>
              </>
            )}
            <Json value={source} summary={frame.json} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/claim-sources/${id}`} />
    </>
  )
}
