import { defineSearchAttributeKey } from '@temporalio/common'
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'

const SUMMARY = defineSearchAttributeKey('Summary', 'KEYWORD')

/**
 * Shows operators the progress of a workflow, in one line without personal data: as its details, and as its `Summary`,
 * which the Temporal UI shows without the codec too. An unchanged line costs nothing. `details`: what the codec alone
 * shows, in place of the line.
 */
export function createProgressLine(): (line: string, details?: string) => void {
  let lastLine = ''
  return (line, details = line) => {
    if (line === lastLine) return
    lastLine = line
    setCurrentDetails(details)
    upsertSearchAttributes([{ key: SUMMARY, value: line }])
  }
}
