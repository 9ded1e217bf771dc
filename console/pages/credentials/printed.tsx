import { useEffect, useState } from 'preact/hooks'
import { SelectEntry } from '../../frame/form.tsx'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Curl, Failure, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** The address of bytes in memory; it ends with the component. */
function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}

const QR_CODES = {
  compact: '/v1/credentials/compact/qrcode',
  'compact-semantic': '/v1/credentials/compact-semantic/qrcode',
} as const

type Compact = keyof typeof QR_CODES

export const isCompact = (format: string): format is Compact => Object.hasOwn(QR_CODES, format)

interface PrintedProps {
  format: Compact
  encoded: string
  /** Something was made, which the timeline shows. */
  done: () => void
}

function Drawn({ format, encoded, done }: PrintedProps) {
  const { printed } = useTexts()
  const [image, setImage] = useState<Blob>()
  const url = useObjectUrl(image)
  const { run, error, isBusy } = useDoing()
  const draw = () =>
    void run(async () => {
      setImage(await api.post(QR_CODES[format], { body: { payload: encoded }, parseAs: 'blob' }))
      done()
    })
  return (
    <>
      <div class="actions">
        <button type="button" aria-disabled={isBusy} onClick={draw}>
          {printed.draw}
        </button>
        {url && (
          <a href={url} download="credential.png">
            {printed.save}
          </a>
        )}
      </div>
      {url && <img class="qr" src={url} alt={printed.qr} />}
      <Failure error={error} />
      <Curl method="POST" path={QR_CODES[format]} body={{ payload: encoded }} />
    </>
  )
}

const PDFS = '/v1/credentials/compact/pdf'
const MOST_TEMPLATES = 100

function Pdf({ encoded, done }: Pick<PrintedProps, 'encoded' | 'done'>) {
  const { printed } = useTexts()
  const [chosen, setChosen] = useState<string>()
  const [pdf, setPdf] = useState<Blob>()
  const url = useObjectUrl(pdf)
  const { run, error, isBusy } = useDoing()
  const loaded = useLoad('', () =>
    api.get('/v1/credentials/compact/pdf/templates', { params: { query: { limit: MOST_TEMPLATES } } }),
  )
  const make = (templateId: string) =>
    void run(async () => {
      setPdf(undefined)
      setPdf(await api.post(PDFS, { body: { templateId, payload: encoded }, parseAs: 'blob' }))
      done()
    })
  return (
    <Shown loaded={loaded}>
      {({ data }) => {
        const templateId = chosen ?? data[0]?.id
        if (templateId === undefined) return <p class="quiet">{printed.noTemplate}</p>
        return (
          <>
            <SelectEntry
              label={printed.template}
              name="templateId"
              value={templateId}
              choices={data.map(({ id, name }) => [id, name] as const)}
              onChange={setChosen}
            />
            <div class="actions">
              <button type="button" aria-disabled={isBusy} onClick={() => make(templateId)}>
                {printed.make}
              </button>
              {url && (
                <a href={url} download="credential.pdf">
                  {printed.download}
                </a>
              )}
            </div>
            <Failure error={error} />
            <Curl method="POST" path={PDFS} body={{ templateId, payload: encoded }} />
          </>
        )
      }}
    </Shown>
  )
}

/** A compact credential on paper: its QR code, and a PDF from one of the tenant's templates. */
export function Printed(props: PrintedProps) {
  const { printed } = useTexts()
  return (
    <>
      <h2>{printed.heading}</h2>
      <Drawn {...props} />
      <h3>{printed.pdf}</h3>
      <Pdf {...props} />
    </>
  )
}
