import type { ComponentChildren } from 'preact'
import type { Schemas } from '../../../../client/index.ts'
import { useLoad } from '../../../frame/load.ts'
import { Code, Copy, Curl, Facts, Shown, State, Time } from '../../../frame/parts.tsx'
import { api } from '../../../frame/session.ts'
import { type Column, Table } from '../../../frame/table.tsx'
import { useTexts } from '../../../texts/index.ts'
import type { Format } from '../formats.ts'
import { Claims } from './claims.tsx'
import { type Cwt, type Element, type Entry, type Mdoc, readCwt, readMdoc } from './credentials.ts'
import { type Disclosed, readSdJwt, type SdJwt } from './sd-jwt.ts'

/** What a function makes of bytes of whatever origin, or why it makes nothing. */
function attempt<Result>(work: () => Result): { result: Result } | { fault: string } {
  try {
    return { result: work() }
  } catch (error) {
    return { fault: String(error) }
  }
}

interface AttemptedProps<Result> {
  work: () => Result
  children: (result: Result) => ComponentChildren
}

function Attempted<Result>({ work, children }: AttemptedProps<Result>) {
  const { decoded } = useTexts()
  const outcome = attempt(work)
  if ('result' in outcome) return <>{children(outcome.result)}</>
  return (
    <div class="failure">
      <strong>{decoded.unreadable}</strong>
      <p>{outcome.fault}</p>
    </div>
  )
}

/** A time as RFC 3339 has it; other text stays what it is. */
const timeOf = (text: string) => (Number.isNaN(Date.parse(text)) ? text : <Time at={new Date(text).toISOString()} />)

const base64Of = (pem: string): string => pem.replaceAll(/-----[^-]+-----|\s/g, '')

function Signer({ id, certificate }: { id: string; certificate?: string | undefined }) {
  const { decoded, frame } = useTexts()
  const loaded = useLoad(id, () =>
    api.get('/v1/credentials/mobile/document-signers/{id}', { params: { path: { id } } }),
  )
  const facts = (signer: Schemas['DocumentSignerOut']): Parameters<typeof Facts>[0]['facts'] => {
    const { certificateData: data, certificatePem: pem, certificateFingerprint: print } = signer
    return [
      [decoded.signer, <code>{signer.id}</code>],
      [decoded.commonName, data?.commonName && <bdi>{data.commonName}</bdi>],
      [decoded.country, data?.country],
      [decoded.notBefore, data && <Time at={data.notBefore} />],
      [decoded.notAfter, data && <Time at={data.notAfter} />],
      [decoded.fingerprint, print && <code>{print}</code>],
      [
        decoded.same,
        pem && certificate && (
          <State name={base64Of(pem) === certificate ? 'active' : 'revoked'}>
            {base64Of(pem) === certificate ? frame.yes : frame.no}
          </State>
        ),
      ],
      [decoded.revoked, signer.revoked ? frame.yes : frame.no],
    ]
  }
  return (
    <>
      <h3>{decoded.certificate}</h3>
      <Shown loaded={loaded}>{(signer) => <Facts facts={facts(signer)} />}</Shown>
      {certificate && (
        <details>
          <summary>{decoded.inCredential}</summary>
          <Copy text={certificate} />
          <Code text={certificate} label={decoded.inCredential} />
        </details>
      )}
      <Curl path={`/v1/credentials/mobile/document-signers/${id}`} />
    </>
  )
}

