import 'reflect-metadata'
import { randomUUID, webcrypto } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { X509CertificateGenerator } from '@peculiar/x509'
import { SignedXml } from 'xml-crypto'
import { pythonWith } from '../parts/python.ts'
import { inHours } from './lote.ts'

export const QEAA = 'http://uri.etsi.org/TrstSvc/Svctype/EAA/Q'
export const TIMESTAMPS = 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST'
export const TSL = 'http://uri.etsi.org/02231/v2#'
export const svcStatus = (name: string) => `http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/${name}`

export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'

const DAY_MS = 24 * 60 * 60 * 1000

interface Service {
  type?: string
  status?: string | null
  since?: string
  certificates?: string[]
  /** Further identities, as XML. */
  identities?: string
  /** In the information of the service, as XML. */
  extensions?: string
  /** After the information of the service, as XML. */
  more?: string
}

interface Provider {
  name?: string
  services: Service[]
}

export interface Scheme {
  root?: string
  namespace?: string
  version?: string
  sequence?: string
  issued?: string
  next?: string
  /** In the scheme's information, as XML. */
  more?: string
}

const base64Of = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')

const informationOf = ({
  type = QEAA,
  status = svcStatus('granted'),
  since = inHours(-1),
  certificates = [],
  identities = '',
  extensions = '',
}: Service) => `<ServiceInformation>
  <ServiceTypeIdentifier>${type}</ServiceTypeIdentifier>
  <ServiceName><Name xml:lang="en">Attestations</Name></ServiceName>
  <ServiceDigitalIdentity>${certificates.map((pem) => `<DigitalId><X509Certificate>${base64Of(pem)}</X509Certificate></DigitalId>`).join('')}${identities}</ServiceDigitalIdentity>
  ${status === null ? '' : `<ServiceStatus>${status}</ServiceStatus>`}
  <StatusStartingTime>${since}</StatusStartingTime>${extensions}
</ServiceInformation>`

/** The same information as what a service was before. */
export const historyOf = (service: Service): string =>
  `<ServiceHistory>${informationOf(service).replaceAll('ServiceInformation', 'ServiceHistoryInstance')}</ServiceHistory>`

/** A trusted list as member states publish it (ETSI TS 119 612), which a test changes. */
export function tslOf(providers: Provider[], scheme: Scheme = {}): string {
  const { root = 'TrustServiceStatusList', namespace = TSL, version = '6', sequence = '41', more = '' } = scheme
  const { issued = inHours(-1), next = `<dateTime>${inHours(24 * 7)}</dateTime>` } = scheme
  const services = (list: Service[]) =>
    list.map((service) => `<TSPService>${informationOf(service)}${service.more ?? ''}</TSPService>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="${namespace}" Id="list" TSLTag="http://uri.etsi.org/19612/TSLTag">
  <SchemeInformation>
    <TSLVersionIdentifier>${version}</TSLVersionIdentifier>
    <TSLSequenceNumber>${sequence}</TSLSequenceNumber>
    <TSLType>http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric</TSLType>
    <SchemeTerritory>AT</SchemeTerritory>
    <ListIssueDateTime>${issued}</ListIssueDateTime>
    <NextUpdate>${next}</NextUpdate>${more}
  </SchemeInformation>
  <TrustServiceProviderList>
    ${providers
      .map(
        ({ name = 'The registry', services: of }) => `<TrustServiceProvider>
      <TSPInformation><TSPName><Name xml:lang="de">Ein Register</Name><Name xml:lang="en">${name}</Name></TSPName></TSPInformation>
      <TSPServices>${services(of)}</TSPServices>
    </TrustServiceProvider>`,
      )
      .join('\n')}
  </TrustServiceProviderList>
</${root}>`
}

const python = pythonWith('signxml==5.2.0')

/**
 * XAdES by another implementation: SignXML, over lxml and its canonical form. It digests parts of the signature in exclusive
 * canonical form without naming that as a transform, so that no verifier, its own included, takes them: it is added here.
 */
const PROGRAM = `
import json, sys
from lxml import etree
from signxml import CanonicalizationMethod, DigestAlgorithm, SignatureMethod
from signxml.xades import XAdESSigner
DS = "{http://www.w3.org/2000/09/xmldsig#}"
class Signer(XAdESSigner):
    def _add_reference_to_signed_info(self, sig_root, node, **attrs):
        super()._add_reference_to_signed_info(sig_root, node, **attrs)
        transforms = etree.Element(DS + "Transforms")
        etree.SubElement(transforms, DS + "Transform", Algorithm=self.c14n_alg.value)
        sig_root.find(DS + "SignedInfo")[-1].insert(0, transforms)
signed = []
for list in json.load(open(sys.argv[1])):
    signer = Signer(signature_algorithm=SignatureMethod[list["algorithm"]], digest_algorithm=DigestAlgorithm[list["digest"]],
        c14n_algorithm=CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0)
    root = signer.sign(etree.fromstring(list["xml"].encode()), key=list["key"].encode(), cert=list["cert"], always_add_key_value=False)
    signed.append(etree.tostring(root, encoding="unicode"))
print(json.dumps(signed))
`

const KINDS = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 },
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const

export interface Signing {
  algorithm?: string
  digest?: string
}

/** Who signs lists in XML, with a certificate of its own. */
export async function openXmlOperator(kind: keyof typeof KINDS = 'ec') {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(KINDS[kind], true, ['sign', 'verify'])
  const certificate = async (days: number): Promise<string> => {
    const name = 'C=AT, CN=Scheme operator'
    const made = await X509CertificateGenerator.create({
      ...{ serialNumber: '01', subject: name, issuer: name, publicKey, signingKey: privateKey },
      ...{ notBefore: new Date(Date.now() - 60 * DAY_MS), notAfter: new Date(Date.now() + days * DAY_MS) },
      signingAlgorithm: KINDS[kind],
    })
    return made.toString('pem')
  }
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
  const signer = await certificate(30)
  const algorithm = kind === 'ec' ? 'ECDSA_SHA256' : 'RSA_SHA256'

  /** Several at once: a start of Python takes longer than a signature. */
  async function signAll(lists: (Signing & { xml: string })[]): Promise<string[]> {
    const file = join(tmpdir(), `lists-${randomUUID()}.json`)
    await writeFile(
      file,
      JSON.stringify(lists.map((list) => ({ algorithm, digest: 'SHA256', ...list, key, cert: signer }))),
    )
    try {
      return JSON.parse(await python(PROGRAM, file)) as string[]
    } finally {
      await rm(file)
    }
  }

  return {
    ...{ signer, key, signAll },
    expiredSigner: await certificate(-1),
    sign: async (xml: string, more: Signing = {}): Promise<string> => (await signAll([{ xml, ...more }]))[0] ?? '',
  }
}

export interface OtherSigning {
  /** Elements that are signed, with their transforms. */
  references?: { xpath: string; transforms: string[]; digest?: string }[]
  algorithm?: string
  canonical?: string
}

/** Signed by its key in a way that no list is signed in. */
export function signOtherwise(
  privateKey: string,
  xml: string,
  { references, algorithm = RSA_SHA256, canonical = EXCLUSIVE }: OtherSigning,
): string {
  const signer = new SignedXml({
    ...{ privateKey, signatureAlgorithm: algorithm, canonicalizationAlgorithm: canonical },
  })
  for (const { digest = SHA256, ...reference } of references ?? [{ xpath: '/*', transforms: [ENVELOPED, EXCLUSIVE] }])
    signer.addReference({ ...reference, digestAlgorithm: digest })
  signer.computeSignature(xml, { prefix: 'ds' })
  return signer.getSignedXml()
}
