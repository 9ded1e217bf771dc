import type { SqlEntityManager } from '@mikro-orm/postgresql'

const POSITIONS = /\$(\d)/g

/** Runs a statement whose parameters are `$1` to `$9`, each as often as it stands there, in the transaction of `em`. */
export function run<Row extends object>(em: SqlEntityManager, text: string, ...values: unknown[]): Promise<Row[]> {
  const given = [...text.matchAll(POSITIONS)].map((found) => values[Number(found[1]) - 1])
  return em.execute<Row[]>(text.replace(POSITIONS, '?'), given)
}
