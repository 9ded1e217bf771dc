import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, SelectEntry, textOf } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'
import { Broken } from './broken.tsx'

type Change = Schemas['PolicyChangeIn']

const CHANGES = ['removeParticipant', 'removeCredential', 'removeRole', 'constrain', 'takeCredential'] as const
/** What each change is about (dryRunEcosystemPolicy). */
const NEEDS: Record<Change['change'], { participant?: true; credential?: true; role?: true }> = {
  removeParticipant: { participant: true },
  removeCredential: { credential: true },
  removeRole: { participant: true, role: true },
  constrain: { participant: true, role: true },
  takeCredential: { participant: true, credential: true, role: true },
}

const isChange = (name: string): name is Change['change'] => CHANGES.some((each) => each === name)

/** A change that is only tried: what would break? */
export function Rehearsal({ id, policy }: { id: string; policy: Schemas['PolicyOut'] }) {
  const { ecosystems } = useTexts()
  const [name, setName] = useState<Change['change']>('removeParticipant')
  const [tried, setTried] = useState<{ change: Change; turn: number }>()
  const needs = NEEDS[name]
  const named = (rows: { id: string; name: string }[]) => rows.map((row) => [row.id, row.name] as const)
  const attempt = async (form: FormData) => {
    const [participantId, credentialId] = [textOf(form, 'participantId'), textOf(form, 'credentialId')]
    const change: Change = {
      change: name,
      ...(participantId && { participantId }),
      ...(credentialId && { credentialId }),
      ...(needs.role && { role: textOf(form, 'role') === 'verifier' ? 'verifier' : 'issuer' }),
    }
    setTried({ change, turn: (tried?.turn ?? 0) + 1 })
  }
  return (
    <>
      <h2>{ecosystems.rehearsal}</h2>
      <p>{ecosystems.rehearsalHint}</p>
      <Form submit={ecosystems.tryIt} onSubmit={attempt}>
        <SelectEntry
          label={ecosystems.change}
          name="change"
          value={name}
          choices={CHANGES.map((each) => [each, ecosystems.changes[each]])}
          onChange={(value) => isChange(value) && setName(value)}
        />
        {needs.participant && (
          <SelectEntry label={ecosystems.participant} name="participantId" choices={named(policy.participants)} />
        )}
        {needs.credential && (
          <SelectEntry label={ecosystems.credential} name="credentialId" choices={named(policy.credentials)} />
        )}
        {needs.role && <SelectEntry label={ecosystems.role} name="role" choices={Object.entries(ecosystems.roles)} />}
      </Form>
      {tried && <Broken key={tried.turn} id={id} change={tried.change} />}
    </>
  )
}
