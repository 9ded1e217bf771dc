import { buildAll } from './build.ts'
import { asCommand } from './command.ts'
import { MODULES } from './mutants/modules.ts'
import { mutantLine, scoreLine, scoreOf } from './mutants/report.ts'
import { plantMutants } from './mutants/run.ts'

/** A module whose tests find fewer of its mutants fails the run. */
const LEAST_PERCENT = 80

await asCommand(async () => {
  const asked = process.argv.slice(2)
  const unknown = asked.filter((name) => !Object.hasOwn(MODULES, name))
  if (unknown.length > 0)
    throw new Error(`There is no module ${unknown.join(', ')}: use ${Object.keys(MODULES).join(', ')}.`)
  await buildAll(console.log)
  const lines: string[] = []
  for (const [name, module] of Object.entries(MODULES)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const score = scoreOf(await plantMutants(name, module))
    for (const mutant of score.missed) console.log(mutantLine(mutant))
    lines.push(scoreLine(name, score))
    if (score.percent < LEAST_PERCENT) process.exitCode = 1
  }
  console.log(`\n${lines.join('\n')}`)
})
