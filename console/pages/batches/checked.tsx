import { type Column, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import type { Fault, Lines, RowFault } from './check.ts'
import type { Cells } from './csv.ts'

/** What keeps the file from being uploaded, each with what to do. */
export function Faults({ faults }: { faults: readonly Fault[] }) {
  const { batches } = useTexts()
  const say = useSay()
  if (faults.length === 0) return null
  const textOf = (fault: Fault) => {
    if (fault.kind === 'unknown')
      return fault.nearest
        ? say(batches.faults.unknownNear, { column: fault.column, nearest: fault.nearest })
        : say(batches.faults.unknown, { column: fault.column })
    return say(batches.faults[fault.kind], { column: '', claim: '', ...fault })
  }
  return (
    <div class="failure" role="alert">
      <strong>{batches.faultsHeading}</strong>
      <ul>
        {faults.slice(0, 50).map((fault) => (
          <li key={JSON.stringify(fault)}>{textOf(fault)}</li>
        ))}
      </ul>
    </div>
  )
}

function RowFaults({ faults }: { faults: readonly RowFault[] }) {
  const { batches } = useTexts()
  const say = useSay()
  if (faults.length === 0) return null
  return (
    <div class="empty" role="status">
      <strong>{batches.rowFaultsHeading}</strong>
      <ul>
        {faults.map(({ row, column, kind }) => (
          <li key={`${row} ${column} ${kind}`}>{say(batches.rowFaults[kind], { row, column })}</li>
        ))}
      </ul>
    </div>
  )
}

interface CheckedProps {
  cells?: Cells
  lines?: Lines
  rowFaults: readonly RowFault[]
}

/** The first rows as they are read, and which of them would be refused. */
export function Checked({ cells, lines, rowFaults }: CheckedProps) {
  const { batches } = useTexts()
  return (
    <>
      <h3>{batches.firstRows}</h3>
      {cells && (
        <Table
          label={batches.firstRows}
          columns={cells.header
            .slice(0, 200)
            .map((name, at): Column<string[]> => [name || `${at + 1}`, (row) => <bdi>{row[at] ?? ''}</bdi>])}
          rows={cells.rows}
          keyOf={(_, at) => at}
        />
      )}
      {lines && (
        <Table
          label={batches.firstRows}
          columns={[
            [batches.row, ({ row }) => row],
            [batches.line, ({ text }) => <bdi>{text.slice(0, 500)}</bdi>],
          ]}
          rows={lines.rows}
          keyOf={({ row }) => row}
        />
      )}
      <RowFaults faults={rowFaults} />
    </>
  )
}
