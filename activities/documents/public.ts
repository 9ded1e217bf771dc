import { isSelective, type Json, type ProofType, type Signer, suiteOf } from '../../protocol/data-integrity/index.ts'
import { bundledOnly, type Documents } from './index.ts'

export interface PublicSignRequest {
  tenantId: string
  credential: Json & { '@context': string[] }
  dataModel: '1.1' | '2.0'
  proofType: ProofType
  signer: Signer
  now: Date
}

/**
 * Signs a credential that has no holder, such as a status list, so that anybody can verify it: the context of its proof
 * stands in it, and a base proof, which is for a holder to derive from, is derived with everything disclosed.
 */
export async function signPublicly(
  documents: Pick<Documents, 'sign' | 'derive'>,
  { tenantId, credential: bare, dataModel, ...request }: PublicSignRequest,
): Promise<Json> {
  const owner = bundledOnly(tenantId)
  const suite = suiteOf(request.proofType)
  const proofContext = suite.context?.[dataModel]
  const credential = proofContext ? { ...bare, '@context': [...bare['@context'], proofContext] } : bare
  const signed = await documents.sign({ credential, ...request }, owner)
  return isSelective(suite) ? documents.derive({ credential: signed, disclose: 'everything' }, owner) : signed
}