function MdocView({ mdoc, signerId }: { mdoc: Mdoc; signerId: string }) {
  const { decoded, frame } = useTexts()
  const columns: Column<Element>[] = [
    [decoded.element, ({ name }) => <code>{name}</code>],
    [decoded.value, ({ value }) => <bdi>{value}</bdi>],
    [decoded.digestId, ({ digestId }) => digestId],
  ]
  const spaces = [...new Set(mdoc.elements.map(({ namespace }) => namespace))]
  return (
    <>
      <Facts
        facts={[
          [decoded.docType, <code>{mdoc.docType}</code>],
          [decoded.version, mdoc.version],
          [decoded.signed, timeOf(mdoc.signed)],
          [decoded.validFrom, timeOf(mdoc.validFrom)],
          [decoded.validUntil, timeOf(mdoc.validUntil)],
          [decoded.digestAlgorithm, mdoc.digestAlgorithm],
          [decoded.signatureAlgorithm, mdoc.signatureAlgorithm],
          [decoded.deviceKey, mdoc.hasDeviceKey ? frame.yes : frame.no],
        ]}
      />
      {spaces.map((namespace) => (
        <section key={namespace}>
          <h3>
            <code>{namespace}</code>
          </h3>
          <Table
            label={namespace}
            columns={columns}
            rows={mdoc.elements.filter((each) => each.namespace === namespace)}
            keyOf={(_element, at) => at}
          />
        </section>
      ))}
      <Signer id={signerId} certificate={mdoc.certificate} />
    </>
  )
}

/** A value as text; a number that is a time is one too. */
function Value({ value, at }: Pick<Entry, 'value' | 'at'>) {
  return (
    <>
      <bdi>{value}</bdi> {at && <Time at={at} />}
    </>
  )
}

function CwtView({ cwt: { header, claims } }: { cwt: Cwt }) {
  const { decoded } = useTexts()
  const columns: Column<Entry>[] = [
    [decoded.name, ({ name, label }) => <code>{name || label}</code>],
    [decoded.value, Value],
    [decoded.label, ({ label, name }) => name && label],
  ]
  return (
    <>
      <h3>{decoded.header}</h3>
      <Table label={decoded.header} columns={columns} rows={header} keyOf={({ label }) => label} />
      <h3>{decoded.claims}</h3>
      <Table label={decoded.claims} columns={columns} rows={claims} keyOf={({ label }) => label} />
    </>
  )
}

function SdJwtView({ sdJwt: { header, claims, disclosures, decoys } }: { sdJwt: SdJwt }) {
  const { decoded } = useTexts()
  const columns: Column<Disclosed>[] = [
    [decoded.name, ({ name }) => (name === undefined ? decoded.anElement : <code>{name}</code>)],
    [decoded.value, Value],
  ]
  return (
    <>
      {(
        [
          [decoded.header, header],
          [decoded.disclosed, claims],
          [decoded.disclosures, disclosures],
        ] as const
      ).map(([heading, rows]) => (
        <section key={heading}>
          <h3>{heading}</h3>
          <Table label={heading} columns={columns} rows={rows} keyOf={(_row, at) => at} />
        </section>
      ))}
      <Facts facts={[[decoded.decoys, decoys]]} />
    </>
  )
}

interface DecodedProps {
  format: Format
  /** As the platform answered it. */
  encoded: string
  signerId: string
  /** Of a credential of JSON. */
  subject: unknown
}

/** The bytes or the text of a credential as people read them; of one of JSON what it says of its subject. */
export function Decoded({ format, encoded, signerId, subject }: DecodedProps) {
  const { decoded } = useTexts()
  if (format === 'web-semantic')
    return (
      <>
        <h2>{decoded.claims}</h2>
        <Claims subject={subject} />
      </>
    )
  return (
    <>
      <h2>{decoded.heading}</h2>
      {format === 'mobile' ? (
        <Attempted work={() => readMdoc(encoded)}>{(mdoc) => <MdocView mdoc={mdoc} signerId={signerId} />}</Attempted>
      ) : format === 'sd-jwt-vc' ? (
        <Attempted work={() => readSdJwt(encoded)}>{(sdJwt) => <SdJwtView sdJwt={sdJwt} />}</Attempted>
      ) : (
        <Attempted work={() => readCwt(encoded)}>{(cwt) => <CwtView cwt={cwt} />}</Attempted>
      )}
    </>
  )
}
