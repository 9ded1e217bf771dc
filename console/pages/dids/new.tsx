import { useState } from 'preact/hooks'
import { CheckEntry, Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Curl, Heading } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

const KEY_TYPES = ['ed25519', 'p256', 'p384', 'bls12381g2', 'x25519'] as const

export const EXAMPLE = { method: 'KEY' as const, options: { keyType: 'ed25519' as const } }

function bodyOf(form: FormData) {
  const issuer = form.has('issuer') && { issuer: true }
  const url = textOf(form, 'options.url')
  if (url !== undefined) return { method: 'WEB' as const, options: { url }, ...issuer }
  const keyType = KEY_TYPES.find((each) => each === textOf(form, 'options.keyType')) ?? 'ed25519'
  return { method: 'KEY' as const, options: { keyType }, ...issuer }
}

/** Creates a did:key, which is ready at once, or a did:web, which waits for its document. */
export function NewDidPage() {
  const { dids } = useTexts()
  const attempt = useAttempt()
  const [isWeb, setWeb] = useState(false)
  const [keyType, setKeyType] = useState<string>('ed25519')
  const create = async (form: FormData) => {
    const body = bodyOf(form)
    const { did } = await attempt(body, (headers) => api.post('/v1/dids', { body, headers }))
    go(pathOf('dids', did))
  }
  return (
    <>
      <Heading title={dids.new}>{dids.new}</Heading>
      <Form submit={dids.create} onSubmit={create}>
        <SelectEntry
          label={dids.method}
          name="method"
          choices={[
            ['KEY', 'did:key'],
            ['WEB', 'did:web'],
          ]}
          hint={isWeb ? dids.webHint : dids.keyHint}
          onChange={(value) => setWeb(value === 'WEB')}
        />
        {isWeb ? (
          <TextEntry
            label={dids.url}
            name="options.url"
            hint={dids.urlHint}
            placeholder="https://id.university.example"
            required
          />
        ) : (
          <SelectEntry
            label={dids.keyType}
            name="options.keyType"
            value={keyType}
            choices={KEY_TYPES.map((each) => [each, dids.keyTypes[each]])}
            onChange={setKeyType}
          />
        )}
        {(isWeb || keyType !== 'x25519') && <CheckEntry label={dids.asIssuer} name="issuer" hint={dids.asIssuerHint} />}
      </Form>
      <Curl method="POST" path="/v1/dids" body={EXAMPLE} />
    </>
  )
}
