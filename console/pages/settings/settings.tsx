import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Asked } from '../../frame/dialogs/asked.tsx'
import { CheckEntry, Form, TextEntry, textOf } from '../../frame/form.tsx'
import { changesIn } from '../../frame/forms/changes.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown } from '../../frame/parts.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { ChangedDays } from './changes.tsx'
import { daysOf } from './days.ts'
import { Erasures } from './erasures.tsx'
import { Retention } from './retention.tsx'

const SWITCHES = ['fetchUnknownContexts', 'vcApi', 'requireChallenge', 'requireDomain', 'envelopedStatusLists'] as const

interface TenantSettingsProps {
  settings: Schemas['SettingsOut']
  onSave: (body: Schemas['SettingsIn']) => Promise<void>
}

function TenantSettings({ settings: its, onSave }: TenantSettingsProps) {
  const { settings } = useTexts()
  const [asked, setAsked] = useState<Schemas['SettingsIn']>()
  const save = async (form: FormData) => {
    const next: Schemas['SettingsIn'] = {
      ...Object.fromEntries(SWITCHES.map((name) => [name, form.has(name)])),
      defaultIssuer: textOf(form, 'defaultIssuer') ?? null,
      logRetentionDays: daysOf(form, 'logRetentionDays'),
    }
    const changes = changesIn(next, its)
    const { logRetentionDays: days = null } = changes
    // what is older than fewer days is gone within the hour
    if (days !== null && days < (its.logRetentionDays ?? Number.POSITIVE_INFINITY)) setAsked(changes)
    else await onSave(changes)
  }
  return (
    <>
      <Form submit={settings.save} onSubmit={save}>
        {SWITCHES.map((name) => (
          <CheckEntry
            key={name}
            label={settings.switches[name]}
            name={name}
            isChecked={its[name]}
            hint={settings.hints[name]}
          />
        ))}
        <TextEntry
          label={settings.defaultIssuer}
          name="defaultIssuer"
          value={its.defaultIssuer ?? ''}
          hint={settings.defaultIssuerHint}
        />
        <TextEntry
          label={settings.logRetentionDays}
          name="logRetentionDays"
          type="number"
          value={String(its.logRetentionDays ?? '')}
          hint={settings.withoutEnd}
        />
      </Form>
      {asked && (
        <Asked
          question={settings.logAsk}
          action={settings.save}
          isDangerous
          onClose={() => setAsked(undefined)}
          run={() => onSave(asked)}
        >
          <ChangedDays changes={[[settings.logRetentionDays, its.logRetentionDays, asked.logRetentionDays ?? null]]} />
          <p>{settings.logText}</p>
        </Asked>
      )}
    </>
  )
}

/** How the tenant verifies, signs and keeps. */
export function SettingsPage({ standing }: { standing: Standing }) {
  const { settings, frame } = useTexts()
  const [turn, setTurn] = useState(0)
  const loaded = useLoad('', () => api.get('/v1/settings'))
  const mayWrite = standing.scopes.has('administration:write')
  const save = async (body: Schemas['SettingsIn']) => {
    await api.put('/v1/settings', { body })
    setTurn(turn + 1)
    loaded.reload()
  }
  return (
    <>
      <Heading title={settings.heading}>{settings.heading}</Heading>
      <Shown loaded={loaded}>
        {(its) => (
          <>
            <Facts
              facts={[
                ...SWITCHES.map((name): [string, string] => [
                  settings.switches[name],
                  its[name] ? frame.yes : frame.no,
                ]),
                [settings.ecosystem, its.ecosystemId ? <code>{its.ecosystemId}</code> : undefined],
                [settings.defaultIssuer, its.defaultIssuer ?? frame.none],
                [settings.logRetentionDays, its.logRetentionDays ?? settings.endless],
              ]}
            />
            {mayWrite && <TenantSettings key={JSON.stringify(its)} settings={its} onSave={save} />}
          </>
        )}
      </Shown>
      <p role="status">{turn > 0 && settings.saved}</p>
      <Curl path="/v1/settings" />
      <Curl method="PUT" path="/v1/settings" body={{ logRetentionDays: 365 }} />
      <Retention mayWrite={mayWrite} />
      <Erasures mayWrite={mayWrite} />
    </>
  )
}
