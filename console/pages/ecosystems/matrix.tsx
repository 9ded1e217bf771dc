import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Asked } from '../../frame/dialogs/asked.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'
import { Broken } from './broken.tsx'

export type Role = 'issuer' | 'verifier'
type Policy = Schemas['PolicyOut']
type Participant = Schemas['PolicyParticipantOut']
type Credential = Schemas['EcosystemCredentialOut']

/** What a participant is in a role. */
const inRole = (participant: Participant, role: Role) =>
  role === 'issuer'
    ? {
        has: participant.isIssuer,
        isConstrained: participant.isIssuerConstrained,
        allowed: participant.isIssuerAllowedCredentials,
      }
    : {
        has: participant.isVerified,
        isConstrained: participant.isVerifierConstrained,
        allowed: participant.isVerifierAllowedCredentials,
      }

function change(role: Role, { ecosystemId, id: participantId }: Participant, credentialId: string, isAllowed: boolean) {
  const path = { ecosystemId, participantId }
  if (isAllowed) {
    const params = { params: { path: { ...path, credentialId } } }
    return role === 'issuer'
      ? api.delete(
          '/v1/ecosystems/{ecosystemId}/participants/{participantId}/issuer/credentials/{credentialId}',
          params,
        )
      : api.delete(
          '/v1/ecosystems/{ecosystemId}/participants/{participantId}/verifier/credentials/{credentialId}',
          params,
        )
  }
  const asked = { params: { path }, body: { credentialId } }
  return role === 'issuer'
    ? api.post('/v1/ecosystems/{ecosystemId}/participants/{participantId}/issuer/credentials', asked)
    : api.post('/v1/ecosystems/{ecosystemId}/participants/{participantId}/verifier/credentials', asked)
}

interface Cell {
  participant: Participant
  credential: Credential
  isAllowed: boolean
}

interface MatrixProps {
  policy: Policy
  role: Role
  mayWrite: boolean
  onChange: () => void
}

/** Who may issue, or verify, which credentials: a participant in each row, a credential in each column. */
export function Matrix({ policy: { credentials, participants }, role, mayWrite, onChange }: MatrixProps) {
  const { ecosystems } = useTexts()
  const say = useSay()
  const [asked, setAsked] = useState<Cell>()
  const cell = (participant: Participant, credential: Credential) => {
    const { has, isConstrained, allowed } = inRole(participant, role)
    if (!has) return <span class="quiet">{ecosystems.notInRole}</span>
    if (!isConstrained) return <span class="quiet">{ecosystems.every}</span>
    const isAllowed = allowed.includes(credential.id)
    const text = isAllowed ? ecosystems.allowed : ecosystems.notAllowed
    if (!mayWrite) return <span class={isAllowed ? 'good' : 'quiet'}>{text}</span>
    return (
      <button
        type="button"
        class={isAllowed ? 'small good' : 'small'}
        aria-pressed={isAllowed}
        aria-label={say(ecosystems.cell, { participant: participant.name, credential: credential.name, state: text })}
        onClick={() => setAsked({ participant, credential, isAllowed })}
      >
        {text}
      </button>
    )
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys (WCAG 2.1.1) */}
      <section class="scroll" tabIndex={0} aria-label={ecosystems.matrices[role]}>
        <table>
          <thead>
            <tr>
              <th scope="col">{ecosystems.participant}</th>
              {credentials.map(({ id, name, profile }) => (
                <th key={id} scope="col">
                  <bdi class="cut">{name}</bdi> <small>{profile}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {participants.map((participant) => (
              <tr key={participant.id}>
                <th scope="row">
                  <Link href={pathOf('ecosystems', participant.ecosystemId, 'participants', participant.id)}>
                    <bdi class="cut">{participant.name}</bdi>
                  </Link>
                </th>
                {credentials.map((credential) => (
                  <td key={credential.id}>{cell(participant, credential)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {asked && (
        <Asked
          question={asked.isAllowed ? ecosystems.takeAsk : ecosystems.allowAsk}
          action={asked.isAllowed ? ecosystems.take : ecosystems.allow}
          isDangerous={asked.isAllowed}
          onClose={() => setAsked(undefined)}
          run={async () => {
            await change(role, asked.participant, asked.credential.id, asked.isAllowed)
            onChange()
          }}
        >
          <p class="wrap">
            {asked.participant.name} · {asked.credential.name} · {ecosystems.roles[role]}
          </p>
          {asked.isAllowed && (
            <Broken
              id={asked.participant.ecosystemId}
              change={{
                change: 'takeCredential',
                participantId: asked.participant.id,
                credentialId: asked.credential.id,
                role,
              }}
            />
          )}
        </Asked>
      )}
    </>
  )
}
