import type { ParseArgsOptionsConfig } from 'node:util'
import type { Countersign } from '../index.ts'
import type { Output } from './output.ts'

/** A command line that says nothing that can be done: exit code 2. */
export class Usage extends Error {}

/** What a command works with. */
export interface Call {
  /** What stands after the command, in order. */
  words: string[]
  /** The options, by name; only those that the command has. */
  text(name: string): string | undefined
  texts(name: string): string[]
  is(name: string): boolean
  client: Countersign
  output: Output
}

export interface Command {
  /** As `did create [--method KEY|WEB]`. */
  usage: string
  about: string
  options?: ParseArgsOptionsConfig
  /** How many words it takes; with `least`, from so many on. */
  words: number
  least?: number
  /** Answers the exit code. */
  run(call: Call): Promise<number>
}

/** A whole number of an option, from `least` up. */
export function wholeNumber({ text }: Call, name: string, otherwise: number, least = 1): number {
  const given = text(name)
  if (given === undefined) return otherwise
  if (!/^\d{1,9}$/.test(given) || Number(given) < least)
    throw new Usage(`--${name} must be a whole number from ${least} up, and is ${given}.`)
  return Number(given)
}
