import type { FieldError } from '../../protocol/errors.ts'
import type { Uuid } from './wire.ts'

/**
 * Problem details (RFC 9457).
 * @example { "type": "/problems#did.not_found", "title": "Not Found", "status": 404, "detail": "The tenant has no such DID.", "instance": "5f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f" }
 */
export interface Problem {
  /**
   * Relative URL of the problem's entry on the page of problems; its fragment is the stable code of the problem.
   * @format uri-reference
   */
  type?: string
  title: string
  /**
   * The HTTP status of this answer.
   * @isInt
   * @minimum 400
   * @maximum 599
   */
  status: number
  /** Says what is wrong and what to do next. */
  detail?: string
  /** The `x-request-id` of this answer, also in the log. */
  instance: Uuid
  /** The fields that break a rule, each with its rule. */
  errors?: FieldError[]
}
