import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Usable, useCertificateFacts } from './certificate.tsx'
import { SignerActions } from './signer-actions.tsx'

function About({ signer }: { signer: Schemas['DocumentSignerOut'] }) {
  const { 'document-signers': texts, frame, credentials } = useTexts()
  const facts = useCertificateFacts()
  const { id, iacaId, usability, renew, renewedById, revocationDate, certificateData, certificateFingerprint } = signer
  return (
    <Facts
      facts={[
        [texts.usability, <Usable usability={usability} />],
        [texts.id, <code>{id}</code>],
        [texts.iaca, <Link href={pathOf('document-signers', 'iacas', iacaId)}>{iacaId}</Link>],
        ...facts(certificateData, certificateFingerprint),
        [texts.renew, renew ? frame.yes : frame.no],
        [texts.renewedBy, renewedById && <Link href={pathOf('document-signers', renewedById)}>{renewedById}</Link>],
        [texts.revokedAt, revocationDate && <Time at={revocationDate} />],
        [credentials.heading, <Link href={withQuery(pathOf('credentials'), { issuer: id })}>{frame.show}</Link>],
      ]}
    />
  )
}

/** A document signer with its certificate, and what may be done with it. */
export function SignerPage({ id, standing }: { id: string; standing: Standing }) {
  const { 'document-signers': texts } = useTexts()
  const path = { params: { path: { id } } }
  const loaded = useLoad(id, () => api.get('/v1/credentials/mobile/document-signers/{id}', path))
  const acts = useActs(loaded.reload)
  return (
    <>
      <Heading title={`${texts.signer} ${id}`}>{texts.signer}</Heading>
      <Shown loaded={loaded}>
        {(signer) => (
          <>
            <About signer={signer} />
            {standing.scopes.has('mobile-credentials:write') && <SignerActions signer={signer} done={acts.done} />}
            <Outcome acts={acts} />
            {signer.certificatePem && <Json value={signer.certificatePem} summary={texts.pem} />}
            {signer.csrPem && <Json value={signer.csrPem} summary={texts.csr} />}
            <Json value={signer.publicKey} summary={texts.publicKey} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/credentials/mobile/document-signers/${id}`} />
    </>
  )
}
