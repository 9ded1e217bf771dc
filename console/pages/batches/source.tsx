import { useEffect, useId, useRef } from 'preact/hooks'
import { chooseAgain } from '../../frame/form.tsx'
import { useLocale, useTexts } from '../../texts/index.ts'

const MB = 1_000_000

interface SourceProps {
  file: File | undefined
  onFile: (file: File) => void
}

/** A file, chosen or dropped anywhere on the page. */
export function Source({ file, onFile }: SourceProps) {
  const { batches } = useTexts()
  const locale = useLocale()
  const [input, hint] = [useId(), useId()]
  const latest = useRef(onFile)
  latest.current = onFile
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault()
    const drop = (event: DragEvent) => {
      // otherwise the browser leaves the page to show the file
      event.preventDefault()
      const [dropped] = event.dataTransfer?.files ?? []
      if (dropped) latest.current(dropped)
    }
    document.addEventListener('dragover', over)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('drop', drop)
    }
  }, [])
  const unit = file && file.size >= MB ? 'megabyte' : 'kilobyte'
  const size = ((file?.size ?? 0) / (unit === 'megabyte' ? MB : 1_000)).toLocaleString(locale, {
    ...{ style: 'unit', unit, maximumFractionDigits: 1 },
  })
  return (
    <div class="drop">
      <label for={input}>{batches.file}</label>
      <input
        id={input}
        type="file"
        accept=".csv,.jsonl,.ndjson,.gz,text/csv,application/x-ndjson,application/jsonl,application/gzip"
        aria-describedby={hint}
        onClick={chooseAgain}
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? []
          if (chosen) onFile(chosen)
        }}
      />
      <p class="quiet" id={hint}>
        {batches.fileHint}
      </p>
      {file && (
        <p role="status">
          {batches.chosen} <strong class="wrap">{file.name}</strong> ({size})
        </p>
      )}
    </div>
  )
}
