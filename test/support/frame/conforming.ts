import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { document, operations } from './openapi.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('int8', { type: 'number', validate: (value: number) => value >= -128 && value <= 127 })
ajv.addSchema({ $id: 'document', components: document.components })

/** Why a body breaks a schema of the document; undefined if it does not. */
function fault(schema: object, body: unknown): string | undefined {
  const read = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object
  return ajv.validate(read, body) ? undefined : ajv.errorsText()
}

export const operationOf = (operationId: string) =>
  operations.find((operation) => operation.operationId === operationId)

export const answerFault = (operationId: string, status: number, body: unknown) =>
  fault(operationOf(operationId)?.responses[status]?.content?.['application/json']?.schema ?? { not: {} }, body)

export const requestFault = (operationId: string, body: unknown) =>
  fault(operationOf(operationId)?.requestBody?.content['application/json']?.schema ?? { not: {} }, body)
