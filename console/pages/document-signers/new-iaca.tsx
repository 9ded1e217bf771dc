import { useState } from 'preact/hooks'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { momentOf } from '../../frame/moments.ts'
import { Curl, Heading } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** That of docs/mobile.md. */
export const EXAMPLE = { country: 'NL', commonName: 'Example State IACA' }

const PATH = '/v1/credentials/mobile/iacas'

/** What is not said is the platform's default. */
function bodyOf(form: FormData) {
  if (form.has('certificatePem')) return { certificatePem: textOf(form, 'certificatePem') ?? '' }
  const [commonName, stateOrProvinceName] = [textOf(form, 'commonName'), textOf(form, 'stateOrProvinceName')]
  const notAfter = momentOf(textOf(form, 'notAfter'))
  return {
    country: textOf(form, 'country') ?? '',
    ...(commonName && { commonName }),
    ...(stateOrProvinceName && { stateOrProvinceName }),
    ...(notAfter && { notAfter }),
  }
}

/** Creates an authority with a key of the platform, or imports the certificate of another one. */
export function NewIacaPage() {
  const { 'document-signers': texts } = useTexts()
  const attempt = useAttempt()
  const [isImport, setImport] = useState(false)
  const create = async (form: FormData) => {
    const body = bodyOf(form)
    const { id } = await attempt(body, (headers) => api.post(PATH, { body, headers }))
    go(pathOf('document-signers', 'iacas', id))
  }
  return (
    <>
      <Heading title={texts.newIaca}>{texts.newIaca}</Heading>
      <Form submit={texts.create} onSubmit={create}>
        <SelectEntry
          label={texts.key}
          name="key"
          choices={[
            ['own', texts.managed],
            ['import', texts.imported],
          ]}
          hint={texts.keyHint}
          onChange={(value) => setImport(value === 'import')}
        />
        {isImport ? (
          <TextEntry label={texts.pem} name="certificatePem" hint={texts.importHint} lines={8} required />
        ) : (
          <>
            <TextEntry label={texts.country} name="country" hint={texts.countryHint} required />
            <TextEntry label={texts.commonName} name="commonName" hint={texts.iacaNameHint} />
            <TextEntry label={texts.state} name="stateOrProvinceName" hint={texts.stateHint} />
            <TextEntry label={texts.notAfter} name="notAfter" type="datetime-local" hint={texts.iacaEndHint} />
          </>
        )}
      </Form>
      <Curl method="POST" path={PATH} body={EXAMPLE} />
    </>
  )
}
