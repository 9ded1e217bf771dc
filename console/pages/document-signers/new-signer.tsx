import { CheckEntry, Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useLoad } from '../../frame/load.ts'
import { momentOf } from '../../frame/moments.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { go, pathOf, useAddress } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

const PATH = '/v1/credentials/mobile/document-signers'
/** A tenant has few authorities: the newest are offered. */
const OFFERED = 100

function bodyOf(form: FormData) {
  const [iacaId, commonName, notAfter] = [
    textOf(form, 'iacaId'),
    textOf(form, 'commonName'),
    momentOf(textOf(form, 'notAfter')),
  ]
  return {
    ...(iacaId && { iacaId }),
    ...(commonName && { commonName }),
    ...(notAfter && { notAfter }),
    ...(!form.has('renew') && { renew: false }),
  }
}

/** Creates a document signer; the address may name what another one, which it is to follow, has. */
export function NewSignerPage() {
  const { 'document-signers': texts } = useTexts()
  const attempt = useAttempt()
  const { query } = useAddress()
  const iacas = useLoad('', () => api.get('/v1/credentials/mobile/iacas', { params: { query: { limit: OFFERED } } }))
  const create = async (form: FormData) => {
    const body = bodyOf(form)
    const { id } = await attempt(body, (headers) => api.post(PATH, { body, headers }))
    go(pathOf('document-signers', id))
  }
  return (
    <>
      <Heading title={texts.newSigner}>{texts.newSigner}</Heading>
      <Shown loaded={iacas}>
        {({ data }) => (
          <Form submit={texts.create} onSubmit={create}>
            <SelectEntry
              label={texts.iaca}
              name="iacaId"
              value={query.get('iacaId') ?? ''}
              choices={[
                ['', texts.newestIaca],
                ...data
                  .filter(({ usability }) => usability === 'usable')
                  .map(({ id, certificateData }) => [id, certificateData.commonName ?? id] as const),
              ]}
              hint={texts.iacaHint}
            />
            <TextEntry
              label={texts.commonName}
              name="commonName"
              value={query.get('commonName') ?? ''}
              hint={texts.signerNameHint}
            />
            <TextEntry label={texts.notAfter} name="notAfter" type="datetime-local" hint={texts.signerEndHint} />
            <CheckEntry label={texts.renewByItself} name="renew" isChecked hint={texts.renewHint} />
          </Form>
        )}
      </Shown>
      <Curl method="POST" path={PATH} body={{ active: true }} />
    </>
  )
}
