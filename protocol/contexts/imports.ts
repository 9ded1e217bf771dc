import { Refusal } from '../errors.ts'

/**
 * Throws `Refusal('context.invalid')` for a document with a context that imports another (JSON-LD 1.1, section 4.1.10).
 * jsonld keeps what it made of a context inside a document by that context's text, for all later documents of the
 * process: with `@import`, a second tenant would get what the first one has pinned under the imported address.
 */
export function refuseImports(document: object): void {
  const pending: object[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '@import')
        throw new Refusal('context.invalid', 'A JSON-LD context imports another one, which is not supported here.', [
          { path: '/@context', code: 'context.import', message: 'name the imported context beside this one instead' },
        ])
      if (typeof member === 'object' && member !== null) pending.push(member)
    }
  }
}
