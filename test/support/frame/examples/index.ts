import { REQUEST_EXAMPLES, thingIn } from '../../../../api/frame/openapi/areas.ts'
import { ISSUER } from '../../../../api/frame/openapi/examples.ts'
import { bodySchema, type Operation, operations } from '../openapi.ts'
import { type Example, PARTICULAR } from './particular.ts'
import { THINGS } from './things.ts'

/** A request from the document's own example, by the sample's issuer, of the sample's thing. */
function documented(operation: Operation): Example {
  const idOf = THINGS[thingIn(operation.path) ?? '']
  const example = bodySchema(operation) && REQUEST_EXAMPLES[operation.operationId]
  const text = JSON.stringify(example)
  return {
    ...(idOf && { path: (sample) => ({ id: idOf(sample) }) }),
    ...(example && { body: ({ did }) => JSON.parse(text.replaceAll(ISSUER, did)) as Record<string, unknown> }),
  }
}

/** A request that succeeds, for every operation with a body or an id. A test fails for the one that is missing here. */
export const EXAMPLES: Record<string, Example> = Object.fromEntries(
  operations
    .map(
      (operation) =>
        [operation.operationId, { ...documented(operation), ...PARTICULAR[operation.operationId] }] as const,
    )
    .filter(([, example]) => Object.keys(example).length > 0),
)

/** Why an answer to an example is not the one that it should have; undefined when it is. */
export const exampleFault = (operationId: string, status: number, text: string): string | undefined => {
  const expected = EXAMPLES[operationId]?.answers
  const right = expected === undefined ? status >= 200 && status < 300 : status === expected
  return right ? undefined : `${operationId} answered ${status} ${text.slice(0, 300)}`
}
