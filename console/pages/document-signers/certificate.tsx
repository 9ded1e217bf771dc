import type { ComponentChildren } from 'preact'
import type { Schemas } from '../../../client/index.ts'
import { daysUntil } from '../../frame/moments.ts'
import { State, Time } from '../../frame/parts.tsx'
import { useSay, useTexts } from '../../texts/index.ts'

type Usability = Schemas['UsabilityOut']

const TONES: Record<Usability, string> = {
  usable: 'enabled',
  inactive: 'other',
  iaca_inactive: 'other',
  no_certificate: 'other',
  not_yet_valid: 'other',
  expired: 'FAILED',
  revoked: 'FAILED',
}

/** What keeps it from signing, in words. */
export function Usable({ usability }: { usability: Usability }) {
  const { 'document-signers': texts } = useTexts()
  return <State name={TONES[usability]}>{texts.usabilities[usability]}</State>
}

/** How long a certificate is valid yet. */
export function DaysLeft({ notAfter }: { notAfter: string }) {
  const { 'document-signers': texts } = useTexts()
  const say = useSay()
  const days = daysUntil(notAfter)
  return <>{days < 0 ? texts.over : say(texts.days, { days })}</>
}

type Fact = [name: string, value: ComponentChildren | undefined]

/** The facts of a certificate. */
export function useCertificateFacts(): (
  data: Schemas['CertificateDataOut'] | undefined,
  fingerprint: string | undefined,
) => Fact[] {
  const { 'document-signers': texts } = useTexts()
  return (data, fingerprint) => [
    [texts.commonName, data?.commonName && <bdi>{data.commonName}</bdi>],
    [texts.country, data?.country],
    [texts.state, data?.stateOrProvinceName],
    [texts.notBefore, data && <Time at={data.notBefore} />],
    [
      texts.notAfter,
      data && (
        <>
          <Time at={data.notAfter} /> (<DaysLeft notAfter={data.notAfter} />)
        </>
      ),
    ],
    [texts.fingerprint, fingerprint && <code>{fingerprint}</code>],
  ]
}
