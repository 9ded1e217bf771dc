import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Asked } from '../../frame/dialogs/asked.tsx'
import { Form, TextEntry } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Shown, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { daysOf } from './days.ts'

const KEPT = [
  'inactiveUsersDays',
  'expiredCredentialsDays',
  'messagesDays',
  'endedSessionsDays',
  'finishedBatchesDays',
] as const

/** For how long personal data are kept. */
export function Retention({ mayWrite }: { mayWrite: boolean }) {
  const { settings } = useTexts()
  const [turn, setTurn] = useState(0)
  const loaded = useLoad('', () => api.get('/v1/privacy/retention'))
  const [asked, setAsked] = useState<Schemas['RetentionIn']>()
  const ask = async (form: FormData) => setAsked(Object.fromEntries(KEPT.map((name) => [name, daysOf(form, name)])))
  const save = async (body: Schemas['RetentionIn']) => {
    await api.put('/v1/privacy/retention', { body })
    setTurn(turn + 1)
    loaded.reload()
  }
  return (
    <>
      <h2>{settings.retention}</h2>
      <p>{settings.retentionHint}</p>
      <Shown loaded={loaded}>
        {(its) => (
          <>
            <Facts
              facts={[
                ...KEPT.map((name): [string, string] => [settings.kept[name], String(its[name] ?? settings.endless)]),
                [settings.lastPass, its.lastPass ? <Time at={its.lastPass.endedAt} /> : undefined],
              ]}
            />
            {mayWrite && (
              <Form submit={settings.saveRetention} onSubmit={ask} isDangerous>
                {KEPT.map((name) => (
                  <TextEntry
                    key={name}
                    label={settings.kept[name]}
                    name={name}
                    type="number"
                    value={String(its[name] ?? '')}
                  />
                ))}
              </Form>
            )}
          </>
        )}
      </Shown>
      {asked && (
        <Asked
          question={settings.retentionAsk}
          action={settings.saveRetention}
          isDangerous
          onClose={() => setAsked(undefined)}
          run={() => save(asked)}
        >
          <p>{settings.retentionHint}</p>
        </Asked>
      )}
      <p role="status">{turn > 0 && settings.saved}</p>
      <Curl method="PUT" path="/v1/privacy/retention" body={{ expiredCredentialsDays: 365 }} />
    </>
  )
}
