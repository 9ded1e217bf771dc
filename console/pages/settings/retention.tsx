import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Asked } from '../../frame/dialogs/asked.tsx'
import { Form, TextEntry } from '../../frame/form.tsx'
import { changesIn } from '../../frame/forms/changes.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Shown, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { ChangedDays } from './changes.tsx'
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
  const ask = async (form: FormData, its: Schemas['RetentionOut']) => {
    const changes = changesIn(Object.fromEntries(KEPT.map((name) => [name, daysOf(form, name)])), its)
    if (Object.keys(changes).length > 0) setAsked(changes)
  }
  const changesOf = (next: Schemas['RetentionIn'], its: Schemas['RetentionOut']) =>
    KEPT.filter((name) => next[name] !== undefined).map((name): [string, number | null, number | null] => [
      settings.kept[name],
      its[name],
      next[name] ?? null,
    ])
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
              <Form
                key={JSON.stringify(its)}
                submit={settings.saveRetention}
                onSubmit={(form) => ask(form, its)}
                isDangerous
              >
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
      {asked && loaded.data && (
        <Asked
          question={settings.retentionAsk}
          action={settings.saveRetention}
          isDangerous
          onClose={() => setAsked(undefined)}
          run={() => save(asked)}
        >
          <ChangedDays changes={changesOf(asked, loaded.data)} />
          <p>{settings.retentionHint}</p>
        </Asked>
      )}
      <p role="status">{turn > 0 && settings.saved}</p>
      <Curl method="PUT" path="/v1/privacy/retention" body={{ expiredCredentialsDays: 365 }} />
    </>
  )
}
