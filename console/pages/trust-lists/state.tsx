import type { Schemas } from '../../../client/index.ts'
import { State } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'

type TrustList = Schemas['TrustListSummaryOut']

const LOOKS: Record<TrustList['state'], string> = { current: 'active', failing: 'other', stale: 'FAILED' }

/** Whether its entries count, and could be read again. */
export function ListState({ list: { state } }: { list: TrustList }) {
  const { 'trust-lists': texts } = useTexts()
  return <State name={LOOKS[state]}>{texts.states[state]}</State>
}

/** What the list decides: formats of credentials, and what wallet providers attest. */
export function useDecides() {
  const { 'trust-lists': texts, templates, users } = useTexts()
  return ({ formats, attests, enforced }: TrustList): string =>
    enforced
      ? [
          ...formats.map((format) => templates.formats[format]),
          ...attests.map((each) => `${texts.wallets}: ${users.attested[each]}`),
        ].join('; ')
      : texts.nothing
}
