import { errorsWithin, Refusal } from '../../protocol/errors.ts'

/**
 * Waits for work on the document that a member of the body holds. The rules of documents name places in the document:
 * its refusals get paths from the root of the body.
 */
export async function ofMember<Result>(member: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal) || error.errors.length === 0) throw error
    throw new Refusal(error.code, error.message, errorsWithin(member, error.errors), { cause: error.cause })
  }
}
