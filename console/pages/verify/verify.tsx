import { useState } from 'preact/hooks'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { Curl, Heading } from '../../frame/parts.tsx'
import type { Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { FORMATS, type Format, type Verdict } from '../credentials/formats.ts'
import { Verified } from '../credentials/verdict.tsx'
import { documentOf, formatOf, Unreadable } from './kind.ts'

interface Answer {
  format: Format
  text: string
  verdict: Verdict
}

/** A credential that somebody hands over, verified as the verifier does it. Nothing of it is stored. */
export function VerifyPage({ standing }: { standing: Standing }) {
  const { verify, credentials, frame } = useTexts()
  const [answer, setAnswer] = useState<Answer>()
  const [fault, setFault] = useState<string>()
  const formats = (Object.keys(FORMATS) as Format[]).filter((name) =>
    standing.scopes.has(`${FORMATS[name].scope}:read`),
  )
  const submit = async (form: FormData) => {
    setAnswer(undefined)
    setFault(undefined)
    const text = textOf(form, 'payload') ?? ''
    const format = formats.find((name) => name === form.get('format')) ?? formatOf(text)
    if (!format) return setFault(verify.unknown)
    const rules = { rule: verify.notJson, inexact: frame.inexact }
    try {
      setAnswer({ format, text, verdict: await FORMATS[format].verify(documentOf(format, text, rules)) })
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      setFault(error.message)
    }
  }
  return (
    <>
      <Heading title={verify.heading}>{verify.heading}</Heading>
      <p>{verify.hint}</p>
      <Form submit={verify.verify} onSubmit={submit}>
        <TextEntry label={verify.credential} name="payload" lines={8} hint={verify.credentialHint} required />
        <SelectEntry
          label={credentials.format}
          name="format"
          choices={[['', verify.byText], ...formats.map((name) => [name, name] as const)]}
        />
      </Form>
      {fault && (
        <p class="failure" role="alert">
          {fault}
        </p>
      )}
      <div role="status">
        {answer && (
          <>
            <Verified verdict={answer.verdict} />
            <p class="quiet">
              {credentials.format}: {answer.format}
            </p>
          </>
        )}
      </div>
      <Curl
        method="POST"
        path={`/v1/credentials/${answer?.format ?? 'web-semantic'}/verify`}
        body={{ payload: answer && answer.format !== 'web-semantic' ? answer.text : '…' }}
      />
    </>
  )
}
