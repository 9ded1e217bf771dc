import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Curl, Facts, Failure, Heading, Json, Shown } from '../../frame/parts.tsx'
import { go, Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Usable, useCertificateFacts } from './certificate.tsx'

type Iaca = Schemas['IacaOut']

function Actions({ iaca: { id, active }, done }: { iaca: Iaca; done: (text: string) => void }) {
  const { 'document-signers': texts } = useTexts()
  const { run, error, isBusy } = useDoing()
  const path = { params: { path: { id } } }
  const activate = async (isActive: boolean) => {
    await api.put('/v1/credentials/mobile/iacas/{id}', { ...path, body: { active: isActive } })
    done(texts.changed)
  }
  const remove = async () => {
    await api.delete('/v1/credentials/mobile/iacas/{id}', path)
    go(pathOf('document-signers'))
  }
  return (
    <>
      <div class="actions">
        {active ? (
          <Confirm
            isDangerous
            action={texts.deactivate}
            question={texts.deactivateIacaAsk}
            text={texts.deactivateIacaText}
            run={() => activate(false)}
          />
        ) : (
          <button type="button" aria-disabled={isBusy} onClick={() => void run(() => activate(true))}>
            {texts.activate}
          </button>
        )}
        <Link href={withQuery(pathOf('document-signers', 'new'), { iacaId: id })}>{texts.newSigner}</Link>
        <Confirm
          isDangerous
          action={texts.delete}
          question={texts.deleteIacaAsk}
          text={texts.deleteIacaText}
          run={remove}
        />
      </div>
      <Failure error={error} />
      <Curl method="PUT" path={`/v1/credentials/mobile/iacas/${id}`} body={{ active: !active }} />
    </>
  )
}

/** An authority that certifies document signers, and what verifiers trust it by. */
export function IacaPage({ id, standing }: { id: string; standing: Standing }) {
  const { 'document-signers': texts } = useTexts()
  const facts = useCertificateFacts()
  const loaded = useLoad(id, () => api.get('/v1/credentials/mobile/iacas/{id}', { params: { path: { id } } }))
  const acts = useActs(loaded.reload)
  return (
    <>
      <Heading title={`${texts.iaca} ${id}`}>{texts.iaca}</Heading>
      <Shown loaded={loaded}>
        {(iaca) => (
          <>
            <Facts
              facts={[
                [texts.usability, <Usable usability={iaca.usability} />],
                [texts.id, <code>{id}</code>],
                [texts.key, iaca.managed ? texts.managed : texts.imported],
                ...facts(iaca.certificateData, iaca.certificateFingerprint),
              ]}
            />
            {standing.scopes.has('mobile-credentials:write') && <Actions iaca={iaca} done={acts.done} />}
            <Outcome acts={acts} />
            <Json value={iaca.certificatePem} summary={texts.pem} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/credentials/mobile/iacas/${id}`} />
    </>
  )
}
