import { openXmlOperator, type Scheme, signOtherwise, tslOf } from './tsl.ts'

export const LOTL_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists'

/** To one of the lists. */
export interface Pointer {
  location: string
  /** Of its signers, in PEM. */
  certificates?: string[]
  /** Further identities of its signers, as XML. */
  identities?: string
}

const base64Of = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')

const identityOf = (content: string) =>
  `<ServiceDigitalIdentity><DigitalId>${content}</DigitalId></ServiceDigitalIdentity>`

const pointerOf = ({ location, certificates = [], identities = '' }: Pointer) => `<OtherTSLPointer>
  <ServiceDigitalIdentities>${certificates.map((pem) => identityOf(`<X509Certificate>${base64Of(pem)}</X509Certificate>`)).join('')}${identities}</ServiceDigitalIdentities>
  <TSLLocation>${location}</TSLLocation>
  <AdditionalInformation>
    <OtherInformation><SchemeTerritory>AT</SchemeTerritory></OtherInformation>
    <OtherInformation><ns3:MimeType xmlns:ns3="http://uri.etsi.org/02231/v2/additionaltypes#">application/vnd.etsi.tsl+xml</ns3:MimeType></OtherInformation>
  </AdditionalInformation>
</OtherTSLPointer>`

/** A list of the lists as the commission publishes it (ETSI TS 119 612, section 5.3.13), which a test changes. */
export const lotlOf = (pointers: Pointer[], { type = LOTL_TYPE, ...scheme }: Scheme & { type?: string } = {}): string =>
  tslOf([], { sequence: '300', ...scheme })
    .replace(/<TSLType>[^<]*</, `<TSLType>${type}<`)
    .replace('<SchemeTerritory>AT<', '<SchemeTerritory>EU<')
    .replace('<ListIssueDateTime>', `<PointersToOtherTSL>${pointers.map(pointerOf).join('\n')}</PointersToOtherTSL>$&`)
    .replace(/<TrustServiceProviderList>\s*<\/TrustServiceProviderList>/, '')

/** Who signs lists in XML, at once: by the library that the platform has, too. */
export async function openSigner() {
  const operator = await openXmlOperator('rsa')
  return { ...operator, signNow: (xml: string): string => signOtherwise(operator.key, xml, {}) }
}

export type Signer = Awaited<ReturnType<typeof openSigner>>
