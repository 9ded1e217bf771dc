import { pointerWithin, withPaths } from '../../protocol/errors.ts'

/**
 * Waits for work on the document that a member of the body holds. The rules of documents name places in the document:
 * its refusals get paths from the root of the body.
 */
export async function ofMember<Result>(member: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw withPaths(error, (path) => pointerWithin(member, path))
  }
}
