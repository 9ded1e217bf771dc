import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useDoing } from '../../frame/load.ts'
import { Curl, Failure } from '../../frame/parts.tsx'
import { go, Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

interface SignerActionsProps {
  signer: Schemas['DocumentSignerOut']
  done: (text: string) => void
}

/** Activates, renews, certifies, revokes and deletes a document signer. */
export function SignerActions({ signer, done }: SignerActionsProps) {
  const { 'document-signers': texts } = useTexts()
  const { run, error, isBusy } = useDoing()
  const { id, iacaId, active, renew, renewedById, revoked, csrPem, certificateData } = signer
  const path = { params: { path: { id } } }
  const change = async (body: Schemas['DocumentSignerUpdateIn']) => {
    await api.put('/v1/credentials/mobile/document-signers/{id}', { ...path, body })
    done(texts.changed)
  }
  const revoke = async () => {
    await api.post('/v1/credentials/mobile/document-signers/{id}/revoke', path)
    done(texts.nowRevoked)
  }
  const remove = async () => {
    await api.delete('/v1/credentials/mobile/document-signers/{id}', path)
    go(pathOf('document-signers'))
  }
  const successor = withQuery(pathOf('document-signers', 'new'), { iacaId, commonName: certificateData?.commonName })
  return (
    <>
      <div class="actions">
        {!revoked && (
          <>
            <button type="button" aria-disabled={isBusy} onClick={() => void run(() => change({ active: !active }))}>
              {active ? texts.deactivate : texts.activate}
            </button>
            {csrPem === undefined && renewedById === undefined && (
              <button type="button" aria-disabled={isBusy} onClick={() => void run(() => change({ renew: !renew }))}>
                {renew ? texts.renewOff : texts.renewOn}
              </button>
            )}
            <Link href={successor}>{texts.successor}</Link>
            <Confirm
              isDangerous
              action={texts.revoke}
              question={texts.revokeAsk}
              text={texts.revokeText}
              run={revoke}
            />
          </>
        )}
        <Confirm
          isDangerous
          action={texts.delete}
          question={texts.deleteSignerAsk}
          text={texts.deleteSignerText}
          run={remove}
        />
      </div>
      <Failure error={error} />
      {csrPem !== undefined && !revoked && (
        <details open={certificateData === undefined}>
          <summary>{texts.certify}</summary>
          <Form
            submit={texts.certifySubmit}
            onSubmit={(form) => change({ active: true, certificatePem: textOf(form, 'certificatePem') ?? '' })}
          >
            <TextEntry label={texts.pem} name="certificatePem" hint={texts.certifyHint} lines={8} required />
          </Form>
        </details>
      )}
      <Curl method="PUT" path={`/v1/credentials/mobile/document-signers/${id}`} body={{ active: !active }} />
    </>
  )
}
