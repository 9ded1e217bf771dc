import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Asked } from '../../frame/dialogs/asked.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Broken } from './broken.tsx'
import { ParticipantForm } from './participant.form.tsx'

interface ParticipantProps {
  id: string
  participantId: string
  standing: Standing
}

function About({ participant: { identifiers, ...is } }: { participant: Schemas['ParticipantOut'] }) {
  const { ecosystems, frame } = useTexts()
  const said = (value: boolean) => (value ? frame.yes : frame.no)
  return (
    <Facts
      facts={[
        [ecosystems.webSemantic, identifiers.webSemantic ?? undefined],
        [ecosystems.compact, identifiers.compact ?? undefined],
        [ecosystems.compactSemantic, identifiers.compactSemantic ?? undefined],
        [ecosystems.mobile, identifiers.mobile.length || undefined],
        [ecosystems.sdJwtVc, identifiers.sdJwtVc ?? undefined],
        [ecosystems.isIssuer, said(is.isIssuer)],
        [ecosystems.isIssuerConstrained, said(is.isIssuerConstrained)],
        [ecosystems.isVerifier, said(is.isVerified)],
        [ecosystems.isVerifierConstrained, said(is.isVerifierConstrained)],
      ]}
    />
  )
}

/** One participant: its identifiers and roles, and what its removal would break. */
export function ParticipantPage({ id, participantId, standing }: ParticipantProps) {
  const { ecosystems } = useTexts()
  const [isAsked, setAsked] = useState(false)
  const path = { ecosystemId: id, participantId }
  const loaded = useLoad(participantId, async () => {
    const { data } = await api.get('/v1/ecosystems/{ecosystemId}/participants/{participantId}', { params: { path } })
    return data[0]
  })
  const title = loaded.data?.name ?? ecosystems.participant
  const save = async (body: Schemas['ParticipantIn']) => {
    await api.put('/v1/ecosystems/{ecosystemId}/participants/{participantId}', { params: { path }, body })
    loaded.reload()
  }
  return (
    <>
      <p>
        <Link href={pathOf('ecosystems', id)}>{ecosystems.back}</Link>
      </p>
      <Heading title={title}>
        <bdi class="wrap">{title}</bdi>
      </Heading>
      <Shown loaded={loaded}>
        {(participant) =>
          participant && (
            <>
              <About participant={participant} />
              <Curl path={`/v1/ecosystems/${id}/participants/${participantId}`} />
              {standing.scopes.has('platform:write') && (
                <>
                  <h2>{ecosystems.edit}</h2>
                  <ParticipantForm submit={ecosystems.save} value={participant} onSubmit={save} />
                  <div class="actions">
                    <button type="button" class="danger" onClick={() => setAsked(true)}>
                      {ecosystems.removeParticipant}
                    </button>
                  </div>
                </>
              )}
            </>
          )
        }
      </Shown>
      {isAsked && (
        <Asked
          question={ecosystems.removeParticipantAsk}
          action={ecosystems.removeParticipant}
          isDangerous
          onClose={() => setAsked(false)}
          run={async () => {
            await api.delete('/v1/ecosystems/{ecosystemId}/participants/{participantId}', { params: { path } })
            go(pathOf('ecosystems', id))
          }}
        >
          <Broken id={id} change={{ change: 'removeParticipant', participantId }} />
        </Asked>
      )}
    </>
  )
}
