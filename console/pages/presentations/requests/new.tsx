import { useState } from 'preact/hooks'
import type { Schemas } from '../../../../client/index.ts'
import { CheckEntry, Form, TextEntry, textOf } from '../../../frame/form.tsx'
import { useAttempt } from '../../../frame/forms/attempt.ts'
import { useJson } from '../../../frame/forms/json.ts'
import { Copy, Curl, Heading } from '../../../frame/parts.tsx'
import { QrCode } from '../../../frame/qr.tsx'
import { Link, pathOf } from '../../../frame/router.tsx'
import { api } from '../../../frame/session.ts'
import { useTexts } from '../../../texts/index.ts'
import { REQUESTS } from './list.tsx'
import { Standing4Vp } from './request.tsx'

type RequestIn = Schemas['OpenId4VpRequestIn']

/** As in docs/presentations-openid.md. */
const QUERY = {
  credentials: [
    {
      id: 'identity',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://credentials.university.example/identity'] },
      claims: [{ path: ['given_name'] }],
    },
  ],
}

/** A request as a wallet gets it, and what becomes of it. */
function Open({ made: { id, uri } }: { made: Schemas['OpenId4VpCreatedOut'] }) {
  const { presentations, requests } = useTexts()
  return (
    <>
      {uri && <QrCode text={uri} label={presentations.qr} />}
      {uri && <Copy text={uri} />}
      <p>
        <Link href={pathOf('presentations', 'requests', id)}>{requests.open}</Link>
      </p>
      <Standing4Vp id={id} />
    </>
  )
}

/** Asks a wallet on another device by a QR code, and shows what it presents. */
export function NewRequestPage() {
  const { presentations, requests } = useTexts()
  const jsonOf = useJson()
  const attempt = useAttempt()
  const [made, setMade] = useState<Schemas['OpenId4VpCreatedOut']>()
  const ask = async (form: FormData) => {
    const clientName = textOf(form, 'clientName')
    const body: RequestIn = {
      verifierDid: textOf(form, 'verifierDid') ?? '',
      dcqlQuery: jsonOf(form, 'dcqlQuery', presentations.noJson) as NonNullable<RequestIn['dcqlQuery']>,
      ...(clientName && { clientName }),
      ...(form.has('requestUriMethod') && { requestUriMethod: 'post' as const }),
    }
    setMade(undefined)
    setMade(await attempt(body, (headers) => api.post(REQUESTS, { body, headers })))
  }
  return (
    <>
      <Heading title={requests.make}>{requests.make}</Heading>
      <Form submit={presentations.ask} onSubmit={ask}>
        <TextEntry label={presentations.did} name="verifierDid" hint={presentations.verifierDidHint} required />
        <TextEntry label={presentations.name} name="clientName" hint={requests.nameHint} />
        <TextEntry
          label={presentations.query}
          name="dcqlQuery"
          value={JSON.stringify(QUERY, null, 2)}
          hint={requests.queryHint}
          lines={12}
          required
        />
        <CheckEntry label={presentations.posted} name="requestUriMethod" />
      </Form>
      <Curl method="POST" path={REQUESTS} body={{ verifierDid: 'did:key:…', dcqlQuery: QUERY }} />
      {made && <Open key={made.id} made={made} />}
    </>
  )
}
