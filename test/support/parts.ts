import anyTest, { type Implementation, type TestFn } from 'ava'
import { PARTS, skippedTitle } from '../../stack/tests/parts.ts'

export type Declare<Context> = (title: string, run: Implementation<[], Context>) => void

/**
 * Declares tests that need a part which a machine may lack. Where it is missing they are skipped by its name; a run on a
 * machine that has it fails over such a skip.
 */
export const needs =
  <Context = unknown>(
    part: keyof typeof PARTS,
    declare: Declare<Context> = anyTest as TestFn<Context>,
  ): Declare<Context> =>
  (title, run) =>
    PARTS[part](process.env) ? declare(title, run) : (anyTest as TestFn<Context>).skip(skippedTitle(title, part), run)
