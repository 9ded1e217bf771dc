import { defineSearchAttributeKey } from '@temporalio/common'
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'

const SUMMARY = defineSearchAttributeKey('Summary', 'KEYWORD')

/**
 * Shows operators the progress of a workflow, in one line without personal data: as its details, and as its `Summary`,
 * which the Temporal UI shows without the codec too. An unchanged line costs nothing. `details`: what the codec alone
 * shows, in place of the line. `mark`: the line is the same as long as its mark is, where it changes too often.
 */
export function createProgressLine(): (line: string, details?: string, mark?: string) => void {
  let lastMark = ''
  return (line, details = line, mark = line) => {
    if (mark === lastMark) return
    lastMark = mark
    setCurrentDetails(details)
    upsertSearchAttributes([{ key: SUMMARY, value: line }])
  }
}
