/** Checks of an SD-JWT VC, as verdicts name them, in the order in which they are made. */
export const CHECKS = [
  'Syntax',
  'Header',
  'Disclosures',
  'IssuerKey',
  'Signature',
  'Trust',
  'Claims',
  'Validity',
  'KeyBinding',
  'TypeMetadata',
  'Policy',
  'Status',
] as const
export type CheckName = (typeof CHECKS)[number]

/** Why a check failed. `code` is stable; `path` is a JSON pointer into the claims, where the fault has a place there. */
export interface Fault {
  check: CheckName
  code: `sd_jwt.${string}`
  message: string
  path?: string
}

/** Thrown by the rules of a document; `verify.ts` makes it a part of the verdict. */
export class Faulty extends Error {
  override readonly name = 'Faulty'
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

export const faulty = (check: CheckName, code: string, message: string, path?: string): Faulty =>
  new Faulty({ check, code: `sd_jwt.${code}`, message, ...(path !== undefined && { path }) })
