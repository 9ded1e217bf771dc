import { useMemo, useState } from 'preact/hooks'
import { Form, SelectEntry } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Failure } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { allTemplates, FORMAT_NAMES, type Format, isFormat } from '../templates/formats.ts'
import { headerFaults, readLines, rowFaults } from './check.ts'
import { Checked, Faults } from './checked.tsx'
import { DELIMITERS, type Delimiter, delimiterOf, readCells, readSample, type Sample } from './csv.ts'
import { Options, queryOf } from './options.tsx'
import { Source } from './source.tsx'

interface Read {
  file: File
  sample: Sample
}

function useChecks(
  { sample }: Read,
  template: Awaited<ReturnType<typeof allTemplates>>[number] | undefined,
  delimiter: string,
) {
  return useMemo(() => {
    if (sample.kind === 'jsonl') {
      const lines = readLines(sample.text, sample.isCut, template !== undefined)
      return { lines, faults: lines.rows.length > 0 ? [] : ([{ kind: 'empty' }] as const), rowFaults: lines.faults }
    }
    const cells = readCells(sample, delimiter)
    return { cells, faults: headerFaults(cells, template), rowFaults: rowFaults(cells, template) }
  }, [sample, template, delimiter])
}

/** What the rows become, what is wrong with them, and the upload. */
function Upload({ read, standing }: { read: Read; standing: Standing }) {
  const { batches, templates: words } = useTexts()
  const { file, sample } = read
  const isCsv = sample.kind === 'csv'
  const [format, setFormat] = useState<Format>('web-semantic')
  const [templateId, setTemplateId] = useState<string>()
  const [delimiter, setDelimiter] = useState<Delimiter>(() => delimiterOf(sample))
  const attempt = useAttempt()
  const loaded = useLoad(format, async () => (format === 'mobile' ? [] : allTemplates(format)))
  const known = loaded.isLoading ? [] : (loaded.data ?? [])
  const template = templateId === '' ? undefined : (known.find(({ id }) => id === templateId) ?? known[0])
  const { cells, lines, faults, rowFaults: found } = useChecks(read, template, delimiter)
  const lacksTemplate = isCsv && format !== 'web-semantic' && !template && !loaded.isLoading
  const upload = async (form: FormData) => {
    const fixed = { format, ...(template && { templateId: template.id }), ...(isCsv && { delimiter }) }
    const query = queryOf(form, fixed)
    const send = (key: Record<string, string>) =>
      api.post('/v1/credentials/batches', {
        params: { query },
        headers: {
          'content-type': isCsv ? 'text/csv' : 'application/x-ndjson',
          ...(sample.isGzip && { 'content-encoding': 'gzip' }),
          ...key,
        },
        body: '',
        bodySerializer: () => file,
      })
    go(pathOf('batches', (await attempt(query, send, file)).id))
  }
  return (
    <>
      <div class="form">
        <SelectEntry
          label={words.format}
          name="format"
          value={format}
          choices={FORMAT_NAMES.filter((name) => !isCsv || name !== 'mobile').map((name) => [
            name,
            words.formats[name],
          ])}
          onChange={(name) => {
            if (!isFormat(name)) return
            setFormat(name)
            setTemplateId(undefined) // what was chosen was of the other format
          }}
        />
        {format !== 'mobile' && (
          <SelectEntry
            key={`${format} ${loaded.isLoading}`}
            label={batches.template}
            name="templateId"
            value={template?.id ?? ''}
            hint={template ? batches.templateHint : batches.noTemplateHint}
            choices={[
              ...known.map(({ id, name }) => [id, name] as const),
              ...(isCsv && format !== 'web-semantic' ? [] : [['', batches.noTemplate] as const]),
            ]}
            onChange={setTemplateId}
          />
        )}
        {isCsv && (
          <SelectEntry
            label={batches.delimiter}
            name="delimiter"
            value={delimiter}
            choices={DELIMITERS.map((each) => [each, each === '\t' ? batches.tabulator : each])}
            onChange={(name) => setDelimiter(DELIMITERS.find((each) => each === name) ?? ',')}
          />
        )}
      </div>
      <Failure error={loaded.error} />
      {lacksTemplate && (
        <p>
          {batches.needsTemplate} <Link href={pathOf('templates', format, 'new')}>{words.create}</Link>
        </p>
      )}
      <div aria-busy={loaded.isLoading}>
        {!loaded.isLoading && (
          <>
            <Faults faults={faults} />
            <Checked {...(cells && { cells })} {...(lines && { lines })} rowFaults={found} />
          </>
        )}
      </div>
      {faults.length === 0 && !lacksTemplate && !loaded.isLoading && (
        <Form key={`${format} ${template?.id}`} submit={batches.start} onSubmit={upload}>
          <h3>{batches.parameters}</h3>
          <Options format={format} hasTemplate={template !== undefined} isCsv={isCsv} standing={standing} />
        </Form>
      )}
    </>
  )
}

/** A new batch from a file. */
export function CreateBatch({ standing }: { standing: Standing }) {
  const { batches } = useTexts()
  const [read, setRead] = useState<Read>()
  const [notText, setNotText] = useState(false)
  const { run, error } = useDoing()
  const take = (file: File) =>
    void run(async () => {
      setNotText(false)
      setRead(undefined)
      try {
        setRead({ file, sample: await readSample(file) })
      } catch (cause) {
        if (!(cause instanceof TypeError)) throw cause
        setNotText(true)
      }
    })
  return (
    <section aria-label={batches.create}>
      <h2>{batches.create}</h2>
      <Source file={read?.file} onFile={take} />
      {notText && (
        <div class="failure" role="alert">
          <strong>{batches.notText}</strong>
        </div>
      )}
      <Failure error={error} />
      {read && (
        <Upload key={`${read.file.name} ${read.file.size} ${read.file.lastModified}`} read={read} standing={standing} />
      )}
    </section>
  )
}
