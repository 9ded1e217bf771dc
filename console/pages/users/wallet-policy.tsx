import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, Form, SelectEntry, TextEntry, textOf, wordsOf } from '../../frame/form.tsx'
import { changesIn } from '../../frame/forms/changes.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

type Policy = Schemas['WalletPolicyOut']

const POLICY = '/v1/openid/wallet-policy'
const RULES = [
  'requiresPar',
  'requiresDpop',
  'requiresClientAuthentication',
  'allowsWalletInitiated',
  'requiresEncryption',
  'requiresWalletAttestation',
  'requiresKeyAttestation',
  'signsMetadata',
] as const satisfies (keyof Policy)[]
const LEVELS = ['keyStorage', 'userAuthentication'] as const satisfies (keyof Policy)[]
const NUMBERS = ['batchSize', 'reissueDays'] as const satisfies (keyof Policy)[]

/** Only what differs: rules that a profile has turned on are the tenant's own choice again without it. */
function changedRules(form: FormData, policy: Policy): Schemas['WalletPolicyIn'] {
  const next: Schemas['WalletPolicyIn'] = {
    profile: textOf(form, 'profile') === 'haip' ? 'haip' : null,
    ...Object.fromEntries(RULES.map((rule) => [rule, form.has(rule)])),
    ...Object.fromEntries(LEVELS.map((name) => [name, wordsOf(textOf(form, name))])),
    ...Object.fromEntries(NUMBERS.map((name) => [name, Number(textOf(form, name) ?? policy[name])])),
  }
  return changesIn(next, policy)
}

function PolicyForm({ policy, done }: { policy: Policy; done: () => void }) {
  const { users } = useTexts()
  const save = async (form: FormData) => {
    await api.put(POLICY, { body: changedRules(form, policy) })
    done()
  }
  return (
    <Form submit={users.save} onSubmit={save}>
      <SelectEntry
        label={users.profile}
        name="profile"
        hint={users.profileHint}
        value={policy.profile ?? ''}
        choices={[
          ['', users.profileNames.none],
          ['haip', users.profileNames.haip],
        ]}
      />
      {RULES.map((rule) => (
        <CheckEntry key={rule} label={users.rules[rule]} name={rule} isChecked={policy[rule]} />
      ))}
      {LEVELS.map((name) => (
        <TextEntry key={name} label={users[name]} name={name} hint={users.levelsHint} value={policy[name].join(', ')} />
      ))}
      <TextEntry label={users.batchSize} name="batchSize" type="number" value={String(policy.batchSize)} required />
      <TextEntry
        label={users.reissueDays}
        name="reissueDays"
        type="number"
        hint={users.reissueHint}
        value={String(policy.reissueDays)}
        required
      />
    </Form>
  )
}

function PolicyFacts({ policy }: { policy: Policy }) {
  const { users, frame } = useTexts()
  return (
    <Facts
      facts={[
        [users.profile, policy.profile ? users.profileNames[policy.profile] : users.profileNames.none],
        ...RULES.map((rule): [string, string] => [users.rules[rule], policy[rule] ? frame.yes : frame.no]),
        ...LEVELS.map((name): [string, string] => [users[name], policy[name].join(', ')]),
        ...NUMBERS.map((name): [string, string] => [users[name], String(policy[name])]),
      ]}
    />
  )
}

/** What is required of all wallets. */
export function PolicyView({ mayWrite }: { mayWrite: boolean }) {
  const { users } = useTexts()
  const [said, setSaid] = useState('')
  const loaded = useLoad('', () => api.get(POLICY))
  const done = () => {
    setSaid(users.saved)
    loaded.reload()
  }
  return (
    <>
      <h2>{users.policy}</h2>
      <Shown loaded={loaded}>
        {(policy) =>
          mayWrite ? (
            <PolicyForm key={JSON.stringify(policy)} policy={policy} done={done} />
          ) : (
            <PolicyFacts policy={policy} />
          )
        }
      </Shown>
      <p role="status">{said}</p>
      <Curl path={POLICY} />
      {mayWrite && <Curl method="PUT" path={POLICY} body={{ requiresPar: true }} />}
    </>
  )
}
