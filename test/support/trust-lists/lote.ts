import { randomUUID } from 'node:crypto'
import { CompactSign } from 'jose'
import { openWalletProvider } from '../openid/haip/attesting.ts'

export const PID_ISSUANCE = 'http://uri.etsi.org/19602/SvcType/PID/Issuance'
export const PID_REVOCATION = 'http://uri.etsi.org/19602/SvcType/PID/Revocation'

const HOUR_MS = 3_600_000

/** A time so many hours from now. */
export const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString()

const base64Of = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')

interface Service {
  name?: string
  type?: string
  status?: string
  since?: string
  certificates?: string[]
  ids?: string[]
}

const named = (value: string) => [
  { lang: 'de', value: 'Ein Name' },
  { lang: 'en', value },
]

/** A list of trusted entities as the annexes of TS 119 602 have it, which a test changes. */
export const loteOf = (services: Service[], scheme: object = {}) => ({
  LoTE: {
    ListAndSchemeInformation: {
      LoTEVersionIdentifier: 1,
      LoTESequenceNumber: 7,
      LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
      SchemeOperatorName: named('The commission'),
      SchemeName: named('EU:PID providers'),
      SchemeTerritory: 'EU',
      StatusDeterminationApproach: 'http://uri.etsi.org/19602/PIDProvidersList/StatusDetn/EU',
      ListIssueDateTime: inHours(-1),
      NextUpdate: inHours(24 * 7),
      ...scheme,
    },
    TrustedEntitiesList: services.map(
      ({ name = 'The ministry', type = PID_ISSUANCE, status, since, certificates = [], ids }) => ({
        TrustedEntityInformation: {
          TEName: named(name),
          TEInformationURI: [{ lang: 'en', uriValue: 'https://a.example' }],
        },
        TrustedEntityServices: [
          {
            ServiceInformation: {
              ServiceTypeIdentifier: type,
              ServiceName: named('Issuance'),
              ...(status !== undefined && { ServiceStatus: status }),
              ...(since !== undefined && { StatusStartingTime: since }),
              ServiceDigitalIdentity: {
                X509Certificates: certificates.map((pem) => ({ val: base64Of(pem) })),
                ...(ids && { OtherIds: ids }),
              },
            },
          },
        ],
      }),
    ),
  },
})

/** Who signs lists: a certificate of its own, and another one that signs them too. */
export async function openListOperator() {
  const { leaf, expired, privateKey } = await openWalletProvider()
  const sign = (list: object, header: object = {}) =>
    new CompactSign(Buffer.from(JSON.stringify(list)))
      .setProtectedHeader({ alg: 'ES256', typ: 'JOSE', x5c: [leaf.x5c], iat: Math.floor(Date.now() / 1000), ...header })
      .sign(privateKey, { crit: { sigT: true, unknown: true } })
  return { signer: leaf.pem, expiredSigner: expired.pem, sign }
}

/** A place of its own for a list. */
export const newPath = (): string => `/lists/${randomUUID()}.jwt`
