import { disjoint } from '../../protocol/disjoint.ts'
import { DOCUMENTS } from './openapi/areas.ts'
import type { ProblemTable, ProblemText } from './openapi/document.ts'
import { FRAME_PROBLEMS } from './problems.table.ts'

interface Problem extends ProblemText {
  code: string
  status: number
}

const problemsIn = (table: ProblemTable): Record<string, Problem>[] =>
  Object.entries(table).map(([status, codes]) =>
    Object.fromEntries(Object.entries(codes).map(([code, text]) => [code, { code, status: Number(status), ...text }])),
  )

/**
 * Every problem code with its status: the one table from codes to HTTP. A test looks up each code that the platform
 * constructs; a code with two meanings throws on load.
 */
const byCode: Record<string, Problem> = disjoint(
  ...[FRAME_PROBLEMS, ...DOCUMENTS.flatMap(({ problems }) => problems)].flatMap(problemsIn),
)

/** For the page of problems. */
export const PROBLEMS: Problem[] = Object.values(byCode).sort((a, b) => (a.code < b.code ? -1 : 1))

const find = (code: string): Problem | undefined => (Object.hasOwn(byCode, code) ? byCode[code] : undefined)

/** The HTTP status of a code. */
export const statusOf = (code: string): number => find(code)?.status ?? (code.endsWith('.not_found') ? 404 : 400)

export const meaningOf = (code: string): string => find(code)?.meaning ?? ''
