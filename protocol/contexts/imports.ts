import { Refusal } from '../errors.ts'

/**
 * Throws `Refusal('context.invalid')` for a document with a context that imports another (JSON-LD 1.1, section 4.1.10).
 * jsonld caches a processed inline context by its text, for all later documents of the process: with `@import`, a
 * second tenant would get the content that the first one has pinned under the imported URL.
 */
export function refuseImports(document: object): void {
  const pending: object[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '@import')
        throw new Refusal(
          'context.invalid',
          'A JSON-LD context imports another one (@import), which is not supported.',
          [
            {
              path: '/@context',
              code: 'context.import',
              message: 'list the imported context next to this one instead',
            },
          ],
        )
      if (typeof member === 'object' && member !== null) pending.push(member)
    }
  }
}
