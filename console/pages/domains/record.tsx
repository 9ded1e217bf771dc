import type { Schemas } from '../../../client/index.ts'
import { Copy } from '../../frame/parts.tsx'
import { type Column, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

interface Record {
  name: string
  value: string
  hint: string
}

const Copied = ({ text }: { text: string }) => (
  <>
    <code>{text}</code> <Copy text={text} />
  </>
)

/** The record that shows the platform whose domain it is, at one of two names. */
export function DnsRecord({ domain: { domain, verificationToken: value } }: { domain: Schemas['DomainOut'] }) {
  const { domains } = useTexts()
  const rows: Record[] = [
    { name: domain, value, hint: domains.atDomain },
    { name: `_countersign.${domain}`, value, hint: domains.below },
  ]
  const columns: Column<Record>[] = [
    [domains.recordName, ({ name }) => <Copied text={name} />],
    [domains.recordType, () => 'TXT'],
    [domains.recordValue, (record) => <Copied text={record.value} />],
    [domains.recordWhen, ({ hint }) => hint],
  ]
  return (
    <>
      <p>{domains.recordHint}</p>
      <Table label={domains.record} columns={columns} rows={rows} keyOf={({ name }) => name} />
    </>
  )
}
