import type { CredentialEngine } from '../credentials/index.ts'
import type { DidArea } from '../dids/index.ts'
import type { Frame } from '../frame/index.ts'
import { createSemanticBatches } from './batches.sign.ts'
import { createTenantContexts } from './contexts.ts'
import { createDerivation } from './derive.ts'
import { createSemanticFormat } from './format.ts'
import { createSemanticCredentials } from './issue.ts'
import { createLinkedData } from './linked-data.ts'
import { createAsking } from './presentations/asking.ts'
import { createPresentations } from './presentations/index.ts'
import { createPresentationRequests } from './presentations/requests.ts'
import { createPresentationTemplates } from './presentations/templates.ts'
import { createSigning } from './sign.ts'
import { createSemanticLists } from './status-lists.sign.ts'
import { createTemplateSigning } from './templates.sign.ts'
import { createTemplateTrial } from './templates.trial.ts'
import { createCredentialTemplates } from './templates.ts'
import { createVcApi } from './vc-api.ts'
import { createCredentialVerifier } from './verify.ts'
import { createSemanticWallets } from './wallets.ts'

type Known = Frame & Pick<DidArea, 'didResolver' | 'signers'> & CredentialEngine

/** Signing, credential templates, and the format for the engine. */
function composeIssuing(known: Known) {
  const contexts = createTenantContexts(known)
  const signing = createSigning({ ...known, contexts })
  const semanticCredentials = createSemanticCredentials({ issuing: known.issuing, signing })
  const templateTrial = createTemplateTrial({ ...known, signing })
  const credentialTemplates = createCredentialTemplates({ ...known, templateTrial })
  const templateSigning = createTemplateSigning({ ...known, semanticCredentials, credentialTemplates })
  const format = createSemanticFormat({
    signing,
    statusKinds: createSemanticLists(known),
    wallets: createSemanticWallets({ signing, templateSigning }),
    batches: createSemanticBatches({ ...known, contexts, signing, credentialTemplates, templateSigning }),
  })
  return { contexts, signing, format, semanticCredentials, credentialTemplates, templateSigning }
}

/** Verification, and presentations with their templates and requests. */
function composeVerifying(known: Known & Pick<ReturnType<typeof composeIssuing>, 'contexts'>) {
  const credentialVerifier = createCredentialVerifier(known)
  const presentationTemplates = createPresentationTemplates(known)
  const asking = createAsking({ ...known, presentationTemplates })
  const presentationRequests = createPresentationRequests({ ...known, asking })
  const parts = { ...known, credentialVerifier, presentationTemplates, presentationRequests }
  return {
    credentialVerifier,
    presentationTemplates,
    presentationRequests,
    presentations: createPresentations(parts),
    derivation: createDerivation(known),
    linkedData: createLinkedData(known),
  }
}

/** Operations of W3C credentials and presentations; `format` is for the engine. */
export function composeSemanticCredentials(known: Known) {
  const { signing, ...issuing } = composeIssuing(known)
  const verifying = composeVerifying({ ...known, ...issuing })
  return { ...issuing, ...verifying, vcApi: createVcApi({ ...known, ...issuing, ...verifying }) }
}
