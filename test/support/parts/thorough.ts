import anyTest, { type Implementation } from 'ava'
import { THOROUGH } from '../../../stack/tests/plan.ts'

/** The heavy suite runs all cases of files of which `npm test` runs some. */
const isThorough = process.env[THOROUGH] !== undefined

/** All cases in the heavy suite; in `npm test` those at these places. */
export const sampled = <Case>(all: readonly Case[], ...places: number[]): readonly Case[] =>
  isThorough ? all : all.filter((_, at) => places.includes(at))

/**
 * All cases in the heavy suite; in `npm test` every third, from the one at `turn` on, so that three neighbours meet all of
 * them.
 */
export const inTurn = <Case>(all: readonly Case[], turn: number): readonly Case[] =>
  isThorough ? all : all.filter((_, at) => at % 3 === turn % 3)

/** Declares a serial test of the heavy suite alone. */
export const thoroughly = (title: string, run: Implementation<[]>): void => {
  if (isThorough) anyTest.serial(title, run)
}
