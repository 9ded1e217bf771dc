import type { Json } from '../../protocol/data-integrity/index.ts'
import { type FieldError, Refusal } from '../../protocol/errors.ts'
import {
  exampleCredential,
  templateFaults,
  withoutPlaces,
} from '../../protocol/semantic-credentials/templates/example.ts'
import { proofTypesFor, type TemplateDefinition } from '../../protocol/semantic-credentials/templates/index.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signing } from './sign.ts'

interface Parts extends Pick<Dependencies, 'now'> {
  signing: Pick<Signing, 'rehearse'>
}

/** A context that is not available now may be later: registered, or its host is back. */
const NOT_NOW = ['context.unknown', 'context.unavailable', 'context.changed', 'context.too_many']

/** Undefined types and claims that are named at a time. */
const MAX_FAULTS = 20

interface Outcome {
  /** Types and claims that no context defines. */
  undefined: FieldError[]
  /** What else the example is refused for. */
  others: FieldError[]
}

/**
 * Tries a template with an example, by the checks of signing themselves, so that there is no second list of rules: a
 * template from which nothing can ever be signed is refused when it is made (D-242).
 */
export function createTemplateTrial({ signing, now }: Parts) {
  /** Undefined types and claims are named, and the example is tried again without them. */
  async function tryExample(tenantId: string, definition: TemplateDefinition, proofType: string, example: Json) {
    const outcome: Outcome = { undefined: [], others: [] }
    for (let payload = example; ; ) {
      try {
        await signing.rehearse(tenantId, { payload, proofType, revocable: definition.revocable })
        return outcome
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (NOT_NOW.includes(error.code)) return outcome
        const whole = [{ path: '/@context', code: error.code, message: error.message }]
        const faults = templateFaults(error.errors.length > 0 ? error.errors : whole, payload, definition)
        const isUndefined = error.code === 'credential.term_undefined' && outcome.undefined.length < MAX_FAULTS
        const rest = isUndefined ? withoutPlaces(payload, error.errors) : undefined
        if (!rest) return { ...outcome, others: faults }
        outcome.undefined.push(...faults)
        payload = rest
      }
    }
  }

  async function faultsWith(tenantId: string, definition: TemplateDefinition, proofType: string) {
    const { payload, constant, errors } = exampleCredential(definition, now())
    if (errors.length > 0) return errors
    const whole = await tryExample(tenantId, definition, proofType, payload)
    if (whole.undefined.length + whole.others.length === 0) return []
    const fixed = await tryExample(tenantId, definition, proofType, constant)
    const faults = [...fixed.undefined, ...fixed.others]
    if (faults.length > 0) return faults
    // where an example is refused for another reason, its claim may be the subject's type, which defines others
    return whole.others.length > 0 ? [] : whole.undefined
  }

  return {
    /**
     * Throws `Refusal('credential_template.invalid')`, naming members and rules, for a template whose credentials are
     * refused with each proof type that it allows.
     */
    async assertSignable(tenantId: string, definition: TemplateDefinition): Promise<void> {
      let faults: FieldError[] = []
      for (const proofType of proofTypesFor(definition)) {
        const found = await faultsWith(tenantId, definition, proofType)
        if (found.length === 0) return
        if (faults.length === 0) faults = found
      }
      throw new Refusal(
        'credential_template.invalid',
        'No credential could be signed from the template; errors names the members.',
        faults,
      )
    },
  }
}

export type TemplateTrial = ReturnType<typeof createTemplateTrial>
